"""Programs about invoices: pay, split, add up."""

from random import Random

from toolscale.reference.medicine.programs.shared import Errand, amount, another, late_first, remark, says, twist
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, choose, do, pick

METHODS = ("card", "bank transfer", "direct debit")


def _debtor(world: World, rng: Random) -> str:
    patient_id: str = pick(rng, [row for row in world.rows("invoices") if row["status"] == "open"])["patient_id"]
    return patient_id


def _draw_debtor(world: World, rng: Random) -> Facts:
    return {"patient_id": _debtor(world, rng)}


def _draw_payment(world: World, rng: Random) -> Facts:
    return {"patient_id": _debtor(world, rng), "method": pick(rng, METHODS)}


def _draw_split(world: World, rng: Random) -> Facts:
    large = [row for row in world.rows("invoices") if row["status"] == "open" and row["patient_share"] >= 20]
    invoice = pick(rng, large)
    most = min(4, int(invoice["patient_share"] // 10))
    return {"patient_id": invoice["patient_id"], "instalments": rng.randint(2, most)}


def _open_invoices(facts: Facts) -> Errand:
    """The user's open invoices in full, those of one kind where that was asked for."""
    invoices = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    found: list[Record] = []
    for each in invoices:
        if facts.get("kind") in (None, each["kind"]):
            found.append((yield do("get_invoice", invoice_id=each["invoice_id"])))
    if not found:
        raise DeadEnd("nothing is open")
    return found


def _pay_latest(facts: Facts) -> Policy:
    invoices = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    chosen = yield choose(
        [each for each in invoices if facts.get("kind") in (None, each["kind"])],
        key=lambda each: late_first(each["issued_on"]),
    )
    invoice = yield do("get_invoice", invoice_id=chosen["invoice_id"])
    share = f"{invoice['patient_share']:.2f}"
    if invoice["patient_share"] > facts.get("max_share", 10_000):
        return Reply(f"I paid nothing: your share of {invoice['invoice_id']} is {share} euros.", (share,))
    yield do("pay_invoice", invoice_id=invoice["invoice_id"], method=facts["method"])
    text = f"{invoice['invoice_id']} is paid by {facts['method']}: {share} euros."
    return Reply(text, (invoice["invoice_id"], share))


def _pay_all(facts: Facts) -> Policy:
    paid = []
    for invoice in (yield from _open_invoices(facts)):
        if invoice["patient_share"] <= facts.get("max_share", 10_000):
            paid.append((yield do("pay_invoice", invoice_id=invoice["invoice_id"], method=facts["method"])))
    if not paid:
        raise DeadEnd("nothing is small enough")
    total = f"{sum(each['patient_share'] for each in paid):.2f}"
    return Reply(f"I paid {len(paid)} by {facts['method']}, {total} euros altogether.", (total,))


def _owed(facts: Facts) -> Policy:
    invoices = yield from _open_invoices(facts)
    total = f"{sum(each['patient_share'] for each in invoices):.2f}"
    text, told = f"You still owe {total} euros.", [total]
    if facts.get("with_insurer_share"):
        covered = f"{sum(each['insurer_share'] for each in invoices):.2f}"
        text, told = f"{text} Your insurer pays {covered} euros.", [*told, covered]
    return Reply(text, tuple(told))


def _split(facts: Facts) -> Policy:
    invoices = yield from _open_invoices(facts)
    invoice = yield choose(invoices, key=lambda each: -each["patient_share"])
    monthly = f"{invoice['patient_share'] / facts['instalments']:.2f}"
    if float(monthly) > facts.get("max_monthly", 10_000):
        return Reply(f"I left it as it is: it would be {monthly} euros a month.", (monthly,))
    split = yield do("set_up_instalments", invoice_id=invoice["invoice_id"], instalments=facts["instalments"])
    text = f"{invoice['invoice_id']} is now split, {split['monthly']:.2f} euros a month."
    return Reply(text, (invoice["invoice_id"], f"{split['monthly']:.2f}"))


def _another_number(world: World, rng: Random, facts: Facts) -> Facts:
    return {"instalments": pick(rng, [number for number in (2, 3, 4, 5) if number != facts["instalments"]])}


OTHER_METHOD = twist("another way to pay", "change_of_mind", says(
    "No, wait, please use another way to pay: {method}.",
    "actually pay by {method}.",
    "Oh, that account's nearly empty, so better by {method}.",
    "I wish to change the method of payment to {method}.",
), another("method", METHODS))  # fmt: skip
CONSULTATIONS = twist("consultations only", "constraint", says(
    "Only invoices for consultations count, not the others.",
    "consultations only.",
    "I'm only talking about the bills for consultations, mind you.",
    "Only invoices of the kind consultation are concerned.",
), kind="consultation")  # fmt: skip
LABORATORY_ONLY = twist("laboratory only", "constraint", says(
    "Only invoices from the laboratory count, not the others.",
    "lab ones only.",
    "I'm only talking about the bills from the lab, mind you.",
    "Only invoices of the kind laboratory are concerned.",
), kind="laboratory")  # fmt: skip
LETTER = remark(
    "the reminder",
    "You need not send me a receipt.",
    "no receipt needed.",
    "I don't need one of those paper receipts, the drawer is full of them.",
)

BILLING = (
    Program(
        "pay_latest_invoice",
        "Pay the latest open invoice",
        says(
            "[Please|I would like you to|Be so kind as to] pay my most recent open invoice by {method} and tell me its "
            "number and what I paid.",
            "pay my newest open invoice, {method}. number and amount?",
            "A bill came in the other day, so [could you|would you|can you] settle the newest one that's open by "
            "{method} and tell me the number and how much it was?",
            "[Kindly|Please|I ask you to] settle my most recently issued open invoice by {method}, stating its number "
            "and the sum paid.",
            "pay the newest bill i have open with {method}, what number and how much?",
            "Please pay my last invoice which is open, by {method}, and say the number and the money.",
            confused="There is a new invoice, I think, the most recent open one: pay that by {method}, and which "
            "number was it, and how much?",
        ),
        _draw_payment,
        _pay_latest,
        (
            OTHER_METHOD,
            CONSULTATIONS,
            LABORATORY_ONLY,
            twist("not too much", "condition", says(
                "Pay only if my share is {max_share:money} euros or less; otherwise just tell me how much it is.",
                "only if it's {max_share:money} or less, else just tell me the amount.",
                "If my part is above {max_share:money} euros I'll have to wait for my pension, so then just tell me "
                "how much.",
                "Should my share exceed EUR {max_share:money}, do not pay but state it.",
            ), amount(8, 60, "max_share")),
        ),
        unknown="I do not have the invoice at hand.",
    ),
    Program(
        "pay_all_invoices",
        "Pay everything that is open",
        says(
            "[Please|I would like you to|Be so kind as to] pay all of my open invoices by {method} and tell me the "
            "total.",
            "pay all my open invoices, {method}, total?",
            "I'd like a clean slate before Christmas, so pay every bill that's still open by {method} and tell me "
            "what it all came to!",
            "[Please|Kindly] settle all invoices outstanding in my name by {method} and state the total.",
            "pay everything i've got open with {method}, total please!",
            non_native="Please pay all my invoices which are open, by {method}, and how much is it together?",
            confused="I do not know which of the invoices are still open; pay all of those by {method}, and what does "
            "it make together?",
        ),
        _draw_payment,
        _pay_all,
        (
            OTHER_METHOD,
            CONSULTATIONS,
            LETTER,
            twist("small ones only", "condition", says(
                "Leave out those of which my share is more than {max_share:money} euros.",
                "skip any where my share is over {max_share:money}.",
                "The big ones will have to wait, though, I mean those where my part is above {max_share:money} "
                "euros.",
                "Invoices of which my share exceeds EUR {max_share:money} are to be omitted.",
            ), amount(15, 70, "max_share")),
        ),
    ),
    Program(
        "amount_owed",
        "Learn how much one still owes",
        says(
            "How much do I still owe you altogether, that is, my own share of all open invoices?",
            "my share of all open invoices, total?",
            "I've been putting off the paperwork, so tell me gently: what do I owe you by now, my own part of "
            "everything open?",
            "[Please|Kindly] state the sum of my own shares of all open invoices.",
            "what do i owe in total, my own part of the open bills?",
            "How much in total I must still pay for my open invoices, only my part?",
            confused="How much is it that I still have to pay you, my own share of all that is open?",
        ),
        _draw_debtor,
        _owed,
        (
            twist("the insurer's part", "lookup", says(
                "And how much of them does my insurer pay?",
                "and the insurer's part?",
                "And what's the insurance putting towards all that?",
                "[Please|Kindly] state the insurer's part of them as well.",
            ), with_insurer_share=True),
            CONSULTATIONS,
            LABORATORY_ONLY,
            LETTER,
        ),
    ),
    Program(
        "split_largest_invoice",
        "Pay the largest open invoice in instalments",
        says(
            "[Please|I would like you to|Be so kind as to] let me pay the open invoice with my largest share in "
            "{instalments:int} instalments; which is it, and how much a month?",
            "split my biggest open invoice in {instalments:int}. which one, how much monthly?",
            "Things are a bit tight this winter, so could I pay the biggest of my open bills bit by bit, in "
            "{instalments:int} months, and what's its number and how much each month?",
            "I request payment of the open invoice bearing my largest share in {instalments:int} monthly "
            "instalments; kindly state its number and the instalment.",
            "biggest open bill of mine, {instalments:int} instalments, which one and how much a month?",
            non_native="My open invoice with the biggest part for me, I want to pay in {instalments:int} instalments; "
            "which invoice is it and how much every month?",
            confused="The open invoice where my share is the largest, can that be paid in {instalments:int} "
            "instalments? Then please do that; which one is it, and how much is it each month?",
        ),
        _draw_split,
        _split,
        (
            twist("another number", "change_of_mind", says(
                "No, make that {instalments:int} instalments.",
                "rather {instalments:int}.",
                "Hm, let me think, {instalments:int} months would be better after all.",
                "I have reconsidered: {instalments:int} instalments are what I request.",
            ), _another_number),
            twist("bearable", "condition", says(
                "If it is more than {max_monthly:money} euros a month, leave it and tell me the amount.",
                "over {max_monthly:money} a month? leave it, tell me the amount.",
                "I can't manage more than {max_monthly:money} euros a month though, so in that case leave it and "
                "tell me how much it would be.",
                "Should the instalment exceed EUR {max_monthly:money}, make no arrangement and state it.",
            ), amount(10, 35, "max_monthly")),
            CONSULTATIONS,
        ),
    ),
)  # fmt: skip
