"""The request by which a trainer asks for the verdict over MCP, and which no agent is told of."""

from typing import Any, ClassVar

import pytest

types = pytest.importorskip("mcp.types")


class AskedVerdict(types.Request[dict[str, Any], str]):
    method: str = "toolscale/verdict"
    params: dict[str, Any]


class Answer(types.Result):
    model_config: ClassVar = {"extra": "allow"}
