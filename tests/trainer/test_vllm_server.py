"""vLLM as servers: what is asked of them, and what becomes of a training when one dies."""

import asyncio
import contextlib
import logging
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from aiohttp import ClientTimeout, web
from torch import Tensor
from transformers import AutoTokenizer

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.errors import UserError
from trainer.config import Config, Model, Rewarding, Rollouts
from trainer.distributed import Processes
from trainer.model.policy import Policy
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.engine import EngineDied, NotServed, Sampling
from trainer.rollout.failures import FAILURES
from trainer.rollout.opening import open_engine
from trainer.rollout.vllm_server import VllmServers
from trainer.runs import evaluate_checkpoint
from trainer.tasks.exercise import Exercise

from .forward import logprobs_of
from .schooling import write_taught_dataset, write_tiny_settings
from .standing import MODEL, WEIGHTS, Standing, limits, server_elsewhere, servers


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


async def test_connections_that_a_server_closed_while_the_trainer_was_busy_cost_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def weights() -> Iterator[tuple[str, Tensor]]:
        time.sleep(0.3)
        yield from WEIGHTS

    with server_elsewhere(keepalive=0.1) as standing:
        engine = await VllmServers.connect(MODEL, limits([standing]), [2])
        await engine.load_weights(weights(), 1)
        for _ in range(2):
            assert (await engine.sample([5], Sampling(4))).version == 1
            time.sleep(0.3)  # noqa: ASYNC251 - as a checkpoint is written
        await engine.load_weights(weights(), 2)
        await engine.close()
        assert standing.routes().count("v1/completions") == 2, "none had to be asked again"
        assert not caplog.text


async def test_a_request_whose_connection_breaks_is_asked_once_more_of_a_server_that_is_well(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with servers(1) as (standing,):
        engine = await VllmServers.connect(MODEL, limits([standing]), [2])
        standing.breaks = 1
        assert (await engine.sample([5], Sampling(4))).ids == [7, 2]
        assert not caplog.text
        standing.breaks = 2
        with pytest.raises(NotServed, match="well by their /health"):
            await engine.sample([5], Sampling(4))
        assert (await engine.sample([5], Sampling(4))).ids == [7, 2]
        assert "died" not in caplog.text
        await engine.close()


async def test_a_message_that_ends_with_neither_stop_nor_limit_is_anothers_to_sample_and_blames_no_policy() -> None:
    async with servers(2) as standing:
        engine = await VllmServers.connect(MODEL, limits(standing), [2])
        standing[0].finish = "abort"
        done = await asyncio.gather(*(engine.sample([5], Sampling(4)) for _ in range(4)))
        assert {one.finished for one in done} == {"stop"}
        standing[1].finish = "error"
        with pytest.raises(NotServed, match=r"finish reason abort.*finish reason error"):
            await engine.sample([5], Sampling(4))
        standing[1].finish = "length"
        assert (await engine.sample([5], Sampling(4))).finished == "length"
        await engine.close()


async def test_requests_at_a_server_whose_engine_ends_go_to_another_though_its_api_leaves_them_open(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("trainer.rollout.vllm_server._WATCH_SECONDS", 0.1)
    async with servers(2) as standing:
        engine = await VllmServers.connect(MODEL, limits(standing), [2])
        await engine.load_weights(WEIGHTS, 1)
        before = standing[1].routes().count("health")
        for one in standing:
            one.takes = 0.25
        asked = [asyncio.ensure_future(engine.sample([5], Sampling(4))) for _ in range(20)]
        await asyncio.sleep(0.05)
        standing[0].without_engine = True
        done = await asyncio.wait_for(asyncio.gather(*asked), 10)
        assert {tuple(one.ids) for one in done} == {(7, 2)}
        assert caplog.text.count(f"{standing[0].url} died") == 1
        assert standing[1].routes().count("health") - before < 10, "one looks for all requests"

        await engine.load_weights(WEIGHTS, 2)
        assert [one.holds for one in standing] == ["1", "2"], "an API alone is given no weights"
        standing[1].without_engine = True
        with pytest.raises(EngineDied, match="none of the rollout servers answers"):
            await asyncio.wait_for(engine.load_weights(WEIGHTS, 3), 10)
        await engine.close()


async def test_a_server_whose_engine_ends_while_it_takes_weights_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainer.rollout.vllm_server._WATCH_SECONDS", 0.05)
    async with servers(1) as (standing,):

        def weights() -> Iterator[tuple[str, Tensor]]:
            standing.without_engine = True
            yield from WEIGHTS

        engine = await VllmServers.connect(MODEL, limits([standing]), [2])
        with pytest.raises(EngineDied, match=r"took new weights \(its /health is not well"):
            await asyncio.wait_for(engine.load_weights(weights(), 1), 10)
        await engine.close()


async def test_servers_that_hang_are_left_out_of_a_hand_over_after_seconds_all_at_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("trainer.rollout.vllm_server._HEALTH", ClientTimeout(total=0.4))
    async with servers(4) as standing:
        engine = await VllmServers.connect(MODEL, limits(standing), [2])
        await engine.load_weights(WEIGHTS, 1)
        for one in standing[:3]:
            one.hangs = True
        began = time.monotonic()
        await engine.load_weights(WEIGHTS, 2)
        assert time.monotonic() - began < 2
        assert caplog.text.count("does not answer and is left out") == 3
        assert [one.holds for one in standing] == ["1", "1", "1", "2"]
        await engine.close()


async def test_prefixes_of_old_weights_are_forgotten_before_anybody_samples_or_the_training_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trainer.rollout.weight_transfer._RESET_SECONDS", 0.01)
    monkeypatch.setattr("trainer.rollout.weight_transfer._HELD_SECONDS", 0.05)
    async with servers(1) as (standing,):
        engine = await VllmServers.connect(MODEL, limits([standing]), [2])
        standing.holds_blocks = 3
        await engine.load_weights(WEIGHTS, 1)
        assert standing.routes().count("reset_prefix_cache") == 4
        standing.holds_blocks = 1000
        with pytest.raises(EngineDied, match=f"{standing.url} keeps prefixes of the old weights"):
            await engine.load_weights(WEIGHTS, 2)
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

        standing[1].dead = True
        assert len(await asyncio.gather(*(engine.sample([5], Sampling(4)) for _ in range(4)))) == 4
        standing[1].dead, standing[1].holds = False, "default"
        await engine.load_weights(WEIGHTS, 4)
        assert [one.routes().count("init_weight_transfer_engine") for one in standing] == [3, 3]
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
        told = [route for route in standing.routes() if not route.startswith(("v1/", "weight_info", "health"))]
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
