"""What customers have ordered: alerts, sensors and visits, reports, exports, tickets and invoices."""

from datetime import date
from random import Random

from toolscale.artifacts import Database
from toolscale.reference.ids import Ids
from toolscale.reference.moments import TODAY, day, some_day
from toolscale.reference.sums import rounded
from toolscale.reference.weather.catalogue import CHANNELS, MEASURES, PLANS, PRODUCTS, SENSORS, SITES, Record
from toolscale.reference.weather.functions.sensors import _FEES as VISIT_FEES
from toolscale.reference.weather.sky import observed

KEYS = {
    "customers": "customer_id",
    "sites": "site_id",
    "alerts": "alert_id",
    "sensors": "sensor_id",
    "visits": "visit_id",
    "reports": "report_id",
    "exports": "export_id",
    "tickets": "ticket_id",
    "invoices": "invoice_id",
}


class Ledger:
    """The entries of one region's customers, and the chance that they come from."""

    def __init__(self, rng: Random, ids: Ids, sky: Database) -> None:
        self.rng, self.ids, self.sky = rng, ids, sky
        self.entries: Database = {}

    def add(self, table: str, record: Record) -> Record:
        """Enter a record under its key."""
        self.entries.setdefault(table, {})[record[KEYS[table]]] = record
        return record


def later(day_before: str, months: int) -> str:
    """The same day of the month so many months on; the 28th at the latest."""
    start = date.fromisoformat(day_before)
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    return date(year, month + 1, min(start.day, 28)).isoformat()


def alerts(ledger: Ledger, customer: Record, sites: list[Record], turn: int) -> None:
    """Alerts on the first sites, no two of a measure at one site, and none beyond the plan's limit."""
    rng, limit = ledger.rng, PLANS[customer["plan_id"]]["alert_limit"]
    wanted = min(limit - turn % 2, 2 + turn % 4)
    pairs = [(site, measure) for site in sites for measure in MEASURES]
    for number, (site, measure) in enumerate(rng.sample(pairs, max(wanted, 1) + 1)):
        status = "cancelled" if number == wanted else "paused" if number == 1 and turn % 2 else "active"
        ledger.add(
            "alerts",
            {
                "alert_id": ledger.ids.digits("AL"),
                "customer_id": customer["customer_id"],
                "site_id": site["site_id"],
                "measure": measure,
                "threshold": rng.choice(MEASURES[measure][1]),
                "channel": rng.choice(CHANNELS),
                "status": status,
                "paused_until": day(rng.randint(4, 40)) if status == "paused" else None,
                "times_sent": rng.randint(0, 48),
            },
        )


def sensors(ledger: Ledger, customer: Record, sites: list[Record], turn: int) -> list[Record]:
    """Two or three sensors, of the kinds that suit their sites."""
    rng, made = ledger.rng, []
    kinds: set[str] = set()
    for number in range(2 + turn % 2):
        site = sites[number % len(sites)]
        kind = rng.choice([each for each in SITES[site["kind"]].sensors if each not in kinds])
        kinds.add(kind)
        sensor = SENSORS[kind]
        installed = day(-rng.randrange(120, 1300))
        status = "faulty" if number == turn % 2 else "working"
        made.append(
            ledger.add(
                "sensors",
                {
                    "sensor_id": ledger.ids.digits("SN"),
                    "customer_id": customer["customer_id"],
                    "site_id": site["site_id"],
                    "kind": kind,
                    "model": sensor.model,
                    "installed_on": installed,
                    "warranty_until": later(installed, sensor.warranty_months),
                    "battery_percent": rng.randint(6, 98),
                    "status": status,
                    "replacement_to": None,
                    "last_calibrated": max(installed, day(-rng.randrange(20, 500))),
                },
            )
        )
    return made


def visits(ledger: Ledger, customer: Record, made: list[Record], turn: int) -> None:
    """Visits to come for the first and the third sensor, and one made or cancelled for the second."""
    rng = ledger.rng
    for number, sensor in enumerate(made):
        if number == 0 and turn % 4 == 3:
            continue
        soon = turn % 4 == 1 and number == 0
        when = some_day(rng, 1, 1) if soon else some_day(rng, 4, 24, weekdays="12345")
        status = rng.choice(("done", "cancelled")) if number == 1 else "booked"
        purpose = rng.choice(list(VISIT_FEES))
        past = some_day(rng, -80, -9, weekdays="12345")
        ledger.add(
            "visits",
            {
                "visit_id": ledger.ids.digits("VI"),
                "customer_id": customer["customer_id"],
                "sensor_id": sensor["sensor_id"],
                "purpose": purpose,
                "day": past if number == 1 else when,
                "half": rng.choice(("morning", "afternoon")),
                "fee": VISIT_FEES[purpose],
                "status": status,
            },
        )


