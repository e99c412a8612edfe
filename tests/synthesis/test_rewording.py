"""Requests in their users' voices keep what they stand for, or stay as the template has them."""

import json
from dataclasses import replace

import pytest

from tests.programs.tool_hire import environment, program, returning
from toolscale.artifacts import Task
from toolscale.checkers import GateContext
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.environment import Sandbox
from toolscale.programs import Workshop
from toolscale.programs.compose import harder
from toolscale.synthesis.composed import goal_of, task_of
from toolscale.synthesis.heard import heard
from toolscale.synthesis.rewording import Reworded, _prompt, in_other_words, reworded

FACTS = EnvironmentFacts(environment())
PROGRAMS = {each.name: each for each in (program(), returning())}


@pytest.fixture(scope="module")
def bench():
    with Sandbox(environment()) as sandbox, Workshop(sandbox) as workshop:
        yield workshop, GateContext(sandbox)


@pytest.fixture(scope="module")
def tasks(bench):
    """Twelve tasks, each of one goal and what hangs on its fee."""
    workshop, context = bench
    found = []
    for number in range(40):
        (facts,) = workshop.draw(PROGRAMS["bring_back"], [str(number)])
        goal = goal_of(PROGRAMS["bring_back"], str(number), facts)
        for each in harder(workshop, PROGRAMS, [goal], "condition", str(number)):
            solution = workshop.solve(PROGRAMS, each.goals)
            task = task_of("tool_hire", PROGRAMS, each.goals, solution, seed=str(number))
            if not (hearing := heard(task, context)).reasons:
                found.append(hearing.task)
            break
        if len(found) == 12:
            return found
    raise AssertionError("too few tasks are sound")


def text_of(task: Task) -> str:
    return task.user_scenario.instructions.reason_for_call


def test_the_prompt_shows_each_piece_and_what_joins_them_now(run_on, bench, tasks):
    run, _ = run_on(lambda request: "never asked")
    prompt = _prompt(run, FACTS, tasks[:1])[1]["content"]
    (shown,) = json.loads(prompt.split("```")[1].removeprefix("json"))
    assert shown["own"][0] == "at the start"
    found = shown["now"]
    for mark, words in shown["pieces"].items():
        found = found.replace(f"{{{mark}}}", words)
    assert found.casefold() == text_of(tasks[0]).casefold()
    assert shown["alone"]
    assert "umbrella" in prompt
    assert "ladder" not in prompt.partition("Requests:")[0]


async def test_words_kept_from_before_there_were_pieces_are_read_and_leave_the_template(bench, tasks):
    old = Reworded.model_validate_json('{"number": 1, "text": "Take HI-1 back.", "asked": {"q1": "what it was"}}')
    assert in_other_words(tasks[0], old, bench[1]) == tasks[0]


def rewording(request, text):
    """What a model that rewords each request by a function answers with."""
    shown = json.loads(request["messages"][1]["content"].partition("```json\n")[2].partition("\n```")[0])
    return json.dumps({"requests": [{"number": each["number"], "text": text(each)} for each in shown]})


async def test_requests_are_reworded_ten_in_a_call_and_meet_the_gates_again(run_on, bench, tasks):
    run, server = run_on(lambda request: rewording(request, lambda each: f"What a mess. {each['now']} Cheers"))
    found = await reworded(run, bench[1], tasks)
    assert len(server.requests) == 2
    assert [text_of(task) for task in found] == [f"What a mess. {text_of(task)} Cheers" for task in tasks]
    assert all(task.lineage.reworded and task.examined for task in found)
    assert {task.id for task in found}.isdisjoint(task.id for task in tasks)
    assert [task.golden_calls for task in found] == [task.golden_calls for task in tasks]


async def test_more_tasks_or_one_less_keep_the_words_of_those_that_were_reworded(run_on, bench, tasks):
    calls = iter(range(9))

    def otherwise_each_time(request):
        call = next(calls)
        return rewording(request, lambda each: f"{each['now']} {'Oh well. ' * call}Thanks.")

    run, server = run_on(otherwise_each_time)
    few = await reworded(run, bench[1], tasks[:4])
    more = await reworded(run, bench[1], tasks[1:])
    assert len(server.requests) == 2
    assert more[:3] == few[1:]
    assert await reworded(run, bench[1], tasks) == few[:1] + more
    assert len(server.requests) == 2
    other = replace(run, settings=run.settings.model_copy(update={"seed": 1}))
    assert await reworded(other, bench[1], tasks[:4]) != few
    assert len(server.requests) == 3


async def test_words_that_do_not_hold_leave_the_template_as_it_is(run_on, bench, tasks):
    def half(each):
        return each["now"] + (" And book HI-1 for 3 May." if each["number"] % 2 else " Cheers")

    run, _ = run_on(lambda request: rewording(request, half))
    found = await reworded(run, bench[1], tasks)
    assert [task.lineage.reworded for task in found] == [bool(number % 2) for number in range(10)] + [False, True]
    assert [new == old for new, old in zip(found, tasks, strict=True)] == [not task.lineage.reworded for task in found]


async def test_a_model_that_will_not_reword_loses_no_task(run_on, bench, tasks):
    run, server = run_on(lambda request: "I would rather not.")
    assert await reworded(run, bench[1], tasks) == tasks
    assert len(server.requests) >= 4


async def test_tasks_that_no_program_drew_are_left_alone(run_on, bench, tasks):
    run, server = run_on(lambda request: "never asked")
    drafted = [task.model_copy(update={"lineage": task.lineage.model_copy(update={"goals": []})}) for task in tasks]
    assert await reworded(run, bench[1], drafted) == drafted
    assert server.requests == []
