"""Patients with all that belongs to them: what they take, when they come, what was measured, what they owe."""

import unicodedata
from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any, Protocol

from toolscale.artifacts import PRESENT
from toolscale.reference.medicine import catalogue

Record = dict[str, Any]
TODAY = PRESENT.date()
DIALLING = {
    "IE": "+353",
    "DE": "+49",
    "FR": "+33",
    "IT": "+39",
    "ES": "+34",
    "NL": "+31",
    "AT": "+43",
    "PT": "+351",
    "BE": "+32",
}
YOUNG = ("asthma", "hay fever", "eczema", "migraine", "iron deficiency")
GROWN = ("type 2 diabetes", "asthma", "depression", "underactive thyroid", "acid reflux", "migraine", "hay fever",
         "iron deficiency", "high cholesterol")  # fmt: skip
OLD = (*GROWN, "high blood pressure", "high blood pressure", "high cholesterol", "atrial fibrillation", "gout",
       "heart failure", "chronic kidney disease")  # fmt: skip
ALLERGIES = ("penicillin", "penicillin", "NSAID", "lactose", "gelatin", "sulfonamide", "macrolide")
REACTIONS = ("skin rash", "facial swelling", "shortness of breath", "vomiting")
SPECIALIST_FOR = {
    "high blood pressure": "cardiology", "atrial fibrillation": "cardiology", "heart failure": "cardiology",
    "type 2 diabetes": "endocrinology", "underactive thyroid": "endocrinology", "migraine": "neurology",
    "gout": "orthopaedics",
}  # fmt: skip


class KeySource(Protocol):
    """Gives keys that nobody has yet."""

    def next(self, prefix: str, digits: int = 5) -> str:
        """A key such as ``PT-20417``."""


def age_on(birth_date: str, day: date) -> int:
    """Age in full years."""
    born = date.fromisoformat(birth_date)
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def objections(patient: Record, medication: Record, taken: set[str]) -> list[str]:
    """Why a patient who takes these ingredients must not have the medication; nothing if there is no reason."""
    allergens = {allergy["allergen"] for allergy in patient["allergies"]} & set(medication["allergens"])
    found = [f"allergy to {allergen}" for allergen in sorted(allergens)]
    found += [f"contraindicated in {name}" for name in medication["contraindications"] if name in patient["conditions"]]
    if age_on(patient["birth_date"], TODAY) < medication["min_age"]:
        found.append(f"not under {medication['min_age']}")
    for one, other, severity, _ in catalogue.INTERACTIONS:
        pair = {one, other} - {medication["ingredient"]}
        if severity != "moderate" and len(pair) == 1 and pair & taken:
            found.append(f"interacts with {pair.pop()}")
    return found


