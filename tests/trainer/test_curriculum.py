"""Which tasks a curriculum draws: chances sum to one, nobody starves, estimates fall back to their prior."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.trainer import cloakroom
from trainer.config import Curriculum, Data
from trainer.tasks.curriculum import Estimates, Result, chances
from trainer.tasks.drawing import Drawing, Place
from trainer.tasks.exercise import Exercise

RATES = st.lists(st.floats(0, 1), min_size=1, max_size=40)
SETTINGS = st.builds(
    Curriculum,
    target=st.floats(0.05, 0.95),
    half_life=st.floats(0.5, 100),
    uniform=st.floats(0.01, 1),
)
START = Place()
ENVIRONMENT, TASKS = cloakroom.environment(), cloakroom.tasks()


def exercises(*rates: float | None, source: int = 0) -> list[Exercise]:
    return [
        Exercise(task.model_copy(update={"pass_rate": rate}), ENVIRONMENT, (), source=source)
        for task, rate in zip(TASKS, rates, strict=False)
    ]


@given(RATES, SETTINGS)
def test_chances_sum_to_one_and_no_task_starves(rates, settings):
    found = chances(rates, settings)
    assert sum(found) == pytest.approx(1)
    assert min(found) >= settings.uniform / len(rates) * (1 - 1e-9)


@given(st.floats(0, 1), st.floats(0, 1), SETTINGS)
def test_of_two_tasks_on_one_side_of_the_target_the_nearer_is_likelier(first, second, settings):
    low, high = sorted((first, second))
    one, other = chances([low, high], settings)
    if high <= settings.target:
        assert one <= other + 1e-12
    if low >= settings.target:
        assert one >= other - 1e-12


@given(st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_at_a_half_the_preference_is_the_variance_of_an_attempt(rates):
    almost_none = Curriculum(uniform=1e-9)
    one, other = chances(rates, almost_none)
    variances = [rate * (1 - rate) for rate in rates]
    assert one * variances[1] == pytest.approx(other * variances[0], abs=1e-6)


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.integers(0, 30)), max_size=20), SETTINGS)
def test_an_estimate_is_never_certain_whatever_came(history, settings):
    some = exercises(0.0, 1.0, None, 0.5)
    known, step = Estimates(some, settings), 0
    for place, (one, other, later) in enumerate(history):
        step += later
        solved, played = sorted((one, other))
        known.learn([Result(some[place % 4], solved, played)], step)
        assert all(0 < known.of(each, step + later) < 1 for each in some)


def test_first_the_datasets_rate_counts_then_the_policys_own_and_with_age_the_datasets_again():
    some = exercises(0.75, 0.75)
    known = Estimates(some, Curriculum(half_life=10))
    prior = known.of(some[0], 0)
    assert prior == pytest.approx(0.7), "6 of 8 by Laplace's rule"
    known.learn([Result(some[0], 0, 8)], 0)
    ages = [known.of(some[0], step) for step in (0, 10, 20, 40, 1000)]
    assert ages == sorted(ages)
    shifted = known.of(some[1], 0)
    assert shifted < prior, "what the policy does tells also of tasks that it has not met"
    assert ages[0] == pytest.approx(shifted / 9)
    assert ages[1] == pytest.approx(shifted / 5), "half of eight attempts are left"
    assert ages[-1] == pytest.approx(shifted)


def test_where_the_policy_does_as_the_dataset_says_nothing_is_shifted_and_else_all_of_one_dataset_are():
    first, second = exercises(0.5, 0.5), exercises(0.5, 0.5, source=1)
    known = Estimates([*first, *second], Curriculum())
    known.learn([Result(first[0], 4, 8), Result(second[0], 0, 8)], 0)
    assert known.of(first[1], 1) == pytest.approx(0.5)
    assert known.of(second[1], 1) < 0.4
    for step in range(1, 40):
        known.learn([Result(second[1], 2, 8), Result(second[0], 2, 8)], 100 * step)
    assert known.of(second[1], 10**6) == pytest.approx(0.25, abs=0.02)


def drawing(place: Place = START, seed: int = 0, rates: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0) * 4) -> Drawing:
    return Drawing(exercises(*rates), Data(curriculum=Curriculum()), seed, place)


def played(one: Drawing, steps: range) -> list[list[str]]:
    """What is drawn in these steps, where every result follows from the task and the step."""
    found = []
    for step in steps:
        drawn = one.next(4, step)
        assert one.estimates is not None
        one.estimates.learn([Result(each, (len(each.id) + step) % 5, 4) for each in drawn], step)
        found.append([each.id for each in drawn])
    return found


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 12))
def test_a_seed_decides_what_is_drawn_and_a_resumed_training_draws_the_same(seed, cut):
    whole = played(drawing(seed=seed), range(12))
    assert played(drawing(seed=seed), range(12)) == whole
    first = drawing(seed=seed)
    begun = played(first, range(cut))
    saved = json.loads(json.dumps(vars(first.place)))
    played(first, range(cut, 12))
    assert begun + played(drawing(Place(**saved), seed), range(cut, 12)) == whole


def test_another_seed_draws_otherwise():
    assert played(drawing(seed=1), range(5)) != played(drawing(seed=2), range(5))


def test_a_step_has_no_task_twice_as_long_as_there_are_others():
    one = drawing(rates=(0.5,) * 6)
    first = [each.id for each in one.next(4, 0)]
    assert len({*first, *(each.id for each in one.next(2, 0, besides=first))}) == 6
    assert len(one.next(8, 0)) == 8


def test_tasks_near_the_target_come_oftener_and_all_of_them_come():
    one = drawing()
    count = Counter(each.task.pass_rate for step in range(500) for each in one.next(2, step))
    assert count[0.5] > 1.5 * count[0.0]
    assert count[0.5] > 1.5 * count[1.0]
    assert min(count.values()) > 0.1 * 1000 / 5


def test_a_mix_keeps_its_shares_under_a_curriculum():
    both = [*exercises(*[0.5] * 10), *exercises(*[1.0] * 10, source=1)]
    data = Data.model_validate({"curriculum": {}, "mix": [{"dataset": "a", "share": 3}, {"dataset": "b", "share": 1}]})
    drawn = Drawing(both, data, 0, Place()).next(100, 0)
    assert Counter(each.source for each in drawn) == {0: 75, 1: 25}
