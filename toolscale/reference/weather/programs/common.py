"""What the weather service's programs share: drawing entries, finding a site by its name, and twists."""

from collections.abc import Callable
from random import Random
from typing import Any

from toolscale.reference.kit import theirs
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Steps, World, choose, do, pick

Record = dict[str, Any]


def a_site(world: World, rng: Random) -> Facts:
    """Some site by its name, and whose it is."""
    site = pick(rng, world.rows("sites"))
    return {"customer_id": site["customer_id"], "site": site["name"]}


def other_site(world: World, rng: Random, customer_id: str, site_id: str) -> str:
    """The name of another site of the same customer."""
    return str(pick(rng, [each for each in theirs(world, "sites", customer_id) if each["site_id"] != site_id])["name"])


def site_named(facts: Facts, slot: str = "site") -> Steps:
    """Find a site of the customer's by its name."""
    sites = yield do("list_sites", customer_id=facts["customer_id"])
    return (yield choose([each for each in sites if each["name"] == facts[slot]], key=lambda each: each["site_id"]))


def station_named(facts: Facts) -> Steps:
    """Find a station by its full name."""
    found = yield do("find_station", name=facts["station"])
    return (yield choose([each for each in found if each["name"] == facts["station"]], key=lambda each: each["name"]))


def measured(alert: Record) -> str:
    """An alert's threshold as one says it."""
    return f"{alert['threshold']} {alert['unit']}"


def a_day(first: int, last: int, name: str = "day") -> Callable[..., Facts]:
    """A draw of a day between so many days from today, other than the one spoken of."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        return {name: pick(rng, [day(each) for each in range(first, last + 1) if day(each) != facts.get(name)])}

    return draw
