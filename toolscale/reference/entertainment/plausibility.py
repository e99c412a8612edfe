"""What a box office would find odd in a set of entries, and how to make one entry odd."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolscale.reference.entertainment.schema import SCHEMA
from toolscale.reference.plausibility import Entries, OddityCheck, Plausibility
from toolscale.reference.program import Record
from toolscale.reference.sums import rounded

_SCALE = {"CHF": 1.2, "EUR": 1.0, "GBP": 1.0, "PLN": 4.5, "SEK": 12.0}


def booking_total(booking: Mapping[str, Any]) -> float:
    """All that a booking costs: tickets less discount, fees, protection."""
    tickets = booking["price_each"] * len(booking["seats"])
    return rounded(
        rounded(tickets * (100 - booking["discount_percent"]) / 100) + booking["fee_total"] + booking["protection_cost"]
    )


def _venue(record: Record, entries: Entries) -> Iterator[str]:
    if record["booking_fee"] > 6 * _SCALE[record["currency"]]:
        yield "no house charges such a booking fee"


def _performance(record: Record, entries: Entries) -> Iterator[str]:
    seats = [seat for zone in record["zones"] for seat in zone["free_seats"]]
    if len(set(seats)) != len(seats):
        yield "a seat is in two zones"
    venue = entries.get("venues", {}).get(record["venue_id"])
    for zone in record["zones"] if venue else ():
        if not 3 <= zone["price"] / _SCALE[venue["currency"]] <= 120:  # type: ignore[index]
            yield f"nobody asks {zone['price']} for a ticket"


def _priced(field: str, least: float, most: float) -> OddityCheck:
    def rule(record: Record, entries: Entries) -> Iterator[str]:
        if not least <= record[field] / _SCALE[record["currency"]] <= most:
            yield f"{record[field]} {record['currency']} is no price for it"

    return rule


def _title(record: Record, entries: Entries) -> Iterator[str]:
    if record["rate"] == "premiere" and record["included_in"]:
        yield "premieres are rented only"


def _booking(record: Record, entries: Entries) -> Iterator[str]:
    if abs(record["total"] - booking_total(record)) > 0.02:
        yield f"its parts come to {booking_total(record):.2f}, not {record['total']:.2f}"
    if len(record["seats"]) > 8:
        yield "nobody books so many seats at once"
    performance = entries.get("performances", {}).get(record["performance_id"])
    if record["booked_at"] > (performance["starts_at"] if performance else "2027-06"):
        yield "it was booked after the performance"
    free = [seat for zone in performance["zones"] for seat in zone["free_seats"]] if performance else []
    if record["status"] in ("confirmed", "on_resale") and set(record["seats"]) & set(free):
        yield "its seats are free"


_PLAUSIBILITY = Plausibility(
    SCHEMA,
    Path(__file__).with_name("plausible.yaml"),
    {
        "venues": _venue,
        "performances": _performance,
        "levels": _priced("yearly_price", 15, 200),
        "plans": _priced("monthly_price", 3, 30),
        "rental_rates": _priced("price", 1, 25),
        "titles": _title,
        "gift_cards": _priced("balance", 0, 400),
        "bookings": _booking,
        "rentals": _priced("price", 1, 25),
    },
)
implausible, blemish = _PLAUSIBILITY.implausible, _PLAUSIBILITY.blemish
