"""Programs about alerts that exist: thresholds, channels, pauses, ends."""

from random import Random

from toolscale.reference.kit import a_record, known, must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, do, pick
from toolscale.reference.weather.catalogue import CHANNELS, MEASURES
from toolscale.reference.weather.functions._shared import UNITS
from toolscale.reference.weather.programs.common import a_day, measured
from toolscale.reference.words import words

WORDS = words(__file__)


def is_live(alert: Record) -> bool:
    """It is active or paused."""
    return bool(alert["status"] != "cancelled")


def is_active(alert: Record) -> bool:
    """It is sent."""
    return bool(alert["status"] == "active")


def _other_threshold(world: World, rng: Random, facts: Facts) -> Facts:
    alert = known(world, "alerts", facts["alert_id"])
    taken = (alert["threshold"], facts.get("threshold"))
    return {"threshold": pick(rng, [each for each in MEASURES[alert["measure"]][1] if each not in taken])}


def _draw_threshold(world: World, rng: Random) -> Facts:
    facts = a_record("alerts", "alert_id", is_live)(world, rng)
    alert = known(world, "alerts", facts["alert_id"])
    return {**facts, **_other_threshold(world, rng, facts), "unit": UNITS[alert["measure"]]}


SENT_OFTEN = WORDS.twist(
    "only if it was sent often",
    "condition",
    draw=lambda world, rng, facts: {"least_sent": rng.choice((4, 6, 8, 12, 15, 30))},
)


def too_seldom(facts: Facts, alert: Record) -> Reply | None:
    """What to say where it was not sent as often as the user wants."""
    if alert["times_sent"] >= facts.get("least_sent", 0):
        return None
    often = str(alert["times_sent"])
    return Reply(f"It stays as it is: it was sent {often} times.", (often,))


def _threshold(facts: Facts) -> Solution:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    if not is_live(alert) or alert["threshold"] == facts["threshold"]:
        raise DeadEnd("nothing to change")
    if stays := too_seldom(facts, alert):
        return stays
    yield do("change_threshold", alert_id=facts["alert_id"], threshold=facts["threshold"])
    before = measured(alert)
    return Reply(f"Done. Before, it was {before}, and it goes out by {alert['channel']}.", (before, alert["channel"]))


THRESHOLD = WORDS.program(
    "change_alert_threshold",
    _draw_threshold,
    _threshold,
    (
        SENT_OFTEN,
        WORDS.twist("another threshold", "change_of_mind", draw=_other_threshold),
    ),
)


def _draw_channel(world: World, rng: Random) -> Facts:
    facts = a_record("alerts", "alert_id", is_live)(world, rng)
    alert = known(world, "alerts", facts["alert_id"])
    return {**facts, "channel": pick(rng, [each for each in CHANNELS if each != alert["channel"]])}


def _channel(facts: Facts) -> Solution:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    if not is_live(alert) or alert["channel"] == facts["channel"]:
        raise DeadEnd("nothing to change")
    if stays := too_seldom(facts, alert):
        return stays
    yield do("change_channel", alert_id=facts["alert_id"], channel=facts["channel"])
    text = measured(alert)
    return Reply(f"Done; it is sent from {text} on.", (text,))


CHANNEL = WORDS.program("change_alert_channel", _draw_channel, _channel, (SENT_OFTEN,), again="alert_id")


def _pause(facts: Facts) -> Solution:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    must(is_active(alert), "it is not active")
    if stays := too_seldom(facts, alert):
        return stays
    yield do("pause_alert", alert_id=facts["alert_id"], until=facts["until"])
    text = measured(alert)
    return Reply(f"Paused until {facts['until']}; its threshold is {text}.", (text,))


PAUSE = WORDS.program(
    "pause_alert",
    lambda world, rng: {
        **a_record("alerts", "alert_id", is_active)(world, rng),
        "until": day(rng.randint(5, 60)),
    },
    _pause,
    (
        SENT_OFTEN,
        WORDS.twist("another end", "change_of_mind", draw=a_day(6, 70, "until")),
    ),
    again="alert_id",
)


def _resume(facts: Facts) -> Solution:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    must(alert["status"] == "paused", "it is not paused")
    until = alert["paused_until"]
    if until <= facts.get("soon", ""):
        return Reply(f"I left it: its pause ends on {until} anyway.", (until,))
    yield do("resume_alert", alert_id=facts["alert_id"])
    return Reply(f"It is active again; the pause would have lasted until {until}.", (until,))


RESUME = WORDS.program(
    "resume_alert",
    a_record("alerts", "alert_id", lambda each: bool(each["status"] == "paused")),
    _resume,
    (
        WORDS.twist(
            "not if it ends soon anyway",
            "condition",
            draw=lambda world, rng, facts: {"soon": day(rng.choice((2, 4, 6, 9)))},
        ),
    ),
)


def _cancel(facts: Facts) -> Solution:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    must(is_live(alert), "it is cancelled already")
    text = measured(alert)
    if facts.get("rather_pause"):
        must(is_active(alert), "it is paused already")
        yield do("pause_alert", alert_id=facts["alert_id"], until=facts["rather_pause"])
        return Reply(f"It is paused instead; its threshold is {text}.", (text,))
    yield do("cancel_alert", alert_id=facts["alert_id"])
    return Reply(f"It is cancelled; its threshold was {text}.", (text,))


CANCEL = WORDS.program(
    "cancel_alert",
    a_record("alerts", "alert_id", is_active),
    _cancel,
    (WORDS.twist("rather a pause", "change_of_mind", draw=a_day(10, 80, "rather_pause")),),
    again="alert_id",
)

ALERTS = (THRESHOLD, CHANNEL, PAUSE, RESUME, CANCEL)
