"""Rows are lossless: what comes out of Parquet is what went in, and a trajectory is a chat that anybody can use."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionToolParam
from pydantic import TypeAdapter

from tests.dataset.small import BROKEN_CALLS, FIRST, SPOKEN, WORLD
from tests.dataset.strategies import ENVIRONMENTS, TASKS
from toolscale.artifacts import Reject, Task
from toolscale.dataset.chats import chat_row, prompt_row, system_prompt, whole_chat
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.lessons import every_call_reads
from toolscale.dataset.rows import (
    environment_from,
    environment_id,
    environment_row,
    reject_row,
    rejected_task,
    task_from,
    task_row,
)


def through_parquet(config, *rows):
    """The rows, written and read as a dataset's file is."""
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows), schema=SCHEMAS[config]), file)
    return pq.ParquetFile(file).read(use_threads=False).to_pylist()


@given(TASKS, TASKS)
@settings(max_examples=60, deadline=None)
def test_a_task_comes_back_from_its_row_whatever_the_row_beside_it(task, other):
    row, _ = through_parquet("tasks", task_row(task, "world"), task_row(other, "world"))
    assert task_from(row, task.gates) == task
    assert task_from(row, task.gates).model_dump_json() == task.model_dump_json()


def test_a_row_of_before_facts_were_asked_for_and_calls_pruned_is_read():
    row, _ = through_parquet("tasks", task_row(FIRST, "world"), task_row(FIRST, "world"))
    del row["asked"], row["limits"], row["lineage"]["pruned"]
    assert task_from(row, FIRST.gates) == FIRST


@given(ENVIRONMENTS)
@settings(max_examples=60, deadline=None)
def test_an_environment_comes_back_from_its_row_with_the_same_id(environment):
    (row,) = through_parquet("environments", environment_row(environment))
    assert environment_from(row).model_dump_json() == environment.model_dump_json()
    assert environment_id(environment_from(row)) == row["id"]


@given(TASKS.map(lambda task: task.model_copy(update={"domain": "shop"})))
@settings(max_examples=30, deadline=None)
def test_a_rejected_task_is_kept_whole_with_the_gate_that_refused_it(task):
    (row,) = through_parquet("rejects", reject_row(rejected_task(task)))
    refusal = next((gate for gate in task.gates if not gate.passed), None)
    assert type(task).model_validate_json(row["raw"]) == task
    assert row["check"] == (refusal.gate if refusal else "not tested")
    assert row["reasons"] == (refusal.reasons if refusal else [])


@pytest.mark.parametrize("raw", [None, "plain text", '{"cut', {"entries": {"t": {"k": {"é": [None, 1.5]}}}}])
def test_what_was_refused_is_kept_as_it_came(raw):
    reject = Reject(domain="shop", stage="entries", check="form", reasons=[], raw=raw)
    (row,) = through_parquet("rejects", reject_row(reject))
    assert json.loads(row["raw"]) == raw


def test_a_trajectory_is_a_chat_that_openai_would_accept():
    (prompt,) = through_parquet("prompts", prompt_row("shop", system_prompt(SPOKEN.messages), WORLD.tools()))
    (row,) = through_parquet("trajectories", chat_row(SPOKEN, prompt))
    assert row["messages"][0]["role"] == "user"
    row = whole_chat(row, {prompt["id"]: prompt})
    messages = [{name: value for name, value in message.items() if value is not None} for message in row["messages"]]
    TypeAdapter(list[ChatCompletionMessageParam]).validate_python(messages)
    TypeAdapter(list[ChatCompletionToolParam]).validate_python(json.loads(row["tools"]))
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]
    called = [call for message in messages for call in message.get("tool_calls", [])]
    assert [json.loads(call["function"]["arguments"]) for call in called] == [{"order_id": "O-1"}, {}]
    answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert answered == [call["id"] for call in called]
    assert "tool_calls" not in messages[-1]
    assert [outcome["name"] for outcome in json.loads(row["calls"])] == [outcome.name for outcome in SPOKEN.calls]


@pytest.mark.parametrize("trajectory", BROKEN_CALLS, ids=lambda trajectory: trajectory.task_id)
def test_a_call_that_no_reader_could_read_is_noticed(trajectory):
    assert every_call_reads(SPOKEN)
    assert not every_call_reads(trajectory)


def test_kinds_of_facts_go_along_and_older_rows_have_none():
    task = Task(id="t", communicate_info=["74.0", "3"], fact_kinds={"74.0": "amount", "3": "count"})
    row = task_row(task, "e")
    assert row["evaluation_criteria"]["communicate_info"] == ["74.0", "3"]
    assert row["fact_kinds"] == [{"fact": "74.0", "kind": "amount"}, {"fact": "3", "kind": "count"}]
    assert task_from(row) == task
    del row["fact_kinds"]
    assert task_from(row).fact_kinds == {}
