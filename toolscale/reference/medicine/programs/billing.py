"""Programs about invoices: pay, split, add up."""

from random import Random

from toolscale.reference.kit import latest_first, must, one_of
from toolscale.reference.medicine.programs.shared import Errand, amount
from toolscale.reference.program import Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)

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
    must(found, "nothing is open")
    return found


def _pay_latest(facts: Facts) -> Solution:
    invoices = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    chosen = yield choose(
        [each for each in invoices if facts.get("kind") in (None, each["kind"])],
        key=lambda each: latest_first(each["issued_on"]),
    )
    invoice = yield do("get_invoice", invoice_id=chosen["invoice_id"])
    share = f"{invoice['patient_share']:.2f}"
    if invoice["patient_share"] > facts.get("max_share", 10_000):
        return Reply(f"I paid nothing: your share of {invoice['invoice_id']} is {share} euros.", (share,))
    yield do("pay_invoice", invoice_id=invoice["invoice_id"], method=facts["method"])
    text = f"{invoice['invoice_id']} is paid by {facts['method']}: {share} euros."
    return Reply(text, (invoice["invoice_id"], share))


def _pay_all(facts: Facts) -> Solution:
    paid = []
    for invoice in (yield from _open_invoices(facts)):
        if invoice["patient_share"] <= facts.get("max_share", 10_000):
            paid.append((yield do("pay_invoice", invoice_id=invoice["invoice_id"], method=facts["method"])))
    must(paid, "nothing is small enough")
    total = f"{sum(each['patient_share'] for each in paid):.2f}"
    return Reply(f"I paid {len(paid)} by {facts['method']}, {total} euros altogether.", (total,))


def _owed(facts: Facts) -> Solution:
    invoices = yield from _open_invoices(facts)
    total = f"{sum(each['patient_share'] for each in invoices):.2f}"
    text, told = f"You still owe {total} euros.", [total]
    if facts.get("with_insurer_share"):
        covered = f"{sum(each['insurer_share'] for each in invoices):.2f}"
        text, told = f"{text} Your insurer pays {covered} euros.", [*told, covered]
    return Reply(text, tuple(told))


def _split(facts: Facts) -> Solution:
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


OTHER_METHOD = WORDS.twist("another way to pay", "change_of_mind", one_of("method", *METHODS))
CONSULTATIONS = WORDS.twist("consultations only", "constraint", sets={"kind": "consultation"})
LABORATORY_ONLY = WORDS.twist("laboratory only", "constraint", sets={"kind": "laboratory"})
LETTER = WORDS.twist("the reminder", "distractor")

BILLING = (
    WORDS.program(
        "pay_latest_invoice",
        _draw_payment,
        _pay_latest,
        (
            OTHER_METHOD,
            CONSULTATIONS,
            LABORATORY_ONLY,
            WORDS.twist("not too much", "condition", amount(8, 60, "max_share")),
        ),
    ),
    WORDS.program(
        "pay_all_invoices",
        _draw_payment,
        _pay_all,
        (
            OTHER_METHOD,
            CONSULTATIONS,
            LETTER,
            WORDS.twist("small ones only", "condition", amount(15, 70, "max_share")),
        ),
    ),
    WORDS.program(
        "amount_owed",
        _draw_debtor,
        _owed,
        (
            WORDS.twist("the insurer's part", "lookup", sets={"with_insurer_share": True}),
            CONSULTATIONS,
            LABORATORY_ONLY,
            LETTER,
        ),
    ),
    WORDS.program(
        "split_largest_invoice",
        _draw_split,
        _split,
        (
            WORDS.twist("another number", "change_of_mind", _another_number),
            WORDS.twist("bearable", "condition", amount(10, 35, "max_monthly")),
            CONSULTATIONS,
        ),
    ),
)
