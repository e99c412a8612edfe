"""Latency is fitted to what was measured, and drawn the same for the same seed."""

from datetime import UTC, datetime

import pytest

from toolscale.catalogue.latency import LatencyProfile, Timed, fitted, measured
from toolscale.store import ModelCall, Store


def test_a_fit_finds_the_profile_that_made_the_calls():
    made = [Timed(tokens, 1.5 + 0.02 * tokens) for tokens in (10, 200, 50, 400, 90)]
    profile = fitted(made)
    assert profile.seconds == pytest.approx(1.5)
    assert profile.seconds_per_token == pytest.approx(0.02)
    assert profile.spread == pytest.approx(0, abs=1e-6)
    assert profile.typical == pytest.approx(11.5)


@pytest.mark.parametrize(
    "calls",
    [
        [Timed(10, 2.0)],
        [Timed(10, 2.0), Timed(10, 4.0)],
        [Timed(10, 9.0), Timed(400, 1.0)],
        [Timed(300, 1.0), Timed(400, 9.0)],
        [Timed(0, 0.0), Timed(0, 0.0)],
    ],
)
def test_no_fit_has_a_negative_part(calls):
    profile = fitted(calls)
    assert profile.seconds >= 0
    assert profile.seconds_per_token >= 0


def test_a_simulated_call_takes_the_same_time_for_the_same_seed_and_the_mean_on_average():
    profile = LatencyProfile(seconds=2.0, seconds_per_token=0.01, spread=0.5)
    drawn = [profile.drawn(100, seed=["q", number]) for number in range(4000)]
    assert drawn == [profile.drawn(100, seed=["q", number]) for number in range(4000)]
    assert len(set(drawn)) == len(drawn)
    assert min(drawn) > 0
    assert sum(drawn) / len(drawn) == pytest.approx(profile.mean(100), rel=0.05)
    assert LatencyProfile(seconds=2.0).drawn(7, seed=1) == 2.0


async def test_the_ledger_gives_profiles_of_models_with_enough_answered_calls(store: Store):
    def call(key, model, status="ok", tokens=100):
        return ModelCall(
            key=key,
            created_at=datetime.now(UTC),
            role="agent",
            stage="tool",
            domain="d",
            endpoint="e",
            model=model,
            sample=0,
            prompt_tokens=1,
            completion_tokens=tokens,
            seconds=1 + tokens / 100,
            status=status,
        )

    await store.save(*(call(f"a{n}", "openai/a", tokens=100 * n) for n in range(5)))
    await store.save(*(call(f"b{n}", "openai/b") for n in range(4)), call("b4", "openai/b", status="TimedOut"))
    found = measured(store, {"lab/a": "openai/a", "lab/b": "openai/b"})
    assert set(found) == {"lab/a"}
    assert found["lab/a"].mean(300) == pytest.approx(4.0)
