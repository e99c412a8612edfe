"""The orchestrator demo over several seeds: ``python benchmarks/orchestrator_demo.py runs/demo-0 runs/demo-1 ...``.

Each folder is what ``python -m trainer.orchestrator_demo --seed N --out FOLDER`` wrote. Prints each seed's figures
before and after GRPO, what it gained claim by claim, and who decides, before and after, over all seeds. These are
evaluated on the same claims, so an interval over several counts each claim once.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.tables import show
from trainer.orchestrator_demo.report import Claim, gain_of
from trainer.orchestrator_demo.ways import BEST, WAYS
from trainer.orchestrator_demo.yardstick import NOBODY

Row = dict[str, Any]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    reports = [json.loads((folder / "report.json").read_text()) for folder in parser.parse_args().folders]
    trainings = [[Claim.read(claim) for claim in report["claims"]] for report in reports]
    show("held-out claims", [row for report in reports for row in _before_and_after(report)])
    each = [_gain(f"seed {report['seed']}", [own]) for report, own in zip(reports, trainings, strict=True)]
    show("gained, claim by claim", [*each, _gain("all", trainings)])
    show("who decides, of 100, over all seeds", list(_who_decides([claim for own in trainings for claim in own])))


def _before_and_after(report: Mapping[str, Any]) -> Iterator[Row]:
    for when in ("before", "after"):
        found = report[when]
        solved = found["solved"]
        yield {
            "seed": report["seed"],
            "arithmetic": report["dtype"],
            "minutes": f"{report['seconds'] / 60:.1f}",
            "GRPO": when,
            "reward": _interval(found["reward"], ".2f"),
            "solved": f"{solved['mean']:.0%} ({100 * solved['low']:.0f} to {100 * solved['high']:.0f})",
            "cents a solved claim": _interval(found["cents_per_solved"], ".3f"),
        }


def _gain(name: str, trainings: Sequence[Sequence[Claim]]) -> Row:
    gain = gain_of(trainings)
    return {
        "training": name,
        "reward": _interval(gain["reward"], "+.2f"),
        "solved": _interval(gain["solved"], "+.3f"),
        "cents an attempt": _interval(gain["cents"], "+.3f"),
    }


def _interval(found: Mapping[str, float] | None, form: str) -> str:
    return f"{found['mean']:{form}} ({found['low']:{form}} to {found['high']:{form}})" if found else "nothing solved"


def _who_decides(claims: Sequence[Claim]) -> Iterator[Row]:
    for wish, topic in sorted({(claim.wish, claim.topic) for claim in claims}):
        own = [claim for claim in claims if (claim.wish, claim.topic) == (wish, topic)]
        told = {"wish": wish, "claim": topic}
        for when in ("before", "after"):
            taken = Counter(getattr(claim, when).way for claim in own)
            shares = (f"{100 * taken[way] / len(own):.0f}" for way in (*WAYS, NOBODY))
            told[f"{when}: itself, small, large, nobody"] = ", ".join(shares)
        best = BEST.chooses(topic, wish)
        yield told | {"best": next(way for way, tool in WAYS.items() if tool == best)}


if __name__ == "__main__":
    main()
