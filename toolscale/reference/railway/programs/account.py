"""Programs about the account: rail cards, points, what is coming up and what it costs."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    CARD,
    COFFEE,
    FLYING,
    POINTS,
    TRAINSET,
    a_passenger,
    an_account,
    clock,
    closing,
    later_first,
)


def _buy_card(facts: Facts) -> Policy:
    products = yield do("list_card_products", passenger_id=facts["passenger_id"])
    suitable = [
        each
        for each in products
        if each["discount_percent"] >= facts["percent"]
        and (not facts.get("first_class") or each["travel_class"] == "first")
        and (not facts.get("full_year") or each["months"] == 12)
    ]
    product = yield choose(suitable, key=lambda each: each["price"])
    name, price = product["name"], f"{product['price']:.2f}"
    if product["price"] > facts.get("max_price", product["price"]):
        text = f"I bought no card: the cheapest is the {name} at {price} EUR."
        return (yield from closing(facts, text, (price,)))
    card = yield do(
        "buy_rail_card",
        passenger_id=facts["passenger_id"],
        product_id=product["product_id"],
        valid_from=facts["date"],
    )
    text = f"You have a {name} ({card['card_id']}) for {price} EUR, valid until {card['valid_until']}."
    return (yield from closing(facts, text, (name, price)))


def _draw_card(world: World, rng: Random) -> Facts:
    days = [f"2026-11-{day}" for day in (24, 26, 28, 30)] + [f"2026-12-{day:02d}" for day in (1, 4, 10, 15, 21)]
    return {
        "passenger_id": a_passenger(world, rng),
        "percent": rng.choice((20, 25, 30, 40, 50)),
        "date": rng.choice(days),
    }


BUY_CARD = Program(
    "buy_rail_card",
    "Buy the cheapest rail card that gives a certain discount",
    {
        "plain": "Please sell me the cheapest rail card with at least {percent:int} percent discount that I am "
        "entitled to, valid from {date:date}. Which card is it and what does it cost?",
        "terse": "rail card, {percent:int} percent or more, cheapest I can get, from {date:date}. which + price?",
        "chatty": "I travel so much these days that I want a rail card starting {date:date}, at least {percent:int} "
        "percent off, the cheapest you would let me have! Which one would that be and for how much?",
        "formal": "I wish to purchase, with validity from {date:date}, the least expensive rail card open to me that "
        "grants {percent:int} percent or more; please name it and its price.",
        "non_native": "I like to buy card for discount of {percent:int} percent minimum, which is cheapest for me, "
        "starting at {date:date}; how is called and how much?",
    },
    _draw_card,
    _buy_card,
    (
        Twist(
            "valid in first class",
            "constraint",
            {
                "plain": "It has to be valid in first class.",
                "terse": "must cover 1st class.",
                "chatty": "I do like the big seats, so it must count in first class too!",
                "formal": "Its validity in first class is a requirement.",
            },
            sets={"first_class": True},
        ),
        Twist(
            "valid for a year",
            "constraint",
            {
                "plain": "No trial cards: it must run for a full year.",
                "terse": "12 months, no trial.",
                "chatty": "And none of those trial cards, it should run for a full twelve months!",
                "formal": "A period of validity of twelve months is presupposed.",
            },
            sets={"full_year": True},
        ),
        Twist(
            "a limit on the card's price",
            "condition",
            {
                "plain": "If it costs more than {max_price:money} EUR, do not buy it and just tell me the price.",
                "terse": "not above {max_price:money} EUR, then only tell me the price.",
                "chatty": "But hey, above {max_price:money} EUR my husband will protest, so then only tell me what it "
                "would cost!",
                "formal": "The purchase is subject to a price not exceeding {max_price:money} EUR, failing which only "
                "the price is to be stated.",
            },
            draw=lambda world, rng, facts: {"max_price": rng.choice((35.00, 60.00, 90.00, 150.00, 300.00))},
        ),
        POINTS,
    ),
)


def _renewal(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    renewing = [card for card in passenger["cards"] if card["auto_renew"]]
    if facts.get("keep_first"):
        card = yield choose(renewing, key=lambda each: later_first(each["valid_until"]))
    else:
        card = yield choose(renewing, key=lambda each: each["valid_until"])
    if card["valid_until"] > facts.get("until", card["valid_until"]):
        text = f"I left the {card['name']} ({card['card_id']}) as it is: it runs until {card['valid_until']}."
        return (yield from closing(facts, text, (card["card_id"],)))
    done = yield do("set_card_renewal", card_id=card["card_id"], auto_renew=False)
    text = f"Your {done['name']} ({card['card_id']}) ends on {done['valid_until']} and does not renew."
    return (yield from closing(facts, text, (card["card_id"],)))


STOP_RENEWAL = Program(
    "stop_renewal",
    "Stop the automatic renewal of a rail card",
    {
        "plain": "Please switch off the automatic renewal of my rail card; if several renew, the one that runs out "
        "first. Tell me the number of that card.",
        "terse": "stop auto-renewal of my rail card (the first to expire). its number?",
        "chatty": "I hardly travel any more, so please stop that rail card of mine from renewing itself, the first to "
        "run out if there are more! What is its number, for my notes?",
        "formal": "Kindly terminate the automatic renewal of my rail card, or of the first to expire should there be "
        "several, and state its number.",
        "hurried": "My rail card must not renew, the first one that ends, what is its number?",
        "non_native": "My rail card shall not be renewed alone, I speak of the card which finishes first; which "
        "number has it?",
    },
    an_account,
    _renewal,
    (
        Twist(
            "the other card",
            "change_of_mind",
            {
                "plain": "No, sorry, the card that runs longest should be the one not to renew.",
                "terse": "wrong: the one that runs longest.",
                "chatty": "Oh no, I mixed them up, it is the one that runs longest that should not renew!",
                "formal": "I stand corrected: the card with the latest expiry is the one concerned.",
            },
            sets={"keep_first": True},
        ),
        Twist(
            "only if it ends soon",
            "condition",
            {
                "plain": "If that card runs beyond {until:date}, leave it as it is and only tell me its number.",
                "terse": "only if it ends by {until:date}, else just its number.",
                "chatty": "Though if it runs beyond {until:date} anyway, leave it be and just tell me its number!",
                "formal": "Where its validity extends beyond {until:date}, please leave it unaltered and state only "
                "its number.",
            },
            draw=lambda world, rng, facts: {"until": rng.choice(("2027-01-15", "2027-04-01", "2027-06-30"))},
        ),
        POINTS,
        FLYING,
    ),
    unknown="I do not know the number of the card.",
)


def _convert(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    points = facts.get("points", passenger["points"])
    if not 500 <= points <= passenger["points"]:
        raise DeadEnd("too few points")
    value = points / 100
    if value < facts.get("least", 0):
        balance = str(passenger["points"])
        text = f"I converted nothing: you have only {balance} points."
        return (yield from closing(facts, text, (balance,)))
    voucher = yield do("convert_points", passenger_id=facts["passenger_id"], points=points)
    worth, left = f"{voucher['amount']:.2f}", str(voucher["points_left"])
    text = f"Your voucher {voucher['voucher_id']} is worth {worth} EUR; {left} points are left."
    return (yield from closing(facts, text, (voucher["voucher_id"], worth)))


def _draw_points(world: World, rng: Random) -> Facts:
    able = [each for each in world.rows("passengers") if each["points"] >= 500]
    return {"passenger_id": pick(rng, able)["passenger_id"]}


def _draw_some_points(world: World, rng: Random, facts: Facts) -> Facts:
    passenger = world.get("passengers", facts["passenger_id"])
    if passenger is None or passenger["points"] < 1000:
        raise DeadEnd("too few points to leave some")
    return {"points": rng.randrange(2, passenger["points"] // 250) * 250}


CONVERT = Program(
    "convert_points",
    "Turn the points on the account into a voucher",
    {
        "plain": "Please convert all of my points into a voucher. What is its number and what is it worth?",
        "terse": "all my points into a voucher. number + value?",
        "chatty": "I have been collecting points for ages, so turn the whole lot into a voucher! What number "
        "does it have and how much is it worth?",
        "formal": "I request the conversion of all my points into a voucher, and to be told its number and value.",
        "non_native": "My points, please make a voucher from all of them; which number has it and which value?",
    },
    _draw_points,
    _convert,
    (
        Twist(
            "only some of the points",
            "change_of_mind",
            {
                "plain": "Actually no, convert only {points:int} points.",
                "terse": "just {points:int} points, not all.",
                "chatty": "Hm, on second thoughts let me keep some for Christmas, so only {points:int} points!",
                "formal": "On reflection the conversion should be limited to {points:int} points.",
                "non_native": "No, not all, only take {points:int} points.",
            },
            draw=_draw_some_points,
        ),
        Twist(
            "a least worth",
            "condition",
            {
                "plain": "If that gives less than {least:money} EUR, leave the points alone and tell me how many I "
                "have.",
                "terse": "under {least:money} EUR don't, just tell me my points.",
                "chatty": "If it does not even make {least:money} EUR, then leave them and tell me how many there are!",
                "formal": "Should the value be less than {least:money} EUR, I ask only for the number of points held.",
            },
            draw=lambda world, rng, facts: {"least": rng.choice((12.50, 22.50, 37.50, 52.50))},
        ),
        CARD,
        COFFEE,
    ),
    unknown="I do not know how many points I have.",
)


def _spend(facts: Facts) -> Policy:
    listed = yield do("list_bookings", passenger_id=facts["passenger_id"], status=facts.get("status", "confirmed"))
    if len(listed) < 2:
        raise DeadEnd("nothing to add up")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_booking", booking_id=each["booking_id"])))
    dearest = yield choose(bookings, key=lambda each: -each["price_total"])
    total = f"{sum(each['price_total'] for each in bookings):.2f}"
    text = f"They come to {total} EUR; the dearest is {dearest['booking_id']}."
    return (yield from closing(facts, text, (total, dearest["booking_id"]), dearest["service_id"]))


SPEND = Program(
    "sum_upcoming",
    "Add up what the upcoming journeys cost and name the dearest",
    {
        "plain": "What do my confirmed upcoming bookings cost altogether, and which of them is the dearest?",
        "terse": "sum of my confirmed bookings, and the dearest one?",
        "chatty": "I dare not add it up myself: what do all my confirmed bookings come to, and which one is the "
        "dearest?",
        "formal": "Please state the sum of my confirmed bookings and identify the most expensive among them.",
        "hurried": "Total of my confirmed bookings and the dearest one, fast!",
        "non_native": "How much cost all my bookings confirmed together, and which from them is most expensive?",
    },
    an_account,
    _spend,
    (
        Twist(
            "past journeys instead",
            "change_of_mind",
            {
                "plain": "Sorry, I meant the journeys I have already made, not the coming ones.",
                "terse": "no, the travelled ones.",
                "chatty": "Oh wait, it is for last month's expenses, so I mean the trips already travelled!",
                "formal": "Rather, I refer to the journeys already travelled.",
            },
            sets={"status": "travelled"},
        ),
        POINTS,
        CARD,
        TRAINSET,
    ),
    unknown="I do not have the booking numbers here.",
)


def _next_trip(facts: Facts) -> Policy:
    listed = yield do("list_bookings", passenger_id=facts["passenger_id"])
    if facts.get("last_one"):
        booking = yield choose(listed, key=lambda each: later_first(each["departure"]))
    else:
        booking = yield choose(listed, key=lambda each: each["departure"])
    full = yield do("get_booking", booking_id=booking["booking_id"])
    service = yield do("get_service", service_id=full["service_id"])
    codes = [call["station_code"] for call in service["calls"]]
    between = service["calls"][codes.index(full["origin"]) + 1 : codes.index(full["destination"])]
    leaves = clock(full["departure"])
    stops = f"stops at {', '.join(call['station'] for call in between)}" if between else "does not stop on the way"
    text = f"It is {full['service_id']} at {leaves} from {full['origin_name']}; it {stops}."
    tell = (full["service_id"], leaves, *(call["station"] for call in between))
    return (yield from closing(facts, text, tell, full["service_id"]))


NEXT_TRIP = Program(
    "next_trip",
    "Find out with which train the next journey is, when it leaves and where it stops",
    {
        "plain": "Which train is my next trip on, when does it leave, and at which stations does it stop on my way?",
        "terse": "my next trip: train, departure, intermediate stops?",
        "chatty": "I have lost my notes again! Which train is my next trip on, when do I leave, and where do we stop "
        "on the way?",
        "formal": "Please inform me of the service and departure of my next journey and of its intermediate stops.",
        "non_native": "My next travel, which train is it, at which hour it goes, and where it makes stop before I "
        "arrive?",
    },
    an_account,
    _next_trip,
    (
        Twist(
            "the last trip instead",
            "change_of_mind",
            {
                "plain": "I mean not the next one but the last one I have booked, the furthest ahead.",
                "terse": "no, the one furthest ahead.",
                "chatty": "Oh, not that one, I meant the one that is furthest ahead!",
                "formal": "To be precise, the journey furthest in the future is meant.",
            },
            sets={"last_one": True},
        ),
        TRAINSET,
        CARD,
        COFFEE,
    ),
    unknown="I have no booking number at hand.",
)

ACCOUNT = (BUY_CARD, STOP_RENEWAL, CONVERT, SPEND, NEXT_TRIP)
