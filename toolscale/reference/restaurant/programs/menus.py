"""Requests for set menus with a reservation."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Policy, Program, Record, Steps, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    a_reservation,
    known,
    line_at,
    says,
    some_diet,
    told,
    upcoming,
    with_allergies,
)
from toolscale.reference.sums import shown


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


def _choose_menu(facts: Facts) -> Policy:
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


CHOOSE_MENU = Program(
    "choose_menu",
    "Order the cheapest set menu that the guest can eat with a reservation",
    says(
        "For {reservation} we want a set menu: the cheapest one that goes with the allergies on my profile. What will "
        "it come to for all of us?",
        "for {reservation}: add cheapest set menu ok w/ my allergies. total for all?",
        "We would love not to have to choose on the evening, so order the least expensive set menu I can safely eat "
        "with my allergies, for everybody at {reservation}, and what will that be altogether?",
        "Please order for {reservation} the least expensive set menu compatible with my recorded allergies, and state "
        "the total for the party.",
        "Set menu for {reservation}, cheapest that goes with my allergies, total for us all please.",
        "For {reservation} I want menu with fixed price, the most cheap without my allergies, how much for all the "
        "persons?",
    ),
    with_allergies(a_reservation(_unserved)),
    _choose_menu,
    (
        Twist(
            "a menu of a diet",
            "constraint",
            {
                "plain": "Every course of [it|the menu] has to be {diet}.",
                "terse": "menu must be {diet}.",
                "chatty": "Oh, and half of our table eats {diet}, so all of the menu should be that.",
                "formal": "All courses of the menu must be {diet}.",
            },
            draw=lambda world, rng, facts: {"diet": rng.choice(("vegan", "vegetarian", "vegetarian"))},
        ),
        Twist(
            "a menu up to a price",
            "condition",
            {
                "plain": "If that menu costs more than {limit:money} a head, order none and tell me its price a head.",
                "terse": "max {limit:money} a head, else no menu, just its price a head.",
                "chatty": "If it is more than {limit:money} for each of us, then let us choose on the evening, and "
                "just tell me the price a head.",
                "formal": "Should that menu exceed {limit:money} per person, please order none and state its price per "
                "person.",
            },
            draw=_menu_limit,
        ),
        Twist(
            "the dearest menu",
            "change_of_mind",
            {
                "plain": "No, let us celebrate: take the dearest menu that I can eat.",
                "terse": "rather the most expensive one that fits.",
                "chatty": "Ah, what the heck, it is her birthday, so make it the priciest one I can safely eat!",
                "formal": "On reflection, the most expensive menu compatible with my allergies is preferred.",
            },
            sets={"which": "dearest"},
        ),
    ),
    "I do not know what set menus there are.",
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


def _new_allergy(facts: Facts) -> Policy:
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


NEW_ALLERGY = Program(
    "new_allergy",
    "Have a new allergy noted and a set menu ordered that respects it",
    says(
        "I have become allergic to {allergen}. Please note that, then order the cheapest set menu that I can still eat "
        "for {reservation} and tell me the total; if there is none, I need the house's phone number.",
        "new allergy: {allergen}. note it; for {reservation} cheapest safe set menu + total, none -> phone no. of "
        "house.",
        "My doctor says that from now on {allergen} is poison to me, so write that down, would you, and then find us "
        "the cheapest set menu for {reservation} that I survive, with the total, or else the number to call there.",
        "Kindly record an allergy to {allergen} and order for {reservation} the least expensive set menu remaining "
        "suitable, stating the total or, failing such a menu, the telephone number of the house.",
        "Now allergic to {allergen}, note it! Then cheapest safe set menu for {reservation}, total, or the phone "
        "number there if there is none.",
        "Now I have allergy for {allergen}, please write it, and for {reservation} take the most cheap set menu that "
        "is good for me, how much all together? If no menu, give me phone of restaurant.",
    ),
    _draw_allergy,
    _new_allergy,
    (
        Twist(
            "a menu of a diet, too",
            "constraint",
            {
                "plain": "Since last month I also want my set menus to be {diet}.",
                "terse": "set menu also has to be {diet}.",
                "chatty": "And my sister has talked me into eating {diet}, so that goes for the set menu as well.",
                "formal": "The set menu should moreover be {diet}.",
            },
            draw=some_diet,
        ),
    ),
)

PROGRAMS = (CHOOSE_MENU, NEW_ALLERGY)
