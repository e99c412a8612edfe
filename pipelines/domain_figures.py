"""What the report of a fleet counts of a domain: read from its rows once, and kept beside them."""

import json
from collections import Counter
from typing import Any

from pyarrow import ArrowInvalid
from pydantic import BaseModel, ConfigDict, ValidationError
from upath import UPath

from pipelines.lineage import KEY, made_of
from pipelines.parquet import parquet_of
from pipelines.storage import read_rows, rows_file, write_whole
from toolscale.artifacts import DatabaseSchema
from toolscale.errors import UserError
from toolscale.printable import in_one_line

_FORMAT = 1
"""Counts up when other things are counted."""


class DomainFigures(BaseModel):
    """A domain that was made, in figures."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = _FORMAT
    version: str
    """Of the verified tasks that were counted."""
    tested: int
    """Tasks that met the gates."""
    kept: int
    functions: dict[str, str]
    """Name -> `read` or `write`."""
    skeletons: int
    """Different sequences of functions and names of arguments among the golden calls of the kept tasks."""
    forms: dict[str, int]
    """What the golden calls do, such as `rrw` for two reads and a write -> kept tasks of that form."""
    tables: dict[str, list[str]]
    """Table -> its fields."""
    shape: str
    """How the tables refer to each other, whatever they are called."""


def domain_figures(data_root: str, domain: str) -> DomainFigures | None:
    """The figures of a domain as it lies there; nothing if it was not made.

    Raises:
        UserError: its rows cannot be read.
    """
    verified = rows_file(data_root, "verified_tasks", domain)
    if not verified.exists():
        return None
    note = UPath(data_root) / "made" / "figures" / f"{domain}.json"
    try:
        return _figures(data_root, domain, note, _version(verified))
    except (FileNotFoundError, ArrowInvalid, ValueError, KeyError) as error:
        reason = in_one_line(f"{type(error).__name__}: {error}")
        raise UserError(f"{domain} cannot be counted ({reason}); materialize its assets again") from None


def _figures(data_root: str, domain: str, note: UPath, version: str) -> DomainFigures:
    try:
        noted = DomainFigures.model_validate_json(note.read_bytes())
        if (noted.format, noted.version) == (_FORMAT, version):
            return noted
    except (FileNotFoundError, ValidationError):
        pass
    found = _counted(data_root, domain, version)
    write_whole(note, found.model_dump_json().encode())
    return found


def _counted(data_root: str, domain: str, version: str) -> DomainFigures:
    functions = {row["name"]: row["kind"] for row in _rows(data_root, "functions", domain)}
    golden = [task["golden_calls"] for task in _rows(data_root, "verified_tasks", domain)]
    rejected = parquet_of(rows_file(data_root, "rejected_tasks", domain).read_bytes()).metadata.num_rows
    (schema,) = read_rows(rows_file(data_root, "schema", domain), DatabaseSchema)
    return DomainFigures(
        version=version,
        tested=len(golden) + rejected,
        kept=len(golden),
        functions=functions,
        skeletons=len({tuple((call["name"], *call.get("arguments", {})) for call in calls) for calls in golden}),
        forms=Counter("".join(functions.get(call["name"], "?")[0] for call in calls) for calls in golden),
        tables={table: list(record["properties"]) for table, record in schema.tables.items()},
        shape=_shape(schema),
    )


def _shape(schema: DatabaseSchema) -> str:
    """For each table, how many references lead out of it and into it; sorted, so that neither names nor order tell."""
    out = Counter(reference.table for reference in schema.references)
    into = Counter(reference.target_table for reference in schema.references)
    return " ".join(sorted(f"{out[table]}:{into[table]}" for table in schema.tables))


def _rows(data_root: str, asset: str, domain: str) -> list[dict[str, Any]]:
    stored = parquet_of(rows_file(data_root, asset, domain).read_bytes())
    return [json.loads(text) for text in stored.read(columns=["json"], use_threads=False)["json"].to_pylist()]


def _version(file: UPath) -> str:
    stored = parquet_of(file.read_bytes())
    made = made_of((stored.schema_arrow.metadata or {}).get(KEY))
    return made.version if made else ""
