"""Domains: their partitions, and the files `domains/<name>.toml` that say what each is about."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import dagster as dg
from pydantic import ValidationError
from upath import UPath

from pipelines.domain_file import DomainFile
from pipelines.orders import FIELDS, Order, order_in
from pipelines.storage import rows_file, write_whole
from pipelines.switches import OFF, Switch, refuse_off, switch_in, switch_off, switch_on, switch_on_by_budget
from toolscale.artifacts import PRESENT, Domain
from toolscale.artifacts.base import as_name
from toolscale.errors import UserError
from toolscale.input_files import listing
from toolscale.proposals.proposal import Origin
from toolscale.reference.domain import reference_domain, reference_domains

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")

DOMAINS = dg.DynamicPartitionsDefinition(name="domain")
"""One partition a domain, in every asset but the dataset."""


def safe_name(said: str) -> str:
    """A domain's name from what a user typed: `Port logistics` and `PortLogistics` are `port_logistics`.

    Raises:
        UserError: it holds something that no name can be made of.
    """
    name = as_name(said)
    if not name:
        raise UserError(
            f"domain `{said}`: a name is small letters, digits and underscores, at most 63, and starts with a letter; "
            "call it something like port_logistics, and say the rest in the description"
        )
    return name


def named(data_root: str, said: str, description: str = "") -> Domain:
    """The domain that a user names. One that exists is continued; a new one is what its description says, or its name.

    Raises:
        UserError: the name cannot be a partition's, or the domain is there and was described otherwise.
    """
    name = safe_name(said)
    file = domain_file(data_root, name)
    known = name in reference_domains() and (not description.strip() or rows_file(data_root, "domain", name).exists())
    if not file.exists() and not known:
        return make_domain(name, description if description.strip() else " ".join(said.replace("_", " ").split()))
    found = read_domain(data_root, name)
    if description.strip() not in ("", found.description):
        raise UserError(
            f"domain `{name}` is there already, described as {found.description!r}: leave the description out to "
            f"continue with it, choose another name, or change the description in {file}"
        )
    return found


def make_domain(name: str, description: str, now: datetime = PRESENT) -> Domain:
    """A domain from what a user typed.

    Raises:
        UserError: the name cannot be a partition's, or there is no description.
    """
    try:
        return Domain(name=name, description=description.strip(), now=now)
    except ValidationError as error:
        field = error.errors()[0]["loc"][0]
        advice = {
            "name": "give it a name of small letters, digits and underscores that starts with a letter",
            "description": "describe it in a sentence or two",
        }.get(str(field), str(error.errors()[0]["msg"]))
        raise UserError(f"domain `{name}`: {advice}") from None


def write_domain(
    data_root: str,
    domain: Domain,
    order: Order | None = None,
    origin: Origin | None = None,
    *,
    off: bool | Literal["proposed"] = False,
) -> UPath:
    """Write a domain's file; the sensor takes it from there, as ordered if it was. The path it was written to.

    Where no origin is given, the one that its file has stays.
    """
    file = domain_file(data_root, domain.name)
    origin = origin or (origin_in(DomainFile.read(file)) if file.exists() else Origin())
    lines = [f"name = {_quoted(domain.name)}", f"description = {_quoted(domain.description)}"]
    if off:
        lines.append(f"{OFF} = {json.dumps(off)}")
    if domain.now != PRESENT:
        lines.append(f"now = {domain.now.isoformat()}")
    told = ("division", "topic", "released")
    lines += [f"{field} = {_quoted(said)}" for field in told if (said := getattr(origin, field))]
    lines += order.as_toml() if order else []
    if origin.tables:
        lines += ["", "[tables]", *(f"{table} = {json.dumps(fields)}" for table, fields in origin.tables.items())]
    write_whole(file, ("\n".join(lines) + "\n").encode())
    return file


def read_domain(data_root: str, name: str) -> Domain:
    """The domain of that name: from its file, or for a reference domain without one, as it was written by hand.

    Raises:
        UserError: there is no such file, or it does not hold a domain.
    """
    file = domain_file(data_root, name)
    if not file.exists():
        if name in reference_domains():
            return reference_domain(name).domain
        raise UserError(
            f"{file}: missing; write it with name = ... and description = ..., or give --description "
            "(in Dagster, of the job `new_domain`)"
        )
    return domain_in(DomainFile.read(file))


def domain_in(file: DomainFile) -> Domain:
    """The domain that a file describes, which is called like the file.

    Raises:
        UserError: it does not hold a domain.
    """
    said = {"name": file.name, **_said(file)}
    if said["name"] != file.name:
        raise UserError(
            f"{file.path}: `name` is {said['name']!r}, but the file's name says {file.name!r}; make them agree"
        )
    others = FIELDS | {OFF, *Origin.model_fields}
    try:
        return Domain.model_validate({field: value for field, value in said.items() if field not in others})
    except ValidationError as error:
        first = error.errors()[0]
        said_wrong = f"`{first['loc'][0]}`: {first['msg']}"
        raise UserError(f"{file.path}: {said_wrong}; it takes name, description and now") from None


def origin_in(file: DomainFile) -> Origin:
    """Where the domain of a file comes from.

    Raises:
        UserError: the file is not TOML, or says it in another form.
    """
    said = _said(file)
    try:
        return Origin.model_validate({name: said[name] for name in Origin.model_fields.keys() & said.keys()})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"{file.path}: `{where}`: {first['msg']}; correct it, or leave it out") from None


def order_of(data_root: str, name: str) -> Order | None:
    """What was ordered of a domain, if its file says so.

    Raises:
        UserError: the order cannot be carried out as it stands there.
    """
    file = domain_file(data_root, name)
    return order_in(DomainFile.read(file)) if file.exists() else None


def described(data_root: str, name: str) -> Domain | None:
    """The domain of that name, or nothing where nobody has described it yet."""
    known = name in reference_domains() or domain_file(data_root, name).exists()
    return read_domain(data_root, name) if known else None


@dataclass(frozen=True)
class DomainFiles:
    """What lies in `domains/`."""

    files: dict[str, DomainFile]
    """By the names of their domains."""
    switches: dict[str, Switch]
    """Of the same domains."""
    passed_over: list[str]
    """What is no domain's file, and why, one line each."""

    @property
    def on(self) -> list[str]:
        """Names of the domains that are switched on."""
        return [name for name, switch in self.switches.items() if switch == "on"]

    @property
    def off(self) -> list[str]:
        """Names of those that are switched off."""
        return [name for name, switch in self.switches.items() if switch != "on"]

    @property
    def proposed(self) -> list[str]:
        """Of these, the ones about which nobody has decided: a budget may release them."""
        return [name for name, switch in self.switches.items() if switch == "proposed"]


