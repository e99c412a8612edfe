"""What an export or an import came to. What could not go along is told, never dropped in silence."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from toolscale.dataset.left_out import summed_up

LEFT_OUT = "left_out.jsonl"
"""The file in an imported folder that lists all that was left out."""


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
        """The report for a reader: one line of counts, then one a reason for what was left out."""
        counts = [f"{count} {kind}" for kind, count in self.written.items()]
        told = summed_up((each.what, each.reason) for each in self.left_out)
        return [", ".join(counts) + " written", *(f"left out: {line}" for line in told)]

    def list_in(self, folder: Path) -> list[str]:
        """Write all that was left out into a file of the folder, and say so; nothing where nothing was."""
        if not self.left_out:
            return []
        rows = [json.dumps(asdict(each), ensure_ascii=False) + "\n" for each in self.left_out]
        (folder / LEFT_OUT).write_text("".join(rows), encoding="utf-8")
        return [f"{len(rows)} things were left out, all listed in {folder / LEFT_OUT}"]
