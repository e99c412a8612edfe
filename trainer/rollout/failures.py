"""Requests at which an engine that is well fails: each costs its own rollout, and many in a row are the engine's."""

import logging

from trainer.rollout.engine import EngineDied, NotServed

log = logging.getLogger(__name__)

FAILURES = 20
"""Requests in a row that fail at an engine which is well: from then on it is the engine."""


class Failures:
    """Counts those of one engine."""

    def __init__(self) -> None:
        self._in_a_row = 0

    def served(self) -> None:
        """A request was answered."""
        self._in_a_row = 0

    def another(self, said: str) -> NotServed | EngineDied:
        """What to raise after one more failed, of which `said` tells."""
        self._in_a_row += 1
        if self._in_a_row >= FAILURES:
            return EngineDied(f"{said}. {FAILURES} in a row failed like this: mend that")
        log.warning("%s. Its rollout is left out", said)
        return NotServed(said)
