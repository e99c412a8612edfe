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
    description=(
        "Customer service of a European long-distance rail operator: direct trains in twelve countries, "
        "fares and rail cards, bookings with seats, bicycles, assistance and lounges, disruptions and compensation."
    ),
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
    identity_lines={
        "plain": "[My passenger number is {passenger_id}.|I am passenger {passenger_id}.|You have me as "
        "{passenger_id}.]",
        "confused": "[It says {passenger_id} on my card, I think that is the passenger number.|Passenger number, let "
        "me see, {passenger_id}.]",
        "terse": "[passenger no. {passenger_id}.|{passenger_id} here.|id {passenger_id}]",
        "chatty": "Oh, and you will want my passenger number, that is {passenger_id}!",
        "formal": "My account is kept under the passenger number {passenger_id}.",
        "hurried": "Passenger {passenger_id}, quick please!",
        "non_native": "The number of me as passenger is {passenger_id}.",
    },
    personas={
        "plain": (
            "A teacher who takes the train across the Alps a few times a year.",
            "A civil engineer who travels between two offices and keeps an eye on costs.",
            "A retired nurse who visits her grandchildren by train.",
        ),
        "terse": (
            "A consultant who writes as if every word cost money.",
            "A student on a phone with a cracked screen and little patience.",
            "A chef on a short break who wants it done.",
        ),
        "chatty": (
            "A cheerful pensioner who tells more than was asked.",
            "A young father who types while his children chat to him.",
            "A travel blogger who loves trains and stories.",
        ),
        "formal": (
            "A notary who words every message like a letter.",
            "An executive's assistant who arranges travel for a living.",
            "A university professor of the old school.",
        ),
        "hurried": (
            "A sales representative who runs between two meetings.",
            "A musician whose rehearsal starts in five minutes.",
            "A junior doctor on call.",
        ),
        "non_native": (
            "A warehouse worker who is still learning English.",
            "A tourist who translates in his head while typing.",
            "An au pair who has been abroad for three months.",
        ),
    },
    standing={"points_left": "passenger_id", "points": "passenger_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
    asides=(
        "[I take your trains quite often.|The trains have been rather good lately.|I prefer the "
        "train to flying any day.|My seat neighbour gave me this address.|I am writing from the platform.]",
    ),
)
