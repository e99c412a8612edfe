"""Calls as a person reads them. A model's text is printed as it is: nothing in it acts on the terminal."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from toolscale.printable import in_one_line, printable
from toolscale.store import ModelCall, Store
from toolscale.traces.ledger import openai_request, openai_response

_KEY = 12
"""Characters of a key that the list shows: enough to name it."""

_WIDE = 120
"""Columns of a terminal that has room for the model."""


def print_calls(calls: Sequence[ModelCall], to: Console) -> None:
    """A line for each call."""
    roomy = to.width >= _WIDE
    table = Table(box=None, header_style="dim", pad_edge=False)
    table.add_column("key", no_wrap=True, min_width=_KEY)
    table.add_column("when (UTC)", no_wrap=True, min_width=11)
    for heading in ("stage", "for", *(("model",) if roomy else ())):
        table.add_column(heading, overflow="ellipsis")  # these give way where room is short
    for heading, widest in (("in", 6), ("out", 5), *((("$", 6),) if roomy else ()), ("s", 4)):
        table.add_column(heading, justify="right", no_wrap=True, min_width=widest)
    table.add_column("status", no_wrap=True, overflow="ellipsis", min_width=6)
    for call in calls:
        table.add_row(
            call.key[:_KEY],
            _utc(call.created_at).strftime("%m-%d %H:%M" if to.width < _WIDE else "%m-%d %H:%M:%S"),
            *map(_cell, (call.stage, call.task or call.domain, *((call.model,) if roomy else ()))),
            *(f"{count:,}" for count in (call.prompt_tokens, call.completion_tokens)),
            *((_price(call.dollars),) if roomy else ()),
            f"{call.seconds:.1f}",
            Text(in_one_line(call.status), style="" if call.status == "ok" else "red"),
        )
    to.print(table)


def print_call(call: ModelCall, store: Store, to: Console, *, full: bool) -> None:
    """One call: what it was, what was said, what came back. `full` adds the schemas."""
    request, response = openai_request(store, call), openai_response(call)
    messages, tools = request.pop("messages"), request.pop("tools", [])
    params = {name: value for name, value in request.items() if name != "model"}
    known = {
        "call": call.key,
        "when": f"{_utc(call.created_at):%Y-%m-%d %H:%M:%S} UTC, took {call.seconds:.1f} s",
        "for": f"stage {call.stage}, role {call.role}, domain {call.domain}",
        "task": call.task or "",
        "model": f"{call.model} at {call.endpoint}",
        "params": ", ".join(f"{name} {_param(value, full)}" for name, value in params.items()),
        "tools": ", ".join(map(_tool_name, tools)),
        "tokens": f"{_sent(call)}, {call.completion_tokens:,} out, {_price(call.dollars, '$')}",
        "status": call.status,
        "error": in_one_line(call.error or ""),
    }
    for name, value in known.items():
        if value:
            _say(to, Text.assemble((f"{name:<8}", "dim"), in_one_line(value)))
    for tool in tools if full else ():
        _head(to, f"tool {_tool_name(tool)}")
        _say(to, _indented(tool))
    for message in messages:
        _message(to, message, str(message.get("role")))
    for choice in (response or {}).get("choices", ()):
        _message(to, choice["message"], f"answer ({choice['finish_reason']})")


def _sent(call: ModelCall) -> str:
    cached = f" ({call.cached_tokens:,} cached)" if call.cached_tokens else ""
    return f"{call.prompt_tokens:,} in{cached}"


def _message(to: Console, message: dict[str, Any], heading: str) -> None:
    _head(to, " ".join(filter(None, (heading, message.get("tool_call_id")))))
    for content in (message.get("content"), message.get("refusal")):
        if content:
            _say(to, Text(printable(content)) if isinstance(content, str) else _indented(content))
    for asked in message.get("tool_calls") or ():
        function = asked.get("function", {})
        _say(to, Text(printable(f"calls {function.get('name')} {function.get('arguments')}")))


def _head(to: Console, text: str) -> None:
    to.print()
    name = Text(in_one_line(text), style="bold")
    to.print(Rule(name, align="left", style="dim") if to.is_terminal else Text(f"--- {name.plain}"))


def _say(to: Console, text: Text) -> None:
    """Wrapped between words at a terminal; elsewhere a line stays a line, however long."""
    to.print(text, soft_wrap=not to.is_terminal)


def _indented(value: Any) -> Text:
    return Text(printable(json.dumps(value, indent=1, ensure_ascii=False)))


def _param(value: Any, full: bool) -> str:
    match value:
        case {"type": "json_schema", "json_schema": {"name": str(name)}} if not full:
            return f"json_schema {name}"
        case _:
            return in_one_line(json.dumps(value, ensure_ascii=False))


def _tool_name(tool: dict[str, Any]) -> str:
    return str(tool.get("function", {}).get("name"))


def _cell(text: str) -> Text:
    return Text(in_one_line(text))


def _price(dollars: float | None, sign: str = "") -> str:
    return "?" if dollars is None else f"{sign}{dollars:.4f}"


def _utc(moment: datetime) -> datetime:
    """SQLite gives a time back without its zone."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
