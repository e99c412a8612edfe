"""Stage: functions. From the schema and its entries to a policy and the functions that agents are offered.

First a plan (names, parameters, what reads and what writes, the policy, what builds on what), then one answer a
function. Each is tried out in the sandbox; what fails goes back to the model with the reasons.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from toolscale.artifacts import Database, DatabaseSchema, Domain, Function, FunctionSpec, Reject
from toolscale.artifacts.needs import in_order_of_needs
from toolscale.environment import PRELOADED_MODULES
from toolscale.llm import Gateway, MalformedAnswer, Unanswerable
from toolscale.prompts import render
from toolscale.synthesis.acceptance import function_problems, parameters_problems
from toolscale.synthesis.demonstrations import demonstration_for
from toolscale.synthesis.excerpt import Excerpts
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.sources import functions_module
from toolscale.synthesis.tally import Told, gathered, unheard


class PlanAnswer(BaseModel):
    """What the model answers with when it plans."""

    policy: str
    functions: list[FunctionSpec]
    builds_on: dict[str, list[str]] = {}
    """Function -> those that settle a notion which it shares, such as a fee: they are written before it."""

    def grounds(self) -> dict[str, list[str]]:
        """Function, in the order in which they are written -> those before it that it builds on."""
        ordered = in_order_of_needs([spec.name for spec in self.functions], self.builds_on)
        return {
            name: [each for each in ordered[:place] if each in self.builds_on.get(name, ())]
            for place, name in enumerate(ordered)
        }


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
            database=Excerpts(schema, database).survey(f"functions:{seed}"),
            demo_domain=demonstration.name,
            demo_specs=[function.spec().model_dump(mode="json") for function in demonstration.functions[:6]],
            count=count,
        ),
        PlanAnswer,
        check=_plan_problems,
        stage="functions_plan",
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
    told: Told = unheard,
) -> Sifted[Function]:
    """Ask for the source of every planned function and keep those that pass their checks.

    They are written side by side, but for those that build on others: these wait for the sources. One that does not go
    together with those before it is asked for again, knowing why.
    """
    shown = Excerpts(schema, database).survey(f"functions:{seed}")
    grounds = plan.grounds()
    at_work: dict[str, asyncio.Task[Sifted[Function]]] = {}

    async def written(spec: FunctionSpec, beside: Sequence[Function] = ()) -> Sifted[Function]:
        known = [function for name in grounds[spec.name] for function in (await at_work[name]).kept]
        return await _write_function(spec, known, beside, domain, schema, database, shown, plan, gateway, seed)

    for spec in plan.functions:
        at_work[spec.name] = asyncio.create_task(written(spec))
    answers = await gathered(list(at_work.values()), told)
    kept: list[Function] = []
    rejects: list[Reject] = []
    for spec, answer in zip(plan.functions, answers, strict=True):
        clashes = any(_joining_problems(kept, function) for function in answer.kept)
        final = await written(spec, tuple(kept)) if clashes else answer
        kept += final.kept
        rejects += final.rejects
    return Sifted(kept, rejects)


async def _write_function(
    spec: FunctionSpec,
    known: Sequence[Function],
    beside: Sequence[Function],
    domain: Domain,
    schema: DatabaseSchema,
    database: Database,
    shown: Database,
    plan: PlanAnswer,
    gateway: Gateway,
    seed: int,
) -> Sifted[Function]:
    """One function, which builds on known ones and is to stand beside others, with the answers refused on the way."""
    demonstration = next(f for f in demonstration_for(domain.name).functions if f.kind == spec.kind)
    messages = render(
        "function",
        domain=domain,
        schema=schema.json_schema,
        database=shown,
        policy=plan.policy,
        signatures=[_signature(each) for each in plan.functions],
        known=[function.source for function in known],
        spec=spec.model_dump(mode="json"),
        demo_function=demonstration.source,
        modules=PRELOADED_MODULES,
    )
    rejects: list[Reject] = []

    def as_function(answer: FunctionAnswer) -> Function:
        return Function(**spec.model_dump(), source=answer.source, examples=answer.examples[:5])

    async def problems(answer: FunctionAnswer) -> list[str]:
        function = as_function(answer)
        found = await function_problems(function, domain, schema, database, examples=function.examples, seed=seed)
        return found or _joining_problems(beside, function)

    def refused(raw: str, reasons: list[str]) -> None:
        named = [f"{spec.name}: {reason}" for reason in reasons]
        rejects.append(Reject(domain=domain.name, stage="functions", check="function", reasons=named, raw=raw))

    try:
        answer = await gateway.typed(
            "teacher",
            messages,
            FunctionAnswer,
            check=problems,
            on_refused=refused,
            stage="functions",
            domain=domain.name,
            seed=seed,
        )
    except Unanswerable as error:
        if not isinstance(error, MalformedAnswer):
            reasons = [f"{spec.name}: {reason}" for reason in error.reasons]
            rejects.append(Reject(domain=domain.name, stage="functions", check=error.kind, reasons=reasons))
        return Sifted([], rejects)
    return Sifted([as_function(answer)], rejects)


def _signature(spec: FunctionSpec) -> str:
    """A function as others see it: `find_slot(date, vet_id=...) (read): The free slots of a day.`"""
    properties, required = spec.parameters.get("properties"), spec.parameters.get("required")
    names = [
        name if isinstance(required, list) and name in required else f"{name}=..."
        for name in (properties if isinstance(properties, dict) else ())
    ]
    return f"{spec.name}({', '.join(names)}) ({spec.kind}): {spec.description}"


def _joining_problems(others: Sequence[Function], function: Function) -> list[str]:
    """Why a function cannot stand in one module with others; empty if it can."""
    try:
        functions_module([*others, function])
    except ValueError as error:
        return [str(error)]
    return []


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
    problems += [
        f"`builds_on`: there is no function `{name}`"
        for name in sorted(
            {*plan.builds_on, *(each for named in plan.builds_on.values() for each in named)} - set(names)
        )
    ]
    grounds = plan.grounds()
    problems += [
        f"`builds_on`: `{name}` and `{each}` build on each other: say which is written first"
        for name, named in plan.builds_on.items()
        for each in named
        if name in grounds and each in names and each not in grounds[name]
    ]
    problems += [
        f"`{spec.name}`: `parameters`: {problem}"
        for spec in plan.functions
        for problem in parameters_problems(spec.parameters)
    ]
    return problems
