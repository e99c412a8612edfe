"""Programs about a customer's own accounts: moving money, adding up, and overdrafts."""

from random import Random

from toolscale.reference.finance.catalogue import SCALE
from toolscale.reference.finance.programs.shared import (
    KEEP,
    OTHER_AMOUNT,
    a_sum,
    available,
    can_pay,
    current_accounts,
    owner,
    savings_accounts,
    short_of,
)
from toolscale.reference.kit import must, theirs
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

LIMITS = (200, 300, 400, 500, 600, 800, 1000, 1200, 1500, 2000)


def _draw_move(world: World, rng: Random) -> Facts:
    source = pick(rng, can_pay(world))
    customer_id = str(source["customer_id"])
    others = [each for each in theirs(world, "accounts", customer_id) if each["account_id"] != source["account_id"]]
    target = pick(rng, others)
    currency = str(source["currency"])
    return {
        **owner(source),
        "account_id": source["account_id"],
        "to_account": target["account_id"],
        "amount": a_sum(rng, currency, available(source)),
        "currency": currency,
    }


def _move(facts: Facts) -> Solution:
    source = yield do("get_account", account_id=facts["account_id"])
    if source["withdrawals_left"] == 0 or source["available"] < facts["amount"]:
        raise DeadEnd("it cannot be paid from there")
    if short_of(facts, source, facts["amount"]):
        left = shown(source["available"])
        return Reply(f"I moved nothing: {left} {source['currency']} are available.", (left,))
    done = yield do(
        "move_money",
        from_account_id=facts["account_id"],
        to_account_id=facts["to_account"],
        amount=facts["amount"],
    )
    here, there = shown(done["from_balance"]), shown(done["to_balance"])
    return Reply(f"Done. The balances are now {here} and {there}.", (here, there))


MOVE = WORDS.program("move_between_accounts", _draw_move, _move, (KEEP, OTHER_AMOUNT))


def _draw_top_up(world: World, rng: Random) -> Facts:
    target = pick(rng, [*current_accounts(world), *savings_accounts(world)])
    return {
        **owner(target),
        "to_account": target["account_id"],
        "amount": a_sum(rng, target["currency"]),
        "currency": target["currency"],
    }


def _top_up(facts: Facts) -> Solution:
    accounts = yield do("list_accounts", customer_id=facts["customer_id"])
    others = [
        each
        for each in accounts
        if each["account_id"] != facts["to_account"]
        and each["currency"] == facts["currency"]
        and each["status"] == "active"
        and (not facts.get("kind") or each["kind"] == facts["kind"])
    ]
    if len(others) < 2 and not facts.get("kind"):
        raise DeadEnd("nothing to choose between")
    source = yield choose(others, key=lambda each: -each["available"])
    must(source["withdrawals_left"] != 0, "nothing may be taken from the fullest")
    must(source["available"] >= facts["amount"], "there is not enough anywhere")
    done = yield do(
        "move_money",
        from_account_id=source["account_id"],
        to_account_id=facts["to_account"],
        amount=facts["amount"],
    )
    balance = shown(done["from_balance"])
    text = f"The money came from {source['account_id']}, where {balance} {facts['currency']} are left."
    return Reply(text, (source["account_id"], balance))


TOP_UP = WORDS.program(
    "top_up_from_fullest",
    _draw_top_up,
    _top_up,
    (
        OTHER_AMOUNT,
        WORDS.twist("only from savings", "constraint", sets={"kind": "savings"}),
    ),
)


def _draw_overdraft(world: World, rng: Random) -> Facts:
    behind = {each["customer_id"] for each in world.rows("loans") if each["arrears"]}
    fitting = [each for each in current_accounts(world) if each["customer_id"] not in behind and each["balance"] > 0]
    account = pick(rng, fitting)
    limit = float(rng.choice(LIMITS) * SCALE[account["currency"]])
    return {
        **owner(account),
        "account_id": account["account_id"],
        "limit": limit,
        "currency": account["currency"],
    }


def _overdraft(facts: Facts) -> Solution:
    account = yield do("get_account", account_id=facts["account_id"])
    raised = facts["limit"] > account["overdraft_limit"]
    before = shown(account["overdraft_limit"])
    must(facts["limit"] != account["overdraft_limit"], "it is that already")
    if facts.get("only_up") and not raised:
        return Reply(f"I left it at {before} {account['currency']}, which is more.", (before,))
    done = yield do("set_overdraft", account_id=facts["account_id"], limit=facts["limit"])
    now = shown(done["available"])
    return Reply(f"The limit was {before} before, and {now} {account['currency']} are available now.", (now,))


OVERDRAFT = WORDS.program(
    "set_overdraft",
    _draw_overdraft,
    _overdraft,
    (
        WORDS.twist("only if that is more", "condition", sets={"only_up": True}),
        WORDS.twist(
            "another limit",
            "change_of_mind",
            draw=lambda world, rng, facts: {"limit": facts["limit"] * rng.choice((0.5, 1.5, 2.0))},
        ),
    ),
)


def _draw_total(world: World, rng: Random) -> Facts:
    account = pick(rng, [*current_accounts(world), *savings_accounts(world)])
    return {**owner(account), "currency": account["currency"]}


def _total(facts: Facts) -> Solution:
    listed = yield do("list_accounts", customer_id=facts["customer_id"])
    accounts = [each for each in listed if each["currency"] == facts["currency"]]
    if facts.get("kind"):
        accounts = [each for each in accounts if each["kind"] == facts["kind"]]
    must(len(accounts) >= 2, "nothing to add up")
    total = shown(sum(each["balance"] for each in accounts))
    least = yield choose(accounts, key=lambda each: each["balance"])
    text = f"{total} {facts['currency']} in all; the least is on {least['account_id']}."
    return Reply(text, (total, least["account_id"]))


TOTAL = WORDS.program(
    "total_balance",
    _draw_total,
    _total,
    (
        WORDS.twist("savings alone", "constraint", sets={"kind": "savings"}),
        WORDS.twist("current accounts alone", "constraint", sets={"kind": "current"}),
    ),
)

ACCOUNTS = (MOVE, TOP_UP, TOTAL, OVERDRAFT)
