"""Stage: tasks. From intents, functions and the database to first tasks."""

from collections.abc import Collection, Sequence

from toolscale.artifacts import Database, Domain, EnvironmentSpec, Intent, Reject, Task
from toolscale.environment import Sandbox
from toolscale.prompts import render
from toolscale.synthesis.drafts import ANSWER_FORM
from toolscale.synthesis.operators import WORDS, asks_for_refusal
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import gathered
from toolscale.synthesis.writing import EXCERPTS, PROPOSER, TURNS, Desk, first_feasible, write_task


async def propose_tasks(
    run: DomainRun,
    environment: EnvironmentSpec,
    intents: list[Intent],
    *,
    before: int = 0,
    rare: Sequence[str] = (),
) -> Sifted[Task]:
    """First tasks: an instruction, the golden calls that solve it, and what the user must be told.

    The teacher writes each one for an intent and an excerpt of the database, and may try calls in a scratch session
    first. It hears the program gates while it can still fix its draft; a draft that never passes is a reject of this
    stage.

    Args:
        before: how many were proposed before; these go on from there.
        rare: functions that few of those call.
    """
    with Sandbox(environment) as sandbox:
        desk = Desk.at(run, sandbox)
        count = run.first_tasks
        drafts = [_propose(desk, intents[index % len(intents)], rare, before + index) for index in range(count)]
        drafted = await gathered(drafts, run.told)
    return without_doubles(run.domain, "tasks", drafted)


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
