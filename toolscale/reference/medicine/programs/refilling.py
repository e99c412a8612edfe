"""Programs about a medicine that take several steps: fill or have a call, switch and fill."""

from random import Random

from toolscale.reference.medicine.programs.shared import another, another_day, known, money, says, twist, weekday
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, choose, do, pick

COLLECTIONS = ("clinic pharmacy", "home delivery")


def _draw_refill_or_call(world: World, rng: Random) -> Facts:
    prescription = pick(rng, [row for row in world.rows("prescriptions") if row["status"] == "active"])
    product = known(world, "medications", prescription["medication_id"])
    return {
        "patient_id": prescription["patient_id"], "ingredient": product["ingredient"],
        "collection": pick(rng, COLLECTIONS), "day": weekday(rng),
    }  # fmt: skip


def _refill_or_call(facts: Facts) -> Policy:
    prescriptions = yield do("list_prescriptions", patient_id=facts["patient_id"], status="active")
    own = yield choose(
        [each for each in prescriptions if each["ingredient"] == facts["ingredient"]],
        key=lambda each: each["ingredient"],
    )
    details = yield do("get_prescription", prescription_id=own["prescription_id"])
    name, price = details["medication"], f"{details['fill_price']:.2f}"
    if details["fillable_today"]:
        yield do(
            "refill_prescription", prescription_id=own["prescription_id"], collection=facts["collection"]
        )  # fmt: skip
        return Reply(f"{name} is filled ({facts['collection']}) for {price} euros.", (name, price))
    call = yield do(
        "request_callback", patient_id=facts["patient_id"], practitioner_id=details["practitioner_id"],
        topic="medication", day=facts["day"],
    )  # fmt: skip
    text = f"{name} cannot be filled today; {call['practitioner']} will call you on {facts['day']}."
    return Reply(text, (name, call["practitioner"]))


OTHER_CALL_DAY = twist("another day for the call", "change_of_mind", says(
    "Sorry, for a call {day:date} would be better.",
    "call rather on {day:date}.",
    "Oh wait, that is when I mind the neighbour's twins, so a call on {day:date}, if it comes to that!",
    "For a call, I have to ask for {day:date} instead.",
    non_native="For the call better {day:date}, I made mistake.",
    confused="Or no, the call should be on {day:date}, I mixed up the days.",
), another_day("day"))  # fmt: skip

REFILL_OR_CALL = Program(
    "refill_or_call",
    "Have a medicine filled, or a call by the prescriber where that is not possible today",
    says(
        "[I need|Please get me] more {ingredient} by {collection}. If it can be filled today, do it and tell me the "
        "price; if not, have the doctor who prescribed it call me on {day:date}. [In either case|Either way] name the "
        "product.",
        "need {ingredient} refill via {collection} if possible today (price?), otherwise prescriber calls me "
        "{day:date}. product name too.",
        "[I shook the box and it hardly rattles|There are four little tablets left], so can I have more {ingredient}, "
        "by {collection}, and what does it cost? If today is no good, have the doctor who put me on it ring me on "
        "{day:date}, and do tell me what the stuff is called!",
        "Kindly have my {ingredient} dispensed today via {collection}, stating product and price; should that not be "
        "possible, its prescriber is to telephone me on {day:date}, and the product and physician are to be named.",
        non_native="My {ingredient} is nearly finished, I want it by {collection} and the price. If today is not "
        "possible, then the doctor who wrote it calls me on {day:date}. Please the name of product too.",
        confused="Am I allowed more {ingredient} yet, by {collection}? If I am, do it, and how much was it; and if I "
        "am not, the doctor who wrote it should call me on {day:date}. And what is it called, by its proper name?",
        hurried="almost out of {ingredient}, fill it by {collection} if today's ok, price? else the prescriber rings "
        "me {day:date}. and what's it called?",
    ),
    _draw_refill_or_call,
    _refill_or_call,
    (
        OTHER_CALL_DAY,
        twist("collected in another way", "change_of_mind", says(
            "On reflection, I prefer this for the medicine: {collection}.",
            "no, medicine via {collection}.",
            "Hm, now that I think of it, {collection} is easier for me with the medicine!",
            "As regards the medicine, I now prefer {collection}.",
        ), another("collection", COLLECTIONS)),
    ),
    unknown="[I do not know the number of the prescription.|The prescription's number is on a slip that I lost.]",
)  # fmt: skip


