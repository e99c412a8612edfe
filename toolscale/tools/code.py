"""`code_interpreter`: Python with the standard library and numpy, in the environment's sandbox."""

import asyncio
import re
import time
import weakref
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import Field

from toolscale.artifacts import Call, CallOutcome, EnvironmentSpec, FunctionSpec
from toolscale.environment import FATAL, Limits, Sandbox
from toolscale.tools.base import Arguments, ToolFailed, TypedTool
from toolscale.tools.tool import ToolAnswer

MODULES = (
    *("array", "ast", "cmath", "graphlib", "html", "pprint", "secrets", "struct", "sys", "zlib"),
    *("numpy", "numpy.fft", "numpy.linalg", "numpy.ma", "numpy.polynomial", "numpy.random"),
)
"""What snippets may import beside ``PRELOADED_MODULES``."""

_RUN = "run"
_MOST_SNIPPETS = 100
_MOST_SECONDS_AGAIN = 30.0
_FENCE = re.compile(r"\A\s*```[a-zA-Z0-9]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def code_sandbox(*, seconds: float = 10.0, memory_bytes: int = 1 << 30, now: datetime | None = None) -> Sandbox:
    """The sandbox for snippets: one warm process, which any number of episodes share. Close it in the end.

    ``seconds`` bounds one snippet. The clock stands still at ``now``, by default at the beginning of the present day,
    so that snippets that run again in an episode say the same again.
    """
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    spec = EnvironmentSpec(
        domain="code_interpreter",
        now=now or today,
        functions=[FunctionSpec(name=_RUN, description="Run a snippet.", parameters={}, kind="read")],
        source=Path(__file__).with_name("interpreter.py").read_text(encoding="utf-8"),
        database={},
    )
    return Sandbox(spec, Limits(seconds=seconds, memory_bytes=memory_bytes), modules=MODULES)


class CodeArguments(Arguments):
    """What `code_interpreter` takes."""

    code: str = Field(min_length=1, max_length=100_000, description="Python source. Print what you want to see.")


class CodeInterpreter(TypedTool[CodeArguments]):
    """Runs snippets of one episode; what one defines the next can use. Make one for each episode.

    Event-sourced like a session: it keeps the snippets, and where the process that ran them is gone, all run again.
    A snippet that hangs or kills its process is forgotten, so what came before it stays. One that raises an error has
    answered: the error is what it shows, and what it did until then stays.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        name: str = "code_interpreter",
        description: str = (
            "Run Python (standard library and numpy) in a sandbox without files or network. Variables last until the "
            "end of the conversation. Returns what was printed and the value of the last expression."
        ),
    ) -> None:
        """``sandbox`` is one of ``code_sandbox``."""
        super().__init__("code_interpreter", name, description, CodeArguments)
        self._sandbox = sandbox
        self._history: list[Call] = []
        weakref.finalize(self, sandbox.let_go, self._history).atexit = False
        self._seconds_again = 0.0
        self._turn = asyncio.Lock()

    async def answer(self, arguments: CodeArguments) -> ToolAnswer:
        """Run a snippet; snippets of one turn run one after the other."""
        fence = _FENCE.match(arguments.code)
        async with self._turn:
            return await asyncio.to_thread(self._run, fence.group(1) if fence else arguments.code)

    def _run(self, code: str) -> ToolAnswer:
        if len(self._history) >= _MOST_SNIPPETS or self._seconds_again > _MOST_SECONDS_AGAIN:
            raise ToolFailed("this conversation has run as much code as it may: answer with what you know")
        call = Call(name=_RUN, arguments={"code": code})
        started = time.monotonic()
        replay = self._sandbox.run([*self._history, call], goes_on=True)
        outcome = replay.outcomes[-1]
        if outcome.error_type in FATAL or not outcome.ok:
            raise ToolFailed(_stopped(outcome, self._sandbox.limits))
        self._history.append(call)
        self._seconds_again = time.monotonic() - started
        return ToolAnswer(content=_shown(outcome.result))


def _stopped(outcome: CallOutcome, limits: Limits) -> str:
    match outcome.error_type:
        case "Timeout":
            reason = f"it ran for more than {limits.seconds:g} seconds"
        case "Killed":
            reason = f"it ended the interpreter, or took more than {limits.memory_bytes >> 20} MB of memory"
        case "NotRun":
            reason = "the code before it did not come to its end this time"
        case _:
            reason = f"{outcome.error_type}: {outcome.error}"
    return f"the code was stopped: {reason}. What earlier code defined is still there"


def _shown(result: Any) -> str:
    """What a snippet shows. It may be forged by the snippet, so it may be anything."""
    if not isinstance(result, dict):
        return str(result)
    parts = [str(result[part]).rstrip() for part in ("printed", "value", "error") if result.get(part)]
    return "\n".join(parts) or "(nothing was printed)"
