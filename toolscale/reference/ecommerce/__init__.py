"""The reference domain `ecommerce`: a web shop that delivers to fourteen countries."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.ecommerce.entries import world
from toolscale.reference.ecommerce.plausibility import blemish, implausible
from toolscale.reference.ecommerce.programs import PROGRAMS
from toolscale.reference.ecommerce.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.ecommerce.programs.outcomes import OUTCOMES
from toolscale.reference.ecommerce.schema import SCHEMA

DOMAIN = ReferenceDomain(
    name="ecommerce",
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="customer_id",
    matters=frozenset({"order_id", "subscription_id", "product"}),
    standing={"points_left": "customer_id", "store_credit": "customer_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
