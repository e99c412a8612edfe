"""A stage that keeps nothing ends its domain there and then: the stages after it would have nothing to do."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pipelines.factory import Factory
from toolscale.synthesis.sifted import Sifted

_CALLED = {"tasks": "drafts"}
"""Stage -> what its proposals are called."""

READ_REFUSALS = "The asset `rejected_tasks` has each with the reasons of its gate."

_WHAT_NEXT = "The table below says why; `toolscale traces` has the answers. Another `seed` or `model` may do better."


def nothing_kept(stage: str, domain: str, found: Any, factory: Factory) -> str:
    """How a domain ends in a stage that kept nothing, its funnel first; empty if it goes on."""
    if not isinstance(found, Sifted) or found.kept or _others_follow(stage, factory):
        return ""
    counts = Counter(reject.check for reject in found.rejects)
    funnel = funnel_of_nothing(len(found.rejects), _CALLED.get(stage, "proposals"), f"became {stage}", counts)
    return f"{funnel}, in {domain}. {_WHAT_NEXT}"


def funnel_of_nothing(proposed: int, what: str, became: str, taken: Mapping[str, int]) -> str:
    """That none of so many is kept, and how many each check took."""
    lost = ", ".join(f"{check} {count}" for check, count in Counter(taken).most_common())
    return f"0 of {proposed} {what} {became}{': ' if lost else ''}{lost}"


def _others_follow(stage: str, factory: Factory) -> bool:
    """Whether later stages have work where this one kept nothing.

    The teacher drafts tasks where no program is accepted, evolved tasks stand beside first ones, and a run for a wanted
    number proposes more.
    """
    return {
        "programs": factory.task_source != "programs",
        "tasks": bool(factory.keep),
        "evolved_tasks": True,
    }.get(stage, False)
