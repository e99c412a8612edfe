"""The clinics and their insurers, the formulary with the interactions that pharmacists watch, and the laboratory.

Strengths, maximum daily doses and age limits follow the products' usual European labels for adults and adolescents;
prices are invented.
"""

from pathlib import Path
from typing import Any, NamedTuple

from toolscale.reference.catalogues import Number, Words, read_table, record_of, table_of

Record = dict[str, Any]

_HERE = Path(__file__).parent


class Clinic(NamedTuple):
    """A clinic; open on so many days of the week, from Monday."""

    clinic_id: str
    name: str
    city: str
    country: str
    address: str
    phone: str
    opens: str
    closes: str
    open_days: int


class Insurer(NamedTuple):
    """An insurer, and the percentages that it pays."""

    insurer_id: str
    name: str
    country: str
    kind: str
    consultation_cover: int
    laboratory_cover: int
    covers_video: bool


class Product(NamedTuple):
    """A product of the formulary."""

    shelf: str
    name: str
    ingredient: str
    atc_code: str
    form: str
    strength: int
    strength_unit: str
    units_per_pack: int
    max_daily_units: int
    min_age: int
    prescription_only: bool
    allergens: Words
    contraindications: Words
    treats: Words
    max_packs: int
    price: float


class Interaction(NamedTuple):
    """A pair of ingredients to watch."""

    ingredient_a: str
    ingredient_b: str
    severity: str
    effect: str


class LabTest(NamedTuple):
    """A test of the laboratory, and with how many decimals its results are given."""

    test_id: str
    name: str
    loinc: str
    unit: str
    low_female: Number | None
    high_female: Number
    low_male: Number | None
    high_male: Number
    fasting_hours: int
    repeat_after_days: int
    price: float
    decimals: int


CLINICS = {each.clinic_id: each for each in read_table(_HERE / "clinics.csv", Clinic)}
INSURERS = table_of(read_table(_HERE / "insurers.csv", Insurer))
INTERACTIONS = read_table(_HERE / "interactions.csv", Interaction)
LAB_TESTS = {each.test_id: each for each in read_table(_HERE / "lab_tests.csv", LabTest)}
_PRODUCTS = read_table(_HERE / "medications.csv", Product)

MONITORING = {
    "type 2 diabetes": ("LT-HBA1C", "LT-GLUC", "LT-CREA"),
    "high cholesterol": ("LT-LDL", "LT-TRIG", "LT-ALT", "LT-GGT"),
    "underactive thyroid": ("LT-TSH", "LT-FT4"), "chronic kidney disease": ("LT-CREA", "LT-POT"),
    "iron deficiency": ("LT-HB", "LT-FERR"), "gout": ("LT-URAT", "LT-CREA"), "acid reflux": ("LT-B12", "LT-FOL"),
    "high blood pressure": ("LT-POT", "LT-CREA"), "heart failure": ("LT-POT", "LT-CREA"),
    "depression": ("LT-TSH", "LT-VITD"),
}  # fmt: skip
"""Which tests are usual in which condition."""


def medications(shelf: str, first: int) -> dict[str, Record]:
    """The products of a shelf, numbered in threes."""
    products = (record_of(each) for each in _PRODUCTS if each.shelf == shelf)
    found = {}
    for number, product in enumerate(products):
        del product["shelf"]
        key = f"MED-{first + 3 * number}"
        found[key] = {"medication_id": key, **product}
    return found


def heart_and_metabolism() -> dict[str, Record]:
    """Products for heart, circulation, metabolism and blood."""
    return medications("heart and metabolism", 101)


def everything_else() -> dict[str, Record]:
    """Products for infections, pain, allergies, stomach, mind, lungs and skin."""
    return medications("everything else", 202)


def interactions() -> dict[str, Record]:
    """The pairs of ingredients to watch."""
    keys = (f"IA-{101 + number}" for number in range(len(INTERACTIONS)))
    return {key: {"interaction_id": key, **record_of(each)} for key, each in zip(keys, INTERACTIONS, strict=True)}


def lab_tests() -> dict[str, Record]:
    """The laboratory's catalogue."""
    tests = table_of(LAB_TESTS.values())
    for test in tests.values():
        del test["decimals"]
    return tests
