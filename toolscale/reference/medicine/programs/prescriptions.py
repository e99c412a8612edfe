"""Programs about prescriptions: fill, switch, add up."""

from random import Random

from toolscale.reference.medicine.programs.shared import (
    Errand,
    amount,
    another,
    money,
    remark,
    says,
    twist,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, choose, do, pick

COLLECTIONS = ("clinic pharmacy", "home delivery")


def _active(world: World, rng: Random) -> Record:
    return pick(rng, [row for row in world.rows("prescriptions") if row["status"] == "active"])


def _product(world: World, prescription: Record) -> Record:
    product = world.get("medications", prescription["medication_id"])
    if product is None:
        raise DeadEnd("the product is out of sight")
    return product


def _refill_those(prescription_ids: list[str], facts: Facts) -> Errand:
    """Fill whatever of these may be filled today and is not too dear: what was filled, with its price."""
    filled: list[Record] = []
    for prescription_id in prescription_ids:
        prescription = yield do("get_prescription", prescription_id=prescription_id)
        if prescription["fillable_today"] and prescription["fill_price"] <= facts.get("max_price", 10_000):
            filled.append(
                (yield do("refill_prescription", prescription_id=prescription_id, collection=facts["collection"]))
            )
    if not filled:
        raise DeadEnd("nothing can be filled today")
    return filled


def _refill_total(prescription_ids: list[str], facts: Facts) -> Policy:
    filled = yield from _refill_those(prescription_ids, facts)
    total = f"{sum(each['price'] for each in filled):.2f}"
    names = ", ".join(each["medication"] for each in filled)
    return Reply(f"I had {names} filled ({facts['collection']}), {total} euros altogether.", (total,))


def _draw_refill(world: World, rng: Random) -> Facts:
    prescription = _active(world, rng)
    return {
        "patient_id": prescription["patient_id"], "prescription_id": prescription["prescription_id"],
        "collection": pick(rng, COLLECTIONS),
    }  # fmt: skip


def _refill(facts: Facts) -> Policy:
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
        "patient_id": prescription["patient_id"], "condition": pick(rng, _product(world, prescription)["treats"]),
        "collection": pick(rng, COLLECTIONS),
    }  # fmt: skip


def _refill_for(facts: Facts) -> Policy:
    prescriptions = yield do("list_prescriptions", patient_id=facts["patient_id"], status="active")
    chosen = [each["prescription_id"] for each in prescriptions if facts["condition"] in each["treats"]]
    return (yield from _refill_total(chosen, facts))


def _draw_refill_all(world: World, rng: Random) -> Facts:
    return {"patient_id": _active(world, rng)["patient_id"], "collection": pick(rng, COLLECTIONS)}


def _refill_all(facts: Facts) -> Policy:
    prescriptions = yield do("list_prescriptions", patient_id=facts["patient_id"], status="active")
    return (yield from _refill_total([each["prescription_id"] for each in prescriptions], facts))


def _draw_own_prescription(world: World, rng: Random) -> Facts:
    prescription = _active(world, rng)
    return {"patient_id": prescription["patient_id"], "prescription_id": prescription["prescription_id"]}


def _switch_to_cheapest(facts: Facts) -> Policy:
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


def _when_to_refill(facts: Facts) -> Policy:
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


def _cost_of_all(facts: Facts) -> Policy:
    prescriptions = yield do("list_prescriptions", patient_id=facts["patient_id"], status="active")
    found = []
    for each in prescriptions:
        found.append((yield do("get_prescription", prescription_id=each["prescription_id"])))
    if len(found) < 2:
        raise DeadEnd("nothing to add up")
    total = f"{sum(each['fill_price'] for each in found):.2f}"
    if facts.get("dearest_too"):
        dearest = yield choose(found, key=lambda each: -each["fill_price"])
        text = f"Filling everything once costs {total} euros; the dearest is {dearest['medication']}."
        return Reply(text, (total, dearest["medication"]))
    return Reply(f"Filling everything once costs {total} euros.", (total,))


def _low_price(world: World, rng: Random, facts: Facts) -> Facts:
    return {"max_price": money(rng, 8, 25)}


