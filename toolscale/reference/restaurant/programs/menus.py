"""Requests for set menus with a reservation."""

from random import Random

from toolscale.reference.program import Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.draws import (
    LOST_UMBRELLA,
    Steps,
    some_diet,
    some_limit,
    upcoming,
)


def _suitable_menus(guest: Record, reservation: Record, facts: Facts) -> Steps:
    """Step: the house's set menus that are for such a party and free of what the guest cannot eat."""
    menus = yield do("list_set_menus", restaurant_id=reservation["restaurant_id"])
    return [
        menu
        for menu in menus
        if menu["smallest_party"] <= reservation["party_size"]
        and not set(menu["allergens"]) & {*guest["allergies"], facts.get("allergen")}
        and (facts.get("diet") is None or facts["diet"] in menu["suits"])
    ]


def _draw_menu(world: World, rng: Random) -> Facts:
    reservation = pick(rng, [row for row in upcoming(world) if not row["set_menu_id"] and row["party_size"] > 1])
    return {"guest_id": reservation["guest_id"], "reservation": reservation["reservation_id"]}


def _choose_menu(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    menus = yield from _suitable_menus(guest, reservation, facts)
    sign = -1 if facts.get("which") == "dearest" else 1
    menu = yield choose(menus, key=lambda menu: sign * menu["price_per_head"])
    price = f"{menu['price_per_head']:.2f}"
    if menu["price_per_head"] > facts.get("limit", float("inf")):
        return Reply(f"I ordered no menu: {menu['name']} costs {price} a head.", (price,))
    chosen = yield do("choose_set_menu", reservation_id=facts["reservation"], set_menu_id=menu["set_menu_id"])
    total = f"{chosen['menu_total']:.2f}"
    return Reply(f"{menu['name']} is ordered for your party; it comes to {total} in all.", (total,))


CHOOSE_MENU = Program(
    name="choose_menu",
    intent="Order the cheapest set menu that the guest can eat with a reservation",
    voices={
        "plain": "For {reservation} we want a set menu: the cheapest one that goes with the allergies on my profile. "
        "What will it come to for all of us?",
        "terse": "{reservation}: add cheapest set menu ok w/ my allergies. total?",
        "chatty": "We would love not to have to choose on the evening, so order the least expensive set menu I can "
        "safely eat for everybody at {reservation}, and what will that be altogether?",
        "formal": "Please order for {reservation} the least expensive set menu compatible with my recorded allergies, "
        "and state the total.",
        "hurried": "Set menu for {reservation}, cheapest that will not kill me, total please.",
    },
    draw=_draw_menu,
    policy=_choose_menu,
    unknown="I do not know what set menus there are.",
    twists=(
        Twist(
            name="menu_diet",
            operator="constraint",
            voices={
                "plain": "Every course of it has to be {diet}.",
                "terse": "menu must be {diet}.",
                "chatty": "Oh, and half of our table eats {diet}, so all of the menu should be that.",
            },
            draw=lambda world, rng, facts: {"diet": rng.choice(("vegan", "vegetarian", "vegetarian"))},
        ),
        Twist(
            name="menu_limit",
            operator="condition",
            voices={
                "plain": "If that menu costs more than {limit:money} a head, order none and tell me its price.",
                "terse": "max {limit:money} a head, else no menu, just its price.",
                "chatty": "If it is more than {limit:money} for each of us, then let us choose on the evening, and "
                "just tell me the price.",
            },
            draw=some_limit(22, 48),
        ),
        Twist(
            name="dearest_menu",
            operator="change_of_mind",
            voices={
                "plain": "No, let us celebrate: take the dearest that I can eat.",
                "terse": "rather the most expensive one that fits.",
                "chatty": "Ah, what the heck, it is her birthday, so make it the priciest one I can safely eat!",
            },
            sets={"which": "dearest"},
        ),
    ),
)


def _draw_allergy(world: World, rng: Random) -> Facts:
    reservation = pick(rng, upcoming(world))
    guest = world.get("guests", reservation["guest_id"])
    known = guest["allergies"] if guest else []
    allergen = pick(rng, [each for each in ("celery", "gluten", "milk", "mustard", "nuts") if each not in known])
    return {
        "guest_id": reservation["guest_id"],
        "reservation": reservation["reservation_id"],
        "allergen": allergen,
    }


def _new_allergy(facts: Facts) -> Policy:
    guest = yield do("note_allergy", guest_id=facts["guest_id"], allergen=facts["allergen"])
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    menus = yield from _suitable_menus(guest, reservation, facts)
    if not menus:
        rules = yield do("get_restaurant", restaurant_id=reservation["restaurant_id"])
        return Reply(f"It is noted. No set menu suits you; please call the house: {rules['phone']}.", (rules["phone"],))
    menu = yield choose(menus, key=lambda menu: menu["price_per_head"])
    chosen = yield do("choose_set_menu", reservation_id=facts["reservation"], set_menu_id=menu["set_menu_id"])
    total = f"{chosen['menu_total']:.2f}"
    return Reply(f"It is noted, and {menu['name']} is ordered: {total} in all.", (total,))


NEW_ALLERGY = Program(
    name="new_allergy",
    intent="Have a new allergy noted and a set menu ordered that respects it",
    voices={
        "plain": "I have become allergic to {allergen}. Please note that, then give {reservation} the cheapest set "
        "menu that I can still eat and tell me the total; if there is none, I need the house's phone number.",
        "terse": "new allergy: {allergen}. note it; {reservation}: cheapest safe set menu + total, none -> phone no.",
        "chatty": "My doctor says that from now on {allergen} is poison to me, so write that down, would you, and then "
        "find us the cheapest set menu for {reservation} that I survive, with the total, or else the number to call.",
        "formal": "Kindly record an allergy to {allergen} and order for {reservation} the least expensive set menu "
        "remaining suitable, stating the total or, failing such a menu, the telephone number of the house.",
        "non_native": "Now I have allergy for {allergen}, please write it, and for {reservation} take the most cheap "
        "set menu that is good for me, how much all together? If no menu, give me phone of restaurant.",
    },
    draw=_draw_allergy,
    policy=_new_allergy,
    twists=(
        LOST_UMBRELLA,
        Twist(
            name="allergy_and_diet",
            operator="constraint",
            voices={
                "plain": "Since last month I also want my set menus to be {diet}.",
                "terse": "set menu also has to be {diet}.",
                "chatty": "And my daughter has talked me into eating {diet}, so that goes for the set menu as well.",
            },
            draw=some_diet,
        ),
    ),
)

PROGRAMS = (
    CHOOSE_MENU,
    NEW_ALLERGY,
)
