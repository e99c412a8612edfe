"""What users of a benchmark prefer: instructions with a vector by tool name, dealt out to its problems.

A file has one JSON object a line: ``{"instruction": "...", "vector": {"web_search": 0, "outcome": 1, "compute": 1}}``.
Names are tools, or outcome, compute and latency; what is not named weighs nothing.
"""

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Self

from pydantic import Field, ValidationError

from toolscale.artifacts.base import Artifact, canonical_json
from toolscale.errors import UserError
from toolscale.preferences.preference import Preference, told_with
from toolscale.rewards.preference import BEYOND_TOOLS


class BenchmarkPreference(Artifact):
    """What a user wants, in words and in weights of 0 to 1."""

    instruction: str = ""
    vector: dict[str, float] = Field(default_factory=lambda: {"outcome": 1.0}, min_length=1)

    @classmethod
    def of(cls, preference: Preference | None) -> Self | None:
        """A preference that a task brings; None of none."""
        return cls(instruction=preference.instruction, vector=preference.wants) if preference else None

    def told_after(self, instruction: str) -> str:
        """A task's instruction, with what the user prefers after it."""
        return told_with(instruction, self.instruction)

    def over(self, tools: Sequence[str]) -> list[float]:
        """P for these tools: one value each, then outcome, compute, latency."""
        return [self.vector.get(name, 0.0) for name in (*tools, *BEYOND_TOOLS)]


def read_preferences(file: Path) -> list[BenchmarkPreference]:
    """The preferences of a file.

    Raises:
        UserError: it cannot be read, or a line is no preference.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the preferences {file}: {error}") from None
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            preference = BenchmarkPreference.model_validate_json(line)
        except ValidationError as error:
            raise UserError(f"{file}: line {number}: {error.errors(include_url=False)[0]['msg']}") from None
        if bad := [name for name, weight in preference.vector.items() if not 0 <= weight <= 1]:
            raise UserError(f"{file}: line {number}: the weight of {bad[0]} is not between 0 and 1")
        found.append(preference)
    if not found:
        raise UserError(f"{file} holds no preference: write one JSON object a line")
    return found


def dealt(
    preferences: Sequence[BenchmarkPreference], problems: Iterable[str], seed: int
) -> dict[str, BenchmarkPreference]:
    """A preference for each problem, the same for the same seed whatever other problems there are."""
    if not preferences:
        return {}
    return {problem: Random(canonical_json([seed, problem])).choice(preferences) for problem in problems}


def fingerprint(preferences: Sequence[BenchmarkPreference]) -> str:
    """Names the preferences of a run; empty for none."""
    if not preferences:
        return ""
    told = canonical_json([preference.model_dump(mode="json") for preference in preferences])
    return hashlib.sha256(told.encode()).hexdigest()[:12]
