"""The world of the clinic network: consistent entries, subject by subject."""

from datetime import datetime, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Database
from toolscale.reference.catalogues import record_of
from toolscale.reference.medicine import catalogue
from toolscale.reference.medicine.catalogue import CLINICS, INSURERS
from toolscale.reference.medicine.patients import Register

Record = dict[str, Any]
TODAY = PRESENT.date()

LOCALES = {"IE": "en_IE", "DE": "de_DE", "FR": "fr_FR", "IT": "it_IT", "ES": "es_ES", "NL": "nl_NL", "AT": "de_AT",
           "PT": "pt_PT", "BE": "fr_BE", "PL": "pl_PL", "GB": "en_GB"}  # fmt: skip
TONGUES = {"IE": "English", "DE": "German", "FR": "French", "IT": "Italian", "ES": "Spanish", "NL": "Dutch",
           "AT": "German", "PT": "Portuguese", "BE": "French", "PL": "Polish", "GB": "English"}  # fmt: skip
PATIENTS_A_CLINIC = 4
SPECIALISTS = ("cardiology", "dermatology", "endocrinology", "neurology", "orthopaedics")
FEES = {"general practice": 52, "cardiology": 128, "dermatology": 96, "endocrinology": 112, "neurology": 124,
        "orthopaedics": 104}  # fmt: skip
MINUTES = {"general practice": 15, "cardiology": 30, "dermatology": 20, "endocrinology": 30, "neurology": 30,
           "orthopaedics": 20}  # fmt: skip


class Names:
    """People of many countries, none twice; seeded."""

    def __init__(self, seed: int) -> None:
        from faker import Faker

        self._fakers = {}
        for number, (country, locale) in enumerate(sorted(LOCALES.items())):
            self._fakers[country] = Faker(locale)
            self._fakers[country].seed_instance(seed * 100 + number)
        self._used: set[str] = set()

    def full_name(self, country: str, sex: str) -> str:
        """First and last name, without titles."""
        faker = self._fakers[country]
        while True:
            first = faker.first_name_female() if sex == "female" else faker.first_name_male()
            name = f"{first} {faker.last_name()}"
            if name not in self._used and len(name) < 40:
                self._used.add(name)
                return name


