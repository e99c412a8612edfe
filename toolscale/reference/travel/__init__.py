"""The travel agency: flights, hotels, guided tours, transfers, insurance and entry papers for European travellers."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.travel.entries import world
from toolscale.reference.travel.plausibility import blemish, implausible
from toolscale.reference.travel.programs import PROGRAMS
from toolscale.reference.travel.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.travel.programs.outcomes import OUTCOMES
from toolscale.reference.travel.schema import SCHEMA

DOMAIN = ReferenceDomain(
    name="travel",
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="traveller_id",
    matters=frozenset({"booking_id", "stay_id", "tour_booking_id", "flight_id"}),
    away=frozenset(
        {
            *("date", "back", "check_in", "check_out", "earliest", "latest", "start", "end", "arrival"),
            *("flight_date", "stay_date", "tour_date"),
        }
    ),
    once=(
        frozenset(
            {
                *("until when the passport is valid", "only with a passport that lasts", "update_passport"),
                *("check_entry_for_flight", "refuse_entry_papers_with_short_passport"),
            }
        ),
        frozenset({"how many points there are", "redeem_points"}),
        frozenset({"cancel_flight_with_most_back", "sum_of_flights", "next_flight"}),
    ),
    standing={"points_left": "traveller_id", "points": "traveller_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
