"""Steps of others' chats keep every call and the dialogue before it, and the golden step earns ToolRL's full reward."""

import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.artifacts import Call
from toolscale.errors import UserError
from toolscale.questions.call_text import read_call_list
from toolscale.questions.steps import read_steps, steps_in
from toolscale.rewards.toolrl import Design

FIXTURES = Path(__file__).parents[1] / "fixtures" / "questions"


def golden_output(step):
    if not step.golden_calls:
        return "<think>No tool helps.</think>\n<response>I cannot tell.</response>"
    lines = [json.dumps({"name": call.name, "parameters": call.arguments}) for call in step.golden_calls]
    return "<think>I need it.</think>\n<tool_call>\n" + "\n".join(lines) + "\n</tool_call>"


@pytest.mark.parametrize("name", ["toolace.json", "xlam.json", "hammer.jsonl"])
def test_the_golden_step_earns_the_most_and_another_less(name):
    steps, _ = read_steps(str(FIXTURES / name))
    for step in steps:
        assert step.reward(golden_output(step)).final == 4.0
        idle = "<think>Hm.</think>\n<response>Sorry.</response>"
        called = '<think>Hm.</think>\n<tool_call>\n{"name": "nothing", "parameters": {}}\n</tool_call>'
        assert step.reward(idle if step.golden_calls else called).final < 1.0
        assert step.reward("I cannot tell.", Design(schedule="dynamic")).format < 0


def test_a_chat_of_toolace_gives_a_step_for_each_turn_of_the_assistant():
    steps, rejects = read_steps(str(FIXTURES / "toolace.json"))
    first, second, third, words = steps
    assert [call.name for call in first.golden_calls] == ["Tide Table", "ferry.search"]
    assert first.golden_calls[1].arguments == {
        "from": "Lerwick",
        "to": "Bressay",
        "vehicles": ["car", {"kind": "bike", "count": 2}],
    }
    assert [len(step.history) for step in (first, second, third)] == [1, 3, 5]
    assert (second.golden_calls, words.golden_calls) == ([], [])
    assert third.golden_calls[0].arguments["vehicles"] == []
    assert first.tools[0].parameters["type"] == "object"
    assert [reject.reasons[0] for reject in rejects] == [
        "a list of calls is not closed",
        "`Oban` is not a value",
        "the system prompt has no JSON list of functions",
    ]


def test_the_prompt_has_the_tools_the_format_and_the_dialogue_in_its_order():
    third = read_steps(str(FIXTURES / "toolace.json"))[0][2]
    system, user = (message["content"] for message in third.messages())
    assert '"Tide Table"' in system
    parts = ["User: When is high water", "<tool_call>", "<obs>", "06:40", "<response>High water", "User: Then look"]
    assert sorted(parts, key=user.index) == parts
    assert user.endswith("Write the next step.")


def test_xlam_and_hammer_are_read_with_what_may_be_left_out_and_with_no_call_at_all():
    steps, rejects = read_steps(str(FIXTURES / "xlam.json"))
    assert [len(step.golden_calls) for step in steps] == [2, 1]
    assert steps[0].tools[0].parameters["required"] == ["day"]
    assert steps[1].golden_calls == [Call(name="sunrise", arguments={"day": "2025-06-03", "latitude": 60.5})]
    assert "`planet_distance` is called and not offered" in rejects[0].reasons[0]
    assert "not JSON" in rejects[1].reasons[0]
    masked, irrelevant = read_steps(str(FIXTURES / "hammer.jsonl"))[0]
    assert masked.golden_calls[0].name == "fn_k3"
    assert irrelevant.golden_calls == []


def test_parquet_with_lists_instead_of_texts_gives_the_same_steps(tmp_path):
    rows = json.loads((FIXTURES / "toolace.json").read_text())
    pd.DataFrame(rows[:2]).to_parquet(tmp_path / "toolace.parquet")
    assert read_steps(str(tmp_path / "toolace.parquet"))[0] == read_steps(str(FIXTURES / "toolace.json"))[0]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"text": "a"}, "in no format of tool calls.*here are text"),
        ({"query": "a", "answers": "{}", "tools": "[]"}, "no row of use.*`answers` is an object"),
        ({"query": "a", "answers": "[]", "tools": [{"name": ""}]}, "has no name"),
        ({"system": '[{"name": "f"}]', "conversations": [{"from": "gpt", "value": "Hi"}]}, "speaks first"),
        ({"system": '[{"name": "f"}]', "conversations": [{"from": "crowd", "value": "Hi"}]}, "speaker `crowd`"),
        ({"system": '[{"name": "f"}]', "conversations": []}, "has no row of use"),
    ],
)
def test_what_is_no_step_is_refused_in_words(row, fault):
    with pytest.raises(UserError, match=fault):
        steps_in([row], "the set")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
ARGUMENTS = st.dictionaries(st.from_regex(r"[a-z][a-z_-]{0,8}", fullmatch=True), VALUES, max_size=3)


@given(st.lists(st.tuples(st.sampled_from(["Get It", "f", "a.b-c"]), ARGUMENTS), min_size=1, max_size=3), st.booleans())
def test_what_is_written_as_calls_is_read_as_the_same_calls(calls, in_python):
    write = repr if in_python else json.dumps
    told = ", ".join(
        f"{name}({', '.join(f'{key}={write(value)}' for key, value in arguments.items())})" for name, arguments in calls
    )
    found = read_call_list(f"[{told}]", ["f", "a.b-c", "Get It"])
    assert [(call.name, call.arguments) for call in found] == calls


@given(st.text(max_size=60))
def test_any_text_is_calls_words_or_a_value_error(text):
    for said in (text, f"[f({text}", f"[f({text})]"):
        try:
            found = read_call_list(said, ["f"])
        except ValueError:
            continue
        assert all(isinstance(call, Call) for call in found)


def test_a_call_of_what_is_not_offered_is_no_answer_in_words():
    with pytest.raises(ValueError, match="calls `g`, which is not offered"):
        read_call_list("[g(x=1)]", ["f"])
    assert read_call_list("[Note (see above)] It rains.", ["f"]) == []
