"""Requests about medicines and tests that the policy forbids: the patient hears why, and gets what is allowed."""

from datetime import date
from random import Random

from toolscale.reference.medicine.programs.shared import (
    a_patient,
    clock,
    home_city,
    known,
    late_first,
    says,
    weekday,
)
from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Record,
    Refusal,
    Reply,
    Steps,
    World,
    choose,
    do,
    pick,
)


def _draw_expired(world: World, rng: Random) -> Facts:
    prescription = pick(rng, [row for row in world.rows("prescriptions") if row["status"] == "expired"])
    return {
        "patient_id": prescription["patient_id"], "prescription_id": prescription["prescription_id"],
        "day": weekday(rng),
    }  # fmt: skip


def _have_it_renewed(facts: Facts) -> Policy:
    prescription = yield do("get_prescription", prescription_id=facts["prescription_id"])
    if prescription["status"] != "expired":
        raise DeadEnd("it has not run out")
    call = yield do(
        "request_callback", patient_id=facts["patient_id"], practitioner_id=prescription["practitioner_id"],
        topic="medication", day=facts["day"],
    )  # fmt: skip
    text = f"It ran out on {prescription['valid_until']}, so {call['practitioner']} will call you."
    return Reply(text, (prescription["valid_until"], call["practitioner"]))


def _fill_it(facts: Facts) -> Steps:
    yield do("refill_prescription", prescription_id=facts["prescription_id"], collection="clinic pharmacy")


EXPIRED_REFILL = Program(
    "refuse_expired_refill",
    "Ask for a refill on a prescription that has run out",
    says(
        "[Please fill|I need more of] {prescription_id}, which I would fetch at the clinic pharmacy. If it has run "
        "out, [please have|have] the doctor who prescribed it call me on {day:date} about it, and tell me who that is "
        "and on which day it ran out.",
        "fill {prescription_id}, pharmacy. expired? then prescriber calls me {day:date}, who is it, and expiry date?",
        "[I found the empty box this morning|My pill box is empty], so could I have {prescription_id} once more from "
        "the clinic pharmacy? And if the paper has run out, let the doctor who wrote it ring me on {day:date}, and "
        "tell me who that was and since what day it is no good!",
        "I request that {prescription_id} be dispensed at the clinic pharmacy; if it has expired, its prescriber is to "
        "telephone me on {day:date}, and [kindly|please] name that physician and the date of expiry.",
        non_native="I want again {prescription_id} from the pharmacy of clinic. If it is finished the date, the doctor "
        "who gave it must call me on {day:date}; which doctor, and until what day it was good?",
        confused="I think {prescription_id} should be filled at the clinic pharmacy, or is it out of date already? If "
        "it is, could the doctor who wrote it call me on {day:date}, and who was that, and when did it run out?",
        hurried="need {prescription_id} from the clinic pharmacy now! run out? prescriber rings me {day:date}, who's "
        "that and when did it expire?",
    ),
    _draw_expired,
    _have_it_renewed,
    refusal=Refusal("filled_when_due_and_allowed", _fill_it),
)


def _draw_unsafe(world: World, rng: Random) -> Facts:
    pairs = [
        (patient, product)
        for patient in world.rows("patients")
        for product in world.rows("medications")
        if not product["prescription_only"] and product["treats"] and _objectionable(patient, product)
    ]
    patient, product = pick(rng, pairs)
    return {
        "patient_id": patient["patient_id"], "ingredient": product["ingredient"],
        "complaint": pick(rng, product["treats"]), "packs": 1, "pickup_on": weekday(rng, 1, 12),
    }  # fmt: skip


def _objectionable(patient: Record, product: Record) -> bool:
    allergens = {allergy["allergen"] for allergy in patient["allergies"]}
    return bool(allergens & set(product["allergens"]) or {*patient["conditions"]} & {*product["contraindications"]})


def _sell_what_suits(facts: Facts) -> Policy:
    wanted = yield do("find_medications", ingredient=facts["ingredient"], prescription_only=False)
    first = yield choose(wanted, key=lambda each: each["price"])
    check = yield do("check_medication", patient_id=facts["patient_id"], medication_id=first["medication_id"])
    against = [each["with"] for each in check["problems"] if each["kind"] in ("allergy", "contraindication")]
    if len(against) != 1:
        raise DeadEnd("nothing, or too much, speaks against it")
    products = yield do("find_medications", treats=facts["complaint"], prescription_only=False)
    products = [each for each in products if each["ingredient"] != facts["ingredient"]]
    while True:
        chosen = yield choose(products, key=lambda each: each["price"])
        verdict = yield do("check_medication", patient_id=facts["patient_id"], medication_id=chosen["medication_id"])
        if verdict["suitable"]:
            break
        products = [each for each in products if each["medication_id"] != chosen["medication_id"]]
    order = yield do(
        "order_medication", patient_id=facts["patient_id"], medication_id=chosen["medication_id"], packs=1,
        pickup_on=facts["pickup_on"],
    )  # fmt: skip
    total = f"{order['total']:.2f}"
    text = f"{first['name']} is not for you ({against[0]}). {chosen['name']} is set aside instead, {total} euros."
    return Reply(text, (against[0], chosen["name"], total))


