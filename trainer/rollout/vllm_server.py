"""vLLM as servers: token ids in and out over HTTP. A server that dies is left out, and its requests go to the others.

A request that servers fail at while they are well costs its own rollout, and no server.

Start each with VLLM_SERVER_DEV_MODE=1, which opens the routes for weight updates, and:

    python -m vllm.entrypoints.openai.api_server --model MODEL --generation-config vllm \\
        --logprobs-mode processed_logprobs --worker-extension-cls trainer.rollout.shared_memory.Worker \\
        --weight-transfer-config '{"backend": "shm"}' --hf-overrides '{"head_dtype": "float32"}'

with "nccl" for servers on other GPUs; on a CPU with --no-enable-chunked-prefill, and without the head, which is slow
there. Those routes have no password: keep them off networks that you do not trust.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import aiohttp
import torch
from torch import Tensor

from toolscale.errors import UserError
from trainer.config import Model, Rollouts
from trainer.rollout.engine import Completion, EngineDied, PromptTooLong, Sampling
from trainer.rollout.failures import Failures
from trainer.rollout.gate import Gate
from trainer.rollout.weight_transfer import Way, choose_way, forget_prefixes, link_of, push

log = logging.getLogger(__name__)

_PATIENCE = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=1800)
_HEALTH = aiohttp.ClientTimeout(total=10)
_STEP = aiohttp.ClientTimeout(total=60)
"""For what the engine itself answers, between two of its steps."""

_WATCH_SECONDS = 30.0
"""Between two looks at a server that has not yet answered a request."""


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
        self._failures = Failures()

    @classmethod
    async def connect(cls, model: Model, rollouts: Rollouts, stop_ids: Sequence[int]) -> "VllmServers":
        """Ask every server for its context. Before the first `load_weights` they sample with weights of their own.

        Raises:
            UserError: a server does not answer, or its context is too short.
        """
        way = choose_way(rollouts.weight_transfer, in_process=False)
        # A connection for each request: vLLM closes one that is idle for 5 seconds, and a trainer that computes or
        # writes meanwhile does not hear of it, so that its next request would be lost with the connection. Commands of
        # an update could not be repeated.
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        session = aiohttp.ClientSession(timeout=_PATIENCE, connector=connector)
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
            raise UserError(
                f"the rollout server {server.url} does not answer ({_told(error)}): start it first"
            ) from error
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
        return Completion(choice["token_ids"], choice["logprobs"]["token_logprobs"], choice["finish_reason"], version)

    async def load_weights(self, weights: Iterable[tuple[str, Tensor]], version: int) -> None:
        """See `Engine.load_weights`. Servers that were left out and answer again are given the weights too."""
        async with self._gate.shut():
            anew = await self._take_stock()
            try:
                if self._opened != self._alive or anew:
                    self._link = link_of(self._way, workers=[self._tensor_parallel] * len(self._alive))
                    await self._link.open(self._alive)
                    self._opened = list(self._alive)
                await push(weights, version, self._alive, self._link, self._dtype)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                raise EngineDied(
                    f"a rollout server died while it took new weights ({_told(error)}): start it again"
                ) from error
            self._version = version

    async def _take_stock(self) -> bool:
        """See which servers answer, and whether one does not hold the weights that it was given last: it was started
        anew in between. Raises EngineDied where none answers."""
        held = await asyncio.gather(*(server.holds() for server in self._all))
        answering = {server: version for server, version in zip(self._all, held, strict=True) if version is not None}
        for server in self._all:
            if server in answering and server not in self._alive:
                log.warning("the rollout server %s answers again and takes part from here on", server.url)
            elif server not in answering and server in self._alive:
                log.warning("the rollout server %s does not answer and is left out", server.url)
        self._alive = list(answering)
        self._answering()
        opened = self._opened or ()
        anew = [server for server in answering if server in opened and answering[server] != str(self._version)]
        for server in anew:
            log.warning(
                "the rollout server %s was started again: what it sampled since was of its own weights", server.url
            )
        return bool(anew)

    async def _answer(self, asked: dict[str, Any]) -> Any:
        """Of the server with the fewest requests, or of another where that one dies, or fails at this request alone."""
        failed: dict[_Server, Exception] = {}
        asked_again: set[_Server] = set()
        while True:
            untried = [server for server in self._answering() if server not in failed]
            if not untried:
                told = ", ".join(f"{server.url} with {_told(error)}" for server, error in failed.items())
                raise self._failures.another(
                    f"the rollout servers are well by their /health, and fail at a prompt ({told}); their logs say why"
                )
            server = min(untried, key=lambda server: server.in_flight)
            try:
                answer = await server.complete(asked)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                if isinstance(error, (_Unwell, aiohttp.SocketTimeoutError)) or not await server.is_well():
                    self._leave_out(server, error)
                elif isinstance(error, (_CutShort, aiohttp.ClientResponseError)) or server in asked_again:
                    failed[server] = error
                else:
                    asked_again.add(server)  # A connection that broke, or a loop that was busy: neither's fault.
            else:
                self._failures.served()
                return answer

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
            log.warning("the rollout server %s died (%s); %d are left", server.url, _told(error), len(self._alive))


def _told(error: BaseException) -> str:
    return str(error.status) if isinstance(error, aiohttp.ClientResponseError) else str(error) or type(error).__name__


class _Unwell(aiohttp.ClientConnectionError):
    """A server whose /health was not well while it had yet to answer."""


class _CutShort(aiohttp.ClientError):
    """A message that ended neither with a stop nor at a limit of its own."""


class _Server:
    """One server, and the `Control` of its weights."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self.session = session
        self.in_flight = 0
        self._watch: asyncio.Task[None] | None = None

    async def context(self) -> int:
        async with self.session.get(f"{self.url}/v1/models", timeout=_HEALTH) as response:
            response.raise_for_status()
            told = await response.json()
        try:
            return int(told["data"][0]["max_model_len"])
        except (KeyError, IndexError, TypeError) as error:
            raise UserError(
                f"the rollout server {self.url} does not say its max_model_len: it is no vLLM; start one as "
                "trainer/rollout/vllm_server.py says"
            ) from error

    async def holds(self) -> str | None:
        """The version of its weights, a word of its own before it was given any; None where it cannot take part.

        The engine itself says so: an API whose engine is gone may still answer what it knows alone.
        """
        if not await self.is_well():
            return None
        try:
            async with self.session.get(f"{self.url}/weight_info", timeout=_STEP) as response:
                await self._accepted("weight_info", response)
                return str((await response.json())["weight_version"])
        except (aiohttp.ClientError, TimeoutError, OSError):
            return None

    async def is_well(self) -> bool:
        """Whether its engine runs, by its own word. Asked twice: time also runs out where this process was busy."""
        return await self._says_well() or await self._says_well()

    async def _says_well(self) -> bool:
        try:
            async with self.session.get(f"{self.url}/health", timeout=_HEALTH) as response:
                return response.ok
        except (aiohttp.ClientError, TimeoutError, OSError):
            return False

    async def complete(self, asked: dict[str, Any]) -> Any:
        """The answer to a request for a message. Raises what `post` does, and `_CutShort`."""
        answer = await self.post("v1/completions", asked)
        if (ended := answer["choices"][0]["finish_reason"]) not in ("stop", "length"):
            raise _CutShort(f"the finish reason {ended}")
        return answer

    async def post(self, route: str, body: dict[str, Any]) -> Any:
        """The answer. Raises aiohttp.ClientError where the server is at fault, UserError where the request is.

        Meanwhile its /health is watched: where vLLM's engine ends, its API may leave requests open for ever.
        """
        self.in_flight += 1
        if self._watch is None or self._watch.done():
            self._watch = asyncio.ensure_future(self._until_unwell())
        asked = asyncio.ensure_future(self._posted(route, body))
        try:
            await asyncio.wait((asked, self._watch), return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                raise _Unwell(f"its /health is not well, and {route} is not answered")
            return asked.result()
        finally:
            self.in_flight -= 1
            if not self.in_flight and self._watch:
                self._watch.cancel()
                self._watch = None
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)

    async def _posted(self, route: str, body: dict[str, Any]) -> Any:
        async with self.session.post(f"{self.url}/{route}", json=body, allow_redirects=False) as response:
            await self._accepted(route, response)
            return await response.json() if response.content_type == "application/json" else None

    async def _accepted(self, route: str, response: aiohttp.ClientResponse) -> None:
        if 300 <= response.status < 500:
            raise UserError(f"the rollout server {self.url} refuses {route}: {(await response.text())[:500]}")
        response.raise_for_status()

    async def _until_unwell(self) -> None:
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            if not await self.is_well():
                return

    async def open_transfer(self, init: dict[str, Any]) -> None:
        await self.post("init_weight_transfer_engine", {"init_info": init})

    async def start(self) -> None:
        await self.post("start_weight_update", {})

    async def update(self, info: dict[str, Any]) -> None:
        await self.post("update_weights", {"update_info": info})

    async def finish(self, version: int) -> None:
        await self.post("finish_weight_update", {"weight_version": str(version)})
        await forget_prefixes(self._reset, f"the rollout server {self.url}")

    async def _reset(self) -> bool:
        return bool((await self.post("reset_prefix_cache", {}))["success"])
