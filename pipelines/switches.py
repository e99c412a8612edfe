"""Switches: a domain whose file says `off` is made by no run until it is released.

`off = true` leaves that to somebody; `off = "proposed"`, to somebody or to the budget of a fleet, whoever comes first.
"""

import json
import re
import tomllib
from typing import Any, Literal

from upath import UPath

from pipelines.domain_file import LARGEST, DomainFile
from pipelines.storage import write_whole
from toolscale.errors import UserError
from toolscale.input_files import read_at_most
from toolscale.toml_file import toml_in

OFF = "off"
"""The field of a domain's file."""

PROPOSED: Literal["proposed"] = "proposed"
"""What the field says of a domain that was proposed, and about which nobody has decided."""

BUDGET: Literal["budget"] = "budget"
"""What `released` says in the file of a domain that a budget released, so that nobody need have read it."""

Switch = Literal["on", "off", "proposed"]

_LINE = re.compile(rf"^[ \t]*{OFF}[ \t]*=[^\n]*\n?", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)


def switch_in(file: DomainFile) -> Switch:
    """What a domain's file says. Who runs it hears if it is not TOML.

    Raises:
        UserError: it says neither yes nor no.
    """
    said = file.said.get(OFF, False)
    if said == PROPOSED:
        return "proposed"
    if not isinstance(said, bool):
        raise UserError(f'{file.path}: `{OFF}` is {said!r}; say true, "{PROPOSED}" or false, or leave it out for false')
    return "off" if said else "on"


def refuse_off(file: UPath, *, or_proposed: bool = False) -> None:
    """See that a domain's file does not keep it from being made; with `or_proposed`, by a fleet that may release it.

    Raises:
        UserError: it is off.
    """
    switch = switch_in(DomainFile.read(file)) if file.exists() else "on"
    if switch == "off" or (switch == "proposed" and not or_proposed):
        name = file.name.removesuffix(".toml")
        raise UserError(
            f"domain `{name}` is switched off: read {file}, then release it with `toolscale domains release {name}`"
        )


def switch_on(file: UPath) -> bool:
    """Take the switch out of a domain's file and leave the rest as it stands. False if it was on.

    Raises:
        UserError: the file cannot be read, or is written in a way that a user must change by hand.
    """
    if switch_in(DomainFile.read(file)) == "on":
        return False
    _change(file)
    return True


def switch_on_by_budget(file: UPath) -> bool:
    """Switch a proposed domain on, and note in its file that a budget did. False if somebody has decided about it.

    Raises:
        UserError: the file cannot be read, or is written in a way that a user must change by hand.
    """
    if switch_in(DomainFile.read(file)) != "proposed":
        return False
    _change(file, released=BUDGET)
    return True


def switch_off(file: UPath) -> bool:
    """Leave it to somebody to release a domain, and the rest of its file as it stands. False if it was left already.

    Raises:
        UserError: the file cannot be read, or is written in a way that a user must change by hand.
    """
    if switch_in(DomainFile.read(file)) == "off":
        return False
    _change(file, off=True)
    return True


def _change(file: UPath, **instead: Any) -> None:
    """Put other fields in the place of the switch, or at the top where there is none."""
    text = read_at_most(file, LARGEST).decode()
    said = toml_in(text)
    rest = {name: value for name, value in said.items() if name != OFF}
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in instead.items() if name not in rest)
    tables = _TABLE.search(text)
    top = text[: tables.start()] if tables else text
    changed = (_LINE.sub(lines, top, count=1) if OFF in said else lines + top) + text[len(top) :]
    if not _says(changed, rest | instead):
        raise UserError(f"{file}: `{OFF}` stands where only you can change it; change it by hand")
    write_whole(file, changed.encode())


def _says(text: str, wanted: dict[str, Any]) -> bool:
    try:
        return toml_in(text) == wanted
    except tomllib.TOMLDecodeError:
        return False
