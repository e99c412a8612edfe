"""Single steps of tool-calling chats as rows: the tools, the dialogue before, the golden step."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from toolscale.artifacts import Call, Reject
from toolscale.dataset.imported import ImportedConfig, read_imported, write_imported
from toolscale.dataset.rows import Row, as_json
from toolscale.questions.steps import OfferedFunction, Step, Utterance

CONFIG: ImportedConfig = "steps"

_CALL = pa.struct([("name", pa.string()), ("arguments", pa.string())])
_FUNCTION = pa.struct([(name, pa.string()) for name in ("name", "description", "parameters")])
_SAID = pa.struct(
    [("speaker", pa.string()), ("text", pa.string()), ("calls", pa.list_(_CALL)), ("thought", pa.string())]
)

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("tools", pa.list_(_FUNCTION)),
        ("history", pa.list_(_SAID)),
        ("golden_calls", pa.list_(_CALL)),
        ("response", pa.string()),
        ("thought", pa.string()),
        ("split", pa.string()),
    ]
)
"""Parameters and arguments are JSON strings, as everywhere in the dataset."""


def write_steps(
    folder: Path, steps: Sequence[Step], rejects: Sequence[Reject] = (), told: Sequence[str] = ()
) -> dict[str, int]:
    """Write a folder of steps, each in its split. Returns how many there are."""
    return write_imported(
        folder, CONFIG, SCHEMA, lambda split: (step_row(step) for step in steps if step.split == split), rejects, told
    )


def read_step_tasks(folder: Path) -> list[Step]:
    """The steps of a folder that `toolscale import --format steps` wrote, both splits.

    Raises:
        UserError: it holds none, or a row has another form.
    """
    return read_imported(folder, CONFIG, step_from)


def step_row(step: Step) -> Row:
    """A step as a row."""
    return {
        "id": step.id,
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": as_json(tool.parameters)}
            for tool in step.tools
        ],
        "history": [
            {
                "speaker": utterance.speaker,
                "text": utterance.text,
                "calls": [_call_row(call) for call in utterance.calls],
                "thought": utterance.thought,
            }
            for utterance in step.history
        ],
        "golden_calls": [_call_row(call) for call in step.golden_calls],
        "response": step.response,
        "thought": step.thought,
        "split": step.split,
    }


def step_from(row: Row) -> Step:
    """The step that a row was made of."""
    return Step(
        id=row["id"],
        tools=[OfferedFunction(**{**tool, "parameters": json.loads(tool["parameters"])}) for tool in row["tools"]],
        history=[
            Utterance(
                speaker=utterance["speaker"],
                text=utterance["text"],
                calls=[_call_from(call) for call in utterance["calls"]],
                thought=utterance["thought"],
            )
            for utterance in row["history"]
        ],
        golden_calls=[_call_from(call) for call in row["golden_calls"]],
        response=row["response"],
        thought=row["thought"],
        split=row["split"],
    )


def _call_row(call: Call) -> Row:
    return {"name": call.name, "arguments": as_json(call.arguments)}


def _call_from(row: Row) -> Call:
    return Call(name=row["name"], arguments=json.loads(row["arguments"]))
