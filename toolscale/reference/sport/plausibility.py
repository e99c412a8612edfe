"""What somebody who runs a sports club would find odd in a set of entries, and how to make one odd."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.moments import NOW, age
from toolscale.reference.sport.catalogue import COMPENSATION_PERCENT, WEEKS_OF_REST

Record = dict[str, Any]


def court_price(court: Mapping[str, Any], plan: Mapping[str, Any], minutes: int) -> float:
    """What a member pays for a court, in EUR: the hourly rate less the plan's discount."""
    return float(round(court["hourly_rate"] * minutes / 60 * (100 - plan["court_discount_percent"]) / 100, 2))


def implausible(entries: Database) -> list[str]:
    """One sentence for each fault, judged on these entries alone; empty if all is well."""
    return [
        f"{table} {key}: {reason}"
        for table, rule in _RULES.items()
        for key, record in entries.get(table, {}).items()
        for reason in rule(record, entries)
    ]


def blemish(entries: Database, rng: Random) -> None:
    """Spoil one entry in place: still valid by the schema, its references whole, but implausible."""
    table, key = rng.choice([(table, key) for table in sorted(entries) for key in sorted(entries[table])])
    record: Any = entries[table][key]
    record.update({"players": [record["captain_id"]] * 2} if table == "teams" else _SPOILS[table])


def _club(record: Record, entries: Database) -> Iterator[str]:
    if record["opens"] >= record["closes"]:
        yield "it closes before it opens"


def _court(record: Record, entries: Database) -> Iterator[str]:
    if not 8 <= record["hourly_rate"] <= 60:
        yield "no court costs that much, or that little, an hour"
    if record["surface"] == "wood" and not record["indoor"]:
        yield "wood would rot outdoors"


def _coach(record: Record, entries: Database) -> Iterator[str]:
    if len(record["activities"]) > 4:
        yield "nobody teaches that many activities"


def _plan(record: Record, entries: Database) -> Iterator[str]:
    if not 15 <= record["monthly_fee"] <= 250:
        yield "no membership costs that a month"
    if record["freeze_days_a_year"] > 180:
        yield "it could be frozen for most of the year"


def _member(record: Record, entries: Database) -> Iterator[str]:
    if not 16 <= age(record["birth_date"]) <= 95:
        yield f"a member of {age(record['birth_date'])} years"
    if record["joined_on"] > min(NOW[:10], record["contract_until"]):
        yield "the contract ends before it began"
    if (record["frozen_from"] is None) != (record["frozen_until"] is None):
        yield "a freeze has only one end"


def _class(record: Record, entries: Database) -> Iterator[str]:
    if record["places_left"] > record["capacity"]:
        yield "it has more places left than places"
    if not 20 <= record["minutes"] <= 150:
        yield "no class takes that long"
    if not "06:00" <= record["starts"][11:] <= "21:30":
        yield "nobody holds a class at that hour"


def _place(record: Record, entries: Database) -> Iterator[str]:
    if record["asked_at"] > NOW:
        yield "it was asked for in the future"
    if record["status"] == "waiting" and record["paid"]:
        yield "waiting costs nothing"


def _booking(record: Record, entries: Database) -> Iterator[str]:
    if record["minutes"] % 30 or not "06:00" <= record["starts"][11:] <= "22:00":
        yield "courts are not let for such times"
    if (record["status"] == "cancelled") != (record["refund"] is not None):
        yield "a refund goes with a cancellation, and only with one"
    if record["status"] == "played" and record["starts"] > NOW:
        yield "it was played in the future"


def _complaint(record: Record, entries: Database) -> Iterator[str]:
    booking: Any = entries.get("court_bookings", {}).get(record["booking_id"])
    share = COMPENSATION_PERCENT[record["topic"]]
    if record["amount"] > 200 or (booking and abs(booking["price"] * share / 100 - record["amount"]) > 0.006):
        yield f"{record['amount']:.2f} EUR are not {share}% of the price"


def _league(record: Record, entries: Database) -> Iterator[str]:
    if record["minimum_age"] > 60 or record["squad_maximum"] > 20:
        yield "hardly anybody could make up a squad for it"


