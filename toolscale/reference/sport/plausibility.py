"""What somebody who runs a sports club would find odd in a set of entries, and how to make one odd."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from toolscale.reference.moments import NOW
from toolscale.reference.plausibility import Entries, Plausibility
from toolscale.reference.program import Record
from toolscale.reference.sport.functions.bookings import COMPENSATION_PERCENT
from toolscale.reference.sport.functions.injuries import WEEKS_OF_REST
from toolscale.reference.sport.schema import SCHEMA


def court_price(court: Mapping[str, Any], plan: Mapping[str, Any], minutes: int) -> float:
    """What a member pays for a court, in EUR: the hourly rate less the plan's discount."""
    return float(round(court["hourly_rate"] * minutes / 60 * (100 - plan["court_discount_percent"]) / 100, 2))


def _coach(record: Record, entries: Entries) -> Iterator[str]:
    if len(record["activities"]) > 4:
        yield "nobody teaches that many activities"


def _booking(record: Record, entries: Entries) -> Iterator[str]:
    if record["minutes"] % 30 or not "06:00" <= record["starts"][11:] <= "22:00":
        yield "courts are not let for such times"


def _complaint(record: Record, entries: Entries) -> Iterator[str]:
    booking = entries.get("court_bookings", {}).get(record["booking_id"])
    share = COMPENSATION_PERCENT[record["topic"]]
    if record["amount"] > 200 or (booking and abs(booking["price"] * share / 100 - record["amount"]) > 0.006):
        yield f"{record['amount']:.2f} EUR are not {share}% of the price"


def _team(record: Record, entries: Entries) -> Iterator[str]:
    if record["captain_id"] not in record["players"] or len(set(record["players"])) < len(record["players"]):
        yield "its captain does not play, or somebody is in it twice"


def _hire(record: Record, entries: Entries) -> Iterator[str]:
    last = (date.fromisoformat(record["first_day"]) + timedelta(days=record["days"] - 1)).isoformat()
    if record["status"] == "out" and not record["first_day"] <= NOW[:10] <= last:
        yield "it is out on days for which it was not hired"
    equipment = entries.get("equipment", {}).get(record["equipment_id"])
    if record["price"] > 900 or (equipment and abs(equipment["daily_rate"] * record["days"] - record["price"]) > 0.006):
        yield "its price is not the daily rate for those days"


def _match(record: Record, entries: Entries) -> Iterator[str]:
    prices = [each["price"] for each in record["categories"]]
    if prices != sorted(prices):
        yield "the box is cheaper than the upper tier"


def _ticket(record: Record, entries: Entries) -> Iterator[str]:
    if not 5 <= record["price"] / record["seats"] <= 300:
        yield "no seat costs that"


def _injury(record: Record, entries: Entries) -> Iterator[str]:
    rest = timedelta(weeks=WEEKS_OF_REST[record["body_part"]])
    if record["earliest_return"] != (date.fromisoformat(record["happened_on"]) + rest).isoformat():
        yield f"the rest for a {record['body_part']} is {rest.days} days"


_PLAUSIBILITY = Plausibility(
    SCHEMA,
    Path(__file__).with_name("plausible.yaml"),
    {
        "coaches": _coach,
        "court_bookings": _booking,
        "complaints": _complaint,
        "teams": _team,
        "hires": _hire,
        "matches": _match,
        "tickets": _ticket,
        "injuries": _injury,
    },
    {"teams": lambda team: {"players": [team["captain_id"]] * 2}},
)
implausible, blemish = _PLAUSIBILITY.implausible, _PLAUSIBILITY.blemish
