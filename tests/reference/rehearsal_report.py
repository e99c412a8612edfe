"""What a rehearsal shows, printed: how each program fares, what is wrong, and the figures by depth."""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from statistics import mean

from tests.reference.rehearsal import Rehearsed, Stage, refusal_faults, rehearse, wording_faults, world_faults
from toolscale.artifacts import GateOutcome, Task
from toolscale.checkers import GateContext, examine
from toolscale.environment import rules_in
from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.reference.domain import reference_domain
from toolscale.reference.recogniser import understand
from toolscale.synthesis.drafts import as_task


def main() -> int:
    """Print how each program fares, and what is wrong; the status is 1 if anything but the agent failed."""
    options = _options()
    try:
        if faults := world_faults(reference_domain(options.domain), seed=0):
            raise UserError(f"the entries of `{options.domain}`, {len(faults)} faults: {'; '.join(faults[:5])}")
        return _report(_staged(options.domain), options)
    except UserError as error:
        print(in_one_line(str(error)), file=sys.stderr)
        return 1


def _staged(name: str) -> Stage:
    try:
        return Stage(name)
    except (ValueError, SyntaxError) as error:  # what `read_functions` says of the author's modules
        raise UserError(f"the functions of `{name}`: {error}") from error


def _report(stage: Stage, options: argparse.Namespace) -> int:
    programs = [program for program in stage.domain.programs if options.only in program.name]
    context = GateContext(stage.sandbox)
    counts = {table: len(records) for table, records in stage.database.items()}
    print(
        f"{sum(counts.values())} entries {counts}; {len(stage.spec.functions)} functions, "
        f"{sum(f.kind == 'write' for f in stage.spec.functions)} writes; {len(stage.domain.programs)} programs, "
        f"{sum(p.refusal is not None for p in stage.domain.programs)} refusals; {len(rules_in(stage.spec.rules))} rules"
    )
    made: Counter[str] = Counter()
    dead: Counter[str] = Counter()
    dead_ends: dict[str, Counter[str]] = defaultdict(Counter)
    refused = 0
    faults: dict[str, Counter[str]] = defaultdict(Counter)
    operators: Counter[str] = Counter()
    by_depth: dict[int, list[tuple[Task, int]]] = defaultdict(list)
    mutants = killed = 0
    for rehearsed in rehearse(stage, programs, options.draws, options.size, options.depth):
        label = rehearsed.program + (" +" if rehearsed.depth else "")
        if rehearsed.infeasible:
            dead[label] += 1
            dead_ends[label].update(rehearsed.dead_ends or [rehearsed.draft["infeasible"]])
            continue
        made[label] += 1
        operators[rehearsed.draft["added"].partition(":")[0] or "first"] += 1
        task = as_task(stage.domain.name, "", rehearsed.draft)
        examination = examine(task, context)
        mutants += examination.mutation.total
        killed += examination.mutation.killed
        wrong = _faults(stage, rehearsed, task, examination.outcomes)
        faults[label].update(wrong)
        refused += bool(wrong)
        if not wrong:
            solved = sum(context.solves(task, *stage.attempt(task, seed)) for seed in range(options.attempts))
            by_depth[rehearsed.depth].append((task, solved))
            if options.attempts and not solved:
                faults[label]["the agent never solves it: " + str(stage.attempt(task, 0)[1])] += 1
    for label in dict.fromkeys((*made, *dead)):
        print(f"{label:42} made {made[label]:3}  dead ends {dead[label]:3}")
        for fault, count in faults[label].most_common(4):
            print(f"      {count}x {fault}")
        for reason, count in dead_ends[label].most_common(4):
            print(f"      {count}x dead end: {reason}")
    _print_figures(by_depth, operators, options.attempts)
    print(f"mutants killed {killed} of {mutants}; made {made.total()}, dead ends {dead.total()}")
    tasks = [task for pairs in by_depth.values() for task, _ in pairs]
    print_likeness([task.instruction for task in tasks])
    for task in tasks[:: max(1, len(tasks) // options.show)][: options.show] if options.show else []:
        print(f"\n--- {task.lineage.added or task.id}: {task.user_scenario.persona if task.user_scenario else ''}")
        print(task.instruction)
        print([call.name for call in task.golden_calls], task.communicate_info)
    return 1 if refused or not made else 0


def _faults(stage: Stage, rehearsed: Rehearsed, task: Task, outcomes: Iterable[GateOutcome]) -> list[str]:
    """What is wrong with the words, by the gates, and with a refusal in which nothing is refused."""
    wrong = wording_faults(stage, rehearsed)
    added = rehearsed.draft["added"]
    wrong += [f"[{added}] {gate.gate}: {why}" for gate in outcomes if not gate.passed for why in gate.reasons[:2]]
    for goal in understand(stage.domain.name, task.instruction).goals:
        if goal.program.refusal and not goal.described:
            wrong += refusal_faults(stage, goal)
    return wrong


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("domain")
    parser.add_argument("--draws", type=int, default=6)
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--attempts", type=int, default=8, help="of the offline agent at each task; 0: none")
    parser.add_argument("--show", type=int, default=4, help="how many instructions to print, spread over all")
    parser.add_argument("--only", default="", help="a part of the names of the programs to rehearse")
    return parser.parse_args()


def _print_figures(by_depth: dict[int, list[tuple[Task, int]]], operators: Counter[str], attempts: int) -> None:
    for depth, pairs in sorted(by_depth.items()):
        calls = [len(task.golden_calls) for task, _ in pairs]
        kinds = [len({call.name for call in task.golden_calls}) for task, _ in pairs]
        print(
            f"depth {depth}: {len(pairs)} sound tasks, {mean(calls):.2f} golden calls, {mean(kinds):.2f} functions, "
            f"{sum(count >= 6 for count in calls) / len(pairs):.0%} with 6 calls or more"
            + (
                f"; pass rate {mean(solved for _, solved in pairs) / attempts:.2f}, never solved "
                f"{sum(solved == 0 for _, solved in pairs)}"
                if attempts
                else ""
            )
        )
    print(dict(operators))


def print_likeness(instructions: list[str], most: float = 0.85) -> None:
    """How alike the instructions are: Jaccard similarity on word 3-grams, over all pairs."""
    grams = []
    for text in instructions:
        words = re.findall(r"\w+", text.lower())
        grams.append({tuple(words[at : at + 3]) for at in range(len(words) - 2)})
    likeness = [
        (len(one & other) / len(one | other), index)
        for index, (one, other) in enumerate(combinations(grams, 2))
        if one | other
    ]
    if likeness:
        alike = sum(value > most for value, _ in likeness)
        print(f"most alike pair: {max(likeness)[0]:.2f}; pairs above {most}: {alike} of {len(likeness)}")
