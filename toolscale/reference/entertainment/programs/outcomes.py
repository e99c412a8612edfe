"""Figures that members want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.program import OUTCOME, Facts, Reply, Solution, World, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

FIGURES = (
    Figure(("cancel_booking",), "refund", "the refund", "the refunds"),
    Figure(("book_seats", "buy_resale"), "total", "the price of the tickets", "the prices of the tickets"),
    Figure(("refund_rental",), "price", "the money back", "the sums that come back"),
    Figure(("upgrade_membership",), "charged", "the price of the upgrade", "the prices of the upgrades"),
    Figure(("change_seats",), "surcharge", "the surcharge", "the surcharges", summed=False),
    Figure(("exchange_booking",), "charged", "the charge", "the charges"),
)

ACCESS = {
    "the hearing loop": "hearing_loop",
    "audio description": "audio_description",
    "early admission": "early_admission",
}


def _draw_access(world: World, rng: Random, facts: Facts) -> Facts:
    return {"access": rng.choice(tuple(ACCESS))}


def _arrange(facts: Facts) -> Solution:
    done = yield do("request_access", booking_id=facts[OUTCOME]["booking_id"], kind=ACCESS[facts["access"]])
    number = done["access_id"]
    return Reply(f"Arranged as {number}.", (number,))


ARRANGE = WORDS.twist(
    "access for the new booking",
    "dependent",
    draw=_draw_access,
    suits="b(ook|uy)_(?!or)",
    after=_arrange,
    takes=("book_seats", "buy_resale"),
)


def _draw_card(world: World, rng: Random, facts: Facts) -> Facts:
    member = world.get("members", facts["member_id"])
    mine = [
        each["gift_card_id"]
        for each in world.rows("gift_cards")
        if each["member_id"] == facts["member_id"]
        and each["balance"] > 0
        and each["valid_until"] > "2026-11-23"
        and member is not None
        and each["currency"] == member["currency"]
    ]
    return {"older_card": pick(rng, mine)}


def _merge(facts: Facts) -> Solution:
    done = yield do("merge_gift_cards", from_card=facts[OUTCOME]["gift_card_id"], to_card=facts["older_card"])
    balance = shown(done["balance"])
    return Reply(f"{facts['older_card']} now holds {balance} {done['currency']}.", (balance,))


MERGE = WORDS.twist(
    "the new gift card onto an older one", "dependent", draw=_draw_card, after=_merge, takes=("redeem_points",)
)

OUTCOMES = (*computed(*FIGURES), ARRANGE, MERGE)
