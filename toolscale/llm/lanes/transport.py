"""aiohttp under the openai SDK: the SDK speaks httpx, whose own way to a socket costs several times the CPU."""

from functools import cache
from typing import Any
from urllib.request import getproxies, proxy_bypass

import httpx
from aiohttp import ClientConnectionError, ClientError, ClientSession, ClientTimeout, TCPConnector
from yarl import URL

_OF_THE_JOURNEY = {b"content-encoding", b"content-length", b"transfer-encoding"}
"""Headers of the body as it travelled; aiohttp hands it over decoded and whole."""


class AiohttpClient(httpx.AsyncClient):
    """Sends httpx's requests through one aiohttp session, with no cookies and no authentication of its own.

    Bodies are read whole; proxies and certificates are the environment's. It sets no time limit: whoever awaits does.
    """

    def __init__(self) -> None:
        super().__init__(transport=httpx.MockTransport(_unused))
        # The limiter decides how many calls are out; a pool with a limit of its own would only hide that.
        connector = TCPConnector(limit=0, ssl=httpx.create_ssl_context())
        self._session = ClientSession(connector=connector, timeout=ClientTimeout(total=None))

    async def send(self, request: httpx.Request, **_: Any) -> httpx.Response:
        """The response, read whole. Raises httpx's own exceptions for what aiohttp's say."""
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw]
        url = URL(str(request.url), encoded=True)
        try:
            async with self._session.request(
                request.method, url, headers=headers, data=request.content, proxy=_proxy(url.scheme, url.authority)
            ) as answer:
                content = await answer.read()
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error), request=request) from error
        except ClientConnectionError as error:
            raise httpx.ConnectError(str(error) or type(error).__name__, request=request) from error
        except ClientError as error:
            raise httpx.ReadError(str(error) or type(error).__name__, request=request) from error
        received = [header for header in answer.raw_headers if header[0].lower() not in _OF_THE_JOURNEY]
        return httpx.Response(answer.status, headers=received, content=content, request=request)

    async def aclose(self) -> None:
        """Close the session and its connections."""
        await self._session.close()
        await super().aclose()


@cache
def _proxy(scheme: str, authority: str) -> str | None:
    """The environment's proxy to a place; aiohttp itself would look for it again, in a thread, at each request."""
    if proxy_bypass(authority):
        return None
    proxies = getproxies()
    return proxies.get(scheme) or proxies.get("all")


def _unused(request: httpx.Request) -> httpx.Response:
    raise NotImplementedError(f"{request.url} did not go through `send`")
