"""What the agency sells: places, airlines, routes, fares, insurance, entry rules, tours and hotels."""

from pathlib import Path
from typing import NamedTuple

from toolscale.reference.catalogues import Number, Words, read_table

_HERE = Path(__file__).parent


class Place(NamedTuple):
    """A destination with its airport, perhaps one from which the country's travellers start.

    ``utc`` is the offset in winter, in hours; coordinates are in degrees.
    """

    code: str
    city: str
    airport: str
    country: str
    country_name: str
    region: str
    utc: Number
    latitude: float
    longitude: float
    home: bool


class EntryRule(NamedTuple):
    """What a country asks of those who enter; fees in EUR."""

    country: str
    requirement: str
    exempt: Words
    fee: float
    processing_days: int
    express_surcharge: float
    express_days: int
    passport_months: int


class Carrier(NamedTuple):
    """An airline, and how many minutes before departure its check-in closes."""

    carrier_code: str
    name: str
    bag_fee: float
    business_factor: float
    check_in_minutes: int


class Fare(NamedTuple):
    """A fare; without a change fee it cannot be changed."""

    fare_id: str
    fare: str
    price_factor: float
    bags_included: int
    change_fee: float | None
    refund_percent: int
    refund_until_hours: int


class Route(NamedTuple):
    """A route with its base price, and the departures of a day out and of a day back."""

    origin: str
    destination: str
    carrier: str
    price: int
    departures_out: Words
    departures_back: Words


class Insurance(NamedTuple):
    """An insurance product: a share of the trip's price, and a rate a day."""

    product_id: str
    name: str
    covers: Words
    region: str
    percent_of_trip: float
    day_rate: float
    excess: float
    maximum_age: int


class Vehicle(NamedTuple):
    """What takes people from the airport: its price beside a private car's, and how much longer it takes."""

    vehicle: str
    seats: int
    price_factor: float
    extra_minutes: int


class Tour(NamedTuple):
    """A guided tour."""

    tour_id: str
    title: str
    destination: str
    theme: str
    nights: int
    level: str
    group_size: int
    price: int


class Hotel(NamedTuple):
    """A hotel with the price of a double room a night; the kinds of its rooms are letters of `KINDS`."""

    destination: str
    name: str
    district: str
    stars: int
    rating: float
    centre_km: float
    double_room: int
    amenities: Words
    room_kinds: str


PLACES = read_table(_HERE / "destinations.csv", Place)
HOMES = {place.country: place.code for place in PLACES if place.home}
"""Nationality -> the airport from which its travellers start."""
ENTRY_RULES = read_table(_HERE / "entry_rules.csv", EntryRule)
CARRIERS = read_table(_HERE / "carriers.csv", Carrier)
FARES = read_table(_HERE / "fares.csv", Fare)
ROUTES = read_table(_HERE / "routes.csv", Route)
INSURANCE = read_table(_HERE / "insurance.csv", Insurance)
VEHICLES = read_table(_HERE / "vehicles.csv", Vehicle)
TOURS = read_table(_HERE / "tours.csv", Tour)
HOTELS = read_table(_HERE / "hotels.csv", Hotel)

KINDS: dict[str, tuple[str, int, float, int]] = {
    "S": ("single", 1, 0.78, 8),
    "D": ("double", 2, 1.0, 14),
    "F": ("family", 4, 1.62, 8),
    "U": ("suite", 3, 2.35, 6),
}
"""Letter -> kind of room, how many it sleeps, its price beside a double room's, how many a hotel has."""
