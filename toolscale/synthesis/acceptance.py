"""What a function must do before it is accepted, checked in the sandbox on real entries (design: Function)."""

import ast
import asyncio
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from toolscale.artifacts import (
    Call,
    CallOutcome,
    Database,
    DatabaseSchema,
    Domain,
    EnvironmentSpec,
    Function,
    refers_elsewhere,
)
from toolscale.artifacts.bounded_schema import schema_faults
from toolscale.environment import FATAL, PRELOADED_MODULES, Sandbox
from toolscale.python_source import NotPython, parsed
from toolscale.synthesis.probe import nonsense, probes
from toolscale.synthesis.sources import LONGEST_FUNCTION, functions_module

PROBES = 2400
"""Calls after which a function that never did what it should is refused."""

ENOUGH = 24
"""Successful calls that show a read to change nothing."""

_BATCH = 24


async def function_problems(
    function: Function,
    domain: Domain,
    schema: DatabaseSchema,
    database: Database,
    *,
    examples: Sequence[Mapping[str, Any]] = (),
    seed: int = 0,
) -> list[str]:
    """Why a function is not accepted, one sentence a fault that its author can mend; empty if it is.

    It must compile, match its parameters, succeed on a call built from real entries, refuse a nonsense one with
    ``ValueError``; a read changes nothing and a write changes something.
    """
    problems = signature_problems(function)
    if problems:
        return problems
    try:
        source = functions_module([function])
    except ValueError as error:
        return [f"the source cannot be used: {error}"]
    spec = EnvironmentSpec(
        domain=domain.name,
        now=domain.now,
        functions=[function.spec()],
        source=source,
        database=database,
    )
    tried = probes(function, schema, database, now=domain.now, seed=seed)
    calls = chain((Call(name=function.name, arguments=dict(example)) for example in examples), islice(tried, PROBES))
    return await asyncio.to_thread(_behaviour_problems, function, spec, calls)


def parameters_problems(parameters: Mapping[str, Any]) -> Iterator[str]:
    """What keeps a JSON value from describing the parameters of a function; nothing if it does."""
    if faults := list(schema_faults(parameters)):
        yield from faults
        return
    if refers_elsewhere(parameters):
        yield "it uses `$ref`: write every parameter out"
    properties = parameters.get("properties")
    if not isinstance(properties, dict) or not isinstance(parameters.get("required"), list):
        yield "it needs `properties`, an object, and `required`, a list"
        return
    for name, rules in properties.items():
        if not isinstance(rules, dict) or not isinstance(rules.get("items", {}), dict):
            yield f"`{name}`: describe the parameter (and its `items`) with an object"
        elif not rules.get("enum", [None]):
            yield f"`{name}`: an empty `enum` admits nothing"


def signature_problems(function: Function) -> list[str]:
    """What is wrong with a function before it runs: syntax, imports, and parameters that differ from its signature."""
    try:
        module = parsed(function.source, longest=LONGEST_FUNCTION)
    except NotPython as error:
        return [f"the source does not compile: {error}"]
    problems = import_problems(module)
    definition = next(
        (node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == function.name), None
    )
    if definition is None:
        return [*problems, f"the source does not define `{function.name}` at top level"]
    signature = definition.args
    arguments = [argument.arg for argument in (*signature.posonlyargs, *signature.args, *signature.kwonlyargs)]
    if not arguments or arguments[0] != "db":
        problems.append("the first parameter must be `db`")
    if signature.vararg or signature.kwarg:
        problems.append("spell the parameters out: no *args, no **kwargs")
    properties = function.parameters.get("properties")
    listed = list(properties) if isinstance(properties, dict) else []
    if set(arguments[1:]) != set(listed):
        problems.append(f"the signature takes {arguments[1:]}, but `parameters` lists {listed}")
    positional = arguments[: len(signature.posonlyargs) + len(signature.args)]
    optional = set(positional[len(positional) - len(signature.defaults) :] if signature.defaults else [])
    optional |= {
        argument.arg
        for argument, default in zip(signature.kwonlyargs, signature.kw_defaults, strict=True)
        if default is not None
    }
    required = function.parameters.get("required", [])
    mandatory = set(arguments[1:]) - optional
    if isinstance(required, list) and mandatory - set(map(str, required)):
        problems.append(f"{sorted(mandatory - set(map(str, required)))} have no default but are not `required`")
    return problems


def import_problems(module: ast.Module) -> list[str]:
    """What a source imports that the sandbox does not have, one sentence each."""
    return [
        f"`{name}` cannot be imported in the sandbox; there are {', '.join(PRELOADED_MODULES)}"
        for name in _imported(module)
        if name not in PRELOADED_MODULES
    ]


def _behaviour_problems(function: Function, spec: EnvironmentSpec, calls: Iterator[Call]) -> list[str]:
    outcomes: list[CallOutcome] = []
    with Sandbox(spec) as sandbox:
        while batch := list(islice(calls, _BATCH)):
            outcomes += sandbox.run(batch).outcomes
            if ended := [outcome for outcome in outcomes if outcome.error_type in FATAL]:
                return [f"the call {ended[0].arguments} never came back: {ended[0].error}"]
            successes = [outcome for outcome in outcomes if outcome.ok]
            if any(outcome.wrote for outcome in successes) or (function.kind == "read" and len(successes) >= ENOUGH):
                break
        good = [outcome for outcome in outcomes if outcome.ok]
        refusals = [sandbox.run([call]).outcomes[0] for call in nonsense(function, good[0].arguments)] if good else []
    problems = []
    if not good:
        seen = "; ".join(dict.fromkeys(f"{outcome.error_type}: {outcome.error}" for outcome in outcomes[:40]))
        return [f"no call built from real entries succeeds; it answered {seen[:600]}"]
    if function.kind == "read" and (changed := [outcome for outcome in good if outcome.wrote]):
        problems.append(f"a read must change nothing, but {changed[0].arguments} changed {changed[0].wrote}")
    if function.kind == "write" and not any(outcome.wrote for outcome in good):
        problems.append("a write must change something, but no call that succeeded did")
    takes_arguments = bool(function.parameters.get("properties"))
    if takes_arguments and not any(outcome.error_type == "ValueError" for outcome in refusals):
        answers = "; ".join(dict.fromkeys(f"{outcome.error_type}: {outcome.error}" for outcome in refusals))
        problems.append(f"a nonsense call must be refused with ValueError; it answered {answers[:400]}")
    return problems


def _imported(module: ast.Module) -> list[str]:
    names = []
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names += [alias.name.partition(".")[0] for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names.append((node.module or "").partition(".")[0])
    return names
