"""The door to the UI for texts: what models wrote is shown as Markdown in which nothing loads, links, or is HTML."""

import dagster as dg

from toolscale.markdown import inert


def markdown(text: str) -> dg.MarkdownMetadataValue:
    """A text for the UI, with its headings, lists and tables."""
    return dg.MetadataValue.md(inert(text))
