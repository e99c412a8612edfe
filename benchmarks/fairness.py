"""What a strict reader counts in a dataset: ``python benchmarks/fairness.py DATASET``.

Golden reads that nothing needs, questions without a fact, contradictions, attempts that say the same twice, attempts at
tasks of the other split, what `eval` shares with `train`, and how varied the words are.
"""

import argparse
import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from toolscale.artifacts import Task
from toolscale.checkers import GateContext
from toolscale.checkers.gates import consistent
from toolscale.checkers.gates.answered import unanswered
from toolscale.dataset.contents import Contents, read_contents
from toolscale.dataset.folder import Placed, read_placed
from toolscale.dataset.ready_views import SENTENCE_FORMS
from toolscale.environment import Sandbox
from toolscale.synthesis.pruning import pruned

FEW = 500
"""Instructions of the smaller measure of variety."""


def found_in_tasks(placed: list[Placed]) -> Iterator[tuple[str, float]]:
    """Shares of tasks, which their golden calls are replayed for."""
    with ExitStack() as stack:
        contexts = {
            id(spec): GateContext(stack.enter_context(Sandbox(spec)))
            for spec in {id(each.environment): each.environment for each in placed}.values()
        }

        def share(at_fault: Callable[[Task, GateContext], bool]) -> float:
            return sum(at_fault(each.task, contexts[id(each.environment)]) for each in placed) / len(placed)

        yield "golden reads that nothing needs", share(_has_idle_reads)
        yield "questions that no fact answers", share(_has_open_questions)
        yield "limits, facts or personas that contradict", share(lambda task, at: not consistent(task, at).passed)


def _has_idle_reads(task: Task, context: GateContext) -> bool:
    return len(pruned(task, context).golden_calls) < len(task.golden_calls)


def _has_open_questions(task: Task, context: GateContext) -> bool:
    return bool(unanswered(task, context.golden(task).replay.outcomes if task.database_judged else ()))


def found_in_rows(contents: Contents) -> Iterator[tuple[str, float]]:
    """Shares of attempts, and of `eval`."""
    attempts, distinct = contents.tables.rows(
        "select count(*), count(distinct (task_id, messages::varchar)) from trajectories"
    )[0]
    yield "successful attempts that are doubles", 1 - distinct / max(1, attempts)
    yield (
        "attempts at tasks of the other split",
        contents.value(
            "select coalesce(avg((task.split <> attempt.split)::int), 0) "
            "from trajectories attempt join tasks task on task.id = attempt.task_id"
        ),
    )
    for part, seen in contents.tables.rows("select part, seen from seen order by position"):
        yield f"eval: {part} seen in train", seen
    yield (
        "eval: tasks of a domain that is held out",
        contents.value("select coalesce(avg(coalesce(unseen_domain, false)::int), 0) from tasks where split = 'eval'"),
    )
    yield (
        "sentence forms that occur twice or more",
        contents.value(
            "select avg((times > 1)::int) from "
            f"(select count(*) over (partition by named) as times from ({SENTENCE_FORMS}))"
        ),
    )


def variety(instructions: list[str]) -> float:
    """Distinct-3: of all runs of three words, how many are different."""
    words = [re.findall(r"\w+", text.lower()) for text in instructions]
    grams = [gram for said in words for gram in zip(said, said[1:], said[2:], strict=False)]
    return len(set(grams)) / max(1, len(grams))


def main() -> None:
    """Print a figure a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    folder = parser.parse_args().dataset
    placed = list(read_placed(folder))
    print(f"{len(placed)} tasks")
    for what, share in found_in_tasks(placed):
        print(f"{what:<48}{share:8.1%}")
    with read_contents(folder) as contents:
        for what, share in found_in_rows(contents):
            print(f"{what:<48}{share:8.1%}")
    said = sorted(each.task.instruction for each in placed)
    few = random.Random(0).sample(said, min(FEW, len(said)))
    print(f"{'distinct-3 over all':<48}{variety(said):8.3f}\n{f'distinct-3 over {len(few)}':<48}{variety(few):8.3f}")


if __name__ == "__main__":
    main()
