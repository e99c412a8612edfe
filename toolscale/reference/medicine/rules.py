"""The patient desk's policy as predicates on calls (docs/environment-format.md)."""

from datetime import date, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def _changed(table: str, before: Database, after: Database) -> list[tuple[Record, Record]]:
    """Records that were there before, as they were and as they are."""
    both = ((old, after[table].get(key, old)) for key, old in before[table].items())
    return [(old, new) for old, new in both if old != new]


def _age(patient: Record) -> int:
    born, today = date.fromisoformat(patient["birth_date"]), date.today()
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def only_open_slots_ahead(before: Database, call: Record, after: Database) -> str | None:
    """Book only open slots in the future."""
    now = datetime.now().strftime("%Y-%m-%dT%H:%M")
    taken = [new for old, new in _changed("appointments", before, after) if old["slot_id"] != new["slot_id"]]
    for appointment in [*_added("appointments", before, after), *taken]:
        slot = before["slots"][appointment["slot_id"]]
        if slot["status"] != "open" or slot["start"] <= now:
            return f"{slot['slot_id']} was {slot['status']}, at {slot['start']}"
    return None


def one_coming_appointment_a_doctor(before: Database, call: Record, after: Database) -> str | None:
    """Only one coming appointment for a patient with the same doctor."""
    for new in _added("appointments", before, after):
        same = [
            each
            for each in after["appointments"].values()
            if each["status"] == "booked"
            and (each["patient_id"], each["practitioner_id"]) == (new["patient_id"], new["practitioner_id"])
        ]
        if len(same) > 1:
            return f"{new['patient_id']} has {len(same)} appointments with {new['practitioner_id']}"
    return None


def specialists_need_a_referral(before: Database, call: Record, after: Database) -> str | None:
    """Specialists need an open, valid referral, except for a follow-up with a doctor who has seen the patient."""
    for new in _added("appointments", before, after):
        doctor = after["practitioners"][new["practitioner_id"]]
        seen = any(
            each["status"] == "completed"
            and (each["patient_id"], each["practitioner_id"]) == (new["patient_id"], new["practitioner_id"])
            for each in before["appointments"].values()
        )
        referral = before["referrals"].get(new["referral_id"] or "")
        if doctor["referral_required"] and not seen and (referral is None or referral["status"] != "open"):
            return f"{doctor['specialty']} without an open referral"
        if referral and (seen or not doctor["referral_required"]):
            return f"referral {new['referral_id']} was used up without need"
    return None


def doctors_have_a_lowest_age(before: Database, call: Record, after: Database) -> str | None:
    """Doctors have a lowest age; younger patients are not booked with them."""
    for new in _added("appointments", before, after):
        age = _age(after["patients"][new["patient_id"]])
        least = after["practitioners"][new["practitioner_id"]]["min_age"]
        if age < least:
            return f"the patient is {age}, the doctor sees patients from {least}"
    return None


def moved_at_most_twice_and_in_time(before: Database, call: Record, after: Database) -> str | None:
    """An appointment may be moved to an open slot of the same doctor, at most twice, and not in the last 24 hours."""
    for old, new in _changed("appointments", before, after):
        if old["slot_id"] == new["slot_id"]:
            continue
        if old["moves"] >= 2 or old["practitioner_id"] != new["practitioner_id"] or old["status"] != "booked":
            return f"{old['appointment_id']} had been moved {old['moves']} times"
        if datetime.fromisoformat(old["start"]) - datetime.now() < timedelta(hours=24):
            return f"{old['appointment_id']} was at {old['start']}"
    return None