def _draw_switch(world: World, rng: Random) -> Facts:
    found: list[Record] = []
    for row in world.rows("prescriptions"):
        if row["status"] == "active" and row["refills_left"]:
            found.append(row)
    prescription = pick(rng, found)
    return {
        "patient_id": prescription["patient_id"], "prescription_id": prescription["prescription_id"],
        "collection": pick(rng, COLLECTIONS),
    }  # fmt: skip


def _switch_and_fill(facts: Facts) -> Policy:
    prescription = yield do("get_prescription", prescription_id=facts["prescription_id"])
    if not prescription["fillable_today"]:
        raise DeadEnd("it cannot be filled today")
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
    filled = yield do(
        "refill_prescription", prescription_id=facts["prescription_id"], collection=facts["collection"]
    )  # fmt: skip
    price = f"{filled['price']:.2f}"
    return Reply(f"It is {product['name']} now, filled for {price} euros.", (product["name"], price))


SWITCH_AND_FILL = Program(
    "switch_and_fill",
    "Switch a prescription to the cheapest equivalent and have that filled at once",
    says(
        "[My budget is tight|Money is short this month]: please change {prescription_id} to the cheapest equivalent "
        "without anything that I am allergic to, have that filled by {collection}, and tell me its name and the price.",
        "change {prescription_id} to cheapest equivalent (mind my allergies), then fill it, {collection}. name + "
        "price?",
        "[My pharmacist friend says|I read that] there are cheaper ones with just the same in them, so make "
        "{prescription_id} the cheapest of those that my allergies allow, and get it filled right away, {collection} "
        "please; what is it called then, and what do I pay?",
        "Kindly substitute {prescription_id} by the least expensive equivalent compatible with my allergies and have "
        "it dispensed forthwith via {collection}, stating the product and the price.",
        non_native="Please make from {prescription_id} the most cheap same medicine where my allergies are no problem, "
        "and fill it now with {collection}; how is its name and how much I pay?",
        confused="Can {prescription_id} be a cheaper one of the same, the cheapest that my allergies allow? And then I "
        "need it filled too, by {collection}, I think; what is it called then, and what does it cost?",
        hurried="make {prescription_id} the cheapest same thing my allergies allow and fill it, {collection}! what's "
        "it called, what do i pay?",
    ),
    _draw_switch,
    _switch_and_fill,
    (
        twist("lactose is a problem", "constraint", says(
            "The new one must be free of lactose.",
            "lactose-free one.",
            "And nothing with milk sugar in the new one, it makes me rumble like a train!",
            "The substitute has to be free of lactose.",
            non_native="The new one please without lactose.",
        ), without="lactose"),
        twist("a real saving", "condition", says(
            "If it saves less than {least_saving:money} euros a pack, change and fill nothing, and tell me which "
            "product it would have been and how much it would save.",
            "saving under {least_saving:money} a pack? then no change, no fill, just product + saving.",
            "But for less than {least_saving:money} euros a pack it is not worth the fuss, so then leave it all and "
            "just tell me which one it was and what it would save!",
            "If less than EUR {least_saving:money} per pack is saved thereby, refrain from both and state the product "
            "and the saving.",
        ), lambda world, rng, facts: {"least_saving": money(rng, 0.5, 4)}),
    ),
    again="prescription_id",
)  # fmt: skip

REFILLING = (REFILL_OR_CALL, SWITCH_AND_FILL)
