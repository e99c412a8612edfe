"""A factory of verifiable tool-use tasks in executable environments."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

    from toolscale.dataset.opened import Frames

__all__ = ["load"]


def load(folder: "str | PathLike[str]") -> "Frames":
    """A dataset's tables and ready views as pandas data frames, by name, for a notebook.

    ``load("data/demo")["tasks"]``; ``load("data/demo").sql("select ...")``. Names: ``toolscale query --views``.

    Raises:
        UserError: the folder holds no dataset.
    """
    from pathlib import Path

    from toolscale.dataset.opened import Frames

    return Frames(Path(folder))
