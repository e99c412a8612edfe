"""What a model needs to play users in a test."""

from pathlib import Path

import pytest


@pytest.fixture
def user_may_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data root, where `openai/user` has a price and a key, and is asked once."""
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path))
    monkeypatch.setenv("TOOLSCALE_PRICES", '{"openai/user": {"input": 1, "output": 1}}')
    monkeypatch.setenv("TOOLSCALE_RETRIES", "0")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return tmp_path
