"""MCP over streamable HTTP: many sessions, each at an address of its own. Needs the extra `toolscale[mcp]`.

There are two doors. The trainer's routes open sessions, judge and end them; they are behind the server's token, and
what touches a session wants its key. The agent gets the address of its session alone, and there are only tools.
"""

import hmac
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from toolscale.errors import UserError
from toolscale.serving.mcp_door import mcp_server
from toolscale.serving.play import MOST_ARGUMENT_BYTES, MOST_MESSAGE_CHARACTERS, PlayError
from toolscale.serving.sessions import OpenSession, Sessions

Form = TypeVar("Form", bound=BaseModel)

_MOST_BODY_BYTES = 2 * MOST_ARGUMENT_BYTES + 4 * MOST_MESSAGE_CHARACTERS
"""Of one request: more than any call or message that is allowed."""


class _Wanted(BaseModel):
    """Which task a session begins."""

    model_config = ConfigDict(extra="forbid", strict=True)

    task_id: str | None = None
    split: str | None = None
    seed: int | None = None


class _Ended(BaseModel):
    """How a session ends."""

    model_config = ConfigDict(extra="forbid", strict=True)

    key: str
    message: str = ""


class _RefusedError(Exception):
    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def is_agents(path: str) -> bool:
    """Whether a path is a session's address, which who knows it may use without the token."""
    first, _, rest = path.strip("/").partition("/")
    return first == "sessions" and rest.endswith("/mcp")


def mcp_app(sessions: Sessions) -> Starlette:
    """The routes for these sessions, as an ASGI application."""
    from mcp.server.transport_security import RequestBodyLimitMiddleware

    trainers = _TrainersDoor(sessions)
    return Starlette(
        routes=[
            Route("/health", trainers.health, methods=["GET"]),
            Route("/tasks", trainers.tasks, methods=["GET"]),
            Route("/sessions", trainers.open, methods=["POST"]),
            Route("/sessions/{session}/verdict", trainers.verdict, methods=["POST"]),
            Route("/sessions/{session}/mcp", _AgentsDoor(sessions), methods=["POST"]),
        ],
        middleware=[Middleware(RequestBodyLimitMiddleware, max_body_size=_MOST_BODY_BYTES)],
        exception_handlers={_RefusedError: _told},
    )


class _TrainersDoor:
    """Sessions are opened and judged here."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    async def health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def tasks(self, request: Request) -> Response:
        return JSONResponse({"splits": {split: list(ids) for split, ids in self._sessions.tasks.splits.items()}})

    async def open(self, request: Request) -> Response:
        wanted = await _read(request, _Wanted)
        try:
            task_id = self._sessions.tasks.chosen(wanted.task_id, wanted.split, wanted.seed)
            session = await run_in_threadpool(self._sessions.open, task_id)
        except UserError as error:
            raise _RefusedError(404, str(error)) from None
        except PlayError as error:
            raise _RefusedError(503, str(error)) from None
        play = session.play
        begun = {"task_id": task_id, "system": play.system, "instruction": play.instruction}
        return JSONResponse({"mcp": f"/sessions/{session.id}/mcp", "id": session.id, "key": session.key, **begun}, 201)

    async def verdict(self, request: Request) -> Response:
        ended = await _read(request, _Ended)
        session = _session(self._sessions, request.path_params["session"])
        if not hmac.compare_digest(session.key.encode(), ended.key.encode()):
            raise _RefusedError(403, "this is not the session's key, which the answer to POST /sessions has")
        try:
            found = await run_in_threadpool(session.play.finish, ended.message)
        except PlayError as error:
            raise _RefusedError(400, str(error)) from None
        self._sessions.close(session.id)
        return JSONResponse(found.as_json())


class _AgentsDoor:
    """One request of a session's agent. Nothing of it stays but the call: the protocol needs no more."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        server = mcp_server(_session(self._sessions, scope["path_params"]["session"]).play, judges=False)
        exchange = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
        async with exchange.run():
            await exchange.handle_request(scope, receive, send)


def _session(sessions: Sessions, name: str) -> OpenSession:
    try:
        return sessions.get(name)
    except PlayError as error:
        raise _RefusedError(404, str(error)) from None


async def _read(request: Request, form: type[Form]) -> Form:
    try:
        return form.model_validate_json(await request.body() or b"{}")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise _RefusedError(400, f"{where}: {first['msg']}") from None


async def _told(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, error.status if isinstance(error, _RefusedError) else 500)
