"""What the sports clubs' programs share: whose request it is, what they hold, and how money is spoken of."""

from collections.abc import Callable, Generator
from random import Random
from typing import Any

from toolscale.artifacts import Call
from toolscale.reference.kit import known, must
from toolscale.reference.moments import NOW, shifted
from toolscale.reference.program import Choice, Facts, World, choose, do, pick
from toolscale.reference.sums import limit_near

Record = dict[str, Any]
Step = Generator[Call | Choice, Any, Any]

WAYS = {"back to my card": "card", "to my account as credit": "credit"}
"""How members say where money shall go."""

IN_A_DAY, IN_TWO_DAYS = shifted(NOW, 24 * 60), shifted(NOW, 48 * 60)


def members(world: World, suits: Callable[[Record], bool] = lambda each: True) -> list[Record]:
    """Members whose membership is neither frozen nor ended and who suit."""
    return [each for each in world.rows("members") if not each["frozen_from"] and not each["ends_on"] and suits(each)]


def fit(world: World) -> list[Record]:
    """Such members without an open injury, as far as the excerpt shows."""
    hurt = {each["member_id"] for each in world.rows("injuries") if each["status"] == "open"}
    return members(world, lambda each: each["member_id"] not in hurt)


def city_of(world: World, club_id: str) -> str:
    """The city by which members call a club."""
    return str(known(world, "clubs", club_id)["city"])


def a_court_booking(
    world: World, rng: Random, suits: Callable[[Record], bool] = lambda each: True, status: str = "confirmed"
) -> Record:
    """A booking of that status; one to come can still be changed."""
    return pick(
        rng,
        [
            each
            for each in world.rows("court_bookings")
            if each["status"] == status and (status != "confirmed" or each["starts"] > IN_A_DAY) and suits(each)
        ],
    )


def club_in(city: str) -> Step:
    """The club of a city."""
    found = yield do("find_club", city=city)
    return (yield choose(found, key=lambda each: each["club_id"]))


def unless_said(facts: Facts, where: str) -> Facts:
    """No facts for a change of mind, but a dead end where it would change nothing."""
    must(way(facts) != where, "that is what was said before")
    return {}


def near_price(table: str, slot: str) -> Callable[[World, Random, Facts], Facts]:
    """A draw of the least sum that is worth it, near the price of what the slot names."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        return {"least": limit_near(rng, known(world, table, facts[slot])["price"], (0.3, 0.5, 0.7, 1.1))}

    return draw


def way(facts: Facts, slot: str = "way") -> str:
    """Card or credit, from the words for it."""
    must(facts[slot] in WAYS, f"nobody says {facts[slot]!r} of money")
    return WAYS[facts[slot]]
