"""What of a dataset folder is published, and the version that its content has."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from toolscale.dataset.folder import misplaced_in, preferences_of, promptless_in, read_dataset
from toolscale.errors import UserError
from toolscale.input_files import files_in


@dataclass(frozen=True)
class ReleaseFile:
    """One file of a release."""

    path: str
    """Relative to the dataset folder, with forward slashes: its path in the repository."""
    source: Path
    size: int
    """Bytes."""
    sha256: str
    """What the Hub knows a large file by."""
    git_id: str
    """What the Hub knows a small file by: the name of git's blob."""


@dataclass(frozen=True)
class Release:
    """A dataset folder, ready to be published."""

    folder: Path
    files: list[ReleaseFile]
    tasks: int
    environments: int

    @cached_property
    def version(self) -> str:
        """A tag that follows from the content alone, such as ``data-3f9c1a02b7de``."""
        return version_of(self.files)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)


def release(folder: Path) -> Release:
    """Read a dataset folder as what would be published: every file of it that is not hidden.

    Every task, environment and preference row is decoded, so that what nobody could load again is not published.

    Raises:
        UserError: the folder is no dataset of ours, trains on attempts at tasks of `eval`, or has attempts without the
            prompts that they begin with; says what is missing or at fault.
    """
    _see_to(folder)
    if not (folder / "README.md").is_file():
        raise UserError(f"{folder}: no README.md, so no dataset card; give a dataset folder, or build it again")
    tasks = read_dataset(folder)
    preferences_of(folder)
    if not tasks:
        raise UserError(f"{folder}: the dataset has no tasks; there is nothing to publish")
    if count := misplaced_in(folder):
        raise UserError(
            f"{folder}/trajectories: {count} attempts lie in another split than their tasks, as earlier versions wrote "
            "them; build the dataset again"
        )
    if count := promptless_in(folder):
        raise UserError(f"{folder}/prompts: {count} attempts name a prompt that is not there; build the dataset again")
    return Release(
        folder=folder,
        files=files_of(folder),
        tasks=len(tasks),
        environments=len({id(environment) for _, environment in tasks}),
    )


def content_version(folder: Path) -> str:
    """The version that the content of a dataset folder has, fit to be published or not.

    Raises:
        UserError: there is no such folder.
    """
    _see_to(folder)
    return version_of(files_of(folder))


def _see_to(folder: Path) -> None:
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; give a dataset folder, as `toolscale demo --out` writes it")


def files_of(folder: Path) -> list[ReleaseFile]:
    """Every file of a folder that is not hidden, in the order of the paths."""
    return [_release_file(path, folder) for path in files_in(folder, deep=True)]


def version_of(files: Sequence[ReleaseFile]) -> str:
    """A name that follows from the files' content and paths alone."""
    listing = "".join(f"{file.sha256} {file.path}\n" for file in files)
    return f"data-{hashlib.sha256(listing.encode()).hexdigest()[:12]}"


def _release_file(path: Path, folder: Path) -> ReleaseFile:
    size = path.stat().st_size
    sha256, git = hashlib.sha256(), hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            sha256.update(chunk)
            git.update(chunk)
    return ReleaseFile(
        path=path.relative_to(folder).as_posix(),
        source=path,
        size=size,
        sha256=sha256.hexdigest(),
        git_id=git.hexdigest(),
    )
