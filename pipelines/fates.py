"""Why a domain was not made: the last run of it that failed or was stopped says so, until a run makes the domain."""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from upath import UPath

from pipelines.storage import write_whole
from toolscale.printable import printable

ENDED: Mapping[str, Literal["failed", "out of budget", "stopped early"]] = {
    "failed": "failed",
    "budget": "out of budget",
    "poor yield": "stopped early",
}
"""How a fate is told."""

LONGEST = 2000
"""Characters of a reason: what models wrote may stand in it."""


class Fate(BaseModel):
    """How the last run of a domain ended that did not make it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ended: Literal["failed", "budget", "poor yield"]
    stage: str = ""
    """Where; empty if in none."""
    reason: str
    of_the_endpoint: bool = False
    """Whether an endpoint could not be had, which is no fault of the domain."""
    made_of: str = ""
    """A hash of what the domain follows from, of one whose yield is poor: it is not tried again with the same."""


def note_fate(data_root: str, domain: str, fate: Fate) -> None:
    """Remember why a domain was not made."""
    told = fate.model_copy(update={"reason": printable(fate.reason)[:LONGEST]})
    write_whole(_note(data_root, domain), told.model_dump_json().encode())


def forget_fate(data_root: str, domain: str) -> None:
    """The domain was made."""
    _note(data_root, domain).unlink(missing_ok=True)


def noted_fate(data_root: str, domain: str) -> Fate | None:
    """Why a domain was not made the last time; nothing if it was, or nobody tried."""
    try:
        return Fate.model_validate_json(_note(data_root, domain).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _note(data_root: str, domain: str) -> UPath:
    return UPath(data_root) / "made" / "fates" / domain
