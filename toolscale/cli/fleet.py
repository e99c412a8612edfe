"""Printing what a fleet has to do, and what it came to."""

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

import typer

from toolscale.cli import options
from toolscale.printable import in_one_line
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.factory import Factory
    from pipelines.fleet import FleetRun
    from pipelines.fleet_plan import Due, Plan
    from pipelines.fleet_report import DomainLine, FleetReport

_SHOWN = 40
"""Domains that a terminal shows of those that are well; all are in the report's file and in `--json`."""


def make_fleet(factory: "Factory", at_once: int, as_json: bool) -> None:
    """Make all domains, and say what became of them; the exit status tells as well."""
    from pipelines.board import shown
    from pipelines.fleet import run_fleet

    with shown() as progress:
        run = run_fleet(factory, at_once=at_once, progress=progress)
    say_json(run.as_json()) if as_json else _print_run(run)
    if run.out_of_budget:
        raise typer.Exit(options.BUDGET_SPENT)
    if run.not_made or run.not_begun:
        raise typer.Exit(options.PASSED_OVER)


def show_plan(factory: "Factory", as_json: bool) -> None:
    """Say which domains a fleet would make, in which order, and what each will about cost."""
    from pipelines.fleet_budget import caps_of, released_within
    from pipelines.fleet_plan import plan

    found, caps = plan(factory), caps_of(factory)
    released, too_dear = released_within(found, caps)
    left_off = {**found.left_off, **{each.domain.name: too_dear for each in found.proposed[len(released) :]}}
    if as_json:
        say_json(_plan_as_json(found, released, left_off))
        return
    all_of_them = [*found.due, *released]
    if all_of_them:
        _print_due(found.due, released)
    about = f"about ${sum(each.dollars for each in all_of_them):,.2f}"
    say("", f"{len(all_of_them):,} domains to make, {about}; {len(found.made):,} made already.")
    if released:
        say(f"Of them {len(released):,} would be released by the budget.")
    for option, cap, figures in (
        ("--max-cost", caps.dollars, [each.dollars for each in all_of_them]),
        ("--max-calls", caps.calls, [each.calls for each in all_of_them]),
    ):
        if cap is not None and all_of_them:
            fit = sum(so_far <= cap for so_far in accumulate(figures))
            say(f"{option} {cap:g}: enough for about {fit:,} of them; the same command goes on with the others.")
    _print_left_off(left_off, found.off)
    _print_passed_over(found.passed_over)


def show_report(factory: "Factory", as_json: bool) -> None:
    """Say what there is of all domains, and write it as Markdown."""
    from pipelines.fleet_report import fleet_report, write_fleet_report

    report = fleet_report(factory)
    file = str(write_fleet_report(factory, report))
    if as_json:
        say_json({"report": file, "fleet": report.as_json()})
        return
    print_report(report)
    say("", f"report:  {file}")


def _plan_as_json(found: "Plan", released: "Sequence[Due]", left_off: "Mapping[str, str]") -> dict[str, object]:
    def told(domains: "Sequence[Due]") -> list[dict[str, object]]:
        return [{"domain": each.domain.name, "calls": each.calls, "dollars": each.dollars} for each in domains]

    return {
        "due": told(found.due),
        "released": told(released),
        "dollars": sum(each.dollars for each in (*found.due, *released)),
        "made": [each.name for each in found.made],
        "off": list(found.off),
        "left_off": dict(left_off),
        "passed_over": dict(found.passed_over),
    }


def _print_due(due: "Sequence[Due]", released: "Sequence[Due]") -> None:
    from toolscale.console import console, table

    shown, so_far = table("domain", "calls", "dollars", "all so far"), 0.0
    for each in (*due, *released):
        so_far += each.dollars
        name = f"{each.domain.name} (off)" if each in released else each.domain.name
        shown.add_row(name, f"{each.calls:,.0f}", f"${each.dollars:,.4f}", f"${so_far:,.4f}")
    console().print(shown)


def _print_run(run: "FleetRun") -> None:
    print_report(run.report)
    say("")
    if run.released:
        say(f"Released by the budget: {_few(run.released)}.")
    _print_left_off(run.left_off, run.off)
    _print_passed_over(run.passed_over)
    say("", f"{len(run.made):,} made now, {len(run.unchanged):,} made before, in {run.seconds:.0f} s")
    if run.ended:
        say(f"No other was begun: {run.ended}. Left: {_few(run.not_begun)}. The same command goes on from there.")
    if run.dataset:
        say(f"dataset: {run.dataset}")
    say(f"report:  {run.report_file}")


def print_report(report: "FleetReport") -> None:
    """Print a report: the figures, what was not made and why, the dearest domains, coverage and diversity."""
    from toolscale.console import console

    say(report.summary(), *filter(None, [report.switched()]), "")
    for lines in (report.not_made(), report.made()[:_SHOWN]):
        if lines:
            console().print(_table(lines))
            say("")
    if (more := len(report.made()) - _SHOWN) > 0:
        say(f"... and {more:,} others that are made", "")
    say(report.coverage(), *(f"{line}." for line in report.diverse()))


def _table(lines: "list[DomainLine]") -> object:
    from toolscale.console import table

    shown = table("domain", "state", "kept", "of tested", "paid", "¢ a task")
    shown.add_column("why", overflow="fold")
    for line in lines:
        cents = "" if line.cents is None else f"{line.cents:,.2f}"
        why = in_one_line(f"{line.stage}: {line.reason}" if line.stage else line.reason)
        shown.add_row(line.name, line.state, f"{line.kept:,}", f"{line.tested:,}", f"${line.dollars:,.4f}", cents, why)
    return shown


def _print_left_off(left_off: "Mapping[str, str]", off: "Sequence[str]") -> None:
    """How many are left off for which reason; where no budget was to release any, how each can be switched on."""
    for why, count in Counter(left_off.values()).items():
        say(f"{count:,} left off: {in_one_line(why)}.")
    if off and not left_off:
        say(f"{len(off):,} switched off; `toolscale domains release` switches one on, or all.")


def _print_passed_over(passed_over: "Mapping[str, str]") -> None:
    for name, why in passed_over.items():
        say(f"{in_one_line(name)}: {in_one_line(why)}")


def _few(names: "Sequence[str]") -> str:
    shown = ", ".join(names[:5]) or "nothing but these"
    return f"{shown} and {len(names) - 5:,} others" if len(names) > 5 else shown
