"""Programs about technicians' visits that are booked."""

from toolscale.reference.kit import a_record, must
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Record, Reply, Solution, do
from toolscale.reference.weather.programs.common import a_day
from toolscale.reference.weather.programs.sensors import HALF, earliest_slot
from toolscale.reference.words import words

WORDS = words(__file__)


def _late_visit(visit: Record) -> bool:
    return bool(visit["status"] == "booked" and visit["day"] >= day(3))


def _move(facts: Facts) -> Solution:
    visit = yield do("get_visit", visit_id=facts["visit_id"])
    must(_late_visit(visit), "it cannot be moved")
    slot = yield from earliest_slot(facts, visit["sensor_id"])
    if slot["day"] > facts.get("latest", "9999"):
        return Reply(f"I left it: the first day possible is {slot['day']}.", (slot["day"],))
    done = yield do("move_visit", visit_id=facts["visit_id"], **slot)
    text = f"It was on {visit['day']}; the new visit is on {done['day']} in the {done['half']}."
    return Reply(text, (visit["day"], done["day"]))


MOVE_VISIT = WORDS.program(
    "move_visit",
    lambda world, rng: {
        **a_record("visits", "visit_id", _late_visit)(world, rng),
        "from_day": day(rng.randint(3, 18)),
    },
    _move,
    (
        HALF,
        WORDS.twist("from another day on", "change_of_mind", draw=a_day(4, 18, "from_day")),
    ),
)


def _cancel(facts: Facts) -> Solution:
    visit = yield do("get_visit", visit_id=facts["visit_id"])
    must(_late_visit(visit), "it cannot be cancelled")
    sensor = yield do("get_sensor", sensor_id=visit["sensor_id"])
    if sensor["battery_percent"] < facts.get("charge", 0):
        charge = f"{sensor['battery_percent']}%"
        return Reply(f"The visit stands: the battery is at {charge}.", (charge,))
    yield do("cancel_visit", visit_id=facts["visit_id"])
    calibrated = sensor["last_calibrated"]
    return Reply(
        f"Cancelled; it was for {visit['day']}. It was last calibrated on {calibrated}.", (visit["day"], calibrated)
    )


CANCEL_VISIT = WORDS.program(
    "cancel_visit",
    a_record("visits", "visit_id", _late_visit),
    _cancel,
    (
        WORDS.twist(
            "only if the battery is good",
            "condition",
            draw=lambda world, rng, facts: {"charge": rng.choice((10, 15, 20, 30, 50))},
        ),
    ),
)

VISITS = (MOVE_VISIT, CANCEL_VISIT)
