"""vLLM as servers: token ids in and out over HTTP. A server that dies is left out, and its requests go to the others.

A request that servers fail at while they are well costs its own rollout, and no server.

Start each with VLLM_SERVER_DEV_MODE=1, which opens the routes for weight updates, and:

    python -m vllm.entrypoints.openai.api_server --model MODEL --generation-config vllm \\
        --logprobs-mode processed_logprobs --worker-extension-cls trainer.rollout.shared_memory.Worker \\
        --weight-transfer-config '{"backend": "shm"}' --hf-overrides '{"head_dtype": "float32"}'

with "nccl" for servers on other GPUs; on a CPU with --no-enable-chunked-prefill, and without the head, which is slow
there. Those routes have no password: keep them off networks that you do not trust.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import aiohttp
import torch
from torch import Tensor

from toolscale.errors import UserError
from trainer.config import Model, Rollouts
from trainer.rollout.engine import Completion, EngineDied, NotServed, PromptTooLong, Sampling
from trainer.rollout.gate import Gate
from trainer.rollout.weight_transfer import Way, choose_way, link_of, push

log = logging.getLogger(__name__)

FAILURES = 20
"""Requests in a row that fail at servers which are well: from then on it is the servers."""

_PATIENCE = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=1800)
_HEALTH = aiohttp.ClientTimeout(total=10)


class VllmServers:
    """One or more servers that hold the same weights."""

    def __init__(
        self, servers: Sequence["_Server"], way: Way, tensor_parallel: int, stop_ids: Sequence[int], limit: int
    ):
        self.context_limit = limit
        self._all = list(servers)
        self._alive = list(servers)
        self._way: Way = way
        self._tensor_parallel = tensor_parallel
        self._stop_ids = list(stop_ids)
        self._opened: list[_Server] | None = None
        self._link = link_of(way, workers=[tensor_parallel] * len(self._all))
        self._dtype = torch.float32
        self._gate = Gate()
        self._version = 0
        self._failures = 0

    @classmethod
    async def connect(cls, model: Model, rollouts: Rollouts, stop_ids: Sequence[int]) -> "VllmServers":
        """Ask every server for its context. Before the first `load_weights` they sample with weights of their own.

        Raises:
            UserError: a server does not answer, or its context is too short.
        """
        way = choose_way(rollouts.weight_transfer, in_process=False)
        session = aiohttp.ClientSession(timeout=_PATIENCE, connector=aiohttp.TCPConnector(limit=0))
        servers = [_Server(url.rstrip("/"), session) for url in rollouts.servers]
        try:
            for server in servers:
                if await server.context() < rollouts.context_tokens:
                    raise UserError(
                        f"the rollout server {server.url} has a context of {await server.context()} tokens, under "
                        f"rollouts.context_tokens, {rollouts.context_tokens}: start it with a larger --max-model-len"
                    )
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            await session.close()
            raise UserError(f"the rollout server {server.url} does not answer ({error}): start it first") from error
        except UserError:
            await session.close()
            raise
        engine = cls(servers, way, rollouts.tensor_parallel, stop_ids, rollouts.context_tokens)
        engine._dtype = getattr(torch, rollouts.dtype or model.dtype)
        return engine

    def seat(self) -> AbstractContextManager[None]:
        """vLLM batches as requests come; nobody is waited for."""
        return nullcontext()

    async def sample(self, prompt: Sequence[int], sampling: Sampling) -> Completion:
        """See `Engine.sample`. The server with the fewest requests is asked, and another if that one dies or fails."""
        if len(prompt) >= self.context_limit:
            raise PromptTooLong(f"a prompt of {len(prompt)} tokens in a context of {self.context_limit}")
        asked = {
            "prompt": list(prompt),
            "max_tokens": min(sampling.max_tokens, self.context_limit - len(prompt)),
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "min_p": sampling.min_p,
            "repetition_penalty": sampling.repetition_penalty,
            "seed": sampling.seed,
            "stop_token_ids": self._stop_ids,
            "ignore_eos": True,
            "logprobs": 0,
            "return_token_ids": True,
        }
        async with self._gate.passing():
            answer = await self._answer(asked)
            version = self._version
        choice = answer["choices"][0]
        return Completion(
            choice["token_ids"],
            choice["logprobs"]["token_logprobs"],
            "stop" if choice["finish_reason"] == "stop" else "length",
            version,
        )

    async def load_weights(self, weights: Iterable[tuple[str, Tensor]], version: int) -> None:
        """See `Engine.load_weights`. Servers that were left out and answer again are given the weights too."""
        async with self._gate.shut():
            await self._take_stock()
            try:
                if self._opened != self._alive or await self._restarted():
                    self._link = link_of(self._way, workers=[self._tensor_parallel] * len(self._alive))
                    await self._link.open(self._alive)
                    self._opened = list(self._alive)
                await push(weights, version, self._alive, self._link, self._dtype)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                raise EngineDied(
                    f"a rollout server died while it took new weights ({error}): start it again"
                ) from error
            self._version = version

    async def _restarted(self) -> bool:
        """Whether a server does not hold the weights that it was given last: it was started anew in between."""
        anew = [server for server in self._alive if await server.version() != str(self._version)]
        for server in anew:
            log.warning(
                "the rollout server %s was started again: what it sampled since was of its own weights", server.url
            )
        return bool(anew)

    async def _take_stock(self) -> None:
        """See which servers answer. Raises EngineDied where none does."""
        answering = [server for server in self._all if await server.answers()]
        for server in self._all:
            if server in answering and server not in self._alive:
                log.warning("the rollout server %s answers again and takes part from here on", server.url)
            elif server not in answering and server in self._alive:
                log.warning("the rollout server %s does not answer and is left out", server.url)
        self._alive = answering
        self._answering()

    async def _answer(self, asked: dict[str, Any]) -> Any:
        """Of the server with the fewest requests, or of another where that one dies, or fails at this request alone."""
        failed: dict[_Server, int] = {}
        while True:
            untried = [server for server in self._answering() if server not in failed]
            if not untried:
                raise self._not_served(failed)
            server = min(untried, key=lambda server: server.in_flight)
            try:
                answer = await server.post("v1/completions", asked)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                if isinstance(error, aiohttp.ClientResponseError) and await server.is_well():
                    failed[server] = error.status
                else:
                    self._leave_out(server, error)
            else:
                self._failures = 0
                return answer

    def _not_served(self, failed: Mapping["_Server", int]) -> NotServed | EngineDied:
        self._failures += 1
        answered = ", ".join(f"{server.url} with {status}" for server, status in failed.items())
        said = f"the rollout servers are well by their /health, and fail at a prompt ({answered}); their logs say why"
        if self._failures >= FAILURES:
            return EngineDied(f"{said}. {FAILURES} in a row failed like this")
        log.warning("%s. Its rollout is left out", said)
        return NotServed(said)

    async def sleep(self) -> None:
        """See `Engine.sleep`; the servers' memory is not the learner's."""

    async def close(self) -> None:
        """See `Engine.close`. The servers run on; they are somebody else's."""
        await self._all[0].session.close()

    def _answering(self) -> list["_Server"]:
        if not self._alive:
            raise EngineDied(
                f"none of the rollout servers answers ({', '.join(server.url for server in self._all)}): start them "
                "again"
            )
        return self._alive

    def _leave_out(self, server: "_Server", error: BaseException) -> None:
        if server in self._alive:
            self._alive.remove(server)
            log.warning("the rollout server %s died (%r); %d are left", server.url, error, len(self._alive))


