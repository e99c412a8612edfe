"""Classes: finding one, taking a place or waiting for one, giving it back."""

from typing import Any, Literal

from ._shared import Database, _day, _find, _hours_until, _may_play, _new_key, _now, _pay_out, _shift

WRITES = {"join_class", "leave_class"}

LEAVE_HOURS = 6
MOST_WAITING = 6


def _waiting(db: Database, class_id: str) -> list[dict[str, Any]]:
    found = [e for e in db["class_places"].values() if e["class_id"] == class_id and e["status"] == "waiting"]
    return sorted(found, key=lambda each: (each["asked_at"], each["place_id"]))


def _shown_class(db: Database, lesson: dict[str, Any]) -> dict[str, Any]:
    return {
        **lesson,
        "day": lesson["starts"][:10],
        "start": lesson["starts"][11:],
        "coach": db["coaches"][lesson["coach_id"]]["name"],
        "coach_email": db["coaches"][lesson["coach_id"]]["email"],
        "club": db["clubs"][lesson["club_id"]]["name"],
        "city": db["clubs"][lesson["club_id"]]["city"],
        "waiting": len(_waiting(db, lesson["class_id"])),
    }


def search_classes(
    db: Database,
    club_id: str,
    activity: Literal["yoga", "pilates", "indoor cycling", "aqua fitness", "boxing", "strength training"],
    first_day: str,
) -> list[dict[str, Any]]:
    """Classes of an activity in a club from a day on, in order of time, with the places left.

    club_id: from find_club.
    activity: what is done.
    first_day: YYYY-MM-DD; not in the past.
    """
    _find(db, "clubs", club_id, "club")
    since = max(_now(), _day(first_day).isoformat())
    found = [
        _shown_class(db, each)
        for each in db["classes"].values()
        if each["club_id"] == club_id and each["activity"] == activity and each["starts"] > since
    ]
    return sorted(found, key=lambda each: (each["starts"], each["class_id"]))


def get_class(db: Database, class_id: str) -> dict[str, Any]:
    """A class in full: time, coach, level, places left, how many are waiting.

    class_id: such as CS-4F82A1.
    """
    return _shown_class(db, _find(db, "classes", class_id, "class"))


def list_class_places(
    db: Database, member_id: str, status: Literal["booked", "waiting", "cancelled", "attended"] = "booked"
) -> list[dict[str, Any]]:
    """A member's places in classes of one status, in order of time; for waiting lists, with the position.

    member_id: whose places.
    status: which places.
    """
    _find(db, "members", member_id, "member")
    found = []
    for place in db["class_places"].values():
        if place["member_id"] == member_id and place["status"] == status:
            lesson = _shown_class(db, db["classes"][place["class_id"]])
            queue = [each["place_id"] for each in _waiting(db, place["class_id"])]
            found.append(
                {
                    "place_id": place["place_id"],
                    "class_id": place["class_id"],
                    "activity": lesson["activity"],
                    "city": lesson["city"],
                    "day": lesson["day"],
                    "start": lesson["start"],
                    "paid": place["paid"],
                    "position": queue.index(place["place_id"]) + 1 if status == "waiting" else None,
                }
            )
    return sorted(found, key=lambda each: (each["day"], each["start"], each["place_id"]))


def join_class(db: Database, member_id: str, class_id: str, waiting_list: bool = False) -> dict[str, Any]:
    """Take a place in a class, or one on the waiting list of a full class. Where the plan does not include classes,
    the price goes to the card on file; waiting costs nothing.

    member_id: who joins.
    class_id: from search_classes.
    waiting_list: true to wait for a place in a full class.
    """
    member, lesson = _find(db, "members", member_id, "member"), _find(db, "classes", class_id, "class")
    if lesson["starts"] <= _now():
        raise ValueError("the class has begun")
    _may_play(db, member, lesson["starts"][:10])
    for place in db["class_places"].values():
        if place["member_id"] == member_id and place["status"] in ("booked", "waiting"):
            other = db["classes"][place["class_id"]]
            if other["class_id"] == class_id:
                raise ValueError(f"the member is {place['status']} in {class_id} already")
            begins, ends = other["starts"], _shift(other["starts"], other["minutes"])
            if (
                place["status"] == "booked"
                and begins < _shift(lesson["starts"], lesson["minutes"])
                and lesson["starts"] < ends
            ):
                raise ValueError(f"{place['place_id']} is a place in another class at that time")
    waiting = _waiting(db, class_id)
    if waiting_list != (lesson["places_left"] == 0):
        raise ValueError(f"{lesson['places_left']} places are left; only a full class has a waiting list")
    if waiting_list and len(waiting) >= MOST_WAITING:
        raise ValueError(f"{MOST_WAITING} members are waiting already")
    free = waiting_list or db["plans"][member["plan_id"]]["classes_included"]
    key = _new_key("CP")
    lesson["places_left"] -= 0 if waiting_list else 1
    db["class_places"][key] = {
        "place_id": key,
        "member_id": member_id,
        "class_id": class_id,
        "status": "waiting" if waiting_list else "booked",
        "paid": 0.0 if free else lesson["price"],
        "asked_at": _now(),
    }
    shown = _shown_class(db, lesson)
    return {
        **db["class_places"][key],
        "day": shown["day"],
        "start": shown["start"],
        "coach": shown["coach"],
        "position": len(waiting) + 1 if waiting_list else None,
    }


def leave_class(db: Database, place_id: str) -> dict[str, Any]:
    """Give back a place in a class until six hours before, or one on a waiting list at any time. What was paid becomes
    credit; the first on the waiting list moves up.

    place_id: a booked or waiting place.
    """
    place = _find(db, "class_places", place_id, "place in a class")
    lesson, member = db["classes"][place["class_id"]], db["members"][place["member_id"]]
    if place["status"] not in ("booked", "waiting") or lesson["starts"] <= _now():
        raise ValueError(f"{place_id} is {place['status']}, or the class has begun")
    if place["status"] == "booked":
        if _hours_until(lesson["starts"]) < LEAVE_HOURS:
            raise ValueError(f"the place could be given back until {_shift(lesson['starts'], -60 * LEAVE_HOURS)}")
        queue = _waiting(db, lesson["class_id"])
        if queue:
            queue[0]["status"] = "booked"
        else:
            lesson["places_left"] += 1
        _pay_out(member, place["paid"], "credit")
    place["status"] = "cancelled"
    return {"place_id": place_id, "refund": place["paid"], "credit": member["credit"], "start": lesson["starts"][11:]}
