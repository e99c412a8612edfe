"""Demonstrations for the prompts: a reference domain shows the form, for any domain but itself."""

from toolscale.reference.clerk import sizes
from toolscale.reference.domain import ReferenceDomain, reference_domain

SHOWN, ELSE_SHOWN = "ecommerce", "education"
"""Named, since another demonstration makes another prompt, and every answer to the old one would be paid for again."""


def demonstration_for(domain: str) -> ReferenceDomain:
    """The reference domain that demonstrates the form to a model working on `domain`."""
    return reference_domain(SHOWN if domain != SHOWN else ELSE_SHOWN)


def demonstrated_records(demonstration: ReferenceDomain) -> dict[str, dict[str, int]]:
    """How many records each subject of a demonstration has: subject -> table -> number."""
    return sizes(demonstration, 0)
