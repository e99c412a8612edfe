"""Gate `ambiguous`, before any attempt: of the entries that a golden write could have picked, only its own will do.

A program finds the choices that are open (``picks``), and a blind solver says which of the options would satisfy the
user; this holds its answer against the golden calls.
"""

from collections.abc import Collection, Mapping, Sequence

from toolscale.artifacts import GateOutcome, Json, Task
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates.ambiguous import ends_apart
from toolscale.checkers.gates.outcomes import outcome
from toolscale.checkers.picks import Choice, Option

_SHOWN = 3
_LONGEST_WORD = 300
"""Characters of the solver's reason that are kept."""


def open_ends(
    task: Task,
    choices: Sequence[Choice],
    satisfying: Sequence[Collection[int]],
    why: Sequence[str],
    context: GateContext,
) -> GateOutcome:
    """Passed if, for each choice, only the golden option satisfies the user.

    Args:
        satisfying: for each choice, the positions of the options that do.
        why: for each choice, the solver's reason.
    """
    why = [" ".join(said.split())[:_LONGEST_WORD] for said in why]
    reasons = []
    for choice, named, said in zip(choices, satisfying, why, strict=True):
        options = [choice.options[position] for position in sorted(named)]
        if options != [choice.golden]:
            reasons.append(_reason(task, choice, options, said, context))
    if reasons:
        return outcome("ambiguous", reasons)
    asked = [
        f"of {len(choice.options)} open options of `{choice.function}` only the golden one satisfies the user: {said}"
        for choice, said in zip(choices, why, strict=True)
    ]
    return GateOutcome(gate="ambiguous", passed=True, reasons=asked)


def _reason(task: Task, choice: Choice, options: Sequence[Option], said: str, context: GateContext) -> str:
    """Which options a blind solver named, where they lead apart from the golden calls, and why."""
    golden = context.golden(task).replay
    place = f"golden_calls[{choice.position}] `{choice.function}` took {_given(choice.golden.given)}"
    if not options:
        return f"{place}; of {len(choice.options)} open options, this one too, none satisfies the user: {said}"
    others = [option for option in options if option.end is not None]
    named = ", ".join(_given(option.given) for option in others[:_SHOWN])
    more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
    which = "as well" if choice.golden in options else "and this would not"
    would = f"{named}{more} would satisfy the user {which}"
    end = others[0].end
    ends = f"; {ends_apart(golden, end, context)}" if end is not None else ""
    return f"{place}; {would}: {said}{ends}"


def _given(given: Mapping[str, Json]) -> str:
    return ", ".join(f"`{place}` {value!r}" for place, value in given.items())