class _Server:
    """One server, and the `Control` of its weights."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self.session = session
        self.in_flight = 0

    async def context(self) -> int:
        async with self.session.get(f"{self.url}/v1/models") as response:
            response.raise_for_status()
            told = await response.json()
        try:
            return int(told["data"][0]["max_model_len"])
        except (KeyError, IndexError, TypeError) as error:
            raise UserError(
                f"the rollout server {self.url} does not say its max_model_len: it is no vLLM; start one as "
                "trainer/rollout/vllm_server.py says"
            ) from error

    async def version(self) -> str:
        """Of the weights that it holds; a word of its own before it was given any."""
        async with self.session.get(f"{self.url}/weight_info") as response:
            response.raise_for_status()
            return str((await response.json())["weight_version"])

    async def answers(self) -> bool:
        try:
            await self.context()
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False
        return True

    async def is_well(self) -> bool:
        """Whether its engine runs, by its own word."""
        try:
            async with self.session.get(f"{self.url}/health", timeout=_HEALTH) as response:
                return response.ok
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    async def post(self, route: str, body: dict[str, Any], query: str = "") -> Any:
        """The answer. Raises aiohttp.ClientError where the server is at fault, UserError where the request is."""
        self.in_flight += 1
        try:
            async with self.session.post(f"{self.url}/{route}{query}", json=body, allow_redirects=False) as response:
                if 300 <= response.status < 500:
                    raise UserError(f"the rollout server {self.url} refuses {route}: {(await response.text())[:500]}")
                response.raise_for_status()
                return await response.json() if response.content_type == "application/json" else None
        finally:
            self.in_flight -= 1

    async def open_transfer(self, init: dict[str, Any]) -> None:
        await self.post("init_weight_transfer_engine", {"init_info": init})

    async def start(self) -> None:
        await self.post("start_weight_update", {})

    async def update(self, info: dict[str, Any]) -> None:
        await self.post("update_weights", {"update_info": info})

    async def finish(self, version: int) -> None:
        await self.post("finish_weight_update", {"weight_version": str(version)})
        await self.post("reset_prefix_cache", {})
