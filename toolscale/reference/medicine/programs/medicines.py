"""Programs about products without prescription, allergies, and questions to the prescriber."""

from random import Random
from typing import Any

from toolscale.reference.medicine.programs.prescriptions import COLLEAGUE, draw_ingredient, own_prescription
from toolscale.reference.medicine.programs.shared import (
    a_patient,
    another_day,
    money,
    remark,
    says,
    twist,
    weekday,
)
from toolscale.reference.medicine.schema import ALLERGENS, REACTIONS
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, World, choose, do, pick

KNOWN_INGREDIENTS = ("ibuprofen", "paracetamol", "cetirizine", "pantoprazole", "diclofenac", "fluconazole",
                     "St John's wort", "acetylsalicylic acid", "ferrous sulfate", "fexofenadine")  # fmt: skip
COMPLAINTS = ("pain", "hay fever", "acid reflux", "migraine", "eczema", "iron deficiency", "fungal infection")


def _draw_purchase(world: World, rng: Random) -> Facts:
    return {
        "patient_id": a_patient(world, rng)["patient_id"], "complaint": pick(rng, COMPLAINTS),
        "packs": 2, "pickup_on": weekday(rng, 1, 12),
    }  # fmt: skip


def _buy(facts: Facts) -> Policy:
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
        "order_medication", patient_id=facts["patient_id"], medication_id=chosen["medication_id"],
        packs=facts["packs"], pickup_on=facts["pickup_on"],
    )  # fmt: skip
    text = f"{chosen['name']} is set aside for you, {order['total']:.2f} euros."
    return Reply(text, (chosen["name"], f"{order['total']:.2f}"))


def _draw_check(world: World, rng: Random) -> Facts:
    return {"patient_id": a_patient(world, rng)["patient_id"], "ingredient": pick(rng, KNOWN_INGREDIENTS)}


def _check(facts: Facts) -> Policy:
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
            "order_medication", patient_id=facts["patient_id"], medication_id=product["medication_id"],
            packs=facts["packs"], pickup_on=facts["pickup_on"],
        )  # fmt: skip
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


def _report_allergy(facts: Facts) -> Policy:
    held: list[dict[str, Any]] = []
    allergens = [each for each in (facts["allergen"], facts.get("other_allergen")) if each]
    for allergen in allergens:
        noted = yield do(
            "record_allergy", patient_id=facts["patient_id"], allergen=allergen, reaction=facts["reaction"]
        )
        held += noted["put_on_hold"]
    if not held:
        raise DeadEnd("none of the current prescriptions is affected")
    names = tuple(each["medication"] for each in held)
    text = f"The allergy is on file, and I put these on hold: {', '.join(names)}."
    if "day" in facts:
        for practitioner_id in dict.fromkeys(each["practitioner_id"] for each in held):
            call = yield do(
                "request_callback", patient_id=facts["patient_id"], practitioner_id=practitioner_id, topic="allergy",
                day=facts["day"],
            )  # fmt: skip
            text, names = f"{text} {call['practitioner']} will call you.", (*names, call["practitioner"])
    return Reply(text, names)


def _another_allergen(world: World, rng: Random, facts: Facts) -> Facts:
    return {"other_allergen": pick(rng, [each for each in ALLERGENS if each != facts["allergen"]])}


def _draw_call(world: World, rng: Random) -> Facts:
    return {**draw_ingredient(world, rng), "day": weekday(rng)}


def _call_prescriber(facts: Facts) -> Policy:
    prescription = yield from own_prescription(facts)
    if facts.get("only_if_used_up") and prescription["refills_left"] > 0:
        first, name = prescription["next_fill_from"], prescription["medication"]
        return Reply(f"No call is needed: {name} still has refills, the next from {first}.", (name, first))
    call = yield do(
        "request_callback", patient_id=facts["patient_id"], practitioner_id=prescription["practitioner_id"],
        topic="medication", day=facts["day"],
    )  # fmt: skip
    return Reply(f"{call['practitioner']} will call you on {call['day']}.", (call["practitioner"],))


