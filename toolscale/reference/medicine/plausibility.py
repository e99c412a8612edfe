"""What is unnatural in a set of entries, and how to make one of them so."""

from collections.abc import Callable, Iterator
from datetime import date
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Database
from toolscale.reference.medicine.patients import age_on, objections

Record = dict[str, Any]
NOW = PRESENT.strftime("%Y-%m-%dT%H:%M")
TODAY = PRESENT.date().isoformat()


def implausible(entries: Database) -> list[str]:
    """One sentence for each thing that a reader from the industry would not believe; nothing if there is none."""
    return [
        f"{table} {key}: {fault}"
        for table, records in entries.items()
        if table in _RULES
        for key, record in records.items()
        for fault in _RULES[table](record, entries)
    ]


def blemish(entries: Database, rng: Random) -> None:
    """Makes one entry unnatural: it still fits the schema and its references hold."""
    table = rng.choice([name for name, records in sorted(entries.items()) if records and name in _BLEMISHES])
    record = entries[table][rng.choice(sorted(entries[table]))]
    record.update(_BLEMISHES[table](record))


def _clinic(clinic: Record, entries: Database) -> Iterator[str]:
    if not "06:00" <= clinic["opens"] < clinic["closes"] <= "22:00":
        yield f"open from {clinic['opens']} to {clinic['closes']}"
    if not clinic["open_days"]:
        yield "never open"


def _insurer(insurer: Record, entries: Database) -> Iterator[str]:
    if min(insurer["consultation_cover"], insurer["laboratory_cover"]) < 10:
        yield "an insurer that pays next to nothing"


def _practitioner(doctor: Record, entries: Database) -> Iterator[str]:
    if not 25 <= doctor["fee"] <= 300:
        yield f"a fee of {doctor['fee']} euros"
    if not doctor["languages"]:
        yield "speaks no language"
    if doctor["specialty"] == "general practice" and doctor["referral_required"]:
        yield "general practice with a referral"


def _slot(slot: Record, entries: Database) -> Iterator[str]:
    if slot["start"] <= NOW or slot["start"] >= "2027-06":
        yield f"a slot at {slot['start']} is not one to offer now"
    elif date.fromisoformat(slot["start"][:10]).weekday() == 6 or not "07:00" <= slot["start"][11:] <= "20:00":
        yield f"a consultation at {slot['start']}, outside all opening hours"


def _patient(patient: Record, entries: Database) -> Iterator[str]:
    if not "1915-01-01" < patient["birth_date"] < TODAY:
        yield f"born on {patient['birth_date']}"
        return
    age = age_on(patient["birth_date"], PRESENT.date())
    if "pregnancy" in patient["conditions"] and (patient["sex"] == "male" or not 14 <= age <= 52):
        yield f"a pregnant {patient['sex']} of {age}"
    for allergy in patient["allergies"]:
        if not patient["birth_date"] <= allergy["recorded_on"] <= TODAY:
            yield f"allergy to {allergy['allergen']} recorded on {allergy['recorded_on']}"


def _medication(product: Record, entries: Database) -> Iterator[str]:
    if not 1 <= product["price"] <= 150:
        yield f"a pack for {product['price']} euros"
    if product["strength"] <= 0:
        yield "a product without strength"
    if product["max_daily_units"] > max(12, product["units_per_pack"]):
        yield f"{product['max_daily_units']} units a day are more than a pack holds"


def _interaction(pair: Record, entries: Database) -> Iterator[str]:
    if pair["ingredient_a"] == pair["ingredient_b"]:
        yield f"{pair['ingredient_a']} interacts with itself"


def _lab_test(test: Record, entries: Database) -> Iterator[str]:
    for sex in ("female", "male"):
        low, high = test[f"low_{sex}"], test[f"high_{sex}"]
        if high is None or (low is not None and low >= high):
            yield f"the reference range for {sex} patients is empty: {low} to {high}"
    if not 1 <= test["price"] <= 200:
        yield f"costs {test['price']} euros"


def _prescription(prescription: Record, entries: Database) -> Iterator[str]:
    if not prescription["issued_on"] <= prescription["last_filled_on"] <= TODAY:
        yield f"issued on {prescription['issued_on']}, but filled on {prescription['last_filled_on']}"
    if prescription["valid_until"] <= prescription["issued_on"]:
        yield "runs out before it was issued"
    if (prescription["status"] == "expired") == (prescription["valid_until"] >= TODAY):
        yield f"{prescription['status']}, but valid until {prescription['valid_until']}"
    product = entries.get("medications", {}).get(prescription["medication_id"])
    patient = entries.get("patients", {}).get(prescription["patient_id"])
    if product and prescription["units_per_day"] > product["max_daily_units"]:
        yield f"{prescription['units_per_day']} units of {product['name']} a day are too many"
    if product and patient and prescription["status"] == "active":
        for objection in objections(patient, product, _other_ingredients(prescription, entries)):
            yield f"{product['name']} for this patient: {objection}"


