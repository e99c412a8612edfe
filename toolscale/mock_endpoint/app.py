"""The routes: from a request to what goes over the wire."""

import asyncio
import hmac
import json
import logging
import socket
import struct
import time
from collections.abc import Callable
from itertools import count
from typing import Any

from aiohttp import hdrs, web

from toolscale.errors import UserError
from toolscale.mock_endpoint import faults
from toolscale.mock_endpoint.batch_routes import BatchRoutes
from toolscale.mock_endpoint.faults import Fate, Fates, Fault
from toolscale.mock_endpoint.switches import Switches
from toolscale.mock_endpoint.tally import OK, REJECTED, RequestEnd, Tally
from toolscale.openai_api.chat import Answer, ApiError, ChatRequest, chunks, completion

log = logging.getLogger(__name__)

_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class MockEndpoint:
    """Answers HTTP requests as an OpenAI-compatible endpoint would, a good one or a bad one."""

    def __init__(self, switches: Switches, answer: Callable[[ChatRequest], Answer]) -> None:
        """``answer`` is the model; it raises UserError, or ApiError, for a request that it cannot answer."""
        self._switches = switches
        self._answer = answer
        self._fates = Fates(switches.rates, switches.fault_seed)
        self._tally = Tally()
        self._numbers = count(1)
        self._started = int(time.time())
        self._closing = asyncio.Event()
        self._batches = BatchRoutes(switches, self._complete)

    def close(self) -> None:
        """Let go of the requests that are never answered, and of the batches under way."""
        self._closing.set()
        self._batches.close()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Any request."""
        path = request.raw_path.partition("?")[0]
        try:
            match request.method, path:
                case "POST", "/v1/chat/completions":
                    return await self._chat(request)
                case "GET", "/health":
                    return _json(json.dumps({"status": "ok"}))
                case "GET", "/stats":
                    counts = {**self._tally.as_json(self._fates.distinct), "batches": self._batches.as_json()}
                    return _json(json.dumps(counts))
                case "GET", "/v1/models":
                    self._admit_key(request)
                    cards = [self._model_card(name) for name in self._switches.models]
                    return _json(json.dumps({"object": "list", "data": cards}))
                case "GET", _ if path.startswith("/v1/models/"):
                    self._admit_key(request)
                    name = path.removeprefix("/v1/models/")
                    self._admit_model(name)
                    return _json(json.dumps(self._model_card(name)))
                case _ if path.startswith(("/v1/files", "/v1/batches")):
                    self._admit_key(request)
                    answer = await self._batches.handle(request, path)
                    return web.Response(body=answer) if isinstance(answer, bytes) else _json(json.dumps(answer))
            raise ApiError(404, "unknown_route", f"no such route: {request.method} {path}")
        except ApiError as error:
            return _json(error.body(), error.status)

    async def _chat(self, request: web.BaseRequest) -> web.StreamResponse:
        """A chat completion, or the fault that it meets."""
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            raise ApiError(413, "malformed_request", "the request is too large") from None
        with self._tally.counted() as outcome:
            try:
                self._admit_key(request)
                chat = ChatRequest.read(body)
                self._admit_model(chat.model)
                if self._switches.slots is not None and self._tally.in_flight >= self._switches.slots:
                    return self._rejection(outcome)
                with self._tally.in_a_slot():
                    return await self._admitted(request, chat, self._fates.next(body), outcome)
            except ApiError as error:
                outcome.word = error.kind
                return _json(error.body(), error.status)

    async def _admitted(
        self, request: web.BaseRequest, chat: ChatRequest, fate: Fate[Fault], outcome: RequestEnd
    ) -> web.StreamResponse:
        """What a request that holds a slot comes to."""
        if fate.fault == "hang":
            outcome.word = "hang"
            await self._closing.wait()
            return _reset(request)
        if seconds := self._switches.latency.at(fate.latency_share):
            await asyncio.sleep(seconds)
        match fate.fault:
            case "reset":
                outcome.word = "reset"
                return _reset(request)
            case "error":
                raise ApiError(faults.server_error(fate.variant), "error", "made to fail by --error-rate")
            case "html":
                outcome.word = "html"
                return web.Response(text=faults.HTML, content_type="text/html")
        answer = self._answered(chat, refused=fate.fault == "refusal")
        if answer.seconds:
            await asyncio.sleep(answer.seconds)
        texts = [json.dumps(part) for part in self._parts(chat, answer, fate)]
        if fate.fault == "malformed":
            texts[len(texts) // 2] = faults.half(texts[len(texts) // 2])
        if chat.stream:
            response = await _stream(request, texts, cut=fate.fault == "cut")
        elif fate.fault == "cut":
            response = await _cut(request, texts[0])
        else:
            response = _json(texts[0])
        outcome.word = fate.fault or OK
        return response

    def _parts(self, chat: ChatRequest, answer: Answer, fate: Fate[Fault]) -> list[dict[str, Any]]:
        """The JSON objects of an answer: the completion alone, or the chunks of a stream."""
        whole = completion(chat, answer, next(self._numbers))
        parts = chunks(whole, with_usage=chat.wants_usage_in_stream) if chat.stream else [whole]
        match fate.fault:
            case "empty":
                return [faults.without_choices(part) for part in parts]
            case "wrong_type":
                return [faults.mistyped(part, fate.variant) for part in parts]
        return parts

    def _complete(self, chat: ChatRequest, refused: bool) -> dict[str, Any]:
        """The completion that answers a request, or that declines to."""
        return completion(chat, self._answered(chat, refused=refused), next(self._numbers))

    def _answered(self, chat: ChatRequest, *, refused: bool) -> Answer:
        """What the model says, or that it declines to.

        Raises:
            ApiError: the model says what is wrong with the request (400), or fails on it (500).
        """
        if refused:
            return Answer({"role": "assistant", "content": None, "refusal": faults.REFUSAL})
        try:
            return self._answer(chat)
        except ApiError:
            raise
        except UserError as error:
            raise ApiError(400, "not_answered", str(error)) from error
        except Exception as error:
            log.exception("the model failed")
            raise ApiError(500, "model_failed", f"the model failed: {type(error).__name__}: {error}") from error

    def _rejection(self, outcome: RequestEnd) -> web.Response:
        outcome.word = REJECTED
        error = ApiError(429, REJECTED, f"all {self._switches.slots} slots are taken", code="rate_limit_exceeded")
        response = _json(error.body(), error.status)
        if self._switches.retry_after is not None:
            response.headers[hdrs.RETRY_AFTER] = f"{self._switches.retry_after:g}"
        return response

    def _admit_key(self, request: web.BaseRequest) -> None:
        if self._switches.key is None:
            return
        sent = request.headers.get(hdrs.AUTHORIZATION, "")
        if not hmac.compare_digest(sent.encode(errors="surrogateescape"), f"Bearer {self._switches.key}".encode()):
            raise ApiError(401, "wrong_key", "the API key is missing or wrong", code="invalid_api_key")

    def _admit_model(self, name: str) -> None:
        if name not in self._switches.models:
            served = ", ".join(f"`{each}`" for each in self._switches.models)
            raise ApiError(404, "unknown_model", f"no model `{name}` here; served: {served}", code="model_not_found")

    def _model_card(self, name: str) -> dict[str, Any]:
        return {"id": name, "object": "model", "created": self._started, "owned_by": "toolscale"}


def _json(text: str, status: int = 200) -> web.Response:
    return web.Response(body=text.encode(), status=status, content_type="application/json")


def _reset(request: web.BaseRequest) -> web.Response:
    """Reset the connection, so that the client reads no end of file but an error."""
    if transport := request.transport:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        transport.abort()
    return web.Response()  # aiohttp wants one, and finds nobody to send it to


async def _cut(request: web.BaseRequest, text: str) -> web.StreamResponse:
    """Promise the whole body, send half of it, and hang up."""
    response = web.StreamResponse(headers={hdrs.CONTENT_TYPE: "application/json"})
    response.content_length = len(text)
    await response.prepare(request)
    await response.write(faults.half(text).encode())
    request.protocol.force_close()
    return response


async def _stream(request: web.BaseRequest, texts: list[str], *, cut: bool) -> web.StreamResponse:
    """Send each text as a server-sent event; a stream that is cut stops half-way and hangs up."""
    response = web.StreamResponse(headers={hdrs.CONTENT_TYPE: "text/event-stream", hdrs.CACHE_CONTROL: "no-cache"})
    response.enable_chunked_encoding()
    await response.prepare(request)
    for text in texts[: len(texts) // 2] if cut else [*texts, "[DONE]"]:
        await response.write(f"data: {text}\n\n".encode())
    if cut:
        request.protocol.force_close()
    return response
