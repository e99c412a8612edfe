"""Calls, tokens and dollars of a run that has not been made, by stage."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from toolscale.artifacts import Domain
from toolscale.estimate.ahead import Ahead, look_ahead
from toolscale.estimate.ranges import Range
from toolscale.estimate.sizes import ROLES, Size, Sizes, sizes
from toolscale.llm.endpoints import see_that_it_has_an_address, speaks_openai
from toolscale.llm.prices import Prices
from toolscale.settings import Role, Settings
from toolscale.store import Store

NOTHING = Range(0, 0)
SUBJECTS = Range(8, 15)
"""Of a domain without an answer yet; the prompt asks for 10."""
FUNCTIONS = Range(14, 30)
"""Of a domain without an answer yet; the prompt asks for 18."""
EVOLVED = Range(0.6, 1)
"""Share of the tasks that become a harder one."""
TRIED = Range(0.5, 1)
"""Share of the tasks that the gates of programs let through to the agent."""
TOKEN = Range(1 / 5, 1 / 3)
"""Tokens in a character of a prompt."""


@dataclass(frozen=True)
class Line:
    """One stage."""

    stage: str
    role: Role
    model: str
    cached: int
    """Calls that the store answers for nothing."""
    calls: Range
    """Calls to be made and paid for; so with the tokens and the dollars."""
    prompt_tokens: Range
    completion_tokens: Range
    dollars: Range


@dataclass(frozen=True)
class Estimate:
    """A run before it is made."""

    domain: str
    lines: Sequence[Line]
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

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {**asdict(self), "calls": asdict(self.calls), "dollars": asdict(self.dollars)}


async def estimate(domain: Domain, settings: Settings, store: Store, *, tasks: int, rounds: int, seed: int) -> Estimate:
    """What a run would newly pay. Makes no call; what the store answers already is free.

    Args:
        tasks: first tasks to propose.
        rounds: how often each is made harder.

    Raises:
        UserError: a model cannot be had, or nobody knows its price.
    """
    prices = Prices(settings.prices)
    chosen = {stage: settings.for_role(role) for stage, role in ROLES.items()}
    for each in chosen.values():
        see_that_it_has_an_address(each.model, each.api_base)
        prices.look_up(each.model)
    models = {stage: each.model for stage, each in chosen.items()}
    ahead = await look_ahead(domain, settings, store, tasks=tasks, rounds=rounds, seed=seed)
    known = sizes(store, models, but_for=domain.name)
    wanted = _wanted(ahead, settings, tasks, rounds)
    lines = [line(stage, wanted[stage], known.by_stage[stage], ahead, settings, prices) for stage in ROLES]
    shown = [line for line in lines if line.cached or line.calls.high]
    return Estimate(domain.name, shown, _rests_on(known))


def _wanted(ahead: Ahead, settings: Settings, tasks: int, rounds: int) -> dict[str, Range]:
    """Answers that each stage still lacks."""

    def missing(stage: str, also: str = "") -> Range:
        calls = len(ahead.missing.get(stage, ())) + len(ahead.missing.get(also, ()))
        return Range(calls, calls)

    def lacking(stage: str, unless_reached: Range, also: str = "") -> Range:
        return missing(stage, also) if stage in ahead.reached else unless_reached

    one = Range(1, 1)
    subjects = Range(ahead.subjects, ahead.subjects) if ahead.subjects else SUBJECTS
    functions = Range(ahead.planned, ahead.planned) if ahead.planned else FUNCTIONS
    first = lacking("tasks", Range(tasks, tasks))
    evolved, latest = missing("evolution"), first
    for _ in range(rounds):
        latest = latest * EVOLVED
        evolved += latest
    each = Range(1 if settings.stop_at_first_success else settings.attempts, settings.attempts)
    attempts = missing("episode", also="user") + (first + evolved) * TRIED * each
    return {
        "subjects": lacking("subjects", one),
        "schema": lacking("schema", one),
        "entries": lacking("entries", subjects),
        "validation": lacking("validation", subjects, also="entries"),
        "functions_plan": lacking("functions_plan", one),
        "functions": lacking("functions", functions),
        "intents": lacking("intents", one),
        "tasks": first,
        "evolution": evolved,
        "episode": attempts,
        "user": attempts if settings.user_mode == "simulated" else NOTHING,
    }


def line(stage: str, wanted: Range, size: Size, ahead: Ahead, settings: Settings, prices: Prices) -> Line:
    """A stage that still wants so many answers, each as large as is known of its calls."""
    role = ROLES[stage]
    chosen = settings.for_role(role)
    calls = wanted * size.calls
    prompt, completion = size.prompt_tokens, size.completion_tokens
    if prompts := ahead.missing.get(stage):
        # A real prompt is known. Later ones of the stage, with what was said meanwhile, may be longer.
        real = TOKEN * (sum(prompts) / len(prompts))
        prompt = Range(real.low, max(real.high, prompt.high))
    batch = stage in settings.batch_stages and speaks_openai(chosen.model)

    prompt_tokens, completion_tokens = calls * prompt, calls * completion
    low, high = (
        prices.dollars(chosen.model, sent, received, batch=batch)
        for sent, received in (
            (prompt_tokens.low, completion_tokens.low),
            (prompt_tokens.high, completion_tokens.high),
        )
    )
    return Line(
        stage=stage,
        role=role,
        model=chosen.model,
        cached=ahead.answered[stage],
        calls=calls,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        dollars=Range(low, high),
    )


def _rests_on(known: Sizes) -> str:
    if not known.domains:
        return (
            "the stages' prompts, and sizes measured on the reference domains; "
            "no other domain was made with this data root"
        )
    return f"the stages' prompts, and this ledger's history of {', '.join(known.domains)}"