def _other_ingredients(prescription: Record, entries: Database) -> set[str]:
    """What else the patient takes, as far as the entries say."""
    products: dict[Any, Record] = dict(entries.get("medications", {}))
    return {
        products[each["medication_id"]]["ingredient"]
        for each in entries["prescriptions"].values()
        if each["patient_id"] == prescription["patient_id"] and each["status"] == "active"
        if each is not prescription and each["medication_id"] in products
    }


def _referral(referral: Record, entries: Database) -> Iterator[str]:
    if not referral["issued_on"] < referral["valid_until"] or referral["issued_on"] > TODAY:
        yield f"issued on {referral['issued_on']}, valid until {referral['valid_until']}"
    elif referral["status"] == "open" and referral["valid_until"] < TODAY:
        yield f"open, but ran out on {referral['valid_until']}"


def _appointment(appointment: Record, entries: Database) -> Iterator[str]:
    if appointment["status"] == "booked" and (appointment["start"] <= NOW or appointment["slot_id"] is None):
        yield f"booked for {appointment['start']}, but over or without a slot"
    if appointment["status"] == "completed" and appointment["start"] > NOW:
        yield f"completed, but to be held on {appointment['start']}"
    if (appointment["cancellation_reason"] is not None) != (appointment["status"] == "cancelled"):
        yield f"{appointment['status']} with reason {appointment['cancellation_reason']}"
    slot = entries.get("slots", {}).get(appointment["slot_id"] or "")
    if slot and (slot["start"], slot["practitioner_id"]) != (appointment["start"], appointment["practitioner_id"]):
        yield "its slot is at another time or with another doctor"


def _lab_result(result: Record, entries: Database) -> Iterator[str]:
    if (result["value"] is None) != (result["status"] == "ordered"):
        yield f"{result['status']} with value {result['value']}"
    if result["status"] == "final" and result["sampled_on"] > TODAY:
        yield f"reported, but to be sampled on {result['sampled_on']}"
    test: Record | None = entries.get("lab_tests", {}).get(result["test_id"])
    if test and result["value"] is not None and not 0 < result["value"] < 6 * test["high_male"]:
        yield f"a {test['name']} of {result['value']} {test['unit']} is hardly survivable"


def _invoice(invoice: Record, entries: Database) -> Iterator[str]:
    if abs(invoice["insurer_share"] + invoice["patient_share"] - invoice["amount"]) > 0.005:
        yield f"{invoice['insurer_share']} and {invoice['patient_share']} do not add up to {invoice['amount']}"
    if invoice["due_on"] < invoice["issued_on"]:
        yield f"due on {invoice['due_on']}, before it was issued"
    if (invoice["status"] == "paid") != (invoice["paid_on"] is not None):
        yield f"{invoice['status']}, paid on {invoice['paid_on']}"


def _order(order: Record, entries: Database) -> Iterator[str]:
    product = entries.get("medications", {}).get(order["medication_id"])
    if product and abs(product["price"] * order["packs"] - order["total"]) > 0.005:
        yield f"{order['packs']} packs at {product['price']} are not {order['total']} euros"
    if order["status"] == "collected" and order["pickup_on"] > TODAY:
        yield f"collected, but to be picked up on {order['pickup_on']}"


def _callback(call: Record, entries: Database) -> Iterator[str]:
    if (call["status"] == "planned") == (call["day"] < TODAY):
        yield f"{call['status']} for {call['day']}"


_RULES: dict[str, Callable[[Record, Database], Iterator[str]]] = {
    "clinics": _clinic, "insurers": _insurer, "practitioners": _practitioner, "slots": _slot, "patients": _patient,
    "medications": _medication, "interactions": _interaction, "lab_tests": _lab_test, "prescriptions": _prescription,
    "referrals": _referral, "appointments": _appointment, "lab_results": _lab_result, "invoices": _invoice,
    "orders": _order, "callbacks": _callback,
}  # fmt: skip

_BLEMISHES: dict[str, Callable[[Record], Record]] = {
    "clinics": lambda record: {"closes": "05:30"},
    "insurers": lambda record: {"laboratory_cover": 1},
    "practitioners": lambda record: {"fee": 4999.0},
    "slots": lambda record: {"start": record["start"][:11] + "03:15"},
    "patients": lambda record: {"birth_date": "1871-05-02"},
    "medications": lambda record: {"price": 0.01},
    "interactions": lambda record: {"ingredient_b": record["ingredient_a"]},
    "lab_tests": lambda record: {"low_female": 2 * record["high_female"]},
    "prescriptions": lambda record: {"last_filled_on": "2016-02-29"},
    "referrals": lambda record: {"valid_until": "2019-12-31"},
    "appointments": lambda record: {"cancellation_reason": None, "status": "cancelled"},
    "lab_results": lambda record: {"value": None, "status": "final"},
    "invoices": lambda record: {"patient_share": round(record["patient_share"] + 90, 2)},
    "orders": lambda record: {"pickup_on": "2027-03-01", "status": "collected"},
    "callbacks": lambda record: {"day": "2027-03-01", "status": "done"},
}
