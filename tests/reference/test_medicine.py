"""What is special about the medicine domain: nobody is given what harms them, and the wards' rules hold."""

import copy
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from itertools import combinations
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, whole_database
from toolscale.artifacts import PRESENT, CallOutcome
from toolscale.environment import Session
from toolscale.reference.domain import reference_domain
from toolscale.reference.medicine.plausibility import blemish, implausible
from toolscale.reference.medicine.programs.shared import weekday
from toolscale.reference.recogniser import programs_in
from toolscale.templates.template import recognise, render, slots

Record = dict[str, Any]
Tables = dict[str, dict[str, Record]]
MEDICINE = reference_domain("medicine")
TODAY = PRESENT.date()
SPOKEN = {
    "patient_id": "PT-20417", "city": "Lisbon", "from_date": "2026-12-02", "day": "2026-12-03",
    "pickup_on": "2026-12-04", "since": "2026-06-01", "specialty": "cardiology", "mode": "in person",
    "language": "Polish", "reason": "no longer needed", "collection": "home delivery", "condition": "gout",
    "complaint": "hay fever", "ingredient": "St John's wort", "allergen": "NSAID", "other_allergen": "gelatin",
    "reaction": "shortness of breath", "test": "C-reactive protein", "other_test": "HbA1c", "method": "direct debit",
    "appointment_id": "AP-48213", "other_appointment_id": "AP-51236", "prescription_id": "RX-50231",
    "other_prescription_id": "RX-61233", "packs": 2, "instalments": 3, "max_share": 42.1, "max_price": 12.35,
    "max_monthly": 17.8, "min_saving": 3.05, "budget": 9.95,
    "invoice_id": "IN-30417", "to_date": "2026-12-09", "least_saving": 1.35, "top_share": 48.2,
}  # fmt: skip
"""One value for every slot of the domain."""


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """The domain in the real sandbox; every call below starts from the untouched database."""
    made = Stage("medicine")
    yield made
    made.sandbox.close()


def _tables(stage: Stage) -> Tables:
    return stage.database


def _call(stage: Stage, name: str, /, **arguments: Any) -> CallOutcome:
    return Session(stage.sandbox).call(name, arguments)


def _refusal(stage: Stage, name: str, /, **arguments: Any) -> str:
    outcome = _call(stage, name, **arguments)
    assert outcome.error_type == "ValueError", outcome
    assert not outcome.wrote
    return outcome.error or ""


def _pairs(database: Tables, fits: Callable[[Record, Record], bool]) -> list[tuple[Record, Record]]:
    """Patients and products without prescription for which something holds."""
    products = [each for each in database["medications"].values() if not each["prescription_only"]]
    found = [(patient, product) for patient in database["patients"].values() for product in products]
    return [pair for pair in found if fits(*pair)]


def _age(patient: Record) -> int:
    born = date.fromisoformat(patient["birth_date"])
    return TODAY.year - born.year - ((TODAY.month, TODAY.day) < (born.month, born.day))


def _taken(database: Tables, patient: Record) -> set[Any]:
    return {
        database["medications"][each["medication_id"]]["ingredient"]
        for each in database["prescriptions"].values()
        if each["patient_id"] == patient["patient_id"] and each["status"] == "active"
    }


