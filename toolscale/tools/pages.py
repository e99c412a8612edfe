"""`extract_content`: a page of the web as Markdown."""

import asyncio
import codecs
from collections import OrderedDict
from typing import NoReturn, Self

from pydantic import Field

from toolscale.tools.base import Arguments, ToolFailed, TypedTool, fenced
from toolscale.tools.extraction import ExtractionFailed, extract
from toolscale.tools.fetch import Fetched, Fetcher
from toolscale.tools.tool import ToolAnswer

_PAGES = ("text/html", "application/xhtml+xml")
_TEXTS = ("application/json", "application/xml", "application/ld+json", "application/atom+xml", "application/rss+xml")
_REMEMBERED = 16
_AT_ONCE = 4


class PageArguments(Arguments):
    """What `extract_content` takes."""

    url: str = Field(min_length=1, max_length=2_000, description="The page's URL, beginning with http:// or https://.")
    start: int = Field(default=0, ge=0, description="Character of the page to start at, to read on in a long page.")


class ExtractContent(TypedTool[PageArguments]):
    """A page as Markdown, in portions. What it says is shown as a stranger's words, never as anybody's instruction."""

    def __init__(
        self,
        fetcher: Fetcher | None = None,
        *,
        characters: int = 20_000,
        name: str = "extract_content",
        description: str = "Fetch a web page by its URL and return its main content as Markdown.",
    ) -> None:
        """``characters`` is the longest portion that one call shows."""
        super().__init__("extract_content", name, description, PageArguments)
        self._fetcher = fetcher or Fetcher()
        self._characters = characters
        self._pages: OrderedDict[str, str] = OrderedDict()
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections; a later call opens them again."""
        await self._fetcher.close()

    async def answer(self, arguments: PageArguments) -> ToolAnswer:
        """Fetch the page, unless it is read on in, and show one portion of it."""
        url, start = arguments.url.strip(), arguments.start
        if start == 0 or url not in self._pages:
            self._pages[url] = await self.read(url)
            if len(self._pages) > _REMEMBERED:
                self._pages.popitem(last=False)
        text = self._pages[url]
        if start and start >= len(text):
            raise ToolFailed(f"{url}: the page ends at character {len(text):,}")
        end = start + self._characters
        left = f"\n({len(text) - end:,} characters are left: read on with start={end})" if end < len(text) else ""
        return ToolAnswer(content=fenced(text[start:end], source=url) + left)

    async def read(self, url: str) -> str:
        """The whole page, as Markdown where it is one of the web.

        Raises:
            ToolFailed: it cannot be had, or there is no text in it.
        """
        page = await self._fetcher.fetch(url)
        if page.content_type in _PAGES or (page.content_type == "application/octet-stream" and _looks_like_html(page)):
            return await self._markdown(page)
        if page.content_type.startswith("text/") or page.content_type in _TEXTS:
            return _decoded(page).strip() or _nothing(page.url)
        raise ToolFailed(f"{page.url}: it is {page.content_type}, and only web pages and plain text can be read")

    async def _markdown(self, page: Fetched) -> str:
        try:
            async with self._turns:
                found = await extract(page.body, page.charset, page.url, self._fetcher.limits.seconds)
        except ExtractionFailed as failure:
            raise ToolFailed(f"{page.url}: {failure}") from None
        text = found["text"].strip() or _nothing(page.url)
        title = " ".join(found["title"].split())
        return text if not title or title in text[:300] else f"# {title}\n\n{text}"


def _nothing(url: str) -> NoReturn:
    raise ToolFailed(f"{url}: there is no text in it; it may be drawn by a script, which is not run")


def _looks_like_html(page: Fetched) -> bool:
    """aiohttp's default where a server names no type at all."""
    return page.body[:1000].lstrip()[:1] == b"<"


def _decoded(page: Fetched) -> str:
    try:
        return page.body.decode(codecs.lookup(page.charset or "utf-8").name, errors="replace")
    except LookupError:
        return page.body.decode("utf-8", errors="replace")