def _sell_it_anyway(facts: Facts) -> Steps:
    wanted = yield do("find_medications", ingredient=facts["ingredient"], prescription_only=False)
    first = yield choose(wanted, key=lambda each: each["price"])
    yield do(
        "order_medication", patient_id=facts["patient_id"], medication_id=first["medication_id"], packs=1,
        pickup_on=facts["pickup_on"],
    )  # fmt: skip


UNSAFE_PURCHASE = Program(
    "refuse_unsafe_purchase",
    "Ask for a product without prescription that one must not take",
    says(
        "Please set aside a pack of the cheapest product with {ingredient} for my {complaint}; I come on "
        "{pickup_on:date}. If I must not have it, tell me what speaks against it, and set aside [one pack|a pack] of "
        "the cheapest other thing for it that suits me, and its price.",
        "1 pack {ingredient} (cheapest) for {complaint}, pickup {pickup_on:date}. not safe for me? say why, and "
        "reserve 1 pack of the cheapest other otc that is, name + price.",
        "[My aunt swears by|Everybody talks about] {ingredient}, so a pack of the cheapest for my {complaint}, I will "
        "fetch it on {pickup_on:date}! But if it is not for me, what is against it, and then please the cheapest other "
        "thing that I may take, one pack, and what does that cost?",
        "Kindly reserve one pack of the least expensive product with {ingredient} for my {complaint}, for collection "
        "on {pickup_on:date}. Should it be inadmissible for me, state the reason, reserve one pack of the least "
        "expensive admissible alternative instead, and name it with its price.",
        non_native="For my {complaint} I want one pack with {ingredient}, the most cheap, I take it on "
        "{pickup_on:date}. If I can not have it, say why, and give me one pack of the most cheap other that is good "
        "for me, which is it and how much?",
        confused="Somebody said {ingredient} helps with {complaint}, so one pack of the cheapest, for "
        "{pickup_on:date}? Or am I not allowed that? Then tell me the reason, and put aside a pack of whatever else I "
        "may take that costs least, what is it and how much?",
        hurried="got {complaint}, put a pack of the cheapest {ingredient} aside, i'm there {pickup_on:date}! not for "
        "me? say why and put a pack of the cheapest other one i can have aside, name and price!",
    ),
    _draw_unsafe,
    _sell_what_suits,
    refusal=Refusal("nothing_that_the_patient_is_allergic_to", _sell_it_anyway),
)  # fmt: skip


def _draw_without_prescription(world: World, rng: Random) -> Facts:
    patient = a_patient(world, rng)
    taken = {
        known(world, "medications", row["medication_id"])["ingredient"]
        for row in world.rows("prescriptions")
        if row["patient_id"] == patient["patient_id"]
    }
    only = [row["ingredient"] for row in world.rows("medications") if row["prescription_only"]]
    return {
        "patient_id": patient["patient_id"], "ingredient": pick(rng, [each for each in only if each not in taken]),
        "city": home_city(world, patient), "from_date": weekday(rng, 1, 8),
    }  # fmt: skip


def _see_a_doctor_first(facts: Facts) -> Policy:
    products = yield do("find_medications", ingredient=facts["ingredient"])
    if not all(each["prescription_only"] for each in products):
        raise DeadEnd("there is one without prescription")
    slots = yield do("find_open_slots", specialty="general practice", city=facts["city"], from_date=facts["from_date"])
    slot = yield choose(slots, key=lambda each: each["start"])
    cost = yield do("estimate_cost", patient_id=facts["patient_id"], slot_id=slot["slot_id"])
    booked = yield do("book_appointment", patient_id=facts["patient_id"], slot_id=slot["slot_id"])
    doctor, time, share = booked["practitioner"], clock(booked["start"]), f"{cost['patient_share']:.2f}"
    text = (
        f"It needs a prescription. {doctor} sees you on {booked['start'][:10]} at {time}; your share is {share} euros."
    )
    return Reply(text, (doctor, time, share))


