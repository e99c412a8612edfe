"""The weather service's policy as predicates on calls (docs/environment-format.md)."""

from datetime import date, datetime
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def _changed(table: str, before: Database, after: Database) -> list[tuple[Record, Record]]:
    """The records of a table that the call changed, as they were and as they are."""
    pairs = ((before[table].get(key), record) for key, record in after[table].items())
    return [(old, new) for old, new in pairs if old is not None and old != new]


def _ahead(day: str) -> int:
    """Days from today."""
    return (date.fromisoformat(day) - datetime.now().date()).days


def _live(database: Database, customer_id: str) -> int:
    alerts = database["alerts"].values()
    return sum(each["customer_id"] == customer_id and each["status"] != "cancelled" for each in alerts)


def alerts_fit_the_plan(before: Database, call: Record, after: Database) -> str | None:
    """A plan allows so many alerts, active and paused ones together; nobody moves to a plan that allows too few."""
    touched = [*_added("alerts", before, after), *(new for _, new in _changed("customers", before, after))]
    for customer_id in {each["customer_id"] for each in touched}:
        limit = after["plans"][after["customers"][customer_id]["plan_id"]]["alert_limit"]
        if _live(after, customer_id) > limit:
            return f"{_live(after, customer_id)} alerts, the plan allows {limit}"
    return None


def one_alert_a_measure(before: Database, call: Record, after: Database) -> str | None:
    """A site has one alert for a measure, cancelled ones aside."""
    for alert in [*_added("alerts", before, after), *(new for _, new in _changed("alerts", before, after))]:
        same = [
            each["alert_id"]
            for each in after["alerts"].values()
            if (each["site_id"], each["measure"]) == (alert["site_id"], alert["measure"])
            and each["status"] != "cancelled"
        ]
        if len(same) > 1:
            return f"{same} watch the same"
    return None


def cancelled_alerts_stay_cancelled(before: Database, call: Record, after: Database) -> str | None:
    """A cancelled alert stays cancelled; a pause ends within 90 days."""
    for old, new in _changed("alerts", before, after):
        if old["status"] == "cancelled":
            return f"{old['alert_id']} was cancelled"
        if new["paused_until"] and not 1 <= _ahead(new["paused_until"]) <= 90:
            return f"{old['alert_id']} is paused until {new['paused_until']}"
    return None


def replacements_are_for_faulty_sensors_in_warranty(before: Database, call: Record, after: Database) -> str | None:
    """A sensor is replaced free of charge while it is faulty and in warranty, and otherwise not at all."""
    for old, new in _changed("sensors", before, after):
        if new["status"] == "replacement sent" and (old["status"] != "faulty" or _ahead(old["warranty_until"]) < 0):
            return f"{old['sensor_id']} is {old['status']}, in warranty until {old['warranty_until']}"
    return None


def visits_change_until_two_days_before(before: Database, call: Record, after: Database) -> str | None:
    """A visit is moved or cancelled until two days before it."""
    for old, _ in _changed("visits", before, after):
        if old["status"] != "booked" or _ahead(old["day"]) < 2:
            return f"{old['visit_id']} is {old['status']} for {old['day']}"
    return None


def visits_are_on_working_days(before: Database, call: Record, after: Database) -> str | None:
    """Technicians come from Monday to Friday, two days to four weeks ahead, one visit a sensor at a time."""
    for visit in [*_added("visits", before, after), *(new for _, new in _changed("visits", before, after))]:
        if visit["status"] != "booked":
            continue
        if date.fromisoformat(visit["day"]).weekday() > 4 or not 2 <= _ahead(visit["day"]) <= 28:
            return f"{visit['visit_id']} is on {visit['day']}"
        booked = [
            each["visit_id"]
            for each in after["visits"].values()
            if each["sensor_id"] == visit["sensor_id"] and each["status"] == "booked"
        ]
        if len(booked) > 1:
            return f"{booked} are for the same sensor"
    return None


