"""Judging: trajectories, datasets, and calls run by hand."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toolscale.errors import UserError
from toolscale.terminal import say, say_json, say_text

if TYPE_CHECKING:
    from toolscale.artifacts import EnvironmentSpec, Task


def check(
    environment: Annotated[Path, typer.Option(help="The environment folder.")],
    tasks: Annotated[Path, typer.Option(help="A JSON list of tasks: id, golden_calls, communicate_info.")],
    trajectories: Annotated[Path, typer.Option(help="JSON lines: task_id, and calls with agent_messages or messages.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Judge recorded trajectories against an environment and its tasks."""
    from toolscale.checkers import check

    complaint = check.Complaint(trajectories)
    for judgement in check.check(environment, tasks, trajectories):
        complaint.note(judgement)
        say_json(judgement.as_row()) if as_json else say(*judgement.as_lines())
    if wrong := complaint.as_line():
        raise UserError(wrong)


def audit(
    path: Annotated[
        Path, typer.Argument(help="A dataset, an environment with tasks.json, a tau2-bench domain, or ToolScale rows.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a summary to paste into an issue.")] = False,
) -> None:
    """Replay every task of a dataset or environment and run every gate again; check rows that cannot be run."""
    from toolscale.dataset.audit_print import print_report
    from toolscale.dataset.markdown import as_markdown
    from toolscale.exchange.audit import audit_anything

    if as_json:
        say_json(audit_anything(path))
        return
    with _progress() as heard:
        report = audit_anything(path, heard)
    if markdown:
        say_text(as_markdown(report, path.resolve().name).rstrip("\n"))
        return
    print_report(report)


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error, and what to tell it."""
    from rich.progress import Progress

    from toolscale.console import console

    screen = console(error=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task("auditing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def run_environment(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The environment folder.")],
    calls: Annotated[Path, typer.Option(help="A JSON list of calls (name, arguments), or with --task a tasks.json.")],
    task: Annotated[str, typer.Option(help="Run the golden calls of this task of the file, by its id.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print {outcomes, diff} as JSON.")] = False,
) -> None:
    """Run calls one after the other on a fresh database; print their results and what they changed."""
    from toolscale.environment import command, load_environment

    spec = load_environment(folder)
    if not task:
        command.run_calls(spec, command.read_calls(calls, spec), as_json)
        return
    named = _task_of(calls, task, spec)
    command.run_calls(spec, named.golden_calls, as_json, named.start)


def _task_of(file: Path, name: str, spec: "EnvironmentSpec") -> "Task":
    """The task of that name in a file.

    Raises UserError where there is none, or where it calls what the environment does not have.
    """
    from toolscale.checkers.task_file import read_tasks
    from toolscale.environment import command

    task = next((task for task in read_tasks(file) if task.id == name), None)
    if task is None:
        raise UserError(f"{file}: no task `{name}`; give the id of one that stands there")
    command.refuse_unknown([*task.start, *task.golden_calls], file, spec)
    return task
