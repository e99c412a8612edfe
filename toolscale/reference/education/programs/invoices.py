"""Programs about invoices: paying, splitting, and what is owed."""

from random import Random

from toolscale.reference.education.programs.shared import TODAY_ISO, TOTAL, Record, with_total
from toolscale.reference.kit import latest_first, must
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.words import words

WORDS = words(__file__)

METHODS = ("card", "bank transfer")


def an_invoice(world: World, rng: Random, *, overdue: bool | None = None, least: float = 0) -> Record:
    """An open invoice with so much remaining; overdue or not, where that matters."""
    return pick(
        rng,
        [
            each
            for each in world.rows("invoices")
            if each["status"] == "open"
            and each["amount"] - each["paid"] >= least
            and overdue in (None, each["due_on"] < TODAY_ISO)
        ],
    )


def _draw_pay(world: World, rng: Random) -> Facts:
    invoice = an_invoice(world, rng)
    return {
        "student_id": invoice["student_id"],
        "invoice_id": invoice["invoice_id"],
        "method": rng.choice(METHODS),
    }


def _pay(facts: Facts) -> Solution:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    must(invoice["status"] == "open", "nothing to pay")
    remaining = shown(invoice["remaining"])
    if invoice["remaining"] > facts.get("most", invoice["remaining"]):
        return Reply(f"I paid nothing: {remaining} EUR remain, due on {invoice['due_on']}.", (remaining,))
    yield do("pay_invoice", invoice_id=facts["invoice_id"], amount=invoice["remaining"], method=facts["method"])
    text = f"I paid {remaining} EUR for {invoice['title']} by {facts['method']}."
    return (yield from with_total(facts, text, (remaining,)))


def _limit(world: World, rng: Random, facts: Facts) -> Facts:
    invoice = world.get("invoices", facts["invoice_id"])
    return {"most": limit_near(rng, invoice["amount"], (0.8, 1.1, 1.2, 1.4))} if invoice else {"most": 400.0}


PAY = WORDS.program(
    "pay_invoice",
    _draw_pay,
    _pay,
    (
        WORDS.twist("a limit on the payment", "condition", draw=_limit),
        WORDS.twist(
            "the other way to pay",
            "change_of_mind",
            draw=lambda world, rng, facts: {
                "method": pick(rng, [each for each in METHODS if each != facts.get("method")])
            },
        ),
        TOTAL,
    ),
    again="invoice_id",
)


def _draw_part(world: World, rng: Random) -> Facts:
    invoice = an_invoice(world, rng, overdue=False, least=150)
    return {
        "student_id": invoice["student_id"],
        "invoice_id": invoice["invoice_id"],
        "amount": float(rng.choice((40, 50, 75, 80, 100, 120))),
        "method": rng.choice(METHODS),
    }


def _pay_part(facts: Facts) -> Solution:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    must(invoice["status"] == "open" and invoice["remaining"] > facts["amount"], "no part of it")
    done = yield do("pay_invoice", invoice_id=facts["invoice_id"], amount=facts["amount"], method=facts["method"])
    remaining = shown(done["remaining"])
    text = f"Paid; {remaining} EUR remain of it, due on {done['due_on']}."
    return (yield from with_total(facts, text, (remaining, done["due_on"])))


PAY_PART = WORDS.program(
    "pay_part_of_invoice",
    _draw_part,
    _pay_part,
    (
        WORDS.twist(
            "another sum",
            "change_of_mind",
            draw=lambda world, rng, facts: {
                "amount": pick(rng, [each for each in (35.0, 60.0, 90.0, 110.0) if each != facts.get("amount")])
            },
        ),
        TOTAL,
    ),
)


def _draw_split(world: World, rng: Random) -> Facts:
    invoice = an_invoice(world, rng, overdue=False, least=200)
    return {
        "student_id": invoice["student_id"],
        "invoice_id": invoice["invoice_id"],
        "instalments": rng.choice((2, 3, 4)),
    }


def _split(facts: Facts) -> Solution:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    must(invoice["status"] == "open" and invoice["remaining"] >= 200 and invoice["instalments"] == 1, "no split")
    must(invoice["due_on"] >= TODAY_ISO, "it is overdue")
    done = yield do("split_invoice", invoice_id=facts["invoice_id"], instalments=facts["instalments"])
    each = shown(done["each"])
    text = f"You pay {each} EUR {done['instalments']} times, first on {done['first_due_on']}."
    return Reply(text, (each, done["first_due_on"]))


SPLIT = WORDS.program(
    "split_invoice",
    _draw_split,
    _split,
    (
        WORDS.twist(
            "another number of instalments",
            "change_of_mind",
            draw=lambda world, rng, facts: {
                "instalments": pick(rng, [each for each in (2, 3, 4) if each != facts.get("instalments")])
            },
        ),
    ),
)


def _first_due(facts: Facts) -> Solution:
    listed = yield do("list_invoices", student_id=facts["student_id"])
    if facts.get("largest"):
        invoice = yield choose(listed["invoices"], key=lambda each: -each["remaining"])
    else:
        invoice = yield choose(listed["invoices"], key=lambda each: each["due_on"])
    remaining = shown(invoice["remaining"])
    yield do("pay_invoice", invoice_id=invoice["invoice_id"], amount=invoice["remaining"], method=facts["method"])
    text = f"I paid {remaining} EUR for {invoice['title']} ({invoice['invoice_id']})."
    return (yield from with_total(facts, text, (invoice["invoice_id"], remaining)))


FIRST_DUE = WORDS.program(
    "pay_what_is_due_first",
    lambda world, rng: {"student_id": an_invoice(world, rng)["student_id"], "method": rng.choice(METHODS)},
    _first_due,
    (
        WORDS.twist("the largest instead", "change_of_mind", sets={"largest": True}),
        TOTAL,
    ),
)


def _owed(facts: Facts) -> Solution:
    listed = yield do("list_invoices", student_id=facts["student_id"])
    if facts.get("last"):
        invoice = yield choose(listed["invoices"], key=lambda each: latest_first(each["due_on"]))
    else:
        invoice = yield choose(listed["invoices"], key=lambda each: each["due_on"])
    total = shown(listed["total_remaining"])
    text = f"You owe {total} EUR in all; that for {invoice['title']} is the one, due {invoice['due_on']}."
    return Reply(text, (total, invoice["title"], invoice["due_on"]))


OWED = WORDS.program(
    "what_is_owed",
    lambda world, rng: {"student_id": an_invoice(world, rng)["student_id"]},
    _owed,
    (WORDS.twist("the last instead", "change_of_mind", sets={"last": True}),),
)


INVOICES = (PAY, PAY_PART, SPLIT, FIRST_DUE, OWED)
