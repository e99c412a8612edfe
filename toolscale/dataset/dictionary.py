"""The dictionary of columns as Markdown, for the card and the docs."""

from collections.abc import Iterable

from toolscale.dataset.columns import COLUMNS, INSTANCE_COLUMNS, Column

BEGIN, END = "<!-- columns: begin -->", "<!-- columns: end -->"


def dictionary(configs: Iterable[str] = COLUMNS) -> str:
    """A table for each config: its columns, their types, and what they hold."""
    return "\n\n".join(f"**`{config}`**\n\n{_table(COLUMNS[config])}" for config in configs)


def of_instances() -> str:
    """A table of the columns that tasks with instances have beside the others."""
    return f"**`tasks`, with instances**\n\n{_table(INSTANCE_COLUMNS)}"


def renewed(text: str) -> str:
    """A text with the dictionary between its marks. Raises ValueError where it lacks them."""
    before, _, rest = text.partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"the text has no {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{dictionary()}\n\n{of_instances()}\n\n{END}{after}"


def _table(columns: Iterable[Column]) -> str:
    rows = [f"| `{column.name}` | {_short(str(column.type))} | {column.says} |" for column in columns]
    return "\n".join(["| column | type | |", "| --- | --- | --- |", *rows])


def _short(kind: str) -> str:
    """An Arrow type in a word or two; what is inside of a structure the column says itself."""
    if kind.startswith("list"):
        return f"list of {_short(kind.partition(': ')[2])}"
    return kind.partition("<")[0].rstrip(">")
