"""The restaurant domain: eighteen houses in eleven countries, their tables, kitchens and guests."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.restaurant.entries import world
from toolscale.reference.restaurant.plausibility import blemish, implausible
from toolscale.reference.restaurant.programs import PROGRAMS
from toolscale.reference.restaurant.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.restaurant.programs.outcomes import OUTCOMES
from toolscale.reference.restaurant.schema import SCHEMA

EATING = (
    *("choose_menu", "order_cheapest", "order_lightest", "order_portions", "add_dish", "swap_for_diet", "order_again"),
    *("order_anew", "compare_set_menus", "lightest_dish", "order_calories", "may_i_eat"),
    *("refuse_forbidden_dish", "refuse_dish_of_the_table"),
)
"""Who has just learnt of an allergy does not order, in the same message, what was safe before."""

DOMAIN = ReferenceDomain(
    name="restaurant",
    description=(
        "The booking desk of a group of restaurants in eleven European countries: tables and deposits, set menus "
        "and allergens, takeaway orders and vouchers, ticketed evenings, loyalty points and waiting lists."
    ),
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="guest_id",
    identity_lines={
        "plain": "[My guest number is {guest_id}.|I am guest {guest_id}.|You have me as {guest_id}.]",
        "confused": "[My guest number should be {guest_id}, if I read it correctly.|There is a number on my card, "
        "{guest_id}.]",
        "terse": "guest no. {guest_id}.",
        "chatty": "You will find me under guest number {guest_id}, it says so on my card!",
        "formal": "My account is held under guest number {guest_id}.",
        "hurried": "I am guest {guest_id}.",
        "non_native": "The number of guest that I have is {guest_id}.",
    },
    personas={
        "plain": (
            "A schoolteacher who plans a family dinner and says what matters in order.",
            "A retired nurse who eats out once a month with the same friends.",
            "An architect who books for visiting clients.",
        ),
        "terse": (
            "A sous-chef on a break who types with one thumb.",
            "A software engineer who writes messages like commit titles.",
            "A night-shift paramedic who has no time for full sentences.",
        ),
        "chatty": (
            "A florist who tells the whole story before the request.",
            "A grandmother who organises every birthday of a large family.",
            "A travel blogger who is delighted by everything.",
        ),
        "formal": (
            "A notary who writes to restaurants as to a court.",
            "An executive assistant at an embassy.",
            "A professor emeritus of law with a fixed table at every opera premiere.",
        ),
        "hurried": (
            "A sales director between two trains.",
            "A parent with a crying toddler on one arm.",
            "A stage technician who has five minutes before the curtain.",
        ),
        "non_native": (
            "An exchange student who learned English last year.",
            "A lorry driver from abroad who stops over twice a week.",
            "A visiting engineer who translates in the head while writing.",
        ),
        "confused": (
            "A new pensioner who has always left the reservations to a secretary.",
            "A painter who has never ordered food by message before.",
        ),
    },
    once=(
        *(frozenset({"new_allergy", dish}) for dish in EATING),
        frozenset({"exchange_points", "refuse_large_voucher", "how many points there are"}),
    ),
    standing={"points": "guest_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
    asides=(
        "[We have always eaten well with you.|I am planning the next weeks over breakfast.|My colleagues keep talking "
        "about your restaurants.|I get hungry just writing this.|I have your menus pinned to the kitchen door.]",
    ),
)
