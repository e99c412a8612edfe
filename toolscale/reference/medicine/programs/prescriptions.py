"""Programs about prescriptions: fill, switch, add up."""

from random import Random

from toolscale.reference.kit import known, must, one_of
from toolscale.reference.medicine.programs.shared import Errand, amount, money
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)

COLLECTIONS = ("clinic pharmacy", "home delivery")


def _active(world: World, rng: Random) -> Record:
    return pick(rng, [row for row in world.rows("prescriptions") if row["status"] == "active"])


def _product(world: World, prescription: Record) -> Record:
    return known(world, "medications", prescription["medication_id"])


def _refill_those(prescription_ids: list[str], facts: Facts) -> Errand:
    """Fill whatever of these may be filled today and is not too dear: what was filled, with its price."""
    filled: list[Record] = []
    for prescription_id in prescription_ids:
        prescription = yield do("get_prescription", prescription_id=prescription_id)
        if prescription["fillable_today"] and prescription["fill_price"] <= facts.get("max_price", 10_000):
            filled.append(
                (yield do("refill_prescription", prescription_id=prescription_id, collection=facts["collection"]))
            )
    must(filled, "nothing can be filled today")
    return filled


def _refill_total(prescription_ids: list[str], facts: Facts) -> Solution:
    filled = yield from _refill_those(prescription_ids, facts)
    total = f"{sum(each['price'] for each in filled):.2f}"
    names = ", ".join(each["medication"] for each in filled)
    return Reply(f"I had {names} filled ({facts['collection']}), {total} euros altogether.", (total,))


def _draw_refill(world: World, rng: Random) -> Facts:
    prescription = _active(world, rng)
    return {
        "patient_id": prescription["patient_id"],
        "prescription_id": prescription["prescription_id"],
        "collection": pick(rng, COLLECTIONS),
    }


def _refill(facts: Facts) -> Solution:
    chosen = [facts["prescription_id"], facts.get("other_prescription_id")]
    filled = yield from _refill_those([each for each in chosen if each], facts)
    names, prices = [each["medication"] for each in filled], [f"{each['price']:.2f}" for each in filled]
    listed = ", ".join(f"{name} for {price} euros" for name, price in zip(names, prices, strict=True))
    return Reply(f"Filled ({facts['collection']}): {listed}.", tuple(dict.fromkeys([*names, *prices])))


def _another_prescription(world: World, rng: Random, facts: Facts) -> Facts:
    others = [
        row["prescription_id"]
        for row in world.rows("prescriptions")
        if row["patient_id"] == facts["patient_id"] and row["prescription_id"] != facts["prescription_id"]
    ]
    return {"other_prescription_id": pick(rng, others)}


def _draw_refill_for(world: World, rng: Random) -> Facts:
    prescription = _active(world, rng)
    return {
        "patient_id": prescription["patient_id"],
        "condition": pick(rng, _product(world, prescription)["treats"]),
        "collection": pick(rng, COLLECTIONS),
    }


def _refill_for(facts: Facts) -> Solution:
    prescriptions = yield do("list_prescriptions", patient_id=facts["patient_id"], status="active")
    chosen = [each["prescription_id"] for each in prescriptions if facts["condition"] in each["treats"]]
    return (yield from _refill_total(chosen, facts))


def _draw_refill_all(world: World, rng: Random) -> Facts:
    return {"patient_id": _active(world, rng)["patient_id"], "collection": pick(rng, COLLECTIONS)}


def _refill_all(facts: Facts) -> Solution:
    prescriptions = yield do("list_prescriptions", patient_id=facts["patient_id"], status="active")
    return (yield from _refill_total([each["prescription_id"] for each in prescriptions], facts))


def _draw_own_prescription(world: World, rng: Random) -> Facts:
    prescription = _active(world, rng)
    return {"patient_id": prescription["patient_id"], "prescription_id": prescription["prescription_id"]}


def _switch_to_cheapest(facts: Facts) -> Solution:
    prescription = yield do("get_prescription", prescription_id=facts["prescription_id"])
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
    saving = prescription["pack_price"] - product["price"]
    if saving < facts.get("min_saving", 0):
        text = f"I left it as it is: {product['name']} would save only {saving:.2f} euros a pack."
        return Reply(text, (product["name"], f"{saving:.2f}"))
    yield do("substitute_medication", prescription_id=facts["prescription_id"], medication_id=product["medication_id"])
    text = f"You now get {product['name']} and save {saving:.2f} euros a pack."
    return Reply(text, (product["name"], f"{saving:.2f}"))


