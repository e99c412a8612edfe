"""What holds for all tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from toolscale.store import Store

# How long an example takes says how busy the machine is, not whether a law holds. CI tries the same examples each time.
settings.register_profile(
    "shared machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("shared machine")


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/toolscale.db"


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with Store(database) as opened:
        yield opened
