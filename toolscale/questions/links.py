"""The links of a table, such as those to the articles that FRAMES' questions rest on."""

from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

from toolscale.errors import UserError
from toolscale.python_source import literal
from toolscale.questions.tables import rows_of, table_files


def links_at(place: Path, column: str) -> list[str]:
    """The pages that the rows of a file or folder link to, each once, in their order; places within a page are dropped.

    Raises:
        UserError: there is no such table, no such column, or no link in it.
    """
    files = table_files(place) if place.exists() else []
    if not files:
        raise UserError(f"{place} is no table: give a file or folder of Parquet, JSON lines, JSON, CSV or TSV")
    links: dict[str, None] = {}
    for file in files:
        for row in rows_of(file):
            if column not in row:
                raise UserError(f"{file}: there is no column `{column}`, only {', '.join(map(str, row))}: name one")
            links |= dict.fromkeys(urldefrag(link).url for link in _links(row[column]))
    if not links:
        raise UserError(f"{place}: the column `{column}` holds no link")
    return list(links)


def _links(value: Any) -> list[str]:
    """A link, a list of them, or the text of such a list."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = literal(value)
        except ValueError:
            return []
    listed = value if isinstance(value, list) else [value]
    return [
        each.strip() for each in listed if isinstance(each, str) and each.strip().startswith(("http://", "https://"))
    ]
