"""Programs about several alerts at once, and about alerts and their sites."""

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
from toolscale.reference.weather.catalogue import CHANNELS
from toolscale.reference.weather.programs.alerts import SENT_OFTEN, is_live, too_seldom
from toolscale.reference.weather.programs.common import (
    a_record,
    a_site,
    measured,
    one_of,
    other_site,
    says,
    seen,
    theirs,
)


def _pause_site(facts: Facts) -> Policy:
    alerts = yield do("list_alerts", customer_id=facts["customer_id"])
    chosen = [each for each in alerts if each["site"] == facts["site"] and each["status"] == "active"]
    chosen = [each for each in chosen if each["measure"] != facts.get("except_measure")]
    if not chosen:
        raise DeadEnd("nothing to pause")
    for alert in chosen:
        yield do("pause_alert", alert_id=alert["alert_id"], until=facts["until"])
    keys = tuple(alert["alert_id"] for alert in chosen)
    return Reply(f"Paused: {', '.join(keys)}.", keys)


PAUSE_SITE = Program(
    "pause_alerts_of_site",
    "Pause every active alert of one site",
    says(
        "Please pause all my active alerts for {site} until {until:date} and tell me the numbers of those you paused.",
        "pause every active alert at {site} until {until:date}. list their numbers.",
        "There is nobody left out at {site} but the crows, so please pause all the active alerts there until "
        "{until:date}, and which numbers were that?",
        "I request that all active alerts concerning {site} be suspended until {until:date}; please list their "
        "numbers.",
        non_native="All my active alerts of {site} please make pause until {until:date} and write me which numbers.",
    ),
    lambda world, rng: {**a_site(world, rng), "until": day(rng.randint(5, 60))},
    _pause_site,
    (
        Twist(
            "all but one measure",
            "constraint",
            says(
                "Only the one for {except_measure} should stay active.",
                "except {except_measure}, that stays on.",
                "But not the one for {except_measure}, that one I want to keep hearing!",
                "The alert concerning {except_measure} is excepted from this.",
            ),
            draw=lambda world, rng, facts: {
                "except_measure": pick(
                    rng,
                    [each for each in theirs(world, "alerts", facts["customer_id"]) if each["status"] == "active"],
                )["measure"]
            },
        ),
    ),
)


def _cancel_idle(facts: Facts) -> Policy:
    alerts = yield do("list_alerts", customer_id=facts["customer_id"])
    if len(alerts) < 2:
        raise DeadEnd("nothing to compare")
    least = yield choose(alerts, key=lambda each: each["times_sent"] * (-1 if facts.get("most") else 1))
    yield do("cancel_alert", alert_id=least["alert_id"])
    text = measured(least)
    reply = f"I cancelled {least['alert_id']}, {least['measure']} at {least['site']}, with a threshold of {text}."
    return Reply(reply, (least["alert_id"], text))


CANCEL_IDLE = Program(
    "cancel_least_sent_alert",
    "Cancel the alert that was sent least often",
    says(
        "I have too many alerts. Please cancel the one that has been sent [least often|the fewest times] and tell me "
        "its number and threshold.",
        "cancel my alert with the fewest sendings. number + threshold?",
        "One of my alerts must go, I cannot keep track! Take the one that has gone off least often, cancel it, and "
        "tell me its number and threshold.",
        "Please cancel that alert of mine which has been sent least frequently, and state its number and threshold.",
        non_native="Of my alerts cancel please the one which came less times, and say me number and threshold.",
    ),
    lambda world, rng: {"customer_id": pick(rng, world.rows("customers"))["customer_id"]},
    _cancel_idle,
    (
        Twist(
            "the noisiest instead",
            "change_of_mind",
            says(
                "[No, the other way round|Actually, the opposite]: cancel the one that was sent most often.",
                "correction: the one sent MOST often.",
                "No, wait, I mean the noisiest one, the one that has gone off most often!",
                "I correct myself: the one to be cancelled is that sent most frequently.",
            ),
            sets={"most": True},
        ),
    ),
    unknown="I do not know which of them that is.",
)


def _free_site(alert: Record, world: World, rng: Random) -> str:
    return other_site(world, rng, alert["customer_id"], alert["site_id"])


def _draw_move(world: World, rng: Random) -> Facts:
    facts = a_record("alerts", "alert_id", is_live)(world, rng)
    return {**facts, "site": _free_site(seen(world, "alerts", facts["alert_id"]), world, rng)}


def _target(facts: Facts) -> Steps:
    """The alert, the other site, and a dead end where that is watched already."""
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    alerts = yield do("list_alerts", customer_id=facts["customer_id"])
    sites = yield do("list_sites", customer_id=facts["customer_id"])
    site = yield choose([each for each in sites if each["name"] == facts["site"]], key=lambda each: each["site_id"])
    if any(each["site_id"] == site["site_id"] and each["measure"] == alert["measure"] for each in alerts):
        raise DeadEnd("that site has such an alert")
    return alert, alerts, site


def _move(facts: Facts) -> Policy:
    alert, _, site = yield from _target(facts)
    if stays := too_seldom(facts, alert):
        return stays
    yield do("move_alert", alert_id=facts["alert_id"], site_id=site["site_id"])
    return Reply(f"It now watches {site['name']}, by the station {site['station']}.", (site["station"],))


MOVE = Program(
    "move_alert",
    "Let an alert watch another site",
    says(
        "[We have moved the work|The seedlings stand elsewhere now], so please let {alert_id} watch {site} instead, "
        "and tell me which station that goes by.",
        "switch {alert_id} over to {site}. which station does that use?",
        "Everything has moved over to {site}, down to the wheelbarrow! So let {alert_id} watch that instead, and which "
        "station does it go by there?",
        "Please have {alert_id} watch {site} in future and state the station on which that is based.",
    ),
    _draw_move,
    _move,
    (SENT_OFTEN,),
)


def _copy(facts: Facts) -> Policy:
    alert, alerts, site = yield from _target(facts)
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    if len(alerts) >= customer["alert_limit"]:
        raise DeadEnd("the plan is full")
    yield do(
        "create_alert",
        site_id=site["site_id"],
        measure=alert["measure"],
        threshold=alert["threshold"],
        channel=facts.get("channel", alert["channel"]),
    )
    text = measured(alert)
    return Reply(f"{site['name']} has the same alert now, at {text}, by {site['station']}.", (text, site["station"]))


COPY = Program(
    "copy_alert_to_site",
    "Set up the same alert for a second site",
    says(
        "Please set up the same as {alert_id} for {site} too, with the same threshold and channel, and tell me the "
        "threshold and which station is used there.",
        "copy {alert_id} to {site}, all the same. threshold + station there?",
        "What is good for one is good for the other! Give {site} just the same as {alert_id}, same threshold, same "
        "channel, and which threshold is that, and which station do you use there?",
        "I request for {site} an additional alert equal to {alert_id} in measure, threshold and channel; kindly state "
        "the threshold and the station used there.",
    ),
    _draw_move,
    _copy,
    (
        Twist(
            "another channel there",
            "constraint",
            says(
                "Only the channel should differ: send the new one by {channel}.",
                "but the new one by {channel}.",
                "Just send the new one by {channel}, that suits me better there!",
                "The new one, however, shall be sent by {channel}.",
            ),
            draw=one_of("channel", *CHANNELS),
        ),
    ),
)

ALERT_SITES = (PAUSE_SITE, CANCEL_IDLE, MOVE, COPY)
