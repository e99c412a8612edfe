"""A domain's file as it was read: whoever wants its domain, its switch and its order reads it once."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Self

from upath import UPath

from toolscale.input_files import read_at_most
from toolscale.toml_file import toml_in

LARGEST = 2**20
"""Bytes of a domain's file: a description and an order take a few thousand."""


@dataclass(frozen=True)
class DomainFile:
    """What `domains/<name>.toml` held when it was read."""

    path: UPath
    said: Mapping[str, Any]
    """Its content; empty where it is not TOML."""
    fault: str
    """Why it is not TOML; empty where it is."""
    mark: str
    """Changes when the file does."""

    @classmethod
    def read(cls, path: UPath) -> Self:
        """Read a file, which may yet turn out to be no domain's.

        Raises:
            UserError: it cannot be read.
        """
        content = read_at_most(path, LARGEST)
        mark = sha256(content).hexdigest()[:12]
        try:
            return cls(path, toml_in(content.decode()), "", mark)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            return cls(path, {}, str(error), mark)

    @property
    def name(self) -> str:
        """The domain's."""
        return self.path.name.removesuffix(".toml")
