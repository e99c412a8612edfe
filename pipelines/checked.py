"""Which domains of a dataset passed its check, and of what rows: what passed need not be checked again."""

import json
from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError
from upath import UPath

from pipelines.assets.release import local_folder
from pipelines.factory import Factory
from pipelines.lineage import version_of
from pipelines.storage import write_whole

_MARKS = TypeAdapter(dict[str, str])


def passed_before(factory: Factory) -> dict[str, str]:
    """Domain -> the mark of the rows that passed."""
    try:
        return _MARKS.validate_json(_record(factory).read_bytes())
    except (FileNotFoundError, ValidationError):
        return {}


def note_passed(factory: Factory, marks: Mapping[str, str]) -> None:
    """Remember which domains passed."""
    write_whole(_record(factory), json.dumps(marks, indent=1).encode())


def _record(factory: Factory) -> UPath:
    place = version_of([str(local_folder(factory.dataset).resolve())])
    return UPath(factory.data_root) / "made" / "datasets" / f"{place}.checked.json"
