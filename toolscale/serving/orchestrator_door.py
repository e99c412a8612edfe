"""An orchestrator behind OpenAI's chat completions: for whatever speaks to a model, it is one."""

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiohttp import hdrs, web

from toolscale.errors import UserError
from toolscale.llm import GatewayError
from toolscale.messages import Message, text_of
from toolscale.openai_api.chat import ApiError, ChatRequest, chunks
from toolscale.orchestration.run import Event, Said
from toolscale.orchestration.search_agent import search_prompt
from toolscale.orchestration.trace import Trace, turns_of
from toolscale.orchestration.work import Orchestrator
from toolscale.preferences.preference import told_with
from toolscale.prompts import render
from toolscale.serving.accounts import Account, Accounts

log = logging.getLogger(__name__)

_ALIVE_SECONDS = 10.0
"""A stream says at least so often that it is still at work."""

_NO_ANSWER = {
    "budget": "There is no answer: the budget of this request ended before.",
    "turn_limit": "There is no answer: the turns of this request ended before.",
}


class OrchestratorEndpoint:
    """Answers each request by a whole run of an orchestrator: its tools are the server's, and the client sees none."""

    def __init__(self, orchestrator: Orchestrator, accounts: Accounts, *, name: str, wish: str, traces: Path) -> None:
        """
        Args:
            orchestrator: opened for as long as the endpoint serves.
            accounts: who may ask, and how much.
            name: the model's, as clients call it.
            wish: what its users prefer, said after what each of them says; empty = nothing.
            traces: the folder that each run's turns are written to.
        """
        self._orchestrator = orchestrator
        self._accounts = accounts
        self._name = name
        self._wish = wish
        self._traces = traces
        self._started = int(time.time())

    def close(self) -> None:
        """Nothing is held beyond the requests, which the server ends."""

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Any request."""
        path = request.raw_path.partition("?")[0]
        try:
            if (request.method, path) == ("GET", "/health"):
                return web.json_response({"status": "ok"})
            account = self._accounts.of(request.headers.get(hdrs.AUTHORIZATION, ""))
            match request.method, path:
                case "POST", "/v1/chat/completions":
                    return await self._chat(request, account)
                case "GET", "/v1/models":
                    return web.json_response({"object": "list", "data": [self._card()]})
                case "GET", _ if path == f"/v1/models/{self._name}":
                    return web.json_response(self._card())
            raise ApiError(404, "unknown_route", f"no such route: {request.method} {path}")
        except ApiError as error:
            return web.Response(text=error.body(), status=error.status, content_type="application/json")

    async def _chat(self, request: web.BaseRequest, account: Account) -> web.StreamResponse:
        try:
            chat = ChatRequest.read(await request.read())
        except web.HTTPRequestEntityTooLarge:
            raise ApiError(413, "malformed_request", "the request is too large") from None
        if chat.model != self._name:
            raise ApiError(
                404, "unknown_model", f"no model `{chat.model}` here; served: `{self._name}`", code="model_not_found"
            )
        opening = self._opening(chat)
        with account.request() as most:
            if not chat.stream:
                return web.json_response(await self._answer(chat, opening, account, most, lambda event: None))
            return await self._streamed(request, chat, lambda heard: self._answer(chat, opening, account, most, heard))

    def _opening(self, chat: ChatRequest) -> list[Message]:
        """The orchestrator's own prompt, then the conversation so far, then the wish.

        Raises:
            ApiError: the conversation has what an orchestrator with tools of its own cannot take up (400).
        """
        if chat.offered:
            raise ApiError(400, "tools", "this model calls tools of its own: leave `tools` out")
        if chat.response_format is not None and chat.response_format["type"] != "text":
            raise ApiError(400, "response_format", "leave `response_format` out, and say in words what you want")
        said = chat.conversation
        if any(message["role"] in ("tool", "function") or message.get("tool_calls") for message in said):
            raise ApiError(400, "tools", "the conversation has calls of tools that this model does not have")
        told = [text_of(message) for message in said if message["role"] in ("system", "developer")]
        spoken = [
            {"role": message["role"], "content": text_of(message)}
            for message in said
            if message["role"] in ("user", "assistant")
        ]
        if not spoken or spoken[-1]["role"] != "user":
            raise ApiError(400, "malformed_request", "the last message must be the user's")
        system, asked = self._prompt(spoken[-1]["content"])
        system = {**system, "content": "\n\n".join([str(system["content"]), *told])}
        return [system, *spoken[:-1], {**asked, "content": told_with(str(asked["content"]), self._wish)}]

    def _prompt(self, question: str) -> tuple[Message, Message]:
        """System and user message of the prompt that the orchestrator was made for."""
        served = self._orchestrator
        if served.searches:
            today = datetime.now(UTC).date().isoformat()
            system, asked = search_prompt(question, today=today, turns=served.max_turns)
        else:
            system, asked = render("orchestrator", question=question, tools=bool(served.configuration.tools))
        return system, asked

    async def _answer(
        self,
        chat: ChatRequest,
        opening: Sequence[Message],
        account: Account,
        most: float | None,
        heard: Callable[[Event], None],
    ) -> dict[str, Any]:
        """The completion that a run comes to; its dollars are booked as they are spent, whatever comes of it.

        Raises:
            ApiError: the orchestrator, or its endpoint, failed.
        """
        number = secrets.token_hex(8)
        own = 0.0

        def hear(event: Event) -> None:
            nonlocal own
            if isinstance(event, Said):
                tokens = event.dollars - own
                own = event.dollars
                account.spend(tokens)
            else:
                own += event.answer.dollars
                account.spend(event.answer.dollars)
            heard(event)

        self._traces.mkdir(parents=True, exist_ok=True)
        try:
            trace = await self._orchestrator.answer(
                opening,
                id=f"served-{number}",
                max_dollars=most,
                seed=chat.seed,
                # Who asks twice and names no seed wants another answer; the same seed gives the same, unpaid.
                sample=0 if chat.seed is not None else secrets.randbelow(2**31),
                trace=self._traces / f"served-{number}.jsonl",
                heard=hear,
            )
        except GatewayError as error:
            log.warning("the orchestrator's endpoint failed: %s", error)
            raise ApiError(502, "model_failed", "the orchestrator's own endpoint failed") from error
        except UserError as error:
            raise ApiError(500, "model_failed", str(error)) from error
        if trace.ending == "agent_error":
            raise ApiError(502, "model_failed", "the orchestrator came to no answer")
        return self._completion(trace, number)

    def _completion(self, trace: Trace, number: str) -> dict[str, Any]:
        """A trace as a client of OpenAI's reads it; what OpenAI has no field for stands in `toolscale`."""
        answered = trace.ending == "answered"
        said = trace.answer if answered else _NO_ANSWER[trace.ending]
        message = {"role": "assistant", "content": said, "refusal": None}
        tools = dict.fromkeys(call.tool for call in trace.calls)
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self._name,
            "choices": [
                {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop" if answered else "length"}
            ],
            "usage": {
                "prompt_tokens": trace.prompt_tokens,
                "completion_tokens": trace.completion_tokens,
                "total_tokens": trace.prompt_tokens + trace.completion_tokens,
            },
            "toolscale": {
                "ending": trace.ending,
                "dollars": trace.dollars,
                "seconds": trace.seconds,
                "turns": turns_of(trace),
                "calls": {tool: trace.times_called(tool) for tool in tools},
                "sources": [source.url for source in trace.sources],
                "trace": trace.id,
            },
        }

    async def _streamed(
        self,
        request: web.BaseRequest,
        chat: ChatRequest,
        answer: Callable[[Callable[[Event], None]], Awaitable[dict[str, Any]]],
    ) -> web.StreamResponse:
        """What it does, in comments as it happens, which clients pass over; then its answer in chunks."""
        response = web.StreamResponse(headers={hdrs.CONTENT_TYPE: "text/event-stream", hdrs.CACHE_CONTROL: "no-cache"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        news: asyncio.Queue[str] = asyncio.Queue()
        run = asyncio.ensure_future(answer(lambda event: news.put_nowait(_told(event))))
        try:
            while not run.done() or not news.empty():
                line = await _next(news, run)
                if line:
                    await response.write(f": {line}\n\n".encode())
            try:
                whole = run.result()
                parts = chunks(whole, with_usage=chat.wants_usage_in_stream)
                for place, part in enumerate(parts):
                    kept = part if place == len(parts) - 1 else {k: v for k, v in part.items() if k != "toolscale"}
                    await response.write(f"data: {json.dumps(kept)}\n\n".encode())
            except ApiError as error:
                await response.write(f"data: {error.body()}\n\n".encode())
            await response.write(b"data: [DONE]\n\n")
            await response.write_eof()
        finally:
            run.cancel()
            await asyncio.gather(run, return_exceptions=True)
        return response

    def _card(self) -> dict[str, Any]:
        return {"id": self._name, "object": "model", "created": self._started, "owned_by": "toolscale"}


async def _next(news: asyncio.Queue[str], run: "asyncio.Future[dict[str, Any]]") -> str:
    """What to say next: news, or that the run goes on; nothing once it is over."""
    waiting = asyncio.ensure_future(news.get())
    try:
        both: set[asyncio.Future[Any]] = {waiting, run}
        await asyncio.wait(both, timeout=_ALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            return waiting.result()
        return "" if run.done() else "at work"
    finally:
        waiting.cancel()


def _told(event: Event) -> str:
    """An event in a line that tells no arguments and no answers, which may be anybody's text."""
    if isinstance(event, Said):
        return f"turn {event.turn}, {event.dollars:.6f} dollars so far"
    return f"turn {event.turn}: {event.tool} {'failed' if event.answer.error else 'answered'}"
