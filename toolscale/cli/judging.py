"""Judging: trajectories, datasets, and calls run by hand."""

import json
from pathlib import Path
from typing import Annotated

import typer

from toolscale.errors import UserError


def check(
    environment: Annotated[Path, typer.Option(help="The environment folder.")],
    tasks: Annotated[Path, typer.Option(help="A JSON list of tasks: id, golden_calls, communicate_info.")],
    trajectories: Annotated[Path, typer.Option(help="JSON lines: task_id, and calls with agent_messages or messages.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Judge recorded trajectories against an environment and its tasks."""
    from toolscale.checkers import check

    judged = []
    for judgement in check.check(environment, tasks, trajectories):
        judged.append(judgement)
        print(json.dumps(judgement.as_row()) if as_json else judgement.as_text(), flush=True)
    if complaint := check.complaint(trajectories, judged):
        raise UserError(complaint)


def audit(
    path: Annotated[Path, typer.Argument(help="A dataset folder, or an environment folder with its tasks.json.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Replay and re-gate every task of a dataset, or of an environment folder with its tasks."""
    from toolscale.dataset import audit as auditing

    if as_json:
        print(json.dumps(auditing.audit(path).as_json()))
        return
    auditing.print_audit(path)


def run_environment(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The environment folder.")],
    calls: Annotated[Path, typer.Option(help="A JSON list of calls: name, arguments.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print {outcomes, diff} as JSON.")] = False,
) -> None:
    """Run calls one after the other on a fresh database; print their results and what they changed."""
    from toolscale.environment import command

    command.run_calls(folder, calls, as_json)
