"""Which partitions there are to be: one for each domain, until its file is gone and no data refers to it.

A partition whose file was deleted is *retired*: it stays while data refers to it, its page says so, and no run makes it
again. One that somebody added in the UI has no file yet, and is offered one.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import dagster as dg
from pydantic import BaseModel, ConfigDict, ValidationError

from pipelines.domains import has_folder, lacks_its_file, may_be_called
from pipelines.links import write_its_file
from pipelines.storage import domains_with_rows, stored_files
from toolscale.dataset.folder import domains_in
from toolscale.input_files import files_in


class Seen(BaseModel):
    """What the sensor saw the last time: its cursor."""

    model_config = ConfigDict(frozen=True)

    files: Sequence[str] = ()
    """Domains that had a file."""
    retired: Sequence[str] = ()
    by_hand: Sequence[str] = ()
    told: str = ""
    """What it logged."""

    @classmethod
    def of(cls, cursor: str | None) -> "Seen":
        """What a cursor says; nothing if there is none, or it is one of an earlier version."""
        try:
            return cls.model_validate_json(cursor or "{}")
        except ValidationError:
            return cls()


@dataclass(frozen=True)
class Partitions:
    """The partitions that are known and have no file."""

    gone: list[str] = field(default_factory=list)
    """Nothing refers to them."""
    retired: list[str] = field(default_factory=list)
    """Data refers to them."""
    by_hand: list[str] = field(default_factory=list)
    """They never had a file."""

    def remarks(self) -> Iterator[str]:
        """A sentence about each kind of which there are some."""
        if self.retired:
            yield (
                f"retired, since their files are gone: {', '.join(self.retired)}; their data stays, and no run makes "
                "them again"
            )
        if self.by_hand:
            yield (
                f"partitions without a file: {', '.join(map(repr, self.by_hand))}; launch the job `new_domain` with "
                "the name and a description to write it, or delete the partition"
            )


def without_a_file(
    data_root: str, dataset: str, known: Collection[str], files: Collection[str], seen: Seen
) -> Partitions:
    """What has become of the known partitions that have no file; `files` are the names of those that have one."""
    found = Partitions()
    if not has_folder(data_root):  # a disk that is away shall retire nothing
        return found
    for name in sorted(set(known) - set(files)):
        if not lacks_its_file(data_root, name):
            continue
        if is_referred_to(data_root, dataset, name):
            found.retired.append(name)
        elif name in seen.files or name in seen.retired:
            found.gone.append(name)
        else:
            found.by_hand.append(name)
    return found


def is_referred_to(data_root: str, dataset: str, name: str) -> bool:
    """Whether anything that was made of a domain is there: its rows, its environment, or its tasks in the dataset."""
    if not may_be_called(name):
        return False
    return bool(stored_files(data_root, name)) or name in _released(dataset)


def retired_domains(data_root: str, dataset: str) -> list[str]:
    """Names of the domains of which something was made, and whose files are gone."""
    if not has_folder(data_root):
        return []
    referred_to = domains_with_rows(data_root) | _released(dataset)
    return sorted(name for name in referred_to if lacks_its_file(data_root, name))


def _released(dataset: str) -> set[str]:
    """Names of the domains that have tasks in a dataset, if there is one."""
    folder = Path(dataset)
    return set(domains_in(folder)) if files_in(folder / "tasks", "*.parquet") else set()


def marks(found: Partitions, files: Collection[str], seen: Seen, location: str) -> Iterator[dg.AssetObservation]:
    """What the page of each partition is told that has changed since the last look."""
    for name in found.retired:
        if name not in seen.retired:
            yield _observed(name, retired="Its file is gone: what was made of it stays, and no run makes it again.")
    for name in sorted(set(seen.retired) & set(files)):
        yield _observed(name, retired="No longer: its file is there again.")
    for name in found.by_hand:
        if name not in seen.by_hand:
            no_file = "It was added by hand: a domain needs a file that says what it covers."
            yield _observed(name, no_file=no_file, write_its_file=write_its_file(location, name))


def _observed(name: str, **metadata: dg.MarkdownMetadataValue | str) -> dg.AssetObservation:
    return dg.AssetObservation("domain", partition=name, metadata=metadata)
