"""What a railwayman would find odd in a set of entries, and how to make one odd."""

from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from toolscale.reference.moments import minutes_between
from toolscale.reference.plausibility import Entries, Plausibility
from toolscale.reference.program import Record
from toolscale.reference.railway.functions._fares import BASE_PRICE
from toolscale.reference.railway.functions.changes import BICYCLE_PRICE
from toolscale.reference.railway.schema import SCHEMA


def party_price(
    service: Mapping[str, Any], fare: Mapping[str, Any], begin: int, end: int, travellers: int, discount: int
) -> float:
    """What a party pays, in EUR: a base price and the kilometres for each, a rail card's discount for its holder."""
    kilometres = service["kilometres"][end] - service["kilometres"][begin]
    each: float = round((BASE_PRICE + kilometres * service["rate_per_km"]) * fare["price_factor"], 2)
    return round(each * (travellers - 1) + round(each * (100 - discount) / 100, 2), 2)


def _trainset(record: Record, entries: Entries) -> Iterator[str]:
    for coach in record["coaches"]:
        if set(coach["window_seats"]) & set(coach["aisle_seats"]):
            yield f"coach {coach['number']} has a seat that is both at the window and on the aisle"


def _service(record: Record, entries: Entries) -> Iterator[str]:
    stops, arrivals, departures, kilometres = (record[x] for x in ("stops", "arrivals", "departures", "kilometres"))
    if not len(stops) == len(arrivals) == len(departures) == len(kilometres):
        yield "its stops, times and kilometres do not match in number"
        return
    if len(set(stops)) != len(stops):
        yield "it calls twice at the same station"
    if departures[0][:10] != record["travel_date"]:
        yield "it does not start on its date of travel"
    for index in range(1, len(stops)):
        minutes = minutes_between(departures[index - 1], arrivals[index])
        distance = kilometres[index] - kilometres[index - 1]
        if minutes <= 0 or distance <= 0 or departures[index] < arrivals[index]:
            yield f"its times or kilometres run backwards at {stops[index]}"
        elif not 35 <= distance / minutes * 60 <= 330:
            yield f"no train runs at {distance / minutes * 60:.0f} km/h to {stops[index]}"
    if not 0.03 <= record["rate_per_km"] <= 0.6:
        yield "nobody would ask that price a kilometre"
    if record["status"] == "scheduled" and record["delay_minutes"]:
        yield "it is on schedule and late at once"


def _passenger(record: Record, entries: Entries) -> Iterator[str]:
    age = (date(2026, 11, 23) - date.fromisoformat(record["birth_date"])).days / 365.25
    if not 15 <= age <= 105:
        yield f"an account holder of {age:.0f} years"


def _booking(record: Record, entries: Entries) -> Iterator[str]:
    service = entries.get("services", {}).get(record["service_id"])
    fare = entries.get("fares", {}).get(record["fare_id"])
    if not service:
        return
    stops = service["stops"]
    if record["origin"] not in stops or record["destination"] not in stops:
        yield "its train does not call there"
        return
    begin, end = stops.index(record["origin"]), stops.index(record["destination"])
    if begin >= end:
        yield "its train runs the other way"
    if record["booked_at"] > service["departures"][begin]:
        yield "it was booked after departure"
    if fare:
        price = party_price(service, fare, begin, end, record["travellers"], record["discount_percent"])
        price += BICYCLE_PRICE * record["bicycles"]
        if abs(price - record["price_total"]) > 0.005:
            yield f"tickets and bicycles come to {price:.2f} EUR, not {record['price_total']:.2f}"


def _claim(record: Record, entries: Entries) -> Iterator[str]:
    due = 50 if record["delay_minutes"] >= 120 else 25
    if record["delay_minutes"] < 60 or record["percent"] != due:
        yield f"{record['percent']}% is not due for {record['delay_minutes']} minutes"
    booking = entries.get("bookings", {}).get(record["booking_id"])
    if booking and abs(record["amount"] - round(booking["price_total"] * due / 100, 2)) > 0.005:
        yield "its amount is not that share of the price"


_PLAUSIBILITY = Plausibility(
    SCHEMA,
    Path(__file__).with_name("plausible.yaml"),
    {"trainsets": _trainset, "services": _service, "passengers": _passenger, "bookings": _booking, "claims": _claim},
    {"services": lambda service: {"arrivals": service["arrivals"][::-1]}},
)
implausible, blemish = _PLAUSIBILITY.implausible, _PLAUSIBILITY.blemish
