"""What patients take on prescription: refills, and other brands of the same product."""

from datetime import date, timedelta
from typing import Literal

from ._shared import Database, Record, _by_key, _joined, _one, _own, _today
from ._suitability import _must_be_safe, _problems

WRITES = {"refill_prescription", "substitute_medication"}

EARLY_REFILL_DAYS = 7


def _supply(db: Database, prescription: Record) -> tuple[Record, str]:
    """The prescribed product, and the first day on which it may be filled again."""
    product = _joined(db, "medications", prescription["medication_id"])
    days = int(product["units_per_pack"] * prescription["packs_per_fill"] / prescription["units_per_day"])
    first = date.fromisoformat(prescription["last_filled_on"]) + timedelta(days=days - EARLY_REFILL_DAYS)
    return product, first.isoformat()


def list_prescriptions(
    db: Database, patient_id: str, status: Literal["active", "expired", "on hold"] | None = None
) -> list[Record]:
    """A patient's prescriptions: id, product and what it treats. See get_prescription for refills and prices.

    patient_id: the patient's number
    status: only prescriptions in this state
    """
    products = _by_key(db, "medications")
    rows = sorted(_own(db, "prescriptions", patient_id, status), key=lambda row: row["prescription_id"])
    return [
        {
            "prescription_id": row["prescription_id"], "medication": products[row["medication_id"]]["name"],
            "ingredient": products[row["medication_id"]]["ingredient"],
            "treats": products[row["medication_id"]]["treats"], "status": row["status"],
        }
        for row in rows
    ]  # fmt: skip


def get_prescription(db: Database, prescription_id: str) -> Record:
    """One prescription: product, prescriber, refills left, when it may next be filled and what a filling costs.

    prescription_id: the prescription's id, such as RX-50231
    """
    prescription = _one(db, "prescriptions", prescription_id)
    product, first = _supply(db, prescription)
    return {
        **prescription,
        "medication": product["name"],
        "ingredient": product["ingredient"],
        "strength": product["strength"],
        "form": product["form"],
        "pack_price": product["price"],
        "fill_price": round(product["price"] * prescription["packs_per_fill"], 2),
        "next_fill_from": first,
        "fillable_today": prescription["status"] == "active"
        and prescription["refills_left"] > 0
        and first <= _today().isoformat() <= prescription["valid_until"],
    }


def refill_prescription(
    db: Database, prescription_id: str, collection: Literal["clinic pharmacy", "home delivery"]
) -> Record:
    """Fills an active prescription again: refused when no refill is left, when it has run out, when more than a week's
    supply should remain, or when the product has become unsafe for the patient.

    prescription_id: the prescription to fill
    collection: where the patient gets it
    """
    prescription = _one(db, "prescriptions", prescription_id)
    if prescription["status"] != "active":
        raise ValueError(f"prescription {prescription_id} is {prescription['status']}; a physician must renew it")
    today = _today().isoformat()
    if prescription["refills_left"] < 1 or prescription["valid_until"] < today:
        raise ValueError(f"prescription {prescription_id} has no refill left or has run out; a physician must renew it")
    product, first = _supply(db, prescription)
    if today < first:
        raise ValueError(f"too soon: {prescription_id} may be filled again from {first}")
    patient = _joined(db, "patients", prescription["patient_id"])
    _must_be_safe(_problems(db, patient, product, prescription_id), product)
    prescription.update(last_filled_on=today, refills_left=prescription["refills_left"] - 1, collection=collection)
    price = round(product["price"] * prescription["packs_per_fill"], 2)
    return {**prescription, "medication": product["name"], "price": price}


def substitute_medication(db: Database, prescription_id: str, medication_id: str) -> Record:
    """Switches an active prescription to another brand: same ingredient, strength and form, and safe for the patient.

    prescription_id: the prescription to change
    medication_id: the product to switch to
    """
    prescription, product = _one(db, "prescriptions", prescription_id), _one(db, "medications", medication_id)
    current = _joined(db, "medications", prescription["medication_id"])
    if prescription["status"] != "active":
        raise ValueError(f"prescription {prescription_id} is {prescription['status']} and cannot be changed")
    if medication_id == prescription["medication_id"]:
        raise ValueError(f"prescription {prescription_id} already is for {product['name']}")
    if [product[field] for field in ("ingredient", "strength", "form")] != [
        current[field] for field in ("ingredient", "strength", "form")
    ]:
        raise ValueError(f"{product['name']} is no equivalent of {current['name']}; a physician must prescribe it")
    patient = _one(db, "patients", prescription["patient_id"])
    _must_be_safe(_problems(db, patient, product, prescription_id), product)
    prescription["medication_id"] = medication_id
    return {**prescription, "medication": product["name"], "price": product["price"], "before": current["price"]}
