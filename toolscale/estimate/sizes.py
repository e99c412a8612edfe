"""How large the calls of a stage are: as the ledger has them of this domain, of others, or of the reference's."""

from collections.abc import Collection, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from toolscale.estimate.history import COUNTED, Seen, seen_by
from toolscale.estimate.ranges import Range
from toolscale.stages import OF_A_DOMAIN, Stage
from toolscale.store import Store


class Size(NamedTuple):
    """The calls of one stage."""

    calls: Range
    """For each answer that the stage wants: a part of the entries, a function, a draft, an attempt."""
    prompt_tokens: Range
    """Of a call, with the tools that it offers."""
    completion_tokens: Range
    cached: float = 0.0
    """Share of the prompts that the provider had cached."""
    cached_at_best: float = 0.0
    """Such a share where nothing of this model was seen yet: what repeats, if the provider notices all of it."""
    growth: float = 1.0
    """How much longer a prompt is than the first one of its answer: conversations grow."""
    own: bool = False
    """True where these are the domain's own calls."""


class Measured(NamedTuple):
    """Means of a stage's calls, in tokens of four characters."""

    calls: Range
    prompt_tokens: int
    """Without the tools that are offered."""
    completion_tokens: int
    growth: float = 1.0
    repeated: float = 0.0
    """Share of the prompts that begins as an earlier one did."""


OFFERING = {"tasks", "evolution", "episode", "reading"}
"""Stages whose calls offer the domain's functions as tools."""

MEASURED: Mapping[Stage, Measured] = {
    "subjects": Measured(Range(1, 1.5), 220, 140),
    "schema": Measured(Range(1, 2), 4400, 3200),
    "entries": Measured(Range(1, 1.5), 8500, 3200, repeated=0.7),
    "validation": Measured(Range(1, 1.5), 8600, 28, repeated=0.4),
    "functions_plan": Measured(Range(1, 1.5), 7700, 8900),
    "functions": Measured(Range(1, 1.7), 9200, 580, repeated=0.9),
    "rules": Measured(Range(1, 2), 28000, 10500, repeated=0.4),
    "intents": Measured(Range(1, 1.5), 4700, 860),
    "programs": Measured(Range(1.2, 3), 14000, 2600, growth=1.3, repeated=0.9),
    "reading": Measured(Range(3.5, 6.5), 1170, 35, growth=1.05, repeated=0.9),
    "tasks": Measured(Range(2.5, 9), 7800, 75, growth=1.03, repeated=0.7),
    "rewording": Measured(Range(1, 1.5), 3000, 300, repeated=0.5),
    "evolution": Measured(Range(1.5, 11), 8600, 79, growth=1.03, repeated=0.65),
    "policy": Measured(Range(1, 1.2), 1250, 10),
    "openness": Measured(Range(1, 1.5), 2500, 43, repeated=0.5),
    "episode": Measured(Range(3.5, 6.5), 1170, 35, growth=1.05, repeated=0.9),
    "user": Measured(Range(2, 5), 350, 22, growth=1.2),
}
"""Over reference domains, as ``python benchmarks/estimates.py`` prints them; of `user` as an earlier version had them,
of `rules`, `policy` and `openness`, what repeats, and the fewest calls of a task as a language model's own domains had
them (``benchmarks/strong_model.py``). A model that thinks aloud answers longer."""

TOOLS = Range(9_000, 20_000)
"""Characters of a domain's functions as tools, before there are any."""

_TOKEN = 1 / 4
_DOUBT = Range(0.6, 1.7)
"""How far another domain may lie from measured ones, either way, where no ledger says better."""

_SPREAD = Range(0.75, 1.35)
"""How far another domain may lie beyond the domains of the ledger."""


class Sizes(NamedTuple):
    """The sizes of all stages, and whose calls they were seen in."""

    by_stage: dict[Stage, Size]
    own: Sequence[str]
    """Domains that are to be made or attempted, and have calls already."""
    others: Sequence[str]

    @property
    def history(self) -> str:
        """In words; empty if there is none."""
        domains = [*self.own, *self.others]
        return f"this ledger's history of {', '.join(domains)}" if domains else ""


def sizes(store: Store, models: dict[str, str], of: Collection[str], tools: int | None = None) -> Sizes:
    """What the ledger says of the models' calls by stage: in the domains `of` themselves, else in others.

    As measured where it says nothing.

    Args:
        models: stage -> its model.
        tools: characters of the domain's functions as tools; None where they are not known yet.
    """
    seen = seen_by(store, models)
    by_stage = {stage: _size(stage, [each for each in seen if each.stage == stage], of, tools) for stage in OF_A_DOMAIN}
    domains = sorted({each.domain for each in seen})
    return Sizes(by_stage, [name for name in domains if name in of], [name for name in domains if name not in of])


def _size(stage: Stage, seen: Sequence[Seen], of: Collection[str], tools: int | None) -> Size:
    measured = MEASURED[stage]
    offered = TOOLS if tools is None else Range(tools, tools)
    if not seen:
        prompt = _DOUBT * measured.prompt_tokens
        if stage in OFFERING:
            prompt += offered * _TOKEN
        answer = _DOUBT * measured.completion_tokens
        return Size(measured.calls, prompt, answer, cached_at_best=measured.repeated, growth=measured.growth)
    own = [each for each in seen if each.domain in of]
    seen = own or seen
    spread = _of_own(sum(each.subjects for each in own)) if own else _SPREAD
    whole = sum(each.calls * each.prompt_tokens for each in seen)
    return Size(
        calls=_between([each.calls / each.answers for each in seen], spread, least=1)
        if stage in COUNTED
        else measured.calls,
        prompt_tokens=_between([_prompt(each, None if own else tools) for each in seen], spread),
        completion_tokens=_between([each.completion_tokens for each in seen], spread),
        cached=sum(each.calls * each.cached_tokens for each in seen) / whole if whole else 0.0,
        growth=measured.growth,
        own=bool(own),
    )


def _prompt(seen: Seen, tools: int | None) -> float:
    """The tokens of a prompt there, with other tools in place of its own where these are known."""
    if tools is None or not seen.tools:
        return seen.prompt_tokens
    return max(0.0, seen.prompt_tokens - seen.tools * _TOKEN) + tools * _TOKEN


def _of_own(subjects: int) -> Range:
    """How far the rest of a domain may lie from answers about so many of its tasks, or other things."""
    doubt = max(0.1, 0.5 / sqrt(max(1, subjects)))
    return Range(1 / (1 + doubt), 1 + doubt)


def _between(figures: Sequence[float], spread: Range, least: float = 0) -> Range:
    low, high = min(figures), max(figures)
    if low <= 0:
        return Range(least, max(least, high * spread.high))
    reach = Range(low, high) * spread
    return reach if reach.low >= least else Range(least, max(least, reach.middle**2 / least))
