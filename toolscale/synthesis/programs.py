"""Stage: programs. From intents to programs from which any number of tasks is drawn.

The teacher writes one for each intent. It is tried out at once (`program_trials.py`), and what fails goes back with the
reasons. One that stands its trial is read blind: somebody who has the words of two of its tasks, and the tools, must
come to the same end in both, or in one of them and in a third. Twists that are still at fault at the end are left out.
"""

import asyncio
from collections.abc import Sequence
from itertools import islice
from typing import Any, Literal, get_args

from pydantic import BaseModel, Field, model_validator

from toolscale.artifacts import (
    DatabaseSchema,
    EnvironmentSpec,
    FactKind,
    Intent,
    Name,
    Operator,
    ProgramAnswer,
    ProgramTwist,
    ProgramWording,
    Reject,
    Task,
    TaskProgram,
    canonical_json,
    content_id,
)
from toolscale.checkers import GateContext
from toolscale.environment import PRELOADED_MODULES, Sandbox
from toolscale.episodes.episode import run_episode
from toolscale.llm import MalformedAnswer, Unanswerable
from toolscale.messages import Message
from toolscale.programs import Workshop
from toolscale.prompts import render
from toolscale.synthesis.attempts import calls_of
from toolscale.synthesis.census import census
from toolscale.synthesis.excerpt import Excerpts, database_in
from toolscale.synthesis.heard import shortened
from toolscale.synthesis.operators import WORDS
from toolscale.synthesis.probe import probes
from toolscale.synthesis.program_trials import DIFFERING, DRAWS, Trial, tried
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import gathered

ROUNDS = 4
"""How often a program is asked for before the latest sound one is taken, or none."""

SOLVED = 2
"""Tasks of a program that a blind reader must bring to the golden end, of one more that are read if need be."""

TWISTS = 2
"""Sound twists with which a program is taken: those at fault beside them are left out, which costs no answer."""

INFEASIBLE = "infeasible"
"""The check of an intent of which the teacher says that no program can serve it."""

_SHOWN = 40
_PROBES = 60
_LONGEST_RESULT = 1_000
_ITEMS_SHOWN = 2
_LONGEST = 20_000


class ProgramDraft(BaseModel):
    """The teacher's answer: a program, or why there can be none."""

    name: Name | Literal[""] = ""
    user: Name | Literal[""] = ""
    answers: dict[str, ProgramAnswer] = {}
    wordings: list[ProgramWording] = []
    operator: Operator | None = None
    again: str = ""
    changes: str = ""
    corrections: list[str] = []
    twists: list[ProgramTwist] = Field(default=[])
    others: list[str] = []
    colour: list[str] = []
    source: str = ""
    infeasible: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> "ProgramDraft":
        missing = [name for name in ("name", "user", "wordings", "source") if not getattr(self, name)]
        if not self.infeasible and missing:
            raise ValueError(f"{', '.join(f'`{name}`' for name in missing)} missing, and nothing is said `infeasible`")
        return self


async def write_programs(run: DomainRun, environment: EnvironmentSpec, intents: list[Intent]) -> Sifted[TaskProgram]:
    """Programs that draw tasks from the records, word them and solve them; those refused are kept beside them.

    The teacher writes one for each intent. It is accepted only after it has run in the sandbox: it must draw often and
    differently enough, leave other users' records alone, say every fact that matters and nothing that is not so, its
    tasks must pass the gates, and somebody who reads up to three of them blind must bring two to their end.
    """
    if run.settings.task_source == "drafts":
        return Sifted([])
    with Sandbox(environment) as sandbox, Workshop(sandbox) as workshop:
        desk = _Desk(run, GateContext(sandbox), workshop, intents)
        written = await gathered([desk.written(intent) for intent in intents], run.told)
        kept: list[TaskProgram] = []
        rejects: list[Reject] = []
        taken: dict[tuple[str, ...], str] = {}
        for intent, first in zip(intents, written, strict=True):
            latest = first
            if first.program is not None and first.skeleton in taken:
                rejects.append(desk.reject("skeleton", [_alike(taken[first.skeleton])], first.program.model_dump()))
                latest = await desk.written(intent, first.skeleton)
            rejects += latest.rejects if latest is first else [*first.rejects, *latest.rejects]
            program = latest.program
            if program is None or latest.skeleton in taken:
                if program is not None:
                    rejects.append(desk.reject("skeleton", [_alike(taken[latest.skeleton])], program.model_dump()))
                continue
            taken[latest.skeleton] = program.name
            kept.append(_named_apart(program, kept))
        return Sifted(kept, rejects)


