"""Writing a task: a teacher explores, drafts, and hears what is wrong with its draft while it can still mend it.

The teacher has the domain's functions as tools, on a scratch session: it can look around and try the solution out
before it writes the task down. A model without tool calling can still answer at once from the excerpt. A draft comes
back for its form, and for every program gate that refuses it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolscale.artifacts import Database, DatabaseSchema, EnvironmentSpec, Reject, Task
from toolscale.checkers import GateContext
from toolscale.environment import Sandbox, Session
from toolscale.episodes.loop import Answers, Episode, Spoken, play
from toolscale.episodes.tools import answers_of, in_session
from toolscale.llm import MalformedAnswer, Offer, Unanswerable
from toolscale.llm.typed import AnswerForm, sent_back
from toolscale.messages import Message
from toolscale.stages import Stage
from toolscale.synthesis.drafts import TaskDraft, as_task
from toolscale.synthesis.excerpt import Excerpts, database_in
from toolscale.synthesis.heard import Hearing, heard, shortened
from toolscale.synthesis.run import DomainRun

TURNS = 40
"""How many times the teacher may call functions before it must have answered."""

MALFORMED = 3
"""Answers without a draft's form after which a task is given up."""

DRAFTS = 3
"""Drafts that the gates refuse after which a task is given up. A slip in JSON does not count as one."""

EXCERPTS = (60, 90, 120, 180)
"""Entries of the excerpts that a teacher is shown before it gives up, each larger than the last; around an old task, so
many of the usual size."""

INFEASIBLE = "infeasible"
"""The check of a task of which its writer says that there can be none."""

_LONGEST_KEPT = 20_000
"""Characters of a refused draft that are kept."""


@dataclass(frozen=True)
class Writer:
    """Who writes: whoever a stage of the ledger asks, for an asset that keeps what was refused under its name."""

    asked_in: Stage
    refused_in: str
    problems: Callable[[TaskDraft], list[str]] = field(default=lambda draft: [])
    """What is wrong with a draft beside its form."""


PROPOSER = Writer("tasks", "tasks")


@dataclass(frozen=True)
class Desk:
    """Where a domain's tasks are written: the run, the gates in its environment, and excerpts of its database."""

    run: DomainRun
    context: GateContext
    excerpts: Excerpts

    @classmethod
    def at(cls, run: DomainRun, sandbox: Sandbox) -> "Desk":
        """A desk in the domain's environment."""
        schema = DatabaseSchema(domain=run.domain.name, json_schema=sandbox.spec.json_schema or {})
        return cls(run, GateContext(sandbox), Excerpts(schema, database_in(sandbox.spec)))

    @property
    def environment(self) -> EnvironmentSpec:
        """The environment that the tasks are for."""
        return self.context.sandbox.spec


class Round(NamedTuple):
    """A draft that the gates refused, with the answer that it stood in."""

    answer: str
    draft: TaskDraft
    hearing: Hearing


async def write_task(
    desk: Desk,
    writer: Writer,
    messages: list[Message],
    intent: str,
    *,
    parent: Task | None = None,
    sample: int = 0,
) -> Task | Reject:
    """Let the writer explore, and mend its draft until the program gates let it pass.

    The task carries their outcomes. A draft that is given again unchanged is the end: its writer has no better one. A
    last draft that attempts may show to be right is left to them.

    Raises:
        GatewayError: the model could not be had.
    """
    try:
        return await _written(desk, writer, messages, intent, parent, sample)
    except Unanswerable as error:
        return _reject(desk, writer, error.kind, error.reasons, raw=error.raw or None)


async def first_feasible(
    written: Callable[[Database], Awaitable[Task | Reject]], excerpts: Iterable[Database]
) -> Task | Reject:
    """What comes of the first excerpt that holds what it takes; the last one's refusal if none does."""
    for shown in excerpts:
        result = await written(shown)
        if not isinstance(result, Reject) or result.check != INFEASIBLE:
            break
    return result


async def _written(
    desk: Desk, writer: Writer, messages: list[Message], intent: str, parent: Task | None, sample: int
) -> Task | Reject:
    writing = _Writing(desk, writer, messages, intent, parent, sample)
    await play(writing, writing, writing.episode, max_turns=TURNS)
    return writing.result()


