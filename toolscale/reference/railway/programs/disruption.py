"""Programs about coming trains that run late or not at all: what to expect, another train, the money back."""

from datetime import datetime, timedelta
from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    DAYS,
    TRAINSET,
    Record,
    a_booking,
    clock,
    closing,
    later_first,
    several,
)


def _disturbed(booking: Record, service: Record) -> bool:
    return bool(service["status"] == "cancelled" or service["delay_minutes"] >= 60)


def _reroute(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    trains = yield do(
        "search_trains",
        origin=booking["origin"],
        destination=booking["destination"],
        travel_date=facts.get("date") or booking["travel_date"],
        fare=booking["fare"],
        travel_class=booking["travel_class"],
    )
    limit = datetime.fromisoformat(booking["departure"]) + timedelta(hours=48)
    others = [
        train
        for train in trains
        if train["service_id"] != booking["service_id"] and train["seats_left"] >= booking["travellers"]
    ]
    if any(datetime.fromisoformat(train["departure"]) > limit for train in others):
        raise DeadEnd("not all of these trains are free of charge")
    if facts.get("last_train"):
        train = yield choose(several(others), key=lambda each: later_first(each["departure"]))
    else:
        train = yield choose(others, key=lambda each: each["arrival"])
    moved = yield do("exchange_booking", booking_id=facts["booking_id"], new_service_id=train["service_id"])
    leaves, arrives = clock(moved["departure"]), clock(moved["arrival"])
    text = f"You are now on {train['service_id']}, from {leaves} to {arrives}, free of charge."
    return (yield from closing(facts, text, (leaves, arrives), train["service_id"]))


def _draw_next_day(world: World, rng: Random, facts: Facts) -> Facts:
    booking = world.get("bookings", facts.get("booking_id", ""))
    service = world.get("services", booking["service_id"]) if booking else None
    if service is None:
        raise DeadEnd("the journey is out of sight")
    near = datetime.fromisoformat(service["travel_date"])
    days = {(near + timedelta(days=each)).date().isoformat() for each in (-1, 1)}
    return {"date": pick(rng, sorted(days & set(DAYS)))}


REROUTE = Program(
    "reroute",
    "Move a booking off a cancelled or very late train to the other train that arrives first",
    {
        "plain": "[The train of {booking_id} is cancelled or very late|Something is wrong with the train of "
        "{booking_id}]. Put me on the other train of that day that arrives first and tell me its times.",
        "terse": "{booking_id} disrupted. move to other train that day, earliest arrival. times?",
        "chatty": "I have just heard that something is badly wrong with the train of {booking_id}! Which other train "
        "that day gets me there first? Put me on it and tell me its times, please.",
        "formal": "As the service of {booking_id} is disrupted, I request rerouting on the alternative service of the "
        "same day with the earliest arrival, and an indication of its times.",
        "hurried": "{booking_id} is not running properly! Other train that day that arrives first, give me the times!",
        "non_native": "I got message there is problem with train of {booking_id}. Please put me in other train of "
        "same day which comes first, and the hours?",
        "confused": "Somebody said that the train of {booking_id} does not run as it should, I do not understand "
        "these notices. Please put me on the other train of that day that arrives first, and what are its times?",
    },
    lambda world, rng: a_booking(world, rng, suits=_disturbed),
    _reroute,
    (
        Twist(
            "another day instead",
            "change_of_mind",
            {
                "plain": "Actually, I would sooner travel on {date:date} then, on the train that arrives first that "
                "day.",
                "terse": "rather on {date:date}, earliest arrival that day.",
                "chatty": "You know what, let us make it {date:date} instead, the train that arrives first that day!",
                "formal": "I should, however, prefer to travel on {date:date}, on the service with the earliest "
                "arrival.",
            },
            draw=_draw_next_day,
        ),
        Twist(
            "the last train of the day",
            "constraint",
            {
                "plain": "Not the one that arrives first though, but the one that leaves last that day.",
                "terse": "not earliest arrival, take the last departure.",
                "chatty": "Then again, I have time now, so rather the one that leaves last that day!",
                "formal": "Of the alternatives, the one departing last is to be chosen rather than the first to "
                "arrive.",
            },
            sets={"last_train": True},
        ),
        TRAINSET,
    ),
    again="booking_id",
)


def _refund_disturbed(facts: Facts) -> Policy:
    listed = yield do("list_bookings", passenger_id=facts["passenger_id"])
    disturbed = []
    for each in listed:
        service = yield do("get_service", service_id=each["service_id"])
        if service["status"] == "cancelled" or service["delay_minutes"] >= 60:
            disturbed.append((each, service))
    booking, service = yield choose(disturbed, key=lambda pair: pair[0]["departure"])
    booking_id, cause = booking["booking_id"], service["cause"].replace("_", " ")
    done = yield do("cancel_booking", booking_id=booking_id, refund_to=facts.get("refund_to", "original_payment"))
    money = f"{done['refund']:.2f}"
    text = f"{booking_id} is cancelled because of {cause}; you get {money} EUR back."
    tell = (booking_id, money, cause) if facts.get("wants_cause") else (booking_id, money)
    return (yield from closing(facts, text, tell))


REFUND_DISTURBED = Program(
    "refund_disrupted",
    "Get the full price back for the upcoming journey that is disrupted",
    {
        "plain": "[I was told|I have read] that one of my upcoming trains is cancelled or at least an hour late. "
        "[Find out which (the earliest, if there are several)|Please find that one (the earliest, if there are "
        "several)], cancel that booking to my original payment and tell me the refund.",
        "terse": "one of my trains is cancelled or 1h+ late. cancel the first such booking, refund as paid. which, "
        "how much?",
        "chatty": "A friend says one of my coming trains is in trouble, cancelled or an hour late or worse! Cancel "
        "the first such booking for me, money back as I paid, and tell me which it was and the sum.",
        "formal": "I am given to understand that an upcoming service of mine is cancelled or delayed by an hour or "
        "more. Please cancel the first booking concerned, refund my original payment, and report its number and the "
        "sum.",
        "non_native": "I hear one of my next trains does not go or has one hour delay or more. Cancel the first "
        "booking like this, return money same way, and tell which and how much.",
    },
    lambda world, rng: {"passenger_id": a_booking(world, rng, suits=_disturbed)["passenger_id"]},
    _refund_disturbed,
    (
        Twist(
            "a voucher instead",
            "change_of_mind",
            {
                "plain": "A voucher would do me better than the money, so issue that instead.",
                "terse": "voucher instead of refund to payment.",
                "chatty": "Thinking about it, I would only spend the money elsewhere, so a voucher it shall be!",
                "formal": "I elect to receive a voucher in place of the payment.",
            },
            sets={"refund_to": "voucher"},
        ),
        Twist(
            "why it is disrupted",
            "lookup",
            {
                "plain": "I would also like to know the cause of the disruption.",
                "terse": "cause of disruption?",
                "chatty": "And what on earth is the cause of it this time?",
                "formal": "The cause of the disruption should also be communicated to me.",
            },
            sets={"wants_cause": True},
        ),
    ),
    unknown="I do not know which booking it is.",
)


def _status(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    service = yield do("get_service", service_id=booking["service_id"])
    if service["status"] == "cancelled":
        cause = service["cause"].replace("_", " ")
        text = f"{service['service_id']} is cancelled because of {cause}."
        return (yield from closing(facts, text, (service["service_id"], cause), service["service_id"]))
    delay = timedelta(minutes=service["delay_minutes"])
    due = (datetime.fromisoformat(booking["arrival"]) + delay).strftime("%H:%M")
    text = f"{service['service_id']} should arrive at {due}."
    tell: tuple[str, ...] = (service["service_id"], due)
    if facts.get("stop_before"):
        names = [call["station"] for call in service["calls"]]
        last = names[names.index(booking["destination_name"]) - 1]
        text, tell = f"{text} The stop before yours is {last}.", (*tell, last)
    return (yield from closing(facts, text, tell, service["service_id"]))


STATUS = Program(
    "train_status",
    "Find out when a booked train will really arrive, or why it does not run",
    {
        "plain": "[For {booking_id}, which train is it|I want to know about {booking_id}: which train is it], and at "
        "what time will it arrive, counting any delay? If it is cancelled, tell me the cause.",
        "terse": "{booking_id}: which train, real arrival incl. delay? if cancelled, cause.",
        "chatty": "My sister is picking me up, so which train is it for {booking_id}, and when does it really get in, "
        "delay and all? And if it is not running, what is the cause?",
        "formal": "Please indicate the service for {booking_id} and its expected time of arrival, delays included, or "
        "else the cause of its cancellation.",
        "hurried": "{booking_id}, which train is it and when does it get in with the delay? Or why is it cancelled?",
        "non_native": "For {booking_id}, which train is it, and at which hour it really arrives with the delay? If it "
        "is cancelled, why?",
    },
    a_booking,
    _status,
    (
        Twist(
            "the stop before",
            "lookup",
            {
                "plain": "Also tell me the stop right before mine, so that I can get ready in time.",
                "terse": "name of the stop before mine?",
                "chatty": "I always panic about getting off, so what is the stop right before mine called?",
                "formal": "Please name the stop immediately preceding mine.",
            },
            sets={"stop_before": True},
        ),
        TRAINSET,
    ),
    again="booking_id",
)


DISRUPTION = (REROUTE, REFUND_DISTURBED, STATUS)
