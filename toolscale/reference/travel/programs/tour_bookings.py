"""Programs about booked tours: paying, moving and cancelling them."""

from random import Random

from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import (
    AS_VOUCHER,
    AT_LEAST,
    a_tour_booking,
    known,
    one_of,
)


def _pay(facts: Facts) -> Policy:
    booking = yield do("get_tour_booking", tour_booking_id=facts["tour_booking_id"])
    if booking["status"] != "reserved":
        raise DeadEnd("it is paid")
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


PAY = Program(
    "pay_tour_balance",
    "Pay what is still open of a reserved tour",
    {
        "plain": "I would like to pay what is still open for {tour_booking_id}. [How much do you charge to my "
        "card?|Tell me what goes to my card.]",
        "terse": "pay balance of {tour_booking_id}. charged to card?",
        "chatty": "Before I spend it all on presents, let me settle the rest of {tour_booking_id}, and what will you "
        "take from my card?",
        "formal": "I request that the outstanding balance of {tour_booking_id} be settled, and to be informed of the "
        "sum charged to my card.",
        "non_native": "The rest of money for {tour_booking_id} I want to pay it now. How much goes from my card?",
    },
    a_tour_booking(lambda booking, start: booking["status"] == "reserved" and start > NOW[:10]),
    _pay,
    (
        Twist(
            "with a voucher",
            "constraint",
            {
                "plain": "Use one of my vouchers for it, the one that runs out first.",
                "terse": "use my voucher that expires first.",
                "chatty": "And there must be a voucher of mine lying about, use the one that runs out first!",
                "formal": "To this end my voucher with the earliest expiry is to be redeemed.",
            },
            sets={"with_voucher": True},
        ),
        Twist(
            "a limit on the balance",
            "condition",
            {
                "plain": "If more than {most_now:money} EUR is open, do not pay yet and tell me how much it is.",
                "terse": "balance above {most_now:money} EUR: not yet, just tell me.",
                "chatty": "If it is over {most_now:money} EUR I have to wait for my wages, so then only tell me how "
                "much it is!",
                "formal": "Should the balance be greater than {most_now:money} EUR, defer the payment and state it.",
            },
            draw=one_of("most_now", (900.0, 1600.0, 2600.0, 4200.0)),
        ),
    ),
    again="tour_booking_id",
)


def _move(facts: Facts) -> Policy:
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


MOVE = Program(
    "move_tour",
    "Move a booked tour to another departure",
    {
        "plain": "The date of {tour_booking_id} does not suit us any more. Please move us to the first departure of "
        "the same tour between {earliest:date} and {latest:date}. [When does it start, and how much does the price "
        "differ?|Tell me the new start and the difference in price.]",
        "terse": "{tour_booking_id}: move to first departure of that tour between {earliest:date} and {latest:date}. "
        "new start, price difference?",
        "chatty": "[The school has changed its holidays|My boss wants me at my desk], so could {tour_booking_id} be "
        "the next departure between {earliest:date} and {latest:date} instead? When do we start then, and what does "
        "the price do?",
        "formal": "I request the transfer of {tour_booking_id} to the first departure of the same tour between "
        "{earliest:date} and {latest:date}; please confirm its start and the difference in price.",
        "non_native": "The date of {tour_booking_id} not possible for us, please move to first group of same tour "
        "between {earliest:date} and {latest:date}. When begins, and what is difference of price?",
    },
    _draw_move,
    _move,
)


def _cancel(facts: Facts) -> Policy:
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


CANCEL_TOUR = Program(
    "cancel_tour",
    "Cancel a booked tour and learn the fee and what comes back",
    {
        "plain": "Unfortunately I have to cancel {tour_booking_id}. Please do that, refund what is left to my card, "
        "and tell me the fee and the refund.",
        "terse": "cancel {tour_booking_id}, what is left to card. fee + refund?",
        "chatty": "[My doctor will not let me go|We are expecting, so no big trips], so please cancel "
        "{tour_booking_id}! The rest to my card please, and what fee do you keep and what do I get?",
        "formal": "To my regret I must cancel {tour_booking_id}; kindly refund the remainder to my card and itemise "
        "fee and refund.",
        "non_native": "I must cancel {tour_booking_id}, please return the money which rests to my card, and say me "
        "how much is fee and how much returns.",
    },
    a_tour_booking(lambda booking, start: start >= day(7)),
    _cancel,
    (AS_VOUCHER, AT_LEAST),
    again="tour_booking_id",
)

TOUR_BOOKINGS = (PAY, MOVE, CANCEL_TOUR)
