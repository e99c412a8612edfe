"""Programs about sensors and the technician's visits to them."""

from random import Random

from toolscale.reference.kit import a_record, known, must, theirs
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.weather.programs.common import a_day, other_site, site_named
from toolscale.reference.words import words

WORDS = words(__file__)

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


def _book(facts: Facts, sensor_id: str, purpose: str) -> Solution:
    slot = yield from earliest_slot(facts, sensor_id)
    if slot["day"] > facts.get("latest", "9999"):
        return Reply(f"I booked nothing: the first visit would be on {slot['day']}.", (slot["day"],))
    done = yield do("book_visit", sensor_id=sensor_id, purpose=purpose, **slot)
    text = f"The technician comes on {done['day']} in the {done['half']}, for {shown(done['fee'])} EUR."
    return Reply(text, (done["day"], *([shown(done["fee"])] if done["fee"] else [])))


HALF = WORDS.twist("a half of the day", "constraint", draw=lambda world, rng, facts: {"half": rng.choice(_HALVES)})
FROM_DAY = WORDS.twist("not before a day", "constraint", draw=a_day(5, 16, "from_day"))
LATEST = WORDS.twist(
    "at the latest", "condition", draw=lambda world, rng, facts: {"latest": day(rng.choice((3, 4, 7, 9, 11)))}
)


def _calibrate(facts: Facts) -> Solution:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    if sensor["last_calibrated"] > facts.get("stale", "9999"):
        return Reply(
            f"I booked nothing: it was calibrated on {sensor['last_calibrated']}.", (sensor["last_calibrated"],)
        )
    return (yield from _book(facts, facts["sensor_id"], "calibration"))


CALIBRATE = WORDS.program(
    "book_calibration",
    lambda world, rng: _draw(world, rng, "working"),
    _calibrate,
    (
        HALF,
        FROM_DAY,
        LATEST,
        WORDS.twist(
            "only if calibrated long ago",
            "condition",
            draw=lambda world, rng, facts: {"stale": day(rng.choice((-60, -90, -30, -120)))},
        ),
    ),
)


def _battery(facts: Facts) -> Solution:
    sensors = yield do("list_sensors", customer_id=facts["customer_id"])
    must(len(sensors) >= 2, "nothing to compare")
    weakest = yield choose(sensors, key=lambda each: each["battery_percent"])
    charge = f"{weakest['battery_percent']}%"
    if weakest["battery_percent"] > facts.get("below", 100):
        return Reply(f"I booked nothing: the weakest is {weakest['sensor_id']} at {charge}.", (charge,))
    reply = yield from _book(facts, weakest["sensor_id"], "battery change")
    return Reply(f"{weakest['sensor_id']} stands at {charge}. {reply.text}", (weakest["sensor_id"], *reply.tell))


BATTERY = WORDS.program(
    "change_weakest_battery",
    lambda world, rng: {"customer_id": pick(rng, world.rows("sensors"))["customer_id"]},
    _battery,
    (
        HALF,
        FROM_DAY,
        WORDS.twist(
            "only below a charge",
            "condition",
            draw=lambda world, rng, facts: {"below": rng.choice((20, 30, 40, 55, 70))},
        ),
    ),
)


def _repair(facts: Facts) -> Solution:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    must(sensor["status"] == "faulty", "it is not broken")
    reply = yield from _book(facts, facts["sensor_id"], "repair")
    ends = sensor["warranty_until"]
    return Reply(f"{reply.text} The warranty ends or ended on {ends}.", (*reply.tell[:1], ends))


REPAIR = WORDS.program("book_repair", lambda world, rng: _draw(world, rng, "faulty"), _repair, (HALF, FROM_DAY, LATEST))


def _covered(sensor: Record) -> bool:
    return bool(sensor["status"] == "faulty" and sensor["warranty_until"] >= day(0))


def _replace(facts: Facts) -> Solution:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    must(_covered(sensor), "it is not replaced")
    yield do("replace_sensor", sensor_id=facts["sensor_id"], send_to=facts["send_to"])
    model, ends = sensor["model"], sensor["warranty_until"]
    return Reply(f"A new {model} is on its way; the warranty lasts until {ends}.", (model, ends))


REPLACE = WORDS.program(
    "replace_sensor",
    lambda world, rng: {
        **a_record("sensors", "sensor_id", _covered)(world, rng),
        "send_to": rng.choice(("site", "billing address")),
    },
    _replace,
    (
        WORDS.twist(
            "to the other address",
            "change_of_mind",
            draw=lambda world, rng, facts: {
                "send_to": "site" if facts["send_to"] == "billing address" else "billing address"
            },
        ),
    ),
)


def _draw_move_sensor(world: World, rng: Random) -> Facts:
    facts = _draw(world, rng, "working")
    sensor = known(world, "sensors", facts["sensor_id"])
    return {**facts, "site": other_site(world, rng, sensor["customer_id"], sensor["site_id"])}


def _move_sensor(facts: Facts) -> Solution:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    must(sensor["status"] == "working", "it does not work")
    site = yield from site_named(facts)
    must(sensor["site_id"] != site["site_id"], "it stands there")
    yield do("move_sensor", sensor_id=facts["sensor_id"], site_id=site["site_id"])
    calibrated, charge = sensor["last_calibrated"], f"{sensor['battery_percent']}%"
    text = f"It is registered there; calibrated on {calibrated}, battery at {charge}."
    return Reply(text, (calibrated, charge))


MOVE_SENSOR = WORDS.program("move_sensor", _draw_move_sensor, _move_sensor, ())

SENSORS = (CALIBRATE, BATTERY, REPAIR, REPLACE, MOVE_SENSOR)
