"""Weather that hangs together: what was measured, what is forecast, and which warnings follow from it."""

from random import Random

from toolscale.artifacts import Database
from toolscale.reference.ids import Ids
from toolscale.reference.moments import at, day
from toolscale.reference.weather.catalogue import PLACES, Place, Record

FIRST_DAY, LAST_DAY = -5, 5
"""Days from today: the oldest observation, and the last day that is forecast."""


def weather(rng: Random) -> Database:
    """Stations with observations of the last five days, forecasts for today and five days more, and warnings."""
    ids = Ids(rng)
    tables: Database = {"stations": {}, "forecasts": {}, "observations": {}, "warnings": {}}
    for turn, place in enumerate(PLACES):
        tables["stations"][place.station_id] = {
            "station_id": place.station_id,
            "name": place.name,
            "country": place.country,
            "elevation_m": place.elevation_m,
            "kind": place.kind,
            "status": "offline" if turn in (6, 17) else "online",
        }
        for offset in range(FIRST_DAY, LAST_DAY + 1):
            _a_day(tables, ids, rng, place, offset)
    return tables


def _a_day(tables: Database, ids: Ids, rng: Random, place: Place, offset: int) -> None:
    low = round(place.low + rng.uniform(-3, 3), 1)
    high = round(max(low + 1.5, place.high + rng.uniform(-3, 3)), 1)
    wet = rng.random() < 0.55
    mm = round(rng.uniform(1, 14), 1) if wet else 0.0
    gust = round(place.gust * rng.uniform(0.5, 1.5))
    short = place.station_id[3:]
    values: Record = {"station_id": place.station_id, "day": day(offset), "low_c": low, "high_c": high, "rain_mm": mm,
              "gust_kmh": gust}  # fmt: skip
    number = day(offset)[5:].replace("-", "")
    if offset < 0:
        key = f"OB-{short}-{number}"
        tables["observations"][key] = {"observation_id": key, **values}
        return
    key = f"FC-{short}-{number}"
    sky = _sky(rng, low, high, mm)
    percent = rng.randrange(55, 100, 5) if mm else rng.randrange(0, 45, 5)
    tables["forecasts"][key] = {"forecast_id": key, **values, "sky": sky, "rain_percent": percent}
    for hazard, level in _hazards(low, mm, gust):
        warning = ids.digits("WN")
        tables["warnings"][warning] = {
            "warning_id": warning,
            "station_id": place.station_id,
            "hazard": hazard,
            "level": level,
            "starts_at": at(day(offset), rng.choice(("06:00", "09:00", "10:00"))),
            "ends_at": at(day(offset), rng.choice(("15:00", "18:00", "21:00"))),
        }


def _sky(rng: Random, low: float, high: float, mm: float) -> str:
    if not mm:
        return rng.choice(("clear", "cloudy", "overcast", "fog"))
    return "snow" if high < 1 else "sleet" if high < 4 and low < 0 else rng.choice(("showers", "rain"))


def _hazards(low: float, mm: float, gust: int) -> list[tuple[str, str]]:
    found = []
    if gust > 70:
        found.append(("gusts", "orange" if gust > 80 else "yellow"))
    if mm > 12.5:
        found.append(("rain", "yellow"))
    if low < -7:
        found.append(("frost", "yellow"))
    return found


def observed(tables: Database, station_id: str, on: str) -> Record:
    """What a station measured on a day."""
    return tables["observations"][f"OB-{station_id[3:]}-{on[5:].replace('-', '')}"]
