"""Domains: their partitions, and the files `domains/<name>.toml` that say what each is about."""

import json
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import dagster as dg
from pydantic import ValidationError
from upath import UPath

from pipelines.orders import FIELDS, LARGEST, Order, order_in
from pipelines.storage import rows_file, write_whole
from toolscale.artifacts import PRESENT, Domain
from toolscale.errors import UserError
from toolscale.input_files import listing, read_at_most
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.toml_file import toml_in

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")

DOMAINS = dg.DynamicPartitionsDefinition(name="domain")
"""One partition a domain, in every asset but the dataset."""


def safe_name(said: str) -> str:
    """A domain's name from what a user typed: `Port logistics` and `PortLogistics` are `port_logistics`.

    Raises:
        UserError: it holds something that no name can be made of.
    """
    plain = "".join(each for each in unicodedata.normalize("NFKD", said) if not unicodedata.combining(each))
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\s_-]+", "_", plain.strip()).strip("_").lower()
    if not _NAME.fullmatch(name):
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


def write_domain(data_root: str, domain: Domain, order: Order | None = None) -> UPath:
    """Write a domain's file; the sensor takes it from there, as ordered if it was. The path it was written to."""
    lines = [f"name = {_quoted(domain.name)}", f"description = {_quoted(domain.description)}"]
    if domain.now != PRESENT:
        lines.append(f"now = {domain.now.isoformat()}")
    lines += order.as_toml() if order else []
    file = domain_file(data_root, domain.name)
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
        raise UserError(f"{file}: missing; write it with name = ... and description = ..., or give --description")
    content = read_at_most(file, LARGEST)
    try:
        said: dict[str, Any] = toml_in(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{file}: not TOML: {error}") from None
    if said.setdefault("name", name) != name:
        raise UserError(f"{file}: `name` is {said['name']!r}, but the file's name says {name!r}; make them agree")
    try:
        return Domain.model_validate({field: value for field, value in said.items() if field not in FIELDS})
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{file}: `{first['loc'][0]}`: {first['msg']}; it takes name, description and now") from None


def order_of(data_root: str, name: str) -> Order | None:
    """What was ordered of a domain, if its file says so.

    Raises:
        UserError: the order cannot be carried out as it stands there.
    """
    return order_in(domain_file(data_root, name))


def described(data_root: str, name: str) -> Domain | None:
    """The domain of that name, or nothing where nobody has described it yet."""
    known = name in reference_domains() or domain_file(data_root, name).exists()
    return read_domain(data_root, name) if known else None


@dataclass(frozen=True)
class DomainFiles:
    """What lies in `domains/`."""

    marks: dict[str, str]
    """Name of each domain that has a file -> a mark that changes when the file does."""
    passed_over: list[str]
    """What is no domain's file, and why, one line each."""


def domain_files(data_root: str) -> DomainFiles:
    """The domains that have a file. Whatever else lies there is passed over: it keeps no domain from its run."""
    found = listing(_folder(data_root), "*.toml")
    marks, odd = {}, list(found.passed_over)
    for file in found.files:
        name = file.name.removesuffix(".toml")
        if not _NAME.fullmatch(name):
            odd.append(f"{file}: no domain can be called so; name it with small letters, digits and underscores")
            continue
        try:
            marks[name] = sha256(read_at_most(file, LARGEST)).hexdigest()[:12]
        except UserError as error:
            odd.append(str(error))
    return DomainFiles(marks, odd)


def domain_file(data_root: str, name: str) -> UPath:
    """Where a domain's file lies, if it has one."""
    return _folder(data_root) / f"{name}.toml"


def _folder(data_root: str) -> UPath:
    return UPath(data_root) / "domains"


def _quoted(text: str) -> str:
    """A TOML string: JSON's escapes are TOML's too, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
