"""What an import leaves and never dies: kept out of garbage collections while the process lives."""

import atexit
import gc


def freeze() -> None:
    """Spare collections from walking what is there now, whatever it is, until the process ends.

    Then it is collected: else extension modules that were there too, such as DuckDB, complain of leaks in sixty lines.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)