def draw_ingredient(world: World, rng: Random) -> Facts:
    """An ingredient that somebody takes."""
    prescription = _active(world, rng)
    return {"patient_id": prescription["patient_id"], "ingredient": _product(world, prescription)["ingredient"]}


def own_prescription(facts: Facts) -> Errand:
    """The user's active prescription of an ingredient, in full."""
    prescriptions = yield do("list_prescriptions", patient_id=facts["patient_id"], status="active")
    chosen = yield choose(
        [each for each in prescriptions if each["ingredient"] == facts["ingredient"]],
        key=lambda each: each["ingredient"],
    )
    return (yield do("get_prescription", prescription_id=chosen["prescription_id"]))


def _when_to_refill(facts: Facts) -> Solution:
    prescription = yield from own_prescription(facts)
    first, price = prescription["next_fill_from"], f"{prescription['fill_price']:.2f}"
    if prescription["status"] != "active" or not prescription["refills_left"]:
        raise DeadEnd("it cannot be filled at all")
    if prescription["fillable_today"] and facts.get("collection"):
        filled = yield do(
            "refill_prescription", prescription_id=prescription["prescription_id"], collection=facts["collection"]
        )
        return Reply(f"It was due since {first}; I had it filled for {filled['price']:.2f} euros.", (first, price))
    return Reply(f"It can be filled from {first}; that will cost {price} euros.", (first, price))


def _cost_of_all(facts: Facts) -> Solution:
    prescriptions = yield do("list_prescriptions", patient_id=facts["patient_id"], status="active")
    found = []
    for each in prescriptions:
        found.append((yield do("get_prescription", prescription_id=each["prescription_id"])))
    must(len(found) >= 2, "nothing to add up")
    total = f"{sum(each['fill_price'] for each in found):.2f}"
    if facts.get("dearest_too"):
        dearest = yield choose(found, key=lambda each: -each["fill_price"])
        text = f"Filling everything once costs {total} euros; the dearest is {dearest['medication']}."
        return Reply(text, (total, dearest["medication"]))
    return Reply(f"Filling everything once costs {total} euros.", (total,))


def _low_price(world: World, rng: Random, facts: Facts) -> Facts:
    return {"max_price": money(rng, 8, 25)}


OTHER_COLLECTION = WORDS.twist("collected otherwise", "change_of_mind", one_of("collection", *COLLECTIONS))
NOT_TOO_DEAR = WORDS.twist("nothing dear", "condition", _low_price)
COLLEAGUE = WORDS.twist("a colleague's powder", "distractor")

PRESCRIPTIONS = (
    WORDS.program(
        "refill_prescription",
        _draw_refill,
        _refill,
        (
            OTHER_COLLECTION,
            COLLEAGUE,
            WORDS.twist("another one too", "entities", _another_prescription),
        ),
    ),
    WORDS.program("refill_for_condition", _draw_refill_for, _refill_for, (OTHER_COLLECTION, NOT_TOO_DEAR, COLLEAGUE)),
    WORDS.program("refill_everything_due", _draw_refill_all, _refill_all, (OTHER_COLLECTION, NOT_TOO_DEAR, COLLEAGUE)),
    WORDS.program(
        "switch_to_cheapest",
        _draw_own_prescription,
        _switch_to_cheapest,
        (
            WORDS.twist("without lactose", "constraint", sets={"without": "lactose"}),
            WORDS.twist("worth the while", "condition", amount(1, 9, "min_saving")),
            WORDS.twist("the colour", "distractor"),
        ),
    ),
    WORDS.program(
        "when_to_refill",
        draw_ingredient,
        _when_to_refill,
        (
            WORDS.twist("and do it if due", "condition", one_of("collection", *COLLECTIONS)),
            COLLEAGUE,
        ),
    ),
    WORDS.program(
        "cost_of_all_prescriptions",
        _draw_refill_all,
        _cost_of_all,
        (
            WORDS.twist("the dearest", "lookup", sets={"dearest_too": True}),
            COLLEAGUE,
        ),
    ),
)
