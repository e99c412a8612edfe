"""Figures that guests want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.kit import must, told
from toolscale.reference.program import OUTCOME, Facts, Solution, World, choose, do, pick
from toolscale.reference.restaurant.programs.menus import suitable_menus
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

FIGURES = (
    Figure(("return_tickets",), "refund", "the refund", "the refunds", summed=False),
    Figure(("buy_tickets",), "paid", "the price of the seats", "the prices of the seats", summed=False),
    Figure(("choose_set_menu",), "menu_total", "the price of the menus", "the prices of the menus", summed=False),
    Figure(
        ("place_order",), "subtotal", "the menu price of the order", "the menu prices of the orders", suits="order_"
    ),
)


def _menu(facts: Facts) -> Solution:
    reservation = facts[OUTCOME]
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    must(guest["allergies"], "the guest can eat everything")
    menus = yield from suitable_menus(guest, reservation, {})
    menu = yield choose(menus, key=lambda each: each["price_per_head"])
    done = yield do("choose_set_menu", reservation_id=reservation["reservation_id"], set_menu_id=menu["set_menu_id"])
    total = shown(done["menu_total"])
    return told(f"{menu['name']} is ordered; it comes to {total} for your party.", total)


MENU = WORDS.twist(
    "a set menu for the new table", "dependent", suits=r"book_(?!or)", after=_menu, takes=("book_table",)
)


def _draw_voucher(world: World, rng: Random, facts: Facts) -> Facts:
    mine = [
        each["voucher_id"]
        for each in world.rows("vouchers")
        if each["status"] == "active" and each["guest_id"] == facts["guest_id"] and each["smallest_order"] <= 20
    ]
    return {"my_voucher": pick(rng, mine)}


def _redeem(facts: Facts) -> Solution:
    done = yield do("redeem_voucher", voucher_id=facts["my_voucher"], order_id=facts[OUTCOME]["order_id"])
    total = shown(done["total"])
    return told(f"With the voucher the order comes to {total} {done['currency']}.", total)


REDEEM = WORDS.twist(
    "a voucher on the new order", "dependent", draw=_draw_voucher, suits="order_", after=_redeem, takes=("place_order",)
)

OUTCOMES = (*computed(*FIGURES), MENU, REDEEM)
