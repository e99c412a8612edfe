"""What domains there are, those that have a file and those whose file is gone; and how far each has come."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from pipelines.domain_file import DomainFile
from pipelines.domains import domain_files, domain_in, existing_domain_file, origin_in, safe_name
from pipelines.partitions import retired_domains
from pipelines.storage import rows_file
from pipelines.switches import Switch, switch_in
from toolscale.errors import UserError
from toolscale.proposals.proposal import Origin, Sketch
from toolscale.proposals.tree import divisions


class ListedDomain(NamedTuple):
    """A domain, in a line."""

    name: str
    switch: Switch | Literal["retired"]
    """Retired if its file is gone, while data refers to it."""
    made: Literal["no", "begun", "yes"]
    place: str
    """Where in the tree of human activity it is; empty for one that nobody placed."""
    topic: str
    """The topic of a user's own that it was proposed for."""


def listed_domains(data_root: str, dataset: str) -> tuple[list[ListedDomain], list[str]]:
    """The domains that have a file, or had one, in alphabetical order; and what else lies there, one line each."""
    found = domain_files(data_root)
    odd, listed = list(found.passed_over), []
    for name, file in found.files.items():
        try:
            listed.append(_listed(data_root, name, found.switches[name], origin_in(file)))
        except UserError as error:
            odd.append(str(error))
    retired = [_listed(data_root, name, "retired", Origin()) for name in retired_domains(data_root, dataset)]
    return sorted([*listed, *retired]), odd


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
    shown = []
    for name in map(safe_name, names):
        file = DomainFile.read(existing_domain_file(data_root, name))
        domain, origin = domain_in(file), origin_in(file)
        listed = _listed(data_root, name, switch_in(file), origin)
        shown.append(ShownDomain(listed, domain.description, origin.tables))
    return shown


def _listed(data_root: str, name: str, switch: Switch | Literal["retired"], origin: Origin) -> ListedDomain:
    division = divisions().get(origin.division)
    place = division.path if division else origin.division
    return ListedDomain(name, switch, _made(data_root, name), place, origin.topic)


def _made(data_root: str, name: str) -> Literal["no", "begun", "yes"]:
    if rows_file(data_root, "verified_tasks", name).exists():
        return "yes"
    return "begun" if rows_file(data_root, "domain", name).exists() else "no"
