"""Programs about technicians' visits that are booked."""

from toolscale.reference.moments import day
from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Record,
    Reply,
    Twist,
    do,
)
from toolscale.reference.weather.programs.common import a_day, a_record, says
from toolscale.reference.weather.programs.sensors import HALF, earliest_slot


def _late_visit(visit: Record) -> bool:
    return bool(visit["status"] == "booked" and visit["day"] >= day(3))


def _move(facts: Facts) -> Policy:
    visit = yield do("get_visit", visit_id=facts["visit_id"])
    if not _late_visit(visit):
        raise DeadEnd("it cannot be moved")
    slot = yield from earliest_slot(facts, visit["sensor_id"])
    if slot["day"] > facts.get("latest", "9999"):
        return Reply(f"I left it: the first day possible is {slot['day']}.", (slot["day"],))
    done = yield do("move_visit", visit_id=facts["visit_id"], **slot)
    text = f"It was on {visit['day']}; the new visit is on {done['day']} in the {done['half']}."
    return Reply(text, (visit["day"], done["day"]))


MOVE_VISIT = Program(
    "move_visit",
    "Move a technician's visit to the earliest slot from a day on",
    says(
        "[I cannot be there as agreed|The day does not suit me after all], so please move {visit_id} to the earliest "
        "slot on or after {from_day:date}. For what day was it booked, and which is the new one?",
        "move {visit_id} to first free slot from {from_day:date} on. old day + new day?",
        "The vet comes that very day, would you believe it! Please move {visit_id} to the first slot there is from "
        "{from_day:date} on, and tell me the old day and the new one.",
        "Please reschedule {visit_id} to the earliest slot available from {from_day:date} onwards, and state the "
        "former and the new date.",
    ),
    lambda world, rng: {
        **a_record("visits", "visit_id", _late_visit)(world, rng),
        "from_day": day(rng.randint(3, 18)),
    },
    _move,
    (
        HALF,
        Twist(
            "from another day on",
            "change_of_mind",
            says(
                "[No, make that|Sorry, I meant] from {from_day:date} on.",
                "correction: from {from_day:date}.",
                "Oh dear, wrong week in my calendar, I mean from {from_day:date} on!",
                "I correct the date: the search shall begin on {from_day:date}.",
            ),
            draw=a_day(4, 18, "from_day"),
        ),
    ),
)


def _cancel(facts: Facts) -> Policy:
    visit = yield do("get_visit", visit_id=facts["visit_id"])
    if not _late_visit(visit):
        raise DeadEnd("it cannot be cancelled")
    sensor = yield do("get_sensor", sensor_id=visit["sensor_id"])
    if sensor["battery_percent"] < facts.get("charge", 0):
        charge = f"{sensor['battery_percent']}%"
        return Reply(f"The visit stands: the battery is at {charge}.", (charge,))
    yield do("cancel_visit", visit_id=facts["visit_id"])
    calibrated = sensor["last_calibrated"]
    return Reply(
        f"Cancelled; it was for {visit['day']}. It was last calibrated on {calibrated}.", (visit["day"], calibrated)
    )


CANCEL_VISIT = Program(
    "cancel_visit",
    "Cancel a technician's visit",
    says(
        "[It has sorted itself out|My brother could fix it], so please cancel {visit_id}. For what day was it, and "
        "when "
        "was that sensor last calibrated?",
        "cancel {visit_id}. what day was it, and sensor last calibrated when?",
        "My nephew is clever with a screwdriver, so nobody needs to come! Do cancel {visit_id}, and tell me what day "
        "it was for and when that sensor was last calibrated.",
        "Kindly cancel {visit_id}, and state its date and the date of that sensor's last calibration.",
        confused="I do not think I need {visit_id} any more, please cancel it, for what day was it again, and when was "
        "that sensor last calibrated?",
    ),
    a_record("visits", "visit_id", _late_visit),
    _cancel,
    (
        Twist(
            "only if the battery is good",
            "condition",
            says(
                "But if the sensor's battery is below {charge:int} percent, let the visit stand and tell me the "
                "percentage.",
                "if its battery is under {charge:int} percent keep the visit, tell me the percentage.",
                "Only, if the battery in that sensor is under {charge:int} percent, let them come after all and tell "
                "me how many percent!",
                "Should the sensor's battery stand below {charge:int} percent, the visit is to be kept; state the "
                "percentage.",
            ),
            draw=lambda world, rng, facts: {"charge": rng.choice((10, 15, 20, 30, 50))},
        ),
    ),
)

VISITS = (MOVE_VISIT, CANCEL_VISIT)
