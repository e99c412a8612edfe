"""Rewards of others: functions that installed packages offer under the entry point `toolscale.rewards`."""

import inspect
import logging
import math
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from numbers import Real
from pathlib import Path

from toolscale.artifacts import CallOutcome, Task, Verdict
from toolscale.episodes.loop import Ending
from toolscale.errors import UserError
from toolscale.messages import Message
from toolscale.questions.steps import Step
from toolscale.questions.task import QuestionTask

log = logging.getLogger(__name__)

GROUP = "toolscale.rewards"

LARGEST = 1e6
"""Where a value is larger, R has no place left for other parts: it is learnt from in single precision."""


@dataclass(frozen=True)
class Transcript:
    """What a reward function is shown: one rollout, played and judged."""

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
    module: str
    """Where the package says that it is."""

    def of(self, transcript: Transcript) -> float:
        """What it says of a rollout, of which it has a copy: what it changes is in no record and no other reward.

        Raises:
            UserError: it fails, or what it says is no finite number, or an absurd one.
        """
        own = deepcopy(transcript)
        try:
            value = self.function(own)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # An exit, too, would end the training without a word.
            raise self._wrong(transcript, f"raised {_told(error, self.module)}") from error
        if not isinstance(value, Real) and hasattr(value, "__float__"):  # A tensor, say.
            raise self._wrong(
                transcript, f"gave {_shown(value)}, which is no plain number: make it a float, as by float(...)"
            )
        try:
            number = float(value) if isinstance(value, Real) else math.nan
        except OverflowError:  # A whole number of hundreds of digits.
            number = sys.float_info.max
        if not math.isfinite(number):
            raise self._wrong(transcript, f"gave {_shown(value)}, which is no finite number")
        if abs(number) > LARGEST:
            raise self._wrong(
                transcript,
                f"gave {_shown(value)}, and beside what is over {LARGEST:,.0f} no other part of R counts: scale it",
            )
        return number

    def _wrong(self, transcript: Transcript, what: str) -> UserError:
        return UserError(
            f"rewarding.parts: `{self.name}` of the package `{self.package}` {what}, at the task {transcript.task.id}; "
            "mend the package, and go on from the last checkpoint with --resume"
        )


def reward_names() -> tuple[str, ...]:
    """The names that packages offer, sorted."""
    return tuple(sorted(_offers()))


def packages_of(name: str) -> tuple[str, ...]:
    """The packages that offer a name, sorted."""
    return tuple(offer.dist.name if offer.dist else "?" for offer in _offers()[name])


@cache
def reward_function(name: str) -> RewardFunction:
    """The function of that name, which some package offers.

    Raises:
        UserError: two packages do, it cannot be imported, or it is no function of one transcript.
    """
    offer, packages = _offers()[name][0], packages_of(name)
    if len(packages) > 1:
        raise UserError(
            f"rewarding.parts: `{name}` is offered by the packages {' and '.join(packages)}: uninstall all but one"
        )
    called = f"rewarding.parts: `{name}` of the package `{packages[0]}`"
    try:
        function = offer.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise UserError(f"{called} cannot be imported ({_told(error, offer.module)})") from error
    if unfit := _unfit(function):
        raise UserError(f"{called} is `{offer.value}`, {unfit}")
    return RewardFunction(name, packages[0], function, offer.module)


def _unfit(function: object) -> str:
    """Why it cannot be asked about a transcript; nothing where it can, as far as that shows without asking."""
    if not callable(function):
        return "which is no function"
    bodies = (function, type(function).__call__)
    if any(map(inspect.iscoroutinefunction, bodies)) or any(map(inspect.isasyncgenfunction, bodies)):
        return "which is `async`, and is not awaited: write it with `def`"
    if any(map(inspect.isgeneratorfunction, bodies)):
        return "which yields: let it return a number"
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return ""  # Written in C, some do not tell.
    try:
        signature.bind(None)
    except TypeError as error:
        return f"which takes {signature}, and is given one transcript ({error})"
    return ""


def _told(error: BaseException, module: str) -> str:
    """What was raised, and where in the package's own code; the log has the whole traceback."""
    log.warning("what a reward function raised, whole:", exc_info=error)
    said = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    package, _, _ = module.partition(".")
    frames = [
        (str(frame.f_globals.get("__name__")).partition(".")[0], frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    theirs = [each for each in frames if each[0] not in ("trainer", "importlib")]
    own = [each for each in theirs if each[0] == package] or theirs[:1]
    if not own:
        return said
    _, frame, line = own[-1]
    return f"{said}, at {Path(frame.f_code.co_filename).name}:{line}"


def _shown(value: object) -> str:
    return " ".join(repr(value).split())[:80]


@cache
def _offers() -> Mapping[str, Sequence[EntryPoint]]:
    """Name -> all that offer it, in the order of their packages; one distribution that is found twice counts once."""
    offers: dict[str, dict[str, EntryPoint]] = {}
    for offer in entry_points(group=GROUP):
        offers.setdefault(offer.name, {}).setdefault(offer.dist.name if offer.dist else "?", offer)
    return {name: [by[package] for package in sorted(by)] for name, by in offers.items()}
