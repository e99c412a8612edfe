"""Columns of what the assets store, as Dagster's pages describe them: from the artifacts' own fields."""

import inspect
import typing
from collections.abc import Iterator
from typing import Any

import dagster as dg
from pydantic import BaseModel

from pipelines.storage import column_type
from toolscale.dataset.columns import COLUMNS

_WORDS = {
    "id": "Follows from the content: the same inputs give the same id.",
    "domain": "The domain, which is also the partition.",
    "name": "Its name, which no other of the domain has.",
    "description": "What it is for, as an agent reads it.",
    "kind": "`read` changes nothing; `write` changes something.",
    "table": "The table of the database that holds it.",
    "key": "Under which the table holds it.",
    "record": "The fields and their values.",
    "purpose": "What the user wants to achieve.",
    "intent": "The purpose that the task serves.",
    "golden_calls": "The calls of the reference solution, in order.",
    "gates": "How it fared at each gate that it met, with the reasons where it failed.",
    "attempts": "The agent's attempts, each with its verdict.",
    "communicate_info": "What the user must be told.",
    "nl_assertions": "Further statements about a right solution, for a judge; programs do not read them.",
    "asked": "The user's words that ask for a fact to tell, where the task's author says which.",
    "limits": "Bounds that the user states, where the task's author says them.",
    "task_id": "The task that was attempted.",
    "attempt": "Which of the attempts at the task it is, from 0.",
    "termination": "What ended the episode.",
    "prompt_tokens": "Tokens that the agent read.",
    "completion_tokens": "Tokens that the agent wrote.",
    "policy": "The rules that an agent must follow.",
    "builds_on": "Which functions settle a notion that a function shares: they were written before it.",
    "functions": "The functions, each with its name, kind, description and parameters.",
}
"""Columns whose field needs no word beside its name in Python."""


def columns(kind: type[BaseModel]) -> dg.TableSchema:
    """The columns of an asset that stores artifacts of this kind, and below `json` the fields that have none."""
    return dg.TableSchema(list(_columns(kind)))


def dataset_columns() -> dg.TableSchema:
    """The columns of the dataset's config `tasks`."""
    return dg.TableSchema(
        [dg.TableColumn(column.name, _short(str(column.type)), description=column.says) for column in COLUMNS["tasks"]]
    )


def _columns(kind: type[BaseModel]) -> Iterator[dg.TableColumn]:
    stored = {name: column_type(field.annotation) for name, field in kind.model_fields.items()}
    for name, stored_as in stored.items():
        if stored_as is not None:
            yield dg.TableColumn(name, str(stored_as), description=_described(name, kind))
    yield dg.TableColumn("json", "string", description=f"{_first_line(kind)} Whole, as JSON.")
    for name, stored_as in stored.items():
        if stored_as is None:
            yield dg.TableColumn(f"json.{name}", "json", description=_described(name, kind))


def _described(name: str, kind: type[BaseModel]) -> str:
    """What a field holds: in its own words, in those of the artifacts in it, or in ours."""
    field = kind.model_fields[name]
    inside = _artifact_in(field.annotation)
    return field.description or _WORDS.get(name) or (_first_line(inside) if inside else "")


def _artifact_in(annotation: Any) -> type[BaseModel] | None:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for each in typing.get_args(annotation) if (found := _artifact_in(each))), None)


def _first_line(kind: type[BaseModel]) -> str:
    return (kind.__doc__ or kind.__name__).splitlines()[0]


def _short(text: str) -> str:
    return text.partition("<")[0]
