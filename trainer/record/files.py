"""The folder of rollouts: `step-00000001.parquet` and so on, each whole or not there."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from toolscale.errors import UserError
from toolscale.whole import writing
from trainer.record.columns import COLUMNS, VERSION

FOLDER = "rollouts"
_FLOATS = [f"{column.name}.list.element" for column in COLUMNS if column.type == pa.list_(pa.float32())]
_WORDS = ["tokens.list.element"]
"""A dictionary pays for these alone: a prompt that all rollouts of a group repeat is seen by zstd in plain numbers, and
not in a dictionary's bits."""


class RolloutFiles:
    """The files of one training, of which the newest `keep` stay; None keeps all."""

    def __init__(self, folder: Path, keep: int | None = None) -> None:
        self.folder, self._keep = folder, keep

    def steps(self) -> list[int]:
        """The steps that have a file, in order."""
        return sorted(int(file.stem.removeprefix("step-")) for file in self.folder.glob("step-*.parquet"))

    def forget_after(self, step: int) -> None:
        """Remove the files of later steps, which will be played again, and what a kill left half written."""
        later = [self.at(each) for each in self.steps() if each > step]
        for file in [*later, *self.folder.glob(".step-*.parquet")]:
            file.unlink(missing_ok=True)

    def write(self, step: int, tables: Sequence[pa.Table]) -> Path:
        """Write a step's rollouts, in place of those that may be there, then remove the files that are one too many.

        Raises:
            UserError: the disk refuses it.
        """
        file = self.at(step)
        making = file.with_name(f".{file.name}")
        table = pa.concat_tables(tables).sort_by([("group", "ascending"), ("attempt", "ascending")])
        with writing(file):
            self.folder.mkdir(parents=True, exist_ok=True)
            with making.open("wb") as opened:
                pq.write_table(
                    table,
                    opened,
                    compression="zstd",
                    use_dictionary=_WORDS,
                    column_encoding=dict.fromkeys(_FLOATS, "BYTE_STREAM_SPLIT"),
                )
                opened.flush()
                os.fsync(opened.fileno())
            making.replace(file)
            if self._keep:
                for old in self.steps()[: -self._keep]:
                    self.at(old).unlink(missing_ok=True)
        return file

    def read(self, step: int, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """The rows of a step.

        Raises:
            UserError: it has no file, or one that is none of ours.
        """
        file = self.at(step)
        try:
            # One thread: pyarrow's own may abort the process if it ends while they wind down.
            opened = pq.ParquetFile(file)
            if (version := (opened.schema_arrow.metadata or {}).get(b"toolscale_rollouts")) != VERSION.encode():
                raise UserError(
                    f"{file} is of version {(version or b'none').decode()} of the rollouts' columns, not {VERSION}: "
                    "read it with the release that wrote it"
                )
            rows: list[dict[str, Any]] = opened.read(
                columns=None if columns is None else list(columns), use_threads=False
            ).to_pylist(maps_as_pydicts="lossy")
        except (OSError, pa.ArrowInvalid) as error:
            raise UserError(f"{file} holds no rollouts of a training ({error})") from None
        return rows

    def at(self, step: int) -> Path:
        """The file of a step."""
        return self.folder / f"step-{step:08d}.parquet"
