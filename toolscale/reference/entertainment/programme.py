"""The programme of the houses: performances with their zones, prices and the seats that are still free."""

from collections.abc import Iterator
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.entertainment.catalogue import (
    HOUSES,
    LEVELS,
    PLAN_PRICES,
    RATE_PRICES,
    SHOWS,
    TITLES,
    House,
    priced,
    tagged,
)
from toolscale.reference.entertainment.schema import CURRENCIES
from toolscale.reference.ids import Ids
from toolscale.reference.moments import at, some_day

Record = dict[str, Any]

LAYOUT = {
    "cinema": (("standard", "ABCD", 10, 1.0), ("premium", "EF", 8, 1.3)),
    "theatre": (("stalls", "ABCDE", 12, 1.0), ("circle", "FGH", 10, 0.8), ("gallery", "JK", 10, 0.5)),
    "concert_hall": (("stalls", "ABCDEF", 12, 1.0), ("circle", "GH", 12, 0.85), ("gallery", "JK", 12, 0.6)),
}
"""Kind of house -> its zones: rows from the front, seats a row, price as a share of the show's."""

_CLOCKS = {
    "cinema": ("14:00", "16:15", "18:30", "20:45", "21:15"),
    "theatre": ("15:00", "19:00", "19:30", "20:00"),
    "concert_hall": ("19:30", "20:00", "20:30"),
}
_UPCOMING = {"cinema": 4, "theatre": 5, "concert_hall": 2}


def houses(kind: str, rng: Random, ids: Ids) -> Database:
    """The houses of a kind, what they play, and when."""
    entries: dict[str, dict[str, Any]] = {"venues": {}, "shows": {}, "performances": {}}
    for house in (each for each in HOUSES if each.kind == kind):
        venue_id = f"VN-{house.key}"
        entries["venues"][venue_id] = {
            "venue_id": venue_id,
            **{field: getattr(house, field) for field in ("name", "kind", "city", "country", "currency", "address")},
            "booking_fee": house.booking_fee,
            "exchange_fee": house.exchange_fee,
        }
        for show in (each for each in SHOWS if house.key in each.houses):
            show_id = f"SH-{show.number}"
            entries["shows"][show_id] = {
                "show_id": show_id, "title": show.title, "kind": show.kind, "genre": show.genre,
                "minutes": show.minutes, "age_rating": show.age_rating,
            }  # fmt: skip
            for performance in _performances(house, show_id, show.price, rng, ids):
                entries["performances"][performance["performance_id"]] = performance
    return entries


def _performances(house: House, show_id: str, price: float, rng: Random, ids: Ids) -> Iterator[Record]:
    moments: set[str] = set()
    upcoming, past = _UPCOMING[house.kind], 1
    while len(moments) < upcoming + past:
        first, last = (-24, -2) if len(moments) < past else (1, 1) if len(moments) == past else (3, 26)
        moments.add(at(some_day(rng, first, last), rng.choice(_CLOCKS[house.kind])))
    for index, moment in enumerate(sorted(moments)):
        # a weekday's matinee is cheaper, a weekend's evening dearer
        factor = 0.85 if moment[11:] < "17:00" else rng.choice((0.95, 1.0, 1.0, 1.1))
        status = "over" if index < past else rng.choices(("scheduled", "cancelled", "postponed"), (80, 11, 9))[0]
        yield {
            "performance_id": ids.digits("PF"),
            "show_id": show_id,
            "venue_id": f"VN-{house.key}",
            "starts_at": moment,
            "status": status,
            "wheelchair_spaces_left": 0 if status == "over" else rng.choice((0, 1, 2, 2, 3)),
            "zones": [
                {
                    "zone": zone,
                    "price": priced(price * factor * share, house.currency),
                    "free_seats": [] if status == "over" or rng.random() < 0.16 else _free(rng, rows, width),
                }
                for zone, rows, width, share in LAYOUT[house.kind]
            ],
        }


def _free(rng: Random, rows: str, width: int) -> list[str]:
    """Free seats: in most rows a gap of up to six, wider towards the back."""
    found: list[str] = []
    for depth, row in enumerate(rows):
        length = min(width, rng.choice((0, 1, 2, 3, 3, 4)) + (depth > 0) + (depth > 2))
        start = rng.randint(1, width - length + 1)
        found += [f"{row}{seat}" for seat in range(start, start + length)]
    return found or [f"{rows[-1]}1", f"{rows[-1]}2"]


def seats_sold(kind: str, zone: str, free: list[str]) -> list[str]:
    """The seats of a zone that are not free, in order."""
    rows, width = next((rows, width) for name, rows, width, _ in LAYOUT[kind] if name == zone)
    every = [f"{row}{seat}" for row in rows for seat in range(1, width + 1)]
    return [seat for seat in every if seat not in free]


def streaming() -> Database:
    """The streaming catalogue, its plans and rental rates, and the levels of membership, in every currency."""
    order = ("basic", "standard", "family")
    entries: dict[str, dict[str, Any]] = {"levels": {}, "plans": {}, "rental_rates": {}, "titles": {}}
    for currency in CURRENCIES:
        for level, (price, cinema, stage) in LEVELS.items():
            key = f"LV-{level.upper()}-{currency}"
            entries["levels"][key] = {
                "level_id": key, "level": level, "currency": currency, "yearly_price": priced(price, currency),
                "cinema_discount_percent": cinema, "stage_discount_percent": stage,
            }  # fmt: skip
        for plan, (price, screens, downloads) in PLAN_PRICES.items():
            key = f"PL-{plan.upper()}-{currency}"
            entries["plans"][key] = {
                "plan_id": key, "plan": plan, "currency": currency, "monthly_price": tagged(price, currency),
                "screens": screens, "downloads": downloads,
            }  # fmt: skip
        for rate, (price, days) in RATE_PRICES.items():
            key = f"RR-{rate.upper()}-{currency}"
            entries["rental_rates"][key] = {
                "rate_id": key, "rate": rate, "currency": currency, "price": tagged(price, currency), "days": days,
            }  # fmt: skip
    for number, title in enumerate(TITLES):
        key, record = f"TI-{4100 + 7 * number}", title._asdict()
        plan = record.pop("smallest_plan")
        entries["titles"][key] = {
            "title_id": key, **record, "included_in": list(order[order.index(plan) :]) if plan else [],
        }  # fmt: skip
    return entries
