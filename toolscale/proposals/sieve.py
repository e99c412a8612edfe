"""What becomes of proposals: accepted if they are sound and far enough from each other and from what is there."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from toolscale.artifacts.base import as_name
from toolscale.proposals.nearness import Known, Nearness
from toolscale.proposals.proposal import Proposal, Worded, faults, in_one_line
from toolscale.proposals.spread import Place
from toolscale.proposals.tree import divisions

_SHOWN = 63
"""Characters of a name that is none."""


class Refusal(NamedTuple):
    """A proposal that was refused."""

    place: str
    """Where it was wanted, or wanted to be, as users are told of it."""
    name: str
    reasons: list[str]
    like: str = ""
    """The domain that it repeats, if that is why."""


class Accepted(NamedTuple):
    """A proposal that passed, and the place that it fills."""

    place: Place
    proposal: Proposal


class Sieve:
    """Remembers all domains that were let through, and lets none through that is like another.

    One that was proposed for a topic of a user's own passes all the same, with a warning: the user wants it, and the
    teacher could differ only by leaving the topic.
    """

    def __init__(self, known: Sequence[Known], names: Collection[str]) -> None:
        """``names`` are taken, whether or not anything is known of the domains that have them."""
        self.known, self._names = list(known), set(names)
        self.refused: list[Refusal] = []
        self.warnings: list[str] = []

    def sift(self, answers: Sequence[tuple[Mapping[Place, int], Sequence[Worded]]]) -> list[Accepted]:
        """Those that pass, of what calls were answered with; each call is told by the places that it asked for."""
        sound = [each for places, proposals in answers for each in self._sound(places, proposals)]
        candidates = [_known(each.proposal) for each in sound]
        nearness = Nearness([*self.known, *candidates])
        before = list(range(first := len(self.known)))
        accepted = []
        for at, each in enumerate(sound, first):
            name, near = each.proposal.name, nearness.nearest(at, before)
            if name in self._names:
                self._refuse(each.place.shown, name, ["a domain of that name is there already"], like=name)
            elif near and not each.place.topic:
                self._refuse(each.place.shown, name, [near.reason], like=near.to)
            else:
                if near:
                    self.warnings.append(f"{name} ({each.place.shown}): {near.reason}")
                before.append(at)
                accepted.append(each)
                self._names.add(name)
        self.known += map(_known, (each.proposal for each in accepted))
        return accepted

    def _sound(self, places: Mapping[Place, int], proposals: Sequence[Worded]) -> list[Accepted]:
        """The proposals of a call that are of the right form, and for one of its places while that wants any."""
        sound, left = [], Counter(places)
        for worded in proposals:
            name, code = as_name(worded.name) or worded.name[:_SHOWN], _code(worded.division)
            place = _place(worded, code, places)
            if place is None:
                wanted = in_one_line(worded.topic) or f"division {worded.division}"
                self._refuse(wanted[:_SHOWN], name, ["no proposal was asked for there"])
            elif wrong := [*faults(worded), *_misplaced(code)]:
                self._refuse(place.shown, name, wrong)
            elif not left[place]:
                self._refuse(place.shown, name, ["more came for its place than were asked for"])
            else:
                left[place] -= 1
                sound.append(Accepted(place, Proposal.of(worded, division=code, topic=place.topic)))
        return sound

    def _refuse(self, place: str, name: str, reasons: list[str], like: str = "") -> None:
        self.refused.append(Refusal(place, name, reasons, like))


def _known(proposal: Proposal) -> Known:
    return Known(proposal.name, proposal.description, proposal.origin.tables, proposal.division.section)


def _place(worded: Worded, code: str, places: Mapping[Place, int]) -> Place | None:
    """The place that a proposal is for, if it was asked for."""
    topic = in_one_line(worded.topic).casefold()
    of_topic = next((place for place in places if place.topic and place.topic.casefold() == topic), None)
    return of_topic or next((place for place in places if place.division and place.division == code), None)


def _code(said: str) -> str:
    """A division's code from what a model wrote, such as `1`, `N 77` or `77 rental`."""
    digits = re.search(r"\d+", said)
    return digits.group().zfill(2) if digits else ""


def _misplaced(code: str) -> list[str]:
    return [] if code in divisions() else [f"`{code[:_SHOWN]}` is no division; give the two digits of one"]
