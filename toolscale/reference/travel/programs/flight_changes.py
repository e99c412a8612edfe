"""Programs about booked flights: another day or time, a better cabin, more bags, disruptions."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import (
    AS_VOUCHER,
    Record,
    Step,
    a_flight_booking,
    clock,
    known,
    latest_first,
    one_of,
    runs,
    shifted,
)


def _others(booking: Record, day: str) -> Step:
    """Other flights of a booking's route on a day that have seats for its party."""
    found = yield do(
        "search_flights",
        origin=booking["origin"],
        destination=booking["destination"],
        travel_date=day,
        fare=booking["fare"],
        cabin=booking["cabin"],
        travellers=booking["travellers"],
    )
    return [each for each in found if each["flight_id"] != booking["flight_id"]]


def _moved(facts: Facts, flight_id: str, quote: Record) -> Policy:
    """Move the booking, unless that costs more than the user's limit."""
    total, leaves = shown(quote["total"]), clock(quote["departure"])
    if quote["total"] > facts.get("most", quote["total"]):
        return Reply(f"I changed nothing: {flight_id} at {leaves} would cost {total} EUR more.", (total,))
    yield do("change_flight", booking_id=facts["booking_id"], new_flight_id=flight_id)
    text = f"{facts['booking_id']} is moved to {flight_id}, which leaves at {leaves}, for {total} EUR."
    return Reply(text, (flight_id, leaves, *((total,) if quote["total"] else ())))


MOST = Twist(
    "a limit on the cost of the change",
    "condition",
    {
        "plain": "If the change costs more than {most:money} EUR, leave the booking alone and tell me the amount.",
        "terse": "change max {most:money} EUR, else leave it + tell me the cost.",
        "chatty": "More than {most:money} EUR for a change I will not pay, so then leave it alone and tell me what it "
        "would have been!",
        "formal": "I am prepared to bear charges of up to {most:money} EUR for the change; beyond that, leave the "
        "booking unaltered and state the amount.",
        "confused": "It should not cost me more than {most:money} EUR to change it, otherwise let us not, and tell me "
        "how much they wanted.",
    },
    draw=one_of("most", (20.0, 75.0, 140.0, 180.0, 300.0)),
)


def _movable(booking: Record, flight: Record) -> bool:
    return booking["fare_id"] != "FR-LIGHT" and runs(booking, flight)


def _draw_other_day(world: World, rng: Random) -> Facts:
    facts = a_flight_booking(suits=_movable)(world, rng)
    return {**facts, "date": shifted(_day_of(world, facts), rng.choice((-1, 1)))}


def _day_of(world: World, facts: Facts) -> str:
    booking = known(world, "flight_bookings", facts["booking_id"])
    return str(known(world, "flights", booking["flight_id"])["departure"][:10])


