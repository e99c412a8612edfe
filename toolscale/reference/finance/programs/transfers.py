"""Programs about paying somebody: at home and abroad, now and later, known and new payees."""

from datetime import datetime
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT
from toolscale.reference.finance.catalogue import CURRENCIES
from toolscale.reference.finance.ibans import iban
from toolscale.reference.finance.programs.shared import (
    KEEP,
    MAX_FEE,
    OTHER_AMOUNT,
    a_sum,
    available,
    current_accounts,
    later_day,
    owner,
    says,
    short_of,
    theirs,
)
from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Record,
    Reply,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.sums import shown

NAMES = {
    "DE": ("Tischlerei Buchfink", "Praxis Dr. Ahlbrecht", "Hilde Vossberg"),
    "FR": ("Garage Pelletier-Roux", "Cycles Grandval", "Odile Marchandeau"),
    "NL": ("Bram Uytendaal", "Fietsen Van Elswout", "Dakwerken Terhorst"),
    "ES": ("Studio Piqueras Vela", "Carpintería Salcedal", "Nuria Belmontez"),
    "IE": ("Eoin Rafferty-Lynch", "Kilbrannoch Joinery", "Sinead Mulvaney"),
    "IT": ("Atelier Sanguineti", "Officina Bellomonte", "Ilaria Frescobene"),
    "GB": ("Harriet Penhallow", "Marlowick Roofing", "The Quill Tutoring Rooms"),
    "CH": ("Malerei Zgraggwald", "Velo Hintermoos", "Regula Ammannstein"),
    "SE": ("Snickeri Björkdahl", "Elin Sandkvist", "Cykelverkstan Hjulet"),
    "PL": ("Stolarnia Dębina", "Kinga Wierzbowska", "Warsztat Pod Dębem"),
    "DK": ("Marta Holmgaard", "Tømrer Egeskov", "Cykelsmeden Bakken"),
}
"""Country -> new payees there: made-up people and small firms."""


def is_new(payee: Record) -> bool:
    """Whether a payee was added less than 24 hours ago."""
    return (PRESENT - datetime.fromisoformat(payee["added_at"])).total_seconds() < 24 * 3600


def _draw_send(world: World, rng: Random) -> Facts:
    account = pick(rng, [each for each in current_accounts(world) if available(each) > 700])
    payees = [each for each in theirs(world, "payees", account["customer_id"]) if not is_new(each)]
    abroad = [each for each in payees if each["currency"] != account["currency"]]
    payee = pick(rng, abroad if abroad and rng.random() < 0.5 else payees)
    return {
        **owner(account),
        "account_id": account["account_id"],
        "payee_id": payee["payee_id"],
        "amount": a_sum(rng, account["currency"], available(account)),
        "currency": account["currency"],
    }


def _send_from(facts: Facts, account_id: str) -> Steps:
    """Step: send the money, unless a condition stands against it; what to say, and what must be heard."""
    speed = facts.get("speed", "standard")
    quote = yield do(
        "quote_transfer", account_id=account_id, payee_id=facts["payee_id"], amount=facts["amount"], speed=speed
    )
    if quote["available"] < quote["total"]:
        raise DeadEnd("there is not enough on the account")
    if quote["payee_limit"] is not None and facts["amount"] > quote["payee_limit"]:
        raise DeadEnd("the payee is too new")
    fee, left = shown(quote["fee"]), shown(quote["available"])
    if quote["fee"] > facts.get("max_fee", 1e9):
        return f"I sent nothing: the fee would be {fee} {quote['currency']}.", (fee,)
    if short_of(facts, quote, quote["total"]):
        return f"I sent nothing: {left} {quote['currency']} are available.", (left,)
    done = yield do(
        "send_transfer",
        account_id=account_id,
        payee_id=facts["payee_id"],
        amount=facts["amount"],
        speed=None if speed == "standard" else speed,
        execute_on=facts.get("day"),
    )
    text = f"Transfer {done['transfer_id']} is {done['status']}; the fee is {fee} {quote['currency']}."
    foreign = quote["currency"] != quote["received_currency"]
    if foreign:
        text = f"{text} {shown(quote['received'])} {quote['received_currency']} arrive."
    heard = (*((fee,) if quote["fee"] else ()), *((shown(quote["received"]),) if foreign else ()))
    return text, (done["transfer_id"], *heard)


