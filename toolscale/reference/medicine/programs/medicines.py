"""Programs about products without prescription, allergies, and questions to the prescriber."""

from random import Random
from typing import Any

from toolscale.reference.kit import must
from toolscale.reference.medicine.programs.prescriptions import COLLEAGUE, draw_ingredient, own_prescription
from toolscale.reference.medicine.programs.shared import a_patient, another_day, money, weekday
from toolscale.reference.medicine.schema import ALLERGENS, REACTIONS
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)

KNOWN_INGREDIENTS = (
    "ibuprofen",
    "paracetamol",
    "cetirizine",
    "pantoprazole",
    "diclofenac",
    "fluconazole",
    "St John's wort",
    "acetylsalicylic acid",
    "ferrous sulfate",
    "fexofenadine",
)
COMPLAINTS = ("pain", "hay fever", "acid reflux", "migraine", "eczema", "iron deficiency", "fungal infection")


def _draw_purchase(world: World, rng: Random) -> Facts:
    return {
        "patient_id": a_patient(world, rng)["patient_id"],
        "complaint": pick(rng, COMPLAINTS),
        "packs": 2,
        "pickup_on": weekday(rng, 1, 12),
    }


def _buy(facts: Facts) -> Solution:
    products = yield do("find_medications", treats=facts["complaint"], form=facts.get("form"), prescription_only=False)
    while True:
        chosen = yield choose(products, key=lambda each: each["price"])
        check = yield do("check_medication", patient_id=facts["patient_id"], medication_id=chosen["medication_id"])
        if check["suitable"] and (not facts.get("no_warnings") or not check["problems"]):
            break
        products = [each for each in products if each["medication_id"] != chosen["medication_id"]]
    total = chosen["price"] * facts["packs"]
    if total > facts.get("budget", 10_000):
        text = f"I ordered nothing: {chosen['name']} would come to {total:.2f} euros."
        return Reply(text, (chosen["name"], f"{total:.2f}"))
    order = yield do(
        "order_medication",
        patient_id=facts["patient_id"],
        medication_id=chosen["medication_id"],
        packs=facts["packs"],
        pickup_on=facts["pickup_on"],
    )
    text = f"{chosen['name']} is set aside for you, {order['total']:.2f} euros."
    return Reply(text, (chosen["name"], f"{order['total']:.2f}"))


def _draw_check(world: World, rng: Random) -> Facts:
    return {"patient_id": a_patient(world, rng)["patient_id"], "ingredient": pick(rng, KNOWN_INGREDIENTS)}


def _check(facts: Facts) -> Solution:
    products = yield do("find_medications", ingredient=facts["ingredient"], prescription_only=False)
    product = yield choose(products, key=lambda each: each["price"])
    check = yield do("check_medication", patient_id=facts["patient_id"], medication_id=product["medication_id"])
    against = [problem for problem in check["problems"] if problem["blocking"]]
    if against:
        reasons = tuple(problem["with"] for problem in against)
        named = ", ".join(f"{problem['kind']} ({problem['with']})" for problem in against)
        return Reply(f"{product['name']} is not for you: {named}.", (product["name"], *reasons))
    dose = check["max_daily_dose"]
    text, told = f"You may take {product['name']}, at most {dose} a day.", [product["name"], dose]
    if "packs" in facts:
        order = yield do(
            "order_medication",
            patient_id=facts["patient_id"],
            medication_id=product["medication_id"],
            packs=facts["packs"],
            pickup_on=facts["pickup_on"],
        )
        text = f"{text} I had some set aside for {order['total']:.2f} euros."
        told.append(f"{order['total']:.2f}")
    return Reply(text, tuple(told))


def _draw_packs(world: World, rng: Random, facts: Facts) -> Facts:
    return {"packs": 2, "pickup_on": weekday(rng, 1, 12)}


