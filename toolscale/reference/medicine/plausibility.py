"""What is unnatural in a set of entries, and how to make one of them so."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from toolscale.artifacts import PRESENT
from toolscale.reference.medicine.patients import age_on, objections
from toolscale.reference.medicine.schema import SCHEMA
from toolscale.reference.moments import NOW, day
from toolscale.reference.plausibility import Entries, Plausibility
from toolscale.reference.program import Record


def _clinic(clinic: Record, entries: Entries) -> Iterator[str]:
    if not clinic["open_days"]:
        yield "never open"


def _practitioner(doctor: Record, entries: Entries) -> Iterator[str]:
    if not doctor["languages"]:
        yield "speaks no language"


def _slot(slot: Record, entries: Entries) -> Iterator[str]:
    if slot["start"] <= NOW or slot["start"] >= "2027-06":
        yield f"a slot at {slot['start']} is not one to offer now"
    elif date.fromisoformat(slot["start"][:10]).weekday() == 6 or not "07:00" <= slot["start"][11:] <= "20:00":
        yield f"a consultation at {slot['start']}, outside all opening hours"


def _patient(patient: Record, entries: Entries) -> Iterator[str]:
    if not "1915-01-01" < patient["birth_date"] < day(0):
        yield f"born on {patient['birth_date']}"
        return
    age = age_on(patient["birth_date"], PRESENT.date())
    if "pregnancy" in patient["conditions"] and (patient["sex"] == "male" or not 14 <= age <= 52):
        yield f"a pregnant {patient['sex']} of {age}"
    for allergy in patient["allergies"]:
        if not patient["birth_date"] <= allergy["recorded_on"] <= day(0):
            yield f"allergy to {allergy['allergen']} recorded on {allergy['recorded_on']}"


def _medication(product: Record, entries: Entries) -> Iterator[str]:
    if product["max_daily_units"] > max(12, product["units_per_pack"]):
        yield f"{product['max_daily_units']} units a day are more than a pack holds"


def _lab_test(test: Record, entries: Entries) -> Iterator[str]:
    for sex in ("female", "male"):
        low, high = test[f"low_{sex}"], test[f"high_{sex}"]
        if high is None or (low is not None and low >= high):
            yield f"the reference range for {sex} patients is empty: {low} to {high}"


def _prescription(prescription: Record, entries: Entries) -> Iterator[str]:
    product = entries.get("medications", {}).get(prescription["medication_id"])
    patient = entries.get("patients", {}).get(prescription["patient_id"])
    if product and patient and prescription["status"] == "active":
        for objection in objections(patient, product, _other_ingredients(prescription, entries)):
            yield f"{product['name']} for this patient: {objection}"


def _other_ingredients(prescription: Record, entries: Entries) -> set[str]:
    """What else the patient takes, as far as the entries say."""
    products: dict[Any, Record] = dict(entries.get("medications", {}))
    return {
        products[each["medication_id"]]["ingredient"]
        for each in entries["prescriptions"].values()
        if each["patient_id"] == prescription["patient_id"] and each["status"] == "active"
        if each is not prescription and each["medication_id"] in products
    }


def _referral(referral: Record, entries: Entries) -> Iterator[str]:
    if not referral["issued_on"] < referral["valid_until"] or referral["issued_on"] > day(0):
        yield f"issued on {referral['issued_on']}, valid until {referral['valid_until']}"
    elif referral["status"] == "open" and referral["valid_until"] < day(0):
        yield f"open, but ran out on {referral['valid_until']}"


def _lab_result(result: Record, entries: Entries) -> Iterator[str]:
    test = entries.get("lab_tests", {}).get(result["test_id"])
    if test and result["value"] is not None and not 0 < result["value"] < 6 * test["high_male"]:
        yield f"a {test['name']} of {result['value']} {test['unit']} is hardly survivable"


def _invoice(invoice: Record, entries: Entries) -> Iterator[str]:
    if abs(invoice["insurer_share"] + invoice["patient_share"] - invoice["amount"]) > 0.005:
        yield f"{invoice['insurer_share']} and {invoice['patient_share']} do not add up to {invoice['amount']}"


def _order(order: Record, entries: Entries) -> Iterator[str]:
    product = entries.get("medications", {}).get(order["medication_id"])
    if product and abs(product["price"] * order["packs"] - order["total"]) > 0.005:
        yield f"{order['packs']} packs at {product['price']} are not {order['total']} euros"


_PLAUSIBILITY = Plausibility(
    SCHEMA,
    Path(__file__).with_name("plausible.yaml"),
    {
        "clinics": _clinic,
        "practitioners": _practitioner,
        "slots": _slot,
        "patients": _patient,
        "medications": _medication,
        "lab_tests": _lab_test,
        "prescriptions": _prescription,
        "referrals": _referral,
        "lab_results": _lab_result,
        "invoices": _invoice,
        "orders": _order,
    },
    {
        "slots": lambda slot: {"start": slot["start"][:11] + "03:15"},
        "interactions": lambda pair: {"ingredient_b": pair["ingredient_a"]},
        "lab_tests": lambda test: {"low_female": 2 * test["high_female"]},
        "invoices": lambda invoice: {"patient_share": round(invoice["patient_share"] + 90, 2)},
    },
    by_table=True,
)
implausible, blemish = _PLAUSIBILITY.implausible, _PLAUSIBILITY.blemish