def _budget(world: World, rng: Random, facts: Facts) -> Facts:
    return {"budget": money(rng, 3, 9) * facts["packs"]}


MEDICINES = (
    Program(
        "buy_without_prescription",
        "Buy the cheapest suitable product for a complaint without a prescription",
        says(
            "I need something for {complaint} without a prescription: {packs:count} packs of the cheapest that suits "
            "me, to be picked up on {pickup_on:date}.",
            "otc for {complaint}, cheapest that's safe for me, {packs:count} packs, pickup {pickup_on:date}.",
            "It's {complaint} again and I don't want to bother the doctor, so [could you|would you|can you] check "
            "what's safe for me, take {packs:count} packs of the cheapest, and I'll pop by on {pickup_on:date}?",
            "Please set aside, for collection on {pickup_on:date}, the least expensive non-prescription product for "
            "{complaint} that is safe in my case, {packs:count} packs.",
            "something for {complaint}, no prescription, cheapest that i can take, {packs:count} packs, i come "
            "{pickup_on:date}!",
            non_native="I want something against {complaint} without prescription, the most cheap which is good for "
            "me, {packs:count} packs, I come to take it on {pickup_on:date}.",
            confused="For {complaint} one does not need a prescription, does one? Then the cheapest that suits me, "
            "{packs:count} packs, and I come for it on {pickup_on:date}.",
        ),
        _draw_purchase,
        _buy,
        (
            twist("tablets", "constraint", says(
                "I only want tablets.",
                "tablets only.",
                "I can't stand syrups and capsules, so tablets it is.",
                "Only tablets are acceptable.",
            ), form="tablet"),
            twist("no warnings at all", "constraint", says(
                "Nothing with even a moderate interaction with what I take already, please.",
                "no interactions at all, not even moderate.",
                "My last pharmacist scared me, so please nothing that shows any warning at all with my other "
                "medicines.",
                "Products with any documented interaction with my medication, however moderate, are to be excluded.",
            ), no_warnings=True),
            twist("within a budget", "condition", says(
                "If that comes to more than {budget:money} euros, order nothing and tell me the price.",
                "over {budget:money} total? don't order, tell me the price.",
                "I only have {budget:money} euros left in my purse, so if it's more than that don't order and let "
                "me know how much it would have been.",
                "Should the total exceed EUR {budget:money}, place no order and state the total.",
            ), _budget),
            twist("another pickup day", "change_of_mind", says(
                "Sorry, I can only come on {pickup_on:date}.",
                "pickup {pickup_on:date} instead.",
                "Ah no, that's when the plumber comes, I'll fetch it on {pickup_on:date} then.",
                "I have to change the day of collection to {pickup_on:date}.",
            ), another_day("pickup_on")),
        ),
    ),
    Program(
        "check_ingredient",
        "Find out whether a product without prescription is safe for oneself",
        says(
            "May I take {ingredient}? Please check the cheapest product without prescription: what speaks against "
            "it, or else how much a day is the most?",
            "is {ingredient} (cheapest otc product) safe for me? what's against it, or max daily dose?",
            "My cousin suggested {ingredient}, so [could you|would you|can you] look at the cheapest one sold without "
            "prescription and tell me what speaks against it for me, or if nothing does, how much I may have in a day?",
            "[Please|Kindly] verify whether the least expensive non-prescription product with {ingredient} is "
            "admissible for me, stating any objections or, in their absence, the maximum daily dose.",
            "can i take {ingredient}, cheapest otc one? why not, or how much max a day?",
            non_native="It is allowed for me to take {ingredient}, the most cheap one without prescription? What is "
            "against it, or how much is maximum for one day?",
            confused="Can I take {ingredient} at all? I mean the cheapest one without prescription: is there anything "
            "against it, or else how much a day at most?",
        ),
        _draw_check,
        _check,
        (
            twist("and buy it", "condition", says(
                "If nothing speaks against it, set {packs:count} packs aside for me; I come on "
                "{pickup_on:date}.",
                "if ok: {packs:count} packs, pickup {pickup_on:date}.",
                "And if it's fine for me, I'd like {packs:count} packs, and I'd come round on {pickup_on:date}.",
                "In the absence of objections, please reserve {packs:count} packs for {pickup_on:date}.",
            ), _draw_packs),
            COLLEAGUE,
        ),
    ),
    Program(
        "report_allergy",
        "Have an allergy put on file and learn what it stops",
        says(
            "I had an allergic reaction ({reaction}) to {allergen}. Please put it on file and tell me which of my "
            "medicines that affects.",
            "new allergy: {allergen}, reaction: {reaction}. record it, tell me which meds are hit.",
            "You won't believe what happened, it ended in {reaction}, all because of {allergen}, the doctor says it's "
            "a real allergy, so please note it down and tell me whether any of my medicines are affected!",
            "I wish to report an allergy to {allergen}, which manifested itself as {reaction}; please record it and "
            "name the prescriptions concerned.",
            "allergic to {allergen} apparently, {reaction} yesterday, put it on my file, which meds does that hit?",
            "I have the allergy for {allergen}, it made me {reaction}. Please write it and say which medicine of me "
            "has it.",
            confused="It seems that {allergen} gives me {reaction}, so that is an allergy, is it not? Please note it, "
            "and which of my medicines have that in them?",
        ),
        _draw_allergy,
        _report_allergy,
        (
            twist("have the prescriber call", "condition", says(
                "If that stops a prescription, have the doctor who prescribed it call me about the allergy on "
                "{day:date}.",
                "if a prescription is stopped, prescriber calls me on {day:date} about it.",
                "And if I have to stop something because of it, could whoever prescribed that ring me about the "
                "allergy on {day:date}?",
                "Should a prescription be suspended thereby, kindly have its prescriber telephone me about the "
                "allergy on {day:date}.",
            ), another_day("day")),
            twist("another allergen", "entities", says(
                "The same happened with {other_allergen}.",
                "{other_allergen} too, same reaction.",
                "And would you believe it, exactly the same thing with {other_allergen}.",
                "The same reaction occurred with {other_allergen}.",
            ), _another_allergen),
            remark(
                "the ambulance",
                "The paramedics were very kind, by the way.",
                "all fine again now.",
                "And the paramedic who came had the loveliest dog in the van, can you imagine.",
            ),
        ),
    ),
    Program(
        "call_prescriber",
        "Have the doctor who prescribed a medicine call back",
        says(
            "I have questions about my {ingredient}. Please have the doctor who prescribed it call me on {day:date} "
            "and tell me who that is.",
            "re my {ingredient}: prescriber should call me {day:date}. who is it?",
            "I've been wondering about my {ingredient}, could the doctor who put me on it ring me on {day:date}, "
            "and what was the name again?",
            "[Kindly|Please|I ask you to] arrange for the prescriber of my {ingredient} to telephone me on {day:date} "
            "and name that physician.",
            "need a call {day:date} from whoever prescribed my {ingredient}, and their name?",
            non_native="I have question about my {ingredient}. The doctor who wrote it please calls me on {day:date}; "
            "what is the name?",
            confused="I do not understand my {ingredient} any more; could the doctor who prescribed it call me on "
            "{day:date}, and who was that?",
        ),
        _draw_call,
        _call_prescriber,
        (
            twist("another day", "change_of_mind", says(
                "No, that day is bad; {day:date} is better.",
                "make it {day:date}.",
                "Oh no, that's the choir rehearsal, so rather {day:date}, please.",
                "I must ask for a different day: {day:date}.",
            ), another_day("day")),
            twist("only if used up", "condition", says(
                "Only if there is no refill left; otherwise just tell me the first day of the next filling "
                "(YYYY-MM-DD).",
                "only if 0 refills left, else tell me next fill date (YYYY-MM-DD).",
                "But if there are refills left we needn't trouble the doctor, and you can just tell me the first "
                "day for the next one as YYYY-MM-DD.",
                "This applies only if no refills remain; otherwise state the first date (YYYY-MM-DD) of the next "
                "filling.",
            ), only_if_used_up=True),
        ),
        unknown="I do not know the number of the prescription.",
    ),
)  # fmt: skip
