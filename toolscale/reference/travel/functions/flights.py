"""Destinations and flights: finding them, and what they cost."""

from typing import Any, Literal

from ._flying import _expected, _fare, _on_sale, _price_each, _seats_field
from ._shared import Database, _day, _find, _shift


def find_destination(db: Database, name: str) -> list[dict[str, Any]]:
    """Destinations whose city, airport or country contains the given words. Search this first: the other functions
    want destination codes.

    name: name of a city, an airport or a country, or a part of it of at least three letters.
    """
    words = name.strip().lower()
    if len(words) < 3:
        raise ValueError("give at least three letters of the city, airport or country")
    found = [
        dict(place)
        for place in db["destinations"].values()
        if any(words in place[field].lower() for field in ("city", "airport", "country_name"))
    ]
    if not found:
        raise ValueError(f"the agency sells no destination called {name!r}; try the English name of the city")
    return found


def search_flights(
    db: Database,
    origin: str,
    destination: str,
    travel_date: str,
    fare: Literal["light", "classic", "flex"] = "classic",
    cabin: Literal["economy", "business"] = "economy",
    travellers: int = 1,
) -> list[dict[str, Any]]:
    """Direct flights on a day that still have seats for everybody, in order of departure. Times are local.

    origin: destination code of where to start.
    destination: destination code of where to go.
    travel_date: local date of departure, YYYY-MM-DD.
    fare: fare to price.
    cabin: cabin to price and to count seats in.
    travellers: number of people, 1 to 6.
    """
    _find(db, "destinations", origin, "destination")
    _find(db, "destinations", destination, "destination")
    if not 1 <= travellers <= 6:
        raise ValueError("a booking is for 1 to 6 travellers")
    day, sold, seats = _day(travel_date).isoformat(), _fare(db, fare), _seats_field(cabin)
    found = []
    for flight in db["flights"].values():
        route = (flight["origin"], flight["destination"], flight["departure"][:10])
        if route == (origin, destination, day) and _on_sale(flight) and flight[seats] >= travellers:
            each = _price_each(db, flight, sold, cabin)
            found.append(
                {
                    "flight_id": flight["flight_id"],
                    "airline": db["carriers"][flight["carrier_code"]]["name"],
                    "departure": flight["departure"],
                    "arrival": flight["arrival"],
                    "duration_minutes": flight["duration_minutes"],
                    "price_each": each,
                    "total": round(each * travellers, 2),
                    "seats_left": flight[seats],
                    "delay_minutes": flight["delay_minutes"],
                }
            )
    return sorted(found, key=lambda each: each["departure"])


def get_flight(db: Database, flight_id: str) -> dict[str, Any]:
    """A flight on a day: its times, status, delay, free seats, economy prices by fare, and when check-in closes.

    flight_id: such as AQ112-1204.
    """
    flight = _find(db, "flights", flight_id, "flight")
    carrier = db["carriers"][flight["carrier_code"]]
    return {
        **{name: value for name, value in flight.items() if name != "base_price"},
        "airline": carrier["name"],
        "expected_arrival": _expected(flight),
        "check_in_closes": _shift(flight["departure"], -carrier["check_in_minutes"]),
        "extra_bag_fee": carrier["bag_fee"],
        "economy_prices": {fare["fare"]: _price_each(db, flight, fare, "economy") for fare in db["fares"].values()},
    }
