"""What domains there are: those that have a file, and how far each has come."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from pipelines.domains import (
    DomainFiles,
    domain_file,
    domain_files,
    domain_in,
    existing_domain_file,
    origin_in,
    safe_name,
)
from pipelines.storage import rows_file
from toolscale.errors import UserError
from toolscale.proposals.proposal import Origin, Sketch
from toolscale.proposals.tree import divisions


class ListedDomain(NamedTuple):
    """A domain that has a file."""

    name: str
    off: bool
    proposed: bool
    """Whether it is off because nobody has decided about it."""
    made: Literal["no", "begun", "yes"]
    place: str
    """Where in the tree of human activity it is; empty for one that nobody placed."""
    topic: str
    """The topic of a user's own that it was proposed for."""


def listed_domains(data_root: str) -> tuple[list[ListedDomain], list[str]]:
    """The domains that have a file, in alphabetical order; and what else lies there, one line each."""
    found = domain_files(data_root)
    names = sorted([*found.marks, *found.off])
    odd, listed = list(found.passed_over), []
    for name in names:
        try:
            origin = origin_in(domain_file(data_root, name))
        except UserError as error:
            odd.append(str(error))
            continue
        listed.append(_listed(data_root, name, origin, found))
    return listed, odd


class ShownDomain(NamedTuple):
    """A domain as somebody reads it who decides whether to release it."""

    listed: ListedDomain
    description: str
    tables: Sketch
    """Of the sketch; empty for one that nobody proposed."""


def shown_domains(data_root: str, names: Iterable[str]) -> list[ShownDomain]:
    """What the files of these domains say.

    Raises:
        UserError: one has no file, or its file is no domain's.
    """
    found, shown = domain_files(data_root), []
    for name in map(safe_name, names):
        file = existing_domain_file(data_root, name)
        domain, origin = domain_in(file), origin_in(file)
        shown.append(ShownDomain(_listed(data_root, name, origin, found), domain.description, origin.tables))
    return shown


def _listed(data_root: str, name: str, origin: Origin, files: DomainFiles) -> ListedDomain:
    division = divisions().get(origin.division)
    place = division.path if division else origin.division
    off, proposed = name in files.off, name in files.proposed
    return ListedDomain(name, off, proposed, _made(data_root, name), place, origin.topic)


def _made(data_root: str, name: str) -> Literal["no", "begun", "yes"]:
    if rows_file(data_root, "verified_tasks", name).exists():
        return "yes"
    return "begun" if rows_file(data_root, "domain", name).exists() else "no"
