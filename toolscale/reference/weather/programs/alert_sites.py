"""Programs about several alerts at once, and about alerts and their sites."""

from random import Random

from toolscale.reference.kit import a_record, known, must, one_of, theirs
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.weather.catalogue import CHANNELS
from toolscale.reference.weather.programs.alerts import SENT_OFTEN, is_live, too_seldom
from toolscale.reference.weather.programs.common import a_site, measured, other_site
from toolscale.reference.words import words

WORDS = words(__file__)


def _pause_site(facts: Facts) -> Solution:
    alerts = yield do("list_alerts", customer_id=facts["customer_id"])
    chosen = [each for each in alerts if each["site"] == facts["site"] and each["status"] == "active"]
    chosen = [each for each in chosen if each["measure"] != facts.get("except_measure")]
    must(chosen, "nothing to pause")
    for alert in chosen:
        yield do("pause_alert", alert_id=alert["alert_id"], until=facts["until"])
    keys = tuple(alert["alert_id"] for alert in chosen)
    return Reply(f"Paused: {', '.join(keys)}.", keys)


PAUSE_SITE = WORDS.program(
    "pause_alerts_of_site",
    lambda world, rng: {**a_site(world, rng), "until": day(rng.randint(5, 60))},
    _pause_site,
    (
        WORDS.twist(
            "all but one measure",
            "constraint",
            draw=lambda world, rng, facts: {
                "except_measure": pick(
                    rng,
                    [each for each in theirs(world, "alerts", facts["customer_id"]) if each["status"] == "active"],
                )["measure"]
            },
        ),
    ),
)


def _cancel_idle(facts: Facts) -> Solution:
    alerts = yield do("list_alerts", customer_id=facts["customer_id"])
    must(len(alerts) >= 2, "nothing to compare")
    least = yield choose(alerts, key=lambda each: each["times_sent"] * (-1 if facts.get("most") else 1))
    yield do("cancel_alert", alert_id=least["alert_id"])
    text = measured(least)
    reply = f"I cancelled {least['alert_id']}, {least['measure']} at {least['site']}, with a threshold of {text}."
    return Reply(reply, (least["alert_id"], text))


CANCEL_IDLE = WORDS.program(
    "cancel_least_sent_alert",
    lambda world, rng: {"customer_id": pick(rng, world.rows("customers"))["customer_id"]},
    _cancel_idle,
    (WORDS.twist("the noisiest instead", "change_of_mind", sets={"most": True}),),
)


def _free_site(alert: Record, world: World, rng: Random) -> str:
    return other_site(world, rng, alert["customer_id"], alert["site_id"])


def _draw_move(world: World, rng: Random) -> Facts:
    facts = a_record("alerts", "alert_id", is_live)(world, rng)
    return {**facts, "site": _free_site(known(world, "alerts", facts["alert_id"]), world, rng)}


def _target(facts: Facts) -> Steps:
    """The alert, the other site, and a dead end where that is watched already."""
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    alerts = yield do("list_alerts", customer_id=facts["customer_id"])
    sites = yield do("list_sites", customer_id=facts["customer_id"])
    site = yield choose([each for each in sites if each["name"] == facts["site"]], key=lambda each: each["site_id"])
    if any(each["site_id"] == site["site_id"] and each["measure"] == alert["measure"] for each in alerts):
        raise DeadEnd("that site has such an alert")
    return alert, alerts, site


def _move(facts: Facts) -> Solution:
    alert, _, site = yield from _target(facts)
    if stays := too_seldom(facts, alert):
        return stays
    yield do("move_alert", alert_id=facts["alert_id"], site_id=site["site_id"])
    return Reply(f"It now watches {site['name']}, by the station {site['station']}.", (site["station"],))


MOVE = WORDS.program("move_alert", _draw_move, _move, (SENT_OFTEN,))


def _copy(facts: Facts) -> Solution:
    alert, alerts, site = yield from _target(facts)
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    must(len(alerts) < customer["alert_limit"], "the plan is full")
    yield do(
        "create_alert",
        site_id=site["site_id"],
        measure=alert["measure"],
        threshold=alert["threshold"],
        channel=facts.get("channel", alert["channel"]),
    )
    text = measured(alert)
    return Reply(f"{site['name']} has the same alert now, at {text}, by {site['station']}.", (text, site["station"]))


COPY = WORDS.program(
    "copy_alert_to_site",
    _draw_move,
    _copy,
    (WORDS.twist("another channel there", "constraint", draw=one_of("channel", *CHANNELS)),),
)

ALERT_SITES = (PAUSE_SITE, CANCEL_IDLE, MOVE, COPY)
