"""vLLM as servers: what is asked of them, and what becomes of a training when one dies."""

import asyncio
import contextlib
import logging
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import torch
from aiohttp import web
from transformers import AutoTokenizer

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.errors import UserError
from trainer.config import Config, Model, Rewarding, Rollouts
from trainer.distributed import Processes
from trainer.model.policy import Policy
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.engine import EngineDied, NotServed, Sampling
from trainer.rollout.opening import open_engine
from trainer.rollout.vllm_server import FAILURES, VllmServers
from trainer.runs import evaluate_checkpoint
from trainer.tasks.exercise import Exercise

from .forward import logprobs_of
from .schooling import write_taught_dataset, write_tiny_settings

WEIGHTS = [("a", torch.ones(2)), ("b", torch.zeros(3))]


class Standing:
    """A stand-in for a server: it answers on vLLM's routes as vLLM does, notes what it was asked, and can drop dead."""

    def __init__(self) -> None:
        self.dead = False
        self.fails_at: list[int] | None = None
        self.holds = "default"
        self.context = 64
        self.asked: list[tuple[str, Any]] = []
        self.url = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        route = request.path.lstrip("/")
        body = await request.json() if request.method == "POST" else None
        if self.dead:
            assert request.transport is not None
            request.transport.close()
        self.asked.append((route, body))
        if route == "v1/models":
            return web.json_response({"data": [{"id": "policy", "max_model_len": self.context}]})
        if route == "weight_info":
            return web.json_response({"weight_version": self.holds})
        if route == "finish_weight_update":
            self.holds = body["weight_version"]
        if route == "update_weights":
            assert os.path.isfile(body["update_info"]["path"])  # noqa: ASYNC240
        if route == "v1/completions":
            await asyncio.sleep(0.01)
            if self.fails_at in ([], body["prompt"]):
                return web.json_response({"error": "internal"}, status=500)
            choice = {"token_ids": [7, 2], "logprobs": {"token_logprobs": [-0.25, -0.5]}, "finish_reason": "stop"}
            return web.json_response({"choices": [choice]})
        return web.json_response({})

    def routes(self) -> list[str]:
        return [route for route, _ in self.asked]


