"""From messages to token ids and back, so that ids are only ever appended to.

A conversation is rendered once, for its opening. What comes after a sampled message (the end of its turn, what tools
or the user answer, the start of the next turn) is rendered apart from it and appended; the message itself is never
rendered again.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from transformers import PreTrainedTokenizerBase

from toolscale.artifacts import Call
from toolscale.errors import UserError
from toolscale.messages import Message
from trainer.config import Model
from trainer.distributed import Processes
from trainer.rollout.call_formats import FORMATS, CallFormat, format_of
from trainer.rollout.call_reader import open_reader
from trainer.rollout.chat_template import ChatTemplate, Tools, as_words, call
from trainer.rollout.decoding import makers_config
from trainer.rollout.probe import ARGUMENTS, CALL, CALLING, OPENING, THOUGHT, TOOL, TURNS, Prompt, Turn, changes, untold
from trainer.rollout.tool_calls import AgentMessage
from trainer.sequence import TokenSequence
from trainer.tasks.exercise import Playable


class Chat:
    """A tokenizer's chat template, as the trainer uses it."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        arguments: Mapping[str, Any] | None = None,
        tool_calls: str = "auto",
        stops: Sequence[int] = (),
    ) -> None:
        """Probe the template by rendering.

        Args:
            tokenizer: with its chat template.
            arguments: what the template is given beside messages and tools.
            tool_calls: the format of calls; `auto` is the one that the template writes.
            stops: tokens that end a message beside those of the template.

        Raises:
            UserError: there is no chat template, it does not show all that the model is told, it writes calls that are
                not read back, it leaves out what the model thought before its last call, or it does not close a turn
                with a token that can stop the sampling.
        """
        self.tokenizer = tokenizer
        self._prompts: dict[tuple[int, str], tuple[Playable, array[int]]] = {}
        self._template = ChatTemplate(tokenizer, arguments or {})
        special = {place: str(token) for place, token in tokenizer.added_tokens_decoder.items() if token.special}
        self._special = list(special.values())
        self._writes_calls = False
        """Whether lessons' calls are written here, since nothing reads those of the template."""
        self._calls_alone = False
        """Whether lessons have no words beside calls, since the template writes them where nothing reads them."""
        self.form = self._checked_form(tool_calls)
        """The format in which the model calls."""
        ending = self._encode(self._template.after_words([TURNS[-1].heard]))
        self.end_of_turn = ending[0]
        """The token that closes the model's turn; the model samples it itself."""
        if self.end_of_turn not in {*tokenizer.all_special_ids, *special}:
            text = tokenizer.decode(ending[:1])
            raise UserError(
                f"the chat template of {self._template.model} closes a turn with {text!r}, which is no special token, "
                "so nothing tells where a message ends: set model.chat_template"
            )
        self.end_of_calls = self._token(self.form.closes) if self.form.closes else self.end_of_turn
        """The token that closes a message with calls."""
        eos = tokenizer.eos_token_id
        ends = {self.end_of_turn, self.end_of_calls, *stops} | ({eos} if isinstance(eos, int) else set())
        self.stop_ids = sorted(ends)
        """Tokens after which an engine samples no more."""
        self._reader = open_reader(self.form, tokenizer)
        opened, thoughts = self._template.turn_start.rstrip(), self.form.thoughts
        self._opened_thought = thoughts.opens if opened.endswith(thoughts.opens.strip()) else ""
        self._check_calls_are_read_back()
        self._calls_alone = not self._back([CALL], "@@words@@")[1].calls
        self._several = self._writes_several()
        self._thinks = not opened.endswith(thoughts.closes)
        if self._thinks and not self._template.keeps_thoughts(thoughts, TURNS[0].heard, [CALL]):
            raise UserError(
                f"the chat template of {self._template.model} leaves out what the model thought as soon as a tool has "
                "answered, so that a server would show it other prompts than it learns from here: set "
                "model.chat_template to one that keeps thoughts"
            )
        self._check_all_is_told()

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerBase, model: Model) -> "Chat":
        """That of a configured model. Raises UserError as above."""
        ends = getattr(makers_config(model), "eos_token_id", None)
        stops = [ends] if isinstance(ends, int) else ends or []
        return cls(tokenizer, model.template_arguments, model.tool_calls, stops)

    def prompt(self, exercise: Playable) -> "array[int]":
        """The opening of an exercise, made once (a long one takes tens of milliseconds) and kept at 4 bytes a token."""
        key = exercise.source, exercise.id
        known = self._prompts.get(key)
        # One of that name with other tools may have come in its place.
        if known is None or known[0] is not exercise:
            known = exercise, array("i", self.opening(exercise.messages, exercise.tools))
            self._prompts[key] = known
        return known[1]

    def make_prompts(self, exercises: Sequence[Playable], processes: Processes) -> None:
        """Make the prompt of every exercise once among all processes, each its share; all have to ask for the same.

        Else every process of a node would make all of them: at 7,000 tokens and 20 ms each, minutes of a large dataset.
        """
        own = [self.prompt(exercise) for exercise in exercises[processes.rank :: processes.size]]
        for rank, prompts in enumerate(processes.everywhere(own)):
            for exercise, prompt in zip(exercises[rank :: processes.size], prompts, strict=True):
                self._prompts[exercise.source, exercise.id] = exercise, prompt

    def opening(self, messages: Sequence[Message], tools: Tools) -> list[int]:
        """The prompt: messages, tools and the start of the model's turn."""
        told = [self._told(message) if message["role"] == "user" else message for message in messages]
        return self._encode(self._template.opening(told, tools))

    def after(self, sampled: Sequence[int], heard: Sequence[Message], said: Message | None = None) -> list[int]:
        """The ids to append after a sampled message: the rest of its turn, what was heard, the next turn's start.

        Args:
            sampled: the message's ids; if it ends in the token that closes it, that is not given a second time.
            heard: a message of a tool for each call, or what the user said. Text that reads like a special token is
                escaped, so that nobody can speak with another voice.
            said: the message as it was read: some templates write a function's name into what it answered.
        """
        ids = self._encode(self._after([self._told(message) for message in heard], said))
        return ids[1:] if sampled and sampled[-1] == ids[0] else ids

    def text(self, sampled: Sequence[int]) -> str:
        """What a sampled message says, without the token that ends it."""
        ids = sampled[:-1] if sampled and sampled[-1] in self.stop_ids else sampled
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=False))

    def read(self, text: str, tools: Tools) -> AgentMessage:
        """The message that a sampled text spells, where these tools are offered."""
        message = self._reader.read(self._opened_thought + text, tools)
        if len(message.calls) > 1 and not self._several:
            return AgentMessage(message.content, fault="several calls, and the model's chat template writes one")
        return message

    def recorded(self, messages: Sequence[Message], tools: Tools) -> TokenSequence:
        """A trajectory that somebody else played, as if the policy had sampled it: its messages count in the loss.

        Laid out as a rollout lays it out, token for token, so that what a warm start teaches is what is sampled later.
        Thoughts (`reasoning_content`) count as well, where the template writes them. The empty thought that some write
        for a message without does not: a model that learned it would think no more.
        """
        first = next((place for place, message in enumerate(messages) if message["role"] == "assistant"), len(messages))
        sequence = TokenSequence.of_prompt(self.opening(messages[:first], tools))
        heard: list[Message] = []
        spoken: list[int] = []
        said: Message | None = None
        before = ""
        for message in messages[first:]:
            if message["role"] in ("tool", "user"):
                heard.append(message)
                continue
            if message["role"] != "assistant":
                raise UserError(
                    "a trajectory for training goes on between the agent, its tools and the user; this one has a "
                    f"message of the {message['role']} amid it: leave it out of the dataset"
                )
            if spoken:
                sequence.append_given(given := self.after(spoken, heard, said))
                before = str(self.tokenizer.decode(given))
            unthought, spoken = self.spoken(message, before)
            heard, said = [], message
            sequence.append_given(unthought)
            sequence.append_sampled(spoken, [0.0] * len(spoken), version=0)
        return sequence

    def written(self, messages: Sequence[Message], tools: Tools, text: str) -> TokenSequence:
        """A prompt and a text after it, as if the policy had sampled it; the template changes nothing in the text."""
        sequence = TokenSequence.of_prompt(self.opening(messages, tools))
        ids = [*self._encode(self._harmless(text)), self.end_of_turn]
        sequence.append_sampled(ids, [0.0] * len(ids), version=0)
        return sequence

    def spoken(self, message: Message, before: str = "") -> tuple[list[int], list[int]]:
        """The ids of an empty thought, if the template writes one, and of the message with the token that closes it.

        `before` is what was appended last: some templates open the thought after a tool's answer alone.
        """
        unthought, text = self._spelt(message, before)
        closer = self.end_of_calls if message.get("tool_calls") else self.end_of_turn
        return self._encode(unthought), [*self._encode(text), closer]

    def rewrites(self, user_speaks: bool) -> list[str]:
        """What the template makes of earlier turns when they are past, in clauses that begin with when.

        Args:
            user_speaks: whether the user speaks again in an episode.
        """
        call, found = self._spelt(CALLING)[1].strip(), dict[str, str]()
        for turn, appended, anew in self._probed():
            if turn.heard["role"] == "tool" or user_speaks:
                for change in changes(appended, anew, call):
                    found.setdefault(change, turn.when)
        return [f"{when} it {change}" for change, when in found.items()]

    def _probed(self) -> Iterator[tuple[Turn, Prompt, str]]:
        """A conversation after each of its turns: as it is appended to here, and as it would be written anew."""
        messages, starts = [*OPENING], list[int]()
        text = self._template.opening(messages, [TOOL])
        for turn in TURNS:
            said = self._thinking(turn.said)
            unthought, spelt = self._spelt(said, text if starts else "")
            text += unthought
            starts.append(len(text))
            text += spelt + self._after([turn.heard], said)
            messages += [said, turn.heard]
            yield turn, Prompt(text, starts), self._template.opening(messages, [TOOL])

    def _thinking(self, message: Message) -> Message:
        """The message with a thought, where the model thinks and the template writes it."""
        if not self._thinks:
            return message
        opens, closes = self.form.thoughts
        spellings = (
            {**message, "reasoning_content": THOUGHT},
            {**message, "content": f"{opens}\n{THOUGHT}\n{closes}\n\n{message['content']}"},
        )
        return next((each for each in spellings if THOUGHT in self._spelt(each)[1]), message)

    def _check_all_is_told(self) -> None:
        *_, (_, whole, _) = self._probed()
        if missing := untold(whole.text):
            raise UserError(
                f"the chat template of {self._template.model} leaves out {' and '.join(missing)}, so that the policy "
                "would learn without: set model.chat_template to one that shows it all, like "
                "trainer/templates/hermes.jinja"
            )

    def _after(self, told: Sequence[Message], said: Message | None) -> str:
        """The text of `after`, the end of the turn included."""
        if not told or told[0]["role"] != "tool":
            return self._template.after_words(told)
        asked = [each["function"]["name"] for each in (said or {}).get("tool_calls") or []]
        names = asked if len(asked) == len(told) else ["probe_tool"] * len(told)
        closer = str(self.tokenizer.convert_ids_to_tokens(self.end_of_calls))
        return closer + self._template.after_calls(told, names).partition(closer)[2]

    def _spelt(self, message: Message, before: str = "") -> tuple[str, str]:
        """The text of `spoken`, without the token that closes it."""
        calls = message.get("tool_calls")
        if calls and self._calls_alone:
            message = {**message, "content": "".join((message.get("content") or "").rpartition("</think>")[:2])}
        if calls and self.form.write and self._writes_calls:
            message = as_words(message, self.form.write)
        unthought, text = self._template.written(message, self.form.thoughts)
        closers = {self.end_of_calls, self.end_of_turn} if calls else {self.end_of_turn}
        ends = [text.rfind(str(self.tokenizer.convert_ids_to_tokens(closer))) for closer in closers]
        text = text[: max(ends)] if max(ends) >= 0 else text
        opens, closes = self.form.thoughts
        if self._opened_thought or not before.rstrip().endswith(opens.strip()):
            return unthought, text
        return ("", text[len(opens) :].lstrip("\n")) if text.startswith(opens) else (closes, text)

    def _checked_form(self, asked: str) -> CallFormat:
        template = self._template
        shown = template.opening(OPENING, [TOOL])
        answered = template.opening([*OPENING, CALLING, TURNS[0].heard])
        form = format_of(self._written_call(), asked)
        missing = [
            what
            for what, there in (
                ("the tools that are offered", "probe_tool" in shown and "city" in shown),
                ("what a tool answered", TURNS[0].heard["content"] in answered),
                (f"calls in a format that is read here ({', '.join(FORMATS)})", form),
            )
            if not there
        ]
        if form is None or missing:
            raise UserError(
                f"the chat template of {template.model} does not show {', nor '.join(missing)}: set "
                "model.chat_template to one that knows tools, like trainer/templates/hermes.jinja"
            )
        return form

    def _written_call(self) -> str:
        *others, last = dict.fromkeys(form.thoughts for form in FORMATS.values())
        for thoughts in others:  # which of them the template writes tells the format
            with suppress(UserError):
                return self._template.written(CALLING, thoughts)[1]
        return self._template.written(CALLING, last)[1]

    def _check_calls_are_read_back(self) -> None:
        made = (Call(name="probe_tool", arguments=ARGUMENTS),)
        text, read = self._back([CALL])
        if read.calls != made and format_of(self._spelt(CALLING)[1], "auto") is self.form:
            # What the policy samples is kept as it is, so the template's own way matters to lessons alone.
            self._writes_calls = self.form.write is not None
            _, read = self._back([CALL])
        if read.calls != made:
            raise UserError(
                f"the chat template of {self._template.model} writes a call as {text!r}, which the format "
                f"{self.form.name} reads as {read.fault or list(read.calls) or 'words'}: set model.tool_calls to the "
                "format that the model writes, or model.chat_template"
            )

    def _writes_several(self) -> bool:
        try:
            _, read = self._back([CALL, call("probe_tool", ARGUMENTS, 1)])
        except UserError:  # what Llama 3's template makes of them
            return False
        return len(read.calls) == 2

    def _back(self, calls: Sequence[Any], words: str = "") -> tuple[str, AgentMessage]:
        """Calls as the template writes them, and as they are read."""
        message: Message = {"role": "assistant", "content": words, "tool_calls": list(calls)}
        unthought, spoken = self.spoken(message)
        text = self.text(unthought + spoken)
        return text, self._reader.read(self._opened_thought + text, [TOOL])

    def _token(self, text: str) -> int:
        place = self.tokenizer.get_vocab().get(text)
        if place is None:
            raise UserError(
                f"model.tool_calls: the format {self.form.name} ends calls with {text}, which is no token of "
                f"{self._template.model}: take another format"
            )
        return int(place)

    def _encode(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False))

    def _told(self, message: Message) -> Message:
        return {**message, "content": self._harmless(message["content"])}

    def _harmless(self, content: str) -> str:
        for token in self._special:
            if token in content:
                content = content.replace(token, f"\\u{ord(token[0]):04x}{token[1:]}")
        return content
