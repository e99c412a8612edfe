"""Simulated experts as an OpenAI-compatible HTTP server: the offline server's routes, with experts as its models."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aiohttp import web

from toolscale.orchestration.experts.expert import Expert, Reply, catalogue_text
from toolscale.reference.agent import text_of
from toolscale.reference.server.app import OfflineServer
from toolscale.reference.server.chat import ChatRequest, completion
from toolscale.reference.server.faults import Fate, Fault
from toolscale.reference.server.serving import serve
from toolscale.reference.server.switches import Switches
from toolscale.reference.server.tally import Outcome
from toolscale.whole import writing


class ExpertServer(OfflineServer):
    """Answers as the expert that a request names, after as long as that expert takes, times `pace`."""

    def __init__(self, experts: Mapping[str, Expert], *, seed: int = 0, pace: float = 1.0) -> None:
        super().__init__(Switches(models=tuple(experts)))
        self._experts, self._seed, self._pace = experts, seed, pace

    async def _admitted(
        self, request: web.BaseRequest, chat: ChatRequest, fate: Fate[Fault], outcome: Outcome
    ) -> web.StreamResponse:
        if self._pace:
            taken = self._experts[chat.model].latency.drawn(
                self._reply(chat).completion_tokens, seed=[self._seed, chat.model, chat.conversation]
            )
            await asyncio.sleep(taken * self._pace)
        return await super()._admitted(request, chat, fate, outcome)

    def _whole(self, chat: ChatRequest, refused: bool) -> dict[str, Any]:
        reply = self._reply(chat)
        whole = completion(chat, {"role": "assistant", "content": reply.text}, next(self._numbers))
        usage = whole["usage"]
        usage["completion_tokens"] = reply.completion_tokens
        usage["total_tokens"] = usage["prompt_tokens"] + reply.completion_tokens
        return whole

    def _reply(self, chat: ChatRequest) -> Reply:
        asked = next((text_of(said) for said in reversed(chat.conversation) if said["role"] == "user"), "")
        return self._experts[chat.model].reply(asked, self._seed)


def serve_experts(
    host: str,
    port: int,
    experts: Mapping[str, Expert],
    *,
    seed: int = 0,
    pace: float = 1.0,
    catalogue: Path | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM. Port 0 takes a free one; the first line on standard output is the base URL.
    By then `catalogue`, if given, is a file that offers the experts at this URL.

    Raises:
        UserError: the host or the port cannot be had, or the file cannot be written.
    """

    def offer(url: str) -> None:
        if catalogue is not None:
            with writing(catalogue):
                catalogue.write_text(catalogue_text(experts, url), encoding="utf-8")

    serve(host, port, ExpertServer(experts, seed=seed, pace=pace), heard=offer)
