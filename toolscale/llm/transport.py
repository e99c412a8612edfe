"""aiohttp under httpx: the SDKs speak httpx, whose own connection pool costs twice the CPU."""

import httpx
from aiohttp import ClientConnectionError, ClientError, ClientSession, ClientTimeout, TCPConnector
from yarl import URL

_UNDONE = {"content-encoding", "content-length", "transfer-encoding"}
"""Headers of the body as it travelled; aiohttp hands it over decoded and whole."""


class AiohttpTransport(httpx.AsyncBaseTransport):
    """Sends httpx's requests through one aiohttp session. Bodies are read whole; proxies are the environment's.

    It sets no time limit: whoever awaits does.
    """

    def __init__(self) -> None:
        # The limiter decides how many calls are out; a pool with a limit of its own would only hide that.
        connector = TCPConnector(limit=0, ssl=httpx.create_ssl_context())
        self._session = ClientSession(
            connector=connector, timeout=ClientTimeout(total=None, sock_connect=None), trust_env=True
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response, read whole. Raises httpx's own exceptions for what aiohttp's say."""
        body = await request.aread()
        url = URL(str(request.url), encoded=True)
        try:
            async with self._session.request(
                request.method, url, headers=request.headers, data=body, allow_redirects=False
            ) as response:
                content = await response.read()
        except TimeoutError as error:
            raise httpx.TimeoutException(str(error), request=request) from error
        except ClientConnectionError as error:
            raise httpx.ConnectError(str(error) or type(error).__name__, request=request) from error
        except ClientError as error:
            raise httpx.ReadError(str(error) or type(error).__name__, request=request) from error
        headers = [
            (name, value) for name, value in response.raw_headers if name.decode("latin-1").lower() not in _UNDONE
        ]
        return httpx.Response(response.status, headers=headers, content=content)

    async def aclose(self) -> None:
        """Close the session and its connections."""
        await self._session.close()
