"""Programs that ask about the weather, and alerts set up where it calls for one."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.weather.catalogue import CHANNELS, MEASURES
from toolscale.reference.weather.programs.common import UNITS, a_site, one_of, other_site, says, seen, site_named


def _compare(facts: Facts) -> Policy:
    first = yield from site_named(facts)
    second = yield from site_named(facts, "other")
    found = []
    for site in (first, second):
        found.append((yield do("get_site_weather", site_id=site["site_id"], day=facts["day"])))
    warmer = yield choose(found, key=lambda each: each["gust_kmh"] if facts.get("calm") else -each["high_c"])
    highs = tuple(f"{each['high_c']} °C" for each in found)
    gust = f"{warmer['gust_kmh']} km/h"
    return Reply(f"{warmer['site']} it is: highs of {' and '.join(highs)}, and there gusts of {gust}.", (*highs, gust))


def _draw_compare(world: World, rng: Random) -> Facts:
    facts = a_site(world, rng)
    site = next(
        each
        for each in world.rows("sites")
        if each["name"] == facts["site"] and each["customer_id"] == facts["customer_id"]
    )
    other = other_site(world, rng, facts["customer_id"], site["site_id"])
    return {**facts, "other": other, "day": day(rng.randint(1, 5))}


COMPARE = Program(
    "compare_sites",
    "Find out which of two sites will be warmer",
    says(
        "Where will it be warmer on {day:date}, at {site} or at {other}? Please tell me the forecast high of both and "
        "the strongest gust at the warmer one.",
        "{day:date}: {site} or {other} warmer? both highs + max gust at the warmer one.",
        "I can be at {site} or at {other} on {day:date}, and I choose by the warmth! What is the high at each of them, "
        "and how strong do the gusts get at the warmer one?",
        "Please state the highs forecast for {site} and for {other} on {day:date}, and the strongest gust at the "
        "warmer of the two.",
    ),
    _draw_compare,
    _compare,
)


def _wettest(facts: Facts) -> Policy:
    site = yield from site_named(facts)
    found = yield do("list_observations", station_id=site["station_id"])
    most = yield choose(found, key=lambda each: -each["rain_mm"])
    rain, gust = f"{most['rain_mm']} mm", f"{most['gust_kmh']} km/h"
    return Reply(f"Most fell on {most['day']}: {rain}, with gusts of {gust}.", (most["day"], rain, gust))


WETTEST = Program(
    "wettest_of_last_days",
    "Learn on which of the last days most rain fell at a site",
    says(
        "I need it for [my insurance|my diary of the works]: on which of the last five days did most rain fall at "
        "{site}, how much was it, and how strong were the gusts that day?",
        "{site}: wettest of the last five days? date, mm, max gust.",
        "The cellar is wet and nobody wants to have seen it coming! On which of the last five days did it rain the "
        "most at {site}, how much, and what were the gusts like that day?",
        "Please state on which of the past five days most rain was recorded for {site}, the amount, and the strongest "
        "gust of that day.",
    ),
    a_site,
    _wettest,
)


def _create(facts: Facts) -> Policy:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    alerts = yield do("list_alerts", customer_id=facts["customer_id"])
    site = yield from site_named(facts)
    if any((each["site"], each["measure"]) == (facts["site"], facts["measure"]) for each in alerts):
        raise DeadEnd("there is one")
    if len(alerts) >= customer["alert_limit"]:
        raise DeadEnd("the plan is full")
    yield do(
        "create_alert",
        site_id=site["site_id"],
        measure=facts["measure"],
        threshold=facts["threshold"],
        channel=facts["channel"],
    )
    return Reply(f"It is set up, by the station {site['station']}.", (site["station"],))


def _draw_create(world: World, rng: Random) -> Facts:
    facts, measure = a_site(world, rng), rng.choice(list(MEASURES))
    return {
        **facts,
        "measure": measure,
        "threshold": rng.choice(MEASURES[measure][1]),
        "unit": UNITS[measure],
        "channel": rng.choice(CHANNELS),
    }


CREATE = Program(
    "create_alert",
    "Set up an alert for a site",
    says(
        "Please set up a {measure} alert for {site}, [threshold|with a threshold of] {threshold:int} {unit}, by "
        "{channel}. Which station is it based on?",
        "new {measure} alert for {site}: {threshold:int} {unit}, by {channel}. which station?",
        "Last year it caught us in our slippers! So set up a {measure} alert for {site}, please, at {threshold:int} "
        "{unit}, by {channel}, and which station do you watch for it?",
        "I request a {measure} alert for {site} with a threshold of {threshold:int} {unit}, sent by {channel}; please "
        "name the station used.",
        non_native="I need one {measure} alert for {site} from {threshold:int} {unit}, send it by {channel}; which "
        "station is it?",
    ),
    _draw_create,
    _create,
    (
        Twist(
            "another channel",
            "change_of_mind",
            says(
                "[No, better|On reflection], send it by {channel}.",
                "no: by {channel}.",
                "Oh, I never hear that, so rather send it by {channel}!",
                "I revise the channel: it shall be {channel}.",
            ),
            draw=one_of("channel", *CHANNELS),
        ),
        Twist(
            "another threshold",
            "change_of_mind",
            says(
                "[Wait, one correction|Hm, no]: take {threshold:int} as the threshold.",
                "threshold {threshold:int} instead.",
                "My neighbour says {threshold:int} is the better threshold, so take that!",
                "As the threshold, {threshold:int} is to be set instead.",
            ),
            draw=lambda world, rng, facts: {
                "threshold": pick(rng, [e for e in MEASURES[facts["measure"]][1] if e != facts["threshold"]])
            },
        ),
    ),
)


def _frost_watch(facts: Facts) -> Policy:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    sites = yield do("list_sites", customer_id=facts["customer_id"])
    site = yield choose([each for each in sites if each["site_id"] == alert["site_id"]], key=lambda each: 0)
    found = yield do("list_forecasts", station_id=site["station_id"])
    coldest = yield choose(found, key=lambda each: each["low_c"])
    low = f"{coldest['low_c']} °C"
    if coldest["low_c"] > facts["degrees"]:
        return Reply(f"I left it: the lowest forecast is {low}, on {coldest['day']}.", (low, coldest["day"]))
    if alert["channel"] == facts["channel"] or alert["status"] == "cancelled":
        raise DeadEnd("nothing to change")
    yield do("change_channel", alert_id=facts["alert_id"], channel=facts["channel"])
    return Reply(f"Done: the lowest forecast is {low}, on {coldest['day']}.", (low, coldest["day"]))


def _draw_watch(world: World, rng: Random) -> Facts:
    alert = pick(
        rng, [e for e in world.rows("alerts") if e["measure"] in ("frost", "snow") and e["status"] != "cancelled"]
    )
    seen(world, "sites", alert["site_id"])
    return {
        "customer_id": alert["customer_id"],
        "alert_id": alert["alert_id"],
        "degrees": rng.choice((1, 2, 3, 4, 5)),
        "channel": pick(rng, [each for each in CHANNELS if each != alert["channel"]]),
    }


FROST_WATCH = Program(
    "channel_if_it_gets_cold",
    "Receive a frost or snow alert by another channel if it gets cold at its site",
    says(
        "[Look at the forecasts of the coming days|Check the forecasts first]: if it gets as cold as {degrees:int} °C "
        "or colder at the site of {alert_id}, send that one by {channel}; if not, leave it. What low is forecast, and "
        "for what day?",
        "if the coming forecasts at the site of {alert_id} go down to {degrees:int} °C or lower: send it by {channel}, "
        "else leave. lowest value + day?",
        "The cold gets into everything here! If any forecast at the site of {alert_id} goes down to {degrees:int} °C "
        "or lower, send me that one by {channel}, or else leave it, and how cold does it get and when?",
        "Should the forecasts for the site of {alert_id} fall to {degrees:int} °C or lower, the same is to be sent by "
        "{channel}; state in any case the lowest temperature forecast and its day.",
    ),
    _draw_watch,
    _frost_watch,
)

OUTLOOK = (COMPARE, WETTEST, CREATE, FROST_WATCH)
