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
    says,
    short_of,
    theirs,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown

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


def _move(facts: Facts) -> Policy:
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


MOVE = Program(
    "move_between_accounts",
    "Move money between two of the customer's own accounts and learn both balances",
    says(
        "Please [move|transfer] {amount:money} {currency} from my account {account_id} to my account {to_account}, and "
        "tell me [both balances afterwards|what the balance of each is then].",
        "move {amount:money} {currency}: my account {account_id} -> my account {to_account}. both new balances?",
        "[The dentist will want his money soon|I am shuffling my savings again|We had a little windfall], so could "
        "{amount:money} {currency} go from my account {account_id} over to my account {to_account}? What is on each "
        "of them then?",
        "Kindly rebook {amount:money} {currency} from my account {account_id} to my account {to_account} and state the "
        "resulting balances of both.",
        hurried="{amount:money} {currency} from my account {account_id} to my account {to_account}, now, and both "
        "balances!",
        non_native="I want to put {amount:money} {currency} from my account {account_id} in my account {to_account}, "
        "how much is after on the two?",
        confused="I have two accounts, I think, and {amount:money} {currency} should go from my account {account_id} "
        "to my account {to_account}, yes, that way round; what will be on each?",
    ),
    _draw_move,
    _move,
    (KEEP, OTHER_AMOUNT),
)


def _draw_top_up(world: World, rng: Random) -> Facts:
    target = pick(rng, [*current_accounts(world), *savings_accounts(world)])
    return {
        **owner(target),
        "to_account": target["account_id"],
        "amount": a_sum(rng, target["currency"]),
        "currency": target["currency"],
    }


def _top_up(facts: Facts) -> Policy:
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
    if source["withdrawals_left"] == 0:
        raise DeadEnd("nothing may be taken from the fullest")
    if source["available"] < facts["amount"]:
        raise DeadEnd("there is not enough anywhere")
    done = yield do(
        "move_money",
        from_account_id=source["account_id"],
        to_account_id=facts["to_account"],
        amount=facts["amount"],
    )
    balance = shown(done["from_balance"])
    text = f"The money came from {source['account_id']}, where {balance} {facts['currency']} are left."
    return Reply(text, (source["account_id"], balance))


