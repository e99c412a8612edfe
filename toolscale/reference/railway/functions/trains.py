"""Stations, trains and what they would cost."""

from typing import Any, Literal

from ._fares import _discount, _fare_key, _on_sale, _party_price, _price, _seats_field
from ._shared import Database, _day, _find, _leg, _minutes


def find_station(db: Database, name: str) -> list[dict[str, Any]]:
    """Stations whose name or city contains the given words, with their lounges. Search this first: the other
    functions want station codes.

    name: name of a station or city, or a part of it of at least three letters.
    """
    words = name.strip().lower()
    if len(words) < 3:
        raise ValueError("give at least three letters of the station's or city's name")
    found = [
        {**station, "lounges": [dict(each) for each in db["lounges"].values() if each["station_code"] == code]}
        for code, station in db["stations"].items()
        if words in station["name"].lower() or words in station["city"].lower()
    ]
    if not found:
        raise ValueError(f"no station is called {name!r}; try the city's English name or the local one")
    return found


def search_trains(
    db: Database,
    origin: str,
    destination: str,
    travel_date: str,
    fare: Literal["saver", "standard", "flex"] = "standard",
    travel_class: Literal["second", "first"] = "second",
) -> list[dict[str, Any]]:
    """Direct trains between two stations on a day that still sell the fare, in order of departure. Prices are for one
    traveller without a rail card; trains that have left or are cancelled are not listed.

    origin: station code.
    destination: station code.
    travel_date: date on which the train leaves its first station, YYYY-MM-DD.
    fare: fare to price.
    travel_class: class to price and to count free seats in.
    """
    _find(db, "stations", origin, "station")
    _find(db, "stations", destination, "station")
    day, sold = _day(travel_date), db["fares"][_fare_key(fare, travel_class)]
    found = []
    for service in db["services"].values():
        stops = service["stops"]
        if service["travel_date"] != day or origin not in stops or destination not in stops:
            continue
        begin, end = stops.index(origin), stops.index(destination)
        departure, arrival = service["departures"][begin], service["arrivals"][end]
        if begin >= end or not _on_sale(service, sold, departure):
            continue
        found.append(
            {
                "service_id": service["service_id"],
                "brand": service["brand"],
                "departure": departure,
                "arrival": arrival,
                "duration_minutes": _minutes(departure, arrival),
                "price": _price(service, sold, begin, end),
                "seats_left": service[_seats_field(sold)],
                "bicycle_places_left": service["bicycle_places_left"],
                "delay_minutes": service["delay_minutes"],
            }
        )
    return sorted(found, key=lambda train: train["departure"])


def get_service(db: Database, service_id: str) -> dict[str, Any]:
    """A train on a day: its calls with times, its free seats, its status, and the disruption that concerns it.

    service_id: such as EC173-1124.
    """
    service = _find(db, "services", service_id, "service")
    calls = zip(service["stops"], service["arrivals"], service["departures"], strict=True)
    causes = [each["cause"] for each in db["disruptions"].values() if each["service_id"] == service_id]
    shown = ("service_id", "brand", "travel_date", "seats_second", "seats_first", "bicycle_places_left", "status")
    return {
        **{field: service[field] for field in shown},
        "delay_minutes": service["delay_minutes"],
        "cause": causes[0] if causes else None,
        "trainset": db["trainsets"][service["trainset_id"]]["name"],
        "calls": [
            {"station_code": code, "station": db["stations"][code]["name"], "arrival": arrival, "departure": departure}
            for code, arrival, departure in calls
        ],
    }


def quote_fare(
    db: Database,
    passenger_id: str,
    service_id: str,
    origin: str,
    destination: str,
    fare: Literal["saver", "standard", "flex"],
    travel_class: Literal["second", "first"] = "second",
    travellers: int = 1,
) -> dict[str, Any]:
    """What a party would pay on a train, with the passenger's best rail card, and the conditions of the fare.

    passenger_id: who books; the rail card discount applies to this traveller's ticket only.
    service_id: train.
    origin: station code.
    destination: station code.
    fare: fare to price.
    travel_class: class to price.
    travellers: number of people, 1 to 6.
    """
    _find(db, "passengers", passenger_id, "passenger")
    service = _find(db, "services", service_id, "service")
    if not 1 <= travellers <= 6:
        raise ValueError("a booking is for 1 to 6 travellers")
    sold = db["fares"][_fare_key(fare, travel_class)]
    each = _price(service, sold, *_leg(service, origin, destination))
    discount = _discount(db, passenger_id, travel_class, service["travel_date"])
    return {
        "price_each": each,
        "discount_percent": discount,
        "total": _party_price(each, travellers, discount),
        "exchange_fee": sold["exchange_fee"],
        "refund_percent": sold["refund_percent"],
        "refund_until_minutes": sold["refund_until_minutes"],
    }
