"""The world of the clinic network: consistent entries, subject by subject."""

from datetime import datetime, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Database
from toolscale.reference.medicine import formulary
from toolscale.reference.medicine.patients import Register

Record = dict[str, Any]
TODAY = PRESENT.date()

CLINICS = {
    "CL-DUB": ("Liffey Medical Centre", "Dublin", "IE", "14 Upper Ormond Quay, Dublin 7",
               "+353 1 555 0142", "08:30", "18:00", 5),
    "CL-BER": ("Poliklinik am Landwehrkanal", "Berlin", "DE", "Paul-Lincke-Ufer 31, 10999 Berlin",
               "+49 30 5550 1730", "08:00", "18:00", 5),
    "CL-PAR": ("Centre de santé Bastille", "Paris", "FR", "22 rue de la Roquette, 75011 Paris",
               "+33 1 55 50 18 44", "08:30", "19:00", 6),
    "CL-MIL": ("Poliambulatorio Navigli", "Milan", "IT", "Via Vigevano 18, 20144 Milano",
               "+39 02 555 01826", "08:00", "19:00", 6),
    "CL-MAD": ("Centro Médico Chamberí", "Madrid", "ES", "Calle de Fuencarral 129, 28010 Madrid",
               "+34 915 550 163", "09:00", "20:00", 5),
    "CL-AMS": ("Huisartsenpraktijk De Plantage", "Amsterdam", "NL", "Plantage Middenlaan 40, 1018 DG Amsterdam",
               "+31 20 555 0187", "08:00", "17:30", 5),
    "CL-VIE": ("Gruppenpraxis Josefstadt", "Vienna", "AT", "Lange Gasse 52, 1080 Wien",
               "+43 1 555 01 79", "07:30", "17:00", 5),
    "CL-LIS": ("Clínica do Chiado", "Lisbon", "PT", "Rua Garrett 61, 1200-203 Lisboa",
               "+351 21 555 0134", "08:30", "19:00", 6),
    "CL-HAM": ("Praxiszentrum Ottensen", "Hamburg", "DE", "Bahrenfelder Straße 88, 22765 Hamburg",
               "+49 40 5550 1612", "08:00", "18:00", 5),
    "CL-LYO": ("Centre de santé Croix-Rousse", "Lyon", "FR", "14 rue du Mail, 69004 Lyon",
               "+33 4 55 50 12 30", "08:30", "18:30", 6),
    "CL-BRU": ("Centre médical Châtelain", "Brussels", "BE", "Rue du Bailli 47, 1050 Bruxelles",
               "+32 2 555 01 58", "08:00", "18:00", 5),
    "CL-BCN": ("Centre Mèdic Gràcia", "Barcelona", "ES", "Carrer de Verdi 60, 08012 Barcelona",
               "+34 935 550 127", "09:00", "20:00", 5),
}  # fmt: skip

INSURERS = {
    "INS-VHI": ("Vhi Healthcare", "IE", "private", 60, 50, True),
    "INS-TKK": ("Techniker Krankenkasse", "DE", "statutory", 90, 100, True),
    "INS-AOK": ("AOK Nordost", "DE", "statutory", 85, 100, False),
    "INS-HMU": ("Harmonie Mutuelle", "FR", "private", 70, 65, True),
    "INS-UNS": ("UniSalute", "IT", "private", 65, 55, True),
    "INS-SNT": ("Sanitas", "ES", "private", 75, 80, True),
    "INS-ZKR": ("Zilveren Kruis", "NL", "statutory", 80, 70, True),
    "INS-OGK": ("Österreichische Gesundheitskasse", "AT", "statutory", 80, 90, False),
    "INS-MDS": ("Médis", "PT", "private", 70, 60, True),
    "INS-LAY": ("Laya Healthcare", "IE", "private", 55, 60, False),
    "INS-DKV": ("DKV Belgium", "BE", "private", 75, 65, True),
}

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
    medications = formulary.heart_and_metabolism() | formulary.everything_else()
    subjects: dict[str, Database] = {
        "Clinics and the insurers they bill": {"clinics": _clinics(), "insurers": _insurers()},
        "Formulary: heart, metabolism and blood": {"medications": formulary.heart_and_metabolism()},
        "Formulary: infections, pain, lungs, mind and skin": {"medications": formulary.everything_else()},
        "Drug interactions": {"interactions": formulary.interactions()},
        "Laboratory catalogue": {"lab_tests": formulary.lab_tests()},
        "General practitioners and their surgeries": {"practitioners": general, "slots": calendar.free(general)},
        "Specialists and their surgeries": {"practitioners": special, "slots": calendar.free(special)},
    }
    for first, second in zip(*[iter(_clinics().values())] * 2, strict=True):
        register = Register(rng, keys, practitioners, medications, formulary.lab_tests(), calendar.taken)
        for clinic in (first, second):
            for _ in range(PATIENTS_A_CLINIC):
                _register_one(register, clinic, rng, names)
        subjects[f"Patients of the {first['city']} and {second['city']} clinics"] = register.entries
    return subjects


