"""Stage: schema. From a domain and its subjects to the schema of its database."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from toolscale.artifacts import DatabaseSchema, Domain, Subject, schema_problems
from toolscale.llm import Gateway
from toolscale.prompts import render
from toolscale.synthesis.demonstrations import demonstration_for


class SchemaAnswer(BaseModel):
    """What the model answers with."""

    database_schema: dict[str, Any]


async def design_schema(
    domain: Domain, subjects: Sequence[Subject], gateway: Gateway, *, seed: int = 0
) -> DatabaseSchema:
    """Ask for a database schema in the form of a demonstration; what is wrong with it goes back to the model.

    Raises:
        GatewayError: the model could not be had, or none of its answers was a schema.
    """
    demonstration = demonstration_for(domain.name)
    answer = await gateway.typed(
        "teacher",
        render(
            "schema",
            domain=domain,
            subjects=subjects,
            demo_domain=demonstration.name,
            demo_schema=demonstration.schema,
        ),
        SchemaAnswer,
        check=_problems,
        stage="schema",
        domain=domain.name,
        seed=seed,
    )
    return DatabaseSchema(domain=domain.name, json_schema=answer.database_schema)


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
    return problems
