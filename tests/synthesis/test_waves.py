"""Attempts that are spared would have changed nothing: neither that a task is solved, nor that its rate is wanted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.artifacts import Attempt, Verdict
from toolscale.errors import UserError
from toolscale.settings import Settings
from toolscale.synthesis.attempts import counted, succeeded
from toolscale.synthesis.waves import is_certain, next_wave

SHARES = st.sampled_from([0.0, 0.1, 0.125, 0.2, 0.25, 0.5, 0.75, 0.8, 0.875, 0.9, 1.0])
BANDS = st.tuples(SHARES, SHARES).map(sorted).map(tuple)
OUTCOMES = st.lists(st.sampled_from(["solved", "failed", "spoiled"]), min_size=1, max_size=12)


def attempt(index: int, outcome: str) -> Attempt:
    solved = outcome == "solved"
    verdict = Verdict(execution=solved, fidelity=solved, completeness=solved)
    return Attempt(index=index, verdict=verdict, user_fault=outcome == "spoiled")


def made_of(all_of_them: list[Attempt], settings: Settings) -> tuple[list[Attempt], list[int]]:
    """The attempts that are made of those that could be, and the sizes of their waves."""
    made: list[Attempt] = []
    waves = []
    while wave := next_wave(made, settings):
        waves.append(wave)
        made = all_of_them[: len(made) + wave]
    return made, waves


def rate(attempts: list[Attempt]) -> float | None:
    return sum(map(succeeded, attempts)) / len(counted(attempts)) if counted(attempts) else None


@given(OUTCOMES, BANDS)
def test_what_was_spared_changes_neither_whether_it_is_solved_nor_whether_its_rate_is_wanted(outcomes, band) -> None:
    every = [attempt(index, outcome) for index, outcome in enumerate(outcomes)]
    made, waves = made_of(every, Settings(attempts=len(every), attempts_stop="certain", wanted_pass_rate=band))
    assert sum(waves) == len(made) <= len(every)
    assert any(map(succeeded, made)) == any(map(succeeded, every))
    if any(map(succeeded, every)):
        assert (band[0] <= rate(made) <= band[1]) == (band[0] <= rate(every) <= band[1])


@given(OUTCOMES, BANDS)
def test_no_wave_is_larger_than_may_be_needed(outcomes, band) -> None:
    every = [attempt(index, outcome) for index, outcome in enumerate(outcomes)]
    settings = Settings(attempts=len(every), attempts_stop="certain", wanted_pass_rate=band)
    made: list[Attempt] = []
    while wave := next_wave(made, settings):
        left = len(every) - len(made)
        for fewer in range(1, wave):
            tried, solved = len(counted(made)) + fewer, sum(map(succeeded, made))
            ends = [is_certain(solved + more, tried, left - fewer, band) for more in range(fewer + 1)]
            assert not any(ends), "a smaller wave could have ended them"
        made = every[: len(made) + wave]


@given(OUTCOMES)
def test_by_default_all_attempts_are_made_at_once(outcomes) -> None:
    every = [attempt(index, outcome) for index, outcome in enumerate(outcomes)]
    assert made_of(every, Settings(attempts=len(every))) == (every, [len(every)])


@given(OUTCOMES)
def test_the_first_success_ends_them_one_after_the_other(outcomes) -> None:
    every = [attempt(index, outcome) for index, outcome in enumerate(outcomes)]
    made, waves = made_of(every, Settings(attempts=len(every), attempts_stop="first_success"))
    assert set(waves) == {1}
    assert not any(map(succeeded, made[:-1]))
    assert succeeded(made[-1]) or made == every


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"attempts_stop": "certain"}, "needs the setting `wanted_pass_rate`"),
        ({"wanted_pass_rate": (0.8, 0.1)}, "the lower one first"),
        ({"wanted_pass_rate": (0.1, 8)}, "two shares"),
    ],
)
def test_a_band_that_is_none_is_one_line(given, said) -> None:
    with pytest.raises(UserError, match=said):
        Settings.load(**given)
