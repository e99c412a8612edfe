"""What a gate finds: passed or not, and whether there was anything to look at."""

from collections.abc import Sequence

from toolscale.artifacts import GateName, GateOutcome

_NOT_EVALUATED = "not evaluated: "
_UNDECIDED = "no program can tell: "


def outcome(gate: GateName, reasons: Sequence[str]) -> GateOutcome:
    """A gate's outcome: passed if there is nothing to say against the task."""
    return GateOutcome(gate=gate, passed=not reasons, reasons=list(reasons))


def not_evaluated(gate: GateName, why: str, *, passed: bool) -> GateOutcome:
    """The outcome of a gate that had nothing to look at, and says so."""
    return GateOutcome(gate=gate, passed=passed, reasons=[_NOT_EVALUATED + why])


def was_evaluated(gate: GateOutcome) -> bool:
    """False if the gate had nothing to look at: its outcome then is no finding about the task."""
    return not any(reason.startswith(_NOT_EVALUATED) for reason in gate.reasons)


def undecided(gate: GateName, reasons: Sequence[str]) -> GateOutcome:
    """The outcome of a gate that refuses what attempts may still show to be right."""
    return GateOutcome(gate=gate, passed=False, reasons=[_UNDECIDED + reason for reason in reasons])


def may_pass(gates: Sequence[GateOutcome]) -> bool:
    """Whether none of the gates refuses a task, but for what attempts may still show."""
    return all(gate.passed or is_undecided(gate) for gate in gates)


def is_undecided(gate: GateOutcome) -> bool:
    """True if a gate refuses a task and attempts may still show it to be right."""
    return not gate.passed and all(reason.startswith(_UNDECIDED) for reason in gate.reasons)
