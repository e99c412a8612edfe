"""The extrapolation multiplies what belongs to a domain by domains, and what belongs to a task by tasks."""

import importlib.util
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "scale.py"


@pytest.fixture(scope="module")
def scale():
    spec = importlib.util.spec_from_file_location("scale", FILE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["scale"] = module
    spec.loader.exec_module(module)
    return module


def test_environments_grow_with_domains_and_attempts_with_tasks(scale):
    found = scale.Measured(
        domains=2,
        tasks=100,
        by_domain=scale.Room(files=20, rows=1000, bytes=10_000),
        by_task=scale.Room(files=10, rows=300, bytes=50_000),
        dataset=scale.Room(files=9, rows=500, bytes=80_000),
        store_bytes=1_000_000,
        asked={"entries": scale.Asked(20, 2_000, 200), "episode": scale.Asked(980, 1_000_000, 10_000)},
        runs=4,
        events=800,
        record_bytes=4_000,
    )
    then = scale.extrapolated(found, 4, 1000, ["offline/reference", "openai/gpt-5-mini"])
    assert then["assets"] == {"files": 40 + 20, "rows": 2000 + 3000, "bytes": 20_000 + 500_000}
    assert then["asked"] == {"calls": 40 + 9800, "prompt_tokens": 10_004_000, "completion_tokens": 100_400}
    assert then["calls_per_task"] == pytest.approx(9.84)
    assert then["dataset"]["rows"] == 5000
    assert then["store_bytes"] == 9_840_000
    assert then["dagster"] == {"runs": 8, "events": 1600, "bytes": 8000}
    assert then["dollars"]["offline/reference"] == 0
    assert then["dollars"]["openai/gpt-5-mini"] > 0


def test_a_line_through_points_on_it_misses_none_and_says_how_far_off_others_are(scale):
    straight = scale.line([(1000, 120), (2000, 220), (4000, 420)])
    assert (straight.at_nothing, straight.per_task) == pytest.approx((20, 0.1))
    assert straight.at(1_000_000) == pytest.approx(100_020)
    assert straight.worst < 1e-9
    assert scale.line([(1000, 100), (2000, 400), (4000, 1600)]).worst > 0.2
