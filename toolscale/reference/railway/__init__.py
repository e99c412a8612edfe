"""The railway: a European operator's stations, trains, fares, bookings, disruptions and passengers."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.railway.entries import world
from toolscale.reference.railway.plausibility import blemish, implausible
from toolscale.reference.railway.programs import PROGRAMS
from toolscale.reference.railway.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.railway.programs.outcomes import OUTCOMES
from toolscale.reference.railway.schema import SCHEMA

DOMAIN = ReferenceDomain(
    name="railway",
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="passenger_id",
    matters=frozenset({"booking_id"}),
    away=frozenset({"date", "back_date"}),
    once=(
        frozenset({"buy_rail_card", "buy_card_and_book", "refuse_card_far_ahead", "which rail card runs out first"}),
        frozenset({"convert_points", "refuse_few_points", "points on the account", "only from a tier up"}),
        frozenset({"claim_compensation", "claim_largest", "claim_all", "total_compensation"}),
        frozenset({"sum_upcoming", "next_trip"}),
    ),
    standing={"points_left": "passenger_id", "points": "passenger_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
