"""The pages that an answer cites, and whether they were read: a search result's few lines are no source."""

import re
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from toolscale.orchestration.trace import Source, ToolCall

_ADDRESS = re.compile(r"https?://[^\s<>\"'\]\[`|]{1,2000}")
_SHOWN = 10
"""Addresses that an objection names."""
_SEARCHES, _READS = "web_search", "extract_content"


def sources_of(answer: str, calls: Sequence[ToolCall]) -> list[Source]:
    """The pages that an answer cites, each once, in their order."""
    read = {_page(str(call.arguments.get("url"))) for call in calls if call.tool == _READS and not call.answer.error}
    cited = {_page(url): url for url in reversed([_whole(found[0]) for found in _ADDRESS.finditer(answer)])}
    return [Source(url=url, read=page in read) for page, url in reversed(cited.items())]


def objection(answer: str, calls: Sequence[ToolCall]) -> str:
    """What an answer is sent back with; empty where it cites nothing unread, and something if it searched."""
    cited = sources_of(answer, calls)
    again = "Then write the answer again, with its sources."
    if unread := [source.url for source in cited if not source.read]:
        named = ", ".join(unread[:_SHOWN])
        return f"You cite what you have not read: {named}. Read it with `{_READS}`, or leave it out. {again}"
    if not cited and any(call.tool in (_SEARCHES, _READS) for call in calls):
        return (
            f"You cite no page. Read the pages that the answer rests on with `{_READS}`, if you have not yet. {again}"
        )
    return ""


def _whole(found: str) -> str:
    """An address without what follows it in a sentence, or closes a bracket that it did not open."""
    url = found.rstrip(".,;:!?*_")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(".,;:!?*_")
    return url


def _page(url: str) -> str:
    """What one page's addresses have in common: scheme, place in the page and spelling make no difference."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    return unquote(f"{parts.netloc.lower()}{parts.path.rstrip('/')}?{parts.query}")
