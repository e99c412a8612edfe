"""A comparison as one HTML page. The page needs neither network nor JavaScript, and its policy lets nothing load."""

import base64
from collections.abc import Sequence
from pathlib import Path

import jinja2

from toolscale.evaluation.comparison.columns import columns_of
from toolscale.evaluation.comparison.groups import BenchmarkGroup
from toolscale.evaluation.comparison.plots import plots
from toolscale.whole import writing

_TEMPLATE = Path(__file__).with_name("page.html.j2")


def write_page(file: Path, groups: Sequence[BenchmarkGroup]) -> None:
    """Write the page. Raises UserError if the disk refuses it."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page = environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        groups=[(group, columns_of(group), _embedded(plots(group))) for group in groups]
    )
    with writing(file):
        file.write_text(page, encoding="utf-8", errors="backslashreplace")


def _embedded(drawn: dict[str, bytes]) -> dict[str, str]:
    return {caption: base64.b64encode(png).decode() for caption, png in drawn.items()}
