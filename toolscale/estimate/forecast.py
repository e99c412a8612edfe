"""Calls, tokens and dollars of a run that has not been made, by stage."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from typing import Any

from toolscale.artifacts import Domain
from toolscale.estimate.ahead import Ahead, look_ahead
from toolscale.estimate.history import Course, course_of, tokens_in_a_character
from toolscale.estimate.ranges import Range
from toolscale.estimate.sizes import Size, sizes
from toolscale.llm.endpoints import see_that_it_has_an_address, speaks_openai
from toolscale.llm.prices import Prices
from toolscale.settings import Settings
from toolscale.stages import OF_A_DOMAIN, ROLES, Role, Stage
from toolscale.store import Store

NOTHING = Range(0, 0)
PARTS = Range(12, 34)
"""In which the entries of a domain without a schema yet are written; the reference domains have 18 to 34."""
FUNCTIONS = Range(14, 30)
"""Of a domain without an answer yet; the prompt asks for 18."""
PROGRAMS = Range(16, 30)
"""Of a domain without an answer yet, one for each intent; the prompt asks for 24."""
READ = Range(2, 3)
"""Tasks of a program that are read blind: the third where the reader brought one of the others to another end."""
REWORDED_AT_ONCE = 10
"""Requests that are reworded in one call."""
EVOLVED = Range(0.7, 1)
"""Share of the tasks that become a harder one, where the ledger knows of no task."""
TRIED = Range(0.5, 1)
"""Share of the tasks that the gates of programs let through to the agent, where the ledger knows of none."""
OPEN = Range(0.1, 0.6)
"""Share of those that made a choice which programs find open, and about which the blind solver is asked."""
TOKEN = Range(1 / 5, 1 / 3)
"""Tokens in a character of a prompt."""


@dataclass(frozen=True)
class StageEstimate:
    """What one stage will ask for and cost."""

    stage: Stage
    role: Role
    model: str
    cached: int
    """Calls that the store answers for nothing."""
    calls: Range
    """Calls to be made and paid for; so with the tokens and the dollars."""
    prompt_tokens: Range
    completion_tokens: Range
    dollars: Range
    likely: float
    """Dollars, most likely."""


@dataclass(frozen=True)
class Estimate:
    """A run before it is made."""

    domain: str
    lines: Sequence[StageEstimate]
    rests_on: str

    @property
    def calls(self) -> Range:
        """Of all stages."""
        return sum((line.calls for line in self.lines), NOTHING)

    @property
    def prompt_tokens(self) -> Range:
        """Of all stages."""
        return sum((line.prompt_tokens for line in self.lines), NOTHING)

    @property
    def completion_tokens(self) -> Range:
        """Of all stages."""
        return sum((line.completion_tokens for line in self.lines), NOTHING)

    @property
    def dollars(self) -> Range:
        """Of all stages."""
        return sum((line.dollars for line in self.lines), NOTHING)

    @property
    def likely(self) -> float:
        """Dollars of all stages, most likely."""
        return sum(line.likely for line in self.lines)

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {**asdict(self), "calls": asdict(self.calls), "dollars": asdict(self.dollars), "likely": self.likely}


async def estimate(
    domain: Domain, settings: Settings, store: Store, *, tasks: int, rounds: int, made: Mapping[str, Any] | None = None
) -> Estimate:
    """What a run would newly pay. Makes no call; what the store answers already is free.

    Args:
        tasks: first tasks to propose.
        rounds: how often each is made harder.
        made: stage -> what it made, of stages that this run would only make again: to run them takes minutes.

    Raises:
        UserError: a model cannot be had, or nobody knows its price.
    """
    prices = Prices(settings.prices)
    chosen = {stage: settings.for_role(ROLES[stage]) for stage in OF_A_DOMAIN}
    for each in chosen.values():
        see_that_it_has_an_address(each.model, each.api_base)
        prices.look_up(each.model)
    models: dict[str, str] = {stage: each.model for stage, each in chosen.items()}
    ahead = await look_ahead(domain, settings, store, tasks=tasks, rounds=rounds, made=made)
    known = sizes(store, models, {domain.name}, ahead.tools)
    wanted = _wanted(ahead, settings, tasks, rounds, course_of(store, domain.name))
    forecaster = Forecaster(store, settings, prices, ahead)
    lines = [forecaster.line(stage, wanted[stage], known.by_stage[stage]) for stage in OF_A_DOMAIN]
    shown = [line for line in lines if line.cached or line.calls.high]
    measured = "sizes measured on the reference domains; no domain was made with this data root"
    return Estimate(domain.name, shown, f"the stages' prompts, and {known.history or measured}")


def _wanted(ahead: Ahead, settings: Settings, tasks: int, rounds: int, course: Course) -> dict[Stage, Range]:
    """Answers that each stage still lacks: one, unless more is said of it."""

    def missing(stage: Stage, also: str = "") -> Range:
        calls = len(ahead.missing.get(stage, ())) + len(ahead.missing.get(also, ()))
        return Range(calls, calls)

    def lacking(stage: Stage, unless_reached: Range, also: str = "") -> Range:
        return missing(stage, also) if stage in ahead.reached else unless_reached

    functions = Range(ahead.planned, ahead.planned) if ahead.planned else FUNCTIONS
    share = {"programs": 1.0, "drafts": 0.0, "both": settings.program_share}[settings.task_source]
    drawn = NOTHING if "tasks" in ahead.reached else Range(tasks, tasks) * share
    composed = drawn * rounds
    first = lacking("tasks", Range(tasks, tasks) * (1 - share))
    evolved = missing("evolution") + first * _evolved(course, rounds, first.high)
    each = Range(settings.attempts if settings.attempts_stop == "never" else 1, settings.attempts)
    proposed = first + evolved + drawn + composed
    tried = proposed * _tried(course, proposed.high)
    attempts = missing("episode", also="user") + tried * each
    seen_by_judge = Range(0, 1) if ahead.unseen is None else Range(1, 1) if ahead.unseen else NOTHING
    programs = lacking("programs", PROGRAMS) if share else NOTHING
    return {stage: lacking(stage, Range(1, 1)) for stage in OF_A_DOMAIN} | {
        "entries": lacking("entries", PARTS),
        "validation": lacking("validation", PARTS, also="entries"),
        "functions": lacking("functions", functions),
        "programs": programs,
        "reading": missing("reading") + programs * READ,
        "tasks": first,
        "rewording": missing("rewording") + (drawn + composed) * (1 / REWORDED_AT_ONCE),
        "evolution": evolved,
        "policy": missing("policy") + tried * seen_by_judge,
        "openness": missing("openness") + tried * OPEN,
        "episode": attempts,
        "user": attempts if settings.user_mode == "simulated" else NOTHING,
    }


def _evolved(course: Course, rounds: int, wanted: float) -> Range:
    """Tasks that are made harder, for each that is proposed."""
    if course.drafts and rounds:
        return _share(course.evolved, course.drafts, wanted, most=rounds)
    all_rounds, latest = NOTHING, Range(1, 1)
    for _ in range(rounds):
        latest = latest * EVOLVED
        all_rounds += latest
    return all_rounds


def _tried(course: Course, wanted: float) -> Range:
    """The share of tasks that come before the agent."""
    return _share(course.tried, course.drafts + course.evolved, wanted, most=1) if course.tried else TRIED


def _share(some: int, of: int, wanted: float, most: float) -> Range:
    """The fewer were seen, and the fewer are left, the less is known of what becomes of these."""
    share, doubt = some / of, 0.5 / sqrt(of) + 0.5 / sqrt(max(1, wanted))
    return Range(min(most, share / (1 + doubt)), min(most, share * (1 + doubt)))


class Forecaster:
    """Turns answers that a stage still wants into calls, tokens and dollars."""

    def __init__(self, store: Store, settings: Settings, prices: Prices, ahead: Ahead) -> None:
        self._settings, self._prices, self._ahead = settings, prices, ahead
        self._tokens: dict[str, Range] = {}
        for stage in ROLES.keys() & ahead.missing:
            self._tokens |= tokens_in_a_character(store, settings.for_role(ROLES[stage]).model, [stage])

    def line(self, stage: Stage, wanted: Range, size: Size) -> StageEstimate:
        """A stage that still wants so many answers, each as large as is known of its calls."""
        role = ROLES[stage]
        chosen = self._settings.for_role(role)
        batch = stage in self._settings.batch_stages and speaks_openai(chosen.model)
        calls = wanted * size.calls
        prompt_tokens, completion_tokens = calls * self._prompt(stage, size), calls * size.completion_tokens

        best = max(size.cached, size.cached_at_best)

        def dollars(sent: float, received: float, cached: float) -> float:
            return self._prices.dollars(chosen.model, sent, received, sent * cached, batch=batch)

        return StageEstimate(
            stage=stage,
            role=role,
            model=chosen.model,
            cached=self._ahead.answered[stage],
            calls=calls,
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            dollars=Range(
                dollars(prompt_tokens.low, completion_tokens.low, best),
                dollars(prompt_tokens.high, completion_tokens.high, size.cached),
            ),
            likely=dollars(prompt_tokens.middle, completion_tokens.middle, (best + size.cached) / 2),
        )

    def _prompt(self, stage: str, size: Size) -> Range:
        """Tokens of a prompt: the domain's own calls tell best, then prompts that are known, then other domains'."""
        known = self._ahead.missing.get(stage)
        if size.own or not known:
            return size.prompt_tokens
        first, later = sum(known) / len(known), self._ahead.read_again
        grown = first + sum(later) / len(later) if stage == "episode" and later else first * size.growth
        return self._tokens.get(stage, TOKEN) * grown
