"""The share of golden calls that were made."""

from typing import Any

import pytest

from toolscale.artifacts import CallOutcome, GoldenCall
from toolscale.rewards.matched import matched_calls

NEEDED = [
    GoldenCall(name="find", arguments={"key": 1}),
    GoldenCall(name="move", arguments={"key": 1, "to": [2, 3]}),
    GoldenCall(name="move", arguments={"key": 1, "to": [2, 3]}),
    GoldenCall(name="tell"),
]


def made(name: str, error: str | None = None, **arguments: Any) -> CallOutcome:
    return CallOutcome(name=name, arguments=arguments, error=error, error_type=error and "ValueError")


@pytest.mark.parametrize(
    ("calls", "share"),
    [
        ([], 0.0),
        ([made("find", key=1.0)], 0.25),
        ([made("find", key=True), made("find", key="1")], 0.0),
        ([made("tell"), made("find", key=1)], 0.5),
        ([made("move", key=1, to=[2, 3])], 0.25),
        ([made("move", key=1, to=[2, 3])] * 3, 0.5),
        ([made("move", key=1, to=[3, 2])], 0.0),
        ([made("find", error="there is no 1", key=1)], 0.0),
        ([made("find", error="not yet", key=1), made("find", key=1)], 0.25),
        ([made("find", key=1), *[made("move", to=[2, 3], key=1)] * 2, made("tell"), made("sing")], 1.0),
    ],
)
def test_a_golden_call_counts_once_where_one_with_its_arguments_returned(
    calls: list[CallOutcome], share: float
) -> None:
    assert matched_calls(calls, NEEDED) == share


def test_where_nothing_was_to_be_called_nothing_is_right() -> None:
    assert matched_calls([], []) == 1.0
    assert matched_calls([made("find", key=1)], []) == 0.0
