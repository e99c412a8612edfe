"""`web_search`: Tavily or Brave over their HTTP protocols, with the key out of the environment."""

import asyncio
import html
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from pydantic import BaseModel, Field, ValidationError

from toolscale.bounded import ACCEPTED, BadlyPacked, TooManyBytes, unpacked
from toolscale.errors import UserError
from toolscale.settings import Settings
from toolscale.tools.base import Arguments, ToolFailed, TypedTool, fenced
from toolscale.tools.tool import ToolAnswer

if TYPE_CHECKING:
    import aiohttp

_MOST_BYTES = 4_000_000
_SNIPPET_CHARACTERS = 1_500
_FIRST_WAIT_SECONDS = 1.0
_TRIES = 4


class Found(NamedTuple):
    """One result of a search."""

    title: str
    url: str
    snippet: str


class Sent(NamedTuple):
    """A request to a search API."""

    method: str
    headers: dict[str, str]
    query: dict[str, str] | None = None
    body: dict[str, Any] | None = None


@dataclass(frozen=True)
class SearchService:
    """A provider of web search: where it is asked, how, and what a search costs."""

    name: Literal["tavily", "brave"]
    url: str
    key_variable: str
    dollars: float
    """Of one search that was answered, at the provider's price without a subscription."""
    source: str
    """Where that price stands, and `seen` the day on which it was read."""
    seen: str
    longest_query: int
    request: Callable[[str, int, str], Sent]
    """(query, number of results, key) -> what to send."""
    read: Callable[[Any], list[Found]]
    """The answer's JSON -> results; raises ValidationError for anything else."""


class _TavilyResult(BaseModel):
    title: str = ""
    url: str
    content: str = ""


class _TavilyAnswer(BaseModel):
    results: list[_TavilyResult]


class _BraveResult(BaseModel):
    title: str = ""
    url: str
    description: str = ""


class _BraveWeb(BaseModel):
    results: list[_BraveResult] = []


class _BraveAnswer(BaseModel):
    type: str
    web: _BraveWeb = _BraveWeb()
    """Absent where nothing was found."""


def _ask_tavily(query: str, results: int, key: str) -> Sent:
    body = {"query": query, "max_results": results, "search_depth": "basic"}
    return Sent("POST", {"Authorization": f"Bearer {key}"}, body=body)


def _read_tavily(answer: Any) -> list[Found]:
    return [Found(each.title, each.url, each.content) for each in _TavilyAnswer.model_validate(answer).results]


def _ask_brave(query: str, results: int, key: str) -> Sent:
    within = " ".join(query.split()[:50])  # more words are refused
    asked = {"q": within, "count": str(min(results, 20)), "result_filter": "web"}
    return Sent("GET", {"X-Subscription-Token": key}, query=asked)


def _read_brave(answer: Any) -> list[Found]:
    found = _BraveAnswer.model_validate(answer).web.results
    return [Found(_without_markup(each.title), each.url, _without_markup(each.description)) for each in found]


def _without_markup(text: str) -> str:
    """Brave marks the words that were found and escapes the rest."""
    return html.unescape(re.sub(r"</?strong>", "", text))


SERVICES = {
    "tavily": SearchService(
        name="tavily",
        url="https://api.tavily.com/search",
        key_variable="TAVILY_API_KEY",
        dollars=0.008,  # a basic search is one credit
        source="https://docs.tavily.com/documentation/api-credits",
        seen="2026-11-21",
        longest_query=400,
        request=_ask_tavily,
        read=_read_tavily,
    ),
    "brave": SearchService(
        name="brave",
        url="https://api.search.brave.com/res/v1/web/search",
        key_variable="BRAVE_API_KEY",
        dollars=0.005,  # $5 per 1,000 requests of the plan Search
        source="https://api-dashboard.search.brave.com/app/plans",
        seen="2026-11-21",
        longest_query=400,
        request=_ask_brave,
        read=_read_brave,
    ),
}


class SearchArguments(Arguments):
    """What `web_search` takes."""

    query: str = Field(min_length=1, max_length=2_000, description="What to search the web for, in plain words.")


