"""A dataset and the ledger, open for SQL: what `toolscale query` asks, and what a notebook gets as data frames."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from toolscale.dataset.views import dataset_files, dataset_views
from toolscale.errors import UserError
from toolscale.query import Tables
from toolscale.settings import Settings
from toolscale.traces.tables import ledger_views

if TYPE_CHECKING:
    import pandas as pd

USUAL = ("dataset", "demo")
"""Where commands write a dataset to in the data root, the first that is there."""

THREADS = 4


def open_tables(folder: Path | None = None) -> Tables:
    """The tables of a dataset folder and of the store of the settings, each read when a query first names it.

    Without a folder it is the one that `build` or `demo` wrote to the data root, if there is one.

    Raises:
        UserError: the folder holds no dataset.
    """
    place = _usual() if folder is None else folder
    files = dataset_files(place)
    if folder is not None and not files:
        raise UserError(f"{folder} holds no dataset, which has tasks/*.parquet; name the folder of one, as data/demo")
    return Tables([*dataset_views(place), *ledger_views(_store)], files, threads=THREADS)


def outline() -> Tables:
    """The same tables without any row, whatever there is on this machine: for their columns."""
    views = [*dataset_views(None), *ledger_views(_store)]
    return Tables(view.empty() for view in views)


class Frames(Mapping[str, "pd.DataFrame"]):
    """A dataset's tables and ready views as data frames, by name; each is read when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self._tables = open_tables(folder)
        self._frames: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> "pd.DataFrame":
        if name not in self:
            raise KeyError(name)
        if name not in self._frames:
            self._frames[name] = self._tables.frame(f'select * from "{name}"')
        return self._frames[name]

    def __contains__(self, name: object) -> bool:
        return name in self._tables.names

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables.names)

    def __len__(self) -> int:
        return len(self._tables.names)

    def sql(self, query: str) -> "pd.DataFrame":
        """The rows of one SELECT over these names. Raises UserError where it is not right."""
        return self._tables.frame(query)


def _usual() -> Path | None:
    root = Settings.load().data_root
    places = [Path(root) / name for name in USUAL] if "://" not in root else []
    return next((place for place in places if dataset_files(place)), None)


def _store() -> str:
    return Settings.load().database_url()
