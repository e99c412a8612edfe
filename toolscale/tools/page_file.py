"""Pages of the web in a file of JSON lines: `url, text`, to be indexed. A run that ended goes on where it was."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from toolscale.errors import UserError
from toolscale.tools.base import ToolFailed
from toolscale.tools.fetch import HttpFailed
from toolscale.tools.pages import ExtractContent

_TRIES, _SECONDS = 4, 2.0
"""Tries of a page whose server is busy, and the wait before the second; it doubles."""
_BUSY = (429, 500, 502, 503, 504)


@dataclass
class PagesFetched:
    """What a run came to."""

    there: int
    """Pages in the file, those of earlier runs among them."""
    fetched: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """Address -> why there is no page of it."""


async def fetch_pages(
    urls: Sequence[str],
    file: Path,
    *,
    reader: ExtractContent | None = None,
    at_once: int = 4,
    seconds: float = _SECONDS,
    heard: Callable[[int, int], None] = lambda done, total: None,
) -> PagesFetched:
    """Fetch what the file does not have yet. Each page is written as it comes.

    Args:
        urls: which pages, each once.
        file: what to write; a last line that a kill cut off is dropped.
        reader: who fetches and extracts.
        at_once: pages on their way at the same time.
        seconds: wait before a busy server is asked a second time.
        heard: told how many pages of how many are done.

    Raises:
        UserError: the file is not one of pages.
    """
    there = _there(file)
    left = iter([url for url in urls if url not in there])
    found = PagesFetched(there=len(there & set(urls)))
    with file.open("a", encoding="utf-8") as lines:
        async with reader or ExtractContent() as tool:

            async def work() -> None:
                for url in left:
                    try:
                        text = await _read(url, tool, seconds)
                    except ToolFailed as failure:
                        found.failed[url] = str(failure)
                    else:
                        lines.write(json.dumps({"url": url, "text": text}, ensure_ascii=False) + "\n")
                        lines.flush()
                        found.fetched += 1
                        found.there += 1
                    heard(found.there + len(found.failed), len(urls))

            await asyncio.gather(*(work() for _ in range(at_once)))
    return found


async def _read(url: str, tool: ExtractContent, seconds: float) -> str:
    """A page; a server that is busy is asked again."""
    for tried in range(1, _TRIES):
        try:
            return await tool.read(url)
        except HttpFailed as failure:
            if failure.status not in _BUSY:
                raise
        await asyncio.sleep(seconds * 2 ** (tried - 1))
    return await tool.read(url)


def _there(file: Path) -> set[str]:
    """The pages that the file has."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        return set()
    urls: set[str] = set()
    whole = 0
    with file.open("rb+") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            urls.add(_address(line, file))
        lines.truncate(whole)
    return urls


def _address(line: bytes, file: Path) -> str:
    try:
        return str(json.loads(line)["url"])
    except (KeyError, TypeError, ValueError, RecursionError):
        raise UserError(f"{file} holds something else than pages: name another file with --out") from None
