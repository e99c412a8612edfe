"""Programs about comfort on the way: seats, assistance, lounges."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    OTHER_BOOKING,
    TRAINSET,
    Record,
    a_booking,
    another_booking,
    bookings_in,
    clock,
    closing,
    money,
    runs,
    station,
)

LAST_COACH = Twist(
    "the coach with the highest number",
    "constraint",
    {
        "plain": "But not the front: take the coach with the highest number, and the lowest seat number in it.",
        "terse": "highest coach number, lowest seat number in it.",
        "chatty": "I like to be at the tail, so the coach with the highest number it is, and there the lowest seat "
        "number!",
        "formal": "Within the zone, the coach bearing the highest number is to be taken, and in it the lowest seat "
        "number.",
    },
    sets={"last_coach": True},
)


def _place(seat: Record) -> str:
    return f"coach {seat['coach']}, seat {seat['seat']}"


def _seat(facts: Facts) -> Policy:
    texts: list[str] = []
    tell: tuple[str, ...] = ()
    for booking_id in (facts["booking_id"], *([facts["other_booking"]] if "other_booking" in facts else [])):
        free = yield do("find_free_seats", booking_id=booking_id, position=facts["position"], zone=facts["zone"])
        if facts.get("last_coach"):
            seat = yield choose(free, key=lambda each: (-each["coach"], each["seat"]))
        else:
            seat = yield choose(free, key=lambda each: (each["coach"], each["seat"]))
        done = yield do("reserve_seat", booking_id=booking_id, coach=seat["coach"], seat=seat["seat"])
        texts.append(f"{booking_id} has {_place(done)} ({done['reservation_id']}).")
        tell += (done["reservation_id"],)
    return (yield from closing(facts, " ".join(texts), tell))


def _unseated(world: World) -> list[Record]:
    """Upcoming bookings for which no seat is reserved yet."""
    seated = {each["booking_id"] for each in world.rows("reservations")}
    return [each for each in bookings_in(world, "confirmed", runs) if each["booking_id"] not in seated]


def _draw_seat(world: World, rng: Random) -> Facts:
    booking = pick(rng, _unseated(world))
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "position": rng.choice(("window", "aisle")),
        "zone": rng.choice(("quiet", "quiet", "standard")),
    }


SEAT = Program(
    "reserve_seat",
    "Reserve a seat at the window or aisle in a certain zone of the train",
    {
        "plain": "Please reserve a seat for booking {booking_id}: position {position}, in the {zone} zone, with the "
        "lowest coach and then the lowest seat number. Which one is it?",
        "terse": "{booking_id}: {position} seat, {zone} zone, lowest coach then seat no. which?",
        "chatty": "Could I have a nice {position} seat in the {zone} zone for {booking_id}? As far forward as can be, "
        "lowest coach and seat number, and tell me where I sit!",
        "formal": "For booking {booking_id}, please reserve the {position} seat of the {zone} zone with the lowest "
        "coach number and, within it, the lowest seat number, and advise me of it.",
        "hurried": "Seat for {booking_id}: {position}, {zone} zone, lowest coach and number, tell me which!",
        "non_native": "I like to sit on {position} in the {zone} zone, for booking {booking_id}, please the lowest "
        "coach and then lowest number. Which seat is?",
    },
    _draw_seat,
    _seat,
    (
        LAST_COACH,
        Twist(
            "the aisle after all",
            "change_of_mind",
            {
                "plain": "No, on reflection I want to sit on the aisle, whatever I said before.",
                "terse": "aisle seat in any case, forget the above.",
                "chatty": "Thinking of my long legs, let it be the aisle in any case, whatever I just said!",
                "formal": "Notwithstanding the above, the seat is to be on the aisle.",
            },
            sets={"position": "aisle"},
        ),
        Twist(
            "the family zone after all",
            "change_of_mind",
            {
                "plain": "My toddler is coming along, so make it the family zone instead.",
                "terse": "family zone instead.",
                "chatty": "Oh, and the little one is coming too, so we had better sit in the family zone!",
                "formal": "As I shall be accompanied by an infant, the family zone is required instead.",
            },
            sets={"zone": "family"},
        ),
        Twist(
            "a seat in another booking too",
            "entities",
            {
                "plain": "The same for booking {other_booking}.",
                "terse": "same kind of seat on {other_booking}.",
                "chatty": "And I would love the very same kind of seat on {other_booking} as well!",
                "formal": "The same is requested for booking {other_booking}.",
            },
            draw=another_booking,
        ),
        TRAINSET,
        OTHER_BOOKING,
    ),
)


def _party(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    free = yield do(
        "find_free_seats", booking_id=facts["booking_id"], position=facts.get("position", "aisle"), zone=facts["zone"]
    )
    coach = yield choose(
        sorted({seat["coach"] for seat in free}), key=lambda number: -number if facts.get("last_coach") else number
    )
    seats = sorted(seat["seat"] for seat in free if seat["coach"] == coach)[: booking["travellers"]]
    if len(seats) < booking["travellers"]:
        raise DeadEnd("too few seats in one coach")
    made = []
    for number in seats:
        made.append((yield do("reserve_seat", booking_id=facts["booking_id"], coach=coach, seat=number)))
    text = "; ".join(f"{_place(each)} ({each['reservation_id']})" for each in made)
    tell = tuple(each["reservation_id"] for each in made)
    return (yield from closing(facts, f"You sit together: {text}.", tell, booking["service_id"]))


def _draw_party(world: World, rng: Random) -> Facts:
    booking = pick(rng, [each for each in _unseated(world) if each["travellers"] > 1])
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "zone": rng.choice(("quiet", "standard", "family")),
    }


PARTY_SEATS = Program(
    "seats_for_party",
    "Seat everybody of a booking in one coach",
    {
        "plain": "Reserve aisle seats for everybody in booking {booking_id}, all in one coach of the {zone} zone: the "
        "lowest coach number and the lowest seat numbers that are free. Tell me all of them.",
        "terse": "aisle seats for all of {booking_id}, one {zone} coach, lowest numbers. list them.",
        "chatty": "We would hate to be scattered! Please find aisle seats for all of us on {booking_id} in one {zone} "
        "coach, the lowest coach and seat numbers going, and tell me every one of them!",
        "formal": "For each traveller of booking {booking_id}, please reserve an aisle seat in one and the same coach "
        "of the {zone} zone, by lowest coach and seat numbers, and enumerate the seats.",
        "non_native": "All persons of {booking_id} must sit in one coach of {zone} zone, on the aisle, the lowest "
        "coach number and lowest seats; say me all the seats.",
    },
    _draw_party,
    _party,
    (
        LAST_COACH,
        Twist(
            "windows for all",
            "change_of_mind",
            {
                "plain": "Better still, let them all be window seats.",
                "terse": "all window seats instead.",
                "chatty": "Oh, everybody is shouting for the window now, so windows for all of us instead!",
                "formal": "We have since agreed that all seats should be at the window instead.",
            },
            sets={"position": "window"},
        ),
        TRAINSET,
    ),
)

HELP = {
    "a wheelchair ramp": "wheelchair_ramp",
    "somebody to help me board": "boarding_guide",
    "a guide as I am blind": "guide_for_blind_passenger",
    "help with my luggage": "luggage_help",
}


def _assist(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    kind = facts.get("kind") or HELP[facts["help"]]
    codes = [booking["origin"], booking["destination"]] if facts.get("both_ends") else [booking["origin"]]
    texts: list[str] = []
    tell: tuple[str, ...] = ()
    for code in codes:
        done = yield do("request_assistance", booking_id=facts["booking_id"], station_code=code, kind=kind)
        meet = clock(done["meet_at"])
        texts.append(f"Assistance {done['assistance_id']} meets you at {meet}.")
        tell += (meet,)
    if facts.get("desk_hours"):
        desk = yield from station(booking["origin_name"])
        texts.append(f"The desk there is staffed until {desk['assistance_until']}.")
        tell += (desk["assistance_until"],)
    return (yield from closing(facts, " ".join(texts), tell, booking["service_id"]))


def _draw_help(world: World, rng: Random) -> Facts:
    return {**a_booking(world, rng, suits=runs), "help": rng.choice(sorted(HELP))}


ASSIST = Program(
    "request_assistance",
    "Order assistance at the station where a journey begins",
    {
        "plain": "For booking {booking_id} I need {help} at the station where I board. Please arrange it and tell me "
        "when to be at the meeting point.",
        "terse": "{booking_id}, departure station: {help}. meeting time?",
        "chatty": "I am a little nervous about the station, so for {booking_id} could I have {help} where I get on? "
        "And when will somebody be waiting for me?",
        "formal": "In respect of booking {booking_id} I require {help} at the station of departure; please arrange "
        "this and advise me of the time of the meeting.",
        "hurried": "Where I get on with {booking_id} I need {help}, what time do we meet?",
        "non_native": "For the booking {booking_id} please {help} in the station where I start; at which hour we meet?",
    },
    _draw_help,
    _assist,
    (
        Twist(
            "at the destination too",
            "entities",
            {
                "plain": "I need the same at the station where I get off.",
                "terse": "same at destination.",
                "chatty": "And of course I need the very same again when I get off at the other end!",
                "formal": "The same is required at the station of arrival.",
                "non_native": "Also in the station where I finish I need the same.",
            },
            sets={"both_ends": True},
        ),
        Twist(
            "a wheelchair ramp after all",
            "change_of_mind",
            {
                "plain": "Correction: I will be in a wheelchair by then, so it is the ramp that I need.",
                "terse": "make that the wheelchair ramp.",
                "chatty": "Oh dear, my doctor just told me it will be the wheelchair, so please make it the ramp!",
                "formal": "I must amend this: owing to an operation, the wheelchair ramp is what I shall need.",
            },
            sets={"kind": "wheelchair_ramp"},
        ),
        Twist(
            "until when the desk is staffed",
            "lookup",
            {
                "plain": "Also tell me until when the assistance desk at that station is staffed.",
                "terse": "desk there staffed until when?",
                "chatty": "And just so that I can sleep, until what time is anybody at the assistance desk there?",
                "formal": "Please state as well until what hour the assistance desk at that station is staffed.",
            },
            sets={"desk_hours": True},
        ),
        OTHER_BOOKING,
        TRAINSET,
    ),
)


def _lounge(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    origin = yield from station(booking["origin_name"])
    if facts.get("opens_first"):
        lounge = yield choose(origin["lounges"], key=lambda each: each["opens"])
    else:
        lounge = yield choose(origin["lounges"], key=lambda each: each["visit_fee"])
    visit = yield do(
        "book_lounge",
        booking_id=facts["booking_id"],
        lounge_id=lounge["lounge_id"],
        minutes_before=facts["minutes"],
    )
    fee = f"{visit['fee']:.2f}"
    text = f"The {lounge['name']} expects you ({visit['visit_id']}), for {fee} EUR."
    return (yield from closing(facts, text, money(visit["fee"], lounge["name"]), booking["service_id"]))


def _draw_lounge(world: World, rng: Random) -> Facts:
    visited = {each["booking_id"] for each in world.rows("lounge_visits")}
    stations = {each["station_code"] for each in world.rows("lounges")} or _WITH_LOUNGE
    suitable = [
        booking
        for booking in bookings_in(world, "confirmed", runs)
        if booking["booking_id"] not in visited and booking["origin"] in stations | _WITH_LOUNGE
    ]
    booking = pick(rng, suitable)
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "minutes": rng.choice((25, 40, 55, 70, 90)),
    }


_WITH_LOUNGE = {
    "GBSPX", "FRPNO", "FRPLY", "BEBMI", "NLAMS", "DECGN", "DEFRA", "DEMUC", "DEBER", "DEHAM", "CHZRH", "ITMIL", "ITROM",
    "ATVIE", "ESBCN",
}  # fmt: skip

LOUNGE = Program(
    "book_lounge",
    "Book a lounge visit before a journey begins",
    {
        "plain": "Please book me into a lounge {minutes:int} minutes before the train of booking {booking_id}; the "
        "cheapest lounge there if there are several. Which one is it and what does it cost?",
        "terse": "lounge {minutes:int} min before {booking_id}, cheapest one. name + fee?",
        "chatty": "I do love a quiet cup of tea before a journey! Could you get me into the cheapest lounge "
        "{minutes:int} minutes before {booking_id} leaves, and tell me its name and the fee?",
        "formal": "As of {minutes:int} minutes prior to the departure of booking {booking_id} I wish to visit the "
        "least expensive lounge of the station; please name it and its fee.",
        "non_native": "Before train of {booking_id} I want wait in lounge, I come {minutes:int} minutes before, the "
        "lounge of low price; how is its name and how much?",
    },
    _draw_lounge,
    _lounge,
    (
        Twist(
            "the lounge that opens first",
            "change_of_mind",
            {
                "plain": "Or rather, not the cheapest but the one that opens earliest.",
                "terse": "not cheapest: earliest opening one.",
                "chatty": "Hmm, forget the price, I would rather have the one that opens earliest in the day!",
                "formal": "I would, after all, prefer the lounge that opens earliest to the cheapest one.",
            },
            sets={"opens_first": True},
        ),
        TRAINSET,
        OTHER_BOOKING,
    ),
)

ONBOARD = (SEAT, PARTY_SEATS, ASSIST, LOUNGE)
