"""Composition adds one thing, for the same user, and what comes of it can be solved and said."""

import random
import re

import pytest

from tests.programs.tool_hire import program, returning
from toolscale.artifacts import OPERATORS, Task
from toolscale.programs import Dead, Solution
from toolscale.programs.compose import MOST_GOALS, MOST_REPEATS, harder
from toolscale.programs.words import words
from toolscale.synthesis.composed import goal_of, task_of

REFUSING = {
    "name": "extend_again",
    "operator": "refusal",
    "answers": {"due": {"kind": "date", "called": "the day of return"}},
    "again": "",
    "changes": "",
    "twists": [],
    "wordings": [
        {
            "persona": f"Person {number}.",
            "text": text,
            "known": "{member_id}",
            "asks": {"due": "when is it due"},
        }
        for number, text in enumerate(
            (
                "Extend {hire_id} once more, and if that is against your rules: when is it due?",
                "Another extension for {hire_id}! If you will not, when is it due?",
                "I know that {hire_id} was extended before. Again, please, or else say when is it due.",
            )
        )
    ],
    "source": """
def draw(db, rng):
    mine = [h for _, h in sorted(db["hires"].items()) if h["status"] == "running"]
    hire = rng.choice(mine) if mine else None
    return hire and {"member_id": hire["member_id"], "hire_id": hire["hire_id"]}


def solve(call, facts):
    return {"due": call("get_hire", hire_id=facts["hire_id"])["due_on"]}
""",
}
PROGRAMS = {each.name: each for each in (program(), returning(), program(**REFUSING))}


def first_goals(workshop, name, count=12):
    for number in range(count):
        (facts,) = workshop.draw(PROGRAMS[name], [f"s{number}"])
        yield goal_of(PROGRAMS[name], f"s{number}", facts)


def size(goals):
    """How many things were added to a first request."""
    return sum(
        1 + len(goal.twists) + len(goal.repeats) + len(goal.totals) + (goal.at_first is not None) for goal in goals
    )


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_adds_one_thing_for_the_same_user(workshop, name, operator):
    for goal in first_goals(workshop, name, 4):
        for found in harder(workshop, PROGRAMS, [goal], operator, "seed"):
            assert found.operator == operator
            assert size(found.goals) == 2
            assert {each.facts["member_id"] for each in found.goals} == {goal.facts["member_id"]}


def test_all_that_the_programs_declare_can_be_added(workshop):
    met = {
        operator
        for name in PROGRAMS
        for goal in first_goals(workshop, name, 6)
        for operator in OPERATORS
        for _ in harder(workshop, PROGRAMS, [goal], operator, "seed")
    }
    assert met >= {"second_goal", "refusal", "entities", "change_of_mind", "lookup", "missing", "condition", "recovery"}


def test_any_depth_can_be_solved_said_and_made_again(workshop):
    reached = 0
    for goal in first_goals(workshop, "extend_hire", 6):
        rng, goals = random.Random(3), (goal,)
        for depth in range(6):
            operators = rng.sample(OPERATORS, len(OPERATORS))
            ways = (way for each in operators for way in harder(workshop, PROGRAMS, goals, each, f"{depth}"))
            deeper = next((way for way in ways if isinstance(workshop.solve(PROGRAMS, way.goals), Solution)), None)
            if deeper is None:
                break
            goals = deeper.goals
            solution = workshop.solve(PROGRAMS, goals)
            task = task_of("tool_hire", PROGRAMS, goals, solution, seed="x")
            assert isinstance(task, Task)
            assert task == task_of("tool_hire", PROGRAMS, goals, workshop.solve(PROGRAMS, goals), seed="x")
            assert workshop.environment.run(task.golden_calls, fresh=True).ok
            assert all(words_ in task.instruction for words_ in task.asked.values())
            reached = max(reached, depth + 1)
        assert len(goals) <= MOST_GOALS
        assert all(len(each.repeats) <= MOST_REPEATS for each in goals)
    assert reached >= 4


