"""Preferences of users: what one says, and the vector P that it comes to (paper, section 3.3, user preference).

Here is what a sound pair is, how pairs are split into those of training and those of evaluation, and the file that they
lie in; `preference_proposals` is where they come from.
"""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Self

from pydantic import Field, ValidationError

from toolscale.artifacts import Reject
from toolscale.artifacts.base import Artifact, Split, canonical_json
from toolscale.errors import UserError
from toolscale.rewards import preference_vector
from toolscale.rewards.preference import BEYOND_TOOLS
from toolscale.rewards.vector import FloatArray

EVALUATED_IN = 5
"""One vector in so many is in `eval`, with all that is said of it."""

SHORTEST, LONGEST = 20, 600
"""Characters of an instruction."""

_NAMES_THE_VECTOR = re.compile(
    r"\bvector\b|\bweights? of [\d.]|[\[(]\s*[01](\.\d+)?\s*,|\b[01]\.\d+\b(?!\s*(cents?|dollars?|seconds?|minutes?))"
    r"|\bp_\w+|\br_\w+|\bnormali[sz]ed\b|\breward\b",
    re.IGNORECASE,
)


class Preference(Artifact):
    """What a user says of how to work, and P for the tools of a catalogue."""

    id: str
    theme: str
    instruction: str
    explanation: str = ""
    tools: list[str] = Field(description="t_1 .. t_n.")
    vector: list[float] = Field(description="P, of length n + 3: the tools, then outcome, compute, latency.")
    split: Split = "train"

    @property
    def wants(self) -> dict[str, float]:
        """What is wanted, and how much; what is not wanted is left out."""
        return {name: value for name, value in zip((*self.tools, *BEYOND_TOOLS), self.vector, strict=True) if value}

    def suits(self, offered: Sequence[str]) -> bool:
        """Whether it says anything to a task that offers these tools: one that it wants is there, if it wants any."""
        tools = self.wants.keys() - {*BEYOND_TOOLS}
        return not tools or bool(tools & set(offered))

    def for_tools(self, offered: Sequence[str]) -> FloatArray:
        """P of shape (m + 3,) for the m tools that a task offers, in their order.

        Raises:
            UserError: it wants tools, and the task offers none of them.
        """
        if not self.suits(offered):
            raise UserError(
                f"preference {self.id} wants {', '.join(self.wants.keys() - {*BEYOND_TOOLS})}, none of which is offered"
            )
        return preference_vector([self.wants.get(name, 0.0) for name in (*offered, *BEYOND_TOOLS)], offered)

    def among(self, offered: Sequence[str]) -> Self:
        """The same preference over the tools that one task offers. Raises UserError where it does not suit them."""
        return self.model_copy(update={"tools": list(offered), "vector": self.for_tools(offered).tolist()})

    def told_after(self, instruction: str) -> str:
        """A task's instruction, with what the user prefers after it."""
        return told_with(instruction, self.instruction)


class Preferences(Artifact):
    """The preferences over one catalogue, who made them, and the pairs that were refused."""

    catalogue: str
    schedule: str
    proposed_by: str
    validated_by: str
    kept: list[Preference]
    rejects: list[Reject]

    def of(self, split: Split) -> list[Preference]:
        """Pairs_train or Pairs_eval."""
        return [preference for preference in self.kept if preference.split == split]


def told_with(instruction: str, wish: str) -> str:
    """A task's instruction with a user's wish after it: the same words in training as in an evaluation."""
    return f"{instruction.rstrip()}\n\n{wish}" if wish else instruction


def faults(instruction: str, wants: Mapping[str, float], tools: Sequence[str]) -> list[str]:
    """What a program has against a pair: none if it is sound."""
    found = []
    if unknown := sorted(wants.keys() - {*tools, *BEYOND_TOOLS}):
        found.append(f"nothing is called {', '.join(unknown)}; there are {', '.join((*tools, *BEYOND_TOOLS))}")
    if outside := [name for name, value in wants.items() if not 0 <= value <= 1]:
        found.append(f"{', '.join(outside)}: how much is wanted lies between 0 and 1")
    if not any(wants.values()):
        found.append("nothing is wanted: at least one figure must be more than 0")
    if not SHORTEST <= len(instruction) <= LONGEST:
        found.append(f"the instruction has {len(instruction)} characters; it must have {SHORTEST} to {LONGEST}")
    if named := _NAMES_THE_VECTOR.search(instruction):
        found.append(f"the instruction says `{named[0]}`: users do not know of the vector")
    return found


def split(preferences: Sequence[Preference]) -> list[Preference]:
    """Each with its split, by a hash of what it wants: no vector, and so no instruction, is in both.

    Where the hashes put all into `train`, the vector with the lowest goes to `eval`, if there is another.
    """
    ranks = {preference.id: _rank(preference) for preference in preferences}
    evaluated = {rank for rank in ranks.values() if rank % EVALUATED_IN == 0}
    if not evaluated and len(set(ranks.values())) > 1:
        evaluated = {min(ranks.values())}
    return [one.model_copy(update={"split": "eval" if ranks[one.id] in evaluated else "train"}) for one in preferences]


def read_preferences(path: Path) -> Preferences:
    """The preferences in a file.

    Raises:
        UserError: there is no such file, or it holds something else.
    """
    try:
        return preferences_in(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the preferences {path}: {error}") from None


def preferences_in(text: str, place: str) -> Preferences:
    """The preferences in the text of a file, each checked again. Raises UserError for any other text."""
    try:
        found = Preferences.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{place} holds no preferences: `{where}`: {first['msg']}; materialize them again") from None
    for one in found.kept:
        preference_vector(one.vector, one.tools)
        if wrong := faults(one.instruction, one.wants, one.tools):
            raise UserError(f"{place}: preference {one.id}: {wrong[0]}")
    return found


def as_lines(preferences: Sequence[Preference]) -> bytes:
    """The preferences as `toolscale evaluate --preferences` reads them: an instruction and a vector a line."""
    lines = [canonical_json({"instruction": one.instruction, "vector": one.wants}) for one in preferences]
    return "".join(f"{line}\n" for line in lines).encode()


def _rank(preference: Preference) -> int:
    return int(sha256(canonical_json(preference.wants).encode()).hexdigest(), 16)