def _send(facts: Facts) -> Policy:
    text, tell = yield from _send_from(facts, facts["account_id"])
    return Reply(text, tell)


EXPRESS = Twist(
    "express",
    "change_of_mind",
    says(
        "[I have just seen the date|Oh, it is urgent, I see now]: send it by express, so that it arrives today.",
        "make it express, must arrive today.",
        "Oh goodness, that was due already, so let it go by express and be there today!",
        "In view of the deadline, the transfer shall be made by express so as to arrive today.",
        hurried="By express, it must be there today!",
        non_native="Is urgent now, please send with express that it comes today.",
    ),
    sets={"speed": "express"},
)
ON_DAY = Twist(
    "on a later day",
    "constraint",
    says(
        "The transfer should be executed on {day:date}[, not today|].",
        "execute the transfer on {day:date}.",
        "There is no hurry, my salary has to come in first, so let the transfer go out on {day:date}!",
        "Execution of the transfer is requested for {day:date}.",
        non_native="Not today please the transfer, make it on {day:date}.",
    ),
    draw=later_day(3, 40),
)

SEND = Program(
    "send_transfer",
    "Transfer money to a payee and learn what it costs and what arrives",
    says(
        "Please transfer {amount:money} {currency} from my account {account_id} to my payee {payee_id}. What is the "
        "transfer's number, what fee do I pay, if any, and [what arrives if it is in another currency|how much arrives "
        "in case it is exchanged]?",
        "transfer {amount:money} {currency}, my account {account_id} to my payee {payee_id}. transfer no., fee if any, "
        "amount arriving if exchanged?",
        "[I owe somebody for the concert tickets|The painters did a lovely job], so would you send {amount:money} "
        "{currency} from my account {account_id} to my payee {payee_id}? And what is the number of it, is there a fee, "
        "and what will arrive if it gets exchanged?",
        "Kindly remit {amount:money} {currency} from my account {account_id} to my payee {payee_id}, and advise me of "
        "the transfer's number, any fee, and, where an exchange takes place, the sum received.",
        hurried="{amount:money} {currency} from my account {account_id} to my payee {payee_id}, send it, number "
        "please, fee if any, and what arrives if exchanged!",
        non_native="I want to pay {amount:money} {currency} from my account {account_id} to my payee {payee_id}; which "
        "number has the transfer, what is the fee if there is one, and how much comes if money is changed?",
        confused="I have to send {amount:money} {currency} to my payee {payee_id}, from my account {account_id}; "
        "is there a fee, will it be exchanged and into how much, and what number does it have?",
    ),
    _draw_send,
    _send,
    (EXPRESS, ON_DAY, MAX_FEE, KEEP, OTHER_AMOUNT),
)


def _draw_richest(world: World, rng: Random) -> Facts:
    facts = _draw_send(world, rng)
    return {key: facts[key] for key in ("customer_id", "payee_id", "amount", "currency")}


def _send_from_richest(facts: Facts) -> Policy:
    accounts = yield do("list_accounts", customer_id=facts["customer_id"])
    mine = [
        each
        for each in accounts
        if each["kind"] == "current" and each["currency"] == facts["currency"] and each["status"] == "active"
    ]
    if len(mine) < 2:
        raise DeadEnd("nothing to choose between")
    account = yield choose(mine, key=lambda each: -each["available"])
    text, tell = yield from _send_from(facts, account["account_id"])
    return Reply(f"From {account['account_id']}: {text}", (account["account_id"], *tell))