def domain_files(data_root: str) -> DomainFiles:
    """The domains that have a file. Whatever else lies there is passed over: it keeps no domain from its run."""
    found = listing(_folder(data_root), "*.toml")
    files: dict[str, DomainFile] = {}
    switches: dict[str, Switch] = {}
    odd = list(found.passed_over)
    for path in found.files:
        name = path.name.removesuffix(".toml")
        if not may_be_called(name):
            odd.append(f"{path}: no domain can be called so; name it with small letters, digits and underscores")
            continue
        try:
            file = DomainFile.read(path)
            switches[name] = switch_in(file)
        except UserError as error:
            odd.append(str(error))
        else:
            files[name] = file
    return DomainFiles(files, switches, odd)


def may_be_called(name: str) -> bool:
    """Whether a domain can have the name."""
    return _NAME.fullmatch(name) is not None


def has_folder(data_root: str) -> bool:
    """Whether the folder of the domains' files is there."""
    return _folder(data_root).is_dir()


def lacks_its_file(data_root: str, name: str) -> bool:
    """Whether a domain has no file and is no reference domain, which does without."""
    return name not in reference_domains() and not (may_be_called(name) and domain_file(data_root, name).exists())


def refuse_retired(data_root: str, name: str) -> None:
    """See that a domain of which something was made has not lost its file since.

    Raises:
        UserError: its file was deleted.
    """
    if lacks_its_file(data_root, name) and rows_file(data_root, "domain", name).exists():
        raise UserError(
            f"domain `{name}` is retired, since its file {domain_file(data_root, name)} is gone: what was made of it "
            "stays, and no run makes it again; write the file again to go on with it"
        )


def refuse_without_file(data_root: str, name: str) -> None:
    """See that a domain does not lack its file.

    Raises:
        UserError: it was deleted, or never written.
    """
    if not lacks_its_file(data_root, name):
        return
    if not may_be_called(name):
        raise UserError(f"no domain can be called {name!r}: delete the partition, and add one like port_logistics")
    refuse_retired(data_root, name)
    raise UserError(
        f"{domain_file(data_root, name)}: missing; launch the job `new_domain` with `name: {name}` and a description, "
        "or write the file with description = ..."
    )


def switched_on_domains(data_root: str) -> list[str]:
    """Names of the domains that have a file and are switched on, in alphabetical order."""
    return sorted(domain_files(data_root).on)


def refuse_switched_off(data_root: str, name: str, *, or_proposed: bool = False) -> None:
    """See that a domain may be made. Raises `UserError` if its file says that it is off.

    With `or_proposed` one passes that a fleet may release.
    """
    refuse_off(domain_file(data_root, name), or_proposed=or_proposed)


def release_domains(data_root: str, names: Iterable[str]) -> list[str]:
    """Switch domains on; their files are otherwise left as they are. The names of those that were off.

    Raises:
        UserError: one has no file (then none is released), or has one that a user must change by hand.
    """
    files = [existing_domain_file(data_root, name) for name in names]
    return [file.name.removesuffix(".toml") for file in files if switch_on(file)]


def release_by_budget(data_root: str, name: str) -> None:
    """Switch a domain on if it was proposed and nobody has decided about it; its file then says that a budget did.

    Raises:
        UserError: its file is one that a user must change by hand.
    """
    switch_on_by_budget(domain_file(data_root, name))


def switch_domains_off(data_root: str, names: Iterable[str]) -> list[str]:
    """Leave it to somebody to release these domains. The names of those of which that was not so.

    Raises:
        UserError: one has no file (then none is switched off), or has one that a user must change by hand.
    """
    files = [existing_domain_file(data_root, name) for name in names]
    return [file.name.removesuffix(".toml") for file in files if switch_off(file)]


def domain_file(data_root: str, name: str) -> UPath:
    """Where a domain's file lies, if it has one."""
    return _folder(data_root) / f"{name}.toml"


def existing_domain_file(data_root: str, name: str) -> UPath:
    """Where a domain's file lies.

    Raises:
        UserError: it has none.
    """
    refuse_retired(data_root, name)
    file = domain_file(data_root, name)
    if not file.exists():
        raise UserError(f"{file}: missing; `toolscale domains list` shows the domains that have a file")
    return file


def _said(file: DomainFile) -> Mapping[str, Any]:
    if file.fault:
        raise UserError(f"{file.path}: not TOML: {file.fault}")
    return file.said


def _folder(data_root: str) -> UPath:
    return UPath(data_root) / "domains"


def _quoted(text: str) -> str:
    """A TOML string: JSON's escapes are TOML's too, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
