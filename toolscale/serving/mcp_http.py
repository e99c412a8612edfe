"""MCP over streamable HTTP: many sessions, each at an address of its own. Needs the extra `toolscale[mcp]`.

There are two doors. The trainer's routes open sessions, speak with simulated users, judge and end; they are behind the
server's token, and what touches a session wants its key. The agent gets the address of its session alone, and there are
only tools.
"""

import hmac
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolscale.errors import UserError
from toolscale.serving.mcp_door import mcp_server
from toolscale.serving.play import MOST_ARGUMENT_BYTES, MOST_MESSAGE_CHARACTERS, PlayError
from toolscale.serving.sessions import OpenSession, Sessions

Form = TypeVar("Form", bound=BaseModel)
T = TypeVar("T")

_MOST_BODY_BYTES = 2 * MOST_ARGUMENT_BYTES + 4 * MOST_MESSAGE_CHARACTERS
"""Of one request: more than any call or message that is allowed."""


class _Wanted(BaseModel):
    """Which task a session begins."""

    model_config = ConfigDict(extra="forbid", strict=True)

    task_id: str | None = None
    split: str | None = None
    seed: int | None = None


class _Said(BaseModel):
    """What the agent of a session says."""

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
            Route("/sessions/{session}/say", trainers.say, methods=["POST"]),
            Route("/sessions/{session}/verdict", trainers.verdict, methods=["POST"]),
            Route("/sessions/{session}/mcp", _AgentsDoor(sessions), methods=["POST"]),
        ],
        middleware=[
            Middleware(RequestBodyLimitMiddleware, max_body_size=_MOST_BODY_BYTES),
            Middleware(_WholeRequests),
        ],
        exception_handlers={_RefusedError: _told, PlayError: _told},
    )


class _WholeRequests:
    """Drops a request whose client went away while it was sent: that is no error, and there is nobody to answer.

    The limit in front of it has read what there was to read, in one message.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sent = [await receive()]
        if sent[0]["type"] == "http.disconnect" or sent[0].get("more_body"):
            return

        async def again() -> Message:
            return sent.pop() if sent else await receive()

        await self._app(scope, again, send)


class _TrainersDoor:
    """Sessions are opened and judged here, and their agents speak with their users."""

    def __init__(self, sessions: Sessions) -> None:
        from anyio import CapacityLimiter

        self._sessions = sessions
        self._waiting = CapacityLimiter(sessions.most)  # of its own: who waits for a user takes no thread from others

    async def health(self, request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def tasks(self, request: Request) -> Response:
        return JSONResponse({"splits": {split: list(ids) for split, ids in self._sessions.tasks.splits.items()}})

    async def open(self, request: Request) -> Response:
        wanted = await _read(request, _Wanted)
        try:
            task_id = self._sessions.tasks.chosen(wanted.task_id, wanted.split, wanted.seed)
            session = await self._in_thread(self._sessions.open, task_id, wanted.seed or 0)
        except UserError as error:
            raise _RefusedError(404, str(error)) from None
        except PlayError as error:
            raise _RefusedError(503, str(error)) from None
        play = session.play
        begun = {"task_id": task_id, "system": play.system, "instruction": play.instruction}
        return JSONResponse({"mcp": f"/sessions/{session.id}/mcp", "id": session.id, "key": session.key, **begun}, 201)

    async def say(self, request: Request) -> Response:
        session, said = await self._of(request)
        if not self._sessions.simulated:
            raise _RefusedError(400, "users say everything at once here, unless the server is started with --user-mode")
        found = await self._in_thread(session.play.tell, said.message)
        if isinstance(found, str):
            return JSONResponse({"said": found})
        self._sessions.close(session.id)
        return JSONResponse(found.as_json())

    async def verdict(self, request: Request) -> Response:
        session, said = await self._of(request)
        found = await self._in_thread(session.play.finish, said.message)
        self._sessions.close(session.id)
        return JSONResponse(found.as_json())

    async def _of(self, request: Request) -> tuple[OpenSession, _Said]:
        said = await _read(request, _Said)
        session = _session(self._sessions, request.path_params["session"])
        if not hmac.compare_digest(session.key.encode(), said.key.encode()):
            raise _RefusedError(403, "this is not the session's key, which the answer to POST /sessions has")
        return session, said

    async def _in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        from anyio import to_thread

        return await to_thread.run_sync(work, *arguments, limiter=self._waiting)


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
    return JSONResponse({"error": str(error)}, error.status if isinstance(error, _RefusedError) else 400)
