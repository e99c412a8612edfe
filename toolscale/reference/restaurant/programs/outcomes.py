"""Figures that guests want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.program import OUTCOME, DeadEnd, Facts, Policy, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import says, told
from toolscale.reference.restaurant.programs.menus import suitable_menus
from toolscale.reference.sums import shown

FIGURES = (
    Figure(("return_tickets",), "refund", "the refund", "the refunds", summed=False),
    Figure(("buy_tickets",), "paid", "the price of the seats", "the prices of the seats", summed=False),
    Figure(("choose_set_menu",), "menu_total", "the price of the menus", "the prices of the menus", summed=False),
    Figure(
        ("place_order",), "subtotal", "the menu price of the order", "the menu prices of the orders", suits="order_"
    ),
)


def _menu(facts: Facts) -> Policy:
    reservation = facts[OUTCOME]
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    if not guest["allergies"]:
        raise DeadEnd("the guest can eat everything")
    menus = yield from suitable_menus(guest, reservation, {})
    menu = yield choose(menus, key=lambda each: each["price_per_head"])
    done = yield do("choose_set_menu", reservation_id=reservation["reservation_id"], set_menu_id=menu["set_menu_id"])
    total = shown(done["menu_total"])
    return told(f"{menu['name']} is ordered; it comes to {total} for your party.", total)


MENU = Twist(
    "a set menu for the new table",
    "dependent",
    says(
        "[Once we have the table,|With the new reservation] also order the cheapest set menu that goes with the "
        "allergies on my profile. What does it come to for all of us?",
        "add cheapest set menu ok w/ my allergies to that new reservation. total for all?",
        "And [nobody wants to study the card|choosing always takes us forever], so for the new table order the "
        "cheapest set menu I can eat with my allergies! What is that for everybody?",
        "For the reservation so made, kindly also order the least expensive set menu compatible with my recorded "
        "allergies, and state the total for the party.",
        non_native="For this new table I want also menu with fixed price, the most cheap without my allergies; how "
        "much for all the persons?",
    ),
    suits=r"book_(?!or)",
    after=_menu,
    takes=("book_table",),
)


def _draw_voucher(world: World, rng: Random, facts: Facts) -> Facts:
    mine = [
        each["voucher_id"]
        for each in world.rows("vouchers")
        if each["status"] == "active" and each["guest_id"] == facts["guest_id"] and each["smallest_order"] <= 20
    ]
    return {"my_voucher": pick(rng, mine)}


def _redeem(facts: Facts) -> Policy:
    done = yield do("redeem_voucher", voucher_id=facts["my_voucher"], order_id=facts[OUTCOME]["order_id"])
    total = shown(done["total"])
    return told(f"With the voucher the order comes to {total} {done['currency']}.", total)


REDEEM = Twist(
    "a voucher on the new order",
    "dependent",
    says(
        "When it is placed, redeem my voucher {my_voucher} on that order. What is left to pay?",
        "redeem {my_voucher} on that new order. left to pay?",
        "And before it runs out, use my voucher {my_voucher} on the new order, so how much is left for me?",
        "Upon placing it, please redeem voucher {my_voucher} on that order and state the remaining total.",
    ),
    draw=_draw_voucher,
    suits="order_",
    after=_redeem,
    takes=("place_order",),
)

OUTCOMES = (*computed(*FIGURES), MENU, REDEEM)
