"""The weather service's world: what it offers and measures, then region by region its customers and what they have."""

from random import Random

from toolscale.artifacts import Database
from toolscale.reference.ids import Ids
from toolscale.reference.moments import day
from toolscale.reference.people import People
from toolscale.reference.sums import rounded
from toolscale.reference.weather import services
from toolscale.reference.weather.catalogue import PLACES, PLANS, PRODUCTS, SITES, Record
from toolscale.reference.weather.sky import weather

REGIONS = {
    "the British Isles": ("GB", "IE"),
    "Germany and the Low Countries": ("DE", "BE", "NL"),
    "the Alps and Poland": ("AT", "CH", "PL"),
    "southern Europe": ("FR", "ES", "PT", "IT"),
    "Scandinavia": ("DK", "NO", "SE"),
}
PER_REGION = 8
TRADES = (
    ("farm", "farm"),
    ("airfield", "farm"),
    ("venue", "venue"),
    ("harbour", "venue"),
    ("farm", "farm", "venue"),
    ("building site", "building site"),
)
"""Kinds of sites that one customer has."""


def world(seed: int) -> dict[str, Database]:
    """Subject -> its entries. One seed gives one world; references point to the same or an earlier subject."""
    rng = Random(f"weather {seed}")
    sky = weather(rng)
    offered: Database = {
        "plans": PLANS,
        "products": PRODUCTS,
    }
    subjects: dict[str, Database] = {
        "plans and report products": offered,
        "stations and their forecasts": {table: sky[table] for table in ("stations", "forecasts", "warnings")},
        "observations of the last days": {"observations": sky["observations"]},
    }
    people, ids = People(seed, tuple(dict.fromkeys(place.country for place in PLACES))), Ids(rng)
    turn = 0
    for region, countries in REGIONS.items():
        ledger = services.Ledger(rng, ids, sky)
        for number in range(PER_REGION):
            _customer(ledger, people, countries[number % len(countries)], turn)
            turn += 1
        subjects[f"customers in {region}"] = ledger.entries
    return subjects


def _customer(ledger: services.Ledger, people: People, country: str, turn: int) -> None:
    """One customer with all that belongs to them; ``turn`` deals out what is rare evenly."""
    person, rng = people.one(country), ledger.rng
    customer = ledger.add(
        "customers",
        {
            "customer_id": ledger.ids.digits("CU"),
            "name": person.name,
            "email": person.email,
            "phone": person.phone,
            "address": person.address,
            "country": country,
            "plan_id": list(PLANS)[(1, 2, 2, 0, 3, 1)[turn % 6]],
            "plan_since": day(-rng.randrange(40, 900)),
            "credit": rounded(rng.randint(5, 60) * 1.5) if turn % 3 == 0 else 0.0,
        },
    )
    sites = _sites(ledger, customer, turn)
    services.alerts(ledger, customer, sites, turn)
    sensors = services.sensors(ledger, customer, sites, turn)
    services.visits(ledger, customer, sensors, turn)
    reports = services.reports(ledger, customer, sites, turn)
    exports = services.exports(ledger, customer, sites, turn)
    services.tickets(ledger, customer, [*reports, *exports], turn)
    services.invoices(ledger, customer, turn)


def _sites(ledger: services.Ledger, customer: Record, turn: int) -> list[Record]:
    """Two or three sites of one trade or two, each near a station of the country."""
    kinds = TRADES[turn % len(TRADES)]
    near = [place for place in PLACES if place.country == customer["country"]]
    names: list[str] = []
    for kind in kinds:
        names.append(ledger.rng.choice([name for name in SITES[kind].names if name not in names]))
    return [
        ledger.add(
            "sites",
            {
                "site_id": ledger.ids.digits("SI"),
                "customer_id": customer["customer_id"],
                "name": name,
                "kind": kind,
                "station_id": near[number % len(near)].station_id,
            },
        )
        for number, (kind, name) in enumerate(zip(kinds, names, strict=True))
    ]
