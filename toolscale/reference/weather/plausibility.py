"""What a meteorologist or a bookkeeper would find odd in a set of entries, and how to make one odd."""

from collections.abc import Callable, Iterator
from random import Random

from toolscale.artifacts import Database
from toolscale.reference.moments import TODAY
from toolscale.reference.weather.catalogue import MEASURES, SENSORS, VISIT_FEES, Record
from toolscale.reference.weather.services import later

TODAY_TEXT = TODAY.isoformat()


def implausible(entries: Database) -> list[str]:
    """One sentence for each fault, judged on these entries alone; empty if all is well."""
    return [
        f"{table} {key}: {reason}"
        for table, rule in _RULES.items()
        for key, record in entries.get(table, {}).items()
        for reason in rule(record)
    ]


def blemish(entries: Database, rng: Random) -> None:
    """Spoil one entry in place: still valid by the schema, its references whole, but implausible."""
    spoilable = [(table, key) for table in _SPOILS for key in sorted(entries.get(table, {}))]
    table, key = rng.choice(spoilable)
    entries[table][key].update(_SPOILS[table])


def _plan(record: Record) -> Iterator[str]:
    if not 1 <= record["monthly_fee"] <= 500:
        yield "nobody sells that plan for the price"


def _product(record: Record) -> Iterator[str]:
    if record["lead_days"] > 7:
        yield "no report needs so long"
    if record["hourly_price"] >= record["price"]:
        yield "hourly detail costs more than the report"


def _station(record: Record) -> Iterator[str]:
    if record["elevation_m"] > 4500:
        yield "no European station stands so high"
    if (record["kind"] == "coastal") and record["elevation_m"] > 300:
        yield "that high is not the coast"


def _weather(record: Record) -> Iterator[str]:
    if record["low_c"] > record["high_c"]:
        yield "the lowest temperature is above the highest"
    if record["high_c"] > 30 or record["low_c"] < -25:
        yield "no such temperature in a November there"
    if record["gust_kmh"] > 200 or record["rain_mm"] > 200:
        yield "no such storm was ever measured there"


def _forecast(record: Record) -> Iterator[str]:
    yield from _weather(record)
    if record["rain_mm"] > 0 and record["rain_percent"] < 50:
        yield "rain is forecast and unlikely at once"
    if record["sky"] == "snow" and record["high_c"] > 4:
        yield "snow in the warmth"


def _warning(record: Record) -> Iterator[str]:
    if record["ends_at"] <= record["starts_at"]:
        yield "it ends before it starts"
    if record["hazard"] == "heat":
        yield "a heat warning in November"


def _customer(record: Record) -> Iterator[str]:
    if record["plan_since"] > TODAY_TEXT:
        yield "a plan since a day to come"
    if record["credit"] > 1000:
        yield "nobody has that much credit"


def _alert(record: Record) -> Iterator[str]:
    usual = MEASURES[record["measure"]][1]
    if not usual[0] * 0.5 <= record["threshold"] <= usual[-1] * 1.5:
        yield f"nobody sets {record['measure']} at {record['threshold']}"
    if (record["status"] == "paused") != bool(record["paused_until"]):
        yield "its state and the end of its pause do not match"


def _sensor(record: Record) -> Iterator[str]:
    _, model, months = SENSORS[record["kind"]]
    if record["model"] != model or record["warranty_until"] != later(record["installed_on"], months):
        yield f"that is not a {record['kind']} with its warranty"
    if not record["installed_on"] <= record["last_calibrated"] <= TODAY_TEXT:
        yield "it was calibrated on an impossible day"


def _visit(record: Record) -> Iterator[str]:
    if record["fee"] != VISIT_FEES[record["purpose"]]:
        yield "the fee is not that of its purpose"
    if (record["status"] == "booked") != (record["day"] > TODAY_TEXT):
        yield "its state and its day do not match"


def _report(record: Record) -> Iterator[str]:
    if not 15 <= record["price"] <= 150:
        yield "no report costs that"
    if (record["status"] == "delivered") != (record["predicted_high_c"] is not None):
        yield "its state and its content do not match"
    if (record["status"] == "delivered") != bool(record["observation_id"]):
        yield "its state and what it is compared with do not match"
    if record["status"] == "delivered" and record["day"] >= TODAY_TEXT:
        yield "it was delivered before its day"


def _export(record: Record) -> Iterator[str]:
    if not record["first_day"] <= record["last_day"] < record["requested_on"] <= TODAY_TEXT:
        yield "its days are in an impossible order"
    if record["status"] in ("ready", "expired") and not record["download_until"]:
        yield "nothing says until when it can be downloaded"


def _ticket(record: Record) -> Iterator[str]:
    if not record["opened_on"] < record["answer_due"]:
        yield "the answer was due before it was opened"
    if (record["status"] == "closed") != (record["rating"] is not None):
        yield "its state and its rating do not match"
    if record["opened_on"] > TODAY_TEXT:
        yield "it was opened on a day to come"


def _invoice(record: Record) -> Iterator[str]:
    if not 5 <= record["amount"] <= 1000:
        yield "nobody is billed that"
    if (record["status"] == "paid") != bool(record["paid_on"]):
        yield "its state and the day of payment do not match"


_RULES: dict[str, Callable[[Record], Iterator[str]]] = {
    "plans": _plan,
    "products": _product,
    "stations": _station,
    "forecasts": _forecast,
    "observations": _weather,
    "warnings": _warning,
    "customers": _customer,
    "alerts": _alert,
    "sensors": _sensor,
    "visits": _visit,
    "reports": _report,
    "exports": _export,
    "tickets": _ticket,
    "invoices": _invoice,
}

_SPOILS: dict[str, Record] = {
    "plans": {"monthly_fee": 9900.0},
    "products": {"lead_days": 300},
    "stations": {"elevation_m": 9100},
    "forecasts": {"high_c": 44.0},
    "observations": {"rain_mm": 4100.0},
    "warnings": {"hazard": "heat"},
    "customers": {"plan_since": "2031-02-01"},
    "alerts": {"threshold": 900},
    "sensors": {"last_calibrated": "2031-06-01"},
    "visits": {"fee": 7777.0},
    "reports": {"price": 8800.0},
    "exports": {"requested_on": "2031-01-10"},
    "tickets": {"opened_on": "2031-01-10", "answer_due": "2031-01-12"},
    "invoices": {"amount": 92000.0},
}
