"""Stage: tasks. From programs, intents and the database to first tasks."""

import math
from collections.abc import Collection, Sequence

from toolscale.artifacts import Database, Domain, EnvironmentSpec, Intent, Reject, Task, TaskProgram
from toolscale.environment import Sandbox
from toolscale.errors import UserError
from toolscale.programs import Workshop
from toolscale.prompts import render
from toolscale.synthesis.drafts import ANSWER_FORM
from toolscale.synthesis.drawing import Drawing
from toolscale.synthesis.operators import WORDS, asks_for_refusal
from toolscale.synthesis.rewording import reworded
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import gathered
from toolscale.synthesis.writing import EXCERPTS, PROPOSER, TURNS, Desk, first_feasible, write_task


async def propose_tasks(
    run: DomainRun,
    environment: EnvironmentSpec,
    intents: list[Intent],
    programs: list[TaskProgram],
    *,
    before: int = 0,
    rare: Sequence[str] = (),
) -> Sifted[Task]:
    """First tasks: an instruction, the golden calls that solve it, and what the user must be told.

    Programs draw most of them: they pick records, word the request and solve it, and another role rewords them. The
    rest the teacher writes one by one, for an intent and an excerpt of the database; it may try calls in a scratch
    session first, and hears the program gates while it can still fix its draft. What never passes is a reject.

    Args:
        before: how many were proposed before; these go on from there.
        rare: functions that few of those call.
    """
    with Sandbox(environment) as sandbox, Workshop(sandbox) as workshop:
        desk, count = Desk.at(run, sandbox), run.first_tasks
        drawing = Drawing(desk, workshop, programs)
        drafts = [
            drawing.first(before + index, program)
            if (program := _program_of(run, programs, before + index))
            else _propose(desk, intents[index % len(intents)], rare, before + index)
            for index in range(count)
        ]
        drafted = await reworded(run, desk.context, await gathered(drafts, run.told))
    return without_doubles(run.domain, "tasks", drafted)


def _program_of(run: DomainRun, programs: Sequence[TaskProgram], index: int) -> TaskProgram | None:
    """The program that draws the first task of that number; None where the teacher is to draft it.

    Raises:
        UserError: only programs are to draw tasks, and there are none.
    """
    source = run.settings.task_source
    if source == "programs" and not programs:
        raise UserError(
            f"no task program of `{run.domain.name}` was accepted, and `task_source` is `programs`: see the rejects of "
            "the asset `programs`, or let the teacher draft tasks with --task-source both"
        )
    share = {"programs": 1.0, "drafts": 0.0, "both": run.settings.program_share}[source] if programs else 0.0
    drawn_before = math.floor(index * share)
    if math.floor((index + 1) * share) == drawn_before:
        return None
    return programs[drawn_before % len(programs)]


def without_doubles(
    domain: Domain, stage: str, drafted: Sequence[Task | Reject], known: Collection[str] = ()
) -> Sifted[Task]:
    """The tasks, each once: a second task with the same id, or one whose id is known already, is refused."""
    kept: dict[str, Task] = {}
    rejects: list[Reject] = []
    for result in drafted:
        if isinstance(result, Reject):
            rejects.append(result)
        elif result.id in kept or result.id in known:
            rejects.append(
                Reject(domain=domain.name, stage=stage, check="double", reasons=[f"the same task as {result.id}"])
            )
        else:
            kept[result.id] = result
    return Sifted(list(kept.values()), rejects)


async def _propose(desk: Desk, intent: Intent, rare: Sequence[str], index: int) -> Task | Reject:
    async def written(shown: Database) -> Task | Reject:
        messages = render(
            "tasks",
            domain=desk.run.domain,
            policy=desk.environment.policy,
            answer_form=ANSWER_FORM,
            turns=TURNS,
            database=shown,
            intent=intent,
            refusal=WORDS["refusal"] if asks_for_refusal(desk.run.settings.refusals, desk.run.seed, index) else "",
            rare=rare,
        )
        return await write_task(desk, PROPOSER, messages, intent.purpose, sample=index)

    drawn = (desk.excerpts.draw(f"{desk.run.seed}:{index}:{turn}", size) for turn, size in enumerate(EXCERPTS))
    return await first_feasible(written, drawn)
