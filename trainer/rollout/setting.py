"""What an episode is played on: who answers the agent's calls, and who judges what it did."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Protocol

from toolscale.artifacts import Call, CallOutcome, Verdict
from toolscale.checkers import GoldenReplay, judge
from toolscale.environment import Sandbox
from toolscale.episodes.loop import Answers, Ending, Setting
from toolscale.episodes.tools import answers_of
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.messages import Message
from toolscale.orchestration.run import final_answer
from toolscale.orchestration.trace import ToolCall
from toolscale.orchestration.turns import OUT_OF_BUDGET, make_calls
from toolscale.questions.outcome import outcome, same
from toolscale.questions.steps import Step
from toolscale.tools.functions import DomainFunctions, InThread
from toolscale.tools.tool import Tool
from trainer.rollout.tool_calls import AgentMessage
from trainer.tasks.exercise import Exercise, QuestionExercise

Reads = Callable[[str], AgentMessage]
"""Reads a message in the model's own format."""


class RolloutSetting(Setting, Protocol):
    """The other side of the loop, which also reads the agent's text and judges the episode."""

    def read(self, text: str) -> AgentMessage:
        """The message that the agent's text spells."""
        ...

    @property
    def calls(self) -> list[CallOutcome]:
        """All that were made."""
        ...

    async def judged(self, said: list[str], *, answered: bool) -> Verdict:
        """The verdict on an episode in which the agent said this; `answered` where it came to an end of its own."""
        ...


class _Alone:
    """There is nobody to talk to: a message without calls is the last."""

    async def replies(self, message: Message) -> Answers:
        """See `Setting.replies`."""
        return Answers(ending="done")


class DomainSetting(_Alone):
    """A domain's functions in the sandbox, a catalogue's tools beside them where there are any, and the checkers."""

    def __init__(
        self,
        exercise: Exercise,
        sandbox: Sandbox,
        golden: GoldenReplay,
        in_thread: InThread,
        slower: Callable[[], float],
        reads: Reads,
        tools: Sequence[Tool] = (),
    ) -> None:
        """`slower` draws the seconds that each call of a function takes longer."""
        self._reads = reads
        self._exercise, self._sandbox, self._golden = exercise, sandbox, golden
        self._in_thread, self._slower = in_thread, slower
        functions = DomainFunctions(sandbox, exercise.task.start, self._slowly)
        self._session = functions.session
        offered = [tool for tool in functions.tools if tool.spec.name in exercise.functions]
        self._beside = _ToolCalls([*offered, *tools]) if tools else None

    def read(self, text: str) -> AgentMessage:
        """See `RolloutSetting.read`."""
        return self._reads(text)

    async def answers(self, message: Message) -> Answers:
        """Functions one after the other: a later one may build on what an earlier one wrote; tools side by side."""
        answers = await (self._beside.make(message) if self._beside else self._make_all(message))
        ending: Ending | None = None if self._session.replay.alive else "environment_error"
        return replace(answers, ending=ending)

    @property
    def calls(self) -> list[CallOutcome]:
        """See `RolloutSetting.calls`."""
        return self._beside.outcomes if self._beside else list(self._session.replay.outcomes)

    async def judged(self, said: list[str], *, answered: bool) -> Verdict:
        """The paper's three criteria, on whatever was done."""
        calls = [Call(name=outcome.name, arguments=outcome.arguments) for outcome in self._session.replay.outcomes]
        verdict: Verdict = await self._in_thread(
            lambda: judge(self._sandbox, self._exercise.task, calls, said, self._golden)
        )
        return verdict

    async def _make_all(self, message: Message) -> Answers:
        started = time.perf_counter()
        contents = await answers_of(message, self._make)
        return Answers(contents, seconds=time.perf_counter() - started)

    async def _make(self, call: Call) -> CallOutcome | str:
        offered = self._exercise.functions
        if call.name not in offered and self._exercise.environment.function(call.name):
            # The environment has it, but this agent was not offered it: to the agent there is no such function.
            return f"there is no function `{call.name}`. There are: {', '.join(sorted(offered))}"
        outcome: CallOutcome = await self._slowly(lambda: self._session.call(call.name, call.arguments))
        return outcome

    async def _slowly(self, work: Callable[[], Any]) -> Any:
        if seconds := self._slower():
            await asyncio.sleep(seconds)
        return await self._in_thread(work)


