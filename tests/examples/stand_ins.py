"""The classes of other frameworks that an example is made of, as far as it uses them.

None of these frameworks can be installed beside ours, or on a machine without a GPU. Each class has the signature that
the framework's sources had at the version named, so that an example runs against it as it would there.
"""

import json
import re
import sys
from enum import Enum
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from starlette.requests import Request
from starlette.responses import Response


def _module(name: str, **content: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(content)
    return made


def skyrl_gym(monkeypatch: pytest.MonkeyPatch) -> None:
    """skyrl-gym 0.4.0: `BaseTextEnv` counts turns; a step's output is a typed dict."""

    class BaseTextEnv:
        def __init__(self) -> None:
            self.turns, self.max_turns = 0, 1

    modules = {
        "skyrl_gym": _module("skyrl_gym"),
        "skyrl_gym.envs": _module("skyrl_gym.envs"),
        "skyrl_gym.envs.base_text_env": _module("base_text_env", BaseTextEnv=BaseTextEnv, BaseTextEnvStepOutput=dict),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)


def nemo_gym(monkeypatch: pytest.MonkeyPatch) -> None:
    """NeMo Gym of August 2026: a server is a pydantic model; `verify` gets the response's items and sends them back."""

    class FastAPI:
        def __init__(self) -> None:
            self.routes: list[SimpleNamespace] = [
                SimpleNamespace(path="/seed_session"),
                SimpleNamespace(path="/verify"),
            ]

        def post(self, path: str) -> Any:
            return lambda endpoint: self.routes.append(SimpleNamespace(path=path))

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow", arbitrary_types_allowed=True)

    class BaseResourcesServerConfig(BaseModel):
        name: str = "toolscale"

    class BaseVerifyRequest(Open):
        responses_create_params: dict[str, Any]
        response: Any

    class BaseVerifyResponse(BaseVerifyRequest):
        reward: float

    class SimpleResourcesServer(BaseModel):
        config: BaseResourcesServerConfig

        def setup_webserver(self) -> Any:
            return FastAPI()

    base = _module(
        "nemo_gym.base_resources_server",
        BaseResourcesServerConfig=BaseResourcesServerConfig,
        BaseSeedSessionRequest=type("BaseSeedSessionRequest", (BaseModel,), {}),
        BaseSeedSessionResponse=type("BaseSeedSessionResponse", (BaseModel,), {}),
        BaseVerifyRequest=BaseVerifyRequest,
        BaseVerifyResponse=BaseVerifyResponse,
        SimpleResourcesServer=SimpleResourcesServer,
    )
    modules = {
        "fastapi": _module("fastapi", FastAPI=FastAPI, Request=Request, Response=Response),
        "nemo_gym": _module("nemo_gym"),
        "nemo_gym.base_resources_server": base,
        "nemo_gym.server_utils": _module("nemo_gym.server_utils", SESSION_ID_KEY="session_id"),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)


def verl(monkeypatch: pytest.MonkeyPatch) -> None:
    """verl of January 2026: a loop generates, parses, calls tools, and ends at a message without calls or at a limit.

    Its server "generates" the texts that it is given, a token a character.
    """

    class AgentState(Enum):
        GENERATING = "generating"
        PROCESSING_TOOLS = "processing_tools"
        TERMINATED = "terminated"

    class HermesToolParser:
        async def extract_tool_calls(self, ids: list[str]) -> tuple[str, list[SimpleNamespace]]:
            found = re.findall(r"<tool_call>(.*?)</tool_call>", "".join(ids), re.DOTALL)
            calls = [json.loads(each) for each in found]
            text = re.sub(r"<tool_call>.*?</tool_call>", "", "".join(ids), flags=re.DOTALL)
            return text, [SimpleNamespace(name=e["name"], arguments=json.dumps(e["arguments"])) for e in calls]

    class ToolAgentLoop:
        def __init__(self, texts: list[str], response_length: int = 100_000) -> None:
            self.texts, self.response_length = iter(texts), response_length
            self.tool_parser, self.tool_schemas = HermesToolParser(), []
            self.heard: list[str] = []

        async def run(self, sampling_params: dict[str, Any], **row: Any) -> Any:
            data = SimpleNamespace(response_ids=[], response_mask=[], tool_calls=[])
            state = AgentState.GENERATING
            while state != AgentState.TERMINATED:
                if state == AgentState.GENERATING:
                    state = await self._handle_generating_state(data, sampling_params)
                else:
                    answers = [await self._call_tool(call, {}, data) for call in data.tool_calls]
                    self.heard += [answer[0].text for answer in answers]
                    state = AgentState.GENERATING
            return SimpleNamespace(reward_score=None)

        async def _handle_generating_state(self, data: Any, sampling_params: dict[str, Any]) -> AgentState:
            data.response_ids = list(next(self.texts))
            data.response_mask += [1] * len(data.response_ids)
            if len(data.response_mask) >= self.response_length:
                return AgentState.TERMINATED
            _, data.tool_calls = await self.tool_parser.extract_tool_calls(data.response_ids)
            return AgentState.PROCESSING_TOOLS if data.tool_calls else AgentState.TERMINATED

        async def _call_tool(self, tool_call: Any, tools_kwargs: dict[str, Any], data: Any) -> Any:
            raise NotImplementedError

    class ToolResponse(BaseModel):
        text: str | None = None

    loop = _module("tool_agent_loop", AgentState=AgentState, ToolAgentLoop=ToolAgentLoop)
    modules = {
        "verl": _module("verl"),
        "verl.experimental": _module("verl.experimental"),
        "verl.experimental.agent_loop": _module("verl.experimental.agent_loop"),
        "verl.experimental.agent_loop.tool_agent_loop": loop,
        "verl.tools": _module("verl.tools"),
        "verl.tools.schemas": _module("verl.tools.schemas", ToolResponse=ToolResponse),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