def _register_one(register: Register, clinic: Record, rng: Random, names: Names) -> None:
    """A patient of the clinic, two in three of them from its own country."""
    country = clinic["country"] if rng.random() < 0.65 else rng.choice(sorted(LOCALES))
    sex = rng.choice(("female", "male"))
    insurers = [key for key, insurer in _insurers().items() if insurer["country"] == clinic["country"]]
    insurer_id = rng.choice(insurers) if rng.random() < 0.78 else None
    cover = _insurers().get(insurer_id or "")
    name = names.full_name(country, sex)
    register.add(name, sex, TONGUES[country], clinic["clinic_id"], clinic, insurer_id, cover)


def _clinics() -> dict[str, Record]:
    fields = ("name", "city", "country", "address", "phone", "opens", "closes")
    week = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    return {
        key: {"clinic_id": key, **dict(zip(fields, row, strict=False)), "open_days": week[: row[-1]]}
        for key, row in CLINICS.items()
    }


def _insurers() -> dict[str, Record]:
    fields = ("name", "country", "kind", "consultation_cover", "laboratory_cover", "covers_video")
    return {key: {"insurer_id": key, **dict(zip(fields, row, strict=True))} for key, row in INSURERS.items()}


def _practitioners(rng: Random, names: Names, keys: Keys) -> dict[str, Record]:
    """Two general practitioners and two specialists a clinic; no two ask the same fee."""
    found: dict[str, Record] = {}
    fees: set[float] = set()
    special = [SPECIALISTS[number % len(SPECIALISTS)] for number in range(2 * len(CLINICS))]
    for clinic_id, row in CLINICS.items():
        specialists = [special.pop() for _ in range(2)]
        for specialty in ("general practice", "general practice", *specialists):
            home = row[2] if rng.random() < 0.7 else rng.choice(sorted(LOCALES))
            key = keys.next("DR", 4)
            fee = round(FEES[specialty] * rng.uniform(0.78, 1.3) + rng.choice((0.1, 0.25, 0.4, 0.65, 0.85)), 2)
            while fee in fees:
                fee = round(fee + 1.35, 2)
            fees.add(fee)
            spoken = [TONGUES[row[2]], TONGUES[home], "English", rng.choice(("French", "Spanish", "Polish", "German"))]
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
        opens, closes = CLINICS[self._practitioners[doctor]["clinic_id"]][5:7]
        while True:
            day = TODAY + timedelta(days=days)
            while day.weekday() > 4 or (day.month, day.day) == (12, 8):  # a holiday in half of the countries
                day += timedelta(days=1)
            first, last = int(opens[:2]) + 1, int(closes[:2]) - 1
            hour = self._rng.randint(max(first, 13) if day == TODAY else first, last)
            start = datetime(day.year, day.month, day.day, hour, self._rng.choice(range(0, 60, 5)))
            text = start.strftime("%Y-%m-%dT%H:%M")
            if text not in self._used:
                self._used.add(text)
                key = self._keys.next("SL")
                mode = "video" if self._rng.random() < 0.4 else "in person"
                return key, {"slot_id": key, "practitioner_id": doctor, "start": text, "mode": mode, "status": status}
