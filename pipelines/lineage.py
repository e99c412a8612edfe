"""What stored artifacts were made of: it goes with them, and those that do not fit together are refused.

A version is a hash of the rows. The same inputs give the same rows, so the same versions; and two runs that write one
domain at once, or one that ended half-way, leave artifacts whose claims about a common ancestor differ.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import BaseModel, ConfigDict, ValidationError

from toolscale.errors import UserError
from toolscale.input_files import files_in

KEY = b"toolscale.made_of"
"""Where the metadata of a Parquet file says what its rows were made of."""


class Made(BaseModel):
    """What an artifact of a domain is, and what it was made of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: str
    """A hash of its rows."""
    of: dict[str, str] = {}
    """Name of each asset that it follows from, at any distance -> the version of it."""


class StepLineage:
    """What the step at work has read and written so far. The steps of a process go one after the other."""

    def __init__(self) -> None:
        self._step: Any = None
        self._read: dict[str, dict[str, Made | None]] = {}
        self._wrote: dict[str, str] = {}

    def read(self, step: Any, domain: str, asset: str, made: Made | None) -> None:
        """Note what a step reads of a domain; None where nobody knows what it was made of."""
        self._begin(step)
        self._read.setdefault(domain, {})[asset] = made

    def wrote(self, step: Any, domain: str, asset: str, version: str) -> Made:
        """What a step's output is made of: all that it has read, and the outputs that it wrote before this one."""
        self._begin(step)
        made = Made(version=version, of=ancestors(self._read.get(domain, {})) | self._wrote)
        self._wrote[asset] = version
        return made

    def refuse_unfit(self, domain: str) -> None:
        """See that what the step at work has read of a domain fits together.

        Raises:
            UserError: it does not; says what to materialize again.
        """
        refuse_unfit(domain, self._read.get(domain, {}))

    def _begin(self, step: Any) -> None:
        if step != self._step:
            self._step, self._read, self._wrote = step, {}, {}


def ancestors(read: Mapping[str, Made | None]) -> dict[str, str]:
    """Every asset that artifacts follow from, themselves included -> its version."""
    known = {asset: made for asset, made in read.items() if made is not None}
    of = {ancestor: version for made in known.values() for ancestor, version in made.of.items()}
    return of | {asset: made.version for asset, made in known.items()}


def refuse_unfit(domain: str, read: Mapping[str, Made | None]) -> None:
    """See that artifacts of a domain, by asset, were made of the same versions of whatever they have in common.

    Raises:
        UserError: says which were not, and what to materialize again.
    """
    claims: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    versions: dict[str, str] = {}
    for asset, made in read.items():
        if made is None:
            raise UserError(
                f"{domain}: `{asset}` does not say what it was made of: it was changed since, or made by an earlier "
                f"version of the program; materialize `{asset}` again"
            )
        versions[asset] = made.version
        for ancestor, version in made.of.items():
            claims[ancestor][version].append(asset)
    for ancestor, by_version in claims.items():
        if ancestor in versions:
            by_version.pop(versions[ancestor], None)
            if others := [each for names in by_version.values() for each in names]:
                raise UserError(
                    f"{domain}: {_listed(others)} made of another `{ancestor}` than the one that is there; "
                    f"materialize what follows from `{ancestor}` again"
                )
        elif len(by_version) > 1:
            one, other, *_ = map(_listed, by_version.values())
            raise UserError(
                f"{domain}: {one} and {other} made of different versions of `{ancestor}`, in different runs; "
                f"materialize what follows from `{ancestor}` again"
            )


def made_of(text: str | bytes | None) -> Made | None:
    """What a stored record says that an artifact is made of; None if there is none, or none that can be read."""
    try:
        return Made.model_validate_json(text or "")
    except ValidationError:
        return None


def as_text(made: Made) -> str:
    """The record of what an artifact is made of, the same text for the same content."""
    return json.dumps(made.model_dump(), sort_keys=True)


def version_of(texts: Iterable[str]) -> str:
    """The version of rows, given the text of each."""
    digest = sha256()
    for text in texts:
        part = text.encode()
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]


def version_of_files(*files: Path) -> dg.DataVersion:
    """The data version of files with these names and contents; a folder stands for all files in it."""
    whole = [(each, place) for place in files for each in (files_in(place, deep=True) if place.is_dir() else [place])]
    texts = []
    for file, place in whole:
        if file.is_file():
            with file.open("rb") as opened:
                texts.append(f"{file.relative_to(place)} {file_digest(opened, 'sha256').hexdigest()}")
    return dg.DataVersion(version_of(texts))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
