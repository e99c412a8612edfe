"""What led to an error is found and ends, also where causes lead in a circle."""

import pytest

from pipelines.stopped import stop_behind
from toolscale.errors import UserError, causes_of


def in_a_circle():
    """An error that is the cause of its own cause."""
    first, second = UserError("first"), RuntimeError("second")
    first.__cause__, second.__cause__ = second, first
    return first


def of_itself():
    """An error that is its own cause."""
    error = UserError("alone")
    error.__cause__ = error
    return error


@pytest.mark.parametrize(("error", "count"), [(in_a_circle(), 2), (of_itself(), 1), (UserError("plain"), 1)])
def test_each_cause_comes_once(error, count):
    assert len(list(causes_of(error))) == count
    assert next(causes_of(error)) is error
    assert stop_behind(error) is None


def test_the_first_cause_comes_last():
    try:
        try:
            raise KeyError("deep")
        except KeyError as deep:
            raise ValueError("middle") from deep
    except ValueError as middle:
        found = [str(cause) for cause in causes_of(middle)]
    assert found == ["middle", "'deep'"]