def test_what_hangs_on_a_bound_is_done_only_if_the_figure_is_above_it(workshop):
    done = set()
    for goal in first_goals(workshop, "bring_back"):
        for found in harder(workshop, PROGRAMS, [goal], "condition", goal.draw):
            second = found.goals[-1]
            if second.joined != "if":
                continue
            solution = workshop.solve(PROGRAMS, found.goals)
            if isinstance(solution, Dead):
                continue
            fee = next(each.value for each in solution.told if each.goal == 0)
            followed = any(each.goal == 1 for each in solution.told)
            bound = second.bound
            assert followed == (fee > bound.above if bound.above is not None else fee < bound.below)
            said = words(PROGRAMS, found.goals, random.Random(0), 0).text
            assert f"{bound.figure:g}" in said
            done.add(followed)
    assert done == {True, False}


OF_MEMBERS = {
    "name": "list_what_runs",
    "answers": {"next": {"kind": "id", "called": "what runs"}},
    "again": "",
    "changes": "",
    "twists": [],
    "wordings": [
        {"persona": f"{who}.", "text": f"{who} asks what runs", "known": "{member_id}", "asks": {"next": "what runs"}}
        for who in ("Somebody", "Someone", "One")
    ],
    "source": """
def draw(db, rng):
    return {"member_id": rng.choice(sorted(db["members"]))}


def solve(call, facts):
    running = call("list_hires", member_id=facts["member_id"], status="running")
    return {"next": best(running, lambda h: h["due_on"])["hire_id"]}
""",
}


def test_nothing_hangs_on_the_figure_of_what_it_has_nothing_to_do_with(workshop):
    programs = {each.name: each for each in (returning(), program(**OF_MEMBERS))}
    for goal in first_goals(workshop, "bring_back"):
        assert [found.added for found in harder(workshop, programs, [goal], "condition", goal.draw)] == []


def test_what_is_corrected_could_be_had_and_comes_to_something_else(workshop):
    corrected = 0
    for goal in first_goals(workshop, "extend_hire"):
        for found in harder(workshop, PROGRAMS, [goal], "change_of_mind", goal.draw):
            (right,) = found.goals
            wrong = right.model_copy(update={"facts": {**right.facts, "days": right.at_first}, "at_first": None})
            one, other = (workshop.solve(PROGRAMS, [each]) for each in (right, wrong))
            assert isinstance(one, Solution)
            assert isinstance(other, Solution)
            assert one.told != other.told
            corrected += 1
    assert corrected


def test_one_person_speaks_from_beginning_to_end(workshop):
    texts = []
    for goal in first_goals(workshop, "extend_hire"):
        for operator in ("second_goal", "condition"):
            for found in harder(workshop, PROGRAMS, [goal], operator, goal.draw):
                texts += [words(PROGRAMS, found.goals, random.Random(number), number).text for number in range(6)]
    further = [line for text in texts for line in text.splitlines()[1:]]
    assert len({line.split(".")[0] for line in further}) > 8
    for line in further:
        assert "Hi!" not in line
        assert not re.search(r": [A-Z](?!\w*-)", line.split("hire")[0])


def test_another_request_is_about_another_record_unless_it_stands_in_for_the_first(workshop):
    for operator in ("second_goal", "recovery"):
        for goal in first_goals(workshop, "extend_again"):
            for found in harder(workshop, PROGRAMS, [goal], operator, "seed"):
                same = found.goals[1].facts["hire_id"] == goal.facts["hire_id"]
                assert same == (operator == "recovery")
                assert found.goals[1].joined == ("instead" if same else "also")


def test_a_total_is_the_sum_of_what_each_turn_was_told(workshop):
    for goal in first_goals(workshop, "bring_back"):
        for again in harder(workshop, PROGRAMS, [goal], "entities", "seed"):
            for total in harder(workshop, PROGRAMS, again.goals, "computed", "seed"):
                solution = workshop.solve(PROGRAMS, total.goals)
                task = task_of("tool_hire", PROGRAMS, total.goals, solution, seed="x")
                wanted = round(sum(each.value for each in solution.told), 2)
                assert str(wanted) in task.communicate_info
                return
    raise AssertionError("no request could be repeated")
