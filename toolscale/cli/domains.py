"""The domains of a data root: proposed, listed and released."""

import asyncio
import shlex
import sys
import textwrap
import uuid
from typing import TYPE_CHECKING, Annotated

import typer

from toolscale.cli import options
from toolscale.cli.flags import Chosen, option, takes
from toolscale.cli.fleet import show_report
from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.listing import ListedDomain, ShownDomain
    from pipelines.proposals import ProposalReport

_WIDEST = 100
"""Columns of a line that is read with ease."""

app = typer.Typer(help="Propose, list, show, release and hold domains.", no_args_is_help=True)


@app.command()
@takes(
    option("model"),
    option("api_base"),
    option("seed"),
    option("max_cost"),
    option("max_calls"),
)
def propose(
    count: Annotated[
        int, typer.Option(min=1, help="Proposed domains wanted in all; those that are there already count.")
    ] = 20,
    topics: Annotated[
        str, typer.Option(metavar="FILE", help="Topics of your own, one a line: each gets a domain before the rest.")
    ] = "",
    like: Annotated[
        str,
        typer.Option(
            metavar="DIR",
            help="A folder of domains' files, or a data root: proposals follow their kind and detail, and repeat none.",
        ),
    ] = "",
    *,
    chosen: Chosen,
    as_json: options.AsJson = False,
) -> None:
    """Let a model propose domains, spread evenly over the 88 divisions of ISIC.

    ISIC is the United Nations' classification of all economic activities, such as farming, retail or health.

    Each is written to `domains/` in the data root, switched off until `toolscale domains release` or a budget releases
    it. What is too near to another domain is refused, unless a topic of yours asked for it. The same command continues
    a run that ended early, and pays for nothing twice.
    """
    from pipelines.board import shown
    from pipelines.factory import Factory
    from pipelines.progress import Progress
    from pipelines.proposals import Plan
    from pipelines.proposals import propose as proposed
    from pipelines.telling import Telling
    from toolscale.llm import GatewayError
    from toolscale.proposals.proposing import LEDGER, STAGE
    from toolscale.settings import Settings

    factory = Factory.of(Settings.load(), **chosen)
    with shown() as progress:
        telling = Telling(Progress(LEDGER, STAGE, "started"), progress, lambda _: None, lambda _: None)
        try:
            plan, run = Plan(count, topics, like), uuid.uuid4().hex
            report = asyncio.run(proposed(plan, factory, telling, run, lambda line: say(line, error=True)))
        except GatewayError as error:
            raise UserError(str(error)) from None
    say_json(report.as_json()) if as_json else _report(report)
    if report.short:
        raise typer.Exit(options.BUDGET_SPENT)


@app.command("list")
def list_domains(as_json: options.AsJson = False) -> None:
    """List the domains: whether each is on, whether it is made, and where in ISIC's tree it is.

    One is *retired* if its file is gone: what was made of it stays, and no run makes it again.
    """
    from pipelines.factory import Factory
    from pipelines.listing import listed_domains
    from toolscale.settings import Settings

    factory = Factory.of(Settings.load())
    domains, passed_over = listed_domains(factory.data_root, factory.dataset)
    for line in passed_over:
        say(f"passed over: {line}", error=True)
    if as_json:
        say_json({"domains": [each._asdict() for each in domains], "passed_over": passed_over})
    elif domains:
        _print(domains)
    else:
        say("no domains")


@app.command()
def show(
    names: Annotated[list[str], typer.Argument(metavar="DOMAIN...", help="Names of domains.")],
    as_json: options.AsJson = False,
) -> None:
    """Show what domains are about, to decide which to release: description, place, switch, and the sketch of tables."""
    from pipelines.listing import shown_domains
    from toolscale.settings import Settings

    domains = shown_domains(Settings.load().data_root, names)
    if as_json:
        say_json({"domains": [_as_json(each) for each in domains]})
        return
    for number, each in enumerate(domains):
        say(*[""] * bool(number), *_read_out(each))


