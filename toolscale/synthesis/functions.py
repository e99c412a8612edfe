"""Stage: functions. From the schema and its entries to a policy and the functions that agents are offered.

First a plan (names, parameters, what reads and what writes, the policy), then one answer a function. Each is tried out
in the sandbox; what fails goes back to the model with the reasons.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from pydantic import BaseModel

from toolscale.artifacts import Database, DatabaseSchema, Domain, Function, FunctionSpec, Reject
from toolscale.environment import PRELOADED_MODULES
from toolscale.llm import Gateway, MalformedAnswer
from toolscale.prompts import render
from toolscale.synthesis.acceptance import function_problems
from toolscale.synthesis.demonstrations import demonstration_for
from toolscale.synthesis.excerpt import excerpt
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.sources import functions_module


class PlanAnswer(BaseModel):
    """What the model answers with when it plans."""

    policy: str
    functions: list[FunctionSpec]


class FunctionAnswer(BaseModel):
    """What the model answers with for one function."""

    source: str
    examples: list[dict[str, Any]] = []


async def plan_functions(
    domain: Domain, schema: DatabaseSchema, database: Database, gateway: Gateway, *, count: int = 18, seed: int = 0
) -> PlanAnswer:
    """Ask for the policy and the functions to write.

    Raises:
        GatewayError: the model could not be had, or none of its plans could be used.
    """
    demonstration = demonstration_for(domain.name)
    return await gateway.typed(
        "teacher",
        render(
            "functions_plan",
            domain=domain,
            schema=schema.json_schema,
            database=excerpt(schema, database, seed=f"functions:{seed}", size=30),
            demo_domain=demonstration.name,
            demo_specs=[function.spec().model_dump(mode="json") for function in demonstration.functions[:6]],
            count=count,
        ),
        PlanAnswer,
        check=_plan_problems,
        stage="functions",
        domain=domain.name,
        seed=seed,
    )


async def write_functions(
    domain: Domain,
    schema: DatabaseSchema,
    database: Database,
    plan: PlanAnswer,
    gateway: Gateway,
    *,
    seed: int = 0,
) -> Sifted[Function]:
    """Ask for the source of every planned function and keep those that pass `function_problems`."""
    written = await asyncio.gather(
        *(_write_function(spec, domain, schema, database, plan, gateway, seed) for spec in plan.functions)
    )
    kept: list[Function] = []
    rejects = [reject for result in written if isinstance(result, list) for reject in result]
    for function in (result for result in written if isinstance(result, Function)):
        try:
            functions_module([*kept, function])
        except ValueError as error:
            rejects.append(_reject(domain, "helpers", [str(error)], function.source))
        else:
            kept.append(function)
    return Sifted(kept, rejects)


async def _write_function(
    spec: FunctionSpec,
    domain: Domain,
    schema: DatabaseSchema,
    database: Database,
    plan: PlanAnswer,
    gateway: Gateway,
    seed: int,
) -> Function | list[Reject]:
    demonstration = next(f for f in demonstration_for(domain.name).functions if f.kind == spec.kind)
    messages = render(
        "function",
        domain=domain,
        schema=schema.json_schema,
        database=excerpt(schema, database, seed=f"{spec.name}:{seed}", size=30),
        policy=plan.policy,
        spec=spec.model_dump(mode="json"),
        others=[other.name for other in plan.functions if other.name != spec.name],
        demo_function=demonstration.source,
        modules=PRELOADED_MODULES,
    )

    def as_function(answer: FunctionAnswer) -> Function:
        return Function(**spec.model_dump(), source=answer.source)

    def problems(answer: FunctionAnswer) -> list[str]:
        return function_problems(as_function(answer), domain, schema, database, examples=answer.examples[:5], seed=seed)

    try:
        answer = await gateway.typed(
            "teacher", messages, FunctionAnswer, check=problems, stage="functions", domain=domain.name, seed=seed
        )
    except MalformedAnswer as error:
        return [_reject(domain, "function", [f"{spec.name}: {reason}" for reason in error.reasons], error.raw)]
    return as_function(answer)


def _plan_problems(plan: PlanAnswer) -> list[str]:
    names = [spec.name for spec in plan.functions]
    writes = sum(spec.kind == "write" for spec in plan.functions)
    problems = []
    if len(names) < 4:
        problems.append(f"there are {len(names)} functions; plan at least four")
    if len(set(names)) < len(names):
        problems.append("two functions have the same name")
    if not len(names) / 4 <= writes <= len(names) * 3 / 4:
        problems.append(f"{writes} of {len(names)} functions write; about half should")
    if not plan.policy.strip():
        problems.append("the policy is empty")
    for spec in plan.functions:
        try:
            Draft202012Validator.check_schema(spec.parameters)
        except SchemaError as error:
            problems.append(f"`{spec.name}`: `parameters` is not a JSON Schema: {error.message}")
        else:
            if not isinstance(spec.parameters.get("properties"), dict):
                problems.append(f"`{spec.name}`: `parameters` needs `properties`")
    return problems


def _reject(domain: Domain, check: str, reasons: Sequence[str], raw: str) -> Reject:
    return Reject(domain=domain.name, stage="functions", check=check, reasons=list(reasons), raw=raw)
