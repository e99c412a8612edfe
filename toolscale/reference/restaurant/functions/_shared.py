"""What several themes need: looking entries up, checking values, and when a house serves."""

from datetime import datetime, timedelta
from typing import Any

Database = dict[str, dict[str, Any]]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
ALLERGENS = (
    *("celery", "crustaceans", "eggs", "fish", "gluten", "lupin", "milk"),
    *("molluscs", "mustard", "nuts", "peanuts", "sesame", "soybeans", "sulphites"),
)


def _row(db: Database, table: str, key: str) -> dict[str, Any]:
    if not isinstance(key, str) or key not in db[table]:
        raise ValueError(f"there is no entry `{key}` in {table}: look the id up first")
    row: dict[str, Any] = db[table][key]
    return row


def _positive(value: int, what: str, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise ValueError(f"{what} must be a whole number from 1 to {most}, not `{value}`")


def _moment(date: str, time: str) -> datetime:
    try:
        return datetime.strptime(f"{date} {time}", "%Y-%m-%d %H:%M")
    except ValueError:
        raise ValueError(f"`{date} {time}` is no date and time: write YYYY-MM-DD and HH:MM") from None


def _seatings(restaurant: dict[str, Any], date: str) -> list[str]:
    """Every half hour at which a party may still sit down that day; none if the house is closed."""
    if WEEKDAYS[_moment(date, "00:00").weekday()] in restaurant["closed_on"]:
        return []
    moment, last = _moment(date, restaurant["opens"]), _moment(date, restaurant["last_seating"])
    found = []
    while moment <= last:
        if moment >= datetime.now() + timedelta(hours=1):
            found.append(moment.strftime("%H:%M"))
        moment += timedelta(minutes=30)
    return found


def _now() -> str:
    return datetime.now().strftime("%Y-%m-%dT%H:%M")


def _check_open(restaurant: dict[str, Any], date: str, time: str, days: int) -> None:
    moment = _moment(date, time)
    if moment.date() > datetime.now().date() + timedelta(days=days):
        raise ValueError(f"{date} is too far ahead: at most {days} days")
    if moment < datetime.now() + timedelta(hours=1):
        raise ValueError(f"{date} {time} is past or less than an hour away")
    if time not in _seatings(restaurant, date):
        raise ValueError(
            f"{restaurant['name']} does not serve on {WEEKDAYS[moment.weekday()]} {date} at {time}: it is closed on "
            f"{', '.join(restaurant['closed_on'])} and seats every half hour from {restaurant['opens']} to "
            f"{restaurant['last_seating']}"
        )
