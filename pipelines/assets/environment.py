"""Group environment_synthesis: from a domain's description to something that runs."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import dagster as dg

from pipelines.assets.stage import STAGES, Shows, of_a_domain, stage_asset
from pipelines.domains import DOMAINS, order_of, read_domain, refuse_switched_off, refuse_without_file
from pipelines.factory import Factory
from pipelines.metadata import Metadata, counted, environment_metadata, preview
from pipelines.orders import take
from pipelines.recipe import recipe
from pipelines.refusals import refusal
from pipelines.shown import markdown
from pipelines.storage import write_rows
from pipelines.tags import ORDER
from toolscale.artifacts import DatabaseSchema, Domain, Entry, EnvironmentSpec, Function, Rule, Subject
from toolscale.errors import UserError
from toolscale.synthesis.chain import CHAIN
from toolscale.synthesis.plan import PlanAnswer
from toolscale.synthesis.sifted import Sifted


def _described(context: dg.AssetExecutionContext, factory: dg.ResourceParam[Factory]) -> dg.MaterializeResult[Domain]:
    """What the domain covers, and when it lives.

    Read from its file `domains/<name>.toml`; a reference domain needs none.
    """
    try:
        refuse_without_file(factory.data_root, context.partition_key)
        refuse_switched_off(factory.data_root, context.partition_key)
        found = read_domain(factory.data_root, context.partition_key)
        order = order_of(factory.data_root, context.partition_key)
        if order and context.run.tags.get(ORDER) == order.order:
            take(factory.data_root, context.partition_key, order)
    except UserError as error:
        raise refusal(error) from error
    return dg.MaterializeResult(
        value=found, metadata={"description": found.description, "now": found.now.isoformat(sep=" ")}
    )


STAGES["domain"] = recipe(_described, write_rows)

domain = dg.asset(
    _described,
    name="domain",
    partitions_def=DOMAINS,
    kinds={"parquet", "python"},
    **of_a_domain(STAGES["domain"], "environment", Domain, read_domain),
)


def _subjects(found: list[Subject], read: Mapping[str, Any]) -> Metadata:
    return {"subjects": len(found), **preview(found, "name")}


def _schema(found: DatabaseSchema, read: Mapping[str, Any]) -> Metadata:
    return {
        "tables": len(found.tables),
        "references": len(found.references),
        "json_schema": dg.MetadataValue.json(found.json_schema),
        **counted("records_wanted", sum(map(Counter, found.records.values()), Counter())),
        **counted("fields", {table: len(record["properties"]) for table, record in found.tables.items()}),
    }


def _entries(found: Sifted[Entry], read: Mapping[str, Any]) -> Metadata:
    return {
        "entries": len(found.kept),
        **counted("by_table", Counter(entry.table for entry in found.kept)),
        **counted("by_subject", Counter(entry.subject for entry in found.kept)),
        **preview(found.kept, "table", "key", "record", "subject"),
    }


def _plan(found: PlanAnswer, read: Mapping[str, Any]) -> Metadata:
    return {
        "planned": len(found.functions),
        "policy": markdown(found.policy),
        **preview(found.functions, "name", "kind", "description", "parameters"),
    }


def _functions(found: Sifted[Function], read: Mapping[str, Any]) -> Metadata:
    return {
        "functions": len(found.kept),
        "writes": sum(function.kind == "write" for function in found.kept),
        **preview(found.kept, "name", "kind", "description", "source"),
    }


def _rules(found: Sifted[Rule], read: Mapping[str, Any]) -> Metadata:
    return {
        "rules": sum(rule.by == "program" for rule in found.kept),
        "left_to_a_judge": sum(rule.by == "judge" for rule in found.kept),
        **preview(found.kept, "name", "sentence", "by", "source"),
    }


def _environment(found: EnvironmentSpec, read: Mapping[str, Any]) -> Metadata:
    return environment_metadata(found)


_SHOWN: Mapping[type, Shows] = {
    Subject: _subjects,
    DatabaseSchema: _schema,
    Entry: _entries,
    PlanAnswer: _plan,
    Function: _functions,
    Rule: _rules,
    EnvironmentSpec: _environment,
}
"""Artifact -> what the UI shows of those that were made."""

assets = [stage_asset(stage, _SHOWN[stage.kind]) for stage in CHAIN if stage.group == "environment"]
