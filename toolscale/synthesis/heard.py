"""What a draft's writer hears of the gates: reasons, what would satisfy them, and what the golden calls return."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from toolscale.artifacts import GateName, GateOutcome, Task, canonical_json
from toolscale.checkers import GateContext, examined, was_evaluated
from toolscale.checkers.gates import is_undecided
from toolscale.checkers.kinds import wrong_kinds
from toolscale.episodes.tools import tool_content
from toolscale.synthesis.pruning import pruned

KINDS = "kinds"
"""The check, no gate, of the kinds that a writer says its facts have."""

MENDS: Mapping[GateName, str] = {
    "replay": "Each golden call must return, in this order, from a database that nobody has touched.",
    "grounded": "Let the user say the value, or an earlier golden call return it, or leave the argument out; ids to "
    "tell are written as a golden call returns them.",
    "acts": "Let the user want something changed, or ask for something that must be looked up, with its fact in "
    "`communicate_info`.",
    "discriminates": "Leave out the write that makes no difference, or choose arguments whose change shows in the end.",
    "no_leak": "Take it out of what the user says, or out of `communicate_info`.",
    "answered": "Give each question its fact, as the results below have it, with `asked` quoting the user's very "
    "words; or do not let the user ask. What only one outcome raises is asked in one sentence with its `if`.",
    "policy": "Leave that call out, or let the user want what the policy allows.",
    "consistent": "Change the limit, the fact, the persona or the order of the golden calls, so that all of it is true "
    "in the end.",
}
"""Program gate -> what satisfies it."""

_MENDS_KINDS = "Say the `kind` that it is; of a figure amount (money), count, quantity (with a unit), else number."

_REASONS_A_GATE = 3
_LONGEST_REASON = 400
_LONGEST_RESULT = 800
_MOST_RESULTS = 12
_NAMED = re.compile(r"golden_calls\[(\d+)\]")


class Hearing(NamedTuple):
    """A draft's task as it met the gates, and what its writer hears: nothing if it passed."""

    task: Task
    check: str
    """The first gate that refused it, or `kinds`; empty if none did."""
    reasons: list[str]
    results: str
    """What the golden calls return of which the reasons speak, as text."""
    undecided: bool = False
    """Whether attempts may still show that the task is right, if its writer has no better one."""


def heard(task: Task, context: GateContext) -> Hearing:
    """Prune a draft and put it before the program gates."""
    task = pruned(task, context)
    golden = context.golden(task)
    wrong = [] if golden.faults else wrong_kinds(task, golden.replay.outcomes, context.sandbox.spec)
    task = examined(task, context)
    failed = [gate for gate in task.gates if not gate.passed and was_evaluated(gate)]
    reasons = [_of_gate(gate) for gate in failed]
    if wrong:
        reasons.append(f"{KINDS}: {_joined(wrong)}. {_MENDS_KINDS}")
    check = failed[0].gate if failed else KINDS if wrong else ""
    undecided = bool(failed) and not wrong and all(map(is_undecided, failed))
    return Hearing(task, check, reasons, _results(task, failed, context) if reasons else "", undecided)


def _of_gate(gate: GateOutcome) -> str:
    return f"{gate.gate}: {_joined(gate.reasons)}. {MENDS[gate.gate]}"


def _joined(reasons: Sequence[str]) -> str:
    more = len(reasons) - _REASONS_A_GATE
    said = [shortened(reason, _LONGEST_REASON) for reason in reasons[:_REASONS_A_GATE]]
    return "; ".join([*said, *([f"and {more} more of this kind"] if more > 0 else [])])


def _results(task: Task, failed: Sequence[GateOutcome], context: GateContext) -> str:
    """The golden calls that the reasons name with what each returned; all of them where a reason names none."""
    named = [{int(at) for at in _NAMED.findall(reason)} for gate in failed for reason in gate.reasons]
    every = range(len(task.golden_calls))
    shown = [at for at in every if not named or not all(named) or any(at in each for each in named)]
    outcomes = context.golden(task).replay.outcomes
    lines = [
        f"- golden_calls[{at}] {call.name}({shortened(canonical_json(call.arguments), _LONGEST_REASON)}) returned "
        f"{shortened(tool_content(outcomes[at]), _LONGEST_RESULT)}"
        for at in shown[:_MOST_RESULTS]
        for call in (task.golden_calls[at],)
    ]
    if task.lineage.pruned:
        left_out = shortened(json.dumps(task.lineage.pruned, ensure_ascii=False), _LONGEST_REASON)
        lines.insert(0, f"Left out of the golden calls, since neither a fact nor a later call needs them: {left_out}")
    return "\n".join(["What the golden calls return:", *lines]) if lines else ""


def shortened(text: str, most: int) -> str:
    """The text's beginning and end, if it is longer than so many characters."""
    return text if len(text) <= most else f"{text[: most * 2 // 3]} [...] {text[-most // 3 :]}"
