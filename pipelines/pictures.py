"""Small pictures for Dagster's pages: SVG in a link of Markdown, written out.

They lie in the event log, one for each materialization, and are drawn while a build waits: a plotting library takes
half a second to load and ten times the bytes. Markdown of 1,000 characters or more hides behind a link in the UI, so
every character counts.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import dagster as dg

_ROW, _LABELS, _BAR = 16, 190, 220
"""Height of a bar's row, width of the names, longest bar."""

_WIDTH, _HEIGHT = 400, 110
_DATA = "data:image/svg+xml;utf8,"

_POINTS = 60
"""Of a curve; more could not be told apart."""


def is_picture(value: Any) -> bool:
    """Whether what a page shows is one of these."""
    return isinstance(value, dg.MarkdownMetadataValue) and f"](<{_DATA}" in (value.md_str or "")


def bars(counts: Mapping[str, float], what: str, *, form: str = ",.0f") -> dg.MarkdownMetadataValue:
    """A bar for each name, with its figure, from top to bottom in the order given. ``what`` says what is counted."""
    most = max(counts.values(), default=0) or 1
    names, path = [], ""
    for row, (name, count) in enumerate(counts.items()):
        length = round(_BAR * count / most)
        names.append(f"<text y='{row * _ROW + 11}'>{escape(name)}: {count:{form}}</text>")
        path += f"M6 {row * _ROW + 2}h{length}v12h-{length}z"
    drawn = f"<g transform='translate({_LABELS})'><g text-anchor='end'>{''.join(names)}</g>{_path(path, 'fill')}</g>"
    return _picture(drawn, _LABELS + _BAR + 10, len(counts) * _ROW, what)


def curve(points: Sequence[tuple[float, float]], what: str) -> dg.MarkdownMetadataValue:
    """A line through the points of one or more, with the first and last place and the least and greatest value."""
    values = [value for _, value in points]
    (first, _), (last, _) = points[0], points[-1]
    low, high = min(values), max(values)
    every = -(-len(points) // _POINTS)
    shown = [*points[::every], *([points[-1]] if (len(points) - 1) % every else [])]
    places = [
        f"{_WIDTH * (place - first) / ((last - first) or 1):.0f} "
        f"{_HEIGHT * (1 - (value - low) / ((high - low) or 1)):.0f}"
        for place, value in shown
    ]
    texts = (
        f"<g text-anchor='end'><text x='-4' y='8'>{high:.3g}</text><text x='-4' y='{_HEIGHT}'>{low:.3g}</text>"
        f"<text x='{_WIDTH}' y='{_HEIGHT + 14}'>{last:g}</text></g><text y='{_HEIGHT + 14}'>{first:g}</text>"
    )
    drawn = f"<g transform='translate(50,2)'>{_path('M' + ' '.join(places), 'stroke')}{texts}</g>"
    return _picture(drawn, _WIDTH + 54, _HEIGHT + 18, what)


def _path(path: str, painted: str) -> str:
    """Both colours stand out on a white page and on a dark one."""
    return f"<path d='{path}' fill='{'steelblue' if painted == 'fill' else 'none'}' stroke='steelblue'/>"


def _picture(drawn: str, width: int, height: int, what: str) -> dg.MarkdownMetadataValue:
    size = f"width='{width}' height='{height}'"
    opened = f"<svg xmlns='http://www.w3.org/2000/svg' {size} font-size='11' font-family='sans-serif' fill='gray'>"
    link = f"{_DATA}{opened}{drawn}</svg>".replace("#", "%23").replace("&", "&amp;")
    for sign in "\\<>":
        link = link.replace(sign, f"\\{sign}")
    return dg.MetadataValue.md(f"{what}\n\n![{what}](<{link}>)")
