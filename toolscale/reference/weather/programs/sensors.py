"""Programs about sensors and the technician's visits to them."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Record,
    Reply,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.sums import shown
from toolscale.reference.weather.programs.common import a_day, a_record, other_site, says, seen, site_named, theirs

_HALVES = ("morning", "afternoon")


def _no_visit(world: World, sensor: Record) -> bool:
    visits = theirs(world, "visits", sensor["customer_id"])
    return not any(each["sensor_id"] == sensor["sensor_id"] and each["status"] == "booked" for each in visits)


def _draw(world: World, rng: Random, status: str) -> Facts:
    fitting = [each for each in world.rows("sensors") if each["status"] == status and _no_visit(world, each)]
    sensor = pick(rng, fitting)
    return {"customer_id": sensor["customer_id"], "sensor_id": sensor["sensor_id"]}


def earliest_slot(facts: Facts, sensor_id: str) -> Steps:
    """The earliest slot that suits the user."""
    slots = yield do("list_visit_slots", sensor_id=sensor_id)
    fitting = [
        each
        for each in slots
        if each["half"] == facts.get("half", each["half"]) and each["day"] >= facts.get("from_day", "")
    ]
    return (yield choose(fitting, key=lambda each: (each["day"], _HALVES.index(each["half"]))))


def _book(facts: Facts, sensor_id: str, purpose: str) -> Policy:
    slot = yield from earliest_slot(facts, sensor_id)
    if slot["day"] > facts.get("latest", "9999"):
        return Reply(f"I booked nothing: the first visit would be on {slot['day']}.", (slot["day"],))
    done = yield do("book_visit", sensor_id=sensor_id, purpose=purpose, **slot)
    text = f"The technician comes on {done['day']} in the {done['half']}, for {shown(done['fee'])} EUR."
    return Reply(text, (done["day"], *([shown(done["fee"])] if done["fee"] else [])))


HALF = Twist(
    "a half of the day",
    "constraint",
    says(
        "It has to be in the {half}.",
        "{half} only.",
        "It must be in the {half}, the other half of my day is a circus!",
        "Only a visit in the {half} is possible for me.",
    ),
    draw=lambda world, rng, facts: {"half": rng.choice(_HALVES)},
)
FROM_DAY = Twist(
    "not before a day",
    "constraint",
    says(
        "[Nobody is there earlier, so|The gate is locked until then, so] not before {from_day:date}.",
        "not before {from_day:date}.",
        "Only, we are not there sooner, so not before {from_day:date}, please!",
        "No visit prior to {from_day:date} is possible.",
    ),
    draw=a_day(5, 16, "from_day"),
)
LATEST = Twist(
    "at the latest",
    "condition",
    says(
        "If nobody can come by {latest:date}, book nothing and tell me [the first day that would be possible|the "
        "earliest day].",
        "by {latest:date} at the latest, else book nothing, tell me the earliest day.",
        "But if it takes until after {latest:date}, then book nothing and just tell me the first day there is!",
        "Should no visit be possible by {latest:date}, book none and state the earliest day.",
    ),
    draw=lambda world, rng, facts: {"latest": day(rng.choice((3, 4, 7, 9, 11)))},
)


def _calibrate(facts: Facts) -> Policy:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    if sensor["last_calibrated"] > facts.get("stale", "9999"):
        return Reply(
            f"I booked nothing: it was calibrated on {sensor['last_calibrated']}.", (sensor["last_calibrated"],)
        )
    return (yield from _book(facts, facts["sensor_id"], "calibration"))


CALIBRATE = Program(
    "book_calibration",
    "Have a sensor calibrated as early as possible",
    says(
        "[Some values look odd|The readings seem a little off], so please book the earliest visit to have {sensor_id} "
        "calibrated. On what day does the technician come, and what do I pay?",
        "book earliest calibration for {sensor_id}. day + price?",
        "My old glass thermometer disagrees with your {sensor_id}, so let somebody come as early as possible and "
        "calibrate it! Which day will that be, and what does it cost me?",
        "Please book the earliest possible calibration of {sensor_id}, and state the day and the fee.",
        non_native="I think {sensor_id} shows not correct, please book calibration as early as is possible; which day "
        "and how much cost?",
    ),
    lambda world, rng: _draw(world, rng, "working"),
    _calibrate,
    (
        HALF,
        FROM_DAY,
        LATEST,
        Twist(
            "only if calibrated long ago",
            "condition",
            says(
                "But if it was last calibrated after {stale:date}, book nothing and tell me the day of that.",
                "if last calibrated after {stale:date}: no booking, tell me that day.",
                "Though if somebody calibrated it after {stale:date}, save the money, book nothing and tell me when!",
                "Should its last calibration be later than {stale:date}, book none and state its date.",
            ),
            draw=lambda world, rng, facts: {"stale": day(rng.choice((-60, -90, -30, -120)))},
        ),
    ),
)


def _battery(facts: Facts) -> Policy:
    sensors = yield do("list_sensors", customer_id=facts["customer_id"])
    if len(sensors) < 2:
        raise DeadEnd("nothing to compare")
    weakest = yield choose(sensors, key=lambda each: each["battery_percent"])
    charge = f"{weakest['battery_percent']}%"
    if weakest["battery_percent"] > facts.get("below", 100):
        return Reply(f"I booked nothing: the weakest is {weakest['sensor_id']} at {charge}.", (charge,))
    reply = yield from _book(facts, weakest["sensor_id"], "battery change")
    return Reply(f"{weakest['sensor_id']} stands at {charge}. {reply.text}", (weakest["sensor_id"], *reply.tell))


BATTERY = Program(
    "change_weakest_battery",
    "Have the battery changed in the sensor where it is lowest",
    says(
        "Please book a battery change, as early as possible, for [whichever of my sensors has the lowest battery|the "
        "sensor of mine with the weakest battery]. Which sensor is it, on what day, and what does it cost?",
        "battery change for my sensor with the lowest battery, earliest visit. sensor no., day, price?",
        "One of those sensors is gasping for a battery, I got a warning and deleted it! Find the weakest, have its "
        "battery changed as early as you can, and tell me the number, the day and the price.",
        "I request the earliest possible battery change for that sensor of mine whose battery is lowest; please state "
        "its number, the day and the fee.",
    ),
    lambda world, rng: {"customer_id": pick(rng, world.rows("sensors"))["customer_id"]},
    _battery,
    (
        HALF,
        FROM_DAY,
        Twist(
            "only below a charge",
            "condition",
            says(
                "But if even that battery is above {below:int} percent, book nothing and tell me its charge in "
                "percent.",
                "if it's above {below:int} percent, no booking, just the percentage.",
                "Though if there is still more than {below:int} percent in it, book nothing and tell me the percent!",
                "If its charge exceeds {below:int} percent, book nothing and state the percentage.",
            ),
            draw=lambda world, rng, facts: {"below": rng.choice((20, 30, 40, 55, 70))},
        ),
    ),
    unknown="I do not know which sensor that is.",
)


def _repair(facts: Facts) -> Policy:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    if sensor["status"] != "faulty":
        raise DeadEnd("it is not broken")
    reply = yield from _book(facts, facts["sensor_id"], "repair")
    ends = sensor["warranty_until"]
    return Reply(f"{reply.text} The warranty ends or ended on {ends}.", (*reply.tell[:1], ends))


REPAIR = Program(
    "book_repair",
    "Have a faulty sensor repaired",
    says(
        "[Nothing comes from it any more|It has stopped sending], so please book the earliest visit to repair "
        "{sensor_id}. When does the technician come, and what is the last day of its warranty?",
        "{sensor_id} broken, book earliest repair visit. which day + warranty end date?",
        "I think a cow has leaned on it, but do not quote me! Get somebody to repair {sensor_id} as early as possible, "
        "and tell me the day, and the day on which its warranty ends or ended.",
        "{sensor_id} being out of order, I ask for the earliest possible repair visit, and to be told its date and the "
        "end of the warranty.",
        hurried="{sensor_id} is dead, book the first repair visit, which day, and when does the warranty end?",
    ),
    lambda world, rng: _draw(world, rng, "faulty"),
    _repair,
    (HALF, FROM_DAY, LATEST),
)


def _covered(sensor: Record) -> bool:
    return bool(sensor["status"] == "faulty" and sensor["warranty_until"] >= day(0))


def _replace(facts: Facts) -> Policy:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    if not _covered(sensor):
        raise DeadEnd("it is not replaced")
    yield do("replace_sensor", sensor_id=facts["sensor_id"], send_to=facts["send_to"])
    model, ends = sensor["model"], sensor["warranty_until"]
    return Reply(f"A new {model} is on its way; the warranty lasts until {ends}.", (model, ends))


REPLACE = Program(
    "replace_sensor",
    "Have a faulty sensor replaced under warranty",
    says(
        "[It is dead|It sends nothing but zeros]: please replace {sensor_id} under warranty and send the new one to "
        "[my|the] {send_to}. Which model is it, and until when does the warranty run?",
        "{sensor_id} faulty, warranty replacement to the {send_to}. model + warranty end?",
        "It gave up the ghost in the last storm, poor thing! Replace {sensor_id} under warranty, please, parcel to the "
        "{send_to}, and tell me the model and until when the warranty runs.",
        "I request replacement under warranty of {sensor_id}, to be sent to the {send_to}; please state the model and "
        "the end of the warranty.",
    ),
    lambda world, rng: {
        **a_record("sensors", "sensor_id", _covered)(world, rng),
        "send_to": rng.choice(("site", "billing address")),
    },
    _replace,
    (
        Twist(
            "to the other address",
            "change_of_mind",
            says(
                "[No|Wait, better]: let the parcel go to the {send_to}.",
                "no, parcel to the {send_to}.",
                "Oh no, nobody can take it there, so let the parcel go to the {send_to} instead!",
                "I correct myself: the parcel shall be sent to the {send_to}.",
            ),
            draw=lambda world, rng, facts: {
                "send_to": "site" if facts["send_to"] == "billing address" else "billing address"
            },
        ),
    ),
)


def _draw_move_sensor(world: World, rng: Random) -> Facts:
    facts = _draw(world, rng, "working")
    sensor = seen(world, "sensors", facts["sensor_id"])
    return {**facts, "site": other_site(world, rng, sensor["customer_id"], sensor["site_id"])}


def _move_sensor(facts: Facts) -> Policy:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    if sensor["status"] != "working":
        raise DeadEnd("it does not work")
    site = yield from site_named(facts)
    if sensor["site_id"] == site["site_id"]:
        raise DeadEnd("it stands there")
    yield do("move_sensor", sensor_id=facts["sensor_id"], site_id=site["site_id"])
    calibrated, charge = sensor["last_calibrated"], f"{sensor['battery_percent']}%"
    text = f"It is registered there; calibrated on {calibrated}, battery at {charge}."
    return Reply(text, (calibrated, charge))


MOVE_SENSOR = Program(
    "move_sensor",
    "Register a sensor at another site",
    says(
        "[I carried it over myself|We have put it up elsewhere], so please register {sensor_id} at {site}. When was it "
        "last calibrated, and how full is its battery in percent?",
        "{sensor_id} now stands at {site}, update that. last calibrated? battery percent?",
        "My back will remember the day I lugged it across! Please note that {sensor_id} stands at {site} now, and tell "
        "me when it was last calibrated and what percent its battery has.",
        "Kindly register {sensor_id} at {site}, to which it has been moved, and state the date of its last calibration "
        "and its battery's charge in percent.",
    ),
    _draw_move_sensor,
    _move_sensor,
    (),
)

SENSORS = (CALIBRATE, BATTERY, REPAIR, REPLACE, MOVE_SENSOR)
