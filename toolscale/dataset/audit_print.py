"""An audit for a reader at a terminal: tables, then the first failures."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from toolscale.dataset.hidden_inputs import told
from toolscale.dataset.left_out import summed_up
from toolscale.printable import in_one_line

if TYPE_CHECKING:
    from rich.text import Text

MOST_FAILURES = 20


def print_report(report: Mapping[str, Any]) -> None:
    """Print what `audit`, or the audit of rows that cannot be executed, came to."""
    from toolscale.console import console

    console().print(*_parts(report), sep="\n", crop=False)


def _parts(report: Mapping[str, Any]) -> Iterator[Any]:
    from rich.console import Group
    from rich.table import Table

    counted, named = ("tasks", "gates") if "gates" in report else ("rows", "checks")
    total = report[counted]
    checks = Table(
        named.removesuffix("s"),
        "passed",
        "failed",
        "not evaluated",
        title=f"{report['passed']} of {total} {counted} pass",
    )
    for name, counts in report[named].items():
        rest = total - counts["passed"] - counts["failed"]
        checks.add_row(in_one_line(name), str(counts["passed"]), str(counts["failed"]), str(rest))
    yield checks
    if count := report.get("misplaced_trajectories"):
        yield f"{count} trajectories lie in another split than their tasks: build the dataset again"
    if "agents" in report:
        agents = Table("agent", "tasks it solves")
        for name, solved in report["agents"].items():
            agents.add_row(in_one_line(name), str(solved))
        yield agents
        if "inaction" in report:
            yield _line(of_inaction(report["inaction"], report["tasks"]))
        mutation = report["mutation"]
        yield _line(f"mutants killed: {mutation['killed']} of {mutation['total']}")
    for failure in report["failures"][:MOST_FAILURES]:
        check = failure.get("gate") or failure["check"]
        yield _line(f"{failure['task_id']} fails {check}: {'; '.join(failure['reasons'][:3])}")
    if (more := len(report["failures"]) - MOST_FAILURES) > 0:
        yield _line(f"and {more} more failures; --json lists them all")
    # In a group, because lines on their own would be joined and then wrapped.
    yield Group(*(_line(line, whole=True) for line in told(report.get("hidden_inputs", []))))
    for line in summed_up((one["what"], one["reason"]) for one in report.get("left_out", [])):
        yield _line(f"not read: {line}")
    for limit in report.get("limits", []):
        yield _line(f"limit: {limit}")


def of_inaction(found: Mapping[str, int], tasks: int) -> str:
    """How many tasks doing nothing passes by the rules of others, in one sentence."""
    return (
        f"doing nothing is right by the database alone in {found['database']} of {tasks} tasks, by the answer alone in "
        f"{found['answer']}, by both in {found['both']}"
    )


def _line(text: str, *, whole: bool = False) -> "Text":
    """A line of text; a whole one is never wrapped, so that a program can read it too."""
    from rich.text import Text

    return Text(in_one_line(text), no_wrap=whole, overflow="ignore" if whole else None)