@contextlib.asynccontextmanager
async def servers(count: int) -> AsyncIterator[list[Standing]]:
    standing, runners = [], []
    for _ in range(count):
        one, app = Standing(), web.Application()
        app.router.add_route("*", "/{route:.*}", one.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        one.url = site.name
        standing.append(one)
        runners.append(runner)
    try:
        yield standing
    finally:
        for runner in runners:
            await runner.cleanup()


def limits(standing: list[Standing], context: int = 64) -> Rollouts:
    urls = [one.url for one in standing]
    return Rollouts(backend="vllm-server", servers=urls, context_tokens=context, max_prompt_tokens=32)


MODEL = Model(path="unused", dtype="float32")


async def test_requests_carry_ids_and_are_spread_over_the_servers() -> None:
    async with servers(2) as standing:
        engine = await VllmServers.connect(MODEL, limits(standing), [2])
        asked = [engine.sample([5, 6, 7], Sampling(100, 0.5, seed=9)) for _ in range(8)]
        done = await asyncio.gather(*asked)
        await engine.close()
        assert {(tuple(one.ids), tuple(one.logprobs), one.finished) for one in done} == {
            ((7, 2), (-0.25, -0.5), "stop")
        }
        assert [one.routes().count("v1/completions") for one in standing] == [4, 4]
        body = standing[0].asked[-1][1]
        assert (body["prompt"], body["max_tokens"], body["temperature"], body["seed"]) == ([5, 6, 7], 61, 0.5, 9)
        assert body["stop_token_ids"] == [2]


async def test_a_server_that_dies_is_left_out_and_its_requests_go_to_another(caplog: pytest.LogCaptureFixture) -> None:
    async with servers(2) as standing:
        engine = await VllmServers.connect(MODEL, limits(standing), [2])
        standing[0].dead = True
        with caplog.at_level(logging.WARNING):
            done = await asyncio.gather(*(engine.sample([5], Sampling(4)) for _ in range(6)))
        assert len(done) == 6
        assert caplog.text.count(f"{standing[0].url} died") == 1

        await engine.load_weights(WEIGHTS, 1)
        assert "update_weights" not in standing[0].routes()
        standing[0].dead = False
        with caplog.at_level(logging.WARNING):
            await engine.load_weights(WEIGHTS, 2)
        assert "answers again" in caplog.text
        assert "update_weights" in standing[0].routes()
        assert (await engine.sample([5], Sampling(4))).version == 2

        standing[0].dead = standing[1].dead = True
        with pytest.raises(EngineDied, match="none of the rollout servers answers"):
            await engine.sample([5], Sampling(4))
        with pytest.raises(EngineDied, match="none of the rollout servers answers"):
            await engine.load_weights(WEIGHTS, 3)
        await engine.close()


async def test_a_prompt_at_which_servers_fail_costs_its_own_rollout_and_no_server(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with servers(2) as standing:
        engine = await VllmServers.connect(MODEL, limits(standing), [2])
        for one in standing:
            one.fails_at = [5]
        with caplog.at_level(logging.WARNING), pytest.raises(NotServed, match=r"well by their /health.*with 500"):
            await engine.sample([5], Sampling(4))
        assert "died" not in caplog.text
        assert all(one.routes().count("v1/completions") == 1 for one in standing), "each was tried once"
        assert (await engine.sample([6], Sampling(4))).ids == [7, 2]

        standing[0].fails_at = []
        assert len(await asyncio.gather(*(engine.sample([6], Sampling(4)) for _ in range(6)))) == 6
        assert "died" not in caplog.text
        await engine.close()


async def test_servers_that_fail_at_every_prompt_end_the_training_with_a_sentence() -> None:
    async with servers(1) as standing:
        engine = await VllmServers.connect(MODEL, limits(standing), [2])
        standing[0].fails_at = []
        for _ in range(FAILURES - 1):
            with pytest.raises(NotServed):
                await engine.sample([5], Sampling(4))
        with pytest.raises(EngineDied, match="20 in a row"):
            await engine.sample([5], Sampling(4))
        await engine.close()


async def test_a_server_that_was_started_again_in_between_is_made_ready_anew_and_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with servers(2) as standing:
        engine = await VllmServers.connect(MODEL, limits(standing), [2])
        await engine.load_weights(WEIGHTS, 1)
        await engine.load_weights(WEIGHTS, 2)
        assert [one.routes().count("init_weight_transfer_engine") for one in standing] == [1, 1]
        standing[1].holds = "default"
        with caplog.at_level(logging.WARNING):
            await engine.load_weights(WEIGHTS, 3)
        assert f"{standing[1].url} was started again" in caplog.text
        assert standing[0].url not in caplog.text
        assert [one.routes().count("init_weight_transfer_engine") for one in standing] == [2, 2]
        assert [one.holds for one in standing] == ["3", "3"]
        await engine.close()


async def test_what_is_evaluated_is_the_model_that_was_named_whatever_the_servers_held(
    tiny_llama: Path, environment: EnvironmentSpec, tasks: list[Task], tmp_path: Path
) -> None:
    dataset = write_taught_dataset(tmp_path / "dataset", environment, tasks)
    async with servers(1) as (standing,):
        standing.holds, standing.context = "7", 900
        served = {"rollouts.backend": "vllm-server", "rollouts.servers": [standing.url]}
        config = Config.read(write_tiny_settings(tmp_path / "tiny.yaml", tiny_llama), served)
        found = await asyncio.to_thread(evaluate_checkpoint, config, dataset)
        assert found.tasks == 2
        routes = standing.routes()
        assert routes.index("finish_weight_update") < routes.index("v1/completions")


async def test_a_server_that_is_no_vllm_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": "policy"}]})

    monkeypatch.setattr(Standing, "answer", lambda self, request: answer(request))
    async with servers(1) as standing:
        with pytest.raises(UserError, match="does not say its max_model_len"):
            await VllmServers.connect(MODEL, limits(standing), [2])


async def test_an_update_is_a_start_the_weights_and_a_finish_that_forgets_prefixes() -> None:
    async with servers(1) as (standing,):
        engine = await VllmServers.connect(MODEL, limits([standing]), [2])
        await engine.load_weights(WEIGHTS, 1)
        await engine.load_weights(WEIGHTS, 2)
        await engine.close()
        update = ["start_weight_update", "update_weights", "finish_weight_update", "reset_prefix_cache"]
        told = [route for route in standing.routes() if not route.startswith(("v1/", "weight_info"))]
        assert told == ["init_weight_transfer_engine", *update, *update]
        paths = [body["update_info"]["path"] for route, body in standing.asked if route == "update_weights"]
        assert len(set(paths)) == 2
        assert not any(os.path.exists(path) for path in paths)  # noqa: ASYNC240


async def test_servers_that_are_missing_or_too_short_are_refused(tokenizer: Any) -> None:
    async with servers(1) as standing:
        with pytest.raises(UserError, match="context of 64 tokens"):
            await VllmServers.connect(MODEL, limits(standing, context=65), [2])
        with pytest.raises(UserError, match="1 servers for 2 processes"):
            await open_engine(MODEL, limits(standing), Chat(tokenizer), Processes(rank=1, size=2))
        gone = limits(standing)
    with pytest.raises(UserError, match="does not answer"):
        await VllmServers.connect(MODEL, gone, [2])


@pytest.mark.vllm
async def test_a_real_server_samples_from_the_policy_that_it_was_given(
    taught_llama: Path, exercises: list[Exercise], tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(taught_llama)]
    command += ["--port", str(port), "--host", "127.0.0.1", "--dtype", "float32", "--max-model-len", "1024"]
    command += ["--generation-config", "vllm", "--logprobs-mode", "processed_logprobs", "--enforce-eager"]
    command += ["--worker-extension-cls", "trainer.rollout.shared_memory.Worker", "--no-enable-chunked-prefill"]
    command += ["--weight-transfer-config", '{"backend": "shm"}', "--kv-cache-memory-bytes", str(1 << 28)]
    command += ["--distributed-executor-backend", "uni"]
    environment = os.environ | {"VLLM_SERVER_DEV_MODE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind"}
    environment |= {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "PASSIVE", "VLLM_ALLOW_INSECURE_SERIALIZATION": "1"}
    model = Model(path=str(taught_llama), dtype="float32")
    settings = Rollouts(
        backend="vllm-server",
        servers=[f"http://127.0.0.1:{port}"],
        max_turns=6,
        max_prompt_tokens=600,
        max_sampled_tokens=200,
        context_tokens=1024,
    )
    chat = Chat(AutoTokenizer.from_pretrained(taught_llama))
    policy = Policy.load(model)
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter.add_(0.05 * parameter.std(correction=0) * torch.randn(parameter.shape))
    with (tmp_path / "server.log").open("w") as log:
        root = Path(__file__).parents[2]
        server = await asyncio.create_subprocess_exec(*command, env=environment, stdout=log, stderr=log, cwd=root)
        try:
            engine = await _connected(model, settings, chat, server)
            await engine.load_weights(policy.weights(), 3)
            with Collector(engine, chat, settings, Rewarding()) as collector:
                groups = await collector.groups(exercises[:2], 2, seed="0")
                for sequence in (rollout.sequence for group in groups for rollout in group.rollouts):
                    sampled = torch.tensor(sequence.sampled[1:])
                    expected = logprobs_of(policy.model, sequence.ids)[sampled]
                    given = torch.tensor(sequence.logprobs[1:])[sampled]
                    torch.testing.assert_close(given, expected, atol=1e-4, rtol=0)
                    assert set(sequence.versions) == {3}
                server.terminate()
                await asyncio.wait_for(server.wait(), 60)
                with pytest.raises(EngineDied, match="none of the rollout servers"):
                    await collector.groups(exercises[:2], 2, seed="1")
            await engine.close()
        finally:
            if server.returncode is None:
                server.kill()
                await server.wait()


async def _connected(model: Model, settings: Rollouts, chat: Chat, server: asyncio.subprocess.Process) -> Any:
    for _ in range(600):
        assert server.returncode is None, "the server ended before it answered"
        with contextlib.suppress(UserError):
            return await open_engine(model, settings, chat)
        await asyncio.sleep(0.5)
    raise AssertionError("the server did not come up")
