"""Entertainment: cinemas, theatres and concert halls in nine countries, a streaming service, and their members."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.entertainment.entries import world
from toolscale.reference.entertainment.plausibility import blemish, implausible
from toolscale.reference.entertainment.programs import PROGRAMS
from toolscale.reference.entertainment.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.entertainment.programs.outcomes import OUTCOMES
from toolscale.reference.entertainment.schema import SCHEMA

DOMAIN = ReferenceDomain(
    name="entertainment",
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="member_id",
    matters=frozenset({"booking_id", "gift_card"}),
    once=(frozenset({"redeem_points", "refuse_old_gift_card"}),),
    standing={"points_left": "member_id", "points": "member_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
