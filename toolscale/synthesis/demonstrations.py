"""Demonstrations for the prompts: a reference domain shows the form, for any domain but itself."""

from toolscale.reference.domain import REFERENCE_DOMAINS, ReferenceDomain, reference_domain


def demonstration_for(domain: str) -> ReferenceDomain:
    """The reference domain that demonstrates the form to a model working on `domain`."""
    return reference_domain(next(name for name in REFERENCE_DOMAINS if name != domain))
