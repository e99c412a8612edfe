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
    description=(
        "Customer service of a European travel agency: flights with three fares, hotel rooms, guided tours with "
        "waiting lists, airport transfers, insurance, visas and travel authorisations, compensation, points and "
        "vouchers."
    ),
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
    identity_lines={
        "plain": "[My traveller number is {traveller_id}.|I am traveller {traveller_id}.|You have me on file as "
        "{traveller_id}.]",
        "terse": "[traveller no. {traveller_id}.|{traveller_id} here.|id {traveller_id}]",
        "chatty": "[You will find me under {traveller_id}, that is my traveller number!|My traveller number, let me "
        "see, is {traveller_id}!]",
        "formal": "My account is kept under the traveller number {traveller_id}.",
        "hurried": "Traveller {traveller_id}, quick please!",
        "non_native": "The number of me as traveller is {traveller_id}.",
        "confused": "[It says {traveller_id} on my card, that must be the traveller number.|Traveller number, I "
        "think, is {traveller_id}.]",
    },
    personas={
        "plain": (
            "A physiotherapist who plans the family's holidays in the evenings.",
            "A geologist who flies to field work and reads the conditions.",
        ),
        "terse": (
            "A consultant who lives out of a suitcase.",
            "A climbing guide who writes from base camp.",
        ),
        "chatty": (
            "A pensioner who is planning the trip of a lifetime.",
            "A wedding guest who has told everybody about the journey.",
        ),
        "formal": (
            "A secretary who arranges the journeys of a board of directors.",
            "A professor emeritus on the way to a congress.",
        ),
        "hurried": (
            "A photographer with an assignment tomorrow.",
            "A surgeon who books between two operations.",
        ),
        "non_native": (
            "A nurse from abroad who is flying home for the holidays.",
            "A student who takes a first big journey alone.",
        ),
        "confused": (
            "A grandmother whose grandchildren gave her a trip as a present.",
            "A first-time flyer who finds all the terms bewildering.",
        ),
    },
    standing={"points_left": "traveller_id", "points": "traveller_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
    asides=(
        "[I have been booking with you for years.|The guidebooks are piling up on my desk.|The weather here "
        "is dreadful today.|A friend recommended your agency.|Last year's journey was wonderful.]",
    ),
)
