"""The formulary: which products there are, whom they suit, and those sold without prescription."""

from typing import Literal

from ._shared import Database, Record, _coming_day, _new_key, _one
from ._suitability import _must_be_safe, _problems

WRITES = {"order_medication"}


def find_medications(
    db: Database,
    ingredient: str | None = None,
    treats: Literal[
        "high blood pressure",
        "type 2 diabetes",
        "high cholesterol",
        "asthma",
        "atrial fibrillation",
        "heart failure",
        "underactive thyroid",
        "acid reflux",
        "depression",
        "migraine",
        "gout",
        "hay fever",
        "iron deficiency",
        "eczema",
        "pain",
        "bacterial infection",
        "fungal infection",
    ]
    | None = None,
    form: Literal["tablet", "capsule", "oral liquid", "inhaler", "cream", "gel"] | None = None,
    prescription_only: bool | None = None,
) -> list[Record]:
    """Products of the formulary with strength, form, allergens, age limit and price. Give an ingredient or a condition.

    ingredient: the active ingredient, such as ibuprofen
    treats: a condition or complaint that the product is for
    form: only this pharmaceutical form
    prescription_only: true for products that need a prescription, false for those sold without
    """
    if ingredient is None and treats is None:
        raise ValueError("give an ingredient or what the product should treat")
    if ingredient is not None and ingredient not in [product["ingredient"] for product in db["medications"].values()]:
        raise ValueError(f"the formulary has no product with {ingredient!r}; give the active ingredient's name")
    return [
        dict(product)
        for product in db["medications"].values()
        if ingredient in (None, product["ingredient"])
        and (treats is None or treats in product["treats"])
        and form in (None, product["form"])
        and prescription_only in (None, product["prescription_only"])
    ]


def check_medication(db: Database, patient_id: str, medication_id: str) -> Record:
    """Whether a product suits a patient: allergies, contraindications, age, duplicates, interactions, highest dose.

    patient_id: the patient's number
    medication_id: the product, such as MED-104
    """
    patient, product = _one(db, "patients", patient_id), _one(db, "medications", medication_id)
    problems = _problems(db, patient, product)
    dose = round(product["strength"] * product["max_daily_units"], 2)
    return {
        "medication_id": medication_id,
        "name": product["name"],
        "suitable": not any(problem["blocking"] for problem in problems),
        "problems": problems,
        "max_daily_units": product["max_daily_units"],
        "max_daily_dose": f"{dose:g} {product['strength_unit'].partition('/')[0]}",
        "price": product["price"],
    }


def order_medication(db: Database, patient_id: str, medication_id: str, packs: int, pickup_on: str) -> Record:
    """Sets packs of a product that needs no prescription aside at the patient's home clinic. Refuses what does not suit
    the patient, and more packs than may be handed out at once.

    patient_id: the patient's number
    medication_id: the product
    packs: how many packs
    pickup_on: the day on which the patient collects it (ISO date)
    """
    patient, product = _one(db, "patients", patient_id), _one(db, "medications", medication_id)
    if product["prescription_only"]:
        raise ValueError(f"{product['name']} is available on prescription only")
    if not 1 <= packs <= product["max_packs"]:
        raise ValueError(f"{product['name']} is handed out in 1 to {product['max_packs']} packs at a time")
    _must_be_safe(_problems(db, patient, product), product)
    day = _coming_day(db, patient["home_clinic_id"], pickup_on, "pickup_on")
    order_id = _new_key(db, "orders", "OR")
    db["orders"][order_id] = {
        "order_id": order_id, "patient_id": patient_id, "medication_id": medication_id, "packs": packs,
        "total": round(packs * product["price"], 2), "pickup_on": day, "status": "ready",
    }  # fmt: skip
    return dict(db["orders"][order_id])
