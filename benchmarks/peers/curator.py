"""Bespoke Curator on the same calls, run by its own interpreter: ``python curator.py BASE_URL ROWS AT_ONCE``.

Prints ``{"seconds": ..., "answered": ...}``; whoever starts it measures its CPU. Typed answers, its response cache off,
no limit on requests or tokens a minute, so that only its own concurrency limit holds calls back.
"""

import importlib.util
import json
import os
import sys
import tempfile
import time

base_url, rows, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
folder = tempfile.TemporaryDirectory()
litellm = importlib.util.find_spec("litellm")
assert litellm is not None, "Curator brings litellm along"
assert litellm.submodule_search_locations is not None
os.environ.update(
    OPENAI_API_KEY="none",
    CURATOR_CACHE_DIR=folder.name,
    CURATOR_DISABLE_CACHE="true",
    CURATOR_DISABLE_RICH_DISPLAY="1",
    TELEMETRY_ENABLED="false",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
    # Curator counts tokens before each request; litellm ships the file that tiktoken would otherwise fetch.
    TIKTOKEN_CACHE_DIR=f"{litellm.submodule_search_locations[0]}/litellm_core_utils/tokenizers",
)

from bespokelabs import curator  # noqa: E402 - it reads the variables when it is imported
from datasets import Dataset  # noqa: E402
from pydantic import BaseModel  # noqa: E402


class Passenger(BaseModel):
    """The typed answer that is asked for."""

    name: str
    age: int
    stations: list[str]


class Passengers(curator.LLM):
    """A row in, a row out."""

    response_format = Passenger

    def prompt(self, row):
        """About 800 characters, other ones for each row."""
        system = "Look before you book; never change a ticket that was not asked for. " * 10
        user = f"Passenger {row['number']} of the morning train from Leeds to York, with stations."
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def parse(self, row, response):
        """The row with the answer's name."""
        return {"number": row["number"], "name": response.name}


passengers = Passengers(
    model_name="reference",
    backend="openai",
    backend_params={
        "base_url": base_url,
        "max_requests_per_minute": 10_000_000,
        "max_tokens_per_minute": 10_000_000_000,
        "max_concurrent_requests": at_once,
        "max_retries": 50,
        "require_all_responses": False,
    },
)
started = time.perf_counter()
answered = len(passengers(Dataset.from_dict({"number": list(range(rows))})).dataset)
print(json.dumps({"seconds": time.perf_counter() - started, "answered": answered}))