SEND_FROM_RICHEST = Program(
    "send_from_fullest_account",
    "Pay somebody from whichever current account has most available",
    says(
        "My payee {payee_id} gets {amount:money} {currency} from me. Please send it from whichever of my current "
        "accounts in {currency} has the most available, and tell me the account, the transfer's number, [and the fee, "
        "if there is one|the fee if any], and what arrives if it is exchanged.",
        "pay my payee {payee_id} {amount:money} {currency} out of my {currency} current account w/ most available. "
        "account, transfer no., fee if any, amount arriving if exchanged?",
        "My payee {payee_id} has been so patient with me! Do send {amount:money} {currency}, out of whichever current "
        "account of mine in {currency} has the most to spend; which one, which number, is there a fee, and what "
        "arrives if it gets exchanged?",
        "Kindly remit {amount:money} {currency} to my payee {payee_id}, drawn on that of my {currency} current "
        "accounts which has the greatest sum available; please name the account, the number, any fee, and what is "
        "received in case of exchange.",
    ),
    _draw_richest,
    _send_from_richest,
    (EXPRESS, ON_DAY, MAX_FEE, OTHER_AMOUNT),
    unknown="I do not know which account that is.",
)


def _draw_new(world: World, rng: Random) -> Facts:
    account = pick(rng, [each for each in current_accounts(world) if available(each) > 700])
    customer: Any = world.get("customers", account["customer_id"])
    limit = CURRENCIES[account["currency"]]["new_payee_limit"]
    country = rng.choice((customer["country"], customer["country"], rng.choice(sorted(NAMES))))
    return {
        **owner(account),
        "payee_name": rng.choice(NAMES[country]),
        "iban": iban(rng, country),
        "account_id": account["account_id"],
        "amount": a_sum(rng, account["currency"], min(limit, available(account)) * 0.6),
        "currency": account["currency"],
    }


def _pay_new(facts: Facts) -> Policy:
    account = yield do("get_account", account_id=facts["account_id"])
    if account["available"] < facts["amount"] * 1.2:
        raise DeadEnd("there is not enough on the account")
    if short_of(facts, account, facts["amount"]):
        left = shown(account["available"])
        return Reply(f"I did nothing: {left} {account['currency']} are available.", (left,))
    payee = yield do("add_payee", customer_id=facts["customer_id"], name=facts["payee_name"], iban=facts["iban"])
    text, tell = yield from _send_from({**facts, "payee_id": payee["payee_id"], "keep": 0.0}, facts["account_id"])
    return Reply(f"The payee is {payee['payee_id']}. {text}", (payee["payee_id"], *tell))


PAY_NEW = Program(
    "pay_new_payee",
    "Add a payee and send a first sum",
    says(
        "Please add {payee_name} with the IBAN {iban} to my payees and send them {amount:money} {currency} from my "
        "account {account_id}. I need the payee's number, the transfer's number, [the fee if there is one|any fee] and "
        "what arrives if it is exchanged.",
        "new payee {payee_name}, IBAN {iban}; pay {amount:money} {currency} from my account {account_id}. payee no., "
        "transfer no., fee if any, amount arriving if exchanged?",
        "There is somebody new I have to pay, {payee_name}, and the IBAN they wrote on the bill is {iban}! So add "
        "them, and {amount:money} {currency} should go there from my account {account_id}; tell me the payee's "
        "number, the transfer's number, the fee if any, and what arrives if it gets exchanged!",
        "Kindly register {payee_name}, IBAN {iban}, as a payee and remit {amount:money} {currency} from my account "
        "{account_id}, advising me of both numbers, any fee and, in case of exchange, the sum received.",
        non_native="New person to pay is {payee_name} with IBAN {iban}, please write in my list and send "
        "{amount:money} {currency} from my account {account_id}; which number has the payee and which the transfer, "
        "what fee if there is one, and how much comes if money is changed?",
    ),
    _draw_new,
    _pay_new,
    (KEEP, OTHER_AMOUNT),
)

TRANSFERS = (SEND, SEND_FROM_RICHEST, PAY_NEW)
