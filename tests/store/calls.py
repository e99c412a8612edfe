"""Calls for the store's tests."""

from datetime import UTC, datetime, timedelta
from typing import Any

from toolscale.store import ModelCall

NOW = datetime(2026, 11, 20, 12, 30, 15, 250_000, tzinfo=UTC)


def call(key: str, *, days_old: int = 0, **values: Any) -> ModelCall:
    """A call that was answered, unless the values say otherwise."""
    told: dict[str, Any] = {
        "role": "agent",
        "stage": "episode",
        "domain": "railway",
        "model": "openai/m",
        "status": "ok",
        "dollars": 0.5,
        "response": "{}" if values.get("status", "ok") == "ok" else None,
    }
    return ModelCall(
        key=key,
        created_at=NOW - timedelta(days=days_old),
        endpoint="openai",
        sample=0,
        prompt_tokens=10,
        completion_tokens=1,
        seconds=0.1,
        **told | values,
    )