def _draw_allergy(world: World, rng: Random) -> Facts:
    patient = a_patient(world, rng)
    known = {allergy["allergen"] for allergy in patient["allergies"]}
    taken = [
        allergen
        for row in world.rows("prescriptions")
        if row["patient_id"] == patient["patient_id"] and row["status"] == "active"
        for allergen in (world.get("medications", row["medication_id"]) or {"allergens": []})["allergens"]
    ]
    pool = [each for each in taken if each not in known]  # or there would be nothing to tell
    return {"patient_id": patient["patient_id"], "allergen": pick(rng, pool), "reaction": pick(rng, REACTIONS)}


def _report_allergy(facts: Facts) -> Solution:
    held: list[dict[str, Any]] = []
    allergens = [each for each in (facts["allergen"], facts.get("other_allergen")) if each]
    for allergen in allergens:
        noted = yield do(
            "record_allergy", patient_id=facts["patient_id"], allergen=allergen, reaction=facts["reaction"]
        )
        held += noted["put_on_hold"]
    must(held, "none of the current prescriptions is affected")
    names = tuple(each["medication"] for each in held)
    text = f"The allergy is on file, and I put these on hold: {', '.join(names)}."
    if "day" in facts:
        for practitioner_id in dict.fromkeys(each["practitioner_id"] for each in held):
            call = yield do(
                "request_callback",
                patient_id=facts["patient_id"],
                practitioner_id=practitioner_id,
                topic="allergy",
                day=facts["day"],
            )
            text, names = f"{text} {call['practitioner']} will call you.", (*names, call["practitioner"])
    return Reply(text, names)


def _another_allergen(world: World, rng: Random, facts: Facts) -> Facts:
    return {"other_allergen": pick(rng, [each for each in ALLERGENS if each != facts["allergen"]])}


def _draw_call(world: World, rng: Random) -> Facts:
    return {**draw_ingredient(world, rng), "day": weekday(rng)}


def _call_prescriber(facts: Facts) -> Solution:
    prescription = yield from own_prescription(facts)
    if facts.get("only_if_used_up") and prescription["refills_left"] > 0:
        first, name = prescription["next_fill_from"], prescription["medication"]
        return Reply(f"No call is needed: {name} still has refills, the next from {first}.", (name, first))
    call = yield do(
        "request_callback",
        patient_id=facts["patient_id"],
        practitioner_id=prescription["practitioner_id"],
        topic="medication",
        day=facts["day"],
    )
    return Reply(f"{call['practitioner']} will call you on {call['day']}.", (call["practitioner"],))


def _budget(world: World, rng: Random, facts: Facts) -> Facts:
    return {"budget": money(rng, 3, 9) * facts["packs"]}


MEDICINES = (
    WORDS.program(
        "buy_without_prescription",
        _draw_purchase,
        _buy,
        (
            WORDS.twist("tablets", "constraint", sets={"form": "tablet"}),
            WORDS.twist("no warnings at all", "constraint", sets={"no_warnings": True}),
            WORDS.twist("within a budget", "condition", _budget),
            WORDS.twist("another pickup day", "change_of_mind", another_day("pickup_on")),
        ),
    ),
    WORDS.program(
        "check_ingredient",
        _draw_check,
        _check,
        (
            WORDS.twist("and buy it", "condition", _draw_packs),
            COLLEAGUE,
        ),
    ),
    WORDS.program(
        "report_allergy",
        _draw_allergy,
        _report_allergy,
        (
            WORDS.twist("have the prescriber call", "condition", another_day("day")),
            WORDS.twist("another allergen", "entities", _another_allergen),
            WORDS.twist("the ambulance", "distractor"),
        ),
    ),
    WORDS.program(
        "call_prescriber",
        _draw_call,
        _call_prescriber,
        (
            WORDS.twist("another day", "change_of_mind", another_day("day")),
            WORDS.twist("only if used up", "condition", sets={"only_if_used_up": True}),
        ),
    ),
)
