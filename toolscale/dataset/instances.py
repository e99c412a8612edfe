"""Instances in rows: four columns that hold tools at their prices, as they are shown, and the preference."""

import json
from typing import Any

import pyarrow as pa

from toolscale.artifacts.base import Split
from toolscale.catalogue.configuration import OfferedTool, ToolConfiguration
from toolscale.dataset.columns import INSTANCE_COLUMNS, TERMS
from toolscale.dataset.rows import Row, as_json
from toolscale.instances import Instance, Instances
from toolscale.preferences.preference import Preference

SCHEMA = pa.schema([column.field for column in INSTANCE_COLUMNS])


def instance_row(configuration: ToolConfiguration | None, preference: Preference | None) -> Row:
    """What is offered, and what its user prefers, as columns; null where that is left open."""
    return {
        "configuration": configuration.id if configuration else None,
        "schedule": configuration.schedule if configuration else None,
        "tools": [_tool_row(tool) for tool in configuration.tools] if configuration else None,
        "preference": preference.model_dump(mode="json", exclude={"tools", "split"}) if preference else None,
    }


def configuration_from(row: Row) -> ToolConfiguration | None:
    """The configuration that stands in a row."""
    if row.get("tools") is None:
        return None
    tools = [_tool_from(tool) for tool in row["tools"]]
    return ToolConfiguration(id=row["configuration"], schedule=row["schedule"], tools=tools)


def preference_in(row: Row, configuration: ToolConfiguration | None, split: Split) -> Preference | None:
    """The preference that stands in a row, over the tools of its configuration."""
    if row.get("preference") is None:
        return None
    return Preference(**row["preference"], tools=list(configuration.names) if configuration else [], split=split)


def instance_from(row: Row, split: Split) -> Instance | None:
    """The instance of a task's row, where it has one."""
    configuration = configuration_from(row)
    if configuration is None:
        return None
    return Instance(configuration=configuration, preference=preference_in(row, configuration, split))


def with_instances(tasks: pa.Table, environments: pa.Table, split: Split, instances: Instances) -> pa.Table:
    """The rows of tasks with an instance each; `environments` has those where they play."""
    functions = {
        world["id"]: {function["name"] for function in json.loads(world["functions"])}
        for world in environments.select(["id", "functions"]).to_pylist()
    }
    rows = []
    for task in tasks.select(["id", "environment"]).to_pylist():
        drawn = instances.of(task["id"], split, functions[task["environment"]])
        rows.append(instance_row(drawn.configuration, drawn.preference))
    drawn_columns = pa.Table.from_pylist(rows, schema=SCHEMA)
    for column in SCHEMA:
        tasks = tasks.append_column(column, drawn_columns[column.name])
    return tasks


def _tool_row(tool: OfferedTool) -> Row:
    own: dict[str, Any] = {"name": tool.name, "kind": tool.kind, "description": tool.description}
    terms = tool.terms.model_dump(mode="json")
    return {**own, "parameters": as_json(tool.parameters), **terms, "shown": tool.spec().description}


def _tool_from(row: Row) -> OfferedTool:
    own = {name: row[name] for name in ("name", "kind", "description")}
    terms = {name: row[name] for name, _ in TERMS}
    return OfferedTool.model_validate({**own, "parameters": json.loads(row["parameters"]), "terms": terms})
