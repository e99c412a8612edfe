"""The classes of other frameworks that an example is made of, as far as it uses them.

None of these frameworks can be installed beside ours, or on a machine without a GPU. Each class has the signature that
the framework's sources had at the version named, so that an example runs against it as it would there.
"""

import sys
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