class Register:
    """The patients of one clinic, and every entry that belongs to them."""

    def __init__(
        self,
        rng: Random,
        keys: KeySource,
        practitioners: dict[str, Record],
        medications: dict[str, Record],
        lab_tests: dict[str, Record],
        take_slot: Callable[[str, int], tuple[str, Record]],
    ) -> None:
        self.entries: dict[str, dict[str, Record]] = {
            table: {}
            for table in ("patients", "prescriptions", "referrals", "slots", "appointments", "lab_results", "invoices",
                          "orders", "callbacks")
        }  # fmt: skip
        self._rng, self._keys, self._take_slot = rng, keys, take_slot
        self._practitioners, self._medications, self._lab_tests = practitioners, medications, lab_tests

    def add(
        self, name: str, sex: str, language: str, clinic_id: str, clinic: Record, insurer_id: str | None,
        cover: Record | None,
    ) -> None:  # fmt: skip
        """A patient with prescriptions, referrals, appointments, laboratory results, invoices, orders and calls."""
        rng = self._rng
        age = rng.randint(14, 17) if rng.random() < 0.12 else rng.randint(22, 83)
        usual = YOUNG if age < 18 else GROWN if age < 45 else OLD
        conditions = list(dict.fromkeys(rng.choice(usual) for _ in range(rng.randint(2, 4))))
        if sex == "female" and 22 <= age <= 42 and rng.random() < 0.4:
            conditions.append("pregnancy")
        allergens = list(dict.fromkeys(rng.choice(ALLERGIES) for _ in range(rng.choice((0, 0, 1, 1, 2)))))
        patient = {
            "patient_id": self._keys.next("PT"), "name": name,
            "birth_date": self._day(-365 * age - rng.randint(20, 340)), "sex": sex, "email": _email(name),
            "phone": f"{DIALLING[clinic['country']]} 555 {rng.randint(100000, 999999)}", "language": language,
            "home_clinic_id": clinic_id, "insurer_id": insurer_id,
            "allergies": [
                {"allergen": each, "reaction": rng.choice(REACTIONS), "recorded_on": self._day(-rng.randint(90, 1900))}
                for each in allergens
            ],
            "conditions": conditions,
        }  # fmt: skip
        self._keep("patients", "patient_id", patient)
        own = [doctor for doctor in self._practitioners.values() if doctor["clinic_id"] == clinic_id]
        general = [doctor for doctor in own if doctor["specialty"] == "general practice"]
        self._prescriptions(patient, general)
        self._appointments(patient, general, own, cover)
        self._laboratory(patient, general, cover)
        if rng.random() < 0.3:
            self._order(patient)
        if rng.random() < 0.25:
            planned = rng.random() < 0.5
            self._keep("callbacks", "callback_id", {
                "callback_id": self._keys.next("CB"), "patient_id": patient["patient_id"],
                "practitioner_id": rng.choice(general)["practitioner_id"],
                "topic": rng.choice(("medication", "symptoms", "lab result")),
                "day": self._weekday(2 if planned else -9), "status": "planned" if planned else "done",
            })  # fmt: skip

    def _prescriptions(self, patient: Record, general: list[Record]) -> None:
        rng = self._rng
        taken: set[str] = set()
        for condition in patient["conditions"]:
            suitable = [
                product for product in self._medications.values()
                if product["prescription_only"] and condition in product["treats"]
                and product["ingredient"] not in taken and not objections(patient, product, taken)
            ]  # fmt: skip
            if not suitable:
                continue
            product = rng.choice(suitable)
            expired = rng.random() < 0.15
            if not expired:
                taken.add(product["ingredient"])
            a_day = _usual_units(product)
            packs = 1 if product["units_per_pack"] / a_day >= 28 else 2
            supply = int(product["units_per_pack"] * packs / a_day)
            due = rng.random() < 0.75
            elapsed = rng.randint(max(1, supply - 6), supply + 4) if due else rng.randint(2, max(3, supply - 12))
            issued = elapsed + rng.choice((0, supply, 2 * supply)) + rng.randint(0, 5)
            self._keep("prescriptions", "prescription_id", {
                "prescription_id": self._keys.next("RX"), "patient_id": patient["patient_id"],
                "medication_id": product["medication_id"], "practitioner_id": rng.choice(general)["practitioner_id"],
                "units_per_day": a_day, "packs_per_fill": packs,
                "issued_on": self._day(-issued - 360 if expired else -issued),
                "valid_until": self._day(-rng.randint(5, 60) if expired else rng.randint(25, 200)),
                "last_filled_on": self._day(-elapsed - 80 if expired else -elapsed),
                "refills_left": rng.choice((0, 2, 3)) if expired else rng.choice((0, 1, 2, 2, 3, 3, 5)),
                "collection": rng.choice(("clinic pharmacy", "clinic pharmacy", "home delivery")),
                "status": "expired" if expired else "active",
            })  # fmt: skip

    def _appointments(self, patient: Record, general: list[Record], own: list[Record], cover: Record | None) -> None:
        rng = self._rng
        within_age = [doctor for doctor in own if doctor["min_age"] <= age_on(patient["birth_date"], TODAY) - 1]
        known = [SPECIALIST_FOR[name] for name in patient["conditions"] if name in SPECIALIST_FOR]
        if rng.random() < 0.7:
            specialty = rng.choice(known or ["neurology", "orthopaedics", "cardiology"])
            self._referral(patient, general, specialty, "open" if rng.random() < 0.8 else "expired")
        for _ in range(rng.choice((1, 1, 1, 1, 2))):
            doctor = rng.choice(within_age)
            referral = None
            if doctor["referral_required"]:
                referral = self._referral(patient, general, doctor["specialty"], "used")
            days = rng.choice((0, 1)) if rng.random() < 0.2 else rng.randint(2, 16)
            slot_id, slot = self._take_slot(doctor["practitioner_id"], days)
            self._keep("slots", "slot_id", slot)
            self._appointment(patient, doctor, slot_id, referral, slot["start"], slot["mode"], "booked")
        for _ in range(rng.choice((0, 1, 1, 1))):
            doctor = rng.choice(within_age)
            day = self._weekday(-rng.randint(6, 90))
            start = f"{day}T{rng.randint(9, 16):02}:{rng.choice(range(0, 60, 5)):02}"
            used = (
                self._referral(patient, general, doctor["specialty"], "used", 95)
                if doctor["referral_required"]
                else None
            )
            past = self._appointment(patient, doctor, None, used, start, "in person", "completed")
            share = cover["consultation_cover"] if cover else 0
            self._invoice(patient, past, "consultation", day, doctor["fee"], share)

        if rng.random() < 0.25:
            self._called_off(patient, rng.choice(general))

    def _called_off(self, patient: Record, doctor: Record) -> None:
        """A visit that was cancelled the day before, and what that cost."""
        rng = self._rng
        day = self._weekday(-rng.randint(5, 60))
        start = f"{day}T{rng.randint(9, 16):02}:{rng.choice(range(0, 60, 5)):02}"
        past = self._appointment(patient, doctor, None, None, start, "in person", "cancelled")
        reason = rng.choice(("work", "travel", "illness"))
        self.entries["appointments"][past]["cancellation_reason"] = reason
        if reason != "illness":
            self._invoice(patient, past, "late cancellation", day, round(doctor["fee"] * 0.4, 2), 0)

    def _referral(
        self, patient: Record, general: list[Record], specialty: str, status: str, days: int | None = None
    ) -> str:
        rng = self._rng
        issued = days or (rng.randint(100, 160) if status == "expired" else rng.randint(4, 60))
        return self._keep("referrals", "referral_id", {
            "referral_id": self._keys.next("RF", 4), "patient_id": patient["patient_id"],
            "practitioner_id": rng.choice(general)["practitioner_id"], "specialty": specialty,
            "urgency": "urgent" if rng.random() < 0.2 else "routine", "issued_on": self._day(-issued),
            "valid_until": self._day(90 - issued), "status": status,
        })  # fmt: skip

    def _appointment(
        self, patient: Record, doctor: Record, slot_id: str | None, referral_id: str | None, start: str, mode: str,
        status: str,
    ) -> str:  # fmt: skip
        return self._keep("appointments", "appointment_id", {
            "appointment_id": self._keys.next("AP"), "patient_id": patient["patient_id"],
            "practitioner_id": doctor["practitioner_id"], "slot_id": slot_id, "referral_id": referral_id,
            "start": start, "mode": mode, "fee": doctor["fee"], "status": status,
            "moves": self._rng.choice((0, 0, 0, 1, 2)) if status == "booked" else 0,
            "cancellation_reason": None,
        })  # fmt: skip

    def _laboratory(self, patient: Record, general: list[Record], cover: Record | None) -> None:
        rng = self._rng
        usual = [test for name in patient["conditions"] for test in catalogue.MONITORING.get(name, ())]
        if self._takes(patient, "warfarin"):
            usual.insert(0, "LT-INR")
        usual = list(dict.fromkeys(usual)) or ["LT-VITD", "LT-CRP", "LT-HB", "LT-FERR"]
        orderer = rng.choice(general)["practitioner_id"]
        bill, last = 0.0, ""
        for test_id in rng.sample(usual, min(len(usual), rng.choice((1, 2)))):
            days = rng.randint(4, 120)
            side = rng.choice(("high", "low"))  # a value that strays, strays to one side
            for earlier in (False, True) if rng.random() < 0.5 else (False,):
                sampled = self._weekday(-days - 97 if earlier else -days)
                self._keep("lab_results", "result_id", {
                    "result_id": self._keys.next("LR"), "patient_id": patient["patient_id"], "test_id": test_id,
                    "practitioner_id": orderer, "sampled_on": sampled,
                    "value": _measured(
                        rng, self._lab_tests[test_id], patient["sex"], side, catalogue.LAB_TESTS[test_id][-1]
                    ),
                    "status": "final",
                })  # fmt: skip
                last = max(last, sampled)
            bill = round(bill + self._lab_tests[test_id]["price"], 2)
        if rng.random() < 0.85:
            self._invoice(patient, None, "laboratory", last, bill, cover["laboratory_cover"] if cover else 0)

    def _invoice(
        self, patient: Record, appointment_id: str | None, kind: str, day: str, amount: float, cover: int
    ) -> None:
        insurer_share = round(amount * cover / 100, 2)
        paid = self._rng.random() < 0.15 or insurer_share == amount
        issued = date.fromisoformat(day) + timedelta(days=-1 if kind == "late cancellation" else 2)
        due = issued + timedelta(days=14 if kind == "late cancellation" else 30)
        self._keep("invoices", "invoice_id", {
            "invoice_id": self._keys.next("IN"), "patient_id": patient["patient_id"], "appointment_id": appointment_id,
            "kind": kind, "issued_on": issued.isoformat(), "due_on": due.isoformat(),
            "amount": amount, "insurer_share": insurer_share, "patient_share": round(amount - insurer_share, 2),
            "instalments": 1, "status": "paid" if paid else "open", "paid_on": issued.isoformat() if paid else None,
            "payment_method": self._rng.choice(("card", "bank transfer", "direct debit")) if paid else None,
        })  # fmt: skip

    def _order(self, patient: Record) -> None:
        product = self._rng.choice([
            each for each in self._medications.values()
            if not each["prescription_only"] and not objections(patient, each, self._ingredients(patient))
        ])  # fmt: skip
        packs = self._rng.randint(1, product["max_packs"])
        self._keep("orders", "order_id", {
            "order_id": self._keys.next("OR"), "patient_id": patient["patient_id"],
            "medication_id": product["medication_id"], "packs": packs, "total": round(packs * product["price"], 2),
            "pickup_on": self._weekday(-self._rng.randint(12, 60)), "status": "collected",
        })  # fmt: skip

    def _takes(self, patient: Record, ingredient: str) -> bool:
        return ingredient in self._ingredients(patient)

    def _ingredients(self, patient: Record) -> set[str]:
        return {
            self._medications[each["medication_id"]]["ingredient"]
            for each in self.entries["prescriptions"].values()
            if each["patient_id"] == patient["patient_id"] and each["status"] == "active"
        }

    def _keep(self, table: str, field: str, record: Record) -> str:
        key: str = record[field]
        self.entries[table][key] = record
        return key

    def _day(self, days: int) -> str:
        return (TODAY + timedelta(days=days)).isoformat()

    def _weekday(self, days: int) -> str:
        day = TODAY + timedelta(days=days)
        while day.weekday() > 4:
            day += timedelta(days=1 if days > 0 else -1)
        return day.isoformat()


