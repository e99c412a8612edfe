"""Tasks of task programs: goals, solved in a workshop and put into words."""

import json
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from toolscale.artifacts import Facts, Goal, Lineage, Operator, Task, TaskProgram, Told
from toolscale.programs import Dead, Solution
from toolscale.programs.words import Words, words
from toolscale.synthesis.drafts import DraftCall, DraftFact, TaskDraft, as_task


def task_of(
    domain: str,
    programs: Mapping[str, TaskProgram],
    goals: Sequence[Goal],
    solution: Solution,
    *,
    seed: str,
    operator: Operator | None = None,
    added: str = "",
    parent: Task | None = None,
) -> Task | Dead:
    """The task of goals and their solution, in words that follow from the seed; or why there are no such words."""
    rng = Random(f"words {seed}")
    wording = rng.randrange(1 << 16)
    if parent is not None and parent.user_scenario is not None:
        wording = _wording_of(programs[goals[0].program], parent.user_scenario.persona, wording)
    try:
        said = words(programs, goals, rng, wording)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
        return Dead(f"a wording cannot be filled in: {type(error).__name__}: {error}", fault=True)
    if same := _same_answers(goals, solution.told):
        return Dead(f"two answers are the same, {same}: one that is told would do for both")
    draft = TaskDraft(
        persona=said.persona,
        reason_for_call=said.text,
        known_info=said.known,
        golden_calls=[DraftCall(name=call.name, arguments=dict(call.arguments)) for call in solution.made],
        communicate_info=list(_facts(programs, goals, solution.told, said)),
        nl_assertions=[programs[goal.program].intent for goal in goals],
        operator=operator or "",
        added=added,
    )
    task = as_task(domain, programs[goals[0].program].intent, draft, parent=parent)
    lineage: Lineage = task.lineage.model_copy(update={"goals": list(goals)})
    return task.model_copy(update={"lineage": lineage})


def goal_of(program: TaskProgram, seed: str, facts: Facts) -> Goal:
    """What was drawn, as a goal."""
    return Goal(program=program.name, draw=seed, facts=facts)


def _same_answers(goals: Sequence[Goal], told: Sequence[Told]) -> str:
    """A value that answers two questions, if there is one; what is repeated may well come to the same."""
    asked_by: dict[str, set[tuple[str, str]]] = {}
    for each in told:
        asked_by.setdefault(_written(each.value), set()).add((goals[each.goal].program, each.name))
    return next((value for value, askers in asked_by.items() if len(askers) > 1), "")


def _facts(
    programs: Mapping[str, TaskProgram], goals: Sequence[Goal], told: Sequence[Told], said: Words
) -> Iterator[DraftFact]:
    """What the user must be told, each fact once, with the words that ask for it."""
    facts: dict[str, DraftFact] = {}
    for each in told:
        program = programs[goals[each.goal].program]
        twists = [twist.name for twist in goals[each.goal].twists]
        askers = (each.twist, *twists) if each.twist else (*twists, "")  # a twist may ask what `solve` then answers
        asked = next((said.asked[place] for by in askers if (place := (each.goal, by, each.name)) in said.asked), "")
        fact = DraftFact(fact=_written(each.value), kind=program.answers[each.name].kind, asked=asked)
        facts.setdefault(fact.fact, fact)
    for (goal, name), asked in said.totals.items():
        values = [each.value for each in told if (each.goal, each.twist, each.name) == (goal, "", name)]
        total = round(sum(value for value in values if isinstance(value, int | float)), 2)
        kind = programs[goals[goal].program].answers[name].kind
        facts.setdefault(_written(total), DraftFact(fact=_written(total), kind=kind, asked=asked))
    yield from facts.values()


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _wording_of(program: TaskProgram, persona: str, otherwise: int) -> int:
    """The number of the wording that a persona speaks in."""
    return next((at for at, each in enumerate(program.wordings) if each.persona == persona), otherwise)
