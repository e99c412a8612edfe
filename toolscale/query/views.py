"""What SQL may name."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class View:
    """A table, or a view over other ones, that is made when a query first names it."""

    name: str
    says: str
    """What a row of it is, in a sentence; empty of a view that only others are made of."""
    sql: str = ""
    """The query whose rows they are."""
    load: "Callable[[], pa.Table] | None" = None
    """What gives the rows where no query does."""
    schema: "pa.Schema | None" = None
    """Of a table that is no view over others."""

    def empty(self) -> "View":
        """The same without its rows: for whoever wants to know the columns."""
        if self.schema is None:
            return self
        return replace(self, sql="", load=self.schema.empty_table)
