"""What a dataset folder tells of itself: the card and the report ask it in SQL, and get data frames."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from toolscale.dataset.about import About, read_about
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.views import TABLES, dataset_files, dataset_views, parquet_files
from toolscale.errors import UserError
from toolscale.query import Tables

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Contents:
    """A dataset folder, open for queries. Reads no more of it than is asked for."""

    tables: Tables
    about: About

    def frame(self, sql: str) -> "pd.DataFrame":
        """The rows of a query over the tables and ready views."""
        return self.tables.frame(sql)

    def value(self, sql: str) -> Any:
        """The one value that a query gives."""
        ((found,),) = self.tables.rows(sql)
        return found

    @cached_property
    def tasks(self) -> int:
        """How many there are, in both splits."""
        return int(self.value("select count(*) from tasks"))

    @cached_property
    def sizes(self) -> dict[tuple[str, str], int]:
        """(config, split) -> its rows, where there are any: configs in their order, `train` before `eval`."""
        counted = " union all ".join(f"select '{name}' as config, split from {name}" for name in TABLES)
        rows = self.tables.rows(f"select config, split, count(*) from ({counted}) group by all")
        order = list(SCHEMAS)
        found = {(config, split): count for config, split, count in rows}
        return dict(sorted(found.items(), key=lambda each: (order.index(each[0][0]), each[0][1] != "train")))

    def close(self) -> None:
        """Let go of the files."""
        self.tables.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def read_contents(folder: Path) -> Contents:
    """Open a dataset folder for its figures.

    Raises:
        UserError: the folder is not a dataset of ours; says which file is at fault.
    """
    for config in ("tasks", "environments", "rejects"):
        parquet_files(folder, config)
    tables = Tables(dataset_views(folder), dataset_files(folder))
    there = {name for name, _ in tables.columns("tasks")}
    if missing := sorted(set(SCHEMAS["tasks"].names) - there):
        raise UserError(f"{folder}/tasks: there is no column `{missing[0]}`; build the dataset again")
    return Contents(tables, read_about(folder))
