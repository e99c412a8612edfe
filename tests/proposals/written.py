"""Domains as a teacher might propose them, and the reference domains, for tests."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from toolscale.proposals.nearness import Known
from toolscale.reference.domain import reference_domain, reference_domains


@cache
def written() -> dict[str, dict[str, Any]]:
    """Name -> division, description, tables, and which other it is in other words, if it is."""
    return tomllib.loads(Path(__file__).with_name("domains.toml").read_text(encoding="utf-8"))


def as_known(name: str) -> Known:
    return Known(name, written()[name]["description"], written()[name]["tables"])


def references() -> list[Known]:
    found = [reference_domain(name) for name in reference_domains()]
    return [
        Known(
            each.name,
            each.domain.description,
            {table: list(of["additionalProperties"]["properties"]) for table, of in each.schema["properties"].items()},
        )
        for each in found
    ]
