"""A model of one's own without an address is refused, and nothing is sent: least of all to OpenAI in its place."""

import asyncio
import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.evaluation import bench
from tests.llm.conftest import FOR, HELLO
from tests.openai_server import OpenAIServer
from toolscale.cli import app
from toolscale.errors import UserError
from toolscale.llm import Gateway, GatewayError, NoAddress
from toolscale.llm.providers import litellm
from toolscale.settings import ModelSettings, Price, Settings
from toolscale.store import ModelCall, Store
from toolscale.tools.embedders import embedder_for

OWN = [
    *("hosted_vllm", "lm_studio", "openai_like", "litellm_proxy", "xinference", "custom_openai", "aiohttp_openai"),
    *("infinity", "triton", "oobabooga", "custom", "azure_ai", "ai21"),
]
AT_OPENAI = {"openai", "text-completion-openai"}


@pytest.fixture(autouse=True)
def no_addresses_in_the_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.endswith(("_API_BASE", "_BASE_URL")):
            monkeypatch.delenv(name)
    for provider in OWN:
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", "sk-canary-of-ones-own")


@pytest.fixture
def contacted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every host that was looked up and every address that was connected to, none of which is reached."""
    found: list[str] = []

    def refused(place: Any) -> OSError:
        found.append(str(place))
        return socket.gaierror(socket.EAI_NONAME, "no network in this test")

    def look_up(host: Any, *_: Any, **__: Any) -> Any:
        raise refused(host)

    def connect(_: socket.socket, address: Any) -> None:
        raise refused(address)

    async def sock_connect(_: Any, __: socket.socket, address: Any) -> None:
        raise refused(address)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(asyncio.selector_events.BaseSelectorEventLoop, "sock_connect", sock_connect)
    return found


def settings_for(model: str, **given: Any) -> Settings:
    return Settings(default_model=model, prices={model: Price(input=1, output=1)}, retries=0, **given)


@pytest.mark.parametrize("provider", OWN)
@pytest.mark.parametrize("batch_stages", [[], ["subjects"]], ids=["live", "batch"])
async def test_a_role_asks_nobody_in_place_of_a_model_without_an_address(
    provider: str, batch_stages: list[str], contacted: list[str], store: Store
) -> None:
    model = f"{provider}/mine"
    async with Gateway(settings_for(model, batch_stages=batch_stages), store) as gateway:
        with pytest.raises(NoAddress, match=rf"^{model} has no address.*: set \w+_API_BASE") as caught:
            await gateway.text("judge", HELLO, **FOR)
        with pytest.raises(NoAddress):
            await gateway.embed(ModelSettings(model=model), ["a text"], stage="search", domain="index")
        with pytest.raises(NoAddress):
            embedder_for(model, gateway)
    assert isinstance(caught.value, UserError)
    assert contacted == []
    assert store.rows(ModelCall) == []


@pytest.mark.slow
async def test_whatever_litellm_knows_only_openais_own_models_reach_openai(contacted: list[str], store: Store) -> None:
    library = litellm()
    providers = {str(getattr(each, "value", each)) for each in library.provider_list} - AT_OPENAI
    models = [f"{provider}/mine" for provider in sorted(providers)]
    prices = {model: Price(input=1, output=1) for model in models}
    async with Gateway(Settings(prices=prices, retries=0, timeout_seconds=20), store) as gateway:
        calls = []
        for model in models:
            asked = ModelSettings(model=model)
            calls.append(gateway.with_model("judge", asked).text("judge", HELLO, **FOR))
            calls.append(gateway.embed(asked, ["a text"], stage="search", domain="index"))
        came = await asyncio.gather(*calls, return_exceptions=True)
    assert {type(each) for each in came if not isinstance(each, GatewayError)} == set()
    assert len(models) > 100
    assert [host for host in contacted if "openai.com" in host] == []


@pytest.mark.parametrize("provider", OWN)
async def test_the_providers_variable_gives_the_address(
    provider: str, contacted: list[str], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = "OPENAI_API_BASE" if provider.endswith("_openai") else f"{provider.upper()}_API_BASE"
    monkeypatch.setenv(variable, "http://models.at.home:8000/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")  # litellm wants it for some of them
    async with Gateway(settings_for(f"{provider}/mine"), store) as gateway:
        with pytest.raises(GatewayError, match=r"models\.at\.home"):
            await gateway.text("judge", HELLO, **FOR)
    assert set(contacted) <= {"models.at.home"}


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments))


OF_ONES_OWN = ("hosted_vllm/mine", "xinference/mine")


@pytest.mark.parametrize("model", OF_ONES_OWN)
@pytest.mark.parametrize(
    "command",
    [
        ("estimate", "railway", "--model", "{model}"),
        (
            "estimate",
            "railway",
            "--model",
            "openai/other",
            "--api-base",
            "http://127.0.0.1:1/v1",
            "--role",
            "agent={model}",
        ),
        ("synthesize", "railway", "--model", "{model}", "--tasks", "1"),
        ("synthesize", "railway", "--model", "openai/other", "--role", "agent={model}", "--tasks", "1"),
        ("orchestrate", "Why?", "--model", "{model}", "--catalogue", "none"),
        ("evaluate", "frames", "--data", "{data}", "--model", "{model}", "--judge", "openai/x", "--catalogue", "none"),
        (
            "evaluate",
            "frames",
            "--data",
            "{data}",
            "--model",
            "openai/other",
            "--judge",
            "{model}",
            "--catalogue",
            "none",
        ),
        ("index", "build", "{data}", "--out", "index", "--model", "{model}"),
    ],
    ids=lambda command: " ".join(command[:1] + command[-4:]),
)
def test_no_command_sends_anything_for_a_model_without_an_address(
    command: tuple[str, ...], model: str, contacted: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    monkeypatch.setenv(
        "TOOLSCALE_PRICES", json.dumps({name: {"input": 1, "output": 1} for name in (model, "openai/other")})
    )
    data = bench.frames(tmp_path / "data")
    result = run(*(part.format(model=model, data=data) for part in command))
    said = f"{result.stderr} {result.exception}"
    assert f"{model} has no address" in said, (said, result.output)
    assert result.exit_code == 2 or isinstance(result.exception, UserError), result.exception
    assert contacted == []


def test_a_judge_without_an_address_is_refused_before_the_orchestrator_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer(lambda request: "Answer: Bob") as server:
        monkeypatch.setenv("TOOLSCALE_PRICES", json.dumps({"openai/agent": {"input": 1, "output": 1}}))
        given = ["--model", "openai/agent", "--api-base", server.url, "--catalogue", "none"]
        data = bench.frames(tmp_path / "data")
        result = run("evaluate", "frames", "--data", str(data), "--judge", "hosted_vllm/mine", *given)
        assert server.requests == []
    assert "hosted_vllm/mine has no address" in f"{result.stderr} {result.exception}"
