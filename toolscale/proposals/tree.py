"""The tree of human activity: sections and divisions of ISIC, revision 4. The data is in `isic.toml`."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from toolscale.toml_file import toml_in


class Division(NamedTuple):
    """A division: a leaf of the tree."""

    code: str
    """Such as `49`."""
    name: str
    section: str
    """Its letter."""
    section_name: str

    @property
    def path(self) -> str:
        """Where in the tree it is, such as `H 49 transport on land and in pipes`."""
        return f"{self.section} {self.code} {self.name}"


@cache
def divisions() -> Mapping[str, Division]:
    """Code -> its division, in the order of the tree."""
    tree = toml_in(files(__package__).joinpath("isic.toml").read_text(encoding="utf-8"))
    return {
        code: Division(code, name, letter, section["name"])
        for letter, section in tree.items()
        for code, name in section.items()
        if code != "name"
    }
