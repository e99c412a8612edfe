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
    short_of,
)
from toolscale.reference.kit import must, theirs
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

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
    must(quote["available"] >= quote["total"], "there is not enough on the account")
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


def _send(facts: Facts) -> Solution:
    text, tell = yield from _send_from(facts, facts["account_id"])
    return Reply(text, tell)


EXPRESS = WORDS.twist("express", "change_of_mind", sets={"speed": "express"})
ON_DAY = WORDS.twist("on a later day", "constraint", draw=later_day(3, 40))

SEND = WORDS.program("send_transfer", _draw_send, _send, (EXPRESS, ON_DAY, MAX_FEE, KEEP, OTHER_AMOUNT))


def _draw_richest(world: World, rng: Random) -> Facts:
    facts = _draw_send(world, rng)
    return {key: facts[key] for key in ("customer_id", "payee_id", "amount", "currency")}


def _send_from_richest(facts: Facts) -> Solution:
    accounts = yield do("list_accounts", customer_id=facts["customer_id"])
    mine = [
        each
        for each in accounts
        if each["kind"] == "current" and each["currency"] == facts["currency"] and each["status"] == "active"
    ]
    must(len(mine) >= 2, "nothing to choose between")
    account = yield choose(mine, key=lambda each: -each["available"])
    text, tell = yield from _send_from(facts, account["account_id"])
    return Reply(f"From {account['account_id']}: {text}", (account["account_id"], *tell))


SEND_FROM_RICHEST = WORDS.program(
    "send_from_fullest_account", _draw_richest, _send_from_richest, (EXPRESS, ON_DAY, MAX_FEE, OTHER_AMOUNT)
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


def _pay_new(facts: Facts) -> Solution:
    account = yield do("get_account", account_id=facts["account_id"])
    must(account["available"] >= facts["amount"] * 1.2, "there is not enough on the account")
    if short_of(facts, account, facts["amount"]):
        left = shown(account["available"])
        return Reply(f"I did nothing: {left} {account['currency']} are available.", (left,))
    payee = yield do("add_payee", customer_id=facts["customer_id"], name=facts["payee_name"], iban=facts["iban"])
    text, tell = yield from _send_from({**facts, "payee_id": payee["payee_id"], "keep": 0.0}, facts["account_id"])
    return Reply(f"The payee is {payee['payee_id']}. {text}", (payee["payee_id"], *tell))


PAY_NEW = WORDS.program("pay_new_payee", _draw_new, _pay_new, (KEEP, OTHER_AMOUNT))

TRANSFERS = (SEND, SEND_FROM_RICHEST, PAY_NEW)
