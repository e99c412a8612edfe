"""What a training does with its rollouts after each step: writes them down, and makes the page that shows them."""

import logging
from collections.abc import Sequence

import pyarrow as pa

from trainer.config import Config
from trainer.distributed import Processes
from trainer.learning.batches import Played
from trainer.learning.watch import Watch
from trainer.output.folder import TrainingFolder
from trainer.record.files import RolloutFiles
from trainer.record.pieces import Pieces
from trainer.record.rows import table_of
from trainer.report.making import Report

log = logging.getLogger(__name__)


class Recorder:
    """Every process has one and asks it the same; the first process writes."""

    def __init__(
        self, folder: TrainingFolder, config: Config, pieces: Pieces, processes: Processes, resumed_at: int
    ) -> None:
        """What earlier steps left after `resumed_at`, which will be played again, is forgotten."""
        self._config, self._processes, self._pieces = config, processes, pieces
        self._files = RolloutFiles(folder.rollouts, config.logging.rollout_steps)
        self._report = Report(folder.path, config)
        if processes.leads:
            self._files.forget_after(resumed_at)

    def watch(self, step: int) -> Watch | None:
        """What the update of a step, from 1, is to tell; None where nothing is written down."""
        logging = self._config.logging
        if logging.rollout_steps == 0:
            return None
        return Watch(rescores=bool(logging.rescore_every) and step % logging.rescore_every == 0)

    def write(self, step: int, played: Sequence[Played], watch: Watch | None) -> None:
        """Write the rollouts of all processes in a step.

        Args:
            step: the step that learnt from them, from 1.
            played: by this process.
            watch: what the update told; None writes nothing.

        Raises:
            UserError: the disk refuses it.
        """
        if watch is None:
            return
        rank, size = self._processes.rank, self._processes.size
        numbered = {rank + place * size: each for place, each in enumerate(played)}
        table = table_of(step, numbered, self._config.rewarding, watch, self._pieces)
        tables = self._processes.gathered(_sent(table))
        if self._processes.leads:
            self._files.write(step, [_received(each) for each in tables])

    def report(self, step: int) -> None:
        """Make the page anew after a step from 1, where it is time to; metrics and rollouts are on the disk by then.

        A page that fails is no reason to end a training: it can be made from what is on the disk whenever one likes.
        """
        every = self._config.logging.report_every
        if self._processes.leads and every and (step % every == 0 or step == self._config.steps):
            try:
                self._report.write()
            except Exception as error:
                log.warning("no report after step %d, `trainer report` makes one: %s", step, error)


def _sent(table: pa.Table) -> bytes:
    """As bytes, for another process."""
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return bytes(stream.getvalue())


def _received(table: bytes) -> pa.Table:
    return pa.ipc.open_stream(table).read_all()
