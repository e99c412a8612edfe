"""How hard the tasks of a dataset are: ``python benchmarks/difficulty.py DATASET``.

Reads the types of difficulty anew from each kept task, whatever its column says. Prints the share of tasks that have
each type, by how often they were made harder; of tasks that were made harder, how many have a dependent goal or a
computed figure, and how many of the parent's golden calls they still make (parents that were kept).
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from toolscale.artifacts import DIFFICULTIES, GoldenCall, Task, canonical_json
from toolscale.checkers import GateContext, difficulty_of
from toolscale.dataset.folder import read_placed
from toolscale.environment import Sandbox


def surviving(parent: Task, child: Task) -> int:
    """How many of the parent's golden calls the child makes too."""

    def counted(calls: Sequence[GoldenCall]) -> Counter[str]:
        return Counter(canonical_json([call.name, call.arguments]) for call in calls)

    return (counted(parent.golden_calls) & counted(child.golden_calls)).total()


def main() -> None:
    """Print three paragraphs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    placed = list(read_placed(parser.parse_args().dataset))
    with ExitStack() as stack:
        contexts = {
            id(spec): GateContext(stack.enter_context(Sandbox(spec)))
            for spec in {id(each.environment): each.environment for each in placed}.values()
        }
        types = {each.task.id: difficulty_of(each.task, contexts[id(each.environment)]) for each in placed}
    tasks = {each.task.id: each.task for each in placed}
    by_depth: dict[int, list[str]] = defaultdict(list)
    for task in tasks.values():
        by_depth[task.lineage.depth].append(task.id)
    print("type".ljust(12), *(f"depth {depth} ({len(ids)})".rjust(14) for depth, ids in sorted(by_depth.items())))
    for name in DIFFICULTIES:
        shares = (sum(name in types[task] for task in ids) / len(ids) for _, ids in sorted(by_depth.items()))
        print(name.ljust(12), *(f"{share:14.0%}" for share in shares))
    evolved = [task for task in tasks.values() if task.lineage.depth]
    hard = sum(bool({"dependent", "arithmetic"} & {*types[task.id]}) for task in evolved)
    print(
        f"\nmade harder: {len(evolved)}; with a dependent goal or a computed figure: {hard / max(1, len(evolved)):.0%}"
    )
    pairs = [(tasks[task.lineage.parent], task) for task in evolved if task.lineage.parent in tasks]
    kept = sum(surviving(parent, child) for parent, child in pairs)
    made = sum(len(parent.golden_calls) for parent, _ in pairs)
    print(
        f"\na parent's golden calls that its child makes too: {kept / max(1, made):.1%} of {made} ({len(pairs)} pairs)"
    )


if __name__ == "__main__":
    main()
