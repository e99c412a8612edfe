"""What members do beside the courts: classes, hired equipment, matches they watch, and the injuries they bring home."""

from collections.abc import Mapping
from datetime import date, timedelta
from random import Random
from typing import Any

from toolscale.reference.ids import Ids
from toolscale.reference.moments import NOW, at, day, shifted, some_clock, some_day
from toolscale.reference.sport.catalogue import BODY_PARTS, CATEGORIES, CATEGORY_PRICES, CLASS_KINDS, LEVELS, SIDES
from toolscale.reference.sport.functions.injuries import WEEKS_OF_REST

Record = dict[str, Any]
Records = Mapping[str, Record]

_CLASSES_OF_A_COACH = 5


def classes(
    clubs: Records, coaches: Records, members: Records, plans: Records, harm: Records, ids: Ids, rng: Random
) -> tuple[dict[str, Record], dict[str, Record]]:
    """The classes of each coach, a few of them past, and who has a place or waits for one."""
    lessons: dict[str, Record] = {}
    for coach in coaches.values():
        offsets = [-rng.randint(2, 9), *rng.sample(range(2, 14), _CLASSES_OF_A_COACH - 1)]
        for number, offset in enumerate(offsets):
            activity = coach["activities"][number % 2]
            kind, key = CLASS_KINDS[activity], ids.hex("CS")
            starts = at(day(offset), some_clock(rng, "09:00", "20:00"))
            full = offset > 0 and rng.random() < 0.4
            lessons[key] = {
                "class_id": key,
                "club_id": coach["club_id"],
                "coach_id": coach["coach_id"],
                "activity": activity,
                "level": rng.choice(LEVELS),
                "starts": starts,
                "minutes": kind.minutes,
                "capacity": kind.capacity,
                "places_left": 0 if full else rng.randint(1, kind.capacity - 4),
                "price": kind.price,
            }
    return lessons, _places(lessons, members, plans, harm, ids, rng)


def _places(
    lessons: Records, members: Records, plans: Records, harm: Records, ids: Ids, rng: Random
) -> dict[str, Record]:
    places: dict[str, Record] = {}
    hurt = {each["member_id"] for each in harm.values() if each["status"] == "open"}
    for key, member in members.items():
        if member["frozen_from"] or key in hurt:
            continue
        near = [each for each in lessons.values() if each["club_id"] == member["home_club"]]
        days: set[str] = set()
        for lesson in rng.sample(near, rng.choice((2, 3, 3, 4))):
            if lesson["starts"][:10] in days:
                continue
            days.add(lesson["starts"][:10])
            past, full = lesson["starts"] < NOW, lesson["places_left"] == 0
            status = "attended" if past else "waiting" if full and rng.random() < 0.6 else "booked"
            free = status == "waiting" or plans[member["plan_id"]]["classes_included"]
            place, asked = ids.hex("CP"), shifted(min(lesson["starts"], NOW), -rng.randint(90, 9000))
            places[place] = {
                "place_id": place,
                "member_id": key,
                "class_id": lesson["class_id"],
                "status": status,
                "paid": 0.0 if free else lesson["price"],
                "asked_at": asked,
            }
    return places


def hires(members: Records, gear: Records, ids: Ids, rng: Random) -> dict[str, Record]:
    """Hires: some reserved, some out, some brought back; at most one of each kind of equipment at a time."""
    found: dict[str, Record] = {}
    machines: set[str] = set()
    for key, member in members.items():
        offers = [each for each in gear.values() if each["club_id"] == member["home_club"]]
        for equipment in rng.sample(offers, rng.choice((0, 1, 2, 2))):
            if member["frozen_from"] or equipment["equipment_id"] in machines:
                continue
            if equipment["stock"] <= 2:
                machines.add(equipment["equipment_id"])
            status = rng.choice(("reserved", "reserved", "out", "returned"))
            days = rng.choice((1, 2, 3, 5, 7, 10))
            first = {"reserved": rng.randint(2, 20), "out": -rng.randint(0, days - 1), "returned": -days - 3}[status]
            hire = ids.hex("HR")
            found[hire] = {
                "hire_id": hire,
                "member_id": key,
                "equipment_id": equipment["equipment_id"],
                "first_day": day(first),
                "days": days,
                "price": round(equipment["daily_rate"] * days, 2),
                "status": status,
            }
    return found


def matches(ids: Ids, rng: Random) -> dict[str, Record]:
    """Two home matches of each side, one in the next two weeks (now and then tomorrow), one after that."""
    found: dict[str, Record] = {}
    for number, side in enumerate(SIDES):
        rivals = [each.name for each in SIDES if each.sport == side.sport and each.name != side.name]
        first = day(1) if number % 5 == 2 else some_day(rng, 4, 13, weekdays="3567")
        for when, visitors in zip((first, some_day(rng, 17, 30, weekdays="567")), _two(rivals, rng), strict=True):
            key = ids.hex("MT")
            found[key] = {
                "match_id": key,
                "sport": side.sport,
                "home_side": side.name,
                "visitors": visitors,
                "arena": side.arena,
                "city": side.city,
                "starts": at(when, rng.choice(("18:00", "19:00", "19:30", "20:15"))),
                "categories": [
                    {"category": category, "price": price, "seats_left": rng.choice((2, 4, 9, 26, 58, 130))}
                    for category, price in zip(CATEGORIES, CATEGORY_PRICES[side.sport], strict=True)
                ],
            }
    return found


def _two(rivals: list[str], rng: Random) -> list[str]:
    return rng.sample(rivals, 2) if len(rivals) > 1 else rivals * 2


def tickets(members: Records, shows: Records, ids: Ids, rng: Random) -> dict[str, Record]:
    """What members hold for the matches to come."""
    found: dict[str, Record] = {}
    for key, member in members.items():
        if member["frozen_from"]:
            continue
        for match in rng.sample(sorted(shows.values(), key=lambda each: each["starts"]), rng.choice((0, 1, 2, 2))):
            offer, seats, ticket = (
                rng.choice(match["categories"][: rng.choice((2, 2, 3))]),
                rng.randint(1, 4),
                ids.hex("TK"),
            )
            found[ticket] = {
                "ticket_id": ticket,
                "member_id": key,
                "match_id": match["match_id"],
                "category": offer["category"],
                "seats": seats,
                "price": round(offer["price"] * seats, 2),
                "status": "valid",
                "refund_to": None,
            }
    return found


def injuries(members: Records, ids: Ids, rng: Random) -> dict[str, Record]:
    """Injuries: open ones, of which most may be cleared by now, and old ones."""
    found: dict[str, Record] = {}
    active = [key for key, member in members.items() if not member["frozen_from"]]
    for number, key in enumerate(rng.sample(active, 34)):
        part, injury = rng.choice(BODY_PARTS), ids.hex("IJ")
        rest, status = 7 * WEEKS_OF_REST[part], "cleared" if number % 4 == 3 else "open"
        ago = rng.randint(2, rest - 3) if number % 4 == 2 else rng.randint(rest + 3, rest + 14)
        ago += 90 if status == "cleared" else 0
        happened = date.fromisoformat(day(-ago))
        earliest = happened + timedelta(days=rest)
        found[injury] = {
            "injury_id": injury,
            "member_id": key,
            "body_part": part,
            "happened_on": happened.isoformat(),
            "earliest_return": earliest.isoformat(),
            "seen_on": (earliest + timedelta(days=4)).isoformat() if status == "cleared" else None,
            "status": status,
        }
    return found
