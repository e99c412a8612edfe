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
    description=(
        "The ticket office and streaming service of a group of cinemas, theatres and concert halls in nine European "
        "countries: seats, exchanges, refunds and resale, waiting lists, memberships and gift cards, rentals, "
        "watchlists and subscriptions."
    ),
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="member_id",
    matters=frozenset({"booking_id", "gift_card"}),
    once=(frozenset({"redeem_points", "refuse_old_gift_card"}),),
    identity_lines={
        "plain": "[My member number is {member_id}.|I am member {member_id}.|You have me as {member_id}.]",
        "confused": "[It says {member_id} on my card, I think that is the member number.|Member number, let me "
        "see, {member_id}.]",
        "terse": "[member no. {member_id}.|{member_id} here.|id {member_id}]",
        "chatty": "[Oh, and you will want my member number, that is {member_id}!|You know me as {member_id}, by the "
        "way!]",
        "formal": "[My account is kept under the member number {member_id}.|My member number reads {member_id}.]",
        "hurried": "[Member {member_id}, quick please!|I'm {member_id}!]",
        "non_native": "[The number of me as member is {member_id}.|My number of member is {member_id}.]",
    },
    personas={
        "plain": (
            "A physiotherapist who goes to the cinema every other week.",
            "A father of three who plans family evenings well ahead.",
        ),
        "terse": (
            "A stagehand who types between two scene changes.",
            "A student with a film club to run.",
        ),
        "chatty": (
            "A choir singer who knows every concert hall by its cloakroom.",
            "An aunt who adores musicals.",
        ),
        "formal": ("A retired opera critic of the old school.", "A company secretary who books outings for clients."),
        "hurried": ("A dancer whose call is in five minutes.", "A night editor on deadline."),
        "non_native": (
            "A set builder who has just moved abroad.",
            "A cellist on tour in a foreign land.",
        ),
        "confused": ("A pensioner who bought tickets at the window all his life.",),
    },
    standing={"points_left": "member_id", "points": "member_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
    asides=(
        "[I am looking at my account on the other screen.|A friend told me about this address.|I only ever get round "
        "to "
        "this at breakfast.|There is so much on this winter.|I have your programme in front of me.]",
    ),
)