def _other_day(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    flights = yield from _others(booking, facts["date"])
    quotes = []
    for flight in flights:
        quote = yield do("quote_flight_change", booking_id=facts["booking_id"], new_flight_id=flight["flight_id"])
        quotes.append((flight["flight_id"], quote))
    flight_id, quote = yield choose(quotes, key=lambda each: (each[1]["total"], each[1]["departure"]))
    return (yield from _moved(facts, flight_id, quote))


CHANGE_DAY = Program(
    "move_flight_to_another_day",
    "Move a booked flight to another day as cheaply as possible",
    {
        "plain": "Please move {booking_id} to {date:date}, to the flight that makes the change cheapest; if several "
        "cost the same, take the earliest. [Which flight is it, and when does it leave?|Tell me the new flight and "
        "time.]",
        "terse": "{booking_id} to {date:date}, cheapest change, earliest if equal. new flight + time?",
        "chatty": "[The meeting was put off|My mother-in-law stays longer], so could {booking_id} be moved to "
        "{date:date}? The cheapest change you can find, the earlier flight if it is all the same, and when do I leave "
        "then?",
        "formal": "Kindly transfer {booking_id} to {date:date}, choosing the flight with the lowest cost of change "
        "and, among equals, the earliest, and inform me of flight and departure.",
        "non_native": "I must move {booking_id} to {date:date}, please the change of low cost, and the earliest if "
        "same cost. Which flight and what hour?",
        "hurried": "Move {booking_id} to {date:date}, cheapest change, earliest if they cost the same! Which flight, "
        "what time?",
    },
    _draw_other_day,
    _other_day,
    (MOST,),
)


def _last_of_the_day(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    flights = yield from _others(booking, booking["departure"][:10])
    later = [each for each in flights if each["departure"] > booking["departure"]]
    flight = yield choose(later, key=lambda each: latest_first(each["departure"]))
    quote = yield do("quote_flight_change", booking_id=facts["booking_id"], new_flight_id=flight["flight_id"])
    return (yield from _moved(facts, flight["flight_id"], quote))


SAME_DAY = Program(
    "move_flight_to_the_last_of_the_day",
    "Move a booked flight to the last one of the same day",
    {
        "plain": "I cannot make {booking_id} in time. Please move it to the last flight of the same day and tell me "
        "[when that leaves|its number and departure].",
        "terse": "{booking_id}: move to last flight same day. number, departure?",
        "chatty": "[I am stuck in a workshop until noon|The babysitter comes late], so please put {booking_id} on the "
        "last flight of that day, and when would I be leaving then?",
        "formal": "I request that {booking_id} be moved to the final departure of the same day, and to be told its "
        "flight number and time.",
        "non_native": "For {booking_id} please give me the last flight of same day, I have work before. When it goes?",
    },
    a_flight_booking(suits=_movable),
    _last_of_the_day,
    (MOST,),
)


def _upgraded(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["upgrade_price"] is None:
        raise DeadEnd("it cannot be upgraded")
    price = shown(booking["upgrade_price"])
    if booking["upgrade_price"] > facts.get("most_for_it", booking["upgrade_price"]):
        return Reply(f"I left {facts['booking_id']} in economy: business class costs {price} EUR more.", (price,))
    yield do("upgrade_cabin", booking_id=facts["booking_id"], payment=facts["payment"])
    return Reply(f"{facts['booking_id']} is in business class now, for {price} EUR more.", (price,))


def _in_economy(booking: Record, flight: Record) -> bool:
    return bool(
        booking["cabin"] == "economy"
        and booking["fare_id"] != "FR-LIGHT"
        and runs(booking, flight)
        and flight["seats_business"] >= booking["travellers"]
    )


UPGRADE = Program(
    "upgrade_to_business",
    "Upgrade a booked flight to business class",
    {
        "plain": "Please upgrade {booking_id} to business class. I will pay by {payment}. What does the upgrade cost?",
        "terse": "{booking_id}: business class, pay by {payment}. upgrade cost?",
        "chatty": "[It is our anniversary|I turn fifty that day], so business class for {booking_id}, paid by "
        "{payment}! What does that set me back?",
        "formal": "I should like {booking_id} to be raised to business class, payment by {payment}; please state the "
        "price of the upgrade.",
        "hurried": "Business class for {booking_id}, pay by {payment}, how much more is it?",
        "non_native": "I like to sit in business class with {booking_id}, I pay by {payment}. How much is the "
        "difference?",
    },
    a_flight_booking(suits=_in_economy, payment=("card", "card", "points")),
    _upgraded,
    (
        Twist(
            "by card after all",
            "change_of_mind",
            {
                "plain": "Or rather, keep my points out of it and charge the upgrade to my card in any case.",
                "terse": "no, not points: charge it to my card.",
                "chatty": "Ah, let me save those points for Christmas, so take it from the card whatever I said "
                "before!",
                "formal": "In amendment of the above, the upgrade is in any event to be charged to my card.",
            },
            sets={"payment": "card"},
        ),
        Twist(
            "a limit on the upgrade",
            "condition",
            {
                "plain": "Up to {most_for_it:money} EUR is fine; if the upgrade is dearer, stay in economy and tell "
                "me the price.",
                "terse": "only up to {most_for_it:money} EUR, else stay in economy, tell me price.",
                "chatty": "But there is a limit to luxury, and mine is {most_for_it:money} EUR, so above that we stay "
                "in economy and you only tell me the price!",
                "formal": "The upgrade is desired at a price of no more than {most_for_it:money} EUR; otherwise "
                "economy is retained and the price to be reported.",
            },
            draw=one_of("most_for_it", (250.0, 480.0, 900.0, 1600.0, 2800.0)),
        ),
    ),
)


def _bags_added(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    each = shown(booking["extra_bag_fee"])
    if booking["extra_bag_fee"] > facts.get("bag_limit", 1e9):
        return Reply(f"I added no bag: one costs {each} EUR.", (each,))
    done = yield do("add_bags", booking_id=facts["booking_id"], bags=facts["bags"])
    charged = shown(done["charged"])
    return Reply(f"{facts['booking_id']} has more bags now; {charged} EUR were charged.", (charged,))


BAGS = Program(
    "add_checked_bags",
    "Add checked bags to a booked flight",
    {
        "plain": "I need {bags:count} more checked bags on {booking_id}. [They are for my instruments.|We bring "
        "presents for the whole family.|] Please add them and tell me what is charged.",
        "terse": "+{bags:count} checked bags on {booking_id}. charge?",
        "chatty": "You should see my hallway, nothing fits! Could you squeeze {bags:count} more checked bags into "
        "{booking_id}, and what will you charge me for it?",
        "formal": "Kindly add {bags:count} further checked bags to {booking_id} and specify the charge.",
        "non_native": "For {booking_id} I bring {bags:count} bags more than before, to check in; please put it and "
        "say the price.",
    },
    a_flight_booking(suits=runs, bags=(2, 2, 3)),
    _bags_added,
    (
        Twist(
            "a limit on a bag",
            "condition",
            {
                "plain": "If one bag costs more than {bag_limit:money} EUR, add none and tell me the fee.",
                "terse": "fee per bag above {bag_limit:money} EUR? then none, tell me the fee.",
                "chatty": "But if they ask more than {bag_limit:money} EUR for a single bag, I shall wear three coats "
                "instead, so add none and tell me their fee!",
                "formal": "Where the fee for one bag exceeds {bag_limit:money} EUR, none is to be added and the fee "
                "to be communicated.",
            },
            draw=one_of("bag_limit", (33.0, 37.0, 40.0, 44.0, 50.0)),
        ),
    ),
    again="booking_id",
)


def _rebooked(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["flight_status"] != "cancelled":
        raise DeadEnd("the flight runs")
    flights = yield from _others(booking, booking["departure"][:10])
    flights = flights + (yield from _others(booking, facts["date"]))
    flight = yield choose(
        flights, key=lambda each: latest_first(each["arrival"]) if facts.get("latest") else each["arrival"]
    )
    quote = yield do("quote_flight_change", booking_id=facts["booking_id"], new_flight_id=flight["flight_id"])
    if quote["total"]:
        raise DeadEnd("it is not free of charge")
    done = yield from _moved(facts, flight["flight_id"], quote)
    cause = booking["cause"].replace("_", " ")
    return Reply(f"{done.text} The cause of the cancellation was {cause}.", (*done.tell, cause))


def _draw_cancelled(world: World, rng: Random) -> Facts:
    facts = a_flight_booking(suits=lambda booking, flight: flight["status"] == "cancelled")(world, rng)
    return {**facts, "date": shifted(_day_of(world, facts), 1)}


REBOOK = Program(
    "rebook_cancelled_flight",
    "Get another flight for one that the airline has cancelled",
    {
        "plain": "The airline has cancelled {booking_id}. Please put me on another one, on the same day or on "
        "{date:date}, whichever lands first. [Which flight is it, and why was mine cancelled?|Tell me flight, time "
        "and the cause of the cancellation.]",
        "terse": "{booking_id} was cancelled by the airline. rebook: same day or {date:date}, first to land. flight, "
        "time, cause?",
        "chatty": "I nearly dropped my phone, they have cancelled {booking_id}! Find me another one, still that day "
        "or on {date:date}, whichever gets me there first, and what on earth was the cause?",
        "formal": "As {booking_id} has been cancelled by the carrier, please rebook me to the flight landing first, "
        "be it on the same day or on {date:date}, and state its particulars and the cause.",
        "non_native": "The airline has cancelled to me {booking_id}. I need other flight, same day or {date:date}, "
        "which arrives first, and please say the cause.",
    },
    _draw_cancelled,
    _rebooked,
    (
        Twist(
            "the latest after all",
            "change_of_mind",
            {
                "plain": "Actually there is no hurry any more: take the one that lands last instead.",
                "terse": "no rush: the one landing last instead.",
                "chatty": "Oh well, let me enjoy another breakfast at home, so take the one that lands last instead!",
                "formal": "Since the matter is no longer urgent, I prefer the flight landing last instead.",
            },
            sets={"latest": True},
        ),
    ),
)


def _refund_or_arrival(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["flight_status"] != "cancelled":
        lands = clock(booking["expected_arrival"])
        return Reply(f"{facts['booking_id']} is not cancelled; it is expected to land at {lands}.", (lands,))
    cause, refund = booking["cause"].replace("_", " "), shown(booking["refund_now"])
    yield do("cancel_flight", booking_id=facts["booking_id"], refund_to=facts.get("refund_to", "card"))
    return Reply(f"The flight was cancelled ({cause}); {refund} EUR come back.", (refund, cause))


REFUND_IF_CANCELLED = Program(
    "refund_if_cancelled",
    "Give a flight back if the airline has cancelled it, else learn when it lands",
    {
        "plain": "I heard that many flights are cancelled. If that is so for {booking_id}, cancel the booking with "
        "the money back to my card, and tell me the sum and the cause; if not, tell me when it is expected to land.",
        "terse": "is {booking_id} cancelled by the airline? if yes: money back to card, sum + cause. if no: expected "
        "landing time.",
        "chatty": "The radio says half the airport stands still! If {booking_id} is among the cancelled ones, I want "
        "my money back on the card, how much and what was the cause, and if it flies, when will we land?",
        "formal": "Should {booking_id} have been cancelled, please withdraw my booking, reimburse my card and state "
        "sum and cause; should it operate, state the expected time of landing.",
        "confused": "They say that flights are cancelled, is mine, {booking_id}? If so I want the money back on my "
        "card, and how much is it and what was the cause, and if not, when does it land, please?",
    },
    a_flight_booking(suits=lambda booking, flight: flight["status"] != "scheduled"),
    _refund_or_arrival,
    (AS_VOUCHER,),
    again="booking_id",
)

FLIGHT_CHANGES = (CHANGE_DAY, SAME_DAY, UPGRADE, BAGS, REBOOK, REFUND_IF_CANCELLED)
