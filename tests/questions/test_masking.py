"""Masked steps have other names and are otherwise the same: what was right is right, and a chat shares its names."""

import json
import re
from pathlib import Path

import pytest

from toolscale.questions.masking import NAME_LENGTHS, PARAMETER_LENGTHS, SIGNS, masked
from toolscale.questions.step_sets import read_steps

FIXTURES = Path(__file__).parents[1] / "fixtures" / "questions"


@pytest.fixture(params=["toolace.json", "xlam.json", "hammer.jsonl", "rlla.json"])
def steps(request):
    return read_steps(str(FIXTURES / request.param))[0]


def properties(tool):
    return tool.parameters["properties"]


def test_names_are_hammers_random_signs_and_all_else_stays(steps):
    for before, after in zip(steps, masked(steps, 1.0, 0), strict=True):
        for tool, other in zip(before.tools, after.tools, strict=True):
            assert re.fullmatch(rf"[{SIGNS}]{{{NAME_LENGTHS[0]},{NAME_LENGTHS[1]}}}", other.name)
            assert tool.name != other.name
            assert tool.description == other.description
            assert list(properties(tool).values()) == list(properties(other).values())
            for name in properties(other):
                assert re.fullmatch(rf"[{SIGNS}]{{{PARAMETER_LENGTHS[0]},{PARAMETER_LENGTHS[1]}}}", name)
            assert len(tool.parameters["required"]) == len(set(other.parameters["required"]) & set(properties(other)))
        values = [list(call.arguments.values()) for call in before.golden_calls]
        assert [list(call.arguments.values()) for call in after.golden_calls] == values
        assert after.response == before.response


def test_what_is_called_is_what_is_offered_under_its_new_names(steps):
    for step in masked(steps, 1.0, 0):
        offered = {tool.name: set(properties(tool)) for tool in step.tools}
        said = [call for utterance in step.history for call in utterance.calls]
        for call in [*step.golden_calls, *said]:
            assert set(call.arguments) <= offered[call.name]
        if step.golden_output is not None:
            assert step.reward(step.golden_output).final == 4.0


def test_the_steps_of_a_chat_share_their_names_and_ids_follow_from_them():
    first, _, third, _ = read_steps(str(FIXTURES / "toolace.json"))[0]
    one, other = masked([first, third], 1.0, 0)
    assert one.tools == other.tools
    assert one.family == other.family != first.family
    assert one.id != first.id
    (results,) = [said.text for said in other.history if said.speaker == "tool"]
    assert [result["name"] for result in json.loads(results)] == [tool.name for tool in one.tools]


def test_the_seed_decides_the_names_and_who_is_masked(steps):
    assert masked(steps, 0.5, 3) == masked(steps, 0.5, 3)
    assert masked(steps, 1.0, 3) != masked(steps, 1.0, 4)
    assert masked(steps, 0.0, 3) == steps


def test_a_thought_that_speaks_of_the_old_names_is_not_kept():
    steps = read_steps(str(FIXTURES / "rlla.json"))[0]
    assert all(step.thought for step in steps)
    for step in masked(steps, 1.0, 0):
        assert step.thought == ""
        assert not any(said.thought for said in step.history)
