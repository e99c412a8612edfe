"""The demos' pages: one style, one file each, that opens without a network."""

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2

from trainer.demo.figures import png

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHARED = Path(__file__).parent


def write_page(template: Path, file: Path, report: Any, figures: Mapping[str, "Figure"]) -> None:
    """Write a page to `file`: a template that extends `page.html.j2` and is given the report, and figures by name."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([template.parent, _SHARED]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    drawn = {name: base64.b64encode(png(each)).decode() for name, each in figures.items()}
    file.write_text(environment.get_template(template.name).render(report=report, **drawn), encoding="utf-8")


def write_figures(file: Path, told: Mapping[str, Any]) -> None:
    """Write what the page shows as JSON."""
    file.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
