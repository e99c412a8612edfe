"""Markdown that somebody else wrote, such as a model's policy, made harmless to whoever looks at it in a browser."""

import re

from toolscale.printable import printable

_JOINS = re.compile(r"\](?=[(\[:])")
"""Without it there is neither a link nor an image: inline, by reference, nor the definition that a reference needs."""

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
"""How raw HTML, a comment or a link in angle brackets begins."""


def inert(text: str) -> str:
    """The text with its headings, lists, tables and code, in which nothing loads, links, or is HTML.

    A space goes where an image, a link or a tag would begin. That reads well wherever it stands, in code too, and does
    not depend on whose Markdown it is. A bare address, which some make a link of, leads where it says.
    """
    return _TAG.sub("< ", _JOINS.sub("] ", printable(text)))


def cell(text: str) -> str:
    """The text as one cell of a table."""
    return inert(" ".join(text.split())).replace("|", "\\|")
