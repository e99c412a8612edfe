"""An orchestrator with a catalogue, as a benchmark's problems use it."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.catalogue.toolbox import Toolbox
from toolscale.episodes.episode import UserMode
from toolscale.evaluation.preferences import BenchmarkPreference
from toolscale.llm import Gateway
from toolscale.messages import Message
from toolscale.orchestration.loop import orchestrate
from toolscale.orchestration.manner import Manner
from toolscale.orchestration.run import Event
from toolscale.orchestration.search_agent import is_search_agent, search_prompt
from toolscale.orchestration.toolrl_format import ChatFormat
from toolscale.orchestration.trace import Trace
from toolscale.prompts import render
from toolscale.settings import ModelSettings, Price
from toolscale.tools.tool import Tool


@dataclass(frozen=True)
class Solver:
    """Everything that an attempt depends on and that no problem decides."""

    benchmark: str
    model: ModelSettings
    prices: Mapping[str, Price]
    """What the orchestrator's tokens cost, by the schedule of the tools that it is offered."""
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
    judge: ModelSettings
    """Judges, where a benchmark asks its judge by itself."""
    seed: int = 0
    format: ChatFormat = "openai"
    """How the orchestrator is asked."""
    today: str = ""
    """The day that a search agent is told; empty where it is told none."""
    user_mode: UserMode = "direct"
    """Whether the user of a domain's task says everything at once, or is played by `user`."""

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

    def asked(self, question: str, tools: Sequence[Tool]) -> list[Message]:
        """How a plain question is put to the orchestrator; ToolRL's format brings its own instructions."""
        if self.format == "toolrl":
            return [{"role": "user", "content": question}]
        if _searches(tools):
            return search_prompt(question, today=self.today, brief=True)
        return render("orchestrator", question=question, tools=bool(tools))

    async def solve(
        self,
        problem: str,
        tools: Sequence[Tool],
        opening: Sequence[Message],
        *,
        configuration: ToolConfiguration | None = None,
        max_turns: int | None = None,
        conversing: bool = False,
        heard: Callable[[Event], None] = lambda event: None,
    ) -> Trace:
        """Let the orchestrator work from an opening; what the user prefers is added to its last message.

        Args:
            problem: its id.
            tools: see `open`.
            opening: the conversation so far.
            configuration: the problem's own, where it brings one: at its schedule the orchestrator is paid too.
            max_turns: where fewer are left than an attempt may have.
            conversing: the opening is a conversation with a user, who goes on afterwards: it says already what is
                preferred, and no trace file can resume it.
            heard: told what happens, as it happens.
        """
        return await orchestrate(
            list(opening) if conversing else self.preferring(problem, opening),
            self.model,
            tools,
            self.gateway,
            price=self.prices[(configuration or self.configuration).schedule],
            id=problem,
            domain=self.benchmark,
            max_turns=self.max_turns if max_turns is None else max_turns,
            seed=self.seed,
            manner=Manner(self.format, cites=self.format == "openai" and _searches(tools)),
            trace=None if conversing else self.traces / f"{_file_name(problem)}.jsonl",
            heard=heard,
        )

    def preferring(self, problem: str, opening: Sequence[Message]) -> list[Message]:
        """An opening whose last message says what the user prefers."""
        preference = self.preferences.get(problem)
        if preference is None:
            return list(opening)
        *before, last = opening
        return [*before, {**last, "content": preference.told_after(last["content"])}]


def _searches(tools: Sequence[Tool]) -> bool:
    return is_search_agent([tool.spec.name for tool in tools])


def _file_name(problem: str) -> str:
    readable = re.sub(r"[^A-Za-z0-9.-]+", "_", problem)[:60]
    return f"{readable}-{hashlib.sha256(problem.encode()).hexdigest()[:8]}"
