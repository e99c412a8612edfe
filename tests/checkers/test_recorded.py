"""Reading trajectories and tasks that others wrote."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.artifacts import Call
from toolscale.checkers.recorded import BadTrajectoryError, parse_trajectory
from toolscale.checkers.task_file import read_tasks
from toolscale.errors import UserError

GET = Call(name="get_member", arguments={"member_id": "M-1"})
FIELDS = st.sampled_from(
    ["calls", "agent_messages", "messages", "role", "content", "tool_calls", "function", "name", "arguments", "text"]
)
TOOL_CALL = {"id": "c1", "type": "function", "function": {"name": "get_member", "arguments": '{"member_id": "M-1"}'}}


def parsed(**row: Any):  # type: ignore[no-untyped-def]
    return parse_trajectory(json.dumps({"task_id": "t", **row}))


def test_plain_calls_and_messages_are_read() -> None:
    read = parsed(calls=[{"name": "get_member", "arguments": {"member_id": "M-1"}}], agent_messages=["hello"])
    assert (read.task_id, read.calls, read.agent_messages, read.erring) == ("t", [GET], ["hello"], [])


def test_chat_messages_give_the_same_as_plain_calls() -> None:
    read = parsed(
        messages=[
            {"role": "system", "content": "policy"},
            {"role": "user", "content": "hi, I am M-1"},
            {"role": "assistant", "content": None, "tool_calls": [TOOL_CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "{}"},
            {"role": "assistant", "content": [{"type": "text", "text": "hello"}, {"type": "refusal", "refusal": "no"}]},
        ]
    )
    assert (read.calls, read.agent_messages) == ([GET], ["hello"])


def test_calls_and_agent_messages_go_before_messages() -> None:
    messages = [{"role": "assistant", "content": "from the chat", "tool_calls": [TOOL_CALL]}]
    assert parsed(calls=[], messages=messages).agent_messages == ["from the chat"]
    assert parsed(calls=[], messages=messages).calls == []
    assert parsed(agent_messages=["said"], messages=messages).calls == [GET]


@pytest.mark.parametrize("arguments", ['{"member_id": ', "[1]", "3", [1], '{"a": NaN}', 3])
def test_arguments_that_are_no_object_make_an_erring_call_and_no_bad_line(arguments: Any) -> None:
    read = parsed(calls=[{"name": "get_member", "arguments": arguments}, {"name": "hang"}])
    assert read.calls == [Call(name="hang")]
    assert len(read.erring) == 1
    assert read.erring[0].startswith("calls[0] `get_member`: the arguments are")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not JSON"),
        (b"\xff\xfe", "not valid Unicode"),
        ('{"task_id": "t", "agent_messages": ["\\ud800"]}', "not valid Unicode"),
        ("[" * 100_000, "too deep"),
        ('{"task_id": "t", "calls": NaN}', "NaN"),
        ("[]", "a JSON object"),
        ("{}", "no `task_id`"),
        ('{"task_id": ["t"]}', "`task_id` is a list"),
        ('{"task_id": "t"}', "neither"),
        ('{"task_id": "t", "calls": {}}', "`calls` is an object"),
        ('{"task_id": "t", "calls": ["get"]}', "`calls[0]` is a string"),
        ('{"task_id": "t", "calls": [{"arguments": {}}]}', "calls[0] `name` is null"),
        ('{"task_id": "t", "calls": [], "agent_messages": "hi"}', "`agent_messages` is a string"),
        ('{"task_id": "t", "calls": [], "agent_messages": [1]}', "agent_messages[0] is a number"),
        ('{"task_id": "t", "messages": [1]}', "`messages[0]` is a number"),
        ('{"task_id": "t", "messages": [{"role": "assistant", "content": 1}]}', "`messages[0]` is a number"),
        ('{"task_id": "t", "messages": [{"role": "assistant", "tool_calls": [1]}]}', "tool_calls[0]"),
        ('{"task_id": "t", "messages": [{"role": "assistant", "content": [{"type": "text", "text": 1}]}]}', "content"),
        ('{"task_id": "t", "messages": [{"role": "assistant", "content": [{"type": "text"}]}]}', "content"),
    ],
)
def test_a_bad_line_says_what_is_wrong(line: str | bytes, problem: str) -> None:
    with pytest.raises(BadTrajectoryError) as caught:
        parse_trajectory(line)
    assert problem in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(FIELDS, json_values, max_size=4))
def test_no_line_of_json_crashes_the_reader(row: dict[str, Any]) -> None:
    try:
        read = parse_trajectory(json.dumps({"task_id": "t", **row}))
    except BadTrajectoryError:
        return
    assert all(isinstance(call, Call) for call in read.calls)
    assert all(isinstance(message, str) for message in read.agent_messages)


def written(folder: Path, content: Any) -> Path:
    path = folder / "tasks.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_the_three_fields_are_enough(tmp_path: Path) -> None:
    rows = [{"id": "a", "golden_calls": [{"name": "get", "arguments": {"x": 1}}], "communicate_info": ["7"]}]
    for content in (rows, {"tasks": rows}):
        (task,) = read_tasks(written(tmp_path, content))
        assert (task.id, task.golden_calls[0].arguments, task.communicate_info) == ("a", {"x": 1}, ["7"])


def test_foreign_fields_and_arguments_as_text_are_read(tmp_path: Path) -> None:
    row = {
        "id": 3,
        "golden_calls": [{"name": "get", "arguments": '{"x": 1}', "note": "?"}],
        "communicate_info": None,
        "difficulty": "hard",
        "user_scenario": {"persona": None, "instructions": "Do it."},
    }
    (task,) = read_tasks(written(tmp_path, [row]))
    assert (task.id, task.golden_calls[0].arguments, task.instruction) == ("3", {"x": 1}, "Do it.")


def test_a_task_in_tau2_benchs_shape_is_read(tmp_path: Path) -> None:
    actions = [
        {"action_id": "1", "name": "get", "arguments": {"x": 1}, "info": None},
        {"action_id": "2", "name": "reboot", "arguments": {}, "requestor": "user"},
    ]
    row = {"id": "a", "evaluation_criteria": {"actions": actions, "communicate_info": ["7"]}}
    (task,) = read_tasks(written(tmp_path, [row]))
    assert [call.name for call in task.golden_calls] == ["get"]
    assert task.communicate_info == ["7"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "not JSON"),
        ("3", "not a list of tasks"),
        ([3], "task 0: not an object"),
        ([{"golden_calls": []}], "task 0: no `id`"),
        ([{"id": "a"}, {"id": "b", "golden_calls": 3}], "task 1 (b): `golden_calls` is not a list"),
        ([{"id": "a", "communicate_info": [], "tool": 1}], "no `golden_calls`"),
        ([{"id": "a", "golden_calls": [{}]}], "golden_calls[0] has no `name`"),
        ([{"id": "a", "golden_calls": [{"name": "get", "arguments": "{"}]}], "`get`: the arguments are not JSON"),
        ([{"id": "a", "golden_calls": [], "communicate_info": [7]}], "not a list of strings"),
        ([{"id": "a", "golden_calls": []}] * 2, "there twice"),
    ],
)
def test_a_bad_tasks_file_is_one_line_that_names_the_place(tmp_path: Path, content: Any, problem: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(UserError) as caught:
        read_tasks(path)
    assert problem in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
