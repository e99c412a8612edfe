"""From messages to token ids and back, so that ids are only ever appended to.

A conversation is rendered once, for its opening. What comes after a sampled message (the end of its turn, the tools'
answers, the start of the next turn) is rendered apart from it and appended; the message itself is never rendered again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

from toolscale.artifacts.strict_json import read_arguments
from toolscale.errors import UserError
from toolscale.messages import Message
from trainer.sequence import TokenSequence

_MARK = "@@toolscale@@"
_ANSWER = "@@answer@@"
_PROBE_TOOL = {
    "type": "function",
    "function": {
        "name": "probe_tool",
        "description": "Probe.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


class Chat:
    """A tokenizer's chat template, as the trainer uses it."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        """Probe the template by rendering.

        Raises:
            UserError: there is no chat template, it does not show the tools or their answers to the model, or it does
                not close a turn with a token that can stop the sampling.
        """
        self.tokenizer = tokenizer
        self._model = tokenizer.name_or_path or "the model"
        if not tokenizer.chat_template:
            raise UserError(
                f"{self._model} has no chat template: take an instruction-tuned checkpoint, or set model.chat_template"
            )
        self._special = [str(token) for token in tokenizer.added_tokens_decoder.values() if token.special]
        self._check_tools_are_shown()
        ending = self._encode(self._after_message([_ANSWER]))
        self.end_of_turn = ending[0]
        """The token that closes the model's turn; the model samples it itself."""
        if self.end_of_turn not in tokenizer.all_special_ids:
            text = tokenizer.decode(ending[:1])
            raise UserError(
                f"the chat template of {self._model} closes a turn with {text!r}, which is no special token, so "
                "nothing tells where a message ends: set model.chat_template"
            )
        eos = tokenizer.eos_token_id
        self.stop_ids = sorted({self.end_of_turn} | ({eos} if isinstance(eos, int) else set()))
        """Tokens after which an engine samples no more."""

    def opening(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> list[int]:
        """The prompt: messages, tools and the start of the model's turn."""
        return self._encode(self._render(messages, tools, start_turn=True))

    def answers(self, sampled: Sequence[int], contents: Sequence[str]) -> list[int]:
        """The ids to append after a sampled message: the rest of its turn, the tools' answers, the next turn's start.

        Args:
            sampled: the message's ids; if it ends in the end of turn, that is not given a second time.
            contents: what each call brought, as JSON. Text that reads like a special token is escaped, so that a
                function cannot speak with another voice.
        """
        ids = self._encode(self._after_message([self._harmless(content) for content in contents]))
        return ids[1:] if sampled and sampled[-1] == self.end_of_turn else ids

    def text(self, sampled: Sequence[int]) -> str:
        """What a sampled message says, without the token that ends it."""
        ids = sampled[:-1] if sampled and sampled[-1] in self.stop_ids else sampled
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=False))

    def recorded(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> TokenSequence:
        """A trajectory that somebody else played, as if the policy had sampled it: its messages count in the loss.

        Laid out as a rollout lays it out, token for token, so that what a warm start teaches is what is sampled later.
        """
        first = next((place for place, message in enumerate(messages) if message["role"] == "assistant"), len(messages))
        sequence = TokenSequence.of_prompt(self.opening(messages[:first], tools))
        pending: list[str] = []
        spoken: list[int] = []
        for message in messages[first:]:
            if message["role"] == "tool":
                pending.append(message["content"])
                continue
            if message["role"] != "assistant":
                raise UserError(
                    "a trajectory for training has one user message and then only the agent and its tools; this one "
                    f"goes on with a message of the {message['role']}: generate it with a direct user"
                )
            if spoken:
                sequence.append_given(self.answers(spoken, pending))
            spoken, pending = self._spoken(message), []
            sequence.append_sampled(spoken, [0.0] * len(spoken), version=0)
        return sequence

    def _spoken(self, message: Message) -> list[int]:
        """The ids of one message of the agent as the template writes it, its end of turn included."""
        before = [{"role": "user", "content": "?"}]
        opened = self._render(before, [], start_turn=True)
        whole = self._render([*before, _with_objects(message)], [], start_turn=False)
        if not whole.startswith(opened):
            raise UserError(
                f"the chat template of {self._model} writes past messages another way than it asks for them"
            )
        ids = self._encode(whole[len(opened) :])
        last = max((place for place, token in enumerate(ids) if token == self.end_of_turn), default=len(ids) - 1)
        return ids[: last + 1]

    def _after_message(self, contents: Sequence[str]) -> str:
        """What the template writes between a message of the agent and the next one."""
        calls = [{"id": f"call_{place}", "type": "function"} for place in range(len(contents))]
        conversation: list[Message] = [
            {"role": "user", "content": "?"},
            {"role": "assistant", "content": _MARK},
            *(
                {"role": "tool", "tool_call_id": call["id"], "content": content}
                for call, content in zip(calls, contents, strict=True)
            ),
        ]
        return self._render(conversation, [], start_turn=True).rpartition(_MARK)[2]

    def _check_tools_are_shown(self) -> None:
        shown = self._render([{"role": "user", "content": "?"}], [_PROBE_TOOL], start_turn=True)
        after = self._after_message([_ANSWER])
        call = {"type": "function", "function": {"name": "probe_tool", "arguments": {"city": "Ulm"}}}
        made = self._render(
            [{"role": "user", "content": "?"}, {"role": "assistant", "content": "", "tool_calls": [call]}],
            [_PROBE_TOOL],
            start_turn=False,
        )
        missing = [
            what
            for what, there in (
                ("the tools that are offered", "probe_tool" in shown and "city" in shown),
                ("what a tool answered", _ANSWER in after),
                ("calls as <tool_call>{...}</tool_call>", made.count("<tool_call>") > shown.count("<tool_call>")),
            )
            if not there
        ]
        if missing:
            raise UserError(
                f"the chat template of {self._model} does not show {', nor '.join(missing)}: set model.chat_template "
                "to one that knows tools, like trainer/templates/hermes.jinja"
            )

    def _render(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], *, start_turn: bool) -> str:
        try:
            rendered = self.tokenizer.apply_chat_template(
                list(messages),
                tools=[dict(tool) for tool in tools] or None,
                add_generation_prompt=start_turn,
                tokenize=False,
            )
        except (TemplateError, TypeError, KeyError) as error:
            raise UserError(
                f"the chat template of {self._model} cannot write a conversation with tools ({error}): set "
                "model.chat_template to one that knows tools, like trainer/templates/hermes.jinja"
            ) from error
        return str(rendered)

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False))

    def _harmless(self, content: str) -> str:
        for token in self._special:
            if token in content:
                content = content.replace(token, token.replace("<", "\\u003c"))
        return content


def _with_objects(message: Message) -> Message:
    """The message with its calls' arguments as objects: some templates write a string as a string once more."""
    calls: Iterable[Any] = message.get("tool_calls") or []
    written = [
        {**call, "function": {**call["function"], "arguments": _as_object(call["function"].get("arguments"))}}
        for call in calls
    ]
    return {**message, "content": message.get("content") or "", **({"tool_calls": written} if written else {})}


def _as_object(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        return read_arguments(arguments)
    except ValueError as error:
        raise UserError(f"a call in the conversation cannot be written again: {error}") from None
