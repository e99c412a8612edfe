"""What holds for all tests."""

import json
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


_OUR_MODELS = (
    "openai/a openai/agent openai/anything openai/apprentice openai/b openai/deft openai/judge openai/limited "
    "openai/m openai/n openai/other openai/reference openai/slow openai/small openai/strict openai/teacher"
    " openai/x openai/y hosted_vllm/m hosted_vllm/x hosted_vllm/anything"
)
FREE = {"TOOLSCALE_PRICES": json.dumps({model: {"input": 0, "output": 0} for model in _OUR_MODELS.split()})}
"""The models that servers of the tests play cost nothing, which has to be said."""

os.environ |= FREE
# How wide a terminal is where the tests run is of no matter to what is written into a file.
os.environ.pop("COLUMNS", None)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/toolscale.db"


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    with Store(database) as opened:
        yield opened
