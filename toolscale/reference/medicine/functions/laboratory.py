"""The laboratory's catalogue, its results, and new orders."""

from datetime import date

from ._shared import Database, Record, _by_key, _coming_day, _joined, _new_key, _one, _own
from ._suitability import _taken

WRITES = {"order_lab_test"}


def find_lab_tests(db: Database, name: str) -> list[Record]:
    """Tests of the laboratory's catalogue by name: id, name and unit. See get_lab_test for the rest.

    name: the test's name or a part of it, such as HbA1c
    """
    found = [
        {"test_id": test["test_id"], "name": test["name"], "unit": test["unit"]}
        for test in db["lab_tests"].values()
        if name.strip() and name.lower() in test["name"].lower()
    ]
    if not found:
        raise ValueError(f"the laboratory offers no test named {name!r}")
    return found


def get_lab_test(db: Database, test_id: str) -> Record:
    """One test of the catalogue: price, reference ranges, hours of fasting, and days before it may be repeated.

    test_id: the test's id, such as LT-HBA1C
    """
    return dict(_one(db, "lab_tests", test_id))


def list_lab_results(db: Database, patient_id: str, test_name: str | None = None) -> list[Record]:
    """A patient's laboratory tests, latest first: id, test, day and state. See get_lab_result for the value.

    patient_id: the patient's number
    test_name: only this test, such as HbA1c
    """
    tests = _by_key(db, "lab_tests")
    if test_name is not None and test_name.lower() not in [test["name"].lower() for test in tests.values()]:
        raise ValueError(f"the laboratory offers no test named {test_name!r}")
    rows = [
        {
            "result_id": row["result_id"], "test": tests[row["test_id"]]["name"], "sampled_on": row["sampled_on"],
            "status": row["status"],
        }
        for row in _own(db, "lab_results", patient_id, None)
        if test_name is None or tests[row["test_id"]]["name"].lower() == test_name.lower()
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (row["sampled_on"], row["result_id"]), reverse=True)


def get_lab_result(db: Database, result_id: str) -> Record:
    """One laboratory result with unit, reference range for the patient's sex, and whether it is low, normal or high.

    result_id: the result's id, such as LR-70412
    """
    result = _one(db, "lab_results", result_id)
    test, patient = _joined(db, "lab_tests", result["test_id"]), _joined(db, "patients", result["patient_id"])
    low, high = test[f"low_{patient['sex']}"], test[f"high_{patient['sex']}"]
    flag = None
    if result["value"] is not None:
        below, above = low is not None and result["value"] < low, high is not None and result["value"] > high
        flag = "low" if below else "high" if above else "normal"
    doctor = _joined(db, "practitioners", result["practitioner_id"])["name"] if result["practitioner_id"] else None
    reference = {"unit": test["unit"], "reference_low": low, "reference_high": high}
    return {**result, "test": test["name"], **reference, "flag": flag, "ordered_by": doctor}


def order_lab_test(db: Database, patient_id: str, test_id: str, day: str) -> Record:
    """Orders a test at the patient's home clinic. Refused when the test was taken too recently or is ordered already;
    INR is for patients on warfarin only.

    patient_id: the patient's number
    test_id: the test, such as LT-HBA1C
    day: the day on which the sample is taken (ISO date)
    """
    patient, test = _one(db, "patients", patient_id), _one(db, "lab_tests", test_id)
    sampled = _coming_day(db, patient["home_clinic_id"], day, "day")
    if test["name"] == "INR" and "warfarin" not in _taken(db, patient_id):
        raise ValueError("INR is measured in patients who take warfarin")
    for row in _own(db, "lab_results", patient_id, None):
        apart = (date.fromisoformat(sampled) - date.fromisoformat(row["sampled_on"])).days
        if row["test_id"] == test_id and abs(apart) < test["repeat_after_days"]:
            distance = f"{test['repeat_after_days']} days' distance from {row['sampled_on']}"
            raise ValueError(f"too soon: {test['name']} needs {distance}")
    result_id = _new_key(db, "lab_results", "LR")
    db["lab_results"][result_id] = {
        "result_id": result_id, "patient_id": patient_id, "test_id": test_id, "practitioner_id": None,
        "sampled_on": sampled, "value": None, "status": "ordered",
    }  # fmt: skip
    return {**db["lab_results"][result_id], "price": test["price"], "fasting_hours": test["fasting_hours"]}
