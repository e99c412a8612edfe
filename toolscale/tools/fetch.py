"""Fetching a page from anywhere on the internet, from servers that may want us harm."""

import asyncio
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self
from urllib.parse import urljoin, urlsplit

from toolscale.bounded import ACCEPTED, BadlyPacked, TooManyBytes, unpacked
from toolscale.tools.addresses import NotPublic, public_sockets
from toolscale.tools.base import ToolFailed

if TYPE_CHECKING:
    import aiohttp

_REDIRECTS = (301, 302, 303, 307, 308)
_CHARSET = re.compile(
    r"utf-?(8|16)(-?[bl]e)?|(us-)?ascii|iso-?8859-?\d+|latin-?1|windows-\d+|koi8-[ru]|gbk?|gb2312|gb18030|big5|"
    r"euc-(jp|kr)|shift[-_]jis|macintosh",
    re.IGNORECASE,
)
"""Python knows more, some of which take quadratic time or decode to what is no text."""
_CHUNK = 1 << 16


class HttpFailed(ToolFailed):
    """A server answered, and not with the page."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class FetchLimits:
    """What one page may take."""

    seconds: float = 20.0
    """From the first look-up of its host to its last byte, redirects included."""
    bytes: int = 5_000_000
    """On the way, and again after decompression."""
    redirects: int = 5


@dataclass(frozen=True)
class Fetched:
    """A page as it came."""

    url: str
    """Where it was found in the end."""
    content_type: str
    charset: str | None
    """As the server names it, where it is one that pages are written in."""
    body: bytes


class Fetcher:
    """Fetches over http and https, from public addresses only, without cookies, keys or proxies.

    Every redirect is checked like the first URL, and every connection by ``public_sockets``. ``allowed_addresses`` lets
    single addresses through that are not public. Close it in the end; it belongs to the event loop of its first call.
    """

    def __init__(self, limits: FetchLimits | None = None, *, allowed_addresses: Collection[str] = ()) -> None:
        self.limits = limits or FetchLimits()
        self._allowed = frozenset(allowed_addresses)
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections; a later call opens them again."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def fetch(self, url: str) -> Fetched:
        """The page at a URL.

        Raises:
            ToolFailed: it may not be fetched, cannot be, or is over a limit.
        """
        try:
            async with asyncio.timeout(self.limits.seconds):
                for _ in range(self.limits.redirects + 1):
                    answer = await self._once(url)
                    if isinstance(answer, Fetched):
                        return answer
                    url = answer
        except TimeoutError:
            raise ToolFailed(f"{url}: it did not arrive within {self.limits.seconds:g} seconds") from None
        raise ToolFailed(f"{url}: it was redirected more than {self.limits.redirects} times")

    async def _once(self, url: str) -> Fetched | str:
        """The page, or the URL where its server says that it is."""
        import aiohttp

        _check(url)
        try:
            async with self._opened().get(url, allow_redirects=False) as response:
                location = response.headers.get("Location")
                if response.status in _REDIRECTS and location:
                    return urljoin(url, location)
                if response.status != 200:
                    said = f"{url}: HTTP {response.status} {response.reason or ''}".rstrip()
                    raise HttpFailed(said, response.status)
                body = await self._body(response, url)
                charset = response.charset if _CHARSET.fullmatch(response.charset or "") else None
                return Fetched(url, response.content_type, charset, body)
        except TimeoutError:
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise ToolFailed(f"{url}: {_reason(error)}") from None

    async def _body(self, response: "aiohttp.ClientResponse", url: str) -> bytes:
        most, encoding = self.limits.bytes, response.headers.get("Content-Encoding")
        if (response.content_length or 0) > most:
            raise ToolFailed(f"{url}: it has more than {most:,} bytes")
        try:
            return b"".join([piece async for piece in unpacked(response.content.iter_chunked(_CHUNK), encoding, most)])
        except TooManyBytes as error:
            raise ToolFailed(f"{url}: it has {error}") from None
        except BadlyPacked as error:
            raise ToolFailed(f"{url}: {error}") from None

    def _opened(self) -> "aiohttp.ClientSession":
        import aiohttp

        if self._session is None:
            connector = aiohttp.TCPConnector(socket_factory=public_sockets(self._allowed), use_dns_cache=False)
            self._session = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={
                    "Accept": "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.5",
                    "Accept-Encoding": ACCEPTED,
                    "User-Agent": "Mozilla/5.0 (compatible; toolscale)",
                },
                auto_decompress=False,
                trust_env=False,
            )
        return self._session


def _check(url: str) -> None:
    """Refuse what is no address of a web page. Raises ToolFailed."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError as error:
        raise ToolFailed(f"this is no URL: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ToolFailed("only URLs that begin with http:// or https:// and name a host can be fetched")
    if parts.username is not None or parts.password is not None:
        raise ToolFailed("a URL with a user or a password in it is not fetched")


def _reason(error: Exception) -> str:
    cause = getattr(error, "os_error", None) or error
    if isinstance(cause, NotPublic):
        return f"not fetched: {cause.strerror}"
    said = str(cause) or type(cause).__name__
    return f"it cannot be fetched: {' '.join(said.split())[:300]}"
