"""Programs that open an account and close one."""

from random import Random

from toolscale.reference.finance.programs.shared import (
    KEEP,
    OTHER_AMOUNT,
    a_sum,
    available,
    can_pay,
    current_accounts,
    owner,
    short_of,
)
from toolscale.reference.kit import must, theirs
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

LABELS = ("Bicycle fund", "Summer 2027", "Piano lessons", "New laptop", "Garden", "Driving licence", "Grand tour")


def _draw_opening(world: World, rng: Random) -> Facts:
    source = pick(rng, [each for each in current_accounts(world) if each["balance"] > 500])
    return {
        **owner(source),
        "account_id": source["account_id"],
        "amount": a_sum(rng, source["currency"], available(source)),
        "currency": source["currency"],
        "label": rng.choice(LABELS),
    }


def _open_savings(facts: Facts) -> Solution:
    source = yield do("get_account", account_id=facts["account_id"])
    products = yield do("list_savings_products", customer_id=facts["customer_id"])
    if facts.get("any_time"):
        products = [each for each in products if each["monthly_withdrawals"] is None]
    best = yield choose(products, key=lambda each: -each["interest_percent"])
    must(source["available"] >= facts["amount"], "there is not enough on the account")
    if short_of(facts, source, facts["amount"]):
        left = shown(source["available"])
        return Reply(f"I opened nothing: {left} {source['currency']} are available.", (left,))
    done = yield do(
        "open_savings_account",
        product_id=best["product_id"],
        account_id=facts["account_id"],
        label=facts["label"],
        amount=facts["amount"],
    )
    text = f"You have a {best['name']} now, number {done['account_id']}, {done['iban']}."
    return Reply(text, (best["name"], done["iban"]))


OPEN_SAVINGS = WORDS.program(
    "open_savings_account",
    _draw_opening,
    _open_savings,
    (
        KEEP,
        OTHER_AMOUNT,
        WORDS.twist("withdrawals at any time", "constraint", sets={"any_time": True}),
    ),
)


def _draw_closing(world: World, rng: Random) -> Facts:
    account = pick(rng, [each for each in can_pay(world) if each["product_id"] != "PR-CURRENT"])
    others = [
        each
        for each in theirs(world, "accounts", str(account["customer_id"]))
        if each["account_id"] != account["account_id"]
        and each["currency"] == account["currency"]
        and each["status"] == "active"
    ]
    return {
        **owner(account),
        "account_id": account["account_id"],
        "to_account": pick(rng, others)["account_id"],
        "currency": account["currency"],
    }


def _close(facts: Facts) -> Solution:
    account = yield do("get_account", account_id=facts["account_id"])
    balance = shown(account["balance"])
    if account["balance"] > facts.get("most", 1e12):
        return Reply(f"I left the account open: {balance} {account['currency']} are on it.", (balance,))
    done = yield do("close_account", account_id=facts["account_id"], pay_out_to=facts["to_account"])
    paid, new = shown(done["paid_out"]), shown(done["new_balance"])
    return Reply(f"It is closed; {paid} were paid out, and the other balance is {new}.", (paid, new))


CLOSE = WORDS.program(
    "close_account",
    _draw_closing,
    _close,
    (
        WORDS.twist(
            "only if little is on it",
            "condition",
            draw=lambda world, rng, facts: {
                "most": rng.choice((5000.0, 8000.0, 12000.0)) * (1 if facts["currency"] in ("EUR", "GBP", "CHF") else 8)
            },
        ),
    ),
)

OPENING = (OPEN_SAVINGS, CLOSE)
