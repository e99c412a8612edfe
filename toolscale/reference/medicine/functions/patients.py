"""Patients' files, their allergies, and the calls they ask for."""

from typing import Literal

from ._shared import Database, Record, _age, _by_key, _coming_day, _new_key, _one, _own, _today

WRITES = {"record_allergy", "request_callback"}


def get_patient(db: Database, patient_id: str) -> Record:
    """A patient's file: age, allergies, conditions, insurer and home clinic.

    patient_id: the patient's number, such as PT-20417
    """
    patient = _one(db, "patients", patient_id)
    return {**patient, "age": _age(patient)}


def record_allergy(
    db: Database,
    patient_id: str,
    allergen: Literal[
        "penicillin", "macrolide", "tetracycline", "sulfonamide", "NSAID", "opioid", "lactose", "gelatin"
    ],
    reaction: Literal["skin rash", "facial swelling", "shortness of breath", "vomiting"],
) -> Record:
    """Records an allergy and puts the patient's active prescriptions that contain the allergen on hold.

    patient_id: the patient's number
    allergen: the substance or class
    reaction: how the patient reacted
    """
    patient = _one(db, "patients", patient_id)
    if allergen in [allergy["allergen"] for allergy in patient["allergies"]]:
        raise ValueError(f"the allergy to {allergen} is on file already")
    patient["allergies"].append({"allergen": allergen, "reaction": reaction, "recorded_on": _today().isoformat()})
    products, held = _by_key(db, "medications"), []
    for row in _own(db, "prescriptions", patient_id, "active"):
        if allergen in products[row["medication_id"]]["allergens"]:
            row["status"] = "on hold"
            held.append(
                {
                    "prescription_id": row["prescription_id"],
                    "medication": products[row["medication_id"]]["name"],
                    "practitioner_id": row["practitioner_id"],
                }
            )
    return {"patient_id": patient_id, "allergen": allergen, "put_on_hold": held}


def request_callback(
    db: Database,
    patient_id: str,
    practitioner_id: str,
    topic: Literal["lab result", "medication", "allergy", "symptoms"],
    day: str,
) -> Record:
    """Asks a physician to telephone the patient. One call a physician and day; the clinic must be open that day.

    patient_id: the patient's number
    practitioner_id: the physician who should call
    topic: what it is about
    day: the day of the call (ISO date)
    """
    _one(db, "patients", patient_id)
    practitioner = _one(db, "practitioners", practitioner_id)
    chosen = _coming_day(db, practitioner["clinic_id"], day, "day")
    for row in _own(db, "callbacks", patient_id, "planned"):
        if row["practitioner_id"] == practitioner_id and row["day"] == chosen:
            raise ValueError(f"{practitioner['name']} already calls the patient on {chosen}")
    callback_id = _new_key(db, "callbacks", "CB")
    db["callbacks"][callback_id] = {
        "callback_id": callback_id, "patient_id": patient_id, "practitioner_id": practitioner_id, "topic": topic,
        "day": chosen, "status": "planned",
    }  # fmt: skip
    return {**db["callbacks"][callback_id], "practitioner": practitioner["name"]}
