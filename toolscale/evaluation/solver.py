"""An orchestrator with a catalogue, as a benchmark's problems use it."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.catalogue.toolbox import Toolbox
from toolscale.evaluation.preferences import BenchmarkPreference
from toolscale.llm import Gateway
from toolscale.messages import Message
from toolscale.orchestration.loop import orchestrate
from toolscale.orchestration.run import Event
from toolscale.orchestration.trace import Trace
from toolscale.prompts import render
from toolscale.settings import ModelSettings, Price
from toolscale.tools.tool import Tool


@dataclass(frozen=True)
class Solver:
    """Everything that an attempt depends on and that no problem decides."""

    benchmark: str
    model: ModelSettings
    price: Price
    gateway: Gateway
    toolbox: Toolbox
    configuration: ToolConfiguration
    judging: Gateway
    """Asks the role `judge`."""
    traces: Path
    """Folder of the traces: an interrupted attempt goes on from its own, and so does one with more turns."""
    preferences: Mapping[str, BenchmarkPreference]
    """By the problem's id; a problem without one is asked as it stands."""
    max_turns: int
    user: ModelSettings
    """Plays the user, where a benchmark has one."""
    seed: int = 0

    def within(self, max_turns: int) -> "Solver":
        """The same with another limit on turns."""
        return replace(self, max_turns=max_turns)

    def open(
        self, problem: str, own: Sequence[Tool] = (), configuration: ToolConfiguration | None = None
    ) -> list[Tool]:
        """A problem's own tools, then the catalogue's; of two with one name the problem's own.

        A problem that brings a configuration is offered that instead of the run's.

        Raises:
            UserError: it offers what the catalogue does not have, or what cannot be had here.
        """
        taken = {tool.spec.name for tool in own}
        offered = self.toolbox.open(
            configuration or self.configuration, task=problem, domain=self.benchmark, seed=self.seed
        )
        return [*own, *(tool for tool in offered if tool.spec.name not in taken)]

    async def solve(
        self,
        problem: str,
        tools: Sequence[Tool],
        opening: Sequence[Message],
        *,
        max_turns: int | None = None,
        conversing: bool = False,
        heard: Callable[[Event], None] = lambda event: None,
    ) -> Trace:
        """Let the orchestrator work from an opening; what the user prefers is added to its last message.

        Args:
            problem: its id.
            tools: see `open`.
            opening: the conversation so far.
            max_turns: where fewer are left than an attempt may have.
            conversing: the opening is a conversation with a user, who goes on afterwards: it says already what is
                preferred, and no trace file can resume it.
            heard: told what happens, as it happens.
        """
        return await orchestrate(
            "",
            self.model,
            tools,
            self.gateway,
            price=self.price,
            id=problem,
            domain=self.benchmark,
            opening=list(opening) if conversing else self._preferring(problem, opening),
            max_turns=self.max_turns if max_turns is None else max_turns,
            seed=self.seed,
            trace=None if conversing else self.traces / f"{_file_name(problem)}.jsonl",
            heard=heard,
        )

    def _preferring(self, problem: str, opening: Sequence[Message]) -> list[Message]:
        preference = self.preferences.get(problem)
        if preference is None or not preference.instruction:
            return list(opening)
        *before, last = opening
        return [*before, {**last, "content": f"{last['content']}\n\n{preference.instruction}"}]


def asked(question: str, tools: Sequence[Tool]) -> list[Message]:
    """How a plain question is put to an orchestrator."""
    return render("orchestrator", question=question, tools=bool(tools))


def _file_name(problem: str) -> str:
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", problem)[:60]
    return f"{readable}-{hashlib.sha256(problem.encode()).hexdigest()[:8]}"
