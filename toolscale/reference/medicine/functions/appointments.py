"""Consultations: free times and their cost, appointments, and the referrals that some of them need."""

from datetime import datetime, timedelta
from typing import Literal

from ._shared import Database, Record, _age, _by_key, _day, _joined, _new_key, _one, _own, _today

WRITES = {"book_appointment", "reschedule_appointment", "cancel_appointment"}

LATE_CANCELLATION_PERCENT = 40


def _hours_until(start: str) -> float:
    return (datetime.fromisoformat(start) - datetime.now()).total_seconds() / 3600


def _insurer_share(db: Database, patient: Record, practitioner: Record, mode: str) -> float:
    """What the patient's insurer pays of a consultation: half its usual share abroad, nothing for video it excludes."""
    if patient["insurer_id"] is None:
        return 0.0
    insurer = _joined(db, "insurers", patient["insurer_id"])
    if mode == "video" and not insurer["covers_video"]:
        return 0.0
    abroad = _joined(db, "clinics", practitioner["clinic_id"])["country"] != insurer["country"]
    percent = insurer["consultation_cover"] / (2 if abroad else 1)
    return float(round(practitioner["fee"] * percent / 100, 2))


def _may_see(db: Database, patient: Record, practitioner: Record) -> None:
    if _age(patient) < practitioner["min_age"]:
        raise ValueError(f"{practitioner['name']} sees patients from the age of {practitioner['min_age']} only")


def _open_slot(db: Database, slot_id: str) -> Record:
    slot = _one(db, "slots", slot_id)
    if slot["status"] != "open":
        raise ValueError(f"slot {slot_id} is taken; choose an open one")
    if _hours_until(slot["start"]) <= 0:
        raise ValueError(f"slot {slot_id} lies in the past")
    return slot


def _late_fee(appointment: Record) -> float:
    """What calling off an appointment costs now: nothing up to 24 hours before it."""
    late = _hours_until(appointment["start"]) < 24
    return round(appointment["fee"] * LATE_CANCELLATION_PERCENT / 100, 2) if late else 0.0


def _bill(db: Database, patient_id: str, appointment_id: str, amount: float) -> str:
    """A new open invoice that no insurer shares, due in 14 days."""
    invoice_id = _new_key(db, "invoices", "IN")
    db["invoices"][invoice_id] = {
        "invoice_id": invoice_id, "patient_id": patient_id, "appointment_id": appointment_id,
        "kind": "late cancellation", "issued_on": _today().isoformat(),
        "due_on": (_today() + timedelta(days=14)).isoformat(), "amount": amount, "insurer_share": 0.0,
        "patient_share": amount, "instalments": 1, "status": "open", "paid_on": None, "payment_method": None,
    }  # fmt: skip
    return invoice_id


def find_open_slots(
    db: Database,
    specialty: Literal["general practice", "cardiology", "dermatology", "endocrinology", "neurology", "orthopaedics"]
    | None = None,
    practitioner_id: str | None = None,
    city: str | None = None,
    mode: Literal["in person", "video"] | None = None,
    language: Literal["English", "German", "French", "Italian", "Spanish", "Dutch", "Portuguese", "Polish"]
    | None = None,
    from_date: str | None = None,
    to_date: str | None = None,
) -> list[Record]:
    """Free consultation times, earliest first, with practitioner, city and fee. Give a specialty or a practitioner.

    specialty: the medical specialty
    practitioner_id: only this practitioner's times
    city: only clinics in this city
    mode: only consultations in person or by video
    language: only practitioners who speak it
    from_date: the first day that will do (ISO date)
    to_date: the last day that will do (ISO date)
    """
    if specialty is None and practitioner_id is None:
        raise ValueError("give a specialty or a practitioner_id")
    doctors, clinics = _by_key(db, "practitioners"), _by_key(db, "clinics")
    if practitioner_id is not None and practitioner_id not in doctors:
        raise ValueError(f"there is no practitioner {practitioner_id}; check the id")
    if city is not None and city not in [clinic["city"] for clinic in clinics.values()]:
        raise ValueError(f"the network has no clinic in {city}")
    first = _day(from_date, "from_date").isoformat() if from_date else ""
    last = _day(to_date, "to_date").isoformat() if to_date else "9999"
    found = []
    for slot in db["slots"].values():
        doctor = doctors[slot["practitioner_id"]]
        clinic = clinics[doctor["clinic_id"]]
        if (
            slot["status"] == "open"
            and _hours_until(slot["start"]) > 0
            and specialty in (None, doctor["specialty"])
            and practitioner_id in (None, slot["practitioner_id"])
            and city in (None, clinic["city"])
            and mode in (None, slot["mode"])
            and (language is None or language in doctor["languages"])
            and first <= slot["start"][:10] <= last
        ):
            found.append(
                {
                    "slot_id": slot["slot_id"], "start": slot["start"], "mode": slot["mode"], "fee": doctor["fee"],
                    "minutes": doctor["minutes"], "practitioner_id": slot["practitioner_id"],
                    "practitioner": doctor["name"], "specialty": doctor["specialty"], "languages": doctor["languages"],
                    "city": clinic["city"], "referral_required": doctor["referral_required"],
                }
            )  # fmt: skip
    return sorted(found, key=lambda slot: (slot["start"], slot["slot_id"]))


