"""What the weather service works with: stations, plans, report products, alert measures, sensors."""

from typing import Any, NamedTuple

Record = dict[str, Any]


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


PLACES = (
    Place("ST-ABDN", "Aberdeen Harbour", "GB", 9, "coastal", 9, 4, 52),
    Place("ST-LEED", "Leeds Moor", "GB", 92, "lowland", 9, 4, 38),
    Place("ST-CORK", "Cork Ridge", "IE", 154, "coastal", 11, 6, 55),
    Place("ST-GALW", "Galway Bay", "IE", 12, "coastal", 11, 6, 58),
    Place("ST-BREM", "Bremen Wiesen", "DE", 6, "lowland", 8, 3, 40),
    Place("ST-LEIP", "Leipzig Nord", "DE", 132, "lowland", 7, 2, 34),
    Place("ST-GARM", "Garmisch Talboden", "DE", 719, "mountain", 7, -2, 26),
    Place("ST-LINZ", "Linz Donaulände", "AT", 262, "lowland", 7, 1, 30),
    Place("ST-INNS", "Innsbruck West", "AT", 578, "mountain", 8, -1, 33),
    Place("ST-LUZE", "Luzern See", "CH", 436, "lowland", 8, 2, 28),
    Place("ST-DAVO", "Davos Dorf", "CH", 1594, "mountain", 3, -6, 32),
    Place("ST-GENT", "Gent Zeekanaal", "BE", 8, "lowland", 10, 4, 42),
    Place("ST-GRON", "Groningen Polder", "NL", 3, "lowland", 9, 4, 45),
    Place("ST-NANT", "Nantes Sud", "FR", 26, "lowland", 12, 6, 39),
    Place("ST-LYON", "Lyon Plaine", "FR", 201, "lowland", 10, 4, 36),
    Place("ST-BILB", "Bilbao Ría", "ES", 19, "coastal", 16, 8, 44),
    Place("ST-VALE", "Valencia Huerta", "ES", 11, "coastal", 19, 10, 31),
    Place("ST-PORT", "Porto Foz", "PT", 10, "coastal", 17, 10, 43),
    Place("ST-BOLO", "Bologna Pianura", "IT", 36, "lowland", 11, 5, 22),
    Place("ST-FIRE", "Firenze Colline", "IT", 142, "lowland", 14, 6, 25),
    Place("ST-AARH", "Aarhus Bugt", "DK", 17, "coastal", 8, 4, 48),
    Place("ST-BERG", "Bergen Nordnes", "NO", 12, "coastal", 7, 2, 50),
    Place("ST-MALM", "Malmö Hamn", "SE", 5, "coastal", 8, 3, 46),
    Place("ST-ARDE", "Bastogne Ardennes", "BE", 510, "lowland", 6, 1, 36),
    Place("ST-ZEEL", "Vlissingen Strand", "NL", 8, "coastal", 10, 6, 53),
    Place("ST-SKAG", "Skagen Fyr", "DK", 4, "coastal", 7, 3, 56),
    Place("ST-HAMA", "Hamar Mjøsa", "NO", 141, "lowland", 2, -4, 27),
    Place("ST-UPPS", "Uppsala Slätt", "SE", 15, "lowland", 5, 0, 33),
    Place("ST-KRAK", "Kraków Błonia", "PL", 209, "lowland", 6, 0, 29),
    Place("ST-GDAN", "Gdańsk Zatoka", "PL", 7, "coastal", 7, 2, 41),
)

PLANS: dict[str, Record] = {
    "PL-GARDEN": {"name": "Garden", "monthly_fee": 9.90, "alert_limit": 3, "export_limit": 1, "report_discount": 0},
    "PL-FIELD": {"name": "Field", "monthly_fee": 24.90, "alert_limit": 5, "export_limit": 2, "report_discount": 5},
    "PL-ESTATE": {"name": "Estate", "monthly_fee": 49.00, "alert_limit": 8, "export_limit": 4, "report_discount": 10},
    "PL-OPERATOR": {"name": "Operator", "monthly_fee": 119.00, "alert_limit": 15, "export_limit": 10,
                    "report_discount": 20},
}  # fmt: skip

