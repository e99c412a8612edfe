"""Reworded requests keep what they stand for, or stay as the template has them."""

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
from toolscale.synthesis.rewording import Reworded, _prompt, losses, reworded

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


def same(task: Task, text: str | None = None) -> Reworded:
    asked = {f"q{place}": words for place, words in enumerate(task.asked.values(), start=1)}
    return Reworded(number=1, text=text_of(task) if text is None else text, asked=asked)


def lost(task: Task, said: Reworded) -> list[str]:
    return list(losses(task, said, FACTS))


def test_the_templates_own_words_lose_nothing(tasks):
    assert [lost(task, same(task)) for task in tasks] == [[] for _ in tasks]


def test_a_fact_that_is_gone_or_new_is_noticed(tasks):
    for task in tasks:
        hire = task.lineage.goals[0].facts["hire_id"]
        above = f"{task.lineage.goals[1].bound.figure:g}"
        assert any(hire in each for each in lost(task, same(task, text_of(task).replace(hire, "it"))))
        assert any("is gone" in each for each in lost(task, same(task, text_of(task).replace(above, "that"))))
        for added in (" It is for 2 June.", " Ask for Mr Henderson.", " I paid 12.50 for it.", " See HI-9999 as well."):
            assert any("is new" in each for each in lost(task, same(task, text_of(task) + added)))


def test_a_condition_or_a_question_that_is_gone_is_noticed(tasks):
    for task in tasks:
        without = text_of(task).replace(f"{task.lineage.goals[1].bound.figure:g}", "a sum")
        assert any("hangs on" in each for each in lost(task, same(task, without)))
        asked = next(iter(task.asked.values()))
        assert any("nothing asks" in each for each in lost(task, same(task, text_of(task).replace(asked, "go on"))))


def test_the_prompt_shows_the_wishes_apart_and_what_the_records_are_called(run_on, bench, tasks):
    run, _ = run_on(lambda request: "never asked")
    (shown,) = json.loads(_prompt(run, FACTS, tasks[:1])[1]["content"].split("```")[1].removeprefix("json"))
    assert shown["wishes"] == text_of(tasks[0]).splitlines()
    assert set(shown["called"]) == {goal.facts["hire_id"] for goal in tasks[0].lineage.goals}


def text_in(shown) -> str:
    return "\n".join(shown["wishes"])


def rewording(request, text):
    """What a model that rewords each request by a function answers with."""
    shown = json.loads(request["messages"][1]["content"].partition("```json\n")[2].partition("\n```")[0])
    answers = [{"number": each["number"], "text": text(each), "asked": each["asked"]} for each in shown]
    return json.dumps({"requests": answers})


async def test_requests_are_reworded_ten_in_a_call_and_meet_the_gates_again(run_on, bench, tasks):
    run, server = run_on(lambda request: rewording(request, lambda each: f"Right, here goes. {text_in(each)} Cheers"))
    found = await reworded(run, bench[1], tasks)
    assert len(server.requests) == 2
    assert [text_of(task) for task in found] == [f"Right, here goes. {text_of(task)} Cheers" for task in tasks]
    assert all(task.lineage.reworded and task.examined for task in found)
    assert {task.id for task in found}.isdisjoint(task.id for task in tasks)
    assert [task.golden_calls for task in found] == [task.golden_calls for task in tasks]


async def test_more_tasks_or_one_less_keep_the_words_of_those_that_were_reworded(run_on, bench, tasks):
    calls = iter(range(9))

    def otherwise_each_time(request):
        call = next(calls)
        return rewording(request, lambda each: f"{text_in(each)} {'Really, ' * call}thanks.")

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
        return text_in(each) + (" And book HI-1 for 3 May." if each["number"] % 2 else " Cheers")

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
