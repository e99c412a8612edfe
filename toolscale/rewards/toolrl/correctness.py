"""How far predicted calls are the golden ones (ToolRL, section 3.3; granularities, section 5.3)."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

import numpy as np

from toolscale.artifacts import Call, CallOutcome, GoldenCall
from toolscale.environment import equal

AnyCall = Call | CallOutcome | GoldenCall
Granularity = Literal["original", "finegrained", "intermediate", "coarse"]
"""`original`: shares of names and of parameter names, and each parameter's value. `finegrained`: names, and parameter
names, are right or wrong as a whole. `intermediate`: so is a call's dictionary of parameters. `coarse`: so is all."""


class Match(NamedTuple):
    """R_max of the best matching, and S_max, the most that it could be: never 0."""

    reached: float
    possible: float


def match_share(
    predicted: Sequence[AnyCall], golden: Sequence[AnyCall], granularity: Granularity = "original"
) -> float:
    """R_max / S_max, in [0, 1]: 0 where nothing is right, 1 where everything is; also where nothing was to be called
    and nothing was (the paper leaves that case open).

    Names are compared as sets over all calls. Parameters are compared within pairs of a golden and a predicted call,
    matched so that the sum is the largest possible; each call stands in one pair at most. Pairs need not share their
    name, a call beyond the golden ones costs nothing where its name is a golden one: both are the paper's formulas.
    """
    match = _coarse(predicted, golden) if granularity == "coarse" else _matched(predicted, golden, granularity)
    return match.reached / match.possible


def _matched(predicted: Sequence[AnyCall], golden: Sequence[AnyCall], granularity: Granularity) -> Match:
    names = {call.name for call in golden}, {call.name for call in predicted}
    r_name = float(names[0] == names[1]) if granularity == "finegrained" else _jaccard(*names)
    parameters = len(golden) + sum(len(call.arguments) for call in golden)
    return Match(
        reached=r_name + _best_assignment(predicted, golden, granularity),
        possible=1 + (len(golden) if granularity == "intermediate" else parameters),
    )


def _coarse(predicted: Sequence[AnyCall], golden: Sequence[AnyCall]) -> Match:
    """The same calls, each as often; their order is nothing."""
    left = list(predicted)
    for call in golden:
        same = (at for at, other in enumerate(left) if call.name == other.name and _same_parameters(call, other))
        position = next(same, None)
        if position is None:
            return Match(0, 1)
        del left[position]
    return Match(float(not left), 1)


def _best_assignment(predicted: Sequence[AnyCall], golden: Sequence[AnyCall], granularity: Granularity) -> float:
    if not predicted or not golden:
        return 0.0
    from scipy.optimize import linear_sum_assignment

    scores = np.array([[_pair_score(call, other, granularity) for other in predicted] for call in golden])
    return float(scores[linear_sum_assignment(scores, maximize=True)].sum())


def _pair_score(golden: AnyCall, predicted: AnyCall, granularity: Granularity) -> float:
    """r_param + r_value of one pair."""
    if granularity == "intermediate":
        return float(_same_parameters(golden, predicted))
    keys = golden.arguments.keys(), predicted.arguments.keys()
    r_param = float(keys[0] == keys[1]) if granularity == "finegrained" else _jaccard(*keys)
    r_value = sum(equal(golden.arguments[key], predicted.arguments[key]) for key in keys[0] & keys[1])
    return r_param + r_value


def _same_parameters(golden: AnyCall, predicted: AnyCall) -> bool:
    return equal(golden.arguments, predicted.arguments)


def _jaccard(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """|both| / |either|; 1 for two empty sets, which agree."""
    return len(one & other) / len(one | other) if one or other else 1.0
