"""Programs that take several steps at the desk: pay and split, clear the diary, compare and book."""

from random import Random

from toolscale.reference.medicine.programs.shared import (
    IN_PERSON_ONLY,
    LANGUAGE,
    VIDEO_ONLY,
    a_patient,
    another,
    another_day,
    clock,
    home_city,
    money,
    remark,
    says,
    twist,
    weekday,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, World, choose, do, pick

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


def _pay_small_split_large(facts: Facts) -> Policy:
    listed = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    invoices = []
    for each in listed:
        invoices.append((yield do("get_invoice", invoice_id=each["invoice_id"])))
    if len(invoices) < 2:
        raise DeadEnd("only one is open")
    small = yield choose(invoices, key=lambda each: each["patient_share"])
    large = yield choose(invoices, key=lambda each: -each["patient_share"])
    yield do("pay_invoice", invoice_id=small["invoice_id"], method=facts["method"])
    split = yield do("set_up_instalments", invoice_id=large["invoice_id"], instalments=facts["instalments"])
    paid, monthly = f"{small['patient_share']:.2f}", f"{split['monthly']:.2f}"
    text = f"I paid {small['invoice_id']} ({paid} euros); {large['invoice_id']} is {monthly} euros a month now."
    return Reply(text, (paid, monthly))


PAY_SMALL_SPLIT_LARGE = Program(
    "pay_small_split_large",
    "Pay the smallest open invoice and split the largest",
    says(
        "Please pay the open invoice with my smallest share by {method}, and split the one with my largest into "
        "{instalments:int} instalments. [How much was the one, and what is the other a month?|Tell me what I paid, and "
        "what I owe each month for the other.]",
        "smallest open invoice (my share): pay by {method}. largest: {instalments:int} instalments. paid how much, "
        "monthly how much?",
        "[Let me be brave and open those envelopes|The bills are piling up by the bread bin]: pay the one where my "
        "part is least by {method}, and chop the one where it is most into {instalments:int} instalments, and tell me "
        "what I paid and what the other will be every month!",
        "Kindly settle the open invoice bearing my smallest share by {method} and divide the one bearing my largest "
        "into {instalments:int} monthly instalments; the sum paid and the instalment are to be stated.",
        non_native="From my open invoices, pay with {method} where my part is most small, and where it is most big "
        "make {instalments:int} parts by month. How much was paid and how much is each month?",
        confused="There are several open invoices, I think: could the one where my share is smallest be paid by "
        "{method}, and the one where it is largest go into {instalments:int} instalments? What did I pay then, and "
        "what is it each month?",
        hurried="open invoices: where my share's smallest pay by {method}, where it's largest {instalments:int} "
        "instalments! what did i pay, how much a month?",
    ),
    _draw_settling,
    _pay_small_split_large,
    (
        twist("another way for the small one", "change_of_mind", says(
            "No, wait, the one to be paid at once goes by {method}.",
            "pay the small one by {method} instead.",
            "Oh, my other account is in the red, so the small one by {method}, I think!",
            "The smaller invoice is, on reflection, to be paid by {method}.",
        ), another("method", METHODS)),
        remark(
            "the envelope",
            "I still have the envelopes of both, in case you need them.",
            "still have the paper ones.",
            "My late husband always saw to these things, bless him, and I never opened a bill in thirty years.",
            "The paper originals are in my possession.",
        ),
    ),
    unknown="[I do not have the invoice numbers with me.|I do not know the numbers of the invoices.]",
)  # fmt: skip


def _draw_clearing(world: World, rng: Random) -> Facts:
    appointment = pick(rng, [row for row in world.rows("appointments") if row["status"] == "booked"])
    return {
        "patient_id": appointment["patient_id"], "reason": pick(rng, REASONS), "to_date": weekday(rng, 10, 18),
    }  # fmt: skip


def _clear_diary(facts: Facts) -> Policy:
    booked = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    due = [each for each in booked if each["start"][:10] <= facts["to_date"]]
    if not due:
        raise DeadEnd("nothing to cancel")
    texts, told = [], []
    for each in due:
        details = yield do("get_appointment", appointment_id=each["appointment_id"])
        done = yield do("cancel_appointment", appointment_id=each["appointment_id"], reason=facts["reason"])
        fee = f"{done['late_fee']:.2f}"
        told += [details["practitioner"], fee]
        texts.append(f"{each['appointment_id']} with {details['practitioner']} is cancelled, fee {fee} euros.")
    return Reply(" ".join(texts), tuple(told))


CLEAR_DIARY = Program(
    "clear_diary",
    "Call off all appointments up to a day",
    says(
        "Please cancel [all appointments that I have|every appointment of mine] up to and including {to_date:date}, "
        "reason: {reason}. Tell me which doctors they were with, and any fee.",
        "cancel all my appointments up to {to_date:date} inclusive, reason {reason}. which doctors, what fees?",
        "[I cannot make any of it|I shall not be able to come], so could you take me off the list for everything up "
        "to and including {to_date:date} (write down {reason})? And which doctors was I to see, and will any of it "
        "cost me something?",
        "I hereby cancel all of my appointments up to and including {to_date:date}, the reason being {reason}; [kindly|"
        "please] name the physicians and any fee incurred.",
        non_native="Please cancel every appointment I have until {to_date:date}, this day also; the reason is "
        "{reason}. Which doctors it was and must I pay something?",
        confused="I cannot come to anything up to and including {to_date:date}, because of {reason}, so could you "
        "cancel whatever there is? I forget which doctors those were, and is there a fee?",
        hurried="drop all my appointments till {to_date:date}, that day too, {reason}! which docs and any fees?",
    ),
    _draw_clearing,
    _clear_diary,
    (
        twist("up to another day", "change_of_mind", says(
            "Sorry, I mean up to and including {to_date:date}.",
            "no, up to {to_date:date} inclusive.",
            "Wait, let me look at the calendar again: it is up to and including {to_date:date}!",
            "I correct the last day to {to_date:date}, inclusive.",
        ), lambda world, rng, facts: {"to_date": _later(rng, facts["to_date"])}),
        twist("another cause", "change_of_mind", says(
            "The reason to put down is really {reason}.",
            "reason rather: {reason}.",
            "I had better be frank with you, do put down {reason} as the reason!",
            "The reason is to be recorded as {reason} instead.",
        ), another("reason", REASONS)),
    ),
    unknown="[I do not have the list of my appointments at hand.|I do not know the numbers of the appointments.]",
)  # fmt: skip


def _later(rng: Random, day: str) -> str:
    return pick(rng, [each for each in (weekday(rng, 19, 24), weekday(rng, 19, 24)) if each != day])


def _draw_cheaper(world: World, rng: Random) -> Facts:
    patient = a_patient(world, rng)
    return {
        "patient_id": patient["patient_id"], "city": home_city(world, patient), "from_date": weekday(rng, 1, 6),
    }  # fmt: skip


def _book_cheaper(facts: Facts) -> Policy:
    slots = yield do(
        "find_open_slots", specialty="general practice", city=facts["city"], mode=facts.get("mode"),
        language=facts.get("language"), from_date=facts["from_date"],
    )  # fmt: skip
    firsts = {each["practitioner_id"]: each for each in reversed(slots)}
    if len(firsts) < 2:
        raise DeadEnd("nothing to compare")
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


CHEAPER_DOCTOR = Program(
    "book_cheaper_general_practitioner",
    "Book the general practitioner who costs the patient less after insurance",
    says(
        "Compare what I would pay myself for the first free time of each general practitioner in {city} from "
        "{from_date:date} on, and book the [cheapest for me|one that costs me least]; I need the doctor, the time and "
        "my share.",
        "gps in {city} from {from_date:date}: first free time of each, book whichever costs me least after insurance. "
        "doctor, time, my share?",
        "[I count my pennies these days|My neighbour paid far too much], so look at the first free time of every GP in "
        "{city} from {from_date:date} on, and book the one that leaves me the least to pay! Who is it, at what time, "
        "and how much?",
        "Kindly compare my share for the earliest time of each general practitioner in {city} on or after "
        "{from_date:date}, book the lowest, and state physician, time and share.",
        non_native="For every family doctor in {city} look at the first free time from {from_date:date}, and book "
        "where my own part is the smallest. Which doctor, what hour and how much?",
        confused="The GPs in {city} all cost something else, do they? Then take the first time each of them has from "
        "{from_date:date} on, and book the one that is least for me to pay. Who is that, when, and how much?",
        hurried="first time of each GP in {city} from {from_date:date}, book the one i pay least for! who, when, how "
        "much?",
    ),
    _draw_cheaper,
    _book_cheaper,
    (
        LANGUAGE,
        VIDEO_ONLY,
        IN_PERSON_ONLY,
        twist("not so soon", "change_of_mind", says(
            "Actually, {from_date:date} is the first day that suits me.",
            "first ok day: {from_date:date} actually.",
            "Oh, but the chimney sweep comes, so let us begin with {from_date:date}!",
            "The first day to be considered is, on reflection, {from_date:date}.",
        ), another_day("from_date")),
    ),
)  # fmt: skip


def _draw_one_invoice(world: World, rng: Random) -> Facts:
    invoice = pick(rng, [row for row in world.rows("invoices") if row["status"] == "open"])
    return {
        "patient_id": invoice["patient_id"], "invoice_id": invoice["invoice_id"], "method": pick(rng, METHODS),
    }  # fmt: skip


def _pay_one(facts: Facts) -> Policy:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    share, rest = f"{invoice['patient_share']:.2f}", f"{invoice['insurer_share']:.2f}"
    if invoice["patient_share"] > facts.get("top_share", 10_000):
        return Reply(f"I did not pay {facts['invoice_id']}: your share is {share} euros.", (share,))
    yield do("pay_invoice", invoice_id=facts["invoice_id"], method=facts["method"])
    text = f"{facts['invoice_id']} is paid: {share} euros by you, {rest} euros by your insurer."
    return Reply(text, (share, rest) if invoice["insurer_share"] else (share,))


PAY_INVOICE = Program(
    "pay_invoice",
    "Pay a certain invoice and learn how it is shared with the insurer",
    says(
        "Please pay {invoice_id} by {method}, and tell me [my share and the insurer's|what I paid and what the insurer "
        "pays].",
        "pay {invoice_id} by {method}. my share, insurer's share?",
        "[It has been lying on the sideboard long enough|I do not want another reminder], so please pay {invoice_id} "
        "by {method}, and what was my bit of it, and what is the insurance putting in?",
        "Kindly settle {invoice_id} by {method}, stating my own share and that of my insurer.",
        non_native="I want to pay {invoice_id} with {method}; how much is for me and how much for the insurance?",
        confused="I have to pay {invoice_id}, do I not? By {method}, please. And how much of it is mine, and how much "
        "does the insurance pay, if it does?",
        hurried="pay {invoice_id} by {method} now please! how much me, how much the insurer?",
    ),
    _draw_one_invoice,
    _pay_one,
    (
        twist("another means", "change_of_mind", says(
            "Hold on, it should be by {method}.",
            "by {method} rather.",
            "Oh, I have just found my purse, so {method} will do nicely!",
            "The means of payment is to be {method} instead.",
        ), another("method", METHODS)),
        twist("not above that", "condition", says(
            "If my share of it is above {top_share:money} euros, do not pay it; I only want to know the share then.",
            "my share over {top_share:money}? don't pay, tell me the share.",
            "But if my bit is more than {top_share:money} euros, then leave that one until my pension comes and just "
            "tell me how much!",
            "If my share exceeds EUR {top_share:money}, the invoice is not to be settled; merely state the share.",
        ), lambda world, rng, facts: {"top_share": money(rng, 25, 90)}),
    ),
    again="invoice_id",
)  # fmt: skip

COMBINED = (PAY_SMALL_SPLIT_LARGE, CLEAR_DIARY, CHEAPER_DOCTOR, PAY_INVOICE)
