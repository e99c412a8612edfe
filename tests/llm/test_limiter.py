"""The limiter, on a clock that only the test moves."""

import heapq
from collections import Counter
from itertools import count
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolscale.llm.limiter import Limiter


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def limiter(ceiling: int = 64, chance: float = 0.0) -> tuple[Limiter[int], Clock]:
    clock = Clock()
    return Limiter(ceiling, clock, lambda: chance), clock


def admitted(bounded: Limiter[int]) -> list[int]:
    """Everybody who may go now."""
    return list(iter(bounded.admit, None))


def fill(bounded: Limiter[int], calls: int = 1000, stage: str = "tasks") -> list[int]:
    for number in range(calls):
        bounded.join(stage, number)
    return admitted(bounded)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["join", "ahead", "leave", "admit", "succeeded", "failed", "refused"]),
        st.sampled_from(["subjects", "tasks", "filtering"]),
        st.floats(0, 5),
        st.none() | st.floats(0, 5),
    ),
    max_size=200,
)


@given(STEPS, st.integers(1, 30))
def test_whatever_happens_the_limit_holds_and_each_call_goes_once_or_leaves(
    steps: list[tuple[str, str, float, float | None]], ceiling: int
) -> None:
    bounded, clock = limiter(ceiling)
    numbers, waiting, flying, gone = count(), {}, [], Counter[int]()
    for what, stage, seconds, retry_after in steps:
        clock.now += seconds
        if what in ("join", "ahead"):
            ticket = next(numbers)
            waiting[ticket] = stage
            bounded.join(stage, ticket, ahead=what == "ahead")
        elif what == "leave" and waiting:
            ticket, its_stage = waiting.popitem()
            bounded.leave(its_stage, ticket)
        elif what == "admit":
            for ticket in admitted(bounded):
                gone[ticket] += 1
                del waiting[ticket]
                flying.append(clock.now)
            assert bounded.in_flight <= bounded.limit
        elif flying and what == "succeeded":
            bounded.succeeded(flying.pop())
        elif flying and what == "failed":
            flying.pop()
            bounded.failed()
        elif flying and what == "refused":
            bounded.refused(flying.pop(0), retry_after)
        assert bounded.in_flight == len(flying)
        assert 1 <= bounded.limit <= ceiling
        assert all(times == 1 for times in gone.values())
    while waiting:  # nobody is stranded: time and answers alone bring everybody through
        clock.now += bounded.pause()
        while flying:
            bounded.succeeded(flying.pop())
        through = admitted(bounded)
        assert through
        flying.extend([clock.now] * len(through))
        for ticket in through:
            del waiting[ticket]


def test_stages_take_turns_and_within_a_stage_the_first_to_come_goes_first() -> None:
    bounded, _ = limiter(ceiling=6)
    for number in range(100):
        bounded.join("tasks", number)
    for number in (100, 101):
        bounded.join("filtering", number)
    bounded.join("subjects", 200)
    assert admitted(bounded) == [0, 100, 200, 1, 101, 2]


def test_a_call_that_was_refused_goes_ahead_of_its_stage_only() -> None:
    bounded, _ = limiter(ceiling=3)
    bounded.join("tasks", 1)
    bounded.join("filtering", 2)
    bounded.join("filtering", 3, ahead=True)
    assert admitted(bounded) == [1, 3, 2]


def test_the_start_is_jittered_and_then_grows_with_each_answer_to_the_ceiling() -> None:
    bounded, clock = limiter(ceiling=40, chance=1.0)
    assert fill(bounded) == []
    clock.now += bounded.pause()
    assert len(admitted(bounded)) == 16
    answer_windows(bounded, clock, 1)
    assert bounded.in_flight == bounded.limit == 32
    answer_windows(bounded, clock, 1)
    assert bounded.in_flight == bounded.limit == 40


def test_a_refusal_lowers_the_limit_to_what_is_in_flight_and_stops_everybody_for_a_round_trip() -> None:
    bounded, clock = limiter()
    sent = clock.now
    fill(bounded)
    clock.now += 0.2
    for _ in range(6):
        bounded.refused(sent, None)
    assert bounded.limit == bounded.in_flight == 10
    for _ in range(10):
        bounded.succeeded(sent)
    assert admitted(bounded) == []
    assert bounded.pause() == pytest.approx(0.2)
    clock.now += 0.201
    assert len(admitted(bounded)) == 10


def answer_windows(bounded: Limiter[int], clock: Clock, windows: int) -> None:
    for _ in range(windows):
        sent = clock.now
        clock.now += 1
        for _ in range(bounded.in_flight):
            bounded.succeeded(sent)
            admitted(bounded)


def test_after_a_refusal_the_first_step_up_takes_eight_windows_and_each_further_one_half_as_many() -> None:
    bounded, clock = limiter()
    fill(bounded, 5000)
    bounded.refused(clock.now, None)
    assert int(bounded.limit) == 15
    clock.now += 0.1
    admitted(bounded)
    answer_windows(bounded, clock, 7)
    assert int(bounded.limit) == 15
    answer_windows(bounded, clock, 2)
    assert int(bounded.limit) == 16
    answer_windows(bounded, clock, 4)
    assert int(bounded.limit) == 17
    answer_windows(bounded, clock, 12)
    assert bounded.limit > 24


