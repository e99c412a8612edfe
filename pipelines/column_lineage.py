"""Which columns an asset's columns follow from, as the tab *Lineage* of its page shows them: from entries to rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

_OF_TASKS = (
    *("id", "domain", "intent", "database_judged", "json.user_scenario", "json.golden_calls", "json.communicate_info"),
    *("json.fact_kinds", "json.asked", "json.limits", "json.nl_assertions", "json.lineage"),
)
"""Columns that the last stage passes on as they are; gates, attempts and the pass rate are its own."""

_PASSED_ON = {column: (f"tasks.{column}", f"evolved_tasks.{column}") for column in _OF_TASKS}

_CALLS = ("verified_tasks.json.golden_calls",)

_FOLLOWS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "subjects": {"domain": ["domain.name"], "name": ["domain.description"]},
    "schema": {"domain": ["domain.name"], "json.json_schema": ["domain.description", "subjects.name"]},
    "entries": {
        "domain": ["domain.name"],
        "subject": ["subjects.name"],
        "table": ["schema.json.json_schema"],
        "json.record": ["schema.json.json_schema", "schema.json.records"],
    },
    "functions_plan": {"policy": ["domain.description"], "json.functions": ["schema.json.json_schema"]},
    "functions": {
        **dict.fromkeys(("name", "description", "kind", "json.parameters"), ("functions_plan.json.functions",)),
        "source": ["functions_plan.json.functions", "functions_plan.policy", "schema.json.json_schema"],
    },
    "rules": {"sentence": ["functions_plan.policy"], "source": ["functions_plan.policy", "functions.name"]},
    "intents": {"domain": ["domain.name"], "purpose": ["domain.description", "functions.description"]},
    "programs": {
        "domain": ["domain.name"],
        "intent": ["intents.id"],
        "source": ["intents.purpose", "functions.name", "rules.sentence"],
    },
    "tasks": {
        "domain": ["domain.name"],
        "intent": ["intents.id"],
        "json.lineage": ["programs.id"],
        "json.user_scenario": ["intents.purpose", "programs.json.wordings"],
        "json.golden_calls": ["programs.source", "functions.name", "entries.key", "entries.json.record"],
        "json.communicate_info": ["programs.json.answers", "entries.json.record"],
    },
    "evolved_tasks": {
        "domain": ["tasks.domain"],
        "intent": ["tasks.intent"],
        "json.lineage": ["tasks.id", "tasks.json.lineage"],
        "json.user_scenario": ["tasks.json.user_scenario"],
        "json.golden_calls": ["tasks.json.golden_calls", "programs.json.twists", "entries.key", "entries.json.record"],
        "json.communicate_info": ["tasks.json.communicate_info", "entries.json.record"],
    },
    "verified_tasks": _PASSED_ON,
    "rejected_tasks": _PASSED_ON,
    "trajectories": {"task_id": _PASSED_ON["id"]},
    "dataset": {
        **{name: [f"verified_tasks.{name}"] for name in ("id", "domain", "intent", "pass_rate", "attempts_ended")},
        **{
            name: [f"verified_tasks.json.{name}"]
            for name in ("user_scenario", "fact_kinds", "asked", "limits", "lineage", "difficulty", "attempts")
        },
        **dict.fromkeys(("tools_used", "call_count", "write_count"), _CALLS),
        **dict.fromkeys(("operator", "ancestors"), ("verified_tasks.json.lineage",)),
        "prompt": ["verified_tasks.json.user_scenario", "functions_plan.policy"],
        "evaluation_criteria": [
            *_CALLS,
            "verified_tasks.json.communicate_info",
            "verified_tasks.json.nl_assertions",
        ],
        "unseen_entities": [*_CALLS, "entries.key"],
    },
}
"""Asset -> column -> the columns, each `asset.column`, that its values follow from."""


def column_lineage(asset: str) -> dict[str, Any]:
    """Metadata of a materialization: what its columns follow from, if that is known."""
    follows = _FOLLOWS.get(asset)
    if not follows:
        return {}
    deps = {column: [_column(name) for name in names] for column, names in follows.items()}
    return {"dagster/column_lineage": dg.TableColumnLineage(deps)}


def _column(name: str) -> dg.TableColumnDep:
    asset, _, column = name.partition(".")
    return dg.TableColumnDep(asset_key=asset, column_name=column)
