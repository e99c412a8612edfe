"""The cache: what every model call said, and what was paid for it."""

import re
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolscale.cli.options import AsJson
from toolscale.errors import UserError
from toolscale.printable import as_a_line
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.store.upkeep import Amount

app = typer.Typer(help="Inspect, prune and salvage the store of model calls.", no_args_is_help=True)


@app.command()
def stats(as_json: AsJson = False) -> None:
    """Show what the store holds and how much space it takes."""
    from toolscale.settings import Settings
    from toolscale.store import Store, upkeep

    with Store.existing(Settings.load().database_url()) as store:
        held = upkeep.stats(store)
    say_json(held) if as_json else say(*_as_lines(held))


@app.command()
def prune(
    older_than: Annotated[str, typer.Option(help="Calls older than this: 30d, 12h, 90m.")] = "",
    model: Annotated[str, typer.Option(help="Calls of this model.")] = "",
    stage: Annotated[str, typer.Option(help="Calls of this stage.")] = "",
    domain: Annotated[str, typer.Option(help="Calls for this domain.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Calls that got no answer.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove the calls that meet all the options given, from cache and ledger alike. An answer that is removed is paid
    for again by the next run that needs it.
    """
    from toolscale.settings import Settings
    from toolscale.store import Store, upkeep

    age = _age(older_than) if older_than else None
    selection = upkeep.Selection(age, model or None, stage or None, domain or None, failed)
    if not any(selection):
        raise UserError("say which calls to remove: --older-than, --model, --stage, --domain or --failed")
    with Store.existing(Settings.load().database_url()) as store:
        chosen = upkeep.amount(store, selection)
        if dry_run or not chosen.calls:
            say(f"{_named(chosen)} would be removed from {store.url}")
            return
        if not yes:
            _confirm(f"Remove {_named(chosen)} from {store.url}?")
        freed = upkeep.prune(store, selection)
    room = _room(freed.bytes_before - freed.bytes_after)
    parts = _count(freed.parts, "part")
    say(f"removed {_named(freed.removed)}, and {parts} of requests that only they used; freed {room} on disk")


@app.command()
def salvage(
    out: Annotated[Path, typer.Option(help="The new file; it must not exist yet.")],
) -> None:
    """Copy what can still be read of a damaged SQLite store into a new one."""
    from toolscale.settings import Settings
    from toolscale.store.opening import locate
    from toolscale.store.salvage import salvage as save

    location = locate(Settings.load().database_url())
    if location.get_backend_name() != "sqlite":
        raise UserError("only a store in SQLite can be salvaged: a Postgres server has tools of its own")
    damaged = Path(str(location.database))
    for table, rows in save(damaged, out).items():
        say(f"{table:<14}{rows:>10,} rows")
    say(f"saved into {out}: move it to {damaged} once you have put the damaged file away")


def _age(text: str) -> timedelta:
    match = re.fullmatch(r"(\d+)([dhm])", text.strip())
    if match is None:
        raise UserError(f"--older-than {text}: give a number and d, h or m, such as 30d")
    return timedelta(**{{"d": "days", "h": "hours", "m": "minutes"}[match[2]]: int(match[1])})


def _confirm(question: str) -> None:
    if not _at_a_terminal():
        raise UserError("no terminal to ask at: use --yes to remove them, or --dry-run to see what would go")
    if not typer.confirm(as_a_line(question)):
        raise typer.Exit(1)


def _at_a_terminal() -> bool:
    return sys.stdin.isatty()


def _named(calls: "Amount") -> str:
    return f"{_count(calls.answers, 'answer')} (${calls.dollars:,.4f}) and {_count(calls.failed, 'failed call')}"


def _as_lines(held: dict[str, Any]) -> list[str]:
    lines = [f"{held['store']}: {_room(held['bytes'])}"]
    paid = f"{_count(held['answers'], 'answer')} (${held['dollars']:,.4f}), {_count(held['failed'], 'failed call')}"
    lines.append(paid if held["oldest"] is None else f"{paid}; from {held['oldest']} to {held['newest']}")
    for dimension in ("stage", "model", "domain"):
        rows: dict[str, dict[str, int]] = held[f"by_{dimension}"]
        width = max((len(name) for name in (*rows, dimension)), default=0)
        lines += ["", f"{dimension:<{width}}  {'answers':>10}  {'failed':>8}"]
        lines += [f"{name:<{width}}  {row['answers']:>10,}  {row['failed']:>8,}" for name, row in rows.items()]
    return lines


def _count(number: int, of: str) -> str:
    return f"{number:,} {of}" if number == 1 else f"{number:,} {of}s"


def _room(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"