def test_a_limit_that_nobody_reaches_does_not_rise() -> None:
    bounded, clock = limiter()
    for number in range(100):
        bounded.join("tasks", number)
        assert bounded.admit() == number
        bounded.succeeded(clock.now)
    assert bounded.limit == 16


def refuse_alone(bounded: Limiter[int], clock: Clock, retry_after: float | None) -> float:
    """One call goes out alone and is refused after a tenth of a second: the pause that follows."""
    clock.now += bounded.pause()
    assert len(admitted(bounded)) == 1
    clock.now += 0.1
    bounded.refused(clock.now - 0.1, retry_after)
    return bounded.pause()


def test_refused_again_with_no_answer_in_between_all_wait_as_asked_or_twice_as_long_each_time() -> None:
    bounded, clock = limiter(ceiling=1)
    bounded.join("tasks", 0)
    for number in range(1, 30):
        bounded.join("tasks", number)
    pauses = [refuse_alone(bounded, clock, None) for _ in range(12)]
    assert pauses[:4] == pytest.approx([0.1, 0.2, 0.4, 0.8])
    assert max(pauses) == pytest.approx(60)
    assert refuse_alone(bounded, clock, 17.0) == pytest.approx(17)
    clock.now += bounded.pause()
    admitted(bounded)
    bounded.succeeded(clock.now)
    assert refuse_alone(bounded, clock, 17.0) == pytest.approx(0.1)


def test_late_refusals_of_one_burst_do_not_prolong_its_pause() -> None:
    bounded, clock = limiter()
    sent = clock.now
    fill(bounded)
    clock.now += 0.1
    bounded.refused(sent, None)
    until = clock.now + bounded.pause()
    clock.now += 0.05
    bounded.refused(sent, 30.0)
    assert clock.now + bounded.pause() == pytest.approx(until)


def test_answers_during_a_pause_do_not_lower_the_limit_of_a_late_refusal() -> None:
    bounded, clock = limiter()
    sent = clock.now
    fill(bounded)
    clock.now += 0.1
    bounded.refused(sent, None)
    for _ in range(10):
        bounded.succeeded(sent)
    bounded.refused(sent, None)
    assert int(bounded.limit) == 14


class Rate(NamedTuple):
    """What became of the calls at a modelled endpoint."""

    of_ideal: float
    wasted: float


def rate(slots: int, seconds: float, spread: float, journey: float, retry_after: float | None) -> Rate:
    """200 calls a slot, all there from the start, at an endpoint that answers in so many seconds, more or less.

    What finds no slot is refused at once; a request and its answer take ``journey`` to arrive each.
    """
    bounded, clock = limiter(ceiling=64, chance=0.5)
    calls, refused, answered, order = 200 * slots, 0, 0, count()
    for number in range(calls):
        bounded.join("tasks", number)
    events: list[tuple[float, int, str, int, float]] = []

    def later(delay: float, what: str, ticket: int, sent: float) -> None:
        heapq.heappush(events, (clock.now + delay, next(order), what, ticket, sent))

    busy, started = 0, clock.now
    while answered < calls:
        while (ticket := bounded.admit()) is not None:
            later(journey, "arrived", ticket, clock.now)
        pause = bounded.pause()
        if pause and (not events or clock.now + pause < events[0][0]):
            clock.now += pause
            continue
        clock.now, place, what, ticket, sent = heapq.heappop(events)
        if what == "arrived" and busy < slots:
            busy += 1
            later(seconds * (1 + spread * ((place * 0.618) % 1 - 0.5)), "done", ticket, sent)
        elif what == "arrived":
            later(journey, "refused", ticket, sent)
        elif what == "done":
            busy -= 1
            later(journey, "answered", ticket, sent)
        elif what == "answered":
            answered += 1
            bounded.succeeded(sent)
        elif what == "refused":
            refused += 1
            bounded.refused(sent, retry_after)
            later(retry_after or 0, "back", ticket, sent)
        else:
            bounded.join("tasks", ticket, ahead=True)
    ideal = calls * (seconds + 2 * journey) / slots
    return Rate(ideal / (clock.now - started), refused / calls)


@given(
    slots=st.integers(1, 60),
    seconds=st.sampled_from([0.2, 2.0, 20.0]),
    spread=st.sampled_from([0.0, 0.5, 1.0]),
    journey=st.sampled_from([0.0005, 0.005]),
    retry_after=st.none() | st.sampled_from([0.5, 1.0, 5.0]),
)
@settings(max_examples=40)
def test_an_endpoint_with_slots_is_kept_busy_and_seldom_refuses(
    slots: int, seconds: float, spread: float, journey: float, retry_after: float | None
) -> None:
    found = rate(slots, seconds, spread, journey, None if retry_after is None else retry_after * seconds)
    assert found.of_ideal > 0.9
    assert found.wasted < 0.01 + 0.17 / slots


@pytest.mark.parametrize("retry_after", [None, 1.0])
@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0])
def test_sixteen_slots_are_used_to_95_percent_and_fewer_than_3_percent_of_the_calls_are_wasted(
    spread: float, retry_after: float | None
) -> None:
    found = rate(16, 0.2, spread, 0.001, retry_after)
    assert found.of_ideal > 0.95
    assert found.wasted < 0.03