def _usual_units(product: Record) -> int:
    """How many units a day such a product is usually taken."""
    if product["form"] == "inhaler":
        return 4
    return 2 if product["ingredient"] in ("metformin", "apixaban", "verapamil", "naproxen") else 1


def _measured(rng: Random, test: Record, sex: str, side: str, decimals: int) -> float:
    """A value as laboratories report them: inside the reference range half of the time, else not far off to a side."""
    low, high = test[f"low_{sex}"], test[f"high_{sex}"]
    bottom = high * 0.45 if low is None else low
    kind = rng.choice(("inside", side))
    if kind == "inside" or (kind == "low" and low is None):
        value = rng.uniform(bottom + 0.05 * (high - bottom), high - 0.05 * (high - bottom))
    elif kind == "high":
        value = high * rng.uniform(1.06, {"LT-POT": 1.07, "LT-HB": 1.15}.get(test["test_id"], 1.5))
    else:
        value = low * rng.uniform(0.91 if test["test_id"] == "LT-POT" else 0.6, 0.94)
    return round(value, decimals) if decimals else int(value)


def _email(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ł", "l").replace("Ł", "L"))
    letters = "".join(sign if sign.isalpha() else "." for sign in plain.encode("ascii", "ignore").decode().lower())
    return f"{'.'.join(part for part in letters.split('.') if part)}@example.org"