OTHER_COLLECTION = twist("collected otherwise", "change_of_mind", says(
    "No, wait, I would rather have it by this way: {collection}.",
    "actually: {collection}.",
    "Oh, on second thoughts, let's do {collection}, that suits me better.",
    "I wish to amend the manner of collection to: {collection}.",
), another("collection", COLLECTIONS))  # fmt: skip
NOT_TOO_DEAR = twist("nothing dear", "condition", says(
    "Leave out whatever costs more than {max_price:money} euros to fill.",
    "skip anything over {max_price:money}.",
    "It's the end of the month, so whatever costs above {max_price:money} euros will have to wait.",
    "Any filling priced above EUR {max_price:money} is to be omitted.",
), _low_price)  # fmt: skip
COLLEAGUE = remark(
    "a colleague's powder",
    "A colleague gave me some herbal powder, but I threw it away.",
    "not taking anything herbal btw.",
    "My colleague keeps pushing her magic mushroom tea on me, which I politely pour down the sink.",
)

PRESCRIPTIONS = (
    Program(
        "refill_prescription",
        "Have a prescription filled again",
        says(
            "[Please|I would like you to|Be so kind as to] have {prescription_id} filled again, by {collection}, and "
            "tell me what it is and what it costs.",
            "refill {prescription_id}, {collection}. name and price?",
            "I'm nearly through with {prescription_id}, [could you|would you|can you] get it filled again "
            "({collection} if you would) and remind me what it's called and what I owe?",
            "[Kindly|Please|I ask you to] arrange for {prescription_id} to be dispensed anew via {collection}, and "
            "state product and price.",
            "running out of {prescription_id}, refill via {collection} pls, what is it and how much?",
            "I need again {prescription_id}, with {collection}, how is the name and the price?",
            confused="I believe {prescription_id} is used up, or nearly: please fill it again, by {collection}, and "
            "what was it called, and what does it cost?",
        ),
        _draw_refill,
        _refill,
        (
            OTHER_COLLECTION,
            COLLEAGUE,
            twist("another one too", "entities", says(
                "[Please|I would like you to|Be so kind as to] do the same with {other_prescription_id}, if it may be "
                "filled yet.",
                "{other_prescription_id} as well, if due.",
                "And as I'm at it, {other_prescription_id} too, provided it isn't too soon for that one.",
                "[Please|Kindly] proceed likewise with {other_prescription_id}, if it can be dispensed today.",
            ), _another_prescription),
        ),
    ),
    Program(
        "refill_for_condition",
        "Have whatever one takes for a certain condition filled again",
        says(
            "[Please|I would like you to|Be so kind as to] refill what I take for {condition}, as far as it is due; I "
            "want it by {collection}. Tell me the total.",
            "refill my {condition} meds that are due, {collection}, total?",
            "I take something for {condition} but never remember the name; whatever of it is due, please refill it "
            "({collection}) and tell me what that costs in total.",
            "Please have dispensed, via {collection}, all due medication prescribed to me for {condition}, stating "
            "the total.",
            "need my {condition} stuff refilled if it's due, {collection}, how much in total?",
            "Please refill my medicine for {condition} if it is the time, with {collection}, and say the price in "
            "total.",
            confused="I take something for {condition}, whatever it is called: could all of it that is due be filled, "
            "by {collection}, and what does that make together?",
        ),
        _draw_refill_for,
        _refill_for,
        (OTHER_COLLECTION, NOT_TOO_DEAR, COLLEAGUE),
        unknown="I do not know the numbers of my prescriptions.",
    ),
    Program(
        "refill_everything_due",
        "Have everything filled that is due",
        says(
            "[Please|I would like you to|Be so kind as to] refill every prescription of mine that may be filled today, "
            "by {collection}, and tell me the total.",
            "refill everything that's due, {collection}, total?",
            "I'm off on a long trip soon, so let's refill all that I'm allowed to today ({collection} is best) and "
            "tell me the damage!",
            "[Please|Kindly] dispense each of my prescriptions that is eligible today, via {collection}, and state the "
            "total price.",
            "refill all i can get today via {collection}, what's the total?",
            non_native="Please fill all my prescriptions which are possible today, with {collection}, and say how much "
            "in total.",
            confused="I no longer know what I may have already: please fill all that can be filled today, by "
            "{collection}, and what is that altogether?",
        ),
        _draw_refill_all,
        _refill_all,
        (OTHER_COLLECTION, NOT_TOO_DEAR, COLLEAGUE),
        unknown="I do not know which of them are due.",
    ),
    Program(
        "switch_to_cheapest",
        "Switch a prescription to the cheapest equivalent product",
        says(
            "[Please|I would like you to|Be so kind as to] switch {prescription_id} to the cheapest equivalent that I "
            "tolerate, and tell me what I save a pack.",
            "switch {prescription_id} to cheapest equivalent i'm not allergic to. saving per pack?",
            "I hear there are cheaper brands of the very same thing: could {prescription_id} be changed to the "
            "cheapest that agrees with my allergies, and what would I save on each pack?",
            "I request substitution of {prescription_id} by the least expensive equivalent compatible "
            "with my allergies, and the saving per pack.",
            "swap {prescription_id} for the cheapest same-thing i can take, how much do i save?",
            non_native="Please change {prescription_id} to the most cheap same medicine which is ok with my allergies, "
            "and how much I save for one pack?",
            confused="Is {prescription_id} the dear one? Somebody said there are cheaper ones just like it, so make it "
            "the cheapest that my allergies allow, and what do I save on a pack?",
        ),
        _draw_own_prescription,
        _switch_to_cheapest,
        (
            twist("without lactose", "constraint", says(
                "It must not contain lactose.",
                "no lactose.",
                "My tummy has been funny with milk sugar lately, so nothing with lactose, please.",
                "Products containing lactose are to be excluded.",
            ), without="lactose"),
            twist("worth the while", "condition", says(
                "If it saves less than {min_saving:money} euros a pack, leave it and tell me which one it would "
                "have been.",
                "leave it if it saves under {min_saving:money}, just tell me which.",
                "It's not worth the bother for less than {min_saving:money} euros a pack, so in that case leave "
                "things be and just tell me which brand you found.",
                "Should the saving fall short of EUR {min_saving:money} per pack, make no change and name the "
                "product.",
            ), amount(1, 9, "min_saving")),
            remark(
                "the colour",
                "The colour of the tablets does not matter to me.",
                "any colour.",
                "My last ones were pink, but I honestly don't mind what they look like.",
            ),
        ),
    ),
    Program(
        "when_to_refill",
        "Learn from when a medicine may be filled again and what that costs",
        says(
            "From or since which day (YYYY-MM-DD) may my {ingredient} be filled again, and what will it cost?",
            "my {ingredient}: next refill from or since what day (YYYY-MM-DD), price?",
            "I always lose track, so from or since what date (YYYY-MM-DD, I put it in a spreadsheet) can I get more "
            "{ingredient}, and how much will they want for it?",
            "[Please|Kindly] state the first date (YYYY-MM-DD), even if it has passed, on which my {ingredient} may be "
            "dispensed again, and the price.",
            "since when or from when can i refill {ingredient} (the day as YYYY-MM-DD) and how much?",
            non_native="From what day or since what day (YYYY-MM-DD) I can have again my {ingredient}, and how much it "
            "costs?",
            confused="When may I have more {ingredient}, from which day I mean, or since which (as YYYY-MM-DD, for my "
            "list), and what will that cost?",
        ),
        draw_ingredient,
        _when_to_refill,
        (
            twist("and do it if due", "condition", says(
                "If it is due already, have it filled right away by {collection}.",
                "if due, fill it, {collection}.",
                "Oh, and if that day is past already, just get it filled for me, {collection} please.",
                "Should it be eligible already, please have it dispensed at once via {collection}.",
            ), another("collection", COLLECTIONS)),
            COLLEAGUE,
        ),
    ),
    Program(
        "cost_of_all_prescriptions",
        "Add up what filling all current prescriptions costs",
        says(
            "How much does it cost to fill all of my active prescriptions once?",
            "total to fill all my active prescriptions once?",
            "I'm doing my household accounts, what do all my current prescriptions come to if each is filled one "
            "time?",
            "[Please|Kindly] state the total price of dispensing each of my active prescriptions once.",
            "all my active prescriptions filled once, what's that in euros?",
            "How much money is it, one time all my active prescriptions?",
            confused="If I had everything filled once that I take at present, all the active ones, what would that "
            "make in all?",
        ),
        _draw_refill_all,
        _cost_of_all,
        (
            twist("the dearest", "lookup", says(
                "I would also like to know which of them is the dearest to fill.",
                "which is the priciest?",
                "And which one's the culprit, the dearest of the lot?",
                "[Please|Kindly] name the most expensive filling as well.",
            ), dearest_too=True),
            COLLEAGUE,
        ),
    ),
)  # fmt: skip
