"""A rewording is taken if it says the same: on requests that programs drew, as people put them, well and badly.

Of the faithful ones a few are refused, which costs variety only; of the others hardly any is taken.
"""

import json
from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.programs import tool_hire
from tests.reference.rehearsal import Stage
from toolscale.artifacts import Task
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.restated import Restated, differences, true_names

FOLDER = Path(__file__).parent / "restated"
REWORDINGS = yaml.safe_load((FOLDER / "rewordings.yaml").read_text(encoding="utf-8"))
TASKS = {
    row.pop("name"): Task.model_validate(row)
    for row in map(json.loads, (FOLDER / "tasks.jsonl").read_text(encoding="utf-8").splitlines())
}


@cache
def facts_of(domain: str) -> EnvironmentFacts:
    if domain == "tool_hire":
        return EnvironmentFacts(tool_hire.environment())
    stage = Stage(domain)
    stage.sandbox.close()
    return EnvironmentFacts(stage.sandbox.spec)


def found(task: Task, text: str, asked: list[str]) -> list[str]:
    said = Restated(text, dict(zip(task.asked, asked, strict=True)))
    return list(differences(task, said, facts_of(task.domain)))


def taken(kind: str) -> tuple[int, int]:
    results = [found(TASKS[each["task"]], each["text"], each["asked"]) for each in REWORDINGS[kind]]
    return sum(not result for result in results), len(results)


def test_nine_of_ten_faithful_rewordings_are_taken():
    count, of = taken("faithful")
    assert of >= 80
    assert count >= 0.9 * of


def test_hardly_any_rewording_that_adds_or_inverts_is_taken():
    count, of = taken("bad")
    assert of >= 80
    assert count <= 0.02 * of


@pytest.mark.parametrize("name", TASKS)
def test_a_request_in_its_own_words_says_the_same(name):
    task = TASKS[name]
    assert found(task, task.user_scenario.instructions.reason_for_call, list(task.asked.values())) == []


SAME_LIMIT = [
    "If it was over 40 a day, keep HI-7117 for me for another three days",
    "Only if it was more than 40, give me three more days on HI-7117",
    "Unless it was 40 at most, I want three more days on HI-7117",
    "Give me three more days on HI-7117, but not if it was at most 40",
    "Provided it exceeds 40, I want three more days on HI-7117",
    "If it did not come to more than 40, forget the rest; otherwise three more days on HI-7117",
]
OTHER_LIMIT = [
    "If it was under 40 a day, keep HI-7117 for me for another three days",
    "Only if it was at most 40, give me three more days on HI-7117",
    "Unless it was more than 40, I want three more days on HI-7117",
    "Give me three more days on HI-7117, but not if it was over 40",
    "Three more days on HI-7117, and 40 is what I paid",
]


def hanging() -> Task:
    """A task of two wishes, the second of which hangs on what the first comes to."""
    return next(task for task in TASKS.values() if task.domain == "tool_hire" and task.lineage.goals[-1].bound)


@pytest.mark.parametrize("said", SAME_LIMIT)
def test_a_limit_may_be_put_in_any_words_with_the_same_side(said):
    text = f"HI-7260 is back, can you close the hire? What did it cost per day? {said}, and tell me the new date."
    assert found(hanging(), text, ["What did it cost per day"]) == []


@pytest.mark.parametrize("said", OTHER_LIMIT)
def test_a_limit_with_the_other_side_is_another(said):
    text = f"HI-7260 is back, can you close the hire? What did it cost per day? {said}, and tell me the new date."
    assert found(hanging(), text, ["What did it cost per day"]) != []


def test_names_of_the_records_that_ids_stand_for_may_be_said_and_no_others():
    task = hanging()
    assert true_names(task, facts_of("tool_hire")) == {"HI-7117": ["ladder"], "HI-7260": ["wacker plate"]}
    text = task.user_scenario.instructions.reason_for_call
    asked = list(task.asked.values())
    assert found(task, text.replace("HI-7117", "HI-7117, the ladder,"), asked) == []
    assert found(task, text.replace("HI-7117", "HI-7117, the wet saw,"), asked) == ["'wet saw' is new"]
    assert found(task, f"Henderson will not mind. {text}", asked) == ["'Henderson' is new"]
