"""The routes of files and batches: from a request to the JSON, or the bytes, that answer it."""

import asyncio
import random
from typing import Any

from aiohttp import web

from toolscale.mock_endpoint.batches import Batches, Complete
from toolscale.mock_endpoint.files import Files
from toolscale.mock_endpoint.switches import Switches
from toolscale.openai_api.chat import ApiError

_LONGEST_PAGE = 100


class BatchRoutes:
    """Everything below `/v1/files` and `/v1/batches`."""

    def __init__(self, switches: Switches, complete: Complete) -> None:
        self._latency = switches.latency
        self._chance = random.Random(switches.fault_seed)
        self._files = Files()
        self._batches = Batches(switches, self._files, complete)

    async def handle(self, request: web.BaseRequest, path: str) -> dict[str, Any] | bytes:
        """The answer to a request, half of whose latency comes before its effect and half after.

        So a client that dies while it waits may have had its effect, or not.

        Raises:
            ApiError: no such route, or the request cannot be met.
        """
        half = self._latency.at(self._chance.random()) / 2
        await asyncio.sleep(half)
        answer = await self._effect(request, path.removeprefix("/v1/").split("/"))
        await asyncio.sleep(half)
        return answer

    def as_json(self) -> dict[str, int]:
        """What `/stats` says of the batches."""
        return self._batches.as_json()

    def close(self) -> None:
        """Stop all work."""
        self._batches.close()

    async def _effect(self, request: web.BaseRequest, parts: list[str]) -> dict[str, Any] | bytes:
        match request.method, *parts:
            case "POST", "files":
                return await self._files.upload(request)
            case "GET", "files", file_id:
                return self._files.card(file_id)
            case "GET", "files", file_id, "content":
                return self._files.content(file_id)
            case "POST", "batches":
                return self._batches.create(await request.read())
            case "GET", "batches":
                return self._batches.page(request.query.get("after"), _page_length(request))
            case "GET", "batches", batch_id:
                return self._batches.get(batch_id)
            case "POST", "batches", batch_id, "cancel":
                return self._batches.cancel(batch_id)
        raise ApiError(404, "unknown_route", f"no such route: {request.method} /v1/{'/'.join(parts)}")


def _page_length(request: web.BaseRequest) -> int:
    limit = request.query.get("limit", "20")
    if not limit.isdecimal() or not 1 <= int(limit) <= _LONGEST_PAGE:
        raise ApiError(400, "malformed_request", f"limit: give a number from 1 to {_LONGEST_PAGE}")
    return int(limit)
