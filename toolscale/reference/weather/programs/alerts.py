"""Programs about alerts that exist: thresholds, channels, pauses, ends."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, do, pick
from toolscale.reference.weather.catalogue import CHANNELS, MEASURES
from toolscale.reference.weather.programs.common import (
    UNITS,
    a_day,
    a_record,
    measured,
    says,
    seen,
)


def is_live(alert: Record) -> bool:
    """It is active or paused."""
    return bool(alert["status"] != "cancelled")


def is_active(alert: Record) -> bool:
    """It is sent."""
    return bool(alert["status"] == "active")


def _other_threshold(world: World, rng: Random, facts: Facts) -> Facts:
    alert = seen(world, "alerts", facts["alert_id"])
    taken = (alert["threshold"], facts.get("threshold"))
    return {"threshold": pick(rng, [each for each in MEASURES[alert["measure"]][1] if each not in taken])}


def _draw_threshold(world: World, rng: Random) -> Facts:
    facts = a_record("alerts", "alert_id", is_live)(world, rng)
    alert = seen(world, "alerts", facts["alert_id"])
    return {**facts, **_other_threshold(world, rng, facts), "unit": UNITS[alert["measure"]]}


SENT_OFTEN = Twist(
    "only if it was sent often",
    "condition",
    says(
        "But only if it has been sent [at least {least_sent:int} times|{least_sent:int} times or more] so far; if not, "
        "leave it and tell me [how often it was|the number of times it was sent].",
        "only if sent {least_sent:int} times or more, else leave it, tell me how often.",
        "Though if it has gone off fewer than {least_sent:int} times until now, leave it alone and tell me how often "
        "it did!",
        "This applies only if it has been sent no fewer than {least_sent:int} times; otherwise leave it unchanged and "
        "state the number.",
    ),
    draw=lambda world, rng, facts: {"least_sent": rng.choice((4, 6, 8, 12, 15, 30))},
)


def too_seldom(facts: Facts, alert: Record) -> Reply | None:
    """What to say where it was not sent as often as the user wants."""
    if alert["times_sent"] >= facts.get("least_sent", 0):
        return None
    often = str(alert["times_sent"])
    return Reply(f"It stays as it is: it was sent {often} times.", (often,))


def _threshold(facts: Facts) -> Policy:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    if not is_live(alert) or alert["threshold"] == facts["threshold"]:
        raise DeadEnd("nothing to change")
    if stays := too_seldom(facts, alert):
        return stays
    yield do("change_threshold", alert_id=facts["alert_id"], threshold=facts["threshold"])
    before = measured(alert)
    return Reply(f"Done. Before, it was {before}, and it goes out by {alert['channel']}.", (before, alert["channel"]))


THRESHOLD = Program(
    "change_alert_threshold",
    "Change the threshold of an alert",
    says(
        "[It goes off at the wrong moments, so please|Please] set the threshold of {alert_id} to {threshold:int} "
        "{unit}. What was it until now, and by which channel does it reach me?",
        "{alert_id}: threshold to {threshold:int} {unit}. what was it before + which channel?",
        "It wakes me for nothing, you know! Do set the threshold of {alert_id} to {threshold:int} {unit}, and what was "
        "it before, and how does it reach me?",
        "Kindly set the threshold of {alert_id} to {threshold:int} {unit}, and state the value hitherto in force as "
        "well as the channel used.",
        non_native="Please make for {alert_id} the threshold {threshold:int} {unit}; what was before and by which "
        "channel it comes to me?",
    ),
    _draw_threshold,
    _threshold,
    (
        SENT_OFTEN,
        Twist(
            "another threshold",
            "change_of_mind",
            says(
                "[No, wait|Sorry, I thought about it again]: make that threshold {threshold:int}.",
                "correction: threshold {threshold:int}.",
                "Hold on, my brother shakes his head, he says the threshold should be {threshold:int}!",
                "I must correct myself: the threshold shall be {threshold:int}.",
            ),
            draw=_other_threshold,
        ),
    ),
)


def _draw_channel(world: World, rng: Random) -> Facts:
    facts = a_record("alerts", "alert_id", is_live)(world, rng)
    alert = seen(world, "alerts", facts["alert_id"])
    return {**facts, "channel": pick(rng, [each for each in CHANNELS if each != alert["channel"]])}


def _channel(facts: Facts) -> Policy:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    if not is_live(alert) or alert["channel"] == facts["channel"]:
        raise DeadEnd("nothing to change")
    if stays := too_seldom(facts, alert):
        return stays
    yield do("change_channel", alert_id=facts["alert_id"], channel=facts["channel"])
    text = measured(alert)
    return Reply(f"Done; it is sent from {text} on.", (text,))


CHANNEL = Program(
    "change_alert_channel",
    "Receive an alert by another channel",
    says(
        "[I never see it in time|It reaches me too late], so please send me {alert_id} by {channel} from now on. At "
        "what value is it sent at present?",
        "{alert_id} by {channel} from now on. current threshold?",
        "My phone and I are not always in the same room! So do send {alert_id} by {channel} from now on, and remind me "
        "at what value it goes off?",
        "I should like to receive {alert_id} by {channel} henceforth; please also state the threshold in force.",
        hurried="Send {alert_id} by {channel} from now, and what is the threshold?",
    ),
    _draw_channel,
    _channel,
    (SENT_OFTEN,),
    again="alert_id",
)


def _pause(facts: Facts) -> Policy:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    if not is_active(alert):
        raise DeadEnd("it is not active")
    if stays := too_seldom(facts, alert):
        return stays
    yield do("pause_alert", alert_id=facts["alert_id"], until=facts["until"])
    text = measured(alert)
    return Reply(f"Paused until {facts['until']}; its threshold is {text}.", (text,))


PAUSE = Program(
    "pause_alert",
    "Pause an alert for a while",
    says(
        "[I am away for a while|Nobody works there for now], so please pause {alert_id} until {until:date}, and tell "
        "me its threshold.",
        "pause {alert_id} until {until:date}. its threshold?",
        "We are off to my sister's at last! So please let {alert_id} rest until {until:date}, and what was its "
        "threshold again?",
        "Please suspend {alert_id} until {until:date} and state its threshold.",
        confused="There is {alert_id}, it should be quiet until {until:date} and then come again, and which threshold "
        "did I give it?",
    ),
    lambda world, rng: {
        **a_record("alerts", "alert_id", is_active)(world, rng),
        "until": day(rng.randint(5, 60)),
    },
    _pause,
    (
        SENT_OFTEN,
        Twist(
            "another end",
            "change_of_mind",
            says(
                "[Actually|On second thoughts], let the pause end on {until:date} instead.",
                "no, pause until {until:date}.",
                "Oh, we may stay longer or shorter, so let the pause end on {until:date} instead!",
                "I must amend the date: the suspension shall end on {until:date}.",
            ),
            draw=a_day(6, 70, "until"),
        ),
    ),
    again="alert_id",
)


def _resume(facts: Facts) -> Policy:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    if alert["status"] != "paused":
        raise DeadEnd("it is not paused")
    until = alert["paused_until"]
    if until <= facts.get("soon", ""):
        return Reply(f"I left it: its pause ends on {until} anyway.", (until,))
    yield do("resume_alert", alert_id=facts["alert_id"])
    return Reply(f"It is active again; the pause would have lasted until {until}.", (until,))


RESUME = Program(
    "resume_alert",
    "End the pause of an alert",
    says(
        "[We are back earlier than planned|Work starts again sooner than expected], so please make {alert_id} active "
        "again. Until when would it have been paused?",
        "resume {alert_id} now. paused until when?",
        "The holiday was cut short by the rain, of all things! Wake {alert_id} up again, please, and until when was it "
        "supposed to sleep?",
        "Please reactivate {alert_id} with immediate effect and state until when it had been suspended.",
        non_native="I need that {alert_id} is working again now; until which day it was in pause?",
    ),
    a_record("alerts", "alert_id", lambda each: bool(each["status"] == "paused")),
    _resume,
    (
        Twist(
            "not if it ends soon anyway",
            "condition",
            says(
                "But if the pause ends on {soon:date} or earlier anyway, leave it and only tell me [the day|when it "
                "ends].",
                "if the pause ends by {soon:date} anyway, leave it, just tell me the day.",
                "Though if it wakes up by {soon:date} on its own, let it be and tell me the day!",
                "Should the suspension end by {soon:date} in any case, leave it in place and merely state the day.",
            ),
            draw=lambda world, rng, facts: {"soon": day(rng.choice((2, 4, 6, 9)))},
        ),
    ),
)


def _cancel(facts: Facts) -> Policy:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    if not is_live(alert):
        raise DeadEnd("it is cancelled already")
    text = measured(alert)
    if facts.get("rather_pause"):
        if not is_active(alert):
            raise DeadEnd("it is paused already")
        yield do("pause_alert", alert_id=facts["alert_id"], until=facts["rather_pause"])
        return Reply(f"It is paused instead; its threshold is {text}.", (text,))
    yield do("cancel_alert", alert_id=facts["alert_id"])
    return Reply(f"It is cancelled; its threshold was {text}.", (text,))


CANCEL = Program(
    "cancel_alert",
    "Cancel an alert that is no longer needed",
    says(
        "[I no longer need it|The season is over], so please cancel {alert_id} [for good|altogether] and tell me what "
        "threshold it had.",
        "cancel {alert_id}. what threshold did it have?",
        "The tomatoes are gone, so is the worry! Please cancel {alert_id} for good and tell me what threshold it had, "
        "for my notebook.",
        "Kindly cancel {alert_id} permanently and state the threshold that it had.",
        hurried="Cancel {alert_id} now, what threshold did it have?",
    ),
    a_record("alerts", "alert_id", is_active),
    _cancel,
    (
        Twist(
            "rather a pause",
            "change_of_mind",
            says(
                "[No, better|Thinking about it again], do not cancel it but pause it until {rather_pause:date}.",
                "no wait, don't cancel, pause it until {rather_pause:date}.",
                "Or no, one never knows, only let it pause until {rather_pause:date} rather than cancel it!",
                "On reflection, it is not to be cancelled but suspended until {rather_pause:date}.",
            ),
            draw=a_day(10, 80, "rather_pause"),
        ),
    ),
    again="alert_id",
)

ALERTS = (THRESHOLD, CHANNEL, PAUSE, RESUME, CANCEL)
