"""The HTTP server: the routes of a door behind a token, on loopback unless told otherwise."""

import atexit
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from toolscale.errors import UserError
from toolscale.secret import secret_in
from toolscale.serving.sessions import IDLE_SECONDS, MOST_SESSIONS, Sessions
from toolscale.serving.space import TOKEN
from toolscale.serving.tasks import load_tasks
from toolscale.terminal import say

Scope = MutableMapping[str, Any]
Send = Callable[[Scope], Awaitable[None]]
Application = Callable[[Scope, Any, Send], Awaitable[None]]


@dataclass(frozen=True)
class Listening:
    """Where a server listens, and who may come."""

    host: str
    port: int
    token_variable: str = ""


def serve_openenv(sessions: Sessions, at: Listening, *, most: int, idle_seconds: float) -> None:
    """Serve OpenEnv until interrupted.

    Raises:
        UserError: `openenv` is not installed, or an address beyond loopback has no token.
    """
    token = token_from(at.host, at.token_variable)
    try:
        from toolscale.serving.openenv_door import openenv_app
    except ImportError:
        raise UserError(
            "serving OpenEnv needs its package, in an environment of its own: pip install 'toolscale[openenv]'"
        ) from None
    _listen(guarded(openenv_app(sessions, most, idle_seconds), token), at, len(sessions.tasks))


def app_of_a_space(data: Path) -> Application:
    """What a Space of these tasks runs, behind the token in its secret; its sessions end with the process.

    Raises:
        UserError: the secret is not set, or there is nothing to serve.
    """
    from toolscale.serving.openenv_door import openenv_app

    token = token_from("0.0.0.0", TOKEN)
    sessions = Sessions(load_tasks(str(data)), most=MOST_SESSIONS, idle_seconds=IDLE_SECONDS)
    atexit.register(sessions.close_all)
    return guarded(openenv_app(sessions, MOST_SESSIONS, IDLE_SECONDS), token)


def serve_mcp(sessions: Sessions, at: Listening) -> None:
    """Serve MCP until interrupted. An agent needs no token, since the address of its session is as secret as one.

    Raises:
        UserError: `mcp` is not installed, or an address beyond loopback has no token.
    """
    token = token_from(at.host, at.token_variable)
    try:
        from starlette.middleware.trustedhost import TrustedHostMiddleware

        from toolscale.serving.mcp_http import is_agents, mcp_app
    except ImportError:
        raise UserError("serving MCP needs the official SDK, version 2: pip install 'toolscale[mcp]'") from None
    application: Application = guarded(mcp_app(sessions), token, but=is_agents)
    if is_loopback(at.host):  # or a web page could rebind its own name to this address
        application = TrustedHostMiddleware(application, ["localhost", "127.0.0.1", "[::1]", "::1"])
    _listen(application, at, len(sessions.tasks))


def _listen(application: Application, at: Listening, tasks: int) -> None:
    import uvicorn

    say(f"serving {tasks} tasks at http://{at.host}:{at.port}", error=True)
    uvicorn.run(application, host=at.host, port=at.port, log_level="warning", ws_max_size=4 << 20)


def token_from(host: str, variable: str) -> str:
    """The token that clients must send; none on loopback unless a variable is named. Raises UserError without one."""
    token = secret_in(variable, "--token-variable") if variable else ""
    if not token and not is_loopback(host):
        raise UserError(f"{host} can be reached from elsewhere: name a variable with a token, --token-variable NAME")
    return token


def guarded(application: Application, token: str, but: Callable[[str], bool] = lambda path: False) -> Application:
    """The application, for who sends `Authorization: Bearer TOKEN` alone; `/health`, and paths `but`, are for all."""
    if not token:
        return application
    wanted = f"Bearer {token}".encode()

    async def checked(scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan" or scope["path"] == "/health" or but(scope["path"]):
            return await application(scope, receive, send)
        given = dict(scope["headers"]).get(b"authorization", b"")
        if hmac.compare_digest(given, wanted):
            return await application(scope, receive, send)
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        await send({"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer")]})
        return await send({"type": "http.response.body", "body": b"a token is needed\n"})

    return checked


def is_loopback(host: str) -> bool:
    """Whether an address is reached from this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
