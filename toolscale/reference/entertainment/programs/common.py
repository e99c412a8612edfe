"""What the programs share: wording by voice, drawing members, evenings and bookings, and the steps of many a policy."""

from collections.abc import Callable
from random import Random
from typing import Any

from toolscale.reference.entertainment.catalogue import priced
from toolscale.reference.kit import known, somebody
from toolscale.reference.moments import NOW, age, minutes_between
from toolscale.reference.program import Facts, Record, Steps, World, choose, do, pick
from toolscale.reference.sums import limit_near
from toolscale.reference.words import words

WORDS = words(__file__)

Draw = Callable[[World, Random, Facts], Facts]
Suits = Callable[[Record, Record, Record], bool]


a_member = somebody("members")
"""Any member, for requests that say no more than that."""


def owner(world: World, rng: Random, rows: list[Record]) -> Facts:
    """The member whom one of the rows belongs to; where there is none in sight, anybody: the policy looks it up."""
    return {"member_id": pick(rng, rows or world.rows("members"))["member_id"]}


def another_member(world: World, rng: Random, facts: Facts) -> str:
    """The number of somebody else: whoever is in sight, else a friend whose number is well formed is nobody."""
    others = {row["seller_id"] for row in world.rows("resale_listings")} | {
        row["member_id"] for row in world.rows("members")
    }
    return str(pick(rng, sorted(each for each in others if each not in facts.values())))


def of_age(member: Record, record: Record) -> bool:
    """Whether the member may see the show or title."""
    return age(member["birth_date"]) >= int(record["age_rating"])


def longest_run(free_seats: list[str]) -> int:
    """How many free seats there are side by side at the most."""
    held = set(free_seats)
    most = 0
    for seat in free_seats:
        length = 1
        while f"{seat[0]}{int(seat[1:]) + length}" in held:
            length += 1
        most = max(most, length)
    return most


def performances_in(world: World, suits: Callable[[Record, Record], bool] = lambda p, v: True) -> list[Record]:
    """The performances in sight that are still to come; ``suits`` sees the performance and its venue."""
    found = []
    for row in world.rows("performances"):
        venue = world.get("venues", row["venue_id"])
        if row["status"] == "scheduled" and venue is not None and suits(row, venue):
            found.append(row)
    return found


def show_of(world: World, performance: Record) -> Record:
    """What is played; a dead end where it is out of sight."""
    return known(world, "shows", performance["show_id"])


def city_of(world: World, performance: Record) -> str:
    """Where it is played."""
    venue = known(world, "venues", performance["venue_id"])
    return str(venue["city"])


def an_evening(
    world: World, rng: Random, suits: Callable[[Record, Record], bool] = lambda p, v: True
) -> dict[str, Any]:
    """A member, a show in a city, its zone, and a number of seats that are free side by side; the performance too."""
    member = pick(rng, world.rows("members"))
    own = [p for p in performances_in(world, suits) if of_age(member, show_of(world, p))]
    near = [p for p in own if world.get("venues", p["venue_id"])["currency"] == member["currency"]]  # type: ignore[index]
    performance = pick(rng, near or own)
    zone = pick(rng, [each for each in performance["zones"] if longest_run(each["free_seats"]) >= 2])
    return {
        "member_id": member["member_id"],
        "title": show_of(world, performance)["title"],
        "city": city_of(world, performance),
        "zone": zone["zone"],
        "tickets": rng.randint(2, min(4, longest_run(zone["free_seats"]))),
        "date": performance["starts_at"][:10],
        "performance": performance,
        "price": zone["price"],
    }


def bookings_in(world: World, suits: Suits = lambda b, p, v: True, status: str = "confirmed") -> list[Record]:
    """Bookings in sight of a status; ``suits`` sees the booking, its performance and its venue."""
    found = []
    for row in world.rows("bookings"):
        performance = world.get("performances", row["performance_id"])
        venue = world.get("venues", performance["venue_id"]) if performance else None
        if performance and venue and row["status"] == status and suits(row, performance, venue):
            found.append(row)
    return found


def a_booking(suits: Suits = lambda b, p, v: True) -> Callable[[World, Random], Facts]:
    """A draw: a confirmed booking that suits, and whose it is."""

    def draw(world: World, rng: Random) -> Facts:
        row = pick(rng, bookings_in(world, suits))
        return {"member_id": row["member_id"], "booking_id": row["booking_id"]}

    return draw


def a_holder(suits: Suits = lambda b, p, v: True, status: str = "confirmed") -> Callable[[World, Random], Facts]:
    """A draw: only the member who has such a booking."""

    def draw(world: World, rng: Random) -> Facts:
        return {"member_id": pick(rng, bookings_in(world, suits, status))["member_id"]}

    return draw


def takes_place(booking: Record, performance: Record, venue: Record) -> bool:
    """The performance is neither cancelled nor postponed."""
    return bool(performance["status"] == "scheduled")


def for_several(booking: Record, performance: Record, venue: Record) -> bool:
    """It takes place, and there are seats that can be side by side."""
    return takes_place(booking, performance, venue) and len(booking["seats"]) > 1


def hours_ahead(performance: Record) -> float:
    """Hours until the performance begins."""
    return minutes_between(NOW, performance["starts_at"]) / 60


def seated(facts: Facts, performance_id: str, zone: str, tickets: int) -> Steps:
    """Step: seats side by side, in the front row of those that have some, or in the back row if that is wanted."""
    groups = yield do("find_seats", performance_id=performance_id, zone=zone, tickets=tickets)
    sign = -1 if facts.get("at_the_back") else 1
    return (yield choose(groups, key=lambda group: sign * ord(group["row"])))


def price_in(performance: Record, zone: str) -> float:
    """What a ticket costs in a zone of a performance as search_performances lists it."""
    return float(next(each["price"] for each in performance["zones"] if each["zone"] == zone))


def free_in(performance: Record, zone: str) -> int:
    """How many seats are free in a zone of a performance as search_performances lists it."""
    return int(next((each["free"] for each in performance["zones"] if each["zone"] == zone), 0))


def in_currency(name: str, *euros: float) -> Draw:
    """A twist's draw: one of some sums in EUR, as somebody would name it in the member's own currency."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        member = known(world, "members", facts["member_id"])
        return {name: priced(rng.choice(euros), member["currency"])}

    return draw


def near_total(world: World, rng: Random, facts: Facts) -> Facts:
    """A limit on a total, drawn around what the tickets cost."""
    return {"most_total": limit_near(rng, facts["price"] * facts["tickets"], (0.7, 1.1, 1.2, 1.4))}


def _another_booking(world: World, rng: Random, facts: Facts) -> Facts:
    others = [row["booking_id"] for row in bookings_in(world) if row["member_id"] == facts["member_id"]]
    return {"untouched": pick(rng, [each for each in others if each not in facts.values()])}


UNTOUCHED = WORDS.twist("another booking that stays as it is", "distractor", _another_booking)
AT_THE_BACK = WORDS.twist("at the back", "change_of_mind", sets={"at_the_back": True})