TOP_UP = Program(
    "top_up_from_fullest",
    "Move money to an account from whichever other account in its currency has most available",
    says(
        "My account {to_account} needs {amount:money} {currency} more. Please take it from whichever of my other "
        "{currency} accounts has the most available, and tell me which that was and [what is left on it|its new "
        "balance].",
        "put {amount:money} {currency} on my account {to_account}, taken from my other {currency} account w/ most "
        "available. which one, what's left?",
        "[Rent week again!|The plumber was here, need I say more!] Could you put {amount:money} {currency} on my "
        "account {to_account}, out of whichever other {currency} account of mine has the most available? I would love "
        "to hear which and what remains there.",
        "I request a top-up of {amount:money} {currency} to my account {to_account}, drawn on that of my other "
        "{currency} accounts with the greatest sum available; kindly name it and its new balance.",
        non_native="On my account {to_account} I need {amount:money} {currency} more, take from my other account in "
        "{currency} where is available the most money; which one is it and how much it has after?",
    ),
    _draw_top_up,
    _top_up,
    (
        OTHER_AMOUNT,
        Twist(
            "only from savings",
            "constraint",
            says(
                "It has to come from a savings account, [please leave my current accounts alone|not from a current "
                "account].",
                "source: savings accounts only.",
                "But leave my current accounts in peace, it may only come out of savings!",
                "Only savings accounts are to be considered as the source.",
            ),
            sets={"kind": "savings"},
        ),
    ),
    unknown="I do not know which of my accounts that is.",
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


def _overdraft(facts: Facts) -> Policy:
    account = yield do("get_account", account_id=facts["account_id"])
    raised = facts["limit"] > account["overdraft_limit"]
    before = shown(account["overdraft_limit"])
    if facts["limit"] == account["overdraft_limit"]:
        raise DeadEnd("it is that already")
    if facts.get("only_up") and not raised:
        return Reply(f"I left it at {before} {account['currency']}, which is more.", (before,))
    done = yield do("set_overdraft", account_id=facts["account_id"], limit=facts["limit"])
    now = shown(done["available"])
    return Reply(f"The limit was {before} before, and {now} {account['currency']} are available now.", (now,))


OVERDRAFT = Program(
    "set_overdraft",
    "Set the overdraft limit of a current account and learn what is available then",
    says(
        "Please set the overdraft limit of my account {account_id} to {limit:money} {currency}, and tell me how much "
        "is available [in total then|to me after that].",
        "overdraft on my account {account_id}: {limit:money} {currency}. available then?",
        "[The car is making noises|Christmas is coming], so I would sleep better with an overdraft of {limit:money} "
        "{currency} on my account {account_id}; how much could I spend then?",
        "I request that the overdraft facility on my account {account_id} be set to {limit:money} {currency}; kindly "
        "state the sum available thereafter.",
        non_native="For my account {account_id} please make the overdraft {limit:money} {currency} and tell how much "
        "money is available after.",
    ),
    _draw_overdraft,
    _overdraft,
    (
        Twist(
            "only if that is more",
            "condition",
            says(
                "I only want that if it is more than [I have now|the present limit]; if not, leave the limit and tell "
                "me what it is.",
                "only if higher than current limit, else leave it, tell me the current one.",
                "Mind you, if my limit is bigger than that already, leave it as it is and just tell me what it is!",
                "This applies only if the present limit is lower; otherwise leave it in place and name it.",
            ),
            sets={"only_up": True},
        ),
        Twist(
            "another limit",
            "change_of_mind",
            says(
                "[Thinking about it again|On second thoughts], {limit:money} is the limit I want.",
                "limit {limit:money} instead.",
                "Oh dear, my sister looks at me sternly, so let it be a limit of {limit:money} instead!",
                "Upon reflection I prefer a limit of {limit:money}.",
            ),
            draw=lambda world, rng, facts: {"limit": facts["limit"] * rng.choice((0.5, 1.5, 2.0))},
        ),
    ),
)


def _draw_total(world: World, rng: Random) -> Facts:
    account = pick(rng, [*current_accounts(world), *savings_accounts(world)])
    return {**owner(account), "currency": account["currency"]}


def _total(facts: Facts) -> Policy:
    listed = yield do("list_accounts", customer_id=facts["customer_id"])
    accounts = [each for each in listed if each["currency"] == facts["currency"]]
    if facts.get("kind"):
        accounts = [each for each in accounts if each["kind"] == facts["kind"]]
    if len(accounts) < 2:
        raise DeadEnd("nothing to add up")
    total = shown(sum(each["balance"] for each in accounts))
    least = yield choose(accounts, key=lambda each: each["balance"])
    text = f"{total} {facts['currency']} in all; the least is on {least['account_id']}."
    return Reply(text, (total, least["account_id"]))


TOTAL = Program(
    "total_balance",
    "Add up the balances of all accounts in one currency and find the lowest",
    says(
        "What do the balances of all my {currency} accounts [add up to|come to together], and which of them has the "
        "lowest balance? Please give me its number.",
        "sum of balances over all my {currency} accounts? and account no. of the lowest?",
        "I am doing my sums at the kitchen table: what is on all my {currency} accounts taken together, and which one "
        "is the poor thing with the least on it? The number will do!",
        "Kindly state the sum of the balances of all accounts that I hold in {currency}, and the number of the one "
        "with the lowest balance.",
        confused="I have lost track of it all, how much is on all my {currency} accounts if you add it up? And which "
        "number has the one with the least on it?",
    ),
    _draw_total,
    _total,
    (
        Twist(
            "savings alone",
            "constraint",
            says(
                "I mean the savings accounts only.",
                "savings only.",
                "Oh, but leave the current accounts out, it is the savings I am curious about!",
                "Only savings accounts are to be included.",
            ),
            sets={"kind": "savings"},
        ),
        Twist(
            "current accounts alone",
            "constraint",
            says(
                "Count current accounts only, no savings.",
                "current accounts only.",
                "The savings I do not dare to look at, so only current accounts, please!",
                "Savings accounts are to be left out of the reckoning.",
            ),
            sets={"kind": "current"},
        ),
    ),
)

ACCOUNTS = (MOVE, TOP_UP, TOTAL, OVERDRAFT)