def reports_keep_their_lead_days(before: Database, call: Record, after: Database) -> str | None:
    """A report is about a day that is at least its lead days and at most ten days ahead."""
    moved = [new for old, new in _changed("reports", before, after) if old["day"] != new["day"]]
    for report in [*_added("reports", before, after), *moved]:
        product = after["products"][report["product_id"]]
        if not product["lead_days"] <= _ahead(report["day"]) <= 10:
            return f"{report['report_id']} is about {report['day']}"
        if after["sites"][report["site_id"]]["kind"] not in product["site_kinds"]:
            return f"{product['name']} does not suit the site"
    return None


def refunds_by_the_days_left(before: Database, call: Record, after: Database) -> str | None:
    """A cancelled report is refunded in full until three days before its day, by half until the day before; on the day
    itself it is not cancelled."""
    for old, new in _changed("reports", before, after):
        if new["status"] != "cancelled":
            continue
        left = _ahead(old["day"])
        if old["status"] != "ordered" or left < 1:
            return f"{old['report_id']} is {old['status']} for {old['day']}"
        if abs(new["refund"] - old["price"] * (1.0 if left >= 3 else 0.5)) > 0.011:
            return f"{old['report_id']} gives {new['refund']} back"
    return None


def credit_for_reports_that_were_wrong(before: Database, call: Record, after: Database) -> str | None:
    """A delivered report that was 4 degrees or more off the high gives half its price as credit, once."""
    for old, new in _changed("reports", before, after):
        if new["credited"] == old["credited"]:
            continue
        station = after["sites"][old["site_id"]]["station_id"]
        measured = [
            each["high_c"]
            for each in after["observations"].values()
            if (each["station_id"], each["day"]) == (station, old["day"])
        ]
        wrong = old["status"] == "delivered" and measured and abs(measured[0] - old["predicted_high_c"]) > 3.949
        if not wrong or old["credited"] is not None or abs(new["credited"] * 2 - old["price"]) > 0.021:
            return f"{old['report_id']} said {old['predicted_high_c']}, measured was {measured}"
    return None


def exports_within_the_quota(before: Database, call: Record, after: Database) -> str | None:
    """A plan gives so many exports a calendar month, each of 92 days at the most; cancelled ones do not count."""
    for export in _added("exports", before, after):
        customer_id, month = export["customer_id"], datetime.now().strftime("%Y-%m")
        used = sum(
            each["customer_id"] == customer_id
            and each["requested_on"].startswith(month)
            and each["status"] != "cancelled"
            for each in after["exports"].values()
        )
        limit = after["plans"][after["customers"][customer_id]["plan_id"]]["export_limit"]
        days = _ahead(export["last_day"]) - _ahead(export["first_day"]) + 1
        if used > limit or not 1 <= days <= 92 or _ahead(export["last_day"]) >= 0:
            return f"export {used} of {limit}, {days} days until {export['last_day']}"
    return None


def invoices_are_disputed_for_30_days(before: Database, call: Record, after: Database) -> str | None:
    """An open invoice is disputed until 30 days after it was due; what is paid or disputed stays so."""
    for old, new in _changed("invoices", before, after):
        if old["status"] != "open" or (new["status"] == "disputed" and _ahead(old["due_on"]) < -30):
            return f"{old['invoice_id']} is {old['status']}, due on {old['due_on']}"
    return None


def tickets_go_one_way(before: Database, call: Record, after: Database) -> str | None:
    """A ticket is raised to high priority while it is open, and closed once it was answered."""
    for old, new in _changed("tickets", before, after):
        if new["status"] == "closed" and old["status"] != "answered":
            return f"{old['ticket_id']} was {old['status']}"
        if new["priority"] != old["priority"] and (old["status"] != "open" or _ahead(old["opened_on"]) > -2):
            return f"{old['ticket_id']} was {old['status']}, opened on {old['opened_on']}"
    return None


def only_what_the_customer_owns(before: Database, call: Record, after: Database) -> str | None:
    """A call concerns one customer's sites, alerts, sensors, visits, reports, exports, tickets and invoices."""
    tables = ("sites", "alerts", "sensors", "visits", "reports", "exports", "tickets", "invoices")
    owners = {
        before[table][value]["customer_id"]
        for table in tables
        for value in call["arguments"].values()
        if isinstance(value, str) and value in before[table]
    }
    return f"entries of {len(owners)} customers" if len(owners) > 1 else None
