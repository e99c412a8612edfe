"""Whether final messages are judged by what they say: golden answers in ten other wordings, and with one fact altered.

    python benchmarks/rewordings.py            # how many of either the facts are found in
    python benchmarks/rewordings.py --misses   # each message that is judged wrongly
    python benchmarks/rewordings.py DATASET    # the golden calls with each message, judged as `toolscale check` does,
                                               # for those tasks that the dataset holds

The messages were worded by a language model in the habits of many agents, without having seen the program. The first
half was read while the program was mended; of the second half the figures were taken before.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from toolscale.artifacts import Task
from toolscale.checkers.said import fact_of, is_said, speaks_of_before
from toolscale.checkers.verdict import GoldenReplay, judge
from toolscale.dataset import read_dataset
from toolscale.environment import Sandbox

CORPUS = Path(__file__).parents[1] / "tests" / "checkers" / "rewordings"
Row = dict[str, Any]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", nargs="?", type=Path)
    parser.add_argument("--misses", action="store_true")
    told = parser.parse_args()
    for file in sorted(CORPUS.glob("*.jsonl")):
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        kept = 0
        solved = altered = refused = accepted = 0
        for row, holds in _judged(rows, told.dataset):
            kept += 1
            lost = [message for message in row["reworded"] if not holds(message)]
            passed = [each["message"] for each in row["altered"] if holds(each["message"])]
            solved, altered = solved + len(row["reworded"]), altered + len(row["altered"])
            refused, accepted = refused + len(lost), accepted + len(passed)
            for verdict, messages in (("refused", lost), ("accepted", passed)):
                for message in messages if told.misses else ():
                    print(f"{verdict} {row['facts']}: {message!r}")
        share = f" ({1 - refused / solved:.1%} still solve)" if solved else ""
        print(
            f"{file.stem}: {kept} tasks, {refused} of {solved} rewordings refused{share}; "
            f"{accepted} of {altered} accepted with one fact altered"
        )


def _judged(rows: list[Row], dataset: Path | None) -> Iterator[tuple[Row, Callable[[str], bool]]]:
    """Each row with what says whether a final message solves it."""
    if dataset is None:
        for row in rows:
            yield row, lambda message, row=row: _says_all(row, message)  # type: ignore[misc]
        return
    wanted = {row["id"]: row for row in rows}
    held = [(task, spec) for task, spec in read_dataset(dataset) if task.id in wanted]
    sandboxes: dict[str, Sandbox] = {}
    try:
        for task, spec in held:
            if spec.domain not in sandboxes:
                sandboxes[spec.domain] = Sandbox(spec)
            yield wanted[task.id], _solves(sandboxes[spec.domain], task)
    finally:
        for sandbox in sandboxes.values():
            sandbox.close()


def _says_all(row: Row, message: str) -> bool:
    past, now = speaks_of_before(row["asked"]), datetime.fromisoformat(row["now"])
    return all(is_said(fact_of(fact, past=past), message, now) for fact in row["facts"])


def _solves(sandbox: Sandbox, task: Task) -> Callable[[str], bool]:
    golden = GoldenReplay.of(sandbox, task)
    return lambda message: judge(sandbox, task, task.golden_calls, [message], golden).solved


if __name__ == "__main__":
    main()
