"""What is on, where and when, and which seats are free at what price."""

from typing import Any, Literal

from ._prices import _in_order, _quote, _zone
from ._shared import Database, _day, _find, _now


def search_shows(
    db: Database, city: str, kind: Literal["film", "play", "musical", "concert"] | None = None, genre: str | None = None
) -> list[dict[str, Any]]:
    """Shows that are still on in a city, with their next performance. Search by title with search_performances.

    city: name of the city as its people write it, such as Wien.
    kind: only shows of this kind.
    genre: only shows of this genre, such as drama.
    """
    nexts: dict[str, str] = {}
    for performance in db["performances"].values():
        venue, starts = db["venues"][performance["venue_id"]], performance["starts_at"]
        if venue["city"] == city and performance["status"] == "scheduled" and starts > _now():
            nexts[performance["show_id"]] = min(starts, nexts.get(performance["show_id"], starts))
    found = []
    for show_id, starts in nexts.items():
        show = db["shows"][show_id]
        if kind in (None, show["kind"]) and genre in (None, show["genre"]):
            found.append({**show, "next_performance": starts})
    return sorted(found, key=lambda show: (show["next_performance"], show["show_id"]))


def search_performances(
    db: Database,
    title: str,
    city: str | None = None,
    from_date: str | None = None,
    to_date: str | None = None,
) -> list[dict[str, Any]]:
    """Scheduled performances of a show that are still to come, in order of time, with the price and the number of free
    seats of each zone.

    title: title of the show or a part of it of at least three letters.
    city: only in this city.
    from_date: first day, YYYY-MM-DD.
    to_date: last day, YYYY-MM-DD.
    """
    words = title.strip().lower()
    if len(words) < 3:
        raise ValueError("give at least three letters of the title")
    first, last = _day(from_date) if from_date else "", _day(to_date) if to_date else "9999"
    found = []
    for performance in db["performances"].values():
        show, venue = db["shows"][performance["show_id"]], db["venues"][performance["venue_id"]]
        starts = performance["starts_at"]
        if words not in show["title"].lower() or city not in (None, venue["city"]):
            continue
        if performance["status"] == "scheduled" and starts > _now() and first <= starts[:10] <= last:
            found.append(
                {
                    "performance_id": performance["performance_id"],
                    "title": show["title"],
                    "venue": venue["name"],
                    "city": venue["city"],
                    "starts_at": starts,
                    "currency": venue["currency"],
                    "zones": [
                        {"zone": zone["zone"], "price": zone["price"], "free": len(zone["free_seats"])}
                        for zone in performance["zones"]
                    ],
                }
            )
    return sorted(found, key=lambda each: (each["starts_at"], each["performance_id"]))


def get_performance(db: Database, performance_id: str) -> dict[str, Any]:
    """A performance in full: show, venue, address, time, state, fees, prices, how many seats are free in each zone, and
    which offers there are on resale.

    performance_id: such as PF-48213.
    """
    performance = _find(db, "performances", performance_id, "performance")
    show, venue = db["shows"][performance["show_id"]], db["venues"][performance["venue_id"]]
    offered = [
        listing["listing_id"]
        for listing in db["resale_listings"].values()
        if listing["status"] == "open" and db["bookings"][listing["booking_id"]]["performance_id"] == performance_id
    ]
    return {
        **performance,
        "title": show["title"],
        "minutes": show["minutes"],
        "age_rating": show["age_rating"],
        "venue": venue["name"],
        "zones": [
            {"zone": zone["zone"], "price": zone["price"], "free": len(zone["free_seats"])}
            for zone in performance["zones"]
        ],
        "kind_of_venue": venue["kind"],
        "city": venue["city"],
        "address": venue["address"],
        "currency": venue["currency"],
        "booking_fee": venue["booking_fee"],
        "resale_listings": offered,
    }


def find_seats(
    db: Database,
    performance_id: str,
    zone: Literal["standard", "premium", "stalls", "circle", "gallery"],
    tickets: int,
) -> list[dict[str, Any]]:
    """Free seats side by side: the first such group of every row of a zone, from the front row to the back.

    performance_id: a scheduled performance.
    zone: cinemas have standard and premium; theatres and concert halls stalls, circle and gallery.
    tickets: how many seats side by side, 1 to 8.
    """
    performance = _find(db, "performances", performance_id, "performance")
    if performance["status"] != "scheduled":
        raise ValueError(f"this performance is {performance['status']}")
    if not 1 <= tickets <= 8:
        raise ValueError("1 to 8 seats are found at a time")
    wanted = _zone(performance, zone)
    found: dict[str, list[str]] = {}
    run: list[str] = []
    for seat in _in_order(wanted["free_seats"]):
        near = run and run[-1][0] == seat[0] and int(run[-1][1:]) + 1 == int(seat[1:])
        run = [*run, seat] if near else [seat]
        if len(run) >= tickets:
            found.setdefault(seat[0], run[-tickets:])
    if not found:
        raise ValueError(f"there are no {tickets} seats side by side in the {zone}")
    return [{"row": row, "seats": seats, "price_each": wanted["price"]} for row, seats in found.items()]


def quote_tickets(
    db: Database,
    member_id: str,
    performance_id: str,
    zone: Literal["standard", "premium", "stalls", "circle", "gallery"],
    tickets: int,
) -> dict[str, Any]:
    """What a member would pay for tickets, with the discount and the waived fees of their membership.

    member_id: who would book.
    performance_id: a performance.
    zone: zone of the house.
    tickets: how many, 1 to 8.
    """
    _find(db, "members", member_id, "member")
    performance = _find(db, "performances", performance_id, "performance")
    if not 1 <= tickets <= 8:
        raise ValueError("1 to 8 tickets are sold at a time")
    venue = db["venues"][performance["venue_id"]]
    return _quote(db, member_id, venue, _zone(performance, zone)["price"], tickets)
