"""The houses of the group: where they are, and which tables are free."""

from datetime import datetime, timedelta
from typing import Any, Literal

from ._shared import Database, _check_open, _moment, _positive, _row, _seatings

BOOKING_DAYS = 60


def _clash(held: dict[str, Any], moment: datetime, minutes: int) -> bool:
    return abs(_moment(held["date"], held["time"]) - moment) < timedelta(minutes=minutes)


def _free_tables(
    db: Database, restaurant: dict[str, Any], date: str, time: str, party_size: int, moving: str | None = None
) -> list[dict[str, Any]]:
    """Tables of the house that suit the party's size and that nobody holds at that time."""
    moment = _moment(date, time)
    held = [
        row["table_id"]
        for row in db["reservations"].values()
        if row["status"] == "confirmed"
        and row["restaurant_id"] == restaurant["restaurant_id"]
        and row["reservation_id"] != moving
        and _clash(row, moment, restaurant["sitting_minutes"])
    ]
    return [
        table
        for table in db["dining_tables"].values()
        if table["restaurant_id"] == restaurant["restaurant_id"]
        and table["smallest_party"] <= party_size <= table["seats"]
        and table["table_id"] not in held
    ]


def search_restaurants(
    db: Database,
    name: str | None = None,
    city: str | None = None,
    country: Literal[
        "Austria",
        "Denmark",
        "France",
        "Germany",
        "Italy",
        "Netherlands",
        "Poland",
        "Portugal",
        "Spain",
        "Switzerland",
        "United Kingdom",
    ]
    | None = None,
    feature: Literal["dogs welcome", "live music", "open kitchen", "river view", "step-free access", "wine cellar"]
    | None = None,
) -> list[dict[str, Any]]:
    """Restaurants of the group by name, place or feature. Name at least one criterion; all that are given must hold.

    name: The restaurant's name, or a part of it.
    city: The city, spelled as in English.
    country: The country.
    feature: Something the house must offer.
    """
    if not (name or city or country or feature):
        raise ValueError("name at least one of name, city, country, feature")
    found = [
        {field: row[field] for field in ("restaurant_id", "name", "city", "country", "cuisine", "currency", "features")}
        for row in db["restaurants"].values()
        if (not name or name.casefold() in row["name"].casefold())
        and (not city or city.casefold() == row["city"].casefold())
        and (not country or country == row["country"])
        and (not feature or feature in row["features"])
    ]
    if not found:
        raise ValueError("no restaurant of the group is like that: try fewer criteria")
    return found


def get_restaurant(db: Database, restaurant_id: str) -> dict[str, Any]:
    """One restaurant with its opening days and hours, its deposit and its cancellation rules.

    restaurant_id: The restaurant's id, such as RES-BOL.
    """
    return dict(_row(db, "restaurants", restaurant_id))


def list_free_times(
    db: Database,
    restaurant_id: str,
    date: str,
    party_size: int,
    area: Literal["main room", "bar", "terrace", "conservatory", "private room"] | None = None,
) -> list[str]:
    """The times (HH:MM) of a day at which the restaurant has a free table for a party.

    restaurant_id: The restaurant's id.
    date: The day, YYYY-MM-DD.
    party_size: How many people.
    area: Where the table must be; anywhere if left out.
    """
    restaurant = _row(db, "restaurants", restaurant_id)
    _positive(party_size, "party_size", 14)
    return [
        time
        for time in _seatings(restaurant, date)
        if any(area in (None, table["area"]) for table in _free_tables(db, restaurant, date, time, party_size))
    ]


def list_free_tables(
    db: Database,
    restaurant_id: str,
    date: str,
    time: str,
    party_size: int,
    area: Literal["main room", "bar", "terrace", "conservatory", "private room"] | None = None,
    step_free: bool = False,
    moving: str | None = None,
) -> list[dict[str, Any]]:
    """Tables that are free for a party at a time, with their seats and area.

    restaurant_id: The restaurant's id.
    date: The day, YYYY-MM-DD.
    time: When the party sits down, HH:MM, on the hour or half hour.
    party_size: How many people.
    area: Where the table must be; anywhere if left out.
    step_free: Only tables that are reached without a step.
    moving: The id of the reservation that would give up its own table, if the table is for a change.
    """
    restaurant = _row(db, "restaurants", restaurant_id)
    _positive(party_size, "party_size", 14)
    _check_open(restaurant, date, time, BOOKING_DAYS)
    return [
        dict(table)
        for table in _free_tables(db, restaurant, date, time, party_size, moving)
        if area in (None, table["area"]) and (table["step_free"] or not step_free)
    ]
