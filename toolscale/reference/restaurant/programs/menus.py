"""Requests for set menus with a reservation."""

from random import Random

from toolscale.reference.kit import known, told
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Record, Solution, Steps, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import a_reservation, line_at, some_diet, upcoming, with_allergies
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def suitable_menus(guest: Record, reservation: Record, facts: Facts) -> Steps:
    """Step: the house's set menus that are for such a party and free of what the guest cannot eat."""
    menus = yield do("list_set_menus", restaurant_id=reservation["restaurant_id"])
    return [
        menu
        for menu in menus
        if menu["smallest_party"] <= reservation["party_size"]
        and not set(menu["allergens"]) & set(guest["allergies"])
        and (facts.get("diet") is None or facts["diet"] in menu["suits"])
    ]


def _unserved(world: World, row: Record) -> bool:
    return row["set_menu_id"] is None and row["party_size"] > 1 and row["date"] > day(2)


def _choose_menu(facts: Facts) -> Solution:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    menus = yield from suitable_menus(guest, reservation, facts)
    sign = -1 if facts.get("which") == "dearest" else 1
    menu = yield choose(menus, key=lambda menu: sign * menu["price_per_head"])
    price = shown(menu["price_per_head"])
    if menu["price_per_head"] > facts.get("limit", float("inf")):
        return told(f"I ordered no menu: {menu['name']} costs {price} a head.", price)
    chosen = yield do("choose_set_menu", reservation_id=facts["reservation"], set_menu_id=menu["set_menu_id"])
    total = shown(chosen["menu_total"])
    return told(f"{menu['name']} is ordered for your party; it comes to {total} in all.", total)


def _menu_limit(world: World, rng: Random, facts: Facts) -> Facts:
    house_id = known(world, "reservations", facts["reservation"])["restaurant_id"]
    prices = [row["price_per_head"] for row in world.rows("set_menus") if row["restaurant_id"] == house_id]
    return {"limit": line_at(rng, pick(rng, prices))}


CHOOSE_MENU = WORDS.program(
    "choose_menu",
    with_allergies(a_reservation(_unserved)),
    _choose_menu,
    (
        WORDS.twist(
            "a menu of a diet",
            "constraint",
            draw=lambda world, rng, facts: {"diet": rng.choice(("vegan", "vegetarian", "vegetarian"))},
        ),
        WORDS.twist("a menu up to a price", "condition", draw=_menu_limit),
        WORDS.twist("the dearest menu", "change_of_mind", sets={"which": "dearest"}),
    ),
    again="reservation",
)


def _draw_allergy(world: World, rng: Random) -> Facts:
    reservation = pick(rng, [row for row in upcoming(world) if _unserved(world, row)])
    guest = known(world, "guests", reservation["guest_id"])
    common = ("celery", "crustaceans", "fish", "mustard", "nuts", "peanuts", "sesame")
    return {
        "guest_id": reservation["guest_id"],
        "reservation": reservation["reservation_id"],
        "allergen": pick(rng, [each for each in common if each not in guest["allergies"]]),
    }


def _new_allergy(facts: Facts) -> Solution:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    guest = yield do("note_allergy", guest_id=facts["guest_id"], allergen=facts["allergen"])
    menus = yield from suitable_menus(guest, reservation, facts)
    if not menus:
        house = yield do("get_restaurant", restaurant_id=reservation["restaurant_id"])
        return told(f"It is noted. No set menu suits you; please call the house: {house['phone']}.", house["phone"])
    menu = yield choose(menus, key=lambda menu: menu["price_per_head"])
    chosen = yield do("choose_set_menu", reservation_id=facts["reservation"], set_menu_id=menu["set_menu_id"])
    total = shown(chosen["menu_total"])
    return told(f"It is noted, and {menu['name']} is ordered: {total} in all.", total)


NEW_ALLERGY = WORDS.program(
    "new_allergy", _draw_allergy, _new_allergy, (WORDS.twist("a menu of a diet, too", "constraint", draw=some_diet),)
)

PROGRAMS = (CHOOSE_MENU, NEW_ALLERGY)
