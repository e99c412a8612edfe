"""How well the gate `answered` tells tasks that leave a question open: precision and recall on the corpus of the tests.

    python benchmarks/answered.py                       # by habit
    python benchmarks/answered.py --misses              # each instruction that is judged wrongly
    python benchmarks/answered.py --tasks tasks.json    # what it finds in tasks of anybody's, tau2-bench's form too

The corpus was written by a language model in several habits, before the gate was held against it.
"""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from toolscale.artifacts import Instructions, Task, UserScenario
from toolscale.checkers.asked import may_lapse, questions
from toolscale.checkers.gates.answered import unanswered
from toolscale.checkers.task_file import read_tasks

CORPUS = Path(__file__).parents[1] / "tests" / "checkers" / "asked" / "habits.jsonl"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--tasks", type=Path)
    told = parser.parse_args()
    if told.tasks:
        _look_through(read_tasks(told.tasks))
        return
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    if told.misses:
        for row in rows:
            if bool(_reasons(row)) != row["fault"]:
                print("missed" if row["fault"] else "refused", f"{row['says']!r} {row['facts']}", *_reasons(row))
        return
    print(f"{'habit':24} {'rows':>5} {'faults':>7} {'found':>6} {'wrongly':>8}")
    for habit in (*dict.fromkeys(row["habit"] for row in rows), "all"):
        counted = Counter((row["fault"], bool(_reasons(row))) for row in rows if habit in (row["habit"], "all"))
        faults, found, wrongly = counted[True, True] + counted[True, False], counted[True, True], counted[False, True]
        print(f"{habit:24} {counted.total():5} {faults:7} {found:6} {wrongly:8}")
    print(f"precision {found / (found + wrongly):.3f}, recall {found / faults:.3f}")


def _reasons(row: dict[str, Any]) -> list[str]:
    instructions = Instructions(domain="anywhere", reason_for_call=row["says"])
    scenario = UserScenario(instructions=instructions)
    return unanswered(Task(id="-", user_scenario=scenario, communicate_info=row["facts"]))


def _look_through(tasks: list[Task]) -> None:
    open_questions = {task.id: unanswered(task) for task in tasks}
    asking = sum(bool(questions(task.instruction)) for task in tasks)
    lapsing = sum(may_lapse(task.instruction) for task in tasks)
    refused = sum(map(bool, open_questions.values()))
    print(
        f"{len(tasks)} tasks, {asking} ask to be told something, {lapsing} under a condition, {refused} leave it open"
    )
    for task_id, reasons in open_questions.items():
        for reason in reasons:
            print(f"{task_id}: {reason}")


if __name__ == "__main__":
    main()
