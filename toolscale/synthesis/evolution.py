"""Stage: evolved_tasks. From tasks to harder ones: one complication more a round."""

import asyncio
from collections.abc import Sequence
from random import Random

from toolscale.artifacts import OPERATORS, Database, EnvironmentSpec, Operator, Reject, Task, TaskProgram
from toolscale.checkers import examined
from toolscale.checkers.said import fact_of
from toolscale.environment import Sandbox
from toolscale.programs import Workshop
from toolscale.prompts import render
from toolscale.synthesis.drafts import ANSWER_FORM, TaskDraft
from toolscale.synthesis.drawing import Drawing
from toolscale.synthesis.operators import WORDS, drawn
from toolscale.synthesis.rewording import reworded
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import gathered
from toolscale.synthesis.tasks import without_doubles
from toolscale.synthesis.writing import EXCERPTS, TURNS, Desk, Writer, first_feasible, write_task

_SHOWN = {"user_scenario", "golden_calls", "limits", "nl_assertions"}
"""Of the old task, what its evolver sees as it stands."""


def _names_its_operator(draft: TaskDraft) -> list[str]:
    if draft.operator or draft.infeasible:
        return []
    return [f"`operator` is empty: name the one that you used, of {', '.join(OPERATORS)}"]


EVOLVER = Writer("evolution", "evolved_tasks", _names_its_operator)


async def evolve_tasks(
    run: DomainRun, environment: EnvironmentSpec, programs: list[TaskProgram], tasks: list[Task]
) -> Sifted[Task]:
    """The tasks made harder: one complication per round.

    What programs drew is composed by code with more of what they can draw for the same user. For the rest the evolver
    is asked for an operator by name (a condition, a refusal, something to work out) and says which one it
    used. It hears the program gates as the teacher does. The first tasks stay as well.
    """
    kept: list[Task] = []
    rejects: list[Reject] = []
    with Sandbox(environment) as sandbox, Workshop(sandbox) as workshop:
        desk = Desk.at(run, sandbox)
        drawing = Drawing(desk, workshop, programs)
        latest = await _sound(desk, tasks)
        for _ in range(run.evolution_rounds):
            harder = [
                drawing.made_harder(task, _operators(run, task)) if drawing.draws(task) else _evolve(desk, task)
                for task in latest
            ]
            drafted = await reworded(run, desk.context, await gathered(harder, run.told))
            known = {task.id for task in (*tasks, *kept)}
            sifted = without_doubles(run.domain, "evolved_tasks", drafted, known)
            latest = sifted.kept
            kept += sifted.kept
            rejects += sifted.rejects
    return Sifted(kept, rejects)


def _operators(run: DomainRun, task: Task) -> list[Operator]:
    """The operators of the mix in the order in which they are tried: what weighs more comes rather first."""
    mix = {operator: weight for operator, weight in run.settings.operators.items() if weight > 0}
    rng = Random(f"operators {run.seed} {task.id}")
    return sorted(mix, key=lambda operator: (rng.random() ** (1 / mix[operator]), operator), reverse=True)


async def _sound(desk: Desk, tasks: Sequence[Task]) -> list[Task]:
    """The tasks that pass the program gates: a child of any other would have to be mended before it is made harder."""
    met = [await asyncio.to_thread(examined, task, desk.context) for task in tasks]
    return [task for task in met if task.rejected_by is None]


def _facts_as_asked_for(task: Task) -> list[dict[str, str]]:
    """The facts to tell in the form in which an author writes them."""
    kinds = {fact: task.fact_kinds.get(fact) or fact_of(fact).kind for fact in task.communicate_info}
    return [{"fact": fact, "kind": kind, "asked": task.asked.get(fact, "")} for fact, kind in kinds.items()]


async def _evolve(desk: Desk, task: Task) -> Task | Reject:
    run = desk.run
    touched = (await asyncio.to_thread(desk.context.golden, task)).replay.operated

    async def written(database: Database) -> Task | Reject:
        messages = render(
            "evolution",
            domain=run.domain,
            policy=desk.environment.policy,
            operators=WORDS,
            answer_form=ANSWER_FORM,
            turns=TURNS,
            database=database,
            task={**task.model_dump(mode="json", include=_SHOWN), "communicate_info": _facts_as_asked_for(task)},
            operator=drawn(run.settings.operators, run.seed, task.id),
        )
        return await write_task(desk, EVOLVER, messages, task.intent, parent=task)

    around = sorted(touched)
    excerpts = (desk.excerpts.draw(f"{run.seed}:{task.id}:{turn}", focus=around) for turn in range(len(EXCERPTS)))
    return await first_feasible(written, excerpts)
