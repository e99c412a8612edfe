"""Stage: tasks. From intents, functions and the database to first tasks."""

from collections.abc import Collection, Sequence

from toolscale.artifacts import Database, Domain, EnvironmentSpec, Intent, Reject, Task
from toolscale.environment import Sandbox
from toolscale.llm import Gateway
from toolscale.prompts import render
from toolscale.settings import REFUSALS
from toolscale.synthesis.drafts import ANSWER_FORM
from toolscale.synthesis.operators import WORDS, asks_for_refusal
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import Told, gathered, unheard
from toolscale.synthesis.writing import EXCERPTS, PROPOSER, TURNS, Desk, first_feasible, write_task


async def propose_tasks(
    domain: Domain,
    environment: EnvironmentSpec,
    intents: Sequence[Intent],
    gateway: Gateway,
    *,
    count: int,
    first: int = 0,
    refusals: float = REFUSALS,
    rare: Sequence[str] = (),
    seed: int = 0,
    told: Told = unheard,
) -> Sifted[Task]:
    """`count` first tasks, the intents taken in turn, each from an excerpt of its own.

    Those that are kept passed the program gates. Doubles are refused. A share of `refusals` is asked for a wish that
    the policy forbids. `first` counts those that were proposed before; `rare` names functions that few of them call.
    """
    with Sandbox(environment) as sandbox:
        desk = Desk.at(domain, environment, sandbox, gateway, seed)
        drafts = [
            _propose(desk, intents[index % len(intents)], refusals, rare, first + index) for index in range(count)
        ]
        drafted = await gathered(drafts, told)
    return without_doubles(domain, "tasks", drafted)


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


async def _propose(desk: Desk, intent: Intent, refusals: float, rare: Sequence[str], index: int) -> Task | Reject:
    async def written(shown: Database) -> Task | Reject:
        messages = render(
            "tasks",
            domain=desk.domain,
            policy=desk.environment.policy,
            answer_form=ANSWER_FORM,
            turns=TURNS,
            database=shown,
            intent=intent,
            refusal=WORDS["refusal"] if asks_for_refusal(refusals, desk.seed, index) else "",
            rare=rare,
        )
        return await write_task(desk, PROPOSER, messages, intent.purpose, sample=index)

    drawn = (desk.excerpts.draw(f"{desk.seed}:{index}:{turn}", size) for turn, size in enumerate(EXCERPTS))
    return await first_feasible(written, drawn)
