"""What a railwayman would find odd in a set of entries, and how to make one odd."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from random import Random
from typing import Any

from toolscale.artifacts import Database

Record = dict[str, Any]
BASE_PRICE = 7.90
BICYCLE_PRICE = 11.90


def party_price(
    service: Mapping[str, Any], fare: Mapping[str, Any], begin: int, end: int, travellers: int, discount: int
) -> float:
    """What a party pays, in EUR: a base price and the kilometres for each, a rail card's discount for its holder."""
    kilometres = service["kilometres"][end] - service["kilometres"][begin]
    each: float = round((BASE_PRICE + kilometres * service["rate_per_km"]) * fare["price_factor"], 2)
    return round(each * (travellers - 1) + round(each * (100 - discount) / 100, 2), 2)


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
    _SPOILS[table](entries[table][key])


def _minutes(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() / 60


def _station(record: Record, entries: Database) -> Iterator[str]:
    if record["platforms"] > 60:
        yield "no station has that many platforms"
    if record["assistance_from"] >= record["assistance_until"]:
        yield "the assistance desk closes before it opens"


def _lounge(record: Record, entries: Database) -> Iterator[str]:
    if record["opens"] >= record["closes"]:
        yield "the lounge closes before it opens"
    if not 10 <= record["visit_fee"] <= 60:
        yield "no lounge charges that for a visit"


def _trainset(record: Record, entries: Database) -> Iterator[str]:
    if record["top_speed_kmh"] > 360:
        yield "no train is that fast"
    for coach in record["coaches"]:
        if set(coach["window_seats"]) & set(coach["aisle_seats"]):
            yield f"coach {coach['number']} has a seat that is both at the window and on the aisle"


def _fare(record: Record, entries: Database) -> Iterator[str]:
    if not 0.4 <= record["price_factor"] <= 3:
        yield "no fare is that far from the standard price"


def _card_product(record: Record, entries: Database) -> Iterator[str]:
    if record["minimum_age"] > record["maximum_age"]:
        yield "nobody is of the age for it"


def _service(record: Record, entries: Database) -> Iterator[str]:
    stops, arrivals, departures, kilometres = (record[x] for x in ("stops", "arrivals", "departures", "kilometres"))
    if not len(stops) == len(arrivals) == len(departures) == len(kilometres):
        yield "its stops, times and kilometres do not match in number"
        return
    if len(set(stops)) != len(stops):
        yield "it calls twice at the same station"
    if departures[0][:10] != record["travel_date"]:
        yield "it does not start on its date of travel"
    for index in range(1, len(stops)):
        minutes = _minutes(departures[index - 1], arrivals[index])
        distance = kilometres[index] - kilometres[index - 1]
        if minutes <= 0 or distance <= 0 or departures[index] < arrivals[index]:
            yield f"its times or kilometres run backwards at {stops[index]}"
        elif not 35 <= distance / minutes * 60 <= 330:
            yield f"no train runs at {distance / minutes * 60:.0f} km/h to {stops[index]}"
    if not 0.03 <= record["rate_per_km"] <= 0.6:
        yield "nobody would ask that price a kilometre"
    if record["status"] == "scheduled" and record["delay_minutes"]:
        yield "it is on schedule and late at once"


def _disruption(record: Record, entries: Database) -> Iterator[str]:
    if record["delay_minutes"] > 600:
        yield "a train that late would have been cancelled"
    service = entries.get("services", {}).get(record["service_id"])
    if service and service["delay_minutes"] != record["delay_minutes"]:
        yield "the train's own delay is another"


def _passenger(record: Record, entries: Database) -> Iterator[str]:
    age = (date(2026, 11, 23) - date.fromisoformat(record["birth_date"])).days / 365.25
    if not 15 <= age <= 105:
        yield f"an account holder of {age:.0f} years"


def _card(record: Record, entries: Database) -> Iterator[str]:
    if record["valid_from"] >= record["valid_until"]:
        yield "it runs out before it starts"


def _voucher(record: Record, entries: Database) -> Iterator[str]:
    if not 1 <= record["amount"] <= 1000:
        yield "no voucher is worth that"


def _booking(record: Record, entries: Database) -> Iterator[str]:
    if not 4 <= record["price_total"] <= 4000:
        yield f"nobody pays {record['price_total']:.2f} EUR for that"
    if record["origin"] == record["destination"]:
        yield "it goes nowhere"
    if (record["refund_amount"] or 0) > record["price_total"]:
        yield "more was refunded than paid"
    service: Any = entries.get("services", {}).get(record["service_id"])
    fare: Any = entries.get("fares", {}).get(record["fare_id"])
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


def _reservation(record: Record, entries: Database) -> Iterator[str]:
    if record["seat"] > 150:
        yield "no coach has that many seats"
    booking = entries.get("bookings", {}).get(record["booking_id"])
    if booking and booking["service_id"] != record["service_id"]:
        yield "it is for another train than its booking"


def _claim(record: Record, entries: Database) -> Iterator[str]:
    due = 50 if record["delay_minutes"] >= 120 else 25
    if record["delay_minutes"] < 60 or record["percent"] != due:
        yield f"{record['percent']}% is not due for {record['delay_minutes']} minutes"
    booking: Any = entries.get("bookings", {}).get(record["booking_id"])
    if booking and abs(record["amount"] - round(booking["price_total"] * due / 100, 2)) > 0.005:
        yield "its amount is not that share of the price"


def _assistance(record: Record, entries: Database) -> Iterator[str]:
    if not "05:00" <= record["meet_at"][11:] <= "23:00":
        yield "nobody is at the meeting point at that hour"


def _lounge_visit(record: Record, entries: Database) -> Iterator[str]:
    if not "05:00" <= record["arrive_at"][11:] <= "22:30":
        yield "every lounge is closed at that hour"


_RULES: dict[str, Callable[[Record, Database], Iterator[str]]] = {
    "stations": _station,
    "lounges": _lounge,
    "trainsets": _trainset,
    "fares": _fare,
    "card_products": _card_product,
    "services": _service,
    "disruptions": _disruption,
    "passengers": _passenger,
    "cards": _card,
    "vouchers": _voucher,
    "bookings": _booking,
    "reservations": _reservation,
    "claims": _claim,
    "assistance": _assistance,
    "lounge_visits": _lounge_visit,
}


def _reverse(field: str) -> Callable[[Record], None]:
    def spoil(record: Record) -> None:
        record[field] = record[field][::-1]

    return spoil


def _set(**fields: Any) -> Callable[[Record], None]:
    def spoil(record: Record) -> None:
        record.update(fields)

    return spoil


_SPOILS: dict[str, Callable[[Record], None]] = {
    "stations": _set(platforms=480),
    "lounges": _set(opens="22:00", closes="06:00"),
    "trainsets": _set(top_speed_kmh=3200),
    "fares": _set(price_factor=68.0),
    "card_products": _set(minimum_age=65, maximum_age=27),
    "services": _reverse("arrivals"),
    "disruptions": _set(delay_minutes=9500),
    "passengers": _set(birth_date="1871-03-04"),
    "cards": _set(valid_from="2027-11-02", valid_until="2026-11-01"),
    "vouchers": _set(amount=99999.0),
    "bookings": _set(price_total=0.01, refund_amount=None),
    "reservations": _set(seat=990),
    "claims": _set(delay_minutes=4),
    "assistance": _set(meet_at="2026-11-25T03:10"),
    "lounge_visits": _set(arrive_at="2026-11-25T02:45"),
}