_FRESH = "The functions work on a fresh copy of the database again."

_OVER = Answers(ending="done")


class _Writing:
    """A task while it is written: the writer is the agent of an episode, and the user it talks to are the gates."""

    def __init__(
        self, desk: Desk, writer: Writer, messages: list[Message], intent: str, parent: Task | None, sample: int
    ) -> None:
        self.episode = Episode()
        self._desk, self._writer, self._messages = desk, writer, messages
        self._intent, self._parent, self._sample = intent, parent, sample
        self._sandbox = desk.context.sandbox
        self._session, self._offer = Session(self._sandbox), Offer.of(self._sandbox.spec.tools())
        self._answer, self._reasons = "", [f"no draft after {TURNS} turns"]
        self._cut_off = False
        self._malformed = 0
        self._refused: list[Round] = []
        self._settled: Task | Reject | None = None

    def hears(self, messages: Sequence[Message]) -> None:
        self._messages = [*self._messages, *messages]

    async def speaks(self) -> Spoken:
        """A message with calls, or an answer. In its last turn the writer is offered no functions: it must answer."""
        tools: Offer | list[dict[str, Any]] = self._offer if self.episode.turns < TURNS - 1 else []
        about = self._parent.id if self._parent else None
        reply = await self._desk.run.chat(self._writer.asked_in, self._messages, tools, task=about, sample=self._sample)
        if reply.message.get("tool_calls"):
            self._messages = [*self._messages, reply.message]
        else:
            self._answer, self._cut_off = reply.text, reply.finish_reason == "length"
        return Spoken(reply.message)

    async def answers(self, message: Message) -> Answers:
        return Answers(await answers_of(message, in_session(self._session)))

    async def replies(self, message: Message) -> Answers:
        """Let the gates judge the draft: it is settled, or sent back with what is wrong, or given up."""
        draft: TaskDraft
        draft, reasons = AnswerForm.of(TaskDraft).read(self._answer, cut_off=self._cut_off)
        self._reasons = reasons or self._writer.problems(draft)
        if self._reasons:
            self._malformed += 1
            return self._send_back()
        if draft.infeasible and not self._refused:
            said = f"{self._parent.id}: {draft.infeasible}" if self._parent else draft.infeasible
            self._settled = _reject(self._desk, self._writer, INFEASIBLE, [said])
            return _OVER
        if draft.infeasible or any(draft == earlier.draft for earlier in self._refused):
            return _OVER
        task = as_task(self._desk.run.domain.name, self._intent, draft, parent=self._parent)
        hearing = await asyncio.to_thread(heard, task, self._desk.context)
        if not hearing.reasons:
            self._settled = hearing.task
            return _OVER
        self._refused.append(Round(self._answer, draft, hearing))
        self._reasons, self._session = hearing.reasons, Session(self._sandbox)
        return self._send_back(f"{hearing.results}\n{_FRESH}")

    def result(self) -> Task | Reject:
        """What came of it.

        Raises:
            MalformedAnswer: no answer had the form of a draft.
        """
        if self._settled is not None:
            return self._settled
        if not self._refused:
            raise MalformedAnswer(self._answer, self._reasons)
        last = self._refused[-1].hearing
        if last.undecided:
            return last.task
        return _reject(self._desk, self._writer, last.check, last.reasons, raw=_history(self._refused))

    def _send_back(self, results: str = "") -> Answers:
        if self._malformed == MALFORMED or len(self._refused) == DRAFTS:
            return _OVER
        self._messages = sent_back(self._messages, self._answer, self._reasons, beside=results)
        return Answers()


def _history(refused: list[Round]) -> dict[str, Any]:
    """The last draft as a task, and every draft with the reasons against it."""
    rounds = [{"draft": shortened(each.answer, _LONGEST_KEPT), "reasons": each.hearing.reasons} for each in refused]
    return {**refused[-1].hearing.task.model_dump(mode="json", exclude={"examined"}), "rounds": rounds}


def _reject(desk: Desk, writer: Writer, check: str, reasons: list[str], raw: Any = None) -> Reject:
    return Reject(domain=desk.run.domain.name, stage=writer.refused_in, check=check, reasons=reasons, raw=raw)
