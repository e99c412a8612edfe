"""Programs about a medicine that take several steps: fill or have a call, switch and fill."""

from random import Random

from toolscale.reference.kit import known, must, one_of
from toolscale.reference.medicine.programs.shared import another_day, money, weekday
from toolscale.reference.program import Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)

COLLECTIONS = ("clinic pharmacy", "home delivery")


def _draw_refill_or_call(world: World, rng: Random) -> Facts:
    prescription = pick(rng, [row for row in world.rows("prescriptions") if row["status"] == "active"])
    product = known(world, "medications", prescription["medication_id"])
    return {
        "patient_id": prescription["patient_id"],
        "ingredient": product["ingredient"],
        "collection": pick(rng, COLLECTIONS),
        "day": weekday(rng),
    }


def _refill_or_call(facts: Facts) -> Solution:
    prescriptions = yield do("list_prescriptions", patient_id=facts["patient_id"], status="active")
    own = yield choose(
        [each for each in prescriptions if each["ingredient"] == facts["ingredient"]],
        key=lambda each: each["ingredient"],
    )
    details = yield do("get_prescription", prescription_id=own["prescription_id"])
    name, price = details["medication"], f"{details['fill_price']:.2f}"
    if details["fillable_today"]:
        yield do("refill_prescription", prescription_id=own["prescription_id"], collection=facts["collection"])
        return Reply(f"{name} is filled ({facts['collection']}) for {price} euros.", (name, price))
    call = yield do(
        "request_callback",
        patient_id=facts["patient_id"],
        practitioner_id=details["practitioner_id"],
        topic="medication",
        day=facts["day"],
    )
    text = f"{name} cannot be filled today; {call['practitioner']} will call you on {facts['day']}."
    return Reply(text, (name, call["practitioner"]))


OTHER_CALL_DAY = WORDS.twist("another day for the call", "change_of_mind", another_day("day"))

REFILL_OR_CALL = WORDS.program(
    "refill_or_call",
    _draw_refill_or_call,
    _refill_or_call,
    (
        OTHER_CALL_DAY,
        WORDS.twist("collected in another way", "change_of_mind", one_of("collection", *COLLECTIONS)),
    ),
)


def _draw_switch(world: World, rng: Random) -> Facts:
    found: list[Record] = []
    for row in world.rows("prescriptions"):
        if row["status"] == "active" and row["refills_left"]:
            found.append(row)
    prescription = pick(rng, found)
    return {
        "patient_id": prescription["patient_id"],
        "prescription_id": prescription["prescription_id"],
        "collection": pick(rng, COLLECTIONS),
    }


def _switch_and_fill(facts: Facts) -> Solution:
    prescription = yield do("get_prescription", prescription_id=facts["prescription_id"])
    must(prescription["fillable_today"], "it cannot be filled today")
    products = yield do("find_medications", ingredient=prescription["ingredient"], form=prescription["form"])
    patient = yield do("get_patient", patient_id=facts["patient_id"])
    avoided = {allergy["allergen"] for allergy in patient["allergies"]} | {facts.get("without")}
    product = yield choose(
        [
            each
            for each in products
            if each["strength"] == prescription["strength"]
            and each["price"] < prescription["pack_price"]
            and not avoided & set(each["allergens"])
        ],
        key=lambda each: each["price"],
    )
    saving = round(prescription["pack_price"] - product["price"], 2)
    if saving < facts.get("least_saving", 0):
        kept = f"{saving:.2f}"
        text = f"I left everything: {product['name']} would save only {kept} euros a pack."
        return Reply(text, (product["name"], kept))
    yield do("substitute_medication", prescription_id=facts["prescription_id"], medication_id=product["medication_id"])
    filled = yield do("refill_prescription", prescription_id=facts["prescription_id"], collection=facts["collection"])
    price = f"{filled['price']:.2f}"
    return Reply(f"It is {product['name']} now, filled for {price} euros.", (product["name"], price))


SWITCH_AND_FILL = WORDS.program(
    "switch_and_fill",
    _draw_switch,
    _switch_and_fill,
    (
        WORDS.twist("lactose is a problem", "constraint", sets={"without": "lactose"}),
        WORDS.twist("a real saving", "condition", lambda world, rng, facts: {"least_saving": money(rng, 0.5, 4)}),
    ),
    again="prescription_id",
)

REFILLING = (REFILL_OR_CALL, SWITCH_AND_FILL)
