"""Travel insurance: what it would cost, buying it, and withdrawing from it."""

from datetime import date
from typing import Any, Literal

from ._shared import Database, _day, _find, _new_key, _today

WRITES = {"buy_insurance", "cancel_insurance"}

WITHDRAWAL_DAYS = 14
CANCELLATION_COVER_DAYS = 7
LONGEST_TRIP = 60


def _premium(product: dict[str, Any], trip_price: float, days: int) -> float:
    return float(round(trip_price * product["percent_of_trip"] / 100 + product["day_rate"] * days + 1e-9, 2))


def _insurance_obstacle(product: dict[str, Any], traveller: dict[str, Any], place: dict[str, Any], start: date) -> str:
    born = date.fromisoformat(traveller["birth_date"])
    age = start.year - born.year - ((start.month, start.day) < (born.month, born.day))
    if age > product["maximum_age"]:
        return f"{product['name']} is for travellers up to {product['maximum_age']}"
    if product["region"] == "europe" and place["region"] != "europe":
        return f"{product['name']} covers Europe only"
    if "cancellation" in product["covers"] and (start - _today()).days < CANCELLATION_COVER_DAYS:
        return f"cancellation is covered only if bought {CANCELLATION_COVER_DAYS} days before the start"
    return ""


def _trip_days(start_date: str, end_date: str, trip_price: float) -> int:
    start, end = _day(start_date), _day(end_date)
    if start < _today():
        raise ValueError(f"insurance cannot start in the past ({start_date})")
    if not 0 <= (end - start).days < LONGEST_TRIP or trip_price <= 0:
        raise ValueError(f"a trip has a price and lasts 1 to {LONGEST_TRIP} days")
    return (end - start).days + 1


def quote_insurance(
    db: Database, traveller_id: str, destination_code: str, start_date: str, end_date: str, trip_price: float
) -> list[dict[str, Any]]:
    """Insurance that a traveller may buy for a trip, with its cover, excess and premium; the cheapest first.

    traveller_id: who travels.
    destination_code: from find_destination.
    start_date: first day of the trip, YYYY-MM-DD.
    end_date: last day of the trip, YYYY-MM-DD.
    trip_price: what the trip costs, in EUR.
    """
    traveller = _find(db, "travellers", traveller_id, "traveller")
    place = _find(db, "destinations", destination_code, "destination")
    days = _trip_days(start_date, end_date, trip_price)
    found = [
        {
            "product_id": product["product_id"],
            "name": product["name"],
            "covers": product["covers"],
            "excess": product["excess"],
            "premium": _premium(product, trip_price, days),
        }
        for product in db["insurance_products"].values()
        if not _insurance_obstacle(product, traveller, place, _day(start_date))
    ]
    return sorted(found, key=lambda each: (each["premium"], each["product_id"]))


def list_insurances(
    db: Database, traveller_id: str, status: Literal["active", "cancelled", "expired"] = "active"
) -> list[dict[str, Any]]:
    """A traveller's insurance of one status, in order of its start.

    traveller_id: whose insurance.
    status: which insurance.
    """
    _find(db, "travellers", traveller_id, "traveller")
    found = [
        {
            **each,
            "name": db["insurance_products"][each["product_id"]]["name"],
            "city": db["destinations"][each["destination_code"]]["city"],
        }
        for each in db["insurances"].values()
        if (each["traveller_id"], each["status"]) == (traveller_id, status)
    ]
    return sorted(found, key=lambda each: (each["start_date"], each["insurance_id"]))


def buy_insurance(
    db: Database,
    traveller_id: str,
    product_id: str,
    destination_code: str,
    start_date: str,
    end_date: str,
    trip_price: float,
) -> dict[str, Any]:
    """Buy insurance for a trip and charge the premium to the card on file.

    traveller_id: who travels.
    product_id: from quote_insurance.
    destination_code: from find_destination.
    start_date: first day of the trip, YYYY-MM-DD.
    end_date: last day of the trip, YYYY-MM-DD.
    trip_price: what the trip costs, in EUR.
    """
    traveller = _find(db, "travellers", traveller_id, "traveller")
    product = _find(db, "insurance_products", product_id, "insurance product")
    place = _find(db, "destinations", destination_code, "destination")
    days = _trip_days(start_date, end_date, trip_price)
    obstacle = _insurance_obstacle(product, traveller, place, _day(start_date))
    if obstacle:
        raise ValueError(obstacle)
    key = _new_key("IP")
    db["insurances"][key] = {
        "insurance_id": key,
        "traveller_id": traveller_id,
        "product_id": product_id,
        "destination_code": destination_code,
        "start_date": start_date,
        "end_date": end_date,
        "trip_price": trip_price,
        "premium": _premium(product, trip_price, days),
        "status": "active",
        "bought_on": _today().isoformat(),
    }
    return {**db["insurances"][key], "name": product["name"]}


def cancel_insurance(db: Database, insurance_id: str) -> dict[str, Any]:
    """Withdraw from an insurance within 14 days of buying it and before the trip starts; the premium is paid back to
    the card.

    insurance_id: an active insurance.
    """
    insurance = _find(db, "insurances", insurance_id, "insurance")
    if insurance["status"] != "active" or insurance["start_date"] <= _today().isoformat():
        raise ValueError(f"{insurance_id} is {insurance['status']}, or its trip has started")
    if (_today() - _day(insurance["bought_on"])).days > WITHDRAWAL_DAYS:
        raise ValueError(
            f"{insurance_id} was bought on {insurance['bought_on']}; withdrawal is possible for {WITHDRAWAL_DAYS} days"
        )
    insurance["status"] = "cancelled"
    return {"insurance_id": insurance_id, "refund": insurance["premium"]}
