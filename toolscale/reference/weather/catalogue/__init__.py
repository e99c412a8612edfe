"""What the weather service works with: stations, plans, report products, alert measures, sensors."""

from pathlib import Path
from typing import Any, NamedTuple

from toolscale.reference.catalogues import Words, read_table, table_of
from toolscale.reference.documents import read_document

Record = dict[str, Any]

_HERE = Path(__file__).parent


class Place(NamedTuple):
    """A station's place, with its usual November days: highs and lows in °C, gusts in km/h."""

    station_id: str
    name: str
    country: str
    elevation_m: int
    kind: str
    high: int
    low: int
    gust: int


class Plan(NamedTuple):
    """A plan, in EUR a month."""

    plan_id: str
    name: str
    monthly_fee: float
    alert_limit: int
    export_limit: int
    report_discount: int


class Product(NamedTuple):
    """A report, for sites of these kinds; an hourly one costs more."""

    product_id: str
    name: str
    site_kinds: Words
    price: float
    hourly_price: float
    lead_days: int


class Sensor(NamedTuple):
    """A kind of sensor: its model, and months of warranty."""

    kind: str
    model: str
    warranty_months: int


class Sites(NamedTuple):
    """What sites of a kind are called, and what is measured there."""

    names: tuple[str, ...]
    sensors: tuple[str, ...]


PLACES = read_table(_HERE / "stations.csv", Place)
PLANS = table_of(read_table(_HERE / "plans.csv", Plan))
PRODUCTS = table_of(read_table(_HERE / "report_products.csv", Product))
SENSORS = {each.kind: each for each in read_table(_HERE / "sensors.csv", Sensor)}
SITES = read_document(_HERE / "sites.yaml", dict[str, Sites])
"""Kind -> its sites."""

SITE_KINDS = tuple(SITES)

MEASURES: dict[str, tuple[str, tuple[int, ...]]] = {
    "rain": ("mm", (10, 15, 20, 25, 30, 40, 50)),
    "gusts": ("km/h", (45, 50, 60, 65, 70, 80, 90)),
    "frost": ("°C", (0, 1, 2, 3, 4)),
    "heat": ("°C", (26, 28, 30, 32, 34)),
    "snow": ("cm", (3, 5, 8, 10, 15, 20)),
}
"""Measure -> its unit, and the thresholds that people choose: a day's sum, peak, lowest or highest value."""

CHANNELS = ("text message", "email", "phone call")
