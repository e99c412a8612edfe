"""A run of an orchestrator on a terminal, as it happens: what it thinks, calls and gets back, and what that costs."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.padding import Padding
from rich.text import Text

from toolscale.orchestration.run import Event, Said
from toolscale.orchestration.trace import ToolCall, Trace
from toolscale.printable import in_one_line, printable

_SHOWN_CHARACTERS = 700
_SHOWN_LINES = 10


class Show:
    """Prints events, above a line that says what the run has taken so far. Use it as a context."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started = time.monotonic()
        self._turn, self._dollars, self._tokens = 0, 0.0, 0
        self._live = Live(get_renderable=self._foot, console=console, refresh_per_second=4, transient=True)

    @contextmanager
    def shown(self) -> Iterator["Show"]:
        """Show the foot while the block lasts."""
        with self._live:
            yield self

    def hear(self, event: Event) -> None:
        """Print what has just happened."""
        if isinstance(event, Said):
            self._turn, self._dollars, self._tokens = event.turn, event.dollars, event.tokens
            self._print_message(event)
            return
        self._dollars += event.answer.dollars
        self._print_call(event)

    def finish(self, trace: Trace) -> None:
        """Print what the run came to."""
        tools = sum(call.answer.prompt_tokens + call.answer.completion_tokens for call in trace.calls)
        own = trace.prompt_tokens + trace.completion_tokens
        self._console.print()
        if trace.ending == "answered":
            self._console.print(Text(printable(trace.answer), style="bold"))
        else:
            self._console.print(Text(f"no answer: {_ENDINGS[trace.ending]}", style="bold red"))
        if unread := [source.url for source in trace.sources if not source.read]:
            self._console.print(Text(f"cited and not read: {printable(', '.join(unread))}", style="bold red"))
        self._console.print(
            Text(
                f"${trace.dollars:.4f}, {own:,} tokens of the orchestrator, {tools:,} of tools, "
                f"{len(trace.calls)} calls, {trace.seconds:.1f} s",
                style="dim",
            )
        )

    def _print_message(self, event: Said) -> None:
        said = str(event.message.get("content") or event.message.get("refusal") or "").strip()
        self._console.print(Text(f"turn {event.turn}", style="bold cyan"))
        if said:
            self._console.print(_brief(said))
        for call in event.message.get("tool_calls") or []:
            function = call.get("function") or {}
            asked = f"calls {_line(function.get('name'))} {_line(function.get('arguments'))}"
            self._console.print(_indented(Text(asked), 2))

    def _print_call(self, call: ToolCall) -> None:
        answer = call.answer
        took = f"${answer.dollars:.4f}, {answer.seconds:.1f} s"
        style = "red" if answer.error is not None else "green"
        self._console.print(Text(f"  {in_one_line(call.tool)}: {took}", style=style))
        self._console.print(_brief(answer.shown, 4))

    def _foot(self) -> Text:
        seconds = time.monotonic() - self._started
        said = f"turn {self._turn}, ${self._dollars:.4f}, {self._tokens:,} tokens, {seconds:.0f} s"
        return Text(said, style="dim")


_ENDINGS = {
    "turn_limit": "the turns are used up; --max-turns allows more, and --trace continues an earlier run",
    "budget": "the budget is spent; --max-cost allows more, and --trace continues an earlier run",
    "agent_error": "the orchestrator said nothing that could be read, or its context is full",
}


def _brief(text: str, indent: int = 2) -> Padding:
    lines = printable(text).strip().splitlines() or [""]
    shown = "\n".join(lines[:_SHOWN_LINES])[:_SHOWN_CHARACTERS]
    cut = len(lines) > _SHOWN_LINES or len(shown) == _SHOWN_CHARACTERS
    return _indented(Text(shown + (" ..." if cut else "")), indent)


def _indented(text: Text, indent: int) -> Padding:
    """Lines that the terminal breaks stay as far in as the first."""
    return Padding(text, (0, 0, 0, indent), expand=False)


def _line(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(printable(text).split())[:_SHOWN_CHARACTERS]