def reports(ledger: Ledger, customer: Record, sites: list[Record], turn: int) -> list[Record]:
    """One report delivered lately, and two to come, for some of them one today."""
    rng = ledger.rng
    days = [some_day(rng, -5, -1), day(rng.randint(3, 9)), day((1, 0, 0, 2)[turn % 4])]
    made = []
    for number, when in enumerate(days):
        site = sites[number % len(sites)]
        fitting = [key for key, each in PRODUCTS.items() if site["kind"] in each["site_kinds"]]
        product_id, hourly = rng.choice(fitting), rng.random() < 0.3
        product, discount = PRODUCTS[product_id], PLANS[customer["plan_id"]]["report_discount"]
        full = product["price"] + (product["hourly_price"] if hourly else 0)
        truth = observed(ledger.sky, site["station_id"], when) if number == 0 else None
        off = (rng.choice((-1, 1)) * rng.uniform(4.2, 7.5)) if turn % 2 == 0 else rng.uniform(-2, 2)
        made.append(
            ledger.add(
                "reports",
                {
                    "report_id": ledger.ids.digits("RE"),
                    "customer_id": customer["customer_id"],
                    "site_id": site["site_id"],
                    "product_id": product_id,
                    "day": when,
                    "hourly": hourly,
                    "price": rounded(full * (100 - discount) / 100),
                    "recipient": customer["email"],
                    "status": "delivered" if truth else "ordered",
                    "predicted_high_c": round(truth["high_c"] + off, 1) if truth else None,
                    "predicted_rain_mm": round(max(0.0, truth["rain_mm"] + rng.uniform(-1, 3)), 1) if truth else None,
                    "observation_id": truth["observation_id"] if truth else None,
                    "refund": None,
                    "credited": None,
                },
            )
        )
    return made


def exports(ledger: Ledger, customer: Record, sites: list[Record], turn: int) -> list[Record]:
    """One export of last month that has run out or is ready, and for some the whole quota of this month."""
    rng, made = ledger.rng, []
    limit = PLANS[customer["plan_id"]]["export_limit"]
    statuses = ["expired" if turn % 3 else "ready"]
    if turn % 4 == 2:
        statuses += ["queued"] + ["ready"] * (limit - 1 if limit < 5 else 1)
    elif turn % 2 == 0 and limit > 1:
        statuses.append("queued")
    for number, status in enumerate(statuses):
        asked = day(-rng.randint(1, 15)) if number else day(-rng.randint(26, 50))
        if status == "queued":
            asked = day(-rng.randint(0, 1))
        last = day(-rng.randint(55, 120))
        until = {"ready": day(rng.randint(2, 20)), "expired": day(-rng.randint(1, 10))}.get(status)
        made.append(
            ledger.add(
                "exports",
                {
                    "export_id": ledger.ids.digits("EX"),
                    "customer_id": customer["customer_id"],
                    "station_id": rng.choice(sites)["station_id"],
                    "first_day": (date.fromisoformat(last).replace(day=1)).isoformat(),
                    "last_day": last,
                    "file_format": rng.choice(("CSV", "JSON", "NetCDF")),
                    "requested_on": asked,
                    "status": status,
                    "download_until": until,
                },
            )
        )
    return made


def tickets(ledger: Ledger, customer: Record, about: list[Record], turn: int) -> None:
    """Two or three complaints, in different states."""
    rng = ledger.rng
    for number, subject in enumerate(rng.sample(about, min(len(about), 2 + turn % 2))):
        report = "report_id" in subject
        status = ("open", "answered", "closed")[(turn + number) % 3]
        opened = day(-rng.randint(2, 4)) if status == "open" else day(-rng.randint(8, 40))
        high = status != "open" and rng.random() < 0.3
        ledger.add(
            "tickets",
            {
                "ticket_id": ledger.ids.digits("TI"),
                "customer_id": customer["customer_id"],
                "about_id": subject["report_id"] if report else subject["export_id"],
                "problem": rng.choice(("late delivery", "unclear wording") if report else ("missing values",)),
                "opened_on": opened,
                "priority": "high" if high else "normal",
                "status": status,
                "answer_due": _days_after(opened, 2 if high else 5),
                "rating": rng.randint(1, 5) if status == "closed" else None,
            },
        )


def invoices(ledger: Ledger, customer: Record, turn: int) -> None:
    """The last three months: the oldest paid, the newest open. An invoice is due on the 15th of the month after."""
    rng, fee = ledger.rng, PLANS[customer["plan_id"]]["monthly_fee"]
    for number, month in enumerate(("2026-08", "2026-09", "2026-10")):
        status = "paid" if number == 0 or (number == 1 and turn % 2) else "open"
        due = day_due(month)
        ledger.add(
            "invoices",
            {
                "invoice_id": ledger.ids.digits("IN"),
                "customer_id": customer["customer_id"],
                "month": month,
                "amount": rounded(fee + rng.choice((0, 34.5, 38, 52, 64, 85))),
                "due_on": due,
                "status": status,
                "paid_by": rng.choice(("card", "bank transfer")) if status == "paid" else None,
                "paid_on": _days_after(due, -rng.randint(1, 9)) if status == "paid" else None,
                "objection": None,
            },
        )


def day_due(month: str) -> str:
    """The 15th of the month after."""
    return f"2026-{int(month[5:]) + 1:02}-15"


def _days_after(iso_day: str, days: int) -> str:
    return day((date.fromisoformat(iso_day) - TODAY).days + days)
