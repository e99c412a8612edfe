"""Programs that take several steps at the desk: pay and split, clear the diary, compare and book."""

from random import Random

from toolscale.reference.kit import clock, must, one_of
from toolscale.reference.medicine.programs.shared import (
    IN_PERSON_ONLY,
    LANGUAGE,
    VIDEO_ONLY,
    a_patient,
    another_day,
    home_city,
    money,
    weekday,
)
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)

METHODS = ("card", "bank transfer", "direct debit")
REASONS = ("illness", "work", "travel")


def _draw_settling(world: World, rng: Random) -> Facts:
    bills: dict[str, list[float]] = {}
    for row in world.rows("invoices"):
        if row["status"] == "open":
            bills.setdefault(row["patient_id"], []).append(row["patient_share"])
    patient_id = pick(rng, [key for key, shares in bills.items() if len(shares) > 1 and max(shares) >= 20])
    most = min(6, int(max(bills[patient_id]) // 10))
    return {"patient_id": patient_id, "method": pick(rng, METHODS), "instalments": rng.randint(2, most)}


def _pay_small_split_large(facts: Facts) -> Solution:
    listed = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    invoices = []
    for each in listed:
        invoices.append((yield do("get_invoice", invoice_id=each["invoice_id"])))
    must(len(invoices) >= 2, "only one is open")
    small = yield choose(invoices, key=lambda each: each["patient_share"])
    large = yield choose(invoices, key=lambda each: -each["patient_share"])
    yield do("pay_invoice", invoice_id=small["invoice_id"], method=facts["method"])
    split = yield do("set_up_instalments", invoice_id=large["invoice_id"], instalments=facts["instalments"])
    paid, monthly = f"{small['patient_share']:.2f}", f"{split['monthly']:.2f}"
    text = f"I paid {small['invoice_id']} ({paid} euros); {large['invoice_id']} is {monthly} euros a month now."
    return Reply(text, (paid, monthly))


PAY_SMALL_SPLIT_LARGE = WORDS.program(
    "pay_small_split_large",
    _draw_settling,
    _pay_small_split_large,
    (
        WORDS.twist("another way for the small one", "change_of_mind", one_of("method", *METHODS)),
        WORDS.twist("the envelope", "distractor"),
    ),
)


def _draw_clearing(world: World, rng: Random) -> Facts:
    appointment = pick(rng, [row for row in world.rows("appointments") if row["status"] == "booked"])
    return {
        "patient_id": appointment["patient_id"],
        "reason": pick(rng, REASONS),
        "to_date": weekday(rng, 10, 18),
    }


def _clear_diary(facts: Facts) -> Solution:
    booked = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    due = [each for each in booked if each["start"][:10] <= facts["to_date"]]
    must(due, "nothing to cancel")
    texts, told = [], []
    for each in due:
        details = yield do("get_appointment", appointment_id=each["appointment_id"])
        done = yield do("cancel_appointment", appointment_id=each["appointment_id"], reason=facts["reason"])
        fee = f"{done['late_fee']:.2f}"
        told += [details["practitioner"], fee]
        texts.append(f"{each['appointment_id']} with {details['practitioner']} is cancelled, fee {fee} euros.")
    return Reply(" ".join(texts), tuple(told))


CLEAR_DIARY = WORDS.program(
    "clear_diary",
    _draw_clearing,
    _clear_diary,
    (
        WORDS.twist(
            "up to another day", "change_of_mind", lambda world, rng, facts: {"to_date": _later(rng, facts["to_date"])}
        ),
        WORDS.twist("another cause", "change_of_mind", one_of("reason", *REASONS)),
    ),
)


def _later(rng: Random, day: str) -> str:
    return pick(rng, [each for each in (weekday(rng, 19, 24), weekday(rng, 19, 24)) if each != day])


def _draw_cheaper(world: World, rng: Random) -> Facts:
    patient = a_patient(world, rng)
    return {
        "patient_id": patient["patient_id"],
        "city": home_city(world, patient),
        "from_date": weekday(rng, 1, 6),
    }


def _book_cheaper(facts: Facts) -> Solution:
    slots = yield do(
        "find_open_slots",
        specialty="general practice",
        city=facts["city"],
        mode=facts.get("mode"),
        language=facts.get("language"),
        from_date=facts["from_date"],
    )
    firsts = {each["practitioner_id"]: each for each in reversed(slots)}
    must(len(firsts) >= 2, "nothing to compare")
    offers = []
    for slot in firsts.values():
        cost = yield do("estimate_cost", patient_id=facts["patient_id"], slot_id=slot["slot_id"])
        offers.append(cost)
    best = yield choose(offers, key=lambda each: each["patient_share"])
    share = f"{best['patient_share']:.2f}"
    booked = yield do("book_appointment", patient_id=facts["patient_id"], slot_id=best["slot_id"])
    time = clock(booked["start"])
    text = f"{booked['practitioner']} sees you on {booked['start'][:10]} at {time}; your share is {share} euros."
    return Reply(text, (booked["practitioner"], time, share))


CHEAPER_DOCTOR = WORDS.program(
    "book_cheaper_general_practitioner",
    _draw_cheaper,
    _book_cheaper,
    (
        LANGUAGE,
        VIDEO_ONLY,
        IN_PERSON_ONLY,
        WORDS.twist("not so soon", "change_of_mind", another_day("from_date")),
    ),
)


def _draw_one_invoice(world: World, rng: Random) -> Facts:
    invoice = pick(rng, [row for row in world.rows("invoices") if row["status"] == "open"])
    return {
        "patient_id": invoice["patient_id"],
        "invoice_id": invoice["invoice_id"],
        "method": pick(rng, METHODS),
    }


def _pay_one(facts: Facts) -> Solution:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    share, rest = f"{invoice['patient_share']:.2f}", f"{invoice['insurer_share']:.2f}"
    if invoice["patient_share"] > facts.get("top_share", 10_000):
        return Reply(f"I did not pay {facts['invoice_id']}: your share is {share} euros.", (share,))
    yield do("pay_invoice", invoice_id=facts["invoice_id"], method=facts["method"])
    text = f"{facts['invoice_id']} is paid: {share} euros by you, {rest} euros by your insurer."
    return Reply(text, (share, rest) if invoice["insurer_share"] else (share,))


PAY_INVOICE = WORDS.program(
    "pay_invoice",
    _draw_one_invoice,
    _pay_one,
    (
        WORDS.twist("another means", "change_of_mind", one_of("method", *METHODS)),
        WORDS.twist("not above that", "condition", lambda world, rng, facts: {"top_share": money(rng, 25, 90)}),
    ),
    again="invoice_id",
)

COMBINED = (PAY_SMALL_SPLIT_LARGE, CLEAR_DIARY, CHEAPER_DOCTOR, PAY_INVOICE)