class Written:
    """A program while it is written, and what came of it: the sound one, if there was one, and what was refused."""

    def __init__(self, desk: "_Desk", intent: Intent) -> None:
        self.program: TaskProgram | None = None
        self.skeleton: tuple[str, ...] = ()
        self.rejects: list[Reject] = []
        self._desk = desk
        self._intent = intent
        self._sound: tuple[TaskProgram, Trial] | None = None
        """The latest program that can be had, if need be without some twists."""
        self._misread: dict[str, list[str]] = {}
        """Program -> what a blind reader did otherwise, of those that were read."""

    async def problems(self, draft: ProgramDraft) -> list[str]:
        """What is wrong with a draft: in its trial, in its twists, or for somebody who reads its tasks."""
        if draft.infeasible:
            return []
        program = program_of(self._intent.domain, self._intent, draft)
        trial = await self._desk.tried(program)
        if trial.problems:
            return trial.problems
        self._sound = program, trial
        if sum(twist.name not in trial.of_twists for twist in program.twists) < TWISTS and trial.of_twists:
            return [problem for each in trial.of_twists.values() for problem in each]
        return await self._read(program, trial)

    def refused(self, raw: str, reasons: list[str]) -> None:
        """Note an answer that went back."""
        self.rejects.append(self._desk.reject("program", reasons, shortened(raw, _LONGEST)))

    async def settle(self) -> None:
        """Take the latest sound program, without the twists that are still at fault, if it is read as it is meant."""
        if self._sound is not None and not await self._read(*self._sound):
            program, trial = self._sound
            self.program, self.skeleton = _without(program, trial.of_twists.keys()), trial.skeleton

    async def _read(self, program: TaskProgram, trial: Trial) -> list[str]:
        if program.id not in self._misread:
            self._misread[program.id] = await self._desk.misread(trial)
        return self._misread[program.id]


class _Desk:
    """Where a domain's programs are written: the run, the gates in its environment, and the workshop."""

    def __init__(self, run: DomainRun, context: GateContext, workshop: Workshop, intents: Sequence[Intent]) -> None:
        self.run = run
        self.context = context
        self.workshop = workshop
        self._intents = intents
        self._results = sample_results(context.sandbox, run.seed)

    async def written(self, intent: Intent, taken: Sequence[str] = ()) -> Written:
        """The program for an intent, which is to take another way than one that is taken."""
        found = Written(self, intent)
        try:
            draft = await self.run.typed(
                "programs",
                self._messages(intent, taken),
                ProgramDraft,
                task=intent.id,
                check=found.problems,
                on_refused=found.refused,
                rounds=ROUNDS,
            )
        except Unanswerable as error:
            if not isinstance(error, MalformedAnswer):
                found.rejects.append(self.reject(error.kind, error.reasons))
        else:
            if draft.infeasible:
                found.rejects.append(self.reject(INFEASIBLE, [f"{intent.purpose}: {draft.infeasible}"]))
                return found
        await found.settle()
        return found

    async def tried(self, program: TaskProgram) -> Trial:
        """What came of trying a program out."""
        return await asyncio.to_thread(tried, program, self.workshop, self.context, self.run.seed)

    def reject(self, check: str, reasons: Sequence[str], raw: Any = None) -> Reject:
        """A program that was refused."""
        return Reject(domain=self.run.domain.name, stage="programs", check=check, reasons=list(reasons), raw=raw)

    async def misread(self, trial: Trial) -> list[str]:
        """What a blind reader did otherwise, if that was too much: the tasks beyond two are read only to decide."""
        shown = to_read(trial)
        differences = [*await asyncio.gather(*map(self._reading, shown[:SOLVED]))]
        for task in shown[SOLVED:]:
            if 0 < sum(map(bool, differences)) < SOLVED:
                differences.append(await self._reading(task))
        read, solved = len(differences), sum(not each for each in differences)
        if solved >= min(SOLVED, len(shown)):
            return []
        return [
            f"somebody who read {read} of its tasks brought only {solved} to the golden end, at least {SOLVED} must "
            "be: let the words, the policy and `solve` say the same",
            *filter(None, differences),
        ]

    async def _reading(self, task: Task) -> str:
        """How a blind reader's end differs from a task's; empty if it does not."""
        trajectory = await run_episode(
            task,
            self.context.sandbox,
            self.run.gateway,
            stage="reading",
            max_turns=self.run.settings.max_turns,
            seed=self.run.seed,
        )
        verdict = await asyncio.to_thread(self.context.judge, task, calls_of(trajectory), trajectory.agent_messages)
        if verdict.solved:
            return ""
        made = ", ".join(f"{call.name}({call.arguments})" for call in calls_of(trajectory))
        golden = ", ".join(f"{call.name}({call.arguments})" for call in task.golden_calls)
        return (
            f"of {task.instruction!r} the reader made {shortened(made or 'no calls', 1500)}, the program "
            f"{shortened(golden, 1500)}: {'; '.join(verdict.reasons[:3])}"
        )

    def _messages(self, intent: Intent, taken: Sequence[str]) -> list[Message]:
        spec = self.context.sandbox.spec
        schema = DatabaseSchema(domain=spec.domain, json_schema=spec.json_schema or {})
        return render(
            "programs",
            domain=self.run.domain,
            policy=spec.policy,
            schema=schema.json_schema,
            functions=[function.model_dump(mode="json") for function in spec.functions],
            database=Excerpts(schema, database_in(spec)).draw(f"programs:{self.run.seed}", size=_SHOWN),
            counts=census(schema, database_in(spec)),
            results=self._results,
            kinds=get_args(FactKind),
            operators=WORDS,
            modules=PRELOADED_MODULES,
            draws=DRAWS,
            differing=DIFFERING,
            intents=self._intents,
            intent=intent,
            taken=", ".join(taken),
        )


