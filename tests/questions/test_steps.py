"""Steps of others' chats keep every call and the dialogue before it, and the golden step earns ToolRL's full reward."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.artifacts import Call
from toolscale.errors import UserError
from toolscale.evaluation.benchmarks.steps import StepProblem
from toolscale.questions.call_text import read_call_list
from toolscale.questions.step_sets import read_steps, steps_in
from toolscale.questions.steps import Step
from toolscale.rewards.toolrl import Design

FIXTURES = Path(__file__).parents[1] / "fixtures" / "questions"


@pytest.mark.parametrize("name", ["toolace.json", "xlam.json", "hammer.jsonl", "rlla.json"])
def test_the_golden_step_earns_the_most_and_another_less(name):
    steps, _ = read_steps(str(FIXTURES / name))
    for step in steps:
        if step.golden_output is None:
            assert (name, step.golden_calls) == ("hammer.jsonl", []), "nobody recorded the words of this refusal"
        else:
            assert step.reward(step.golden_output).final == 4.0
        idle = "<think>Hm.</think>\n<response>Sorry.</response>"
        called = '<think>Hm.</think>\n<tool_call>\n{"name": "nothing", "parameters": {}}\n</tool_call>'
        assert step.reward(idle if step.golden_calls else called).final < 1.0
        assert step.reward("I cannot tell.", Design(schedule="dynamic")).format < 0


def test_a_step_is_right_with_exactly_the_golden_calls_though_a_surplus_one_costs_no_reward():
    (step, *_) = read_steps(str(FIXTURES / "xlam.json"))[0]
    golden = step.golden_output
    *before, call, closing = golden.split("\n")
    other = json.dumps({"name": json.loads(call)["name"], "parameters": {}})
    surplus, twice = ("\n".join([*before, call, line, closing]) for line in (other, call))
    for output in (surplus, twice):
        assert step.reward(output).final == 4.0, "the paper's formulas"
        assert not step.is_right(output)
        assert not StepProblem(step).judged(output).solved
    assert step.is_right(golden)
    assert StepProblem(step).judged(golden).solved
    assert StepProblem(step).judged(golden.removeprefix("<think>")).solved, "the format decides nothing there"


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
    assert system.startswith("You are a helpful dialogue assistant capable of leveraging tool calls to solve")
    assert "1. Name: Tide Table\nDescription: High and low water at a harbour.\nParameters: {" in system
    assert '\nRequired: ["harbour"]\n2. Name: ferry.search\n' in system
    assert "\n</tool_call>\n<response> AI's final response </response>\n```\n" in system
    parts = ["<user> When is high", "<think> ", "<tool_call>", "<obs> ", "06:40", "<response> High", "<user> Then look"]
    assert sorted(parts, key=user.index) == parts
    assert user.startswith("**Dialogue History**\n<user> ")
    assert user.endswith(" </user>")


def test_the_prompt_of_toolrls_data_is_read_and_written_again_word_for_word():
    row = json.loads((FIXTURES / "rlla.json").read_text())[1]
    escaped = {"How many days.": "\\u00b1 a day.", '"Lerwick"': '"L\\u00e9rwick"', '"Bressay"': '"Bress\\u00e5"'}
    for plain, other in escaped.items():
        row = {name: text.replace(plain, other) for name, text in row.items()}
    (step,), _ = steps_in([row], "here")
    assert step.golden_calls[1].arguments == {"harbour": "Bresså"}
    system, user = (message["content"] for message in step.messages())
    tools = re.compile(r"following tools:\n.*?\n\n\*\*Steps for Each Turn", re.DOTALL)
    assert tools.search(system)[0] == tools.search(row["instruction"])[0]
    assert user == row["input"].replace("Dialogue Records History", "Dialogue History")
    assert step.golden_output == row["output"]
    assert (step.thought, step.response[:16]) == ("A ferry is wanted.", "I look for ferri")
    assert step.history[1].thought == "I should look."


def test_toolrls_data_is_read_as_verl_has_it_too_and_keeps_its_split(tmp_path):
    raw = json.loads((FIXTURES / "rlla.json").read_text())
    rows = [
        {
            "data_source": "rlla",
            "prompt": [
                {"role": "system", "content": row["instruction"]},
                {"role": "user", "content": row["input"]},
            ],
            "reward_model": {"ground_truth": row["output"], "style": "rule"},
            "extra_info": {"split": "test" if place == 1 else "train", "index": place},
        }
        for place, row in enumerate(raw)
    ]
    pd.DataFrame(rows).to_parquet(tmp_path / "train.parquet")
    steps, rejects = read_steps(str(tmp_path / "train.parquet"))
    known, refused = read_steps(str(FIXTURES / "rlla.json"))
    assert [step.split for step in steps] == ["train", "eval", "train"]
    assert [step.model_copy(update={"split": "train"}) for step in steps] == known
    assert [one.reasons for one in rejects] == [one.reasons for one in refused]
    assert [one.reasons[0] for one in refused] == [
        "`moon` is called and not offered",
        "`Hello <user> Hi </user>` is no field of a dialogue",
        "the system prompt lists no tools as ToolRL's does",
        "the golden output is not made of ToolRL's fields",
    ]


def test_a_thought_that_speaks_of_fields_opens_none_when_it_is_imitated():
    first = read_steps(str(FIXTURES / "rlla.json"))[0][0]
    assert "<tool_call>" in first.thought
    assert first.golden_output.count("<tool_call>") == 1
    assert "`tool_call` comes next, then maybe a response." in first.golden_output


def test_one_step_thought_of_twice_is_one_step():
    row = json.loads((FIXTURES / "rlla.json").read_text())[0]
    other = {**row, "output": row["output"].replace("Lerwick is a harbour.", "Let me see.")}
    steps, _ = steps_in([row, other], "here")
    assert [step.thought[-11:] for step in steps] == ["Let me see."]


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


HOSTILE = st.sampled_from(["<think>", "</think>", "</tool_call>", "<response>", "</user>", "<obs>", "{", "\n", "a"])


@given(
    st.lists(st.tuples(st.sampled_from(["Get It", "f"]), ARGUMENTS), max_size=2),
    st.lists(HOSTILE, max_size=6).map("".join),
    st.lists(HOSTILE, min_size=1, max_size=6).map("".join),
)
def test_the_golden_output_is_well_formed_whatever_texts_and_values_say(calls, thought, said):
    golden = [Call(name=name, arguments={**arguments, "text": said}) for name, arguments in calls]
    step = Step(id="", tools=[], history=[], golden_calls=golden, response="" if calls else said, thought=thought)
    if said.strip():
        assert step.reward(step.golden_output).final == 4.0


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
