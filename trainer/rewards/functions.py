"""Rewards of others: functions that installed packages offer under the entry point `toolscale.rewards`."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from numbers import Real

from toolscale.artifacts import CallOutcome, Task, Verdict
from toolscale.episodes.loop import Ending
from toolscale.errors import UserError
from toolscale.messages import Message
from toolscale.questions.steps import Step
from toolscale.questions.task import QuestionTask

GROUP = "toolscale.rewards"


@dataclass(frozen=True)
class Transcript:
    """What a reward function is shown: one rollout, played and judged. It must not change it."""

    task: Task | QuestionTask | Step
    """A task of a domain, a question, or a single step of a chat."""
    messages: Sequence[Message]
    """The whole conversation, as OpenAI chat messages."""
    calls: Sequence[CallOutcome]
    """All calls with what they gave, in order; at a single step those that the message spells, which nobody answers."""
    verdict: Verdict
    """Whether it is solved, and what is wrong where it is not."""
    ending: Ending
    """`done`; or `malformed`, or the limit that cut it, where it did not come to an end of its own."""


@dataclass(frozen=True)
class RewardFunction:
    """A function of a package, under the name that the package gives it."""

    name: str
    package: str
    function: Callable[[Transcript], float]

    def of(self, transcript: Transcript) -> float:
        """What it says of a rollout.

        Raises:
            UserError: it fails, or what it says is no finite number.
        """
        try:
            value = self.function(transcript)
        except Exception as error:
            said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            raise self._wrong(transcript, f"raised {said}") from error
        if not (isinstance(value, Real) and math.isfinite(value)):
            raise self._wrong(transcript, f"gave {repr(value)[:80]}, which is no finite number")
        return float(value)

    def _wrong(self, transcript: Transcript, what: str) -> UserError:
        return UserError(
            f"rewarding.parts: `{self.name}` of the package `{self.package}` {what}, at the task {transcript.task.id}; "
            "mend the package, and go on from the last checkpoint with --resume"
        )


def reward_names() -> tuple[str, ...]:
    """The names that packages offer, sorted."""
    return tuple(sorted(_offers()))


@cache
def reward_function(name: str) -> RewardFunction:
    """The function of that name, which some package offers.

    Raises:
        UserError: two packages do, it cannot be imported, or it is no function.
    """
    offers = _offers()[name]
    packages = [offer.dist.name if offer.dist else "?" for offer in offers]
    if len(offers) > 1:
        raise UserError(
            f"rewarding.parts: `{name}` is offered by the packages {' and '.join(packages)}: uninstall all but one"
        )
    try:
        function = offers[0].load()
    except Exception as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        raise UserError(
            f"rewarding.parts: `{name}` of the package `{packages[0]}` cannot be imported ({said})"
        ) from error
    if not callable(function):
        raise UserError(
            f"rewarding.parts: `{name}` of the package `{packages[0]}` is `{offers[0].value}`, which is no function"
        )
    return RewardFunction(name, packages[0], function)


@cache
def _offers() -> Mapping[str, Sequence[EntryPoint]]:
    """Name -> all that offer it, in the order of their packages; one distribution that is found twice counts once."""
    offers: dict[str, dict[str, EntryPoint]] = {}
    for offer in entry_points(group=GROUP):
        offers.setdefault(offer.name, {}).setdefault(offer.dist.name if offer.dist else "?", offer)
    return {name: [by[package] for package in sorted(by)] for name, by in offers.items()}
