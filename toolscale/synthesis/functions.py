"""Stage: functions. From the schema and its entries to a policy and the functions that agents are offered.

First a plan (names, parameters, what reads and what writes, the policy, what builds on what), then one answer a
function. Each is tried out in the sandbox; what fails goes back to the model with the reasons.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from toolscale.artifacts import Database, DatabaseSchema, Entry, Function, FunctionSpec, Reject
from toolscale.environment import PRELOADED_MODULES
from toolscale.llm import MalformedAnswer, Unanswerable
from toolscale.prompts import render
from toolscale.synthesis.acceptance import function_problems, parameters_problems
from toolscale.synthesis.assembly import database_of
from toolscale.synthesis.demonstrations import demonstration_for
from toolscale.synthesis.excerpt import Excerpts
from toolscale.synthesis.plan import PlanAnswer
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.sources import functions_module
from toolscale.synthesis.tally import gathered

COUNT = 18
"""Functions that are asked for."""


class FunctionAnswer(BaseModel):
    """What the model answers with for one function."""

    source: str
    examples: list[dict[str, Any]] = []


async def plan_functions(run: DomainRun, schema: DatabaseSchema, entries: list[Entry]) -> PlanAnswer:
    """The policy that an agent must follow, and which functions to write.

    The teacher plans both in one answer, so that policy and functions agree.

    Raises:
        GatewayError: the model could not be had, or none of its plans could be used.
    """
    demonstration = demonstration_for(run.domain.name)
    messages = render(
        "functions_plan",
        domain=run.domain,
        schema=schema.json_schema,
        database=Excerpts(schema, database_of(schema, entries)).survey(f"functions:{run.seed}"),
        demo_domain=demonstration.name,
        demo_specs=[function.spec().model_dump(mode="json") for function in demonstration.functions[:6]],
        count=COUNT,
    )
    return await run.typed("functions_plan", messages, PlanAnswer, check=_plan_problems)


async def write_functions(
    run: DomainRun, schema: DatabaseSchema, entries: list[Entry], functions_plan: PlanAnswer
) -> Sifted[Function]:
    """The functions with their Python sources; refused ones are kept beside them, with the reasons.

    The teacher writes each one separately. It is accepted only after calls on real entries ran in the sandbox: one must
    succeed, one must be refused, a `read` must change nothing and a `write` must change something.
    """
    writing, plan = _Writing.of(run, schema, database_of(schema, entries), functions_plan), functions_plan
    grounds = plan.grounds()
    at_work: dict[str, asyncio.Task[Sifted[Function]]] = {}

    async def written(spec: FunctionSpec, beside: Sequence[Function] = ()) -> Sifted[Function]:
        known = [function for name in grounds[spec.name] for function in (await at_work[name]).kept]
        return await writing.function(spec, known, beside)

    # Side by side, but for those that build on others: these wait for the sources.
    for spec in plan.functions:
        at_work[spec.name] = asyncio.create_task(written(spec))
    answers = await gathered(list(at_work.values()), run.told)
    kept: list[Function] = []
    rejects: list[Reject] = []
    for spec, answer in zip(plan.functions, answers, strict=True):
        clashes = any(_joining_problems(kept, function) for function in answer.kept)
        final = await written(spec, tuple(kept)) if clashes else answer
        kept += final.kept
        rejects += final.rejects
    return Sifted(kept, rejects)


@dataclass(frozen=True)
class _Writing:
    """What all functions of a domain are written from."""

    run: DomainRun
    schema: DatabaseSchema
    database: Database
    shown: Database
    """What of the database the teacher sees."""
    plan: PlanAnswer

    @classmethod
    def of(cls, run: DomainRun, schema: DatabaseSchema, database: Database, plan: PlanAnswer) -> "_Writing":
        """With the same survey of the database as the plan was made from."""
        return cls(run, schema, database, Excerpts(schema, database).survey(f"functions:{run.seed}"), plan)

    async def function(
        self, spec: FunctionSpec, known: Sequence[Function], beside: Sequence[Function]
    ) -> Sifted[Function]:
        """One function, which builds on known ones and is to stand beside others, with the answers refused before."""
        domain = self.run.domain
        demonstration = next(f for f in demonstration_for(domain.name).functions if f.kind == spec.kind)
        messages = render(
            "function",
            domain=domain,
            schema=self.schema.json_schema,
            database=self.shown,
            policy=self.plan.policy,
            signatures=[_signature(each) for each in self.plan.functions],
            known=[function.source for function in known],
            spec=spec.model_dump(mode="json"),
            demo_function=demonstration.source,
            modules=PRELOADED_MODULES,
        )
        rejects: list[Reject] = []

        def as_function(answer: FunctionAnswer) -> Function:
            return Function(**spec.model_dump(), source=answer.source, examples=answer.examples[:5])

        async def problems(answer: FunctionAnswer) -> list[str]:
            function, seed = as_function(answer), self.run.seed
            examples = function.examples
            found = await function_problems(function, domain, self.schema, self.database, examples=examples, seed=seed)
            return found or _joining_problems(beside, function)

        def reject(check: str, reasons: list[str], raw: str | None = None) -> None:
            named = [f"{spec.name}: {reason}" for reason in reasons]
            rejects.append(Reject(domain=domain.name, stage="functions", check=check, reasons=named, raw=raw))

        def refused(raw: str, reasons: list[str]) -> None:
            reject("function", reasons, raw)

        try:
            answer = await self.run.typed("functions", messages, FunctionAnswer, check=problems, on_refused=refused)
        except Unanswerable as error:
            if not isinstance(error, MalformedAnswer):
                reject(error.kind, error.reasons)
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
