"""What tickets cost a member, which seats are free, and what a booking is worth when it is given back."""

from typing import Any

from ._shared import Database, _hours_before, _now, _performance_of, _today


def _level(db: Database, member_id: str) -> dict[str, Any] | None:
    today = _today().isoformat()
    for membership in db["memberships"].values():
        if membership["member_id"] == member_id and membership["valid_from"] <= today <= membership["valid_until"]:
            level: dict[str, Any] = db["levels"][membership["level_id"]]
            return level
    return None


def _zone(performance: dict[str, Any], name: str) -> dict[str, Any]:
    for zone in performance["zones"]:
        if zone["zone"] == name:
            found: dict[str, Any] = zone
            return found
    raise ValueError(f"this house has the zones {', '.join(each['zone'] for each in performance['zones'])}")


def _zone_of_seats(performance: dict[str, Any], seats: list[str]) -> dict[str, Any]:
    if not 1 <= len(seats) <= 8 or len(set(seats)) != len(seats):
        raise ValueError("name 1 to 8 seats, each once")
    for zone in performance["zones"]:
        if all(seat in zone["free_seats"] for seat in seats):
            found: dict[str, Any] = zone
            return found
    raise ValueError(f"{', '.join(seats)} are not all free in one zone; find_seats lists free seats")


def _in_order(seats: list[str]) -> list[str]:
    return sorted(seats, key=lambda seat: (seat[0], int(seat[1:])))


def _terms(db: Database, member_id: str, venue: dict[str, Any]) -> tuple[int, float]:
    level = _level(db, member_id)
    if level is None:
        return 0, float(venue["booking_fee"])
    return int(level["cinema_discount_percent" if venue["kind"] == "cinema" else "stage_discount_percent"]), 0.0


def _quote(db: Database, member_id: str, venue: dict[str, Any], price: float, count: int) -> dict[str, Any]:
    discount, fee = _terms(db, member_id, venue)
    tickets = round(price * count * (100 - discount) / 100, 2)
    return {
        "price_each": price,
        "discount_percent": discount,
        "fee_total": round(fee * count, 2),
        "total": round(tickets + fee * count, 2),
        "currency": venue["currency"],
    }


def _refund(db: Database, booking: dict[str, Any]) -> dict[str, Any]:
    performance, venue, _ = _performance_of(db, booking)
    tickets = round(booking["total"] - booking["fee_total"] - booking["protection_cost"], 2)
    starts = performance["starts_at"]
    if performance["status"] in ("cancelled", "postponed"):
        return {"refund": booking["total"], "refund_until": None, "reason": f"performance {performance['status']}"}
    if booking["protection_cost"]:
        until, reason = starts, "ticket protection: refunded until the performance begins, without fees"
    elif venue["kind"] == "cinema":
        until, reason = _hours_before(starts, 2), "cinema: refunded until two hours before, without booking fees"
    else:
        return {"refund": 0.0, "refund_until": None, "reason": f"{venue['kind']} tickets are not refunded"}
    return {"refund": tickets if _now() <= until else 0.0, "refund_until": until, "reason": reason}