class Keys:
    """Keys of one shape a table, unique, in no obvious order."""

    def __init__(self, rng: Random) -> None:
        self._pools: dict[str, list[int]] = {}
        self._rng = rng

    def next(self, prefix: str, digits: int = 5) -> str:
        """A key such as ``PT-20417`` that nobody has yet."""
        if prefix not in self._pools:
            low = 10 ** (digits - 1)
            self._pools[prefix] = self._rng.sample(range(low + low // 10, 9 * low), 800)
        return f"{prefix}-{self._pools[prefix].pop()}"


def world(seed: int) -> dict[str, Database]:
    """Subject -> its entries. The same seed gives the same world."""
    rng, names = Random(f"medicine {seed}"), Names(seed)
    keys = Keys(rng)
    practitioners = _practitioners(rng, names, keys)
    calendar = Calendar(rng, keys, practitioners)
    general = {key: doctor for key, doctor in practitioners.items() if doctor["specialty"] == "general practice"}
    special = {key: doctor for key, doctor in practitioners.items() if key not in general}
    medications = catalogue.heart_and_metabolism() | catalogue.everything_else()
    subjects: dict[str, Database] = {
        "Clinics and the insurers they bill": {"clinics": _clinics(), "insurers": INSURERS},
        "Formulary: heart, metabolism and blood": {"medications": catalogue.heart_and_metabolism()},
        "Formulary: infections, pain, lungs, mind and skin": {"medications": catalogue.everything_else()},
        "Drug interactions": {"interactions": catalogue.interactions()},
        "Laboratory catalogue": {"lab_tests": catalogue.lab_tests()},
        "General practitioners and their surgeries": {"practitioners": general, "slots": calendar.free(general)},
        "Specialists and their surgeries": {"practitioners": special, "slots": calendar.free(special)},
    }
    for first, second in zip(*[iter(_clinics().values())] * 2, strict=True):
        register = Register(rng, keys, practitioners, medications, catalogue.lab_tests(), calendar.taken)
        for clinic in (first, second):
            for _ in range(PATIENTS_A_CLINIC):
                _register_one(register, clinic, rng, names)
        subjects[f"Patients of the {first['city']} and {second['city']} clinics"] = register.entries
    return subjects


def _register_one(register: Register, clinic: Record, rng: Random, names: Names) -> None:
    """A patient of the clinic, two in three of them from its own country."""
    country = clinic["country"] if rng.random() < 0.65 else rng.choice(sorted(LOCALES))
    sex = rng.choice(("female", "male"))
    insurers = [key for key, insurer in INSURERS.items() if insurer["country"] == clinic["country"]]
    insurer_id = rng.choice(insurers) if rng.random() < 0.78 else None
    cover = INSURERS.get(insurer_id or "")
    name = names.full_name(country, sex)
    register.add(name, sex, TONGUES[country], clinic["clinic_id"], clinic, insurer_id, cover)


def _clinics() -> dict[str, Record]:
    week = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    return {key: {**record_of(clinic), "open_days": week[: clinic.open_days]} for key, clinic in CLINICS.items()}


def _practitioners(rng: Random, names: Names, keys: Keys) -> dict[str, Record]:
    """Two general practitioners and two specialists a clinic; no two ask the same fee."""
    found: dict[str, Record] = {}
    fees: set[float] = set()
    special = [SPECIALISTS[number % len(SPECIALISTS)] for number in range(2 * len(CLINICS))]
    for clinic_id, clinic in CLINICS.items():
        specialists = [special.pop() for _ in range(2)]
        for specialty in ("general practice", "general practice", *specialists):
            home = clinic.country if rng.random() < 0.7 else rng.choice(sorted(LOCALES))
            key = keys.next("DR", 4)
            fee = round(FEES[specialty] * rng.uniform(0.78, 1.3) + rng.choice((0.1, 0.25, 0.4, 0.65, 0.85)), 2)
            while fee in fees:
                fee = round(fee + 1.35, 2)
            fees.add(fee)
            spoken = [
                TONGUES[clinic.country],
                TONGUES[home],
                "English",
                rng.choice(("French", "Spanish", "Polish", "German")),
            ]
            found[key] = {
                "practitioner_id": key, "name": f"Dr {names.full_name(home, rng.choice(('female', 'male')))}",
                "specialty": specialty, "clinic_id": clinic_id, "languages": list(dict.fromkeys(spoken)), "fee": fee,
                "minutes": MINUTES[specialty],
                "min_age": 0 if specialty == "general practice" else rng.choice((12, 16, 16)),
                "referral_required": specialty not in ("general practice", "dermatology"),
            }  # fmt: skip
    return found


class Calendar:
    """Hands out consultation times within the clinics' hours, never two at the same moment."""

    def __init__(self, rng: Random, keys: Keys, practitioners: dict[str, Record]) -> None:
        self._rng, self._keys, self._practitioners = rng, keys, practitioners
        self._used: set[str] = set()

    def free(self, doctors: dict[str, Record]) -> dict[str, Record]:
        """Open slots for each of the doctors; the rarer specialists have one more than general practitioners."""
        return dict(
            self._slot(key, "open", self._rng.randint(1, 22))
            for key, doctor in doctors.items()
            for _ in range(4 if doctor["specialty"] == "general practice" else 5)
        )

    def taken(self, doctor: str, days: int) -> tuple[str, Record]:
        """A slot that somebody has booked, about so many days from now."""
        return self._slot(doctor, "booked", days)

    def _slot(self, doctor: str, status: str, days: int) -> tuple[str, Record]:
        clinic = CLINICS[self._practitioners[doctor]["clinic_id"]]
        while True:
            day = TODAY + timedelta(days=days)
            while day.weekday() > 4 or (day.month, day.day) == (12, 8):  # a holiday in half of the countries
                day += timedelta(days=1)
            first, last = int(clinic.opens[:2]) + 1, int(clinic.closes[:2]) - 1
            hour = self._rng.randint(max(first, 13) if day == TODAY else first, last)
            start = datetime(day.year, day.month, day.day, hour, self._rng.choice(range(0, 60, 5)))
            text = start.strftime("%Y-%m-%dT%H:%M")
            if text not in self._used:
                self._used.add(text)
                key = self._keys.next("SL")
                mode = "video" if self._rng.random() < 0.4 else "in person"
                return key, {"slot_id": key, "practitioner_id": doctor, "start": text, "mode": mode, "status": status}
