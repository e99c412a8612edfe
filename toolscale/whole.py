"""Folders that appear whole or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder to fill, which takes the place of `folder` once the block has ended well.

    If anything fails, what was at `folder` is there as before. A link stays a link; what it leads to is replaced.
    """
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    made, earlier = beside / "made", beside / "earlier"
    try:
        made.mkdir()
        yield made
        if folder.exists():
            folder.rename(earlier)
        try:
            made.rename(folder)
        except BaseException:
            if earlier.exists():
                earlier.rename(folder)
            raise
    finally:
        # An earlier folder that could not even be put back stays beside: it may be all that is left.
        if folder.exists() or not earlier.exists():
            shutil.rmtree(beside, ignore_errors=True)
