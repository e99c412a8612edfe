"""Reports by meteorologists: products, orders, changes, and credit for those that were wrong."""

import re
from typing import Any

from ._shared import Database, Record, _cents, _days_ahead, _joined, _new_key, _one, _own, _plan, _site_name

WRITES = {"order_report", "move_report", "add_hourly_detail", "redirect_report", "cancel_report", "claim_credit"}

_FARTHEST = 10
_WRONG_BY = 4.0


def _shown_report(db: Database, report: Record) -> dict[str, Any]:
    product = _joined(db, "products", report["product_id"])
    return {**report, "product": product["name"], "site": _site_name(db, report)}


def _offered(db: Database, site: Record, product: Record) -> dict[str, Any]:
    share = (100 - _plan(db, site["customer_id"])["report_discount"]) / 100
    price, extra = _cents(product["price"] * share), _cents(product["hourly_price"] * share)
    return {
        **{field: product[field] for field in ("product_id", "name", "lead_days")},
        "price": price,
        "hourly_detail": extra,
        "price_with_hourly_detail": _cents((product["price"] + product["hourly_price"]) * share),
    }


def _check_day(product: Record, day: str) -> None:
    if not product["lead_days"] <= _days_ahead(day) <= _FARTHEST:
        raise ValueError(f"a {product['name']} is for {product['lead_days']} to {_FARTHEST} days from today")


def _ordered(db: Database, report_id: str) -> Record:
    report = _one(db, "reports", report_id)
    if report["status"] != "ordered":
        raise ValueError(f"report {report_id} is {report['status']}")
    return report


def _refund(report: Record) -> float:
    left = _days_ahead(report["day"])
    return _cents(report["price"] * (1 if left >= 3 else 0.5 if left >= 1 else 0))


def list_report_products(db: Database, site_id: str) -> list[dict[str, Any]]:
    """Reports that suit a site, with prices in EUR less the plan's discount.

    site_id: the customer's site.
    """
    site = _one(db, "sites", site_id)
    return [_offered(db, site, each) for each in db["products"].values() if site["kind"] in each["site_kinds"]]


