"""Figures that students want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.kit import must
from toolscale.reference.program import OUTCOME, DeadEnd, Facts, Reply, Solution, World, do
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

FIGURES = (
    Figure(
        ("pay_invoice",), "charged", "the sum paid", "the sums paid", {"pay_invoice": (150.0, 300.0)}, "pay_(?!part)"
    ),
    Figure(
        ("order_document",),
        "fee",
        "the fee for the copies",
        "the fees for the copies",
        {"order_document": (10.0, 20.0, 30.0)},
    ),
    Figure(("enrol",), "fee", "the course fee", "the course fees", {"enrol": (250.0, 400.0)}),
    Figure(
        ("apply_for_scholarship",),
        "amount",
        "the scholarship",
        "the scholarships",
        {"apply_for_scholarship": (1000.0, 2000.0)},
    ),
    Figure(("cancel_resit",), "paid_back", "the money back", "the sums that come back"),
)


def _invoice(facts: Facts) -> str:
    invoice: str | None = facts[OUTCOME]["invoice_id"]
    if invoice is None:
        raise DeadEnd("the course costs nothing")
    return invoice


def _draw_split(world: World, rng: Random, facts: Facts) -> Facts:
    must("fee_method" not in facts, "it is paid at once")
    return {"fee_parts": rng.choice((2, 3, 4))}


def _split(facts: Facts) -> Solution:
    done = yield do("split_invoice", invoice_id=_invoice(facts), instalments=facts["fee_parts"])
    each = shown(done["each"])
    return Reply(f"The fee is split; the first instalment is {each} EUR.", (each,))


SPLIT = WORDS.twist(
    "the new invoice in instalments", "dependent", draw=_draw_split, suits="enrol_", after=_split, takes=("enrol",)
)


def _draw_method(world: World, rng: Random, facts: Facts) -> Facts:
    must("fee_parts" not in facts, "it is paid in instalments")
    return {"fee_method": rng.choice(("card", "bank transfer"))}


def _pay(facts: Facts) -> Solution:
    invoice = _invoice(facts)
    yield do("pay_invoice", invoice_id=invoice, amount=facts[OUTCOME]["fee"], method=facts["fee_method"])
    return Reply(f"Invoice {invoice} is paid by {facts['fee_method']}.", (invoice,))


PAY_AT_ONCE = WORDS.twist(
    "the new invoice paid at once", "dependent", draw=_draw_method, suits="enrol_", after=_pay, takes=("enrol",)
)

OUTCOMES = (*computed(*FIGURES), SPLIT, PAY_AT_ONCE)
