"""The HTTP server: OpenEnv's routes behind a token, on loopback unless told otherwise."""

import hmac
import os
from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any

from toolscale.errors import UserError
from toolscale.serving.sessions import Sessions
from toolscale.terminal import say

Scope = MutableMapping[str, Any]
Send = Callable[[Scope], Awaitable[None]]
Application = Callable[[Scope, Any, Send], Awaitable[None]]


def serve_http(
    sessions: Sessions, host: str, port: int, *, most: int, idle_seconds: float, token_variable: str
) -> None:
    """Serve until interrupted.

    Raises:
        UserError: `openenv` is not installed, or an address beyond loopback has no token.
    """
    token = token_from(host, token_variable)
    try:
        import uvicorn

        from toolscale.serving.openenv_door import openenv_app
    except ImportError:
        raise UserError(
            "serving OpenEnv needs its package, in an environment of its own: pip install 'toolscale[openenv]'"
        ) from None
    application = openenv_app(sessions, most, idle_seconds)
    say(f"serving {len(sessions.tasks)} tasks at http://{host}:{port}", error=True)
    uvicorn.run(guarded(application, token), host=host, port=port, log_level="warning", ws_max_size=4 << 20)


def token_from(host: str, variable: str) -> str:
    """The token that clients must send; none on loopback unless a variable is named. Raises UserError without one."""
    token = os.environ.get(variable, "") if variable else ""
    if variable and not token:
        raise UserError(f"the variable {variable} is empty: put the token there, or leave --token-variable out")
    if not token and not is_loopback(host):
        raise UserError(f"{host} can be reached from elsewhere: name a variable with a token, --token-variable NAME")
    return token


def guarded(application: Application, token: str) -> Application:
    """The application, for those alone who send `Authorization: Bearer TOKEN`; `/health` is for all."""
    if not token:
        return application
    wanted = f"Bearer {token}".encode()

    async def checked(scope: Scope, receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan" or scope.get("path") == "/health":
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
