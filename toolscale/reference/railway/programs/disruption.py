"""Programs about coming trains that run late or not at all: what to expect, another train, the money back."""

from datetime import datetime, timedelta
from random import Random

from toolscale.reference.kit import clock, latest_first
from toolscale.reference.program import DeadEnd, Facts, Solution, World, choose, do, pick
from toolscale.reference.railway.programs.common import DAYS, TRAINSET, Record, a_booking, closing, several
from toolscale.reference.words import words

WORDS = words(__file__)


def _disturbed(booking: Record, service: Record) -> bool:
    return bool(service["status"] == "cancelled" or service["delay_minutes"] >= 60)


def _reroute(facts: Facts) -> Solution:
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
        train = yield choose(several(others), key=lambda each: latest_first(each["departure"]))
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


REROUTE = WORDS.program(
    "reroute",
    lambda world, rng: a_booking(world, rng, suits=_disturbed),
    _reroute,
    (
        WORDS.twist("another day instead", "change_of_mind", draw=_draw_next_day),
        WORDS.twist("the last train of the day", "constraint", sets={"last_train": True}),
        TRAINSET,
    ),
    again="booking_id",
)


def _refund_disturbed(facts: Facts) -> Solution:
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


REFUND_DISTURBED = WORDS.program(
    "refund_disrupted",
    lambda world, rng: {"passenger_id": a_booking(world, rng, suits=_disturbed)["passenger_id"]},
    _refund_disturbed,
    (
        WORDS.twist("a voucher instead", "change_of_mind", sets={"refund_to": "voucher"}),
        WORDS.twist("why it is disrupted", "lookup", sets={"wants_cause": True}),
    ),
)


def _status(facts: Facts) -> Solution:
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


STATUS = WORDS.program(
    "train_status",
    a_booking,
    _status,
    (
        WORDS.twist("the stop before", "lookup", sets={"stop_before": True}),
        TRAINSET,
    ),
    again="booking_id",
)


DISRUPTION = (REROUTE, REFUND_DISTURBED, STATUS)
