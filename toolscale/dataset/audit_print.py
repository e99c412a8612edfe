"""An audit for a reader at a terminal: tables, then the first failures."""

from collections.abc import Iterator, Mapping
from typing import Any

MOST_FAILURES = 20


def print_report(report: Mapping[str, Any]) -> None:
    """Print what `audit`, or the audit of rows that cannot be executed, came to."""
    from rich.console import Console

    Console().print(*_parts(report), sep="\n")


def _parts(report: Mapping[str, Any]) -> Iterator[Any]:
    from rich.table import Table
    from rich.text import Text

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
        checks.add_row(name, str(counts["passed"]), str(counts["failed"]), str(rest))
    yield checks
    if count := report.get("misplaced_trajectories"):
        yield f"{count} trajectories lie in another split than their tasks: build the dataset again"
    if "agents" in report:
        agents = Table("agent", "tasks it solves")
        for name, solved in report["agents"].items():
            agents.add_row(name, str(solved))
        yield agents
        mutation = report["mutation"]
        yield Text(f"mutants killed: {mutation['killed']} of {mutation['total']}")
    for failure in report["failures"][:MOST_FAILURES]:
        check = failure.get("gate") or failure["check"]
        yield Text(f"{failure['task_id']} fails {check}: {'; '.join(failure['reasons'][:3])}")
    if (more := len(report["failures"]) - MOST_FAILURES) > 0:
        yield Text(f"and {more} more failures; --json lists them all")
    for one in report.get("left_out", []):
        yield Text(f"not read: {one['what']}: {one['reason']}")
    for limit in report.get("limits", []):
        yield Text(f"limit: {limit}")
