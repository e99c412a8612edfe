"""The door to the UI for texts: what models wrote is shown as Markdown in which nothing loads, links, or is HTML."""

import dagster as dg

from toolscale.markdown import inert


def markdown(text: str) -> dg.MarkdownMetadataValue:
    """A text for the UI, with its headings, lists and tables."""
    return dg.MetadataValue.md(inert(text))


def link(text: str, address: str) -> dg.MarkdownMetadataValue:
    """A link within the UI, to an address that the caller has quoted."""
    return dg.MetadataValue.md(f"[{inert(text)}](<{address}>)")
