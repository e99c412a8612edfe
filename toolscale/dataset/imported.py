"""A folder of tasks of others: one config in Parquet, split, the rows that were refused, and a card."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import pyarrow as pa

from toolscale.artifacts import Reject
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.folder import CARD, decoded, read_rows, write_rows
from toolscale.dataset.rows import Row, reject_row
from toolscale.errors import UserError
from toolscale.whole import whole_folder

T = TypeVar("T")

ImportedConfig = Literal["questions", "steps"]

SPLITS = ("train", "eval")


def write_imported(
    folder: Path,
    config: ImportedConfig,
    schema: pa.Schema,
    rows: Callable[[str], Iterable[Row]],
    rejects: Sequence[Reject],
    told: Sequence[str],
) -> dict[str, int]:
    """Write the folder, all of it or nothing; returns how many rows each split got.

    Args:
        folder: appears whole, in place of what was there.
        config: names the table.
        schema: of its rows.
        rows: the rows of a split, made one after the other as they are written.
        rejects: what could not be taken in.
        told: sentences for the card, of where the rows come from.
    """
    written: dict[str, int] = {}

    def counted(split: str) -> Iterable[Row]:
        written[split] = 0
        for row in rows(split):
            written[split] += 1
            yield row

    with whole_folder(folder) as made:
        (made / config).mkdir()
        for split in SPLITS:
            write_rows(made / config / f"{split}.parquet", schema, counted(split))
        (made / "rejects").mkdir()
        write_rows(made / "rejects" / "train.parquet", SCHEMAS["rejects"], map(reject_row, rejects))
        (made / CARD).write_text(_card(config, written, len(rejects), told), encoding="utf-8")
    return written


def read_imported(folder: Path, config: ImportedConfig, decode: Callable[[Row], T]) -> list[T]:
    """What the rows of both splits were made of. Raises UserError where the folder or a row is of another form."""
    if not (folder / config).is_dir():
        raise UserError(f"{folder} holds no {config}: make it with `toolscale import --format {config}`")
    return [decoded(folder, config, decode, row) for _, row in read_rows(folder, config)]


def _card(config: ImportedConfig, written: dict[str, int], rejected: int, told: Sequence[str]) -> str:
    lines = ["---", f"pretty_name: {config} for training with tools", "configs:", f"- config_name: {config}"]
    lines += ["  default: true", "  data_files:"]
    for split in filter(written.get, written):
        lines += [f"  - split: {split}", f"    path: {config}/{split}.parquet"]
    counts = ", ".join(f"{count} in `{split}`" for split, count in written.items())
    sentences = [*told, f"Rows: {counts}.", f"Rows of the source that were refused, with the reasons: {rejected}."]
    licence = "The rows keep the licence of their source."
    return "\n".join([*lines, "---", "", f"# {config.capitalize()}", "", *sentences, licence]) + "\n"
