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
    says,
    short_of,
    theirs,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown

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


def _open_savings(facts: Facts) -> Policy:
    source = yield do("get_account", account_id=facts["account_id"])
    products = yield do("list_savings_products", customer_id=facts["customer_id"])
    if facts.get("any_time"):
        products = [each for each in products if each["monthly_withdrawals"] is None]
    best = yield choose(products, key=lambda each: -each["interest_percent"])
    if source["available"] < facts["amount"]:
        raise DeadEnd("there is not enough on the account")
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


OPEN_SAVINGS = Program(
    "open_savings_account",
    "Open the savings account with the highest interest that one may have",
    says(
        "I would like to open a savings account, whichever pays me the highest interest. Call it {label} and pay in "
        "{amount:money} {currency} from my account {account_id}. [Which kind is it, and what is its IBAN?|Tell me the "
        "kind of account and its IBAN.]",
        "open the savings account w/ best interest for me, name {label}, first {amount:money} {currency} from my "
        "account {account_id}. which kind + IBAN?",
        "I am finally starting to save! Whichever savings account gives me the most interest, please open it, call it "
        "{label}, and put in {amount:money} {currency} from my account {account_id}. What is it called, and the IBAN?",
        "Kindly open in my name the savings account bearing the highest interest available to me, named {label}, with "
        "an initial payment of {amount:money} {currency} from my account {account_id}, and state its kind and IBAN.",
        non_native="I like to open one account for saving, this with the most interest for me, name is {label}, and "
        "put {amount:money} {currency} from my account {account_id}. Which kind is it and which IBAN?",
    ),
    _draw_opening,
    _open_savings,
    (
        KEEP,
        OTHER_AMOUNT,
        Twist(
            "withdrawals at any time",
            "constraint",
            says(
                "I must be able to take money out as often as I like, [so no account that counts withdrawals|without a "
                "monthly number of withdrawals].",
                "must have unlimited withdrawals.",
                "Only, I am hopeless at waiting, so it must let me take money out as often as I like!",
                "The number of withdrawals must not be limited.",
            ),
            sets={"any_time": True},
        ),
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


def _close(facts: Facts) -> Policy:
    account = yield do("get_account", account_id=facts["account_id"])
    balance = shown(account["balance"])
    if account["balance"] > facts.get("most", 1e12):
        return Reply(f"I left the account open: {balance} {account['currency']} are on it.", (balance,))
    done = yield do("close_account", account_id=facts["account_id"], pay_out_to=facts["to_account"])
    paid, new = shown(done["paid_out"]), shown(done["new_balance"])
    return Reply(f"It is closed; {paid} were paid out, and the other balance is {new}.", (paid, new))


CLOSE = Program(
    "close_account",
    "Close an account and have its balance paid out to another one",
    says(
        "[I no longer need it, so please|Please] close my account {account_id} and pay out what is on it to my account "
        "{to_account}. Tell me the amount paid out and the new balance there.",
        "close my account {account_id}, payout to my account {to_account}. amount + new balance?",
        "I have too many accounts for one small head! Please close my account {account_id}, whatever is on it goes to "
        "my account {to_account}; how much was it, and what do I have there now?",
        "I hereby give notice on my account {account_id}; its balance is to be paid to my account {to_account}. Kindly "
        "state the sum paid out and the balance of the latter.",
        non_native="My account {account_id} please close, the money of it put in my account {to_account}, and how much "
        "was it and how much is there now?",
    ),
    _draw_closing,
    _close,
    (
        Twist(
            "only if little is on it",
            "condition",
            says(
                "If there is more than {most:money} on it, though, [keep it open|do not close it] and only tell me the "
                "balance.",
                "but if it holds more than {most:money}: keep it, just tell me the balance.",
                "Unless there is more than {most:money} in it, that would surprise me, then keep it and tell me what "
                "is on it!",
                "Should its balance exceed {most:money}, the account shall remain and I only wish to know the balance.",
            ),
            draw=lambda world, rng, facts: {
                "most": rng.choice((5000.0, 8000.0, 12000.0)) * (1 if facts["currency"] in ("EUR", "GBP", "CHF") else 8)
            },
        ),
    ),
)

OPENING = (OPEN_SAVINGS, CLOSE)
