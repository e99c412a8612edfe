"""What the railway is built of: stations, lounges, routes, trains, fares and rail cards."""

from pathlib import Path
from typing import NamedTuple

from toolscale.reference.catalogues import Words, read_table
from toolscale.reference.documents import read_document

_HERE = Path(__file__).parent


class Station(NamedTuple):
    """A station, and the hours and the notice of its assistance desk."""

    station_code: str
    name: str
    city: str
    country: str
    platforms: int
    assistance_from: str
    assistance_until: str
    assistance_notice_hours: int


class Lounge(NamedTuple):
    """A lounge at a station; the fee is a visit's, in EUR."""

    lounge_id: str
    station_code: str
    name: str
    opens: str
    closes: str
    visit_fee: float


class Coach(NamedTuple):
    """A coach with so many seats."""

    number: int
    travel_class: str
    zone: str
    seats: int


class Trainset(NamedTuple):
    """What runs on a route."""

    trainset_id: str
    name: str
    top_speed_kmh: int
    bicycle_places: int
    coaches: tuple[Coach, ...]


class Fare(NamedTuple):
    """A fare of a class; without an exchange fee it cannot be exchanged."""

    fare: str
    travel_class: str
    price_factor: float
    exchange_fee: float | None
    refund_percent: int
    refund_until_minutes: int
    sale_closes_hours: int


class CardProduct(NamedTuple):
    """A rail card: its discount up to a class of travel, its price, and the ages at which it is sold."""

    product_id: str
    name: str
    discount_percent: int
    travel_class: str
    price: float
    months: int
    minimum_age: int
    maximum_age: int


class Cause(NamedTuple):
    """What stops trains, and whether it is beyond the operator's control."""

    cause: str
    beyond_control: bool


class Home(NamedTuple):
    """Where passengers come from: the locale of their names, their country and its stations."""

    locale: str
    country: str
    stations: Words


class Stop(NamedTuple):
    """A call of a route: its station, kilometres from the start, minutes from the start, and minutes of dwell."""

    station: str
    kilometres: int
    minutes: int
    dwell: int = 4


class Back(NamedTuple):
    """The way back of a route: the number of its first train, and when its trains leave."""

    first_number: int
    departures: tuple[str, ...]


class Route(NamedTuple):
    """A line: how its trains are called, what runs on it, its price a kilometre, when it leaves and where it calls."""

    brand: str
    first_number: int
    trainset: str
    rate_per_km: float
    departures: tuple[str, ...]
    stops: tuple[Stop, ...]
    back: Back | None = None

    def returning(self, back: Back) -> "Route":
        """The route with the same calls, the other way round."""
        first, last = self.stops[0], self.stops[-1]
        stops = [
            Stop(
                stop.station,
                last.kilometres - stop.kilometres,
                last.minutes - stop.minutes - (0 if stop in (first, last) else stop.dwell),
                stop.dwell,
            )
            for stop in reversed(self.stops)
        ]
        return self._replace(first_number=back.first_number, departures=back.departures, stops=tuple(stops), back=None)


PREFIXES = {"High Speed": "HS", "EuroCity": "EC", "Railjet": "RJ", "Night Jet": "NJ"}
STATIONS = read_table(_HERE / "stations.csv", Station)
LOUNGES = read_table(_HERE / "lounges.csv", Lounge)
TRAINSETS = {each.trainset_id: each for each in read_document(_HERE / "trainsets.yaml", tuple[Trainset, ...])}
FARES = read_table(_HERE / "fares.csv", Fare)
CARD_PRODUCTS = read_table(_HERE / "card_products.csv", CardProduct)
CAUSES = read_table(_HERE / "causes.csv", Cause)
HOMES = read_table(_HERE / "homes.csv", Home)
_OUTWARD = read_document(_HERE / "routes.yaml", tuple[Route, ...])
ROUTES = (*_OUTWARD, *(route.returning(route.back) for route in _OUTWARD if route.back))
