"""How much of what a task needed was called."""

from collections.abc import Sequence

from toolscale.artifacts import Call, CallOutcome, GoldenCall
from toolscale.environment import equal


def matched_calls(made: Sequence[CallOutcome], golden: Sequence[GoldenCall | Call]) -> float:
    """The share of golden calls that were made, with the same arguments, and returned; in [0, 1].

    The order is nothing, a call stands for one golden call, and further ones cost nothing. Where there is no golden
    call: 1 where none was made, else 0.
    """
    if not golden:
        return float(not made)
    left = [call for call in made if call.ok]
    matched = 0
    for wanted in golden:
        same = (
            at for at, call in enumerate(left) if call.name == wanted.name and equal(call.arguments, wanted.arguments)
        )
        if (place := next(same, None)) is not None:
            del left[place]
            matched += 1
    return matched / len(golden)