class CatalogueSetting(_Alone):
    """The tools of a question's configuration, and its reference answer."""

    def __init__(
        self, exercise: QuestionExercise, reads: Reads, tools: Sequence[Tool], judging: Gateway | None = None
    ) -> None:
        """`judging` asks the judge model about answers that a program cannot decide; without it these are wrong."""
        self._reads = reads
        self._question = exercise.task.asks
        self._tools = _ToolCalls(tools)
        self._judging = judging

    def read(self, text: str) -> AgentMessage:
        """See `RolloutSetting.read`."""
        return self._reads(text)

    async def answers(self, message: Message) -> Answers:
        """All calls side by side, so that together they take as long as the longest."""
        return await self._tools.make(message)

    @property
    def calls(self) -> list[CallOutcome]:
        """See `RolloutSetting.calls`."""
        return self._tools.outcomes

    async def judged(self, said: list[str], *, answered: bool) -> Verdict:
        """Whether the last message says the reference answer."""
        answer = final_answer({"content": said[-1]}) if answered and said else ""
        if self._judging is not None:
            found = await outcome(self._question, answer, self._judging)
            return _verdict(found.solved, found.reason)
        solved = bool(answer) and same(self._question.answer, answer) is True
        return _verdict(solved, f"the answer is not known to equal {self._question.answer}")


@dataclass
class StepSetting(_Alone):
    """Nobody answers: one message, and ToolRL's reward says whether it is right."""

    step: Step
    calls: list[CallOutcome] = field(default_factory=list)

    def read(self, text: str) -> AgentMessage:
        """The text as it stands: what is wrong with its form is a matter of the reward."""
        return AgentMessage(text)

    async def answers(self, message: Message) -> Answers:
        """Never asked, since `read` finds no calls."""
        raise AssertionError("a single step has nobody to answer its calls")

    async def judged(self, said: list[str], *, answered: bool) -> Verdict:
        """Right where format and calls are."""
        solved = answered and bool(said) and self.step.is_right(said[-1])
        return _verdict(solved, "the step is not the golden one")


def drawn_slowness(bounds: tuple[float, float], seed: str) -> Callable[[], float]:
    """Seconds between two bounds, by the seed."""
    if not bounds[1]:
        return lambda: 0.0
    draw = Random(f"{seed}/latency")
    return lambda: draw.uniform(*bounds)


class _ToolCalls:
    """The calls of tools in one episode."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.spec.name: tool for tool in tools}
        self._made: list[ToolCall] = []

    async def make(self, message: Message) -> Answers:
        """Make every call of a message: those that only read side by side."""
        made, seconds = await make_calls(0, message, self._tools, lambda call: None)
        if any(call.answer.error == OUT_OF_BUDGET for call in made):
            raise UserError(
                "the budget for models as tools is spent: raise TOOLSCALE_MAX_COST, and continue with --resume"
            )
        self._made += made
        return Answers([call.answer.shown for call in made], sum(call.answer.dollars for call in made), seconds)

    @property
    def outcomes(self) -> list[CallOutcome]:
        """Of all that were made, in order."""
        return [self._outcome_of(call) for call in self._made]

    def _outcome_of(self, call: ToolCall) -> CallOutcome:
        made, error = {"name": call.tool, "arguments": call.arguments}, call.answer.error
        if error is not None:
            return CallOutcome.model_validate({**made, "error": error, "error_type": "ToolFailed"})
        # A function answers in JSON, as the agent reads it; what it gave is what that says.
        said = call.answer.content
        result = json.loads(said) if self._tools[call.tool].kind == "function" else said
        return CallOutcome.model_validate({**made, "result": result})


def _verdict(solved: bool, reason: str) -> Verdict:
    """There is no database to be right or wrong: the answer is what was to be told."""
    return Verdict(execution=True, fidelity=solved, completeness=True, reasons=[] if solved else [reason])
