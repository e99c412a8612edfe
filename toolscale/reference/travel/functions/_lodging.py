"""What a stay costs, whether a room is free, and what a cancellation would bring back."""

from datetime import date, timedelta
from typing import Any

from ._shared import Database, _day, _find, _today

SAVER_SHARE = 0.88
LONGEST_STAY = 30


def _price(db: Database, room: dict[str, Any], nights: int, guests: int, rate: str, board: str) -> float:
    if rate not in ("flexible", "saver") or board not in ("room_only", "breakfast", "half_board"):
        raise ValueError("rate must be flexible or saver, and board room_only, breakfast or half_board")
    night = round(room["rate"] * (SAVER_SHARE if rate == "saver" else 1) + 1e-9, 2)
    meals = 0.0 if board == "room_only" else db["hotels"][room["hotel_id"]][board]
    return float(round(night * nights + meals * guests * nights, 2))


def _nights(check_in: str, check_out: str) -> int:
    first, last = _day(check_in), _day(check_out)
    if first < _today():
        raise ValueError(f"{check_in} is past")
    if not 1 <= (last - first).days <= LONGEST_STAY:
        raise ValueError(f"a stay has 1 to {LONGEST_STAY} nights, and check-out comes after check-in")
    return (last - first).days


def _free(db: Database, room: dict[str, Any], check_in: str, check_out: str, besides: str = "") -> int:
    taken = sum(
        stay["room_id"] == room["room_id"]
        and stay["status"] == "confirmed"
        and stay["stay_id"] != besides
        and stay["check_in"] < check_out
        and check_in < stay["check_out"]
        for stay in db["stays"].values()
    )
    return int(room["count"] - taken)


def _free_until(db: Database, stay: dict[str, Any]) -> date:
    hotel = db["hotels"][db["rooms"][stay["room_id"]]["hotel_id"]]
    return _day(stay["check_in"]) - timedelta(days=hotel["free_cancellation_days"])


def _stay_refund(db: Database, stay: dict[str, Any]) -> float:
    if stay["rate"] == "saver" or _day(stay["check_in"]) <= _today():
        return 0.0
    if _today() <= _free_until(db, stay):
        return float(stay["price_total"])
    nights = (_day(stay["check_out"]) - _day(stay["check_in"])).days
    return float(round(stay["price_total"] * (nights - 1) / nights + 1e-9, 2))


def _changeable(db: Database, stay_id: str) -> dict[str, Any]:
    stay = _find(db, "stays", stay_id, "stay")
    if stay["status"] != "confirmed":
        raise ValueError(f"stay {stay_id} is {stay['status']}; only a confirmed one allows this")
    if _day(stay["check_in"]) <= _today():
        raise ValueError(f"stay {stay_id} has begun")
    return stay
