"""An audit as Markdown that a maintainer can paste into an issue."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from toolscale.dataset.audit_print import of_inaction
from toolscale.dataset.hidden_inputs import told
from toolscale.dataset.left_out import summed_up
from toolscale.markdown import cell, inert
from toolscale.printable import in_one_line

MOST_IDS = 12
"""Ids that are listed for one finding; the rest is counted."""


def as_markdown(report: Mapping[str, Any], name: str) -> str:
    """The report of `audit`, or of rows that cannot be executed, with the ids of what is wrong and the limits."""
    checks = report["gates"] if "gates" in report else report["checks"]
    counted = "tasks" if "gates" in report else "rows"
    lines = [
        f"## Audit of {in_one_line(name)}",
        f"{report['passed']} of {report[counted]} {counted} pass every check that could be made.",
        f"| check | passed | failed | not evaluated |\n|---|---:|---:|---:|\n{_counts(checks, report[counted])}",
    ]
    if report.get("agents"):
        solved = ", ".join(f"{agent} {count}" for agent, count in report["agents"].items())
        mutation = report["mutation"]
        lines.append(
            f"{counted.capitalize()} that an agent solves without doing the work: {solved}. Altered golden writes that "
            f"flip the verdict: {mutation['killed']} of {mutation['total']}."
        )
    if report.get("inaction"):
        lines.append(f"Judged as others do, {of_inaction(report['inaction'], report[counted])}.")
    if count := report.get("misplaced_trajectories"):
        lines.append(f"{count} trajectories lie in another split than their tasks.")
    if report["failures"]:
        lines += ["### What is wrong", *_findings(report["failures"])]
    if report.get("hidden_inputs"):
        lines += [
            "### Clock and chance",
            "\n".join(f"- {in_one_line(line)}" for line in told(report["hidden_inputs"])),
        ]
    if report.get("left_out"):
        lines += [
            "### What could not be read",
            "\n".join(
                f"- {in_one_line(line)}"
                for line in summed_up((one["what"], one["reason"]) for one in report["left_out"])
            ),
        ]
    if report.get("limits"):
        lines += ["### Limits", "\n".join(f"- {in_one_line(limit)}" for limit in report["limits"])]
    return inert("\n\n".join(lines)) + "\n"


def _counts(checks: Mapping[str, Mapping[str, int]], total: int) -> str:
    return "\n".join(
        f"| {cell(check)} | {counts['passed']} | {counts['failed']} | {total - counts['passed'] - counts['failed']} |"
        for check, counts in checks.items()
    )


def _findings(failures: Iterable[Mapping[str, Any]]) -> list[str]:
    """One paragraph a check: which rows failed it, and an example of why."""
    by_check: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for failure in failures:
        by_check[failure.get("gate") or failure["check"]].append(failure)
    found = []
    for check, failed in by_check.items():
        ids = list(Counter(failure["task_id"] for failure in failed))
        shown = ", ".join(f"`{in_one_line(each)}`" for each in ids[:MOST_IDS])
        more = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
        examples = [
            f"  - `{in_one_line(failure['task_id'])}`: {_one_line(failure['reasons'][0])}" for failure in failed[:3]
        ]
        found.append("\n".join([f"- **{in_one_line(check)}**: {shown}{more}", *examples]))
    return found


def _one_line(text: str, most: int = 240) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
