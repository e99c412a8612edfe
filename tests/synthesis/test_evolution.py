"""A harder task is asked to have what the old one lacks."""

from toolscale.artifacts import Task
from toolscale.synthesis.evolution import KINDS, kinds_wanted

TASKS = [Task(id=f"shop-{number}") for number in range(60)]


def test_a_teacher_is_asked_for_a_kind_that_the_old_task_lacks():
    for task in TASKS:
        wanted = kinds_wanted(task, ["look-up", "arithmetic", "recovery"])
        assert {*wanted} == {*KINDS.values()} - {KINDS["arithmetic"], KINDS["recovery"]}


def test_every_kind_comes_first_for_some_tasks_and_always_the_same_for_one():
    first = [kinds_wanted(task, [])[0] for task in TASKS]
    assert {*first} == {*KINDS.values()}
    assert first == [kinds_wanted(task, [])[0] for task in TASKS]


def test_a_task_that_has_every_kind_may_have_any_again():
    assert {*kinds_wanted(TASKS[0], [*KINDS])} == {*KINDS.values()}
