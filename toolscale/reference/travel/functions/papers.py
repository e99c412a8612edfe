"""What a journey needs: entry rules, and applications for visas and travel authorisations."""

from datetime import date, timedelta
from typing import Any, Literal

from ._shared import Database, _day, _find, _new_key, _today

WRITES = {"apply_for_entry", "withdraw_application"}

SERVICE_FEE = 29.0


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.month - 1 + months, 12)
    length = (date(day.year + year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return date(day.year + year, month + 1, min(day.day, length))


def _rules(db: Database, destination_code: str, nationality: str) -> dict[str, Any]:
    country = _find(db, "destinations", destination_code, "destination")["country"]
    free: dict[str, Any] = {"country": country, "requirement": "none", "passport_months": 0, "exempt": []}
    free |= {"fee": 0.0, "processing_days": 0, "express_surcharge": 0.0, "express_days": 0}
    rules: dict[str, Any] = db["entry_rules"].get(country, free)
    return {**rules, "requirement": "none"} if nationality in rules["exempt"] else rules


def check_entry_rules(db: Database, traveller_id: str, destination_code: str, arrival_date: str) -> dict[str, Any]:
    """What a traveller needs to enter a country: visa or authorisation, all fees in EUR (the agency's 29.00 included),
    days to wait, and whether the passport on file is valid for long enough after arrival.

    traveller_id: who travels.
    destination_code: from find_destination.
    arrival_date: day of arrival, YYYY-MM-DD.
    """
    traveller, arrival = _find(db, "travellers", traveller_id, "traveller"), _day(arrival_date)
    rules = _rules(db, destination_code, traveller["nationality"])
    until = _months_later(arrival, rules["passport_months"])
    needed = rules["requirement"] != "none"
    return {
        "country": rules["country"],
        "requirement": rules["requirement"],
        "standard_fee": round(rules["fee"] + SERVICE_FEE, 2) if needed else 0.0,
        "standard_days": rules["processing_days"],
        "express_fee": round(rules["fee"] + SERVICE_FEE + rules["express_surcharge"], 2) if needed else 0.0,
        "express_days": rules["express_days"],
        "passport_must_be_valid_until": until.isoformat(),
        "passport_expiry": traveller["passport_expiry"],
        "passport_valid_long_enough": traveller["passport_expiry"] >= until.isoformat(),
    }


def list_applications(db: Database, traveller_id: str) -> list[dict[str, Any]]:
    """A traveller's applications for visas and travel authorisations, in order of arrival.

    traveller_id: whose applications.
    """
    _find(db, "travellers", traveller_id, "traveller")
    found = [dict(each) for each in db["visa_applications"].values() if each["traveller_id"] == traveller_id]
    return sorted(found, key=lambda each: (each["arrival_date"], each["application_id"]))


def apply_for_entry(
    db: Database,
    traveller_id: str,
    destination_code: str,
    arrival_date: str,
    speed: Literal["standard", "express"] = "standard",
) -> dict[str, Any]:
    """Apply for the visa or travel authorisation that a traveller needs, and charge all fees to the card on file.

    traveller_id: who travels.
    destination_code: from find_destination.
    arrival_date: day of arrival, YYYY-MM-DD; the application must be ready before it.
    speed: express is dearer and faster.
    """
    if speed not in ("standard", "express"):
        raise ValueError("speed must be standard or express")
    needs = check_entry_rules(db, traveller_id, destination_code, arrival_date)
    if needs["requirement"] == "none":
        raise ValueError(f"no visa or authorisation is needed for {needs['country']}")
    if not needs["passport_valid_long_enough"]:
        until = needs["passport_must_be_valid_until"]
        raise ValueError(f"the passport runs out on {needs['passport_expiry']}; it must be valid until {until}")
    ready = (_today() + timedelta(days=needs[f"{speed}_days"])).isoformat()
    if ready >= arrival_date:
        raise ValueError(f"a {speed} application would be ready on {ready}, too late for {arrival_date}")
    for each in db["visa_applications"].values():
        same = (each["traveller_id"], each["country"]) == (traveller_id, needs["country"])
        if same and each["status"] != "withdrawn":
            raise ValueError(f"there is an application for that country already: {each['application_id']}")
    key = _new_key("VA")
    db["visa_applications"][key] = {
        "application_id": key,
        "traveller_id": traveller_id,
        "country": needs["country"],
        "arrival_date": arrival_date,
        "speed": speed,
        "fee": needs[f"{speed}_fee"],
        "status": "submitted",
        "submitted_on": _today().isoformat(),
        "ready_by": ready,
    }
    return dict(db["visa_applications"][key])


def withdraw_application(db: Database, application_id: str) -> dict[str, Any]:
    """Withdraw an application that is not decided yet. The agency's service fee is kept, the rest is paid back.

    application_id: from list_applications.
    """
    application = _find(db, "visa_applications", application_id, "application")
    if application["status"] != "submitted":
        raise ValueError(f"{application_id} is {application['status']}; only a submitted one can be withdrawn")
    application["status"] = "withdrawn"
    return {"application_id": application_id, "refund": round(application["fee"] - SERVICE_FEE, 2)}