def _sell_without(facts: Facts) -> Steps:
    products = yield do("find_medications", ingredient=facts["ingredient"])
    yield do(
        "order_medication", patient_id=facts["patient_id"], medication_id=products[0]["medication_id"], packs=1,
        pickup_on=facts["from_date"],
    )  # fmt: skip


NO_PRESCRIPTION = Program(
    "refuse_sale_without_prescription",
    "Ask for a prescription product without having a prescription",
    says(
        "Please put a pack of {ingredient} aside for me; I have no prescription. If I need one, book me the earliest "
        "time with a general practitioner in {city} from {from_date:date} on, and tell me [who it is with, when, and "
        "my share of the fee|the doctor, the time and what I pay of it myself].",
        "pack of {ingredient}, no prescription. needs one? then earliest gp in {city} from {from_date:date}: book, "
        "tell doctor, time, my share.",
        "[A friend gave me the idea|I read about it in a magazine], so I would like to try a pack of {ingredient}, "
        "only I have no prescription! If that does not go without, get me the first free time with a GP in {city}, "
        "{from_date:date} or later, and who is it, at what time, and what will I have to pay of it?",
        "I wish to purchase a pack of {ingredient} without a prescription. If one is required, kindly book the "
        "earliest general practice consultation in {city} on or after {from_date:date}, stating physician, time and my "
        "share.",
        non_native="I want buy one pack of {ingredient}, prescription I have not. If it is needed, book me the first "
        "family doctor in {city}, from {from_date:date}, and say the doctor, the hour and how much is my part.",
        confused="Can one just have a pack of {ingredient}? I do not have a paper from a doctor. If I need one, I "
        "suppose I want the first free GP in {city} from {from_date:date} on, and who is that, at what time, and what "
        "is my share?",
        hurried="want a pack of {ingredient}, got no prescription! if i need one book the first GP in {city} from "
        "{from_date:date}, then who, what time, my share?",
    ),
    _draw_without_prescription,
    _see_a_doctor_first,
    refusal=Refusal("packs_without_prescription", _sell_without),
)


def _draw_too_soon(world: World, rng: Random) -> Facts:
    day = weekday(rng, 1, 16)
    recent = []
    for row in world.rows("lab_results"):
        test = known(world, "lab_tests", row["test_id"])
        apart = (date.fromisoformat(day) - date.fromisoformat(row["sampled_on"])).days
        if row["status"] == "final" and row["practitioner_id"] and apart < test["repeat_after_days"]:
            recent.append((row["patient_id"], test["name"]))
    patient_id, test_name = pick(rng, recent)
    return {"patient_id": patient_id, "test": test_name, "day": day}


def _ask_the_doctor(facts: Facts) -> Policy:
    results = yield do("list_lab_results", patient_id=facts["patient_id"], test_name=facts["test"])
    done = [each for each in results if each["status"] == "final"]
    latest = yield choose(done, key=lambda each: late_first(each["sampled_on"]))
    result = yield do("get_lab_result", result_id=latest["result_id"])
    test = yield do("get_lab_test", test_id=result["test_id"])
    apart = (date.fromisoformat(facts["day"]) - date.fromisoformat(result["sampled_on"])).days
    if apart >= test["repeat_after_days"] or result["practitioner_id"] is None:
        raise DeadEnd("it may be repeated by then")
    call = yield do(
        "request_callback", patient_id=facts["patient_id"], practitioner_id=result["practitioner_id"],
        topic="lab result", day=facts["day"],
    )  # fmt: skip
    interval = f"{test['repeat_after_days']} days"
    text = f"It was taken on {result['sampled_on']} and needs {interval} in between; {call['practitioner']} will call."
    return Reply(text, (interval, call["practitioner"]))


def _test_anyway(facts: Facts) -> Steps:
    tests = yield do("find_lab_tests", name=facts["test"])
    chosen = yield choose([each for each in tests if each["name"] == facts["test"]], key=lambda each: each["name"])
    yield do("order_lab_test", patient_id=facts["patient_id"], test_id=chosen["test_id"], day=facts["day"])


