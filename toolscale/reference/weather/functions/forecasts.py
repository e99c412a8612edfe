"""Stations, forecasts, what was measured, and warnings in force."""

from typing import Any

from ._shared import Database, _day, _joined, _one, _today

WRITES: set[str] = set()


def find_station(db: Database, name: str) -> list[dict[str, Any]]:
    """Stations whose name contains a text.

    name: the station's name or a part of it.
    """
    return [dict(each) for each in db["stations"].values() if name.lower() in each["name"].lower()]


def get_forecast(db: Database, station_id: str, day: str) -> dict[str, Any]:
    """The forecast near a station for one day: sky, lowest and highest temperature, rain, highest gust.

    station_id: such as ST-CORK.
    day: today or one of the next five days, YYYY-MM-DD.
    """
    station = _one(db, "stations", station_id)
    _day(day)
    for each in db["forecasts"].values():
        if each["station_id"] == station_id and each["day"] == day:
            return {**each, "station": station["name"]}
    raise ValueError("forecasts reach from today to five days ahead")


def list_forecasts(db: Database, station_id: str) -> list[dict[str, Any]]:
    """All forecasts near a station, from today to five days ahead.

    station_id: such as ST-CORK.
    """
    _one(db, "stations", station_id)
    return [dict(each) for each in db["forecasts"].values() if each["station_id"] == station_id]


def list_observations(db: Database, station_id: str) -> list[dict[str, Any]]:
    """What a station measured on each of the last five days.

    station_id: such as ST-CORK.
    """
    _one(db, "stations", station_id)
    return [dict(each) for each in db["observations"].values() if each["station_id"] == station_id]


def list_warnings(db: Database, station_id: str) -> list[dict[str, Any]]:
    """Official warnings near a station that are not over yet.

    station_id: such as ST-CORK.
    """
    _one(db, "stations", station_id)
    found = [each for each in db["warnings"].values() if each["station_id"] == station_id]
    return [dict(each) for each in found if each["ends_at"] >= _today().isoformat()]


def get_site_weather(db: Database, site_id: str, day: str) -> dict[str, Any]:
    """The forecast for a customer's site, which is that of its station.

    site_id: such as SI-48213.
    day: today or one of the next five days, YYYY-MM-DD.
    """
    site = _one(db, "sites", site_id)
    return {"site": site["name"], **get_forecast(db, _joined(db, "stations", site["station_id"])["station_id"], day)}
