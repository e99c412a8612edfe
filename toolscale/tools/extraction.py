"""The main text of a web page as Markdown, found by trafilatura in a process of its own.

A page is a stranger's input to parsers written in C and to regular expressions. So they run without the keys of this
process, under limits of memory and time, and whatever they do ends with their page: run as a script, this reads a page
on standard input and writes its text to standard output.
"""

import asyncio
import json
import os
import sys
from contextlib import suppress
from typing import TypedDict

_MEMORY_BYTES = 1 << 30


class Extracted(TypedDict):
    """What a page says."""

    title: str
    text: str


class ExtractionFailed(Exception):  # noqa: N818 - it says what happened
    """The page could not be read."""


async def extract(page: bytes, charset: str | None, url: str, seconds: float) -> Extracted:
    """Title and main text of an HTML page, as Markdown; both are empty where it has none.

    Raises:
        ExtractionFailed: its parser crashed, ran out of memory or took too long.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", __file__, charset or "", url, str(int(seconds) + 1)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PATH": os.defpath, "LC_CTYPE": "C.UTF-8"},
        )
    except (OSError, ValueError) as error:
        raise ExtractionFailed(f"no process could be started to read it: {error}") from None
    try:
        async with asyncio.timeout(seconds):
            written, _ = await process.communicate(page)
    except TimeoutError:
        raise ExtractionFailed(f"its text was not found within {seconds:g} seconds") from None
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
    try:
        found = json.loads(written)
        return Extracted(title=found["title"], text=found["text"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ExtractionFailed("its text could not be read: the page broke the parser") from None


def _main(charset: str, url: str, seconds: int) -> None:
    import resource

    page = sys.stdin.buffer.read()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    with suppress(ValueError, OSError):  # a system without it still has the limits of time
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    from trafilatura import bare_extraction, extract

    html: str | bytes = page
    if charset:
        with suppress(LookupError):
            html = page.decode(charset, errors="replace")
    text = extract(
        html, url=url, output_format="markdown", include_links=True, include_comments=False, favor_recall=True
    )
    document = bare_extraction(html, url=url, with_metadata=True, fast=True) if text else None
    title = getattr(document, "title", None) or ""
    print(json.dumps({"title": title, "text": text or ""}))


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