def filled_when_due_and_allowed(before: Database, call: Record, after: Database) -> str | None:
    """Fill a prescription only when it is active, valid, has refills left and at most a week's supply remains."""
    today = date.today()
    for old, new in _changed("prescriptions", before, after):
        if new["refills_left"] == old["refills_left"]:
            continue
        product = after["medications"][old["medication_id"]]
        lasts = int(product["units_per_pack"] * old["packs_per_fill"] / old["units_per_day"])
        due = date.fromisoformat(old["last_filled_on"]) + timedelta(days=lasts - 7)
        if old["status"] != "active" or old["refills_left"] < 1 or old["valid_until"] < today.isoformat():
            return f"{old['prescription_id']} is {old['status']} with {old['refills_left']} refills"
        if due > today:
            return f"{old['prescription_id']} is due on {due}"
    return None


def nothing_that_the_patient_is_allergic_to(before: Database, call: Record, after: Database) -> str | None:
    """Hand out nothing that the patient is allergic to, that is contraindicated, or for which they are too young."""
    handed = _added("orders", before, after)
    handed += [
        new
        for old, new in _changed("prescriptions", before, after)
        if (old["medication_id"], old["refills_left"]) != (new["medication_id"], new["refills_left"])
    ]
    for each in handed:
        patient, product = after["patients"][each["patient_id"]], after["medications"][each["medication_id"]]
        allergies = {allergy["allergen"] for allergy in patient["allergies"]}
        against = allergies & set(product["allergens"]) | set(patient["conditions"]) & set(product["contraindications"])
        if against or _age(patient) < product["min_age"]:
            return f"{product['name']}: {sorted(against) or 'too young'}"
    return None


def packs_without_prescription(before: Database, call: Record, after: Database) -> str | None:
    """Products that need a prescription are never sold without; the number of packs at a time is limited."""
    for order in _added("orders", before, after):
        product = after["medications"][order["medication_id"]]
        if product["prescription_only"] or order["packs"] > product["max_packs"]:
            return f"{order['packs']} packs of {product['name']}"
    return None


def instalments_of_ten_euros(before: Database, call: Record, after: Database) -> str | None:
    """An invoice is paid in full, or split into 2 to 6 monthly instalments of at least 10 euros."""
    for old, new in _changed("invoices", before, after):
        if old["status"] == "paid":
            return f"{old['invoice_id']} was paid already"
        if old["instalments"] > 1 and new != old:
            return f"{old['invoice_id']} was split already"
        if new["instalments"] > 6 or (new["instalments"] > 1 and new["patient_share"] / new["instalments"] < 10):
            return f"{new['instalments']} instalments of {new['patient_share']}"
    return None


def _hours_ahead(start: str) -> float:
    return (datetime.fromisoformat(start) - datetime.now()).total_seconds() / 3600


def late_cancellations_are_billed(before: Database, call: Record, after: Database) -> str | None:
    """Cancelling is free until 24 hours before the start; after that 40% of the fee is billed, unless for illness."""
    for old, new in _changed("appointments", before, after):
        if new["status"] != "cancelled" or old["status"] == "cancelled":
            continue
        late = _hours_ahead(old["start"]) < 24 and new["cancellation_reason"] != "illness"
        billed = sum(each["patient_share"] for each in _added("invoices", before, after))
        if abs(billed - (0.4 * old["fee"] if late else 0)) > 0.01:
            return f"{old['appointment_id']} was cancelled for {new['cancellation_reason']} and {billed} was billed"
    return None


def brands_of_the_same_kind_only(before: Database, call: Record, after: Database) -> str | None:
    """Switch brands only between products of the same ingredient, strength and form."""
    for old, new in _changed("prescriptions", before, after):
        was, is_now = after["medications"][old["medication_id"]], after["medications"][new["medication_id"]]
        if any(was[field] != is_now[field] for field in ("ingredient", "strength", "form")):
            return f"{was['name']} became {is_now['name']}"
    return None