def _order(stage: Stage, patient: Record, product: Record) -> dict[str, Any]:
    return {
        "patient_id": patient["patient_id"], "medication_id": product["medication_id"], "packs": 1,
        "pickup_on": weekday(Random(1)),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_every_world_fits_the_schema_and_is_plausible(seed: int) -> None:
    database = whole_database(MEDICINE, seed)
    Draft202012Validator(MEDICINE.schema, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(database)
    assert implausible(database) == []
    assert 940 <= sum(len(records) for records in database.values()) <= 1100


def test_the_same_seed_gives_the_same_world_and_another_seed_another() -> None:
    assert MEDICINE.world(7) == MEDICINE.world(7)
    assert MEDICINE.world(7) != MEDICINE.world(8)


def test_a_blemish_in_any_table_is_found_and_stays_within_the_schema() -> None:
    validator = Draft202012Validator(MEDICINE.schema)
    for subject, entries in MEDICINE.world(2).items():
        for table, records in entries.items():
            if not records:
                continue
            spoilt: Tables = {name: {} for name in MEDICINE.schema["properties"]}
            spoilt[table] = copy.deepcopy(records)
            blemish(spoilt, Random(subject))
            assert implausible(spoilt), (subject, table)
            validator.validate(spoilt)


def test_nobody_takes_what_they_must_not_take() -> None:
    for seed in range(6):
        database = whole_database(MEDICINE, seed)
        clashes = {
            frozenset((each["ingredient_a"], each["ingredient_b"]))
            for each in database["interactions"].values()
            if each["severity"] != "moderate"
        }
        for patient in database["patients"].values():
            taken = sorted(_taken(database, patient))
            assert not clashes & {frozenset(pair) for pair in combinations(taken, 2)}, patient["patient_id"]


def test_interactions_and_alternatives_name_ingredients_of_the_formulary() -> None:
    database = whole_database(MEDICINE, 0)
    known = {each["ingredient"] for each in database["medications"].values()}
    named = {each[end] for each in database["interactions"].values() for end in ("ingredient_a", "ingredient_b")}
    assert named <= known, named - known


def test_every_line_is_read_as_its_own_program_with_the_facts_it_was_worded_from() -> None:
    for program in MEDICINE.programs:
        for template in program.voices.values():
            line = render(template, SPOKEN)
            assert [found.name for found, _ in programs_in(line, MEDICINE)] == [program.name], line
            assert recognise(template, line) == {slot: SPOKEN[slot] for slot in slots(template)}


def test_no_two_twists_of_a_program_can_be_mistaken_for_each_other() -> None:
    for program in MEDICINE.programs:
        for twist in program.twists:
            for template in twist.voices.values():
                line = render(template, SPOKEN)
                meant = {
                    each.name
                    for each in program.twists
                    if any(recognise(wording, line) is not None for wording in each.voices.values())
                }
                assert meant == {twist.name}, (program.name, line)


def test_what_a_patient_is_allergic_to_is_not_handed_out(stage: Stage) -> None:
    pairs = _pairs(
        _tables(stage), lambda patient, product: bool(
            {each["allergen"] for each in patient["allergies"]} & set(product["allergens"])
        )
    )  # fmt: skip
    assert pairs
    for patient, product in pairs[:8]:
        assert "allergy" in _refusal(stage, "order_medication", **_order(stage, patient, product))


def test_what_interacts_dangerously_is_not_handed_out(stage: Stage) -> None:
    interactions = [each for each in _tables(stage)["interactions"].values() if each["severity"] != "moderate"]

    def clashes(patient: Record, product: Record) -> bool:
        ends = [{each["ingredient_a"], each["ingredient_b"]} for each in interactions]
        return any({product["ingredient"], other} in ends for other in _taken(_tables(stage), patient))

    pairs = _pairs(_tables(stage), clashes)
    assert pairs
    for patient, product in pairs[:8]:
        assert "interaction" in _refusal(stage, "order_medication", **_order(stage, patient, product))


def test_who_is_too_young_is_not_given_the_product(stage: Stage) -> None:
    pairs = _pairs(_tables(stage), lambda patient, product: _age(patient) < product["min_age"])
    assert pairs
    for patient, product in pairs[:8]:
        assert "age limit" in _refusal(stage, "order_medication", **_order(stage, patient, product))


def test_a_prescription_product_is_not_sold_without_one(stage: Stage) -> None:
    patient = next(iter(_tables(stage)["patients"].values()))
    product = next(each for each in _tables(stage)["medications"].values() if each["prescription_only"])
    assert "prescription" in _refusal(stage, "order_medication", **_order(stage, patient, product))


def test_a_prescription_is_filled_from_a_week_before_it_is_used_up_and_not_a_day_sooner(stage: Stage) -> None:
    filled = refused = 0
    for key, prescription in _tables(stage)["prescriptions"].items():
        if prescription["status"] != "active" or not prescription["refills_left"]:
            continue
        product: Record = _tables(stage)["medications"][str(prescription["medication_id"])]
        packs: Any = prescription["packs_per_fill"]
        supply = int(product["units_per_pack"] * packs / prescription["units_per_day"])
        first = date.fromisoformat(str(prescription["last_filled_on"])) + timedelta(days=supply - 7)
        outcome = _call(stage, "refill_prescription", prescription_id=key, collection="home delivery")
        assert outcome.ok == (first <= TODAY), (prescription, outcome.error)
        if outcome.ok:
            filled += 1
        else:
            refused += 1
            assert first.isoformat() in (outcome.error or "")
    assert filled
    assert refused


def test_a_new_allergy_stops_exactly_the_prescriptions_that_contain_it(stage: Stage) -> None:
    products = _tables(stage)["medications"]
    for key in _tables(stage)["patients"]:
        own = [
            each
            for each in _tables(stage)["prescriptions"].values()
            if each["patient_id"] == key and each["status"] == "active"
        ]
        if any("lactose" in products[each["medication_id"]]["allergens"] for each in own):
            break
    else:
        pytest.fail("nobody takes anything with lactose")
    outcome = _call(stage, "record_allergy", patient_id=key, allergen="lactose", reaction="vomiting")
    hit = {e["prescription_id"] for e in own if "lactose" in products[e["medication_id"]]["allergens"]}
    assert outcome.ok, outcome.error
    assert {ref.key for ref in outcome.wrote if ref.table == "prescriptions"} == hit


def test_a_specialist_is_seen_with_a_referral_and_each_referral_once(stage: Stage) -> None:
    booked = 0
    for referral in _tables(stage)["referrals"].values():
        if referral["status"] != "open":
            continue
        offers: Any = _call(stage, "find_open_slots", specialty=referral["specialty"]).result
        doctors = {offer["practitioner_id"]: offer["slot_id"] for offer in offers}
        first, second, *_ = doctors.values()
        session = Session(stage.sandbox)
        plain = {"patient_id": referral["patient_id"]}
        referred = {**plain, "referral_id": referral["referral_id"]}
        without = session.call("book_appointment", {**plain, "slot_id": first})
        if session.call("book_appointment", {**referred, "slot_id": first}).ok:
            booked += 1
            assert "needs a referral" in (without.error or "")
            assert not session.call("book_appointment", {**referred, "slot_id": second}).ok
    assert booked >= 3


def test_calling_off_late_is_billed_unless_the_patient_is_ill(stage: Stage) -> None:
    tomorrow = (PRESENT + timedelta(hours=24)).strftime("%Y-%m-%dT%H:%M")
    booked = [each for each in _tables(stage)["appointments"].values() if each["status"] == "booked"]
    late = next(each for each in booked if str(each["start"]) < tomorrow)
    early = next(each for each in booked if str(each["start"]) >= tomorrow)
    for appointment, reason, bills in ((late, "work", 1), (late, "illness", 0), (early, "work", 0)):
        outcome = _call(stage, "cancel_appointment", appointment_id=appointment["appointment_id"], reason=reason)
        assert outcome.ok
        assert sum(ref.table == "invoices" for ref in outcome.wrote) == bills


def test_only_what_a_call_names_counts_as_looked_up(stage: Stage) -> None:
    key = next(iter(_tables(stage)["appointments"]))
    outcome = _call(stage, "get_appointment", appointment_id=key)
    assert [tuple(ref) for ref in outcome.looked_up] == [("appointments", key)]


def test_every_function_refuses_a_nonsense_call_and_leaves_the_database_alone(stage: Stage) -> None:
    nonsense = {"string": "no such thing", "integer": -1, "number": -1.0, "boolean": True}
    for function in MEDICINE.functions:
        properties: Any = function.parameters["properties"]
        required: Any = function.parameters["required"]
        arguments = {
            name: schema["enum"][0] if "enum" in schema else nonsense[schema["type"]]
            for name, schema in properties.items()
            if name in required or name in ("practitioner_id", "ingredient")
        }
        outcome = _call(stage, function.name, **arguments)
        assert outcome.error_type == "ValueError", (function.name, outcome)
        assert not outcome.wrote
