"""``toolscale environment run``: calls, their results and what they changed."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import CallOutcome, EnvironmentSpec, GoldenCall
from toolscale.artifacts.strict_json import read_arguments
from toolscale.environment.folder import read_json
from toolscale.environment.replay import Replay
from toolscale.environment.sandbox import Sandbox
from toolscale.environment.structure import ABSENT, EntryChange, FieldChange
from toolscale.errors import UserError
from toolscale.printable import as_a_line
from toolscale.terminal import say_json


def run_calls(
    spec: EnvironmentSpec, calls: Sequence[GoldenCall], as_json: bool, start: Sequence[GoldenCall] = ()
) -> None:
    """Run calls in an environment, after those of `start`, and print what they did."""
    with Sandbox(spec) as sandbox:
        replay = sandbox.run(calls, start)
    if as_json:
        say_json(report(replay, spec))
    else:
        _print(replay, spec)


def read_calls(file: Path, spec: EnvironmentSpec) -> list[GoldenCall]:
    """A file's list of ``{name, arguments}``, as golden calls stand in tasks and rows. Raises UserError for others."""
    listed = read_json(file)
    if _holds_tasks(listed):
        raise UserError(f"{file}: holds tasks; say whose golden calls to run: --task ID")
    if not isinstance(listed, list):
        raise UserError(f"{file}: must hold a list of {{name, arguments}}")
    calls = []
    for number, raw in enumerate(listed, start=1):
        try:
            calls.append(GoldenCall.model_validate(_with_read_arguments(raw)))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"])) or "it"
            raise UserError(
                f"{file}: call {number} must be {{name, arguments}}, but `{field}`: {first['msg'].lower()}"
            ) from None
        except ValueError as error:
            raise UserError(f"{file}: call {number}: {error}") from None
    refuse_unknown(calls, file, spec)
    return calls


def refuse_unknown(calls: Sequence[GoldenCall], file: Path, spec: EnvironmentSpec) -> None:
    """Raises UserError for the first call of a function that the environment does not have."""
    for number, call in enumerate(calls, start=1):
        if call.name not in (names := {function.name for function in spec.callable}):
            offered = ", ".join(sorted(names))
            raise UserError(f"{file}: call {number} names `{call.name}`, which is not offered; there are: {offered}")


def _holds_tasks(listed: Any) -> bool:
    first = listed[0] if isinstance(listed, list) and listed else listed
    return isinstance(first, dict) and not {"golden_calls", "evaluation_criteria", "tasks"}.isdisjoint(first)


def _with_read_arguments(raw: Any) -> Any:
    """The call with its arguments as an object: Parquet rows have them as text."""
    if isinstance(raw, dict) and isinstance(raw.get("arguments"), str):
        return {**raw, "arguments": read_arguments(raw["arguments"])}
    return raw


def report(replay: Replay, spec: EnvironmentSpec) -> dict[str, Any]:
    """``{outcomes, diff}`` as JSON."""
    return {
        "outcomes": [outcome.model_dump(mode="json") for outcome in replay.outcomes],
        "diff": [change.as_json() for change in replay.diff(spec)],
    }


def _print(replay: Replay, spec: EnvironmentSpec) -> None:
    from rich.text import Text

    from toolscale.console import console

    screen = console()

    def line(text: str, style: str = "") -> None:
        screen.print(Text(as_a_line(text), style), soft_wrap=True)

    for number, outcome in enumerate(replay.outcomes, start=1):
        arguments = ", ".join(f"{name}={_shown(value)}" for name, value in outcome.arguments.items())
        called = Text.assemble((as_a_line(f"{number}. {outcome.name}"), "bold"), as_a_line(f"({arguments})"))
        screen.print(called, soft_wrap=True)
        if outcome.ok:
            line(f"   {_shown(outcome.result)}")
        else:
            line(f"   {outcome.error_type}: {outcome.error}", "red")
        for access in _accesses(outcome):
            line(f"   {access}", "dim")
    changes = replay.diff(spec)
    line("")
    line("Changes" if changes else "Nothing changed", "bold")
    for change in changes:
        style = {"added": "green", "removed": "red", "changed": "yellow"}[change.kind]
        line(f"{change.kind:>7} {_named(change.table, change.key)}", style)
        for field in change.fields:
            line(f"        {_described(field, change)}")


def _accesses(outcome: CallOutcome) -> Iterator[str]:
    for verb, refs in (("looked up", outcome.looked_up), ("wrote", outcome.wrote)):
        if refs:
            yield f"{verb} {', '.join(_named(*ref) for ref in refs)}"
    if outcome.scanned:
        yield f"scanned {', '.join(outcome.scanned)}"


def _described(field: FieldChange, change: EntryChange) -> str:
    if change.kind != "changed":
        return _shown(field.after if change.kind == "added" else field.before)
    path = ".".join(map(str, field.path)) or "all of it"
    return f"{path}: {_shown(field.before)} -> {_shown(field.after)}"


def _named(table: str, key: str) -> str:
    return f"{table}[{key}]" if key else table


def _shown(value: Any) -> str:
    return "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False)
