"""Programs that ask about the weather, and alerts set up where it calls for one."""

from random import Random

from toolscale.reference.kit import known, must, one_of
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.weather.catalogue import CHANNELS, MEASURES
from toolscale.reference.weather.functions._shared import UNITS
from toolscale.reference.weather.programs.common import a_site, other_site, site_named
from toolscale.reference.words import words

WORDS = words(__file__)


def _compare(facts: Facts) -> Solution:
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


COMPARE = WORDS.program("compare_sites", _draw_compare, _compare)


def _wettest(facts: Facts) -> Solution:
    site = yield from site_named(facts)
    found = yield do("list_observations", station_id=site["station_id"])
    most = yield choose(found, key=lambda each: -each["rain_mm"])
    rain, gust = f"{most['rain_mm']} mm", f"{most['gust_kmh']} km/h"
    return Reply(f"Most fell on {most['day']}: {rain}, with gusts of {gust}.", (most["day"], rain, gust))


WETTEST = WORDS.program("wettest_of_last_days", a_site, _wettest)


def _create(facts: Facts) -> Solution:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    alerts = yield do("list_alerts", customer_id=facts["customer_id"])
    site = yield from site_named(facts)
    if any((each["site"], each["measure"]) == (facts["site"], facts["measure"]) for each in alerts):
        raise DeadEnd("there is one")
    must(len(alerts) < customer["alert_limit"], "the plan is full")
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


CREATE = WORDS.program(
    "create_alert",
    _draw_create,
    _create,
    (
        WORDS.twist("another channel", "change_of_mind", draw=one_of("channel", *CHANNELS)),
        WORDS.twist(
            "another threshold",
            "change_of_mind",
            draw=lambda world, rng, facts: {
                "threshold": pick(rng, [e for e in MEASURES[facts["measure"]][1] if e != facts["threshold"]])
            },
        ),
    ),
)


def _frost_watch(facts: Facts) -> Solution:
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
    known(world, "sites", alert["site_id"])
    return {
        "customer_id": alert["customer_id"],
        "alert_id": alert["alert_id"],
        "degrees": rng.choice((1, 2, 3, 4, 5)),
        "channel": pick(rng, [each for each in CHANNELS if each != alert["channel"]]),
    }


FROST_WATCH = WORDS.program("channel_if_it_gets_cold", _draw_watch, _frost_watch)

OUTLOOK = (COMPARE, WETTEST, CREATE, FROST_WATCH)
