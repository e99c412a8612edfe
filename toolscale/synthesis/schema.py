"""Stage: schema. From a domain and its subjects to the schema of its database."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from toolscale.artifacts import DatabaseSchema, Subject, schema_problems
from toolscale.prompts import render
from toolscale.synthesis.demonstrations import demonstrated_records, demonstration_for
from toolscale.synthesis.run import DomainRun

MOST_OF_A_TABLE = 500
MOST_RECORDS = 3000
"""Of all tables together."""


class SchemaAnswer(BaseModel):
    """What the model answers with."""

    database_schema: dict[str, Any]
    records: dict[str, dict[str, int]] = {}
    """Subject -> table -> how many."""


async def design_schema(run: DomainRun, subjects: list[Subject]) -> DatabaseSchema:
    """The schema of the domain's database: tables, fields, keys and references, as one JSON Schema.

    The teacher designs it for the subjects, following a demonstration, and says how many records each subject has. An
    unsound schema goes back with the reasons.

    Raises:
        GatewayError: the model could not be had, or none of its answers was a schema.
    """
    demonstration = demonstration_for(run.domain.name)

    def problems(answer: SchemaAnswer) -> list[str]:
        return _problems(answer) or list(_problems_of_records(answer, subjects))

    messages = render(
        "schema",
        domain=run.domain,
        subjects=subjects,
        demo_domain=demonstration.name,
        demo_schema=demonstration.schema,
        demo_records=demonstrated_records(demonstration),
        most=MOST_OF_A_TABLE,
    )
    answer = await run.typed("schema", messages, SchemaAnswer, check=problems)
    return DatabaseSchema(domain=run.domain.name, json_schema=answer.database_schema, records=answer.records)


def _problems(answer: SchemaAnswer) -> list[str]:
    problems = list(schema_problems(answer.database_schema))
    if problems:
        return problems
    schema = DatabaseSchema(domain="check", json_schema=answer.database_schema)
    if len(schema.tables) < 4:
        problems.append(f"there are {len(schema.tables)} tables; design at least four")
    if len(schema.references) < 2:
        problems.append("fewer than two fields carry `x-references`: nothing ties the tables together")
    problems += [
        f"table `{table}`: the record needs `required` and `additionalProperties: false`"
        for table, record in schema.tables.items()
        if not record.get("required") or record.get("additionalProperties") is not False
    ]
    problems += _problems_of_order(schema)
    return problems


def _problems_of_order(schema: DatabaseSchema) -> Iterator[str]:
    """Which tables can be filled in no order, since each waits for another."""
    needs = schema.targets(optional=False)
    waiting = set(schema.tables)
    for table in schema.in_order:
        for target in sorted(needs[table] & waiting):
            yield (
                f"every record of `{table}` must refer to one of `{target}`, and that, directly or not, to one of "
                f"`{table}`: neither can be written first, so let one of these references be null"
            )
        waiting.discard(table)


def _problems_of_records(answer: SchemaAnswer, subjects: Sequence[Subject]) -> Iterator[str]:
    """What keeps the numbers of records from being written to."""
    schema = DatabaseSchema(domain="check", json_schema=answer.database_schema)
    names = {subject.name for subject in subjects}
    for name in sorted(answer.records.keys() - names):
        yield f"`records`: there is no subject `{name}`, only {', '.join(f'`{each}`' for each in sorted(names))}"
    totals: Counter[str] = Counter()
    for name in sorted(names):
        counts = answer.records.get(name, {})
        totals.update(counts)
        if not any(counts.values()):
            yield f"`records`: the subject `{name}` has none"
        for table, count in counts.items():
            if table not in schema.tables:
                yield f"`records`: `{name}`: there is no table `{table}`"
            elif count < 0:
                yield f"`records`: `{name}`: `{table}` cannot have {count}"
    for table in schema.tables:
        if not totals[table] and table not in schema.may_be_empty:
            yield f"`records`: no subject has records of `{table}`"
        if totals[table] > MOST_OF_A_TABLE:
            yield f"`records`: `{table}` would have {totals[table]}; at most {MOST_OF_A_TABLE} can be written"
    if totals.total() > MOST_RECORDS:
        yield f"`records`: there would be {totals.total()} in all; at most {MOST_RECORDS} can be written"
