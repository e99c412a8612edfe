"""Programs about bookings on hold: paying the one that lapses first, a certain one, or all of them."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do
from toolscale.reference.railway.programs.common import (
    TRAINSET,
    a_booking,
    a_limit_by_booking,
    clock,
    closing,
    money,
    several,
)
from toolscale.reference.sums import limit_near


def _draw_holder(world: World, rng: Random) -> Facts:
    return {"passenger_id": a_booking(world, rng, "held")["passenger_id"]}


def _limit_on_first(world: World, rng: Random, facts: Facts) -> Facts:
    held = [each for each in world.rows("bookings") if each["status"] == "held"]
    own = sorted((each for each in held if each["passenger_id"] == facts["passenger_id"]), key=_lapses)
    if not own:
        raise DeadEnd("nothing is on hold")
    return {"max_price": limit_near(rng, own[0]["price_total"], (0.8, 1.15, 1.3, 1.6))}


def _lapses(booking: Facts) -> str:
    return str(booking["hold_until"])


def _settle(facts: Facts) -> Policy:
    held = yield do("list_bookings", passenger_id=facts["passenger_id"], status="held")
    first = yield choose(held, key=lambda each: each["hold_until"])
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    vouchers = passenger["open_vouchers"]
    if facts.get("largest_voucher"):
        voucher = yield choose(several(vouchers), key=lambda each: -each["amount"])
    else:
        voucher = yield choose(vouchers, key=lambda each: each["valid_until"])
    booking = yield do("get_booking", booking_id=first["booking_id"])
    if "max_price" in facts and booking["price_total"] > facts["max_price"]:
        price = f"{booking['price_total']:.2f}"
        text = f"I have not paid {first['booking_id']}: it costs {price} EUR."
        return (yield from closing(facts, text, (price,), first["service_id"]))
    method = facts.get("method", "card")
    paid = yield do("pay_held_booking", booking_id=first["booking_id"], method=method, voucher_id=voucher["voucher_id"])
    rest = f"{paid['paid_by_method']:.2f}"
    text = f"{first['booking_id']} is paid with voucher {voucher['voucher_id']}, and {rest} EUR by card."
    tell = money(paid["paid_by_method"], first["booking_id"])
    return (yield from closing(facts, text, tell, first["service_id"]))


SETTLE = Program(
    "pay_held",
    "Pay the held booking that lapses first, with a voucher before it expires",
    {
        "plain": "[Please pay|I want to pay] the held booking of mine that lapses first. Use the voucher that expires "
        "soonest and my card for the rest. [Which booking was it, and how much was the rest?|Tell me its number and "
        "how much went on the card.]",
        "terse": "pay my held booking (earliest deadline), soonest-expiring voucher first, rest by card. booking no. "
        "+ rest?",
        "chatty": "I have a booking on hold, the most urgent one if there are several, and some voucher that is about "
        "to expire, so use that up for it and put the rest on my card! Then tell me which booking it was and how much "
        "the rest came to.",
        "formal": "I request settlement of my held booking with the nearest deadline, applying the voucher closest to "
        "expiry, with the remainder charged to my card; please state the booking and the remainder.",
        "hurried": "Pay what I have on hold before it lapses, first-expiring voucher, rest card, tell me booking and "
        "rest!",
        "non_native": "I have reservation in hold not paid, the first which finishes; pay it with voucher which "
        "expires first, the other money from card. Which booking is, and how much from card?",
    },
    _draw_holder,
    _settle,
    (
        Twist(
            "the largest voucher",
            "change_of_mind",
            {
                "plain": "Actually, take the voucher with the largest amount instead.",
                "terse": "no, biggest voucher instead.",
                "chatty": "Hmm, now that I think of it, use my biggest voucher rather than the one about to expire!",
                "formal": "On reflection, the voucher of the highest value is to be applied instead.",
            },
            sets={"largest_voucher": True},
        ),
        Twist(
            "the rest by points",
            "change_of_mind",
            {
                "plain": "Wait, not my card: pay the rest with my points.",
                "terse": "rest by points, not card.",
                "chatty": "Oh no, my card is maxed out, so let my points cover the rest!",
                "formal": "Contrary to the above, please charge the remainder to my points.",
            },
            sets={"method": "points"},
        ),
        Twist(
            "a limit on the held price",
            "condition",
            {
                "plain": "Pay that booking only if it costs no more than {max_price:money} EUR in total, or else tell "
                "me its price and leave it.",
                "terse": "pay only if that booking costs max {max_price:money} EUR, else leave it and tell me the "
                "price.",
                "formal": "That booking is to be paid only where its price does not exceed {max_price:money} EUR; "
                "otherwise state the price.",
            },
            draw=_limit_on_first,
        ),
    ),
    unknown="I do not remember the booking's number or the voucher's.",
)


def _pay_given(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    leaves, price = clock(booking["departure"]), f"{booking['price_total']:.2f}"
    if booking["price_total"] > facts.get("max_price", booking["price_total"]):
        text = f"I have not paid {facts['booking_id']}: it costs {price} EUR."
        return (yield from closing(facts, text, (price,), booking["service_id"]))
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    voucher = yield choose(passenger["open_vouchers"], key=lambda each: -each["amount"])
    paid = yield do(
        "pay_held_booking",
        booking_id=facts["booking_id"],
        method=facts.get("method", "card"),
        voucher_id=voucher["voucher_id"],
    )
    rest = f"{paid['paid_by_method']:.2f}"
    text = f"{facts['booking_id']} is paid, {rest} EUR of it beside {voucher['voucher_id']}; you leave at {leaves}."
    tell = money(paid["paid_by_method"], leaves, voucher["voucher_id"])
    return (yield from closing(facts, text, tell, booking["service_id"]))


PAY_GIVEN = Program(
    "pay_held_with_voucher",
    "Pay a certain held booking with the largest voucher and the rest by card",
    {
        "plain": "[I have made up my mind|We have decided to go], so please pay for {booking_id}: my voucher with the "
        "largest amount first, the rest by card. [When does the train leave, which voucher was it, and how much was "
        "the rest?|Tell me the voucher, the rest that I paid and the time of departure.]",
        "terse": "pay {booking_id} w/ my largest voucher, rest by card. voucher no., rest, departure?",
        "chatty": "We are [really|finally] going! Please pay for {booking_id}, take my biggest voucher for it and my "
        "card for what is left, and tell me which voucher that was, how much was left, and when the train leaves.",
        "formal": "Kindly settle {booking_id} by means of the voucher of mine that has the highest value, the "
        "remainder being charged to my card, and state the voucher, that remainder and the time of departure.",
        "hurried": "Pay {booking_id} now, my biggest voucher and card for the rest! Which voucher, how much rest, "
        "what departure?",
        "non_native": "Please pay for me {booking_id} with the voucher of most value and the other money from card; "
        "which voucher, how much from card, and when goes the train?",
    },
    lambda world, rng: a_booking(world, rng, "held"),
    _pay_given,
    (
        Twist(
            "points for the rest",
            "change_of_mind",
            {
                "plain": "On second thoughts, take the rest from my points and leave my card alone.",
                "terse": "rest from points, not from card.",
                "chatty": "Oh wait, I have all these points, so let those pay what the voucher does not!",
                "formal": "I would, after all, have the remainder deducted from my points.",
            },
            sets={"method": "points"},
        ),
        Twist(
            "a limit on its price",
            "condition",
            {
                "plain": "If the journey costs more than {max_price:money} EUR in all, do not pay it and tell me the "
                "price.",
                "terse": "but don't pay if the trip costs over {max_price:money} EUR in all, then just the price.",
                "chatty": "If the whole journey is more than {max_price:money} EUR, though, do not pay it, just let "
                "me know the price!",
                "formal": "No payment is to be made if the full price of the journey exceeds {max_price:money} EUR; "
                "in that case I only ask for the price.",
            },
            draw=a_limit_by_booking(1.0),
        ),
        TRAINSET,
    ),
)


def _pay_all(facts: Facts) -> Policy:
    held = yield do("list_bookings", passenger_id=facts["passenger_id"], status="held")
    if len(held) < 2:
        raise DeadEnd("there are not several on hold")
    texts: list[str] = []
    tell: tuple[str, ...] = ()
    for each in held:
        paid = yield do("pay_held_booking", booking_id=each["booking_id"], method="card")
        price = f"{paid['price']:.2f}"
        texts.append(f"{each['booking_id']} is paid, {price} EUR.")
        tell += (each["booking_id"], price)
    return (yield from closing(facts, " ".join(texts), tell))


PAY_ALL = Program(
    "pay_all_held",
    "Pay every booking that is on hold",
    {
        "plain": "[Please pay|I want to pay|Pay] everything that I have on hold, by card and without vouchers. [Which "
        "bookings were they, and what did each cost?|Tell me the numbers and the price of each.]",
        "terse": "pay all my held bookings by card, no vouchers. numbers + prices?",
        "chatty": "[I am done dithering|We are going on all of them], so pay every booking I have on hold by card, "
        "and leave my vouchers be! Which ones were they, and how much was each?",
        "formal": "All of my bookings on hold are to be paid by card, without recourse to vouchers; kindly list them "
        "with their prices.",
        "non_native": "What I have on hold, please pay all by card, not with vouchers; say me which bookings and how "
        "much is each.",
        "confused": "I put some trips on hold, I forget how many, so pay all of them by card and no vouchers please, "
        "and tell me which they were and what each cost.",
    },
    _draw_holder,
    _pay_all,
    unknown="[I do not have the numbers here.|I lost the mails with the numbers.]",
)


HELD = (SETTLE, PAY_GIVEN, PAY_ALL)
