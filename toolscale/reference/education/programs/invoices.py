"""Programs about invoices: paying, splitting, and what is owed."""

from random import Random

from toolscale.reference.education.programs.shared import TODAY_ISO, TOTAL, Record, later_first, must, with_total
from toolscale.reference.program import Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown

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


def _pay(facts: Facts) -> Policy:
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


PAY = Program(
    "pay_invoice",
    "Pay what remains of an invoice",
    {
        "plain": "Please pay what remains of {invoice_id} by {method}, [all at once|in full], and tell me how much "
        "that is.",
        "terse": "pay off {invoice_id} in full by {method}. how much?",
        "chatty": "My grant came in at last, so let us get rid of {invoice_id}, the whole rest of it by {method}! How "
        "much was that in the end?",
        "formal": "Kindly settle the balance of {invoice_id} by {method} and state the sum.",
        "non_native": "I want to pay all the rest of {invoice_id} with {method}, please do and say how much it was.",
        "hurried": "Pay the rest of {invoice_id} by {method}, how much is it?",
    },
    _draw_pay,
    _pay,
    (
        Twist(
            "a limit on the payment",
            "condition",
            {
                "plain": "If that is more than {most:money} EUR, pay nothing and tell me what remains.",
                "terse": "more than {most:money} EUR? pay nothing, tell me what's left.",
                "chatty": "There are only {most:money} EUR in my account, so if it is more, hands off, and tell me the "
                "rest!",
                "formal": "In case the balance exceeds {most:money} EUR, no payment is to be made; state the balance.",
            },
            draw=_limit,
        ),
        Twist(
            "the other way to pay",
            "change_of_mind",
            {
                "plain": "Wait, I would rather have it paid by {method}.",
                "terse": "correction, by {method}.",
                "chatty": "Oh, hang on, better take it by {method}!",
                "formal": "I prefer, after all, that it be paid by {method}.",
            },
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


def _pay_part(facts: Facts) -> Policy:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    must(invoice["status"] == "open" and invoice["remaining"] > facts["amount"], "no part of it")
    done = yield do("pay_invoice", invoice_id=facts["invoice_id"], amount=facts["amount"], method=facts["method"])
    remaining = shown(done["remaining"])
    text = f"Paid; {remaining} EUR remain of it, due on {done['due_on']}."
    return (yield from with_total(facts, text, (remaining, done["due_on"])))


PAY_PART = Program(
    "pay_part_of_invoice",
    "Pay a part of an invoice and learn what remains and until when",
    {
        "plain": "I can spare {amount:money} EUR this month. Please pay that towards {invoice_id} by {method}. How "
        "much remains then, and when is it due?",
        "terse": "pay {amount:money} EUR towards {invoice_id}, {method}. rest + due date?",
        "chatty": "It is not the whole sum, I know, but please put {amount:money} EUR towards {invoice_id}, by "
        "{method}! How much will be left, and till when do I have?",
        "formal": "Please make a part payment of {amount:money} EUR towards {invoice_id} by {method}, and state the "
        "balance and its due date.",
        "non_native": "I can pay now only {amount:money} EUR for {invoice_id}, with {method}; how much stays and until "
        "which date?",
        "hurried": "Put {amount:money} EUR on {invoice_id} by {method}, what's left and due when?",
    },
    _draw_part,
    _pay_part,
    (
        Twist(
            "another sum",
            "change_of_mind",
            {
                "plain": "Let me correct that, it should be {amount:money} EUR.",
                "terse": "sorry, {amount:money} EUR.",
                "chatty": "Oh, I just looked in my purse again, make that {amount:money} EUR!",
                "formal": "The sum is to be corrected to {amount:money} EUR.",
            },
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


def _split(facts: Facts) -> Policy:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    must(invoice["status"] == "open" and invoice["remaining"] >= 200 and invoice["instalments"] == 1, "no split")
    must(invoice["due_on"] >= TODAY_ISO, "it is overdue")
    done = yield do("split_invoice", invoice_id=facts["invoice_id"], instalments=facts["instalments"])
    each = shown(done["each"])
    text = f"You pay {each} EUR {done['instalments']} times, first on {done['first_due_on']}."
    return Reply(text, (each, done["first_due_on"]))


SPLIT = Program(
    "split_invoice",
    "Have an invoice split into monthly instalments",
    {
        "plain": "[I cannot pay it all at once.|It is too much in one go.] Please split {invoice_id} into "
        "{instalments:count} instalments. How much is each, and when is the first due?",
        "terse": "split {invoice_id} in {instalments:int} instalments. each how much, first due when?",
        "chatty": "My savings took a knock, so could I pay {invoice_id} in {instalments:count} instalments? How much "
        "would each be and from what day?",
        "formal": "I request that {invoice_id} be divided into {instalments:count} instalments, and ask for the amount "
        "of each and the date of the first.",
        "non_native": "Please can I pay {invoice_id} in {instalments:count} parts; how much is one part and when the "
        "first?",
        "confused": "Somebody said one can pay {invoice_id} in {instalments:count} instalments, is that so, then do "
        "it, and how much is one and when does it begin?",
    },
    _draw_split,
    _split,
    (
        Twist(
            "another number of instalments",
            "change_of_mind",
            {
                "plain": "Actually, better in {instalments:count} instalments.",
                "terse": "no, {instalments:int} instalments.",
                "chatty": "I did the sums again, and {instalments:count} instalments would suit me better!",
                "formal": "Upon review, {instalments:count} instalments are preferred.",
            },
            draw=lambda world, rng, facts: {
                "instalments": pick(rng, [each for each in (2, 3, 4) if each != facts.get("instalments")])
            },
        ),
    ),
)


def _first_due(facts: Facts) -> Policy:
    listed = yield do("list_invoices", student_id=facts["student_id"])
    if facts.get("largest"):
        invoice = yield choose(listed["invoices"], key=lambda each: -each["remaining"])
    else:
        invoice = yield choose(listed["invoices"], key=lambda each: each["due_on"])
    remaining = shown(invoice["remaining"])
    yield do("pay_invoice", invoice_id=invoice["invoice_id"], amount=invoice["remaining"], method=facts["method"])
    text = f"I paid {remaining} EUR for {invoice['title']} ({invoice['invoice_id']})."
    return (yield from with_total(facts, text, (invoice["invoice_id"], remaining)))


FIRST_DUE = Program(
    "pay_what_is_due_first",
    "Pay whichever open invoice is due first",
    {
        "plain": "Please pay whichever of my open invoices is due first, by {method}, and tell me its number and how "
        "much it was.",
        "terse": "pay my invoice that's due first, {method}. number + sum?",
        "chatty": "I have a little pile of invoices here, so please pay the one that is due first, by {method}! Which "
        "number is that, and how much?",
        "formal": "Of my open invoices, please settle the one that falls due first, by {method}, and state its number "
        "and amount.",
        "non_native": "I have some invoices open, please pay this which is first to pay, by {method}, and say the "
        "number and how much.",
        "confused": "I have several of those invoices, so pay the one that is due first, by {method}, and which one "
        "was it and how much?",
    },
    lambda world, rng: {"student_id": an_invoice(world, rng)["student_id"], "method": rng.choice(METHODS)},
    _first_due,
    (
        Twist(
            "the largest instead",
            "change_of_mind",
            {
                "plain": "No, pay the one of which the most remains instead.",
                "terse": "no, the one with the most left to pay.",
                "chatty": "Hm, I would sleep better without the biggest one, so pay the one with the most left "
                "instead!",
                "formal": "Instead, kindly settle the one with the largest balance.",
            },
            sets={"largest": True},
        ),
        TOTAL,
    ),
)


def _owed(facts: Facts) -> Policy:
    listed = yield do("list_invoices", student_id=facts["student_id"])
    if facts.get("last"):
        invoice = yield choose(listed["invoices"], key=lambda each: later_first(each["due_on"]))
    else:
        invoice = yield choose(listed["invoices"], key=lambda each: each["due_on"])
    total = shown(listed["total_remaining"])
    text = f"You owe {total} EUR in all; that for {invoice['title']} is the one, due {invoice['due_on']}."
    return Reply(text, (total, invoice["title"], invoice["due_on"]))


OWED = Program(
    "what_is_owed",
    "Find out how much is owed in all, and for which course money is due first",
    {
        "plain": "How much do I owe the university in all, for which course is money due first, and on what day?",
        "terse": "total i owe, and which course's invoice is due first, when?",
        "chatty": "I dread the answer, but how much do I owe you in all, and which course is it that I have to pay for "
        "first, and when?",
        "formal": "Please state the total of my open invoices, the course whose invoice falls due first, and its due "
        "date.",
        "non_native": "How much money I must pay to university together, for which course is the first, and which day?",
        "hurried": "What do I owe altogether, which course is due first, what day?",
    },
    lambda world, rng: {"student_id": an_invoice(world, rng)["student_id"]},
    _owed,
    (
        Twist(
            "the last instead",
            "change_of_mind",
            {
                "plain": "Or rather than the first, tell me the course for which money is due last.",
                "terse": "not first: the one due last.",
                "chatty": "Actually, I know what comes first, so which one can wait the longest?",
                "formal": "In place of the first, kindly name the one that falls due last.",
            },
            sets={"last": True},
        ),
    ),
)


INVOICES = (PAY, PAY_PART, SPLIT, FIRST_DUE, OWED)
