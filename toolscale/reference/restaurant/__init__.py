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
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="guest_id",
    once=(
        *(frozenset({"new_allergy", dish}) for dish in EATING),
        frozenset({"exchange_points", "refuse_large_voucher", "how many points there are"}),
    ),
    standing={"points": "guest_id"},
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