def to_read(trial: Trial) -> list[Task]:
    """Tasks that are as unlike as may be: one as it is first drawn, one with a twist where there is one, another."""
    plain = [trial.tasks[at * len(trial.tasks) // 3] for at in range(3)] if len(trial.tasks) >= 3 else trial.tasks
    return [*plain[:1], *trial.twisted[:1], *plain[1:]][: SOLVED + 1]


def sample_results(sandbox: Sandbox, seed: int) -> dict[str, str]:
    """Function -> what a call of it on real records returned, cut short, so that authors know its form.

    Of the calls tried, one of whose result the fewest parts are empty: an empty list says nothing of what stands in it.
    """
    spec = sandbox.spec
    schema = DatabaseSchema(domain=spec.domain, json_schema=spec.json_schema or {})
    found: dict[str, str] = {}
    for function in spec.functions:
        tried_out = islice(probes(function, schema, database_in(spec), now=spec.now, seed=seed), _PROBES)
        fullest: tuple[int, Any] | None = None
        for call in tried_out:
            (outcome,) = sandbox.run([call]).outcomes
            if outcome.ok and outcome.result not in ([], {}, None):
                empty = _empty_parts(outcome.result)
                if fullest is None or empty < fullest[0]:
                    fullest = empty, outcome.result
                if not empty:
                    break
        if fullest is not None:
            found[function.name] = shortened(canonical_json(_fewer(fullest[1])), _LONGEST_RESULT)
    return found


def _empty_parts(result: Any) -> int:
    """How many lists and objects of a result hold nothing."""
    if not isinstance(result, dict | list):
        return 0
    parts = result.values() if isinstance(result, dict) else result
    return sum(map(_empty_parts, parts)) if result else 1


def _fewer(result: Any) -> Any:
    """A result with the first items of each list: they show its form, and what follows them has room."""
    if isinstance(result, list):
        more = len(result) - _ITEMS_SHOWN
        return [*map(_fewer, result[:_ITEMS_SHOWN]), *([f"and {more} more"] if more > 0 else [])]
    if isinstance(result, dict):
        return {name: _fewer(value) for name, value in result.items()}
    return result


def program_of(domain: str, intent: Intent, draft: ProgramDraft) -> TaskProgram:
    """The draft as a program.

    Raises:
        ValueError: a name is none.
    """
    return TaskProgram(
        id=content_id(f"{domain}-program", intent.purpose, draft.model_dump(mode="json")),
        domain=domain,
        intent=intent.purpose,
        **draft.model_dump(exclude={"infeasible"}),
    )


def _without(program: TaskProgram, faulty: Any) -> TaskProgram:
    """The program without the twists and hooks that are at fault."""
    return program.model_copy(
        update={
            "twists": [twist for twist in program.twists if twist.name not in faulty],
            **{hook: "" for hook in ("again", "changes") if hook in faulty},
        }
    )


def _named_apart(program: TaskProgram, others: Sequence[TaskProgram]) -> TaskProgram:
    """The program under a name that none of the others has."""
    names = {other.name for other in others}
    number, name = 2, program.name
    while name in names:
        name, number = f"{program.name[:58]}_{number}", number + 1
    return program.model_copy(update={"name": name})


def _alike(other: str) -> str:
    return f"it mostly calls the same functions in the same order, and answers the same, as `{other}`: take another way"
