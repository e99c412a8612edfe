"""What a travel agent would find odd in a set of entries, and how to make one odd."""

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.moments import TODAY, age
from toolscale.reference.travel.prices import compensation, flight_price, premium, stay_price

Record = dict[str, Any]


def implausible(entries: Database) -> list[str]:
    """One sentence for each fault, judged on these entries alone; empty if all is well."""
    return [
        f"{table} {key}: {reason}"
        for table, rule in _RULES.items()
        for key, record in entries.get(table, {}).items()
        for reason in rule(record, entries)
    ]


def blemish(entries: Database, rng: Random) -> None:
    """Spoil one entry in place: still valid by the schema, its references whole, but implausible."""
    spoilable = [
        (table, key) for table, records in sorted(entries.items()) if table in _SPOILS for key in sorted(records)
    ]
    table, key = rng.choice(spoilable)
    entries[table][key].update(_SPOILS[table])


def _of(entries: Database, table: str, key: str) -> Any:
    return entries.get(table, {}).get(key)


def _days(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def _destination(record: Record, entries: Database) -> Iterator[str]:
    if not -11 <= record["utc_offset_hours"] <= 13:
        yield "no city keeps that time"
    if any(each["minutes"] > 180 for each in record["transfers"]):
        yield "no transfer takes that long"


def _carrier(record: Record, entries: Database) -> Iterator[str]:
    if not 10 <= record["bag_fee"] <= 120:
        yield "no airline asks that for a bag"


def _fare(record: Record, entries: Database) -> Iterator[str]:
    if not 0.4 <= record["price_factor"] <= 3:
        yield "no fare is that far from the classic one"


def _flight(record: Record, entries: Database) -> Iterator[str]:
    if record["origin"] == record["destination"]:
        yield "it goes nowhere"
    speed = record["distance_km"] / record["duration_minutes"] * 60
    if not 350 <= speed <= 980:
        yield f"no airliner covers {speed:.0f} km an hour from gate to gate"
    start, end = (_of(entries, "destinations", record[name]) for name in ("origin", "destination"))
    if start and end:
        shift = timedelta(hours=end["utc_offset_hours"] - start["utc_offset_hours"])
        there = datetime.fromisoformat(record["departure"]) + timedelta(minutes=record["duration_minutes"]) + shift
        if there != datetime.fromisoformat(record["arrival"]):
            yield "its local times and its duration do not agree"
    if record["status"] == "scheduled" and record["delay_minutes"]:
        yield "it is on schedule and late at once"


def _hotel(record: Record, entries: Database) -> Iterator[str]:
    if record["breakfast"] >= record["half_board"]:
        yield "half board costs no more than breakfast"
    if record["centre_km"] > 60:
        yield "it lies far outside of its city"


def _room(record: Record, entries: Database) -> Iterator[str]:
    if not 20 <= record["rate"] <= 1500:
        yield "no room costs that a night"


def _tour(record: Record, entries: Database) -> Iterator[str]:
    if record["nights"] > 30:
        yield "no guided tour is that long"


def _departure(record: Record, entries: Database) -> Iterator[str]:
    if record["start_date"] >= record["end_date"]:
        yield "it ends before it starts"
    tour = _of(entries, "tours", record["tour_id"])
    if tour and _days(record["start_date"], record["end_date"]) != tour["nights"]:
        yield "its days are not those of the tour"
    if tour and record["places_left"] > tour["group_size"]:
        yield "it has more places left than the group has"


def _insurance_product(record: Record, entries: Database) -> Iterator[str]:
    if record["maximum_age"] < 18:
        yield "nobody who may buy it is that young"


def _traveller(record: Record, entries: Database) -> Iterator[str]:
    if not 18 <= age(record["birth_date"]) <= 105:
        yield f"an account holder of {age(record['birth_date'])} years"
    if record["passport_number"][:2] != record["nationality"]:
        yield "the passport is another country's"


def _voucher(record: Record, entries: Database) -> Iterator[str]:
    if not 1 <= record["amount"] <= 5000:
        yield "no voucher is worth that"


def _flight_booking(record: Record, entries: Database) -> Iterator[str]:
    if not 20 <= record["price_total"] <= 30_000:
        yield f"nobody pays {record['price_total']:.2f} EUR for that"
    flight, fare = _of(entries, "flights", record["flight_id"]), _of(entries, "fares", record["fare_id"])
    if not flight:
        return
    if record["booked_at"] > flight["departure"]:
        yield "it was booked after departure"
    carrier = _of(entries, "carriers", flight["carrier_code"])
    if fare and carrier and not record["upgrade_paid_by"]:
        due = flight_price(flight, carrier, fare, record["cabin"], record["travellers"], record["extra_bags"])
        if abs(due - record["price_total"]) > 0.005:
            yield f"tickets and bags come to {due:.2f} EUR, not {record['price_total']:.2f}"


def _stay(record: Record, entries: Database) -> Iterator[str]:
    nights = _days(record["check_in"], record["check_out"])
    if not 1 <= nights <= 30:
        yield f"a stay of {nights} nights"
        return
    room = _of(entries, "rooms", record["room_id"])
    hotel = _of(entries, "hotels", room["hotel_id"]) if room else None
    if room and record["guests"] > room["sleeps"]:
        yield "more guests than the room sleeps"
    if room and hotel:
        due = stay_price(hotel, room, nights, record["guests"], record["rate"], record["board"])
        if abs(due - record["price_total"]) > 0.005:
            yield f"room and meals come to {due:.2f} EUR, not {record['price_total']:.2f}"


def _tour_booking(record: Record, entries: Database) -> Iterator[str]:
    if record["paid"] > record["price_total"]:
        yield "more was paid than it costs"
    departure = _of(entries, "departures", record["departure_id"])
    if departure and abs(departure["price"] * record["travellers"] - record["price_total"]) > 0.005:
        yield "its price is not that of its places"


def _waitlist(record: Record, entries: Database) -> Iterator[str]:
    if record["joined_at"][:10] > TODAY.isoformat():
        yield "somebody joined in the future"


def _insurance(record: Record, entries: Database) -> Iterator[str]:
    if record["start_date"] > record["end_date"]:
        yield "it ends before it starts"
        return
    product = _of(entries, "insurance_products", record["product_id"])
    if product:
        due = premium(product, record["trip_price"], _days(record["start_date"], record["end_date"]) + 1)
        if abs(due - record["premium"]) > 0.005:
            yield f"the premium would be {due:.2f} EUR"


def _application(record: Record, entries: Database) -> Iterator[str]:
    if record["submitted_on"] > TODAY.isoformat():
        yield "it was submitted in the future"
    if record["ready_by"] < record["submitted_on"]:
        yield "it is ready before it was submitted"


def _transfer(record: Record, entries: Database) -> Iterator[str]:
    if not 5 <= record["price"] <= 600:
        yield "nobody pays that for a transfer"


def _claim(record: Record, entries: Database) -> Iterator[str]:
    if record["delay_minutes"] < 180:
        yield "nothing is due for a delay of less than 180 minutes"
    booking = _of(entries, "flight_bookings", record["booking_id"])
    flight = _of(entries, "flights", booking["flight_id"]) if booking else None
    if booking and flight:
        due = compensation(flight["distance_km"], record["delay_minutes"]) * booking["travellers"]
        if abs(due - record["amount"]) > 0.005:
            yield f"{due:.2f} EUR would be due"


def _complaint(record: Record, entries: Database) -> Iterator[str]:
    stay = _of(entries, "stays", record["stay_id"])
    if record["amount"] > 2000 or (stay and record["amount"] > stay["price_total"]):
        yield "the remedy is out of proportion"


_RULES: dict[str, Callable[[Record, Database], Iterator[str]]] = {
    "destinations": _destination,
    "carriers": _carrier,
    "fares": _fare,
    "flights": _flight,
    "hotels": _hotel,
    "rooms": _room,
    "tours": _tour,
    "departures": _departure,
    "insurance_products": _insurance_product,
    "travellers": _traveller,
    "vouchers": _voucher,
    "flight_bookings": _flight_booking,
    "stays": _stay,
    "tour_bookings": _tour_booking,
    "waitlist": _waitlist,
    "insurances": _insurance,
    "visa_applications": _application,
    "transfers": _transfer,
    "claims": _claim,
    "complaints": _complaint,
}

_SPOILS: dict[str, Record] = {
    "destinations": {"utc_offset_hours": 14},
    "carriers": {"bag_fee": 900.0},
    "fares": {"price_factor": 78.0},
    "flights": {"duration_minutes": 31, "distance_km": 9200},
    "hotels": {"breakfast": 140.0, "half_board": 12.0},
    "rooms": {"rate": 2.5},
    "tours": {"nights": 240},
    "departures": {"start_date": "2027-01-09", "end_date": "2027-01-02"},
    "insurance_products": {"maximum_age": 7},
    "travellers": {"birth_date": "1871-03-04"},
    "vouchers": {"amount": 99_999.0},
    "flight_bookings": {"price_total": 0.5},
    "stays": {"check_in": "2026-12-20", "check_out": "2026-12-12"},
    "tour_bookings": {"paid": 90_000.0},
    "waitlist": {"joined_at": "2028-02-01T10:00"},
    "insurances": {"start_date": "2027-03-09", "end_date": "2027-03-01"},
    "visa_applications": {"submitted_on": "2028-02-01"},
    "transfers": {"price": 4800.0},
    "claims": {"delay_minutes": 12},
    "complaints": {"amount": 88_000.0},
}
