"""Folders that appear whole or not at all, and what to say where a disk refuses them."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolscale.errors import UserError


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A new folder to fill, which takes the place of `folder` once the block has ended well.

    If anything fails, what was at `folder` is there as before. A link stays a link; what it leads to is replaced.

    Raises:
        UserError: the disk refuses it.
    """
    with writing(folder):
        yield from _whole(folder.resolve())


@contextmanager
def writing(place: object) -> Iterator[None]:
    """Make what a disk refuses while `place` is written into an error that the user can mend."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"cannot write {place}: {error.strerror or error}; check that its folder is writable and its disk has "
            "room, and run again: what was finished before is kept"
        ) from error


def _whole(folder: Path) -> Iterator[Path]:
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
