"""Stage: environment. Schema, entries, functions and policy become something that runs."""

from collections.abc import Sequence

from toolscale.artifacts import Database, DatabaseSchema, Domain, Entry, EnvironmentSpec, Function, Rule
from toolscale.synthesis.plan import PlanAnswer
from toolscale.synthesis.sources import functions_module, rules_module


def database_of(schema: DatabaseSchema, entries: Sequence[Entry]) -> Database:
    """The entries as a database: tables in the schema's order, entries in theirs."""
    database: Database = {table: {} for table in schema.tables}
    for entry in entries:
        database[entry.table][entry.key] = entry.record
    return database


def assemble(
    domain: Domain,
    schema: DatabaseSchema,
    entries: list[Entry],
    functions: list[Function],
    functions_plan: PlanAnswer,
    rules: list[Rule],
    *,
    seed: int = 0,
) -> EnvironmentSpec:
    """The domain made executable: a folder with database, functions, policy and rules, which all later stages read.

    A program assembles it from schema, entries, functions, plan and rules (docs/environment-format.md).
    """
    return EnvironmentSpec(
        domain=domain.name,
        now=domain.now,
        seed=seed,
        policy=functions_plan.policy,
        rules=rules_module(rules),
        functions=[function.spec() for function in functions],
        source=functions_module(functions),
        database=database_of(schema, entries),
        json_schema=schema.json_schema,
    )
