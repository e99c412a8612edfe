"""How well values are traced to what users say: false refusals and false acceptances on the corpus of the tests.

    python benchmarks/grounded.py                  # both parts of the corpus, by kind of value
    python benchmarks/grounded.py tuned --misses   # each value that is judged wrongly

The corpus was written by a language model in the habits of several people. Its part `unseen` was first run when the
program was done, and none of its misses has been mended.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from toolscale.checkers.derived import Sources, derivable
from toolscale.checkers.phrasing import worded
from toolscale.checkers.results import holds, readable
from toolscale.checkers.wording import fold

CORPUS = Path(__file__).parents[1] / "tests" / "checkers" / "grounding"
PARTS = ("tuned", "unseen")
KINDS = ("day", "time", "figure", "policy", "name", "all")
Pair = tuple[dict[str, Any], Any, bool]
"""What is said, a value, and whether the value follows."""


def pairs(part: str) -> Iterator[Pair]:
    """The pairs of one part of the corpus."""
    for line in (CORPUS / f"{part}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for field, follows in (("derivable", True), ("not_derivable", False)):
            yield from ((row, value, follows) for value in row[field])


def judged(row: dict[str, Any], value: Any) -> bool:
    """What the gate makes of a value of a call."""
    now, results = datetime.fromisoformat(row["now"]), row.get("results", [])
    if any(holds(readable(result), value) for result in results):
        return True
    return derivable(value, Sources(row["says"], now, results, row.get("policy", "")))


def before(row: dict[str, Any], value: Any) -> bool:
    """What the gate made of it when it knew spellings alone."""
    if any(holds(readable(result), value) for result in row.get("results", [])):
        return True
    return worded(value, fold(row["says"]), datetime.fromisoformat(row["now"]))


def main() -> None:
    """Print the figures as Markdown, or the misses."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", nargs="?", choices=PARTS, help="one part of the corpus; without it both, and the sum")
    parser.add_argument("--misses", action="store_true", help="print the values that are judged wrongly")
    told = parser.parse_args()
    parts = [told.part] if told.part else list(PARTS)
    if told.misses:
        for part in parts:
            for row, value, follows in pairs(part):
                if judged(row, value) != follows:
                    print("refused " if follows else "accepted", repr(value), f"{row['now']}: {row['says']}")
        return
    print("| part | value | follow | refused | before | do not follow | accepted | before |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, some in [*((part, [part]) for part in parts), *([("both", parts)] if len(parts) > 1 else [])]:
        counted = Counter[str]()
        for row, value, follows in (pair for part in some for pair in pairs(part)):
            for kind in (row["kind"], "all"):
                counted[f"{kind} {follows}"] += 1
                counted[f"{kind} {follows} now"] += judged(row, value) != follows
                counted[f"{kind} {follows} before"] += before(row, value) != follows
        for kind in KINDS:
            figures = [
                str(counted[f"{kind} {follows}{of}"]) for follows in (True, False) for of in ("", " now", " before")
            ]
            print(f"| {name} | {kind} | {' | '.join(figures)} |")


if __name__ == "__main__":
    main()