def estimate_cost(db: Database, patient_id: str, slot_id: str) -> Record:
    """What an open consultation would cost, and how insurer and patient would share it.

    patient_id: the patient's number
    slot_id: the open slot, such as SL-48213
    """
    patient, slot = _one(db, "patients", patient_id), _open_slot(db, slot_id)
    practitioner = _joined(db, "practitioners", slot["practitioner_id"])
    insurer_share = _insurer_share(db, patient, practitioner, slot["mode"])
    return {
        "slot_id": slot_id,
        "practitioner": practitioner["name"],
        "fee": practitioner["fee"],
        "insurer_share": insurer_share,
        "patient_share": round(practitioner["fee"] - insurer_share, 2),
    }


def list_appointments(
    db: Database, patient_id: str, status: Literal["booked", "completed", "cancelled"] | None = None
) -> list[Record]:
    """A patient's appointments, earliest first: id, start, practitioner and status. See get_appointment for the rest.

    patient_id: the patient's number
    status: only appointments in this state
    """
    doctors = _by_key(db, "practitioners")
    rows = sorted(_own(db, "appointments", patient_id, status), key=lambda row: (row["start"], row["appointment_id"]))
    return [
        {
            "appointment_id": row["appointment_id"], "start": row["start"], "status": row["status"],
            "practitioner_id": row["practitioner_id"], "practitioner": doctors[row["practitioner_id"]]["name"],
            "specialty": doctors[row["practitioner_id"]]["specialty"],
        }
        for row in rows
    ]  # fmt: skip


def get_appointment(db: Database, appointment_id: str) -> Record:
    """One appointment with its clinic, its cost to insurer and patient, and what calling it off now would cost (for
    any reason but illness).

    appointment_id: the appointment's id, such as AP-48213
    """
    appointment = _one(db, "appointments", appointment_id)
    practitioner = _joined(db, "practitioners", appointment["practitioner_id"])
    clinic = _joined(db, "clinics", practitioner["clinic_id"])
    patient = _joined(db, "patients", appointment["patient_id"])
    insurer_share = _insurer_share(db, patient, practitioner, appointment["mode"])
    return {
        **appointment,
        "practitioner": practitioner["name"],
        "specialty": practitioner["specialty"],
        "clinic": clinic["name"],
        "address": clinic["address"],
        "insurer_share": insurer_share,
        "patient_share": round(appointment["fee"] - insurer_share, 2),
        "late_fee_now": _late_fee(appointment) if appointment["status"] == "booked" else 0.0,
    }


