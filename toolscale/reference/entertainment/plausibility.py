"""What a box office would find odd in a set of entries, and how to make one entry odd."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.moments import NOW, age
from toolscale.reference.sums import rounded

Record = dict[str, Any]
Tables = Mapping[str, Mapping[str, Record]]

_SCALE = {"CHF": 1.2, "EUR": 1.0, "GBP": 1.0, "PLN": 4.5, "SEK": 12.0}


def booking_total(booking: Mapping[str, Any]) -> float:
    """All that a booking costs: tickets less discount, fees, protection."""
    tickets = booking["price_each"] * len(booking["seats"])
    return rounded(
        rounded(tickets * (100 - booking["discount_percent"]) / 100) + booking["fee_total"] + booking["protection_cost"]
    )


def implausible(entries: Database) -> list[str]:
    """One sentence for each oddity, judged on these entries alone; empty if all is natural."""
    tables: Any = entries
    return [
        f"{table} {key}: {reason}"
        for table, rule in _RULES.items()
        for key, record in tables.get(table, {}).items()
        for reason in rule(record, tables)
    ]


def blemish(entries: Database, rng: Random) -> None:
    """Make one entry odd in place: valid by the schema, its references intact, but nobody would believe it."""
    tables: Any = entries
    spoilable = [(table, key) for table in sorted(_SPOILS) for key in sorted(tables.get(table, {}))]
    table, key = rng.choice(spoilable)
    tables[table][key].update(_SPOILS[table])


def _venue(record: Record, entries: Tables) -> Iterator[str]:
    if record["booking_fee"] > 6 * _SCALE[record["currency"]]:
        yield "no house charges such a booking fee"
    if (record["exchange_fee"] is None) != (record["kind"] != "theatre"):
        yield "theatres exchange for a fee, other houses do not exchange"


def _show(record: Record, entries: Tables) -> Iterator[str]:
    if record["kind"] == "concert" and record["minutes"] > 200:
        yield "no concert lasts that long"
    if record["kind"] == "film" and record["minutes"] < 60:
        yield "no cinema shows a film that short on its own"


def _performance(record: Record, entries: Tables) -> Iterator[str]:
    if not "09:00" <= record["starts_at"][11:] <= "23:00":
        yield "nothing begins at that hour"
    if (record["status"] == "over") != (record["starts_at"] < NOW):
        yield "its state does not fit its time"
    seats = [seat for zone in record["zones"] for seat in zone["free_seats"]]
    if len(set(seats)) != len(seats):
        yield "a seat is in two zones"
    venue = entries.get("venues", {}).get(record["venue_id"])
    for zone in record["zones"] if venue else ():
        if not 3 <= zone["price"] / _SCALE[venue["currency"]] <= 120:  # type: ignore[index]
            yield f"nobody asks {zone['price']} for a ticket"


def _priced(field: str, least: float, most: float) -> Callable[[Record, Tables], Iterator[str]]:
    def rule(record: Record, entries: Tables) -> Iterator[str]:
        if not least <= record[field] / _SCALE[record["currency"]] <= most:
            yield f"{record[field]} {record['currency']} is no price for it"

    return rule


def _title(record: Record, entries: Tables) -> Iterator[str]:
    if record["rate"] == "premiere" and record["year"] < 2025:
        yield "it is no premiere any more"
    if record["rate"] == "premiere" and record["included_in"]:
        yield "premieres are rented only"


def _member(record: Record, entries: Tables) -> Iterator[str]:
    if not 16 <= age(record["birth_date"]) <= 100:
        yield "nobody of that age has an account"
    if record["joined_on"] > NOW[:10]:
        yield "the account is from the future"


def _membership(record: Record, entries: Tables) -> Iterator[str]:
    if record["valid_from"] >= record["valid_until"]:
        yield "it ends before it begins"


def _booking(record: Record, entries: Tables) -> Iterator[str]:
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


def _listing(record: Record, entries: Tables) -> Iterator[str]:
    booking = entries.get("bookings", {}).get(record["booking_id"])
    if booking and record["price_each"] > booking["price_each"]:
        yield "it is offered above the price paid"


def _waiting(record: Record, entries: Tables) -> Iterator[str]:
    if record["joined_at"] > NOW:
        yield "it was made in the future"


def _subscription(record: Record, entries: Tables) -> Iterator[str]:
    if record["started_on"] > NOW[:10] or record["next_billing"] <= record["started_on"]:
        yield "its dates run backwards"
    if (record["status"] == "paused") != (record["paused_on"] is not None) and record["status"] == "paused":
        yield "nobody knows since when it pauses"


def _rental(record: Record, entries: Tables) -> Iterator[str]:
    if record["start_by"] < record["rented_at"][:10]:
        yield "it ran out before it was rented"
    yield from _priced("price", 1, 25)(record, entries)


def _watch(record: Record, entries: Tables) -> Iterator[str]:
    if record["added_on"] > NOW[:10]:
        yield "it was added in the future"


_RULES: dict[str, Callable[[Record, Tables], Iterator[str]]] = {
    "venues": _venue,
    "shows": _show,
    "performances": _performance,
    "levels": _priced("yearly_price", 15, 200),
    "plans": _priced("monthly_price", 3, 30),
    "rental_rates": _priced("price", 1, 25),
    "titles": _title,
    "members": _member,
    "memberships": _membership,
    "gift_cards": _priced("balance", 0, 400),
    "bookings": _booking,
    "resale_listings": _listing,
    "waitlist": _waiting,
    "subscriptions": _subscription,
    "rentals": _rental,
    "watchlist": _watch,
}

_SPOILS: dict[str, Record] = {
    "venues": {"booking_fee": 990.0},
    "shows": {"kind": "concert", "minutes": 295},
    "performances": {"starts_at": "2026-12-02T03:40"},
    "levels": {"yearly_price": 99999.0},
    "plans": {"monthly_price": 0.01},
    "rental_rates": {"price": 8800.0},
    "titles": {"rate": "premiere", "year": 1948},
    "members": {"birth_date": "1871-03-04"},
    "memberships": {"valid_from": "2027-11-02", "valid_until": "2026-11-01"},
    "gift_cards": {"balance": 990000.0},
    "bookings": {"total": 0.01, "booked_at": "2029-01-01T10:00"},
    "waitlist": {"joined_at": "2031-01-01T10:00"},
    "subscriptions": {"started_on": "2031-05-01"},
    "rentals": {"price": 99999.0},
    "watchlist": {"added_on": "2031-05-01"},
}
