"""What an export or an import came to. What could not go along is told, never dropped in silence."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class LeftOut:
    """Something that the other format, or ours, has no place for."""

    what: str
    """Its kind and id, such as ``task 17``."""
    reason: str


@dataclass(frozen=True)
class Report:
    """What was written, by kind, and what was left out."""

    written: dict[str, int]
    left_out: list[LeftOut] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The report for a reader: one line a kind, then one a thing that was left out."""
        counts = [f"{count} {kind}" for kind, count in self.written.items()]
        return [", ".join(counts) + " written", *(f"left out: {each.what}: {each.reason}" for each in self.left_out)]