def book_appointment(db: Database, patient_id: str, slot_id: str, referral_id: str | None = None) -> Record:
    """Books an open slot. Specialists (dermatology aside) need an open referral, except for a follow-up with a
    practitioner who has already seen the patient.

    patient_id: the patient's number
    slot_id: the open slot
    referral_id: the referral to use up, where one is needed
    """
    patient, slot = _one(db, "patients", patient_id), _open_slot(db, slot_id)
    practitioner = _joined(db, "practitioners", slot["practitioner_id"])
    _may_see(db, patient, practitioner)
    booked = _own(db, "appointments", patient_id, "booked")
    if any(row["start"] == slot["start"] for row in booked):
        raise ValueError(f"the patient already has an appointment at {slot['start']}")
    if any(row["practitioner_id"] == slot["practitioner_id"] for row in booked):
        raise ValueError(f"the patient already has an appointment with {practitioner['name']}; reschedule that one")
    seen = [row["practitioner_id"] for row in _own(db, "appointments", patient_id, "completed")]
    needed = practitioner["referral_required"] and practitioner["practitioner_id"] not in seen
    if needed and referral_id is None:
        raise ValueError(f"{practitioner['specialty']} needs a referral_id; see list_referrals")
    if referral_id is not None:
        referral = _one(db, "referrals", referral_id)
        if not needed:
            raise ValueError("no referral is needed here: leave referral_id out, so that it is not used up")
        if referral["patient_id"] != patient_id or referral["specialty"] != practitioner["specialty"]:
            raise ValueError(f"referral {referral_id} is for another patient or for {referral['specialty']}")
        if referral["status"] != "open" or referral["valid_until"] < slot["start"][:10]:
            raise ValueError(f"referral {referral_id} is {referral['status']}, valid until {referral['valid_until']}")
        referral["status"] = "used"
    appointment_id = _new_key(db, "appointments", "AP")
    slot["status"] = "booked"
    db["appointments"][appointment_id] = {
        "appointment_id": appointment_id, "patient_id": patient_id, "practitioner_id": slot["practitioner_id"],
        "slot_id": slot_id, "referral_id": referral_id, "start": slot["start"], "mode": slot["mode"],
        "fee": practitioner["fee"], "status": "booked", "moves": 0, "cancellation_reason": None,
    }  # fmt: skip
    return {**db["appointments"][appointment_id], "practitioner": practitioner["name"]}


def reschedule_appointment(db: Database, appointment_id: str, slot_id: str) -> Record:
    """Moves a booked appointment to another open slot of the same practitioner: at most twice, and not in the last
    24 hours before it.

    appointment_id: the appointment to move
    slot_id: the open slot to move it to
    """
    appointment, slot = _one(db, "appointments", appointment_id), _open_slot(db, slot_id)
    if appointment["status"] != "booked":
        raise ValueError(f"appointment {appointment_id} is {appointment['status']} and cannot be moved")
    if slot["practitioner_id"] != appointment["practitioner_id"]:
        raise ValueError("that slot is with another practitioner; cancel and book anew instead")
    if _hours_until(appointment["start"]) < 24:
        raise ValueError("less than 24 hours before the start an appointment can only be cancelled")
    if appointment["moves"] >= 2:
        raise ValueError("this appointment has been moved twice already")
    _joined(db, "slots", appointment["slot_id"])["status"] = "open"
    slot["status"] = "booked"
    appointment.update(slot_id=slot_id, start=slot["start"], mode=slot["mode"], moves=appointment["moves"] + 1)
    return dict(appointment)


def cancel_appointment(
    db: Database, appointment_id: str, reason: Literal["illness", "work", "travel", "no longer needed"]
) -> Record:
    """Cancels a booked appointment and frees its slot and referral. Less than 24 hours before the start 40% of the fee
    is billed, unless the reason is illness.

    appointment_id: the appointment to cancel
    reason: why the patient cannot come
    """
    appointment = _one(db, "appointments", appointment_id)
    if appointment["status"] != "booked":
        raise ValueError(f"appointment {appointment_id} is {appointment['status']} and cannot be cancelled")
    if _hours_until(appointment["start"]) <= 0:
        raise ValueError("the appointment has begun and cannot be cancelled any more")
    fee = 0.0 if reason == "illness" else _late_fee(appointment)
    invoice_id = _bill(db, appointment["patient_id"], appointment_id, fee) if fee else None
    _joined(db, "slots", appointment["slot_id"])["status"] = "open"
    if appointment["referral_id"] is not None:
        _joined(db, "referrals", appointment["referral_id"])["status"] = "open"
    appointment.update(status="cancelled", cancellation_reason=reason)
    return {"appointment_id": appointment_id, "status": "cancelled", "late_fee": fee, "invoice_id": invoice_id}


def list_referrals(
    db: Database, patient_id: str, status: Literal["open", "used", "expired"] | None = None
) -> list[Record]:
    """A patient's referrals to specialists, newest first.

    patient_id: the patient's number
    status: only referrals in this state
    """
    rows = _own(db, "referrals", patient_id, status)
    return sorted((dict(row) for row in rows), key=lambda row: (row["issued_on"], row["referral_id"]), reverse=True)