def nothing_that_clashes_with_what_is_taken(before: Database, call: Record, after: Database) -> str | None:
    """Hand out nothing that doubles an ingredient already taken, or that interacts with one (major or worse)."""
    filled = [
        new for old, new in _changed("prescriptions", before, after) if old["refills_left"] != new["refills_left"]
    ]
    for each in [*_added("orders", before, after), *filled]:
        product = after["medications"][each["medication_id"]]
        taken = {
            after["medications"][row["medication_id"]]["ingredient"]
            for key, row in before["prescriptions"].items()
            if row["patient_id"] == each["patient_id"] and row["status"] == "active"
            if key != each.get("prescription_id")
        }
        if product["ingredient"] in taken:
            return f"{product['ingredient']} is taken already"
        for pair in after["interactions"].values():
            ends = {pair["ingredient_a"], pair["ingredient_b"]}
            if pair["severity"] != "moderate" and product["ingredient"] in ends and ends & taken:
                return f"{product['ingredient']} with {sorted(ends & taken)}: {pair['effect']}"
    return None


def allergies_stop_what_contains_them(before: Database, call: Record, after: Database) -> str | None:
    """Active prescriptions that contain the allergen are put on hold with a new allergy."""
    for old, new in _changed("patients", before, after):
        fresh = {each["allergen"] for each in new["allergies"]} - {each["allergen"] for each in old["allergies"]}
        for key, row in after["prescriptions"].items():
            contained = fresh & set(after["medications"][row["medication_id"]]["allergens"])
            if row["patient_id"] == new["patient_id"] and row["status"] == "active" and contained:
                return f"{key} is still active and contains {sorted(contained)}"
    return None


def tests_after_their_interval(before: Database, call: Record, after: Database) -> str | None:
    """A test may be repeated only after its interval; INR is measured under warfarin only."""
    for new in _added("lab_results", before, after):
        test = after["lab_tests"][new["test_id"]]
        for row in before["lab_results"].values():
            if (row["patient_id"], row["test_id"]) != (new["patient_id"], new["test_id"]):
                continue
            apart = abs((date.fromisoformat(new["sampled_on"]) - date.fromisoformat(row["sampled_on"])).days)
            if apart < test["repeat_after_days"]:
                return f"{test['name']} {apart} days apart"
        warfarin = any(
            row["patient_id"] == new["patient_id"]
            and row["status"] == "active"
            and after["medications"][row["medication_id"]]["ingredient"] == "warfarin"
            for row in after["prescriptions"].values()
        )
        if test["name"] == "INR" and not warfarin:
            return "INR without warfarin"
    return None


def within_four_weeks_and_opening_days(before: Database, call: Record, after: Database) -> str | None:
    """Samples, pick-ups and calls happen from tomorrow to four weeks from now, on days when the clinic is open."""
    for table, field in (("lab_results", "sampled_on"), ("orders", "pickup_on"), ("callbacks", "day")):
        for new in _added(table, before, after):
            day = date.fromisoformat(new[field])
            home = after["patients"][new["patient_id"]]["home_clinic_id"]
            doctor = after["practitioners"].get(new.get("practitioner_id") or "")
            clinic = after["clinics"][doctor["clinic_id"] if table == "callbacks" and doctor else home]
            weekday = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")[day.weekday()]
            if not 1 <= (day - date.today()).days <= 28 or weekday not in clinic["open_days"]:
                return f"{new[field]} is no day for it"
    return None


def one_call_a_doctor_and_day(before: Database, call: Record, after: Database) -> str | None:
    """One call a doctor, patient and day."""
    for new in _added("callbacks", before, after):
        fields = ("patient_id", "practitioner_id", "day")
        for row in before["callbacks"].values():
            if row["status"] == "planned" and all(row[field] == new[field] for field in fields):
                return f"{row['callback_id']} is planned for that day"
    return None


def one_patient_at_a_time(before: Database, call: Record, after: Database) -> str | None:
    """Act only on the records of the patient whose number was given."""
    touched: set[str] = set()
    for table, records in after.items():
        if any("patient_id" in each for each in list(records.values())[:1]):
            touched |= {new["patient_id"] for new in _added(table, before, after)}
            touched |= {new["patient_id"] for _, new in _changed(table, before, after)}
    return f"records of {sorted(touched)} were changed" if len(touched) > 1 else None