def _team(record: Record, entries: Database) -> Iterator[str]:
    if record["captain_id"] not in record["players"] or len(set(record["players"])) < len(record["players"]):
        yield "its captain does not play, or somebody is in it twice"


def _referee(record: Record, entries: Database) -> Iterator[str]:
    if not 10 <= record["fee"] <= 120:
        yield "no referee of amateurs asks that fee"


def _fixture(record: Record, entries: Database) -> Iterator[str]:
    if record["home_team"] == record["away_team"]:
        yield "a team plays against itself"
    if (record["status"] == "reported") != (record["home_score"] is not None):
        yield "a score goes with a report, and only with one"
    if (record["status"] == "scheduled") != (record["starts"] > NOW):
        yield "its state does not fit its time"


def _equipment(record: Record, entries: Database) -> Iterator[str]:
    if record["deposit"] < record["daily_rate"]:
        yield "the deposit is less than a day's rate"


def _hire(record: Record, entries: Database) -> Iterator[str]:
    last = (date.fromisoformat(record["first_day"]) + timedelta(days=record["days"] - 1)).isoformat()
    if record["status"] == "out" and not record["first_day"] <= NOW[:10] <= last:
        yield "it is out on days for which it was not hired"
    equipment: Any = entries.get("equipment", {}).get(record["equipment_id"])
    if record["price"] > 900 or (equipment and abs(equipment["daily_rate"] * record["days"] - record["price"]) > 0.006):
        yield "its price is not the daily rate for those days"


def _match(record: Record, entries: Database) -> Iterator[str]:
    if record["home_side"] == record["visitors"]:
        yield "a side plays against itself"
    prices = [each["price"] for each in record["categories"]]
    if prices != sorted(prices):
        yield "the box is cheaper than the upper tier"


def _ticket(record: Record, entries: Database) -> Iterator[str]:
    if not 5 <= record["price"] / record["seats"] <= 300:
        yield "no seat costs that"
    if (record["status"] == "returned") != (record["refund_to"] is not None):
        yield "money comes back for what is returned, and only for that"


def _injury(record: Record, entries: Database) -> Iterator[str]:
    rest = timedelta(weeks=WEEKS_OF_REST[record["body_part"]])
    if record["earliest_return"] != (date.fromisoformat(record["happened_on"]) + rest).isoformat():
        yield f"the rest for a {record['body_part']} is {rest.days} days"
    if (record["status"] == "cleared") != (record["seen_on"] is not None):
        yield "a doctor's note goes with a clearance, and only with one"


_RULES: Mapping[str, Callable[[Record, Database], Iterator[str]]] = {
    "clubs": _club,
    "courts": _court,
    "coaches": _coach,
    "plans": _plan,
    "members": _member,
    "classes": _class,
    "class_places": _place,
    "court_bookings": _booking,
    "complaints": _complaint,
    "leagues": _league,
    "teams": _team,
    "referees": _referee,
    "fixtures": _fixture,
    "equipment": _equipment,
    "hires": _hire,
    "matches": _match,
    "tickets": _ticket,
    "injuries": _injury,
}

_SPOILS: Mapping[str, Record] = {
    "clubs": {"opens": "22:30", "closes": "06:30"},
    "courts": {"hourly_rate": 2800.0},
    "coaches": {"activities": ["yoga", "pilates", "boxing", "strength training", "aqua fitness"]},
    "plans": {"monthly_fee": 4990.0},
    "members": {"birth_date": "1871-03-04"},
    "classes": {"places_left": 400},
    "class_places": {"asked_at": "2031-05-02T10:00"},
    "court_bookings": {"status": "cancelled", "refund": None},
    "complaints": {"amount": 5000.0},
    "leagues": {"minimum_age": 99},
    "referees": {"fee": 4200.0},
    "fixtures": {"status": "reported", "home_score": None},
    "equipment": {"deposit": 0.5, "daily_rate": 60.0},
    "hires": {"price": 99999.0},
    "matches": {"home_side": "SV Nordhafen", "visitors": "SV Nordhafen"},
    "tickets": {"price": 9999.0},
    "injuries": {"happened_on": "2025-01-01"},
}
