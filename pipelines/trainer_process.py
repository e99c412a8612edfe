"""The trainer's process: what it tells is heard while it runs, what it prints is passed on, and its last lines kept."""

import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import IO, Any

import dagster as dg
from dagster_pipes import PipesMessage, PipesParams

from pipelines.refusals import Refusal
from pipelines.shown import markdown
from toolscale.printable import printable
from toolscale.terminal import say_text

_LAST = 20
"""Lines that the page of a failed run shows."""

_LONGEST = 300
"""Characters of such a line."""

_SECONDS_TO_END = 20

_SECONDS_TO_READ = 5
"""How long the last lines are waited for. What the trainer began may outlive it and print on."""


def run_trainer(
    context: dg.AssetExecutionContext, command: Sequence[str], hear: Callable[[dict[str, Any]], None]
) -> None:
    """Run the trainer to its end.

    Raises:
        Refusal: it failed. Its last lines are the metadata `last_lines`.
        DagsterExecutionInterruptedError: the run was ended; so is the trainer, which writes its checkpoint first.
    """
    last: deque[str] = deque(maxlen=_LAST)
    with dg.open_pipes_session(context, dg.PipesTempFileContextInjector(), _Listening(hear)) as session:
        process = subprocess.Popen(
            command,
            env={**os.environ, **session.get_bootstrap_env_vars()},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        passing = Thread(target=_pass_on, args=(process.stdout, last), daemon=True)
        passing.start()
        try:
            status = process.wait()
        except dg.DagsterExecutionInterruptedError:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=_SECONDS_TO_END)
            raise
        passing.join(timeout=_SECONDS_TO_READ)
    if status != 0:
        said = next((line for line in reversed(last) if line.strip()), "it printed nothing")
        lines = printable("\n".join(last)).replace("```", "'''")
        raise Refusal(
            f"The trainer ended with status {status}: {printable(said)}. Its last lines are below, and all that it "
            "printed under *stdout* of this run.",
            {"last_lines": markdown(f"```\n{lines}\n```")},
        )


def _pass_on(printed: IO[str], last: deque[str]) -> None:
    """Print what a process prints, until it prints no more, and keep the last lines."""
    for line in printed:
        say_text(line.rstrip("\n"))
        last.append(line.rstrip()[:_LONGEST])


class _Listening(dg.PipesTempFileMessageReader):
    """Passes messages of ours on while the process runs; Dagster's own keep them until it has ended."""

    def __init__(self, hear: Callable[[dict[str, Any]], None]) -> None:
        super().__init__()
        self._hear = hear

    @contextmanager
    def read_messages(self, handler: dg.PipesMessageHandler) -> Iterator[PipesParams]:
        """What the session calls; `handler` goes on getting every message."""
        handle = handler.handle_message

        def heard(message: PipesMessage) -> None:
            handle(message)
            if message["method"] == "report_custom_message":
                self._hear((message["params"] or {})["payload"])

        handler.handle_message = heard  # type: ignore[method-assign]
        with super().read_messages(handler) as params:
            yield params