@app.command()
def release(
    names: Annotated[list[str] | None, typer.Argument(metavar="[DOMAIN]...", help="Names of domains.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Release every domain that is switched off.")] = False,
) -> None:
    """Switch domains on, so that runs and the sensor make them. The rest of their files stays as it is."""
    from pipelines.domains import domain_files, release_domains, safe_name
    from toolscale.settings import Settings

    if bool(names) == every:
        raise UserError("name the domains to release, as `toolscale domains list` shows them, or give --all")
    root = Settings.load().data_root
    chosen = domain_files(root).off if every else [safe_name(name) for name in names or []]
    released = release_domains(root, chosen)
    for name in chosen:
        say(f"{name}: {'released' if name in released else 'was on already'}")
    if not chosen:
        say("no domain is switched off")


@app.command()
def hold(
    names: Annotated[list[str], typer.Argument(metavar="DOMAIN...", help="Names of domains.")],
) -> None:
    """Switch domains off until somebody releases them: no budget does. For proposals that you do not want, too."""
    from pipelines.domains import safe_name, switch_domains_off
    from toolscale.settings import Settings

    chosen = [safe_name(name) for name in names]
    changed = switch_domains_off(Settings.load().data_root, chosen)
    for name in chosen:
        say(f"{name}: {'switched off' if name in changed else 'was off already'}")


@app.command("report")
def report_domains(as_json: options.AsJson = False) -> None:
    """Say what is made of all domains, what is not and why, what it cost, and how much of the world it covers.

    The same is written to `fleet.md` in the data root.
    """
    from pipelines.factory import Factory
    from toolscale.settings import Settings

    show_report(Factory.of(Settings.load()), as_json)


def _report(report: "ProposalReport") -> None:
    from toolscale.console import console, table

    proposed = report.proposed
    if proposed.accepted:
        shown = table("domain")
        shown.add_column("place")
        for each in proposed.accepted:
            shown.add_row(each.name, f"topic `{each.origin.topic}`" if each.origin.topic else each.division.path)
        console().print(shown)
    for heading, lines in (
        ("Near to another, but a topic of yours asked for them", proposed.warnings),
        ("No answer that could be read", proposed.unanswered),
        ("Passed over", report.passed_over),
        ("Topics left, since no more domains were wanted", report.topics_left),
        ("Fewer than wanted", report.missing if not proposed.stopped else []),
    ):
        if lines:
            say("", f"{heading}:", *(f"  {line}" for line in lines))
    more = report.plan.count - report.there_now
    say(
        "",
        f"{len(proposed.accepted):,} domains proposed now, {report.there_now:,} in all; "
        + (f"--count {report.plan.count} wants {more:,} more." if more > 0 else f"--count {report.plan.count} is met."),
        f"Proposals refused: {len(proposed.refused):,}. {report.cost}",
    )
    if proposed.stopped:
        say(report.stop, f"  {shlex.join(['toolscale', *sys.argv[1:]])}")
    if proposed.accepted:
        say(
            "They are switched off. To read them: toolscale domains show NAME...",
            "To have them made: toolscale domains release NAME... (or --all), or let a budget release them:",
            "  toolscale synthesize --all --release-proposed --max-cost DOLLARS",
        )


def _as_json(domain: "ShownDomain") -> dict[str, object]:
    return {**domain.listed._asdict(), "description": domain.description, "tables": domain.tables}


def _read_out(domain: "ShownDomain") -> "Iterator[str]":
    """A domain in lines that fit a terminal."""
    listed = domain.listed
    made = {"no": "not made", "begun": "begun", "yes": "made"}[listed.made]
    topic = f", topic `{listed.topic}`" if listed.topic else ""
    yield f"{listed.name} ({listed.switch}, {made})"
    yield f"  {listed.place or 'no place in the tree'}{topic}"
    yield from _wrapped(domain.description, "  ")
    for name, fields in domain.tables.items():
        yield from _wrapped(f"{name}: {', '.join(fields)}", "  - ")


def _wrapped(text: str, before: str) -> list[str]:
    from toolscale.console import console

    columns = min(console().width, _WIDEST)
    return textwrap.wrap(in_one_line(text), columns, initial_indent=before, subsequent_indent=" " * len(before))


def _print(domains: "list[ListedDomain]") -> None:
    from toolscale.console import console, table

    shown = table("domain")
    for column in ("switch", "made", "place"):
        shown.add_column(column)
    for each in domains:
        shown.add_row(each.name, each.switch, each.made, each.place)
    console().print(shown)
