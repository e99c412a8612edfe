"""What speaks against a patient taking a product."""

from ._shared import Database, Record, _age, _by_key


def _taken(db: Database, patient_id: str, without: str | None = None) -> dict[str, str]:
    """Ingredient -> prescription of what a patient takes, one prescription perhaps left out."""
    products = _by_key(db, "medications")
    return {
        products[row["medication_id"]]["ingredient"]: row["prescription_id"]
        for row in db["prescriptions"].values()
        if row["patient_id"] == patient_id and row["status"] == "active" and row["prescription_id"] != without
    }


def _problems(db: Database, patient: Record, product: Record, without: str | None = None) -> list[Record]:
    """Everything that speaks against a patient taking a product; ``blocking`` where it must not be given."""
    found: list[Record] = []
    for allergy in patient["allergies"]:
        if allergy["allergen"] in product["allergens"]:
            found.append({"kind": "allergy", "with": allergy["allergen"], "blocking": True})
    for condition in patient["conditions"]:
        if condition in product["contraindications"]:
            found.append({"kind": "contraindication", "with": condition, "blocking": True})
    if _age(patient) < product["min_age"]:
        found.append({"kind": "age limit", "with": f"{product['min_age']} years", "blocking": True})
    taken = _taken(db, patient["patient_id"], without)
    if product["ingredient"] in taken:
        prescription_id = taken[product["ingredient"]]
        found.append({"kind": "already taken", "with": prescription_id, "blocking": True})
    for pair in db["interactions"].values():
        ends = (pair["ingredient_a"], pair["ingredient_b"])
        for one, other in (ends, ends[::-1]):
            if one == product["ingredient"] and other in taken:
                kind, blocking = f"{pair['severity']} interaction", pair["severity"] != "moderate"
                found.append({"kind": kind, "with": other, "effect": pair["effect"], "blocking": blocking})
    return found


def _must_be_safe(problems: list[Record], product: Record) -> None:
    blocking = [f"{problem['kind']} ({problem['with']})" for problem in problems if problem["blocking"]]
    if blocking:
        raise ValueError(f"{product['name']} must not be given to this patient: {'; '.join(blocking)}")
