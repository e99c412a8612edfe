"""What a travel agent would find odd in a set of entries, and how to make one odd."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from toolscale.reference.plausibility import Entries, Plausibility
from toolscale.reference.program import Record
from toolscale.reference.travel.prices import compensation, flight_price, premium, stay_price
from toolscale.reference.travel.schema import SCHEMA


def _of(entries: Entries, table: str, key: str) -> Any:
    return entries.get(table, {}).get(key)


def _days(first: str, last: str) -> int:
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def _destination(record: Record, entries: Entries) -> Iterator[str]:
    if any(each["minutes"] > 180 for each in record["transfers"]):
        yield "no transfer takes that long"


def _flight(record: Record, entries: Entries) -> Iterator[str]:
    speed = record["distance_km"] / record["duration_minutes"] * 60
    if not 350 <= speed <= 980:
        yield f"no airliner covers {speed:.0f} km an hour from gate to gate"
    start, end = (_of(entries, "destinations", record[name]) for name in ("origin", "destination"))
    if start and end:
        shift = timedelta(hours=end["utc_offset_hours"] - start["utc_offset_hours"])
        there = datetime.fromisoformat(record["departure"]) + timedelta(minutes=record["duration_minutes"]) + shift
        if there != datetime.fromisoformat(record["arrival"]):
            yield "its local times and its duration do not agree"


def _departure(record: Record, entries: Entries) -> Iterator[str]:
    tour = _of(entries, "tours", record["tour_id"])
    if tour and _days(record["start_date"], record["end_date"]) != tour["nights"]:
        yield "its days are not those of the tour"


def _traveller(record: Record, entries: Entries) -> Iterator[str]:
    if record["passport_number"][:2] != record["nationality"]:
        yield "the passport is another country's"


def _flight_booking(record: Record, entries: Entries) -> Iterator[str]:
    flight, fare = _of(entries, "flights", record["flight_id"]), _of(entries, "fares", record["fare_id"])
    if not flight:
        return
    carrier = _of(entries, "carriers", flight["carrier_code"])
    if fare and carrier and not record["upgrade_paid_by"]:
        due = flight_price(flight, carrier, fare, record["cabin"], record["travellers"], record["extra_bags"])
        if abs(due - record["price_total"]) > 0.005:
            yield f"tickets and bags come to {due:.2f} EUR, not {record['price_total']:.2f}"


def _stay(record: Record, entries: Entries) -> Iterator[str]:
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


def _tour_booking(record: Record, entries: Entries) -> Iterator[str]:
    departure = _of(entries, "departures", record["departure_id"])
    if departure and abs(departure["price"] * record["travellers"] - record["price_total"]) > 0.005:
        yield "its price is not that of its places"


def _insurance(record: Record, entries: Entries) -> Iterator[str]:
    if record["start_date"] > record["end_date"]:
        return
    product = _of(entries, "insurance_products", record["product_id"])
    if product:
        due = premium(product, record["trip_price"], _days(record["start_date"], record["end_date"]) + 1)
        if abs(due - record["premium"]) > 0.005:
            yield f"the premium would be {due:.2f} EUR"


def _claim(record: Record, entries: Entries) -> Iterator[str]:
    booking = _of(entries, "flight_bookings", record["booking_id"])
    flight = _of(entries, "flights", booking["flight_id"]) if booking else None
    if booking and flight:
        due = compensation(flight["distance_km"], record["delay_minutes"]) * booking["travellers"]
        if abs(due - record["amount"]) > 0.005:
            yield f"{due:.2f} EUR would be due"


def _complaint(record: Record, entries: Entries) -> Iterator[str]:
    stay = _of(entries, "stays", record["stay_id"])
    if record["amount"] > 2000 or (stay and record["amount"] > stay["price_total"]):
        yield "the remedy is out of proportion"


_PLAUSIBILITY = Plausibility(
    SCHEMA,
    Path(__file__).with_name("plausible.yaml"),
    {
        "destinations": _destination,
        "flights": _flight,
        "departures": _departure,
        "travellers": _traveller,
        "flight_bookings": _flight_booking,
        "stays": _stay,
        "tour_bookings": _tour_booking,
        "insurances": _insurance,
        "claims": _claim,
        "complaints": _complaint,
    },
)
implausible, blemish = _PLAUSIBILITY.implausible, _PLAUSIBILITY.blemish
