"""The customer, their plan, sites and invoices."""

from typing import Any, Literal

from ._shared import Database, Record, _cents, _days_ahead, _joined, _live_alerts, _new_key, _one, _own, _plan, _today

WRITES = {"change_plan", "add_site", "rename_site", "pay_invoice", "dispute_invoice"}

_DISPUTE_DAYS = 30


def get_customer(db: Database, customer_id: str) -> dict[str, Any]:
    """A customer's contact data, plan, credit, and how many alerts are set up.

    customer_id: such as CU-48213.
    """
    customer = _one(db, "customers", customer_id)
    plan = _plan(db, customer_id)
    return {**customer, "plan": plan["name"], "alerts": len(_live_alerts(db, customer_id)), **_limits(plan)}


def _limits(plan: Record) -> dict[str, Any]:
    return {name: plan[name] for name in ("alert_limit", "export_limit", "report_discount", "monthly_fee")}


def list_plans(db: Database) -> list[dict[str, Any]]:
    """The plans on offer: fee a month in EUR, alerts, exports, discount on reports in percent."""
    return [dict(each) for each in db["plans"].values()]


def change_plan(db: Database, customer_id: str, plan_id: str) -> dict[str, Any]:
    """Put a customer on another plan from today. Refused where the customer has more alerts than it allows.

    customer_id: whose plan.
    plan_id: from list_plans.
    """
    customer, plan = _one(db, "customers", customer_id), _one(db, "plans", plan_id)
    if customer["plan_id"] == plan_id:
        raise ValueError(f"the customer is on {plan['name']} already")
    alerts = len(_live_alerts(db, customer_id))
    if alerts > plan["alert_limit"]:
        raise ValueError(f"{plan['name']} allows {plan['alert_limit']} alerts, and there are {alerts}")
    customer.update(plan_id=plan_id, plan_since=_today().isoformat())
    return {"customer_id": customer_id, "plan": plan["name"], **_limits(plan)}


def list_sites(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's sites with their kind and the station that stands for each.

    customer_id: whose.
    """
    return [
        {**each, "station": _joined(db, "stations", each["station_id"])["name"]}
        for each in _own(db, "sites", customer_id)
    ]


def add_site(
    db: Database,
    customer_id: str,
    name: str,
    kind: Literal["farm", "airfield", "venue", "harbour", "building site"],
    station_id: str,
) -> dict[str, Any]:
    """Add a site to a customer's account, near a station that is online.

    customer_id: whose site.
    name: as the customer calls it; no two sites of a customer share one.
    kind: what it is.
    station_id: the station that stands for it.
    """
    station = _one(db, "stations", station_id)
    if any(each["name"].lower() == name.lower() for each in _own(db, "sites", customer_id)):
        raise ValueError(f"there is a site named {name} already")
    if station["status"] != "online":
        raise ValueError(f"{station['name']} is offline; take another station")
    if kind not in ("farm", "airfield", "venue", "harbour", "building site") or not name.strip():
        raise ValueError("a site has a name, and is a farm, airfield, venue, harbour or building site")
    key = _new_key(db, "sites", "SI")
    db["sites"][key] = {
        "site_id": key,
        "customer_id": customer_id,
        "name": name,
        "kind": kind,
        "station_id": station_id,
    }
    return {**db["sites"][key], "station": station["name"]}


def rename_site(db: Database, site_id: str, name: str) -> dict[str, Any]:
    """Give a site another name.

    site_id: such as SI-48213.
    name: the new name; no two sites of a customer share one.
    """
    site = _one(db, "sites", site_id)
    if not name.strip() or any(each["name"].lower() == name.lower() for each in _own(db, "sites", site["customer_id"])):
        raise ValueError(f"there is a site named {name} already")
    site["name"] = name
    return {**site, "station": _joined(db, "stations", site["station_id"])["name"]}


def list_invoices(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's invoices with month, amount in EUR, due day and state.

    customer_id: whose.
    """
    return [dict(each) for each in _own(db, "invoices", customer_id)]


def get_invoice(db: Database, invoice_id: str) -> dict[str, Any]:
    """One invoice.

    invoice_id: such as IN-48213.
    """
    return dict(_one(db, "invoices", invoice_id))


def pay_invoice(db: Database, invoice_id: str, method: Literal["card", "bank transfer", "credit"]) -> dict[str, Any]:
    """Pay an open invoice in full.

    invoice_id: an open invoice.
    method: the card or account on file, or the customer's credit, which must cover it.
    """
    invoice = _one(db, "invoices", invoice_id)
    customer = _joined(db, "customers", invoice["customer_id"])
    if invoice["status"] != "open":
        raise ValueError(f"invoice {invoice_id} is {invoice['status']}")
    if method not in ("card", "bank transfer", "credit"):
        raise ValueError("the method must be card, bank transfer or credit")
    if method == "credit":
        if customer["credit"] < invoice["amount"]:
            raise ValueError(f"the credit is {customer['credit']:.2f} EUR, less than {invoice['amount']:.2f}")
        customer["credit"] = _cents(customer["credit"] - invoice["amount"])
    invoice.update(status="paid", paid_by=method, paid_on=_today().isoformat())
    return {**invoice, "credit_balance": customer["credit"]}


def dispute_invoice(
    db: Database, invoice_id: str, objection: Literal["wrong amount", "billed twice", "not ordered"]
) -> dict[str, Any]:
    """Object to an open invoice, at the latest 30 days after it was due. Nothing is collected meanwhile.

    invoice_id: an open invoice.
    objection: what is wrong with it.
    """
    invoice = _one(db, "invoices", invoice_id)
    if invoice["status"] != "open":
        raise ValueError(f"invoice {invoice_id} is {invoice['status']}; only an open one can be disputed")
    if _days_ahead(invoice["due_on"]) < -_DISPUTE_DAYS:
        raise ValueError(f"it was due on {invoice['due_on']}; objections close {_DISPUTE_DAYS} days later")
    if objection not in ("wrong amount", "billed twice", "not ordered"):
        raise ValueError("the objection must be wrong amount, billed twice or not ordered")
    invoice.update(status="disputed", objection=objection)
    return dict(invoice)
