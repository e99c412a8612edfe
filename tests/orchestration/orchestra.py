"""What tests of this room share: gateways to a server, a catalogue of two models, tools that do as they are told."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.openai_server import OpenAIServer, tool_call
from toolscale.artifacts import FunctionSpec
from toolscale.llm import Gateway
from toolscale.settings import ModelSettings, Settings
from toolscale.store import Store
from toolscale.tools.tool import ToolAnswer, ToolKind

CATALOGUE = """
[[tool]]
kind = "web_search"
description = "Searches the web."

[[tool]]
kind = "code_interpreter"
description = "Runs Python."

[[model]]
name = "lab/small"
model = "openai/small"
api_base = "{url}"
vendor = "Lab"
open_weights = true
description = "Cheap, and weak."
price = {{ input = 1.0, output = 2.0 }}
latency = {{ seconds = 0.5, seconds_per_token = 0.01, spread = 0.3 }}
simulated = true

[[model]]
name = "lab/large"
model = "openai/deft"
api_base = "{url}"
description = "Dear, and strong."
price = {{ input = 10.0, output = 20.0 }}

[sets.both]
tools = ["web_search", "code_interpreter"]
query_writer = ["lab/small"]
code_writer = ["lab/large"]
generalist = ["lab/small", "lab/large"]
"""


def catalogue_file(folder: Path, url: str = "http://127.0.0.1:1/v1") -> Path:
    file = folder / "catalogue.toml"
    file.write_text(CATALOGUE.format(url=url))
    return file


@asynccontextmanager
async def gateway_to(server: OpenAIServer, store: Store, **settings: Any) -> AsyncIterator[Gateway]:
    given = {"default_model": "openai/anything", "default_api_base": server.url, "retry_seconds": 0.01, **settings}
    async with Gateway(Settings(**given), store) as gateway:
        yield gateway


def agent_at(server: OpenAIServer) -> ModelSettings:
    return ModelSettings(model="openai/agent", api_base=server.url)


class Told:
    """A tool that answers what it was told to, and remembers what it was asked."""

    def __init__(
        self,
        name: str,
        answer: ToolAnswer | Callable[[Mapping[str, Any]], ToolAnswer],
        *,
        kind: ToolKind = "function",
        writes: bool = False,
        before: Callable[[], Any] | None = None,
    ) -> None:
        self.kind = kind
        self.spec = FunctionSpec(
            name=name,
            description=f"The tool {name}.",
            parameters={"type": "object", "properties": {}},
            kind="write" if writes else "read",
        )
        self.asked: list[dict[str, Any]] = []
        self._answer, self._before = answer, before

    async def call(self, arguments: Mapping[str, Any]) -> ToolAnswer:
        self.asked.append(dict(arguments))
        if self._before is not None:
            await asyncio.wait_for(self._before(), timeout=30)
        return self._answer(arguments) if callable(self._answer) else self._answer


def calls(*asked: tuple[str, Any]) -> dict[str, Any]:
    """An assistant message that calls tools; arguments that are text go out as they are."""
    return {
        "content": "I need more.",
        "tool_calls": [
            tool_call(name, arguments if isinstance(arguments, str) else json.dumps(arguments), f"call_{position}")
            for position, (name, arguments) in enumerate(asked)
        ],
    }


def script(*messages: str | dict[str, Any]) -> Callable[[dict[str, Any]], str | dict[str, Any]]:
    """An orchestrator that says one message after the other; the last again and again."""

    def says(request: dict[str, Any]) -> str | dict[str, Any]:
        turn = sum(message["role"] == "assistant" for message in request["messages"])
        said = messages[min(turn, len(messages) - 1)]
        return dict(said) if isinstance(said, dict) else said

    return says
