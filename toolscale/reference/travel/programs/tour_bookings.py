"""Programs about booked tours: paying, moving and cancelling them."""

from random import Random

from toolscale.reference.kit import known, must, one_of
from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import AS_VOUCHER, AT_LEAST, a_tour_booking
from toolscale.reference.words import words

WORDS = words(__file__)


def _pay(facts: Facts) -> Solution:
    booking = yield do("get_tour_booking", tour_booking_id=facts["tour_booking_id"])
    must(booking["status"] == "reserved", "it is paid")
    voucher = None
    if facts.get("with_voucher"):
        account = yield do("get_traveller", traveller_id=facts["traveller_id"])
        chosen = yield choose(account["open_vouchers"], key=lambda each: each["valid_until"])
        voucher = chosen["voucher_id"]
    if booking["balance"] > facts.get("most_now", booking["balance"]):
        balance = shown(booking["balance"])
        return Reply(f"I left it: {balance} EUR are still to be paid.", (balance,))
    done = yield do("pay_tour_balance", tour_booking_id=facts["tour_booking_id"], voucher_id=voucher)
    charged, title = shown(done["charged_to_card"]), booking["title"]
    return Reply(f"{title} is paid; {charged} EUR went to your card.", (charged,))


PAY = WORDS.program(
    "pay_tour_balance",
    a_tour_booking(lambda booking, start: booking["status"] == "reserved" and start > NOW[:10]),
    _pay,
    (
        WORDS.twist("with a voucher", "constraint", sets={"with_voucher": True}),
        WORDS.twist("a limit on the balance", "condition", draw=one_of("most_now", 900.0, 1600.0, 2600.0, 4200.0)),
    ),
    again="tour_booking_id",
)


def _move(facts: Facts) -> Solution:
    booking = yield do("get_tour_booking", tour_booking_id=facts["tour_booking_id"])
    found = yield do(
        "search_tours",
        earliest=facts["earliest"],
        latest=facts["latest"],
        destination_code=booking["destination_code"],
    )
    others = [
        each
        for each in found
        if each["tour_id"] == booking["tour_id"]
        and each["departure_id"] != booking["departure_id"]
        and each["places_left"] >= booking["travellers"]
    ]
    departure = yield choose(others, key=lambda each: each["start_date"])
    done = yield do("move_tour", tour_booking_id=facts["tour_booking_id"], new_departure_id=departure["departure_id"])
    start, more = done["start_date"], shown(done["difference"])
    return Reply(f"{booking['title']} starts on {start} for you now; the price differs by {more} EUR.", (start, more))


def _draw_move(world: World, rng: Random) -> Facts:
    facts = a_tour_booking(lambda booking, start: start >= day(30))(world, rng)
    booked = known(world, "departures", known(world, "tour_bookings", facts["tour_booking_id"])["departure_id"])
    if booked["start_date"] < day(57):
        return {**facts, "earliest": day(rng.randint(56, 58)), "latest": day(rng.randint(95, 108))}
    return {**facts, "earliest": day(rng.randint(31, 33)), "latest": day(rng.randint(50, 58))}


MOVE = WORDS.program("move_tour", _draw_move, _move)


def _cancel(facts: Facts) -> Solution:
    booking = yield do("get_tour_booking", tour_booking_id=facts["tour_booking_id"])
    if booking["fee"] is None:
        raise DeadEnd("it is too late")
    back, fee = shown(booking["refund_now"]), shown(booking["fee"])
    if booking["refund_now"] < facts.get("least", 0):
        return Reply(f"{booking['title']} stays booked: only {back} EUR would come back.", (back,))
    done = yield do("cancel_tour", tour_booking_id=facts["tour_booking_id"], refund_to=facts.get("refund_to", "card"))
    voucher = f" Your voucher is {done['voucher_id']}." if done["voucher_id"] else ""
    text = f"{booking['title']} is cancelled for a fee of {fee} EUR; {back} EUR come back.{voucher}"
    return Reply(text, tuple(amount for amount in (fee, back) if amount != "0.00"))


CANCEL_TOUR = WORDS.program(
    "cancel_tour",
    a_tour_booking(lambda booking, start: start >= day(7)),
    _cancel,
    (AS_VOUCHER, AT_LEAST),
    again="tour_booking_id",
)

TOUR_BOOKINGS = (PAY, MOVE, CANCEL_TOUR)
