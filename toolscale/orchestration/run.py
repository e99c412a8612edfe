"""An orchestrator's run: the agent of an episode, its tools, and what is kept and told of each turn."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolscale.catalogue.prices import dollars
from toolscale.episodes.loop import Answers, Ending, Episode, Spoken
from toolscale.llm import BudgetSpent, Gateway, Unanswerable
from toolscale.messages import Message
from toolscale.orchestration.manner import Manner
from toolscale.orchestration.sources import objection
from toolscale.orchestration.toolrl_format import as_message, as_step
from toolscale.orchestration.trace import ToolCall
from toolscale.orchestration.trace_file import TraceFile
from toolscale.orchestration.turns import OUT_OF_BUDGET, Turn, make_calls, readable, stateful, with_ids
from toolscale.settings import Price
from toolscale.tools.tool import Tool

STAGE = "orchestration"
"""What the ledger calls an orchestrator's own calls."""

_THINKING = re.compile(r"^.*?</think>", re.DOTALL)
_ANSWER = re.compile(r"(?:^|\n)[*_#\s]*answer[*_]*\s*:[*_]*[ \t]*", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """The orchestrator wrote a message: what it thought, and which calls it asks for."""

    turn: int
    message: Message
    dollars: float
    """Of the whole run so far."""
    tokens: int
    """The orchestrator's, of the whole run so far."""
    seconds: float


Event = Said | ToolCall
"""What a listener hears, as it happens; turns out of a trace's file are heard again."""


@dataclass
class Run:
    """One run: agent and setting of its episode in one, since a turn is kept with its calls."""

    asker: Gateway
    price: Price
    id: str
    domain: str
    seed: int
    sample: int
    tools: Mapping[str, Tool]
    offer: list[dict[str, Any]]
    messages: list[Message]
    heard: Callable[[Event], None]
    manner: Manner
    max_turns: int
    file: TraceFile | None = None
    turns: list[Turn] = field(default_factory=list)
    episode: Episode = field(default_factory=Episode)
    _sent_back: bool = False

    async def go_on(self) -> Answers:
        """Take over the turns that an earlier run left in the file, and what followed the last of them."""
        answers = Answers()
        for turn in self.file.turns[: self.max_turns] if self.file else ():
            self.hears([{"role": "user", "content": content} for content in answers.contents])
            self._tell(turn)
            for call in turn.calls:
                if stateful(call, self.tools) and call.answer.error is None:
                    await self.tools[call.tool].call(call.arguments)
                self.heard(call)
            self.turns.append(turn)
            self.messages += turn.messages()
            self.episode.add(turn.spoken(), Answers(dollars=sum(call.answer.dollars for call in turn.calls)))
            answers = Answers() if turn.message.get("tool_calls") else self._heard_out(turn.message)
            if answers.ending is not None:
                break
        return answers

    def hears(self, messages: Sequence[Message]) -> None:
        """See `Agent`."""
        self.messages += messages

    async def speaks(self) -> Spoken | Ending:
        """The orchestrator's next message, its calls not made yet."""
        in_fields = self.manner.format == "toolrl"
        try:
            reply = await self.asker.chat(
                "agent",
                as_step(self.messages, self.offer) if in_fields else self.messages,
                [] if in_fields else self.offer,
                stage=STAGE,
                domain=self.domain,
                task=self.id,
                seed=self.seed,
                sample=self.sample,
            )
        except BudgetSpent:
            return "budget"
        except Unanswerable:
            return "agent_error"
        turn = Turn(
            turn=len(self.turns) + 1,
            message=with_ids(as_message(reply.message) if in_fields else reply.message),
            dollars=dollars(self.price, reply.prompt_tokens, reply.completion_tokens),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            seconds=reply.seconds,
        )
        self._tell(turn)
        self.turns.append(turn)
        self.messages.append(readable(turn.message))
        return turn.spoken()

    async def answers(self, message: Message) -> Answers:
        """Make the calls of a message; a turn on which the run's budget was spent is not kept."""
        turn = self.turns[-1]
        calls, seconds = await make_calls(turn.turn, message, self.tools, self.heard)
        out_of_budget = any(call.answer.error == OUT_OF_BUDGET for call in calls)
        self.turns[-1] = turn.model_copy(update={"calls": calls, "seconds": turn.seconds + seconds})
        if not out_of_budget:
            self._keep()
        return Answers(
            [call.answer.shown for call in calls],
            sum(call.answer.dollars for call in calls),
            seconds,
            "budget" if out_of_budget else None,
        )

    async def replies(self, message: Message) -> Answers:
        """A message without calls is the last, unless it is sent back."""
        self._keep()
        return self._heard_out(message)

    def _heard_out(self, message: Message) -> Answers:
        """What follows a message without calls. It is sent back once at most, and where turns are left to do better."""
        if self.manner.cites and not self._sent_back and len(self.turns) <= self.max_turns - 2:
            calls = [call for turn in self.turns for call in turn.calls]
            if wrong := objection(str(message.get("content") or ""), calls):
                self._sent_back = True
                return Answers([wrong])
        return _ended(message)

    def _keep(self) -> None:
        if self.file is not None:
            self.file.append(self.turns[-1])

    def _tell(self, turn: Turn) -> None:
        """Say what the orchestrator said, and what the run has taken with it."""
        so_far = self.episode
        tokens = so_far.prompt_tokens + so_far.completion_tokens + turn.prompt_tokens + turn.completion_tokens
        spent, seconds = so_far.dollars + turn.dollars, so_far.seconds + turn.seconds
        self.heard(Said(turn.turn, turn.message, spent, tokens, seconds))


def final_answer(message: Message) -> str:
    """What a last message answers: after its last "Answer:", else the whole of it; never what was thought before."""
    if message.get("refusal"):
        return ""
    said = _THINKING.sub("", str(message.get("content") or ""), count=1)
    marked = list(_ANSWER.finditer(said))
    return said[marked[-1].end() :].strip() if marked else said.strip()


def _ended(message: Message) -> Answers:
    return Answers(ending="done" if final_answer(message) else "agent_error")
