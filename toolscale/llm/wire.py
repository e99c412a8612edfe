"""The wire to a model's endpoint: answers up to so many bytes, and no request that goes on to another address."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
from openai import DefaultAioHttpClient

from toolscale.bounded import ACCEPTED, unpacked

_OF_THE_WIRE = ("content-encoding", "content-length", "transfer-encoding")


class Elsewhere(Exception):  # noqa: N818 - the name says what happened
    """An endpoint answered with a redirect, which would carry prompts to whatever address it names."""

    def __init__(self, origin: str) -> None:
        super().__init__(f"a redirect to {origin}")
        self.origin = origin
        """Scheme, host and port; the rest of such a URL may hold anything."""


class EndpointClient(DefaultAioHttpClient):
    """The openai SDK's client on aiohttp: it follows no redirect, and reads at most ``most`` bytes of an answer."""

    def __init__(self, most: int, **options: Any) -> None:
        super().__init__(follow_redirects=False, headers={"Accept-Encoding": ACCEPTED}, **options)
        self._most = most

    async def send(self, request: httpx.Request, *, stream: bool = False, **options: Any) -> httpx.Response:
        """Send a request; raises Elsewhere, TooManyBytes and BadlyPacked beside what httpx raises."""
        response = await bounded(await super().send(request, stream=True, **options), request, self._most)
        if not stream:
            try:
                await response.aread()
            except BaseException:
                await response.aclose()
                raise
        return response


async def bounded(response: httpx.Response, request: httpx.Request, most: int) -> httpx.Response:
    """A response that is not read yet, as one that unpacks itself and stops at so many bytes.

    Raises:
        Elsewhere: it is a redirect.
    """
    if response.has_redirect_location:
        await response.aclose()
        raise Elsewhere(_origin(request.url, response.headers["location"]))
    headers = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_WIRE]
    return httpx.Response(
        response.status_code,
        headers=headers,
        stream=_Bounded(response, most),
        request=request,
        extensions=response.extensions,
    )


class _Bounded(httpx.AsyncByteStream):
    def __init__(self, response: httpx.Response, most: int) -> None:
        self._response, self._most = response, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        encoding = self._response.headers.get("content-encoding")
        async for piece in unpacked(self._response.aiter_raw(), encoding, self._most):
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


def _origin(asked: httpx.URL, location: str) -> str:
    try:
        url = asked.join(location)
    except httpx.InvalidURL:
        return "no URL"
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace').rpartition('@')[2]}"
