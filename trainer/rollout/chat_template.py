"""What a chat template writes: the opening of a conversation, a message of the agent, and what stands between two."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from jinja2 import TemplateError
from transformers import PreTrainedTokenizerBase

from toolscale.artifacts.strict_json import read_arguments
from toolscale.errors import UserError
from toolscale.messages import Message
from trainer.rollout.tool_calls import Tags

Tools = Sequence[Mapping[str, Any]]

_MARK = "@@toolscale@@"
_WORDS = "@@words@@"
_ASKED: Message = {"role": "user", "content": "?"}


class ChatTemplate:
    """A tokenizer's chat template, text for text."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase, arguments: Mapping[str, Any]) -> None:
        """`arguments` are what it is given beside messages and tools. Raises UserError where there is none."""
        self.model = tokenizer.name_or_path or "the model"
        if not tokenizer.chat_template:
            raise UserError(
                f"{self.model} has no chat template: take an instruction-tuned checkpoint, or set model.chat_template"
            )
        self._tokenizer = tokenizer
        self._arguments = dict(arguments)

    def opening(self, messages: Sequence[Message], tools: Tools = ()) -> str:
        """Messages, tools and the start of the model's turn."""
        return self._render(messages, tools, start_turn=True)

    @cached_property
    def turn_start(self) -> str:
        """A short opening, for what it ends with."""
        return self.opening([_ASKED])

    def written(self, message: Message, thoughts: Tags) -> tuple[str, str]:
        """A message of the agent after the start of its turn: an empty thought, if there is one, and the rest.

        Raises:
            UserError: past messages are written another way than they are asked for.
        """
        opens, closes = (re.escape(tag.strip()) for tag in thoughts)
        # A prompt may close the thought before it begins; once past, the message is written without.
        asked = [self.turn_start, re.sub(rf"{opens}\s*{closes}\s*$", "", self.turn_start)]
        spelt = [self._render([_ASKED, each], [], start_turn=False) for each in _spellings(message)]
        text = next((whole[len(start) :] for start in asked for whole in spelt if whole.startswith(start)), None)
        if text is None:
            raise UserError(
                f"the chat template of {self.model} writes past messages another way than it asks for them: set "
                "model.chat_template"
            )
        unthought = re.match(rf"\s*(?:{opens})?\s*{closes}\s*", text)
        begins = unthought.end() if unthought else 0
        return text[:begins], text[begins:]

    def after_words(self, heard: Sequence[Message]) -> str:
        """What stands between words of the agent and the start of its next message, its turn's end included."""
        return self._after([_ASKED, {"role": "assistant", "content": _MARK}, *heard], marks=1)

    def after_calls(self, heard: Sequence[Message], names: Sequence[str]) -> str:
        """The same after calls of these functions, from the end of the last one's last argument on."""
        calls = [call(name, {"city": _MARK}, place) for place, name in enumerate(names)]
        answers = [{**message, "tool_call_id": calls[place]["id"]} for place, message in enumerate(heard)]
        said: Message = {"role": "assistant", "content": "", "tool_calls": calls}
        return self._after([_ASKED, said, *answers], marks=len(calls))

    def keeps_thoughts(self, thoughts: Tags, heard: Message, calls: Sequence[Any] = ()) -> bool:
        """Whether what the agent thought still stands there when this has been heard.

        So it does where words are left out too, as beside calls in some formats: then nothing can be said of thoughts.
        """
        spellings: list[Message] = [
            {"content": f"{thoughts.opens}\n{_MARK}\n{thoughts.closes}\n\n{_WORDS}"},
            {"content": _WORDS, "reasoning_content": _MARK},
        ]
        more = {"tool_calls": list(calls)} if calls else {}
        texts = [self.opening([_ASKED, {"role": "assistant", **each, **more}, heard]) for each in spellings]
        return any(_MARK in text for text in texts) or not any(_WORDS in text for text in texts)

    def _after(self, messages: Sequence[Message], marks: int) -> str:
        before = self.opening(messages).split(_MARK, marks)
        if len(before) <= marks:
            raise UserError(
                f"the chat template of {self.model} leaves out what the model said as soon as somebody answers: set "
                "model.chat_template"
            )
        return before[-1]

    def _render(self, messages: Sequence[Message], tools: Tools, *, start_turn: bool) -> str:
        try:
            rendered = self._tokenizer.apply_chat_template(
                list(messages),
                tools=[dict(tool) for tool in tools] or None,
                add_generation_prompt=start_turn,
                tokenize=False,
                **self._arguments,
            )
        except (TemplateError, TypeError, KeyError) as error:
            raise UserError(
                f"the chat template of {self.model} cannot write a conversation with tools ({error}): set "
                "model.chat_template to one that knows tools, like trainer/templates/hermes.jinja"
            ) from error
        return str(rendered)


def call(name: str, arguments: Mapping[str, Any], place: int = 0) -> dict[str, Any]:
    """A call as templates take it. Its id is nine letters and digits, since Mistral's take no others."""
    return {"id": f"call{place:05}", "type": "function", "function": {"name": name, "arguments": dict(arguments)}}


def as_words(message: Message, write: Callable[[Sequence[Any]], str]) -> Message:
    """The message with its calls spelt out, for a template that would write them otherwise."""
    calls = [each["function"] for each in _with_objects(message)["tool_calls"]]
    others = {name: value for name, value in message.items() if name != "tool_calls"}
    return {**others, "content": write(calls)}


def _spellings(message: Message) -> list[Message]:
    """The message; and without its thoughts, for a prompt that asks for none."""
    whole = _with_objects(message)
    _, thought, said = whole["content"].rpartition("</think>")
    thoughtless = {name: value for name, value in whole.items() if name != "reasoning_content"}
    without = {**thoughtless, "content": said.lstrip() if thought else said}
    return [whole] if without == whole else [whole, without]


def _with_objects(message: Message) -> Message:
    """The message with its calls' arguments as objects: some templates write a string as a string once more."""
    calls: Iterable[Any] = message.get("tool_calls") or []
    written = [
        call(each["function"]["name"], _as_object(each["function"].get("arguments")), place)
        for place, each in enumerate(calls)
    ]
    others = {name: value for name, value in message.items() if name != "tool_calls"}  # for some, none is a call too
    return {**others, "content": message.get("content") or "", **({"tool_calls": written} if written else {})}


def _as_object(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        return read_arguments(arguments)
    except ValueError as error:
        raise UserError(f"a call in the conversation cannot be written again: {error}") from None
