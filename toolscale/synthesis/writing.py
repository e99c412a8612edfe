"""Writing a task: a teacher explores, drafts, and hears what is wrong with its draft while it can still mend it.

The teacher has the domain's functions as tools, on a scratch session: it can look around and try the solution out
before it writes the task down. A model without tool calling can still answer at once from the excerpt. A draft comes
back for its form, and for every program gate that refuses it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolscale.artifacts import Database, DatabaseSchema, EnvironmentSpec, Reject, Task
from toolscale.checkers import GateContext
from toolscale.environment import Sandbox, Session
from toolscale.episodes.tools import answer_tool_calls
from toolscale.llm import MalformedAnswer, Offer, Unanswerable
from toolscale.llm.typed import AnswerForm, sent_back
from toolscale.prompts import Message
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
    sandbox = desk.context.sandbox
    session, offer, form = Session(sandbox), Offer.of(sandbox.spec.tools()), AnswerForm.of(TaskDraft)
    refused: list[Round] = []
    malformed = 0
    text, reasons = "", [f"no draft after {TURNS} turns"]
    for turn in range(TURNS):
        tools: Offer | list[dict[str, Any]] = offer if turn < TURNS - 1 else []
        about = parent.id if parent else None
        reply = await desk.run.chat(writer.asked_in, messages, tools, task=about, sample=sample)
        if reply.message.get("tool_calls"):
            messages = [*messages, reply.message, *await answer_tool_calls(reply.message, session)]
            continue
        text, results = reply.text, ""
        draft: TaskDraft
        draft, reasons = form.read(text, cut_off=reply.finish_reason == "length")
        reasons = reasons or writer.problems(draft)
        if reasons:
            malformed += 1
        elif draft.infeasible and not refused:
            said = f"{parent.id}: {draft.infeasible}" if parent else draft.infeasible
            return _reject(desk, writer, INFEASIBLE, [said])
        elif draft.infeasible or any(draft == earlier.draft for earlier in refused):
            break
        else:
            task = as_task(desk.run.domain.name, intent, draft, parent=parent)
            hearing = await asyncio.to_thread(heard, task, desk.context)
            if not hearing.reasons:
                return hearing.task
            refused.append(Round(text, draft, hearing))
            reasons, results = hearing.reasons, f"{hearing.results}\n{_FRESH}"
            session = Session(sandbox)
        if malformed == MALFORMED or len(refused) == DRAFTS:
            break
        messages = sent_back(messages, text, reasons, beside=results)
    if not refused:
        raise MalformedAnswer(text, reasons)
    last = refused[-1].hearing
    if last.undecided:
        return last.task
    return _reject(desk, writer, last.check, last.reasons, raw=_history(refused))


_FRESH = "The functions work on a fresh copy of the database again."


def _history(refused: list[Round]) -> dict[str, Any]:
    """The last draft as a task, and every draft with the reasons against it."""
    rounds = [{"draft": shortened(each.answer, _LONGEST_KEPT), "reasons": each.hearing.reasons} for each in refused]
    return {**refused[-1].hearing.task.model_dump(mode="json", exclude={"examined"}), "rounds": rounds}


def _reject(desk: Desk, writer: Writer, check: str, reasons: list[str], raw: Any = None) -> Reject:
    return Reject(domain=desk.run.domain.name, stage=writer.refused_in, check=check, reasons=reasons, raw=raw)
