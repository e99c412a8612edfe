"""How well facts are found in what agents say: false refusals and false acceptances on the corpus of the tests.

    python benchmarks/facts.py            # by kind; then by form alone, and as strings were matched before
    python benchmarks/facts.py --misses   # each sentence that is judged wrongly

The corpus was written by a language model in the habits of several people, without having seen the program.
"""

import argparse
import json
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from toolscale.checkers.said import FACT_KINDS, fact_of, is_said
from toolscale.checkers.wording import fold, stands_in

CORPUS = Path(__file__).parents[1] / "tests" / "checkers" / "facts"
PRESENT = datetime(2026, 11, 24, 9)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true")
    told = parser.parse_args()
    pairs = [
        json.loads(line)
        for file in sorted(CORPUS.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    if told.misses:
        for pair in pairs:
            if _by_value(pair) != pair["said"]:
                print(
                    "not found" if pair["said"] else "found", f"{pair['kind']}: {pair['fact']!r} in {pair['message']!r}"
                )
        return
    print(
        f"{'kind':10} {'said':>5} {'not found':>10} {'by form':>8} {'before':>7} "
        f"{'not said':>9} {'found':>6} {'by form':>8} {'before':>7}"
    )
    for kind in (*(kind for kind in FACT_KINDS if any(pair["kind"] == kind for pair in pairs)), "all"):
        counted = Counter[str]()
        for pair in pairs:
            if kind in (pair["kind"], "all"):
                counted[f"{pair['said']}"] += 1
                counted[f"{pair['said']} new"] += _by_value(pair) != pair["said"]
                counted[f"{pair['said']} form"] += _by_form(pair) != pair["said"]
                counted[f"{pair['said']} old"] += _as_string(pair) != pair["said"]
        print(
            f"{kind:10} {counted['True']:5} {counted['True new']:10} {counted['True form']:8} {counted['True old']:7} "
            f"{counted['False']:9} {counted['False new']:6} {counted['False form']:8} {counted['False old']:7}"
        )


def _by_value(pair: dict[str, Any]) -> bool:
    return is_said(fact_of(pair["fact"], pair["kind"]), pair["message"], PRESENT)


def _by_form(pair: dict[str, Any]) -> bool:
    return is_said(fact_of(pair["fact"]), pair["message"], PRESENT)


def _as_string(pair: dict[str, Any]) -> bool:
    return stands_in(fold(pair["fact"]), fold(pair["message"]))


if __name__ == "__main__":
    main()