class WebSearch(TypedTool[SearchArguments]):
    """Search the web. May be called many times at once, on the event loop of its first call; close it in the end.

    A search that the provider refuses for its rate is tried again when `Retry-After` says so, as long as `seconds`
    allow; only answered searches cost.
    """

    def __init__(
        self,
        service: str = "tavily",
        *,
        url: str | None = None,
        dollars: float | None = None,
        results: int = 8,
        seconds: float = 30.0,
        name: str = "web_search",
        description: str = "Search the web. Returns titles, URLs and snippets of the pages that fit best.",
    ) -> None:
        """``url`` stands in for the setting ``web_search_urls``, and ``dollars`` for the provider's price.

        Raises:
            UserError: nobody knows the service, or its key is not set.
        """
        super().__init__("web_search", name, description, SearchArguments)
        if service not in SERVICES:
            raise UserError(f"there is no search service `{service}`, only {', '.join(SERVICES)}")
        self._service = SERVICES[service]
        self._key = os.environ.get(self._service.key_variable, "").strip()
        if not (self._key and self._key.isascii() and self._key.isprintable()):
            raise UserError(f"web search by {service} needs a key: set {self._service.key_variable} to a valid one")
        self._url = url or Settings.load().web_search_urls.get(self._service.name) or self._service.url
        self._dollars = self._service.dollars if dollars is None else dollars
        self._results, self._seconds = results, seconds
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

    async def answer(self, arguments: SearchArguments) -> ToolAnswer:
        """Search, and show what was found."""
        query = " ".join(arguments.query.split())[: self._service.longest_query]
        if not query:
            raise ToolFailed("argument `query`: there is nothing in it to search for")
        try:
            body = await self._asked(query)
        except TimeoutError:
            raise ToolFailed(f"{self._service.name} did not answer within {self._seconds:g} seconds") from None
        try:
            found = self._service.read(body)
        except ValidationError:
            reason = f"{self._service.name} sent an answer of another form than documented: check the endpoint"
            raise ToolFailed(reason, dollars=self._dollars) from None
        return ToolAnswer(content=self._shown(query, found[: self._results]), dollars=self._dollars)

    def _shown(self, query: str, found: list[Found]) -> str:
        if not found:
            return f"Nothing was found for: {query}"
        results = (
            f"{number}. {' '.join(title.split()) or url}\n   {' '.join(url.split())}\n   {_short(snippet)}"
            for number, (title, url, snippet) in enumerate(found, start=1)
        )
        return fenced("\n\n".join(results), source=f"a web search by {self._service.name}")

    async def _asked(self, query: str) -> Any:
        """The JSON that the provider answers, asked again while that may help and time is left.

        Raises:
            ToolFailed: it refuses, or keeps failing.
            TimeoutError: no answer in time.
        """
        deadline = time.monotonic() + self._seconds
        async with asyncio.timeout(self._seconds):
            for tried in range(1, _TRIES + 1):
                status, retry_after, text = await self._once(query)
                if status == 200:
                    return _json(text, self._service.name, self._dollars)
                reason = f"{self._service.name} answered HTTP {status}{_complaint(status, self._service.key_variable)}"
                wait = _FIRST_WAIT_SECONDS * 2 ** (tried - 1) if retry_after is None else retry_after
                passing = status == 429 or status >= 500
                if not passing or tried == _TRIES or time.monotonic() + wait > deadline:
                    later = f"; try again in {wait:.0f} seconds" if passing and retry_after is not None else ""
                    raise ToolFailed(f"{reason}{later}")
                await asyncio.sleep(wait)
        raise AssertionError("the last try returns or raises")

    async def _once(self, query: str) -> tuple[int, float | None, bytes]:
        """Status, seconds to wait before another try where it says so, and body of one request."""
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                cookie_jar=aiohttp.DummyCookieJar(),
                headers={"Accept-Encoding": ACCEPTED},
                auto_decompress=False,
                trust_env=True,
            )
        sent = self._service.request(query, self._results, self._key)
        headers = {"Accept": "application/json", **sent.headers}
        try:
            # A redirect would carry the key to wherever it points.
            async with self._session.request(
                sent.method, self._url, params=sent.query, json=sent.body, headers=headers, allow_redirects=False
            ) as response:
                chunks, encoding = response.content.iter_chunked(1 << 16), response.headers.get("Content-Encoding")
                body = b"".join([piece async for piece in unpacked(chunks, encoding, _MOST_BYTES)])
                return response.status, _retry_after(response.headers), body
        except TooManyBytes as error:
            raise ToolFailed(f"{self._service.name} sent {error}") from None
        except BadlyPacked as error:
            raise ToolFailed(f"{self._service.name}: {error}") from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise ToolFailed(f"{self._service.name} cannot be reached: {type(error).__name__}: {error}") from None


def _json(text: bytes, name: str, dollars: float) -> Any:
    import json

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ToolFailed(f"{name} sent an answer that is not JSON: check the endpoint", dollars=dollars) from None


def _complaint(status: int, key_variable: str) -> str:
    match status:
        case 401 | 403:
            return f": it refuses the key in {key_variable}"
        case 402 | 432 | 433:
            return ": the account's limit is used up"
        case 429:
            return ": it limits the rate"
        case _ if 300 <= status < 400:
            return ": it points elsewhere, and a key goes nowhere but to the endpoint that was set"
        case _:
            return ""


def _retry_after(headers: Any) -> float | None:
    """Seconds that the provider asks for: `Retry-After`, or the first of Brave's windows; None if it does not say."""
    said = headers.get("Retry-After") or headers.get("X-RateLimit-Reset", "").split(",")[0]
    try:
        seconds = float(said)
    except ValueError:
        return None
    return seconds if 0 <= seconds < 1e6 else None


def _short(snippet: str) -> str:
    text = " ".join(snippet.split())
    return text if len(text) <= _SNIPPET_CHARACTERS else text[:_SNIPPET_CHARACTERS] + " ..."
