"""Programs that give a booking up for money, or complain about what one got for it."""

from random import Random

from toolscale.reference.entertainment.programs.common import UNTOUCHED, a_booking, a_holder, bookings_in, hours_ahead
from toolscale.reference.entertainment.schema import PROBLEMS
from toolscale.reference.kit import known, latest_first, must
from toolscale.reference.program import Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.words import words

WORDS = words(__file__)


def refundable(booking: Record, performance: Record, venue: Record) -> bool:
    """Giving it up brings money back today."""
    return bool(performance["status"] != "scheduled" or venue["kind"] == "cinema" or booking["protection_cost"])


def resalable(booking: Record, performance: Record, venue: Record) -> bool:
    """A stage booking more than a day ahead."""
    return bool(venue["kind"] != "cinema" and performance["status"] == "scheduled" and hours_ahead(performance) > 25)


AS_GIFT_CARD = WORDS.twist("the refund as a gift card", "change_of_mind", sets={"refund_to": "gift_card"})


def _least(world: World, rng: Random, facts: Facts) -> Facts:
    booking = known(world, "bookings", facts["booking_id"])
    return {"least": limit_near(rng, booking["total"], (0.4, 0.6, 0.7, 1.2))}


AT_LEAST = WORDS.twist("a least refund", "condition", _least)


def give_up(facts: Facts, quote: Record) -> Solution:
    """The solution of every cancellation, once its refund is quoted."""
    booking_id, back, currency = quote["booking_id"], shown(quote["refund"]), quote["currency"]
    must(quote["refund"], "it brings nothing back")
    if quote["refund"] < facts.get("least", 0):
        return Reply(f"{booking_id} stays: only {back} {currency} would come back.", (back,))
    yield do("cancel_booking", booking_id=booking_id, refund_to=facts.get("refund_to", "original_payment"))
    return Reply(f"{booking_id} is cancelled, {back} {currency} come back.", (back,))


def _cancel(facts: Facts) -> Solution:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    return (yield from give_up(facts, quote))


CANCEL = WORDS.program(
    "cancel_booking", a_booking(refundable), _cancel, (AS_GIFT_CARD, AT_LEAST, UNTOUCHED), again="booking_id"
)


def _called_off(facts: Facts) -> Solution:
    bookings = yield do("list_bookings", member_id=facts["member_id"])
    off = [each for each in bookings if each["performance_status"] in ("cancelled", "postponed")]
    must(off, "nothing was called off")
    quotes: list[Record] = []
    for each in off:
        quotes.append((yield do("quote_refund", booking_id=each["booking_id"])))
    for quote in quotes:
        yield do("cancel_booking", booking_id=quote["booking_id"], refund_to=facts.get("refund_to", "original_payment"))
    parts = [f"{quote['booking_id']}: {shown(quote['refund'])} {quote['currency']}" for quote in quotes]
    told = (told for quote in quotes for told in (quote["booking_id"], shown(quote["refund"])))
    return Reply(f"Cancelled and refunded: {'; '.join(parts)}.", tuple(told))


CALLED_OFF = WORDS.program(
    "refund_called_off",
    a_holder(lambda b, p, v: p["status"] in ("cancelled", "postponed")),
    _called_off,
    (AS_GIFT_CARD,),
)


def _best_refund(facts: Facts) -> Solution:
    bookings = yield do("list_bookings", member_id=facts["member_id"])
    must(len(bookings) >= 2, "nothing to compare")
    quotes: list[Record] = []
    for each in bookings:
        quotes.append((yield do("quote_refund", booking_id=each["booking_id"])))
    must(len({quote["currency"] for quote in quotes}) <= 1, "the refunds are in different currencies")
    best = yield choose(quotes, key=lambda quote: -quote["refund"])
    reply = yield from give_up(facts, best)
    return Reply(reply.text, (best["booking_id"], *reply.tell))


CANCEL_BEST = WORDS.program("cancel_highest_refund", a_holder(refundable), _best_refund, (AS_GIFT_CARD,))


def _draw_complaint(world: World, rng: Random) -> Facts:
    used = bookings_in(world, lambda b, p, v: hours_ahead(p) > -14 * 24 + 2, "used")
    complained = {row["booking_id"] for row in world.rows("complaints")}
    booking = pick(rng, [row for row in used if row["booking_id"] not in complained])
    return {"member_id": booking["member_id"], "problem": rng.choice(PROBLEMS).replace("_", " ")}


def _complain(facts: Facts) -> Solution:
    used = yield do("list_bookings", member_id=facts["member_id"], status="used")
    last = yield choose(used, key=lambda each: latest_first(each["starts_at"]))
    done = yield do("file_complaint", booking_id=last["booking_id"], problem=facts["problem"].replace(" ", "_"))
    goodwill = shown(done["goodwill"])
    text = (
        f"I filed it for {last['booking_id']}; {goodwill} {done['currency']} are on gift card {done['gift_card_id']}."
    )
    return Reply(text, (goodwill, last["booking_id"]))


COMPLAIN = WORDS.program("complain", _draw_complaint, _complain)

CANCELLING = (CANCEL, CALLED_OFF, CANCEL_BEST, COMPLAIN)