SITE_KINDS = ("farm", "airfield", "venue", "harbour", "building site")

PRODUCTS: dict[str, Record] = {
    "RP-SPRAY": {"name": "spraying outlook", "site_kinds": ["farm"], "price": 38.00, "hourly_price": 14.50,
                 "lead_days": 1},
    "RP-HARVEST": {"name": "field work outlook", "site_kinds": ["farm"], "price": 52.00, "hourly_price": 17.00,
                   "lead_days": 2},
    "RP-FLIGHT": {"name": "airfield briefing", "site_kinds": ["airfield"], "price": 64.00, "hourly_price": 21.00,
                  "lead_days": 1},
    "RP-ICING": {"name": "icing outlook", "site_kinds": ["airfield"], "price": 45.50, "hourly_price": 15.50,
                 "lead_days": 1},
    "RP-EVENT": {"name": "event outlook", "site_kinds": ["venue"], "price": 79.00, "hourly_price": 26.00,
                 "lead_days": 2},
    "RP-CROWD": {"name": "wind and shelter briefing", "site_kinds": ["venue", "building site"], "price": 58.50,
                 "hourly_price": 19.50, "lead_days": 1},
    "RP-SWELL": {"name": "swell and wind outlook", "site_kinds": ["harbour"], "price": 71.00, "hourly_price": 23.00,
                 "lead_days": 1},
    "RP-FOG": {"name": "fog outlook", "site_kinds": ["harbour", "airfield"], "price": 34.50, "hourly_price": 12.00,
               "lead_days": 1},
    "RP-CRANE": {"name": "crane and concrete briefing", "site_kinds": ["building site"], "price": 66.50,
                 "hourly_price": 22.50, "lead_days": 2},
}  # fmt: skip

MEASURES: dict[str, tuple[str, tuple[int, ...]]] = {
    "rain": ("mm", (10, 15, 20, 25, 30, 40, 50)),
    "gusts": ("km/h", (45, 50, 60, 65, 70, 80, 90)),
    "frost": ("°C", (0, 1, 2, 3, 4)),
    "heat": ("°C", (26, 28, 30, 32, 34)),
    "snow": ("cm", (3, 5, 8, 10, 15, 20)),
}
"""Measure -> its unit, and the thresholds that people choose: a day's sum, peak, lowest or highest value."""

CHANNELS = ("text message", "email", "phone call")

SENSOR_KINDS = {
    "rain gauge": ("Pluvio 2", 36), "anemometer": ("Ventus C", 24), "leaf wetness sensor": ("Folia 1", 24),
    "soil moisture probe": ("Terra 30", 36), "visibility sensor": ("Claro S", 48),
    "temperature sensor": ("Thermo 5", 36),
}  # fmt: skip
"""Kind -> model, and months of warranty."""

SENSORS_AT = {
    "farm": ("rain gauge", "leaf wetness sensor", "soil moisture probe", "temperature sensor"),
    "airfield": ("anemometer", "visibility sensor", "temperature sensor"),
    "venue": ("anemometer", "rain gauge", "temperature sensor"),
    "harbour": ("anemometer", "visibility sensor", "rain gauge"),
    "building site": ("anemometer", "temperature sensor", "rain gauge"),
}

VISIT_FEES = {"calibration": 85.00, "repair": 120.00, "battery change": 45.00}

SITE_NAMES = {
    "farm": ("Upper Orchard", "Long Meadow", "Hilltop Vineyard", "River Field", "Walnut Farm", "South Paddock",
             "Beekeeper's Acre", "Windmill Field", "Old Hop Garden", "Chestnut Farm", "Marsh Pasture", "Stone Barn"),
    "airfield": ("Heath Airstrip", "Larkfield Aerodrome", "Glider Field East", "Ridge Airstrip"),
    "venue": ("Lakeside Stage", "Castle Courtyard", "Old Brewery Garden", "Market Square Rink", "Quarry Arena",
              "Rose Pavilion"),
    "harbour": ("Fishermen's Quay", "North Marina", "Ferry Pier", "Sailing School Dock"),
    "building site": ("Mill Street Bridge", "Station Tower", "Canal Flats", "School Roof", "Tramway Depot"),
}  # fmt: skip