def list_reports(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """A customer's reports that are ordered or delivered, with product, site, day and price.

    customer_id: whose.
    """
    return [_shown_report(db, each) for each in _own(db, "reports", customer_id) if each["status"] != "cancelled"]


def get_report(db: Database, report_id: str) -> dict[str, Any]:
    """One report, with what is refunded if it were cancelled today, and what hourly detail would cost in addition.

    report_id: such as RE-48213.
    """
    report = _one(db, "reports", report_id)
    product, site = _joined(db, "products", report["product_id"]), _joined(db, "sites", report["site_id"])
    return {
        **_shown_report(db, report),
        "refund_if_cancelled": _refund(report) if report["status"] == "ordered" else 0.0,
        "hourly_detail": _offered(db, site, product)["hourly_detail"],
    }


def order_report(db: Database, site_id: str, product_id: str, day: str, hourly: bool) -> dict[str, Any]:
    """Order a report for a site and a day, sent to the customer's e-mail address and charged with the next invoice.

    site_id: the customer's site.
    product_id: from list_report_products of that site.
    day: the day reported on, at least the product's lead days and at most ten days ahead, YYYY-MM-DD.
    hourly: whether with hourly detail.
    """
    site, product = _one(db, "sites", site_id), _one(db, "products", product_id)
    if site["kind"] not in product["site_kinds"]:
        raise ValueError(f"a {product['name']} is not made for a {site['kind']}")
    _check_day(product, day)
    for each in db["reports"].values():
        if (each["site_id"], each["product_id"], each["day"], each["status"]) == (site_id, product_id, day, "ordered"):
            raise ValueError(f"{each['report_id']} is the same report for that day")
    offer = _offered(db, site, product)
    key = _new_key(db, "reports", "RE")
    db["reports"][key] = {
        "report_id": key,
        "customer_id": site["customer_id"],
        "site_id": site_id,
        "product_id": product_id,
        "day": day,
        "hourly": hourly,
        "price": offer["price_with_hourly_detail"] if hourly else offer["price"],
        "recipient": _joined(db, "customers", site["customer_id"])["email"],
        "status": "ordered",
        "predicted_high_c": None,
        "predicted_rain_mm": None,
        "observation_id": None,
        "refund": None,
        "credited": None,
    }
    return _shown_report(db, db["reports"][key])


def move_report(db: Database, report_id: str, day: str) -> dict[str, Any]:
    """Let an ordered report be about another day, free of charge.

    report_id: an ordered report.
    day: at least the product's lead days and at most ten days ahead, YYYY-MM-DD.
    """
    report = _ordered(db, report_id)
    _check_day(_joined(db, "products", report["product_id"]), day)
    if _days_ahead(report["day"]) < 1 or report["day"] == day:
        raise ValueError("a report is moved to another day until the day before")
    report["day"] = day
    return _shown_report(db, report)


def add_hourly_detail(db: Database, report_id: str) -> dict[str, Any]:
    """Add hourly detail to an ordered report that has none, until the day before.

    report_id: an ordered report.
    """
    report = _ordered(db, report_id)
    if report["hourly"] or _days_ahead(report["day"]) < 1:
        raise ValueError("hourly detail is added once, and until the day before")
    site, product = _joined(db, "sites", report["site_id"]), _joined(db, "products", report["product_id"])
    extra = _offered(db, site, product)["hourly_detail"]
    report.update(hourly=True, price=_cents(report["price"] + extra))
    return {**_shown_report(db, report), "charged": extra}


def redirect_report(db: Database, report_id: str, recipient: str) -> dict[str, Any]:
    """Send an ordered report to another e-mail address.

    report_id: an ordered report.
    recipient: an e-mail address.
    """
    report = _ordered(db, report_id)
    if not re.fullmatch(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", recipient) or report["recipient"] == recipient:
        raise ValueError("the recipient must be another e-mail address")
    report["recipient"] = recipient
    return _shown_report(db, report)


def cancel_report(db: Database, report_id: str) -> dict[str, Any]:
    """Cancel an ordered report: the whole price is refunded until three days before its day, half of it until the day
    before. On the day itself it is refused.

    report_id: an ordered report.
    """
    report = _ordered(db, report_id)
    refund = _refund(report)
    if refund == 0:
        raise ValueError(f"report {report_id} is for {report['day']}, that is today: it is being written")
    report.update(status="cancelled", refund=refund)
    return _shown_report(db, report)


def check_accuracy(db: Database, report_id: str) -> dict[str, Any]:
    """Compare a delivered report with what its station measured: 4 degrees or more off the high give half
    the price as credit, once.

    report_id: a delivered report.
    """
    report = _one(db, "reports", report_id)
    if report["status"] != "delivered":
        raise ValueError(f"report {report_id} is {report['status']}; only a delivered one can be compared")
    measured = _joined(db, "observations", report["observation_id"])["high_c"]
    off = round(abs(measured - report["predicted_high_c"]), 1)
    due = off >= _WRONG_BY and report["credited"] is None
    return {
        "report_id": report_id,
        "predicted_high_c": report["predicted_high_c"],
        "measured_high_c": measured,
        "off_by_c": off,
        "credit_due": _cents(report["price"] / 2) if due else 0.0,
    }


def claim_credit(db: Database, report_id: str) -> dict[str, Any]:
    """Credit half the price of a delivered report that was 4 degrees or more off, to be set off against invoices.

    report_id: a delivered report.
    """
    due = check_accuracy(db, report_id)["credit_due"]
    if due == 0:
        raise ValueError(f"no credit is due for {report_id}; check_accuracy says how far it was off")
    report = db["reports"][report_id]
    customer = _joined(db, "customers", report["customer_id"])
    report["credited"] = due
    customer["credit"] = _cents(customer["credit"] + due)
    return {"report_id": report_id, "credited": due, "credit_balance": customer["credit"]}