TOO_SOON = Program(
    "refuse_test_too_soon",
    "Ask for a laboratory test before it may be repeated",
    says(
        "[I want|I would like] another {test} on {day:date}. If that is too soon after the last one, tell me how many "
        "days must lie between two, and have the doctor who ordered the last one call me that day instead; who is it?",
        "another {test} {day:date}. too soon? days between two, and the doctor who ordered the last one calls me that "
        "day, who?",
        "[I feel so different now|I have changed my whole diet], so could they take my {test} again on {day:date}? If "
        "it is too soon, how many days do you want in between, and could the doctor who ordered the last one ring me "
        "that day instead, and who is that again?",
        "I request a further determination of {test} on {day:date}. If the interval has not elapsed by then, state it "
        "in days, and arrange for the physician who ordered the last one to telephone me that day, naming that "
        "physician.",
        non_native="I want one more time the {test} on {day:date}. If it is too early, how many days must be between, "
        "and the doctor of the last one please calls me this day, which doctor is it?",
        confused="Is it time for my {test} again, say on {day:date}? If it is too early, how many days does one wait, "
        "and then the doctor who wanted the last one should call me that day, whoever that was?",
        hurried="do my {test} again {day:date}! too early? how many days apart, and get the doc of the last one to "
        "ring me that day, name?",
    ),
    _draw_too_soon,
    _ask_the_doctor,
    refusal=Refusal("tests_after_their_interval", _test_anyway),
)


def _draw_other_ingredient(world: World, rng: Random) -> Facts:
    prescription = pick(rng, [row for row in world.rows("prescriptions") if row["status"] == "active"])
    current = known(world, "medications", prescription["medication_id"])
    others = [
        row["ingredient"]
        for row in world.rows("medications")
        if row["ingredient"] != current["ingredient"] and {*row["treats"]} & {*current["treats"]}
    ]
    return {
        "patient_id": prescription["patient_id"], "prescription_id": prescription["prescription_id"],
        "ingredient": pick(rng, others), "day": weekday(rng),
    }  # fmt: skip


def _let_the_prescriber_decide(facts: Facts) -> Policy:
    prescription = yield do("get_prescription", prescription_id=facts["prescription_id"])
    products = yield do("find_medications", ingredient=facts["ingredient"])
    if prescription["ingredient"] == facts["ingredient"] or prescription["status"] != "active":
        raise DeadEnd("it is the same ingredient, or not active")
    cheapest = yield choose(products, key=lambda each: each["price"])
    call = yield do(
        "request_callback", patient_id=facts["patient_id"], practitioner_id=prescription["practitioner_id"],
        topic="medication", day=facts["day"],
    )  # fmt: skip
    price = f"{cheapest['price']:.2f}"
    text = f"That is for {call['practitioner']} to decide, who will call you. {cheapest['name']} costs {price} euros."
    return Reply(text, (call["practitioner"], price))


def _switch_anyway(facts: Facts) -> Steps:
    products = yield do("find_medications", ingredient=facts["ingredient"])
    product = products[0]["medication_id"]
    yield do("substitute_medication", prescription_id=facts["prescription_id"], medication_id=product)


OTHER_INGREDIENT = Program(
    "refuse_switch_to_other_ingredient",
    "Ask to switch a prescription to another active ingredient",
    says(
        "Please switch {prescription_id} to the cheapest product with {ingredient}. If you may not do that, have the "
        "doctor who prescribed it call me on {day:date}, and tell me [who that is|the doctor's name] and what a pack "
        "of that product costs.",
        "make {prescription_id} the cheapest {ingredient}. not allowed? prescriber calls me {day:date}; who, and price "
        "of a pack?",
        "[My brother-in-law does so well on it|The chemist's daughter mentioned it]: could {prescription_id} become "
        "the cheapest product with {ingredient}? If you cannot do that yourself, the doctor who put me on it may ring "
        "me on {day:date}, and who was it, and what does a pack of the other cost?",
        "I request that {prescription_id} be replaced by the least expensive product with {ingredient}; if that "
        "exceeds your authority, its prescriber is to telephone me on {day:date}. Kindly name the physician and the "
        "price per pack of that product.",
        non_native="Please change {prescription_id} to {ingredient}, the most cheap one. If you can not, the doctor "
        "who gave it must call me on {day:date}; what is his name, and how much is one pack of the other?",
        confused="I was told {ingredient} is better than {prescription_id}, so can you make it the cheapest of that? "
        "If only the doctor can, then the one who prescribed it should call me on {day:date}, who is it, and what "
        "would a pack of the other cost?",
        hurried="put me on the cheapest {ingredient} instead of {prescription_id}! can't? prescriber rings me "
        "{day:date}, name, and what's a pack of it?",
    ),
    _draw_other_ingredient,
    _let_the_prescriber_decide,
    refusal=Refusal("brands_of_the_same_kind_only", _switch_anyway),
)

REFUSED_MEDICINES = (EXPIRED_REFILL, UNSAFE_PURCHASE, NO_PRESCRIPTION, TOO_SOON, OTHER_INGREDIENT)
