"""Programs about fixed deposits: opening, breaking, and what happens at maturity."""

from random import Random

from toolscale.reference.finance.catalogue import CURRENCIES
from toolscale.reference.finance.programs.shared import (
    KEEP,
    a_record,
    current_accounts,
    days_ago,
    limit_on,
    owner,
    says,
    short_of,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown


def _draw_open(world: World, rng: Random) -> Facts:
    fitting = [
        each
        for each in current_accounts(world)
        if each["balance"] > CURRENCIES[each["currency"]]["least_deposit"] * 1.3
    ]
    account = pick(rng, fitting)
    least = int(CURRENCIES[account["currency"]]["least_deposit"])
    sums = [least * share / 4 for share in range(4, 20) if least * share / 4 < account["balance"]]
    return {
        **owner(account),
        "account_id": account["account_id"],
        "amount": float(pick(rng, sums)),
        "currency": account["currency"],
        "months": rng.choice((6, 9, 12, 18, 24, 30)),
    }


def _open(facts: Facts) -> Policy:
    account = yield do("get_account", account_id=facts["account_id"])
    offers = yield do("list_deposit_offers", account_id=facts["account_id"])
    fitting = [each for each in offers if facts.get("from_months", 0) <= each["term_months"] <= facts["months"]]
    best = yield choose(fitting, key=lambda each: -each["interest_percent"])
    if facts["amount"] > account["balance"] or facts["amount"] < best["least_amount"]:
        raise DeadEnd("the amount does not fit")
    rate, left = str(best["interest_percent"]), shown(account["available"])
    if best["interest_percent"] < facts.get("least_interest", 0):
        return Reply(f"I opened none: the best is {rate}% for {best['term_months']} months.", (rate,))
    if short_of(facts, account, facts["amount"]):
        return Reply(f"I opened none: {left} are available.", (left,))
    done = yield do(
        "open_deposit",
        account_id=facts["account_id"],
        offer_id=best["offer_id"],
        amount=facts["amount"],
        at_maturity=facts.get("at_maturity"),
    )
    interest = shown(done["interest_at_maturity"])
    text = f"It matures on {done['matures_on']} with {interest} of interest, at {rate}%."
    return Reply(text, (done["matures_on"], interest))


OPEN = Program(
    "open_fixed_deposit",
    "Open the fixed deposit with the best interest within a term",
    says(
        "I can do without {amount:money} {currency} for up to {months:int} months. Please put it from my account "
        "{account_id} into the fixed deposit with the highest interest within that time, and tell me when it matures "
        "and [how much interest it brings|the interest in money].",
        "fixed deposit, max {months:int} months, highest interest: {amount:money} {currency} from my account "
        "{account_id}. maturity + interest in money?",
        "There is {amount:money} {currency} lying about on my account {account_id}, and I shall not need it for "
        "{months:int} months! Do put it into whichever fixed deposit has the highest interest within that time, and "
        "when does it mature, and what will I have earned?",
        "Kindly invest {amount:money} {currency} from my account {account_id} in the fixed deposit with the highest "
        "interest among those of no more than {months:int} months, and state its date of maturity and the interest in "
        "money.",
        non_native="I have {amount:money} {currency} on my account {account_id} and not need it for {months:int} "
        "months maximum; please make the fixed deposit with most interest which fits, when it finishes and how much "
        "interest money I get?",
    ),
    _draw_open,
    _open,
    (
        KEEP,
        Twist(
            "renewed at the end",
            "constraint",
            says(
                "[At maturity it should|When it matures, it is to] be renewed rather than paid out.",
                "renew at maturity.",
                "And when it matures, just let it run again, I will only forget it otherwise!",
                "At maturity it is to be renewed.",
            ),
            sets={"at_maturity": "renew"},
        ),
        Twist(
            "only for good interest",
            "condition",
            says(
                "But I want {least_interest:money} percent or more; if there is no such offer, open none and tell me "
                "the highest rate there is.",
                "min {least_interest:money} percent, else none, tell me the best rate.",
                "For less than {least_interest:money} percent I would rather keep it under the mattress, then open "
                "none and tell me the best rate!",
                "Should the rate fall short of {least_interest:money} percent, none is to be opened and the highest "
                "rate stated.",
            ),
            draw=lambda world, rng, facts: {"least_interest": rng.choice((2.0, 2.1, 2.2, 2.4, 2.5))},
        ),
    ),
)


def _breakable(deposit: Record) -> bool:
    return bool(deposit["status"] == "active" and days_ago(deposit["started_on"]) > 31)


def _breakable_now(deposit: Record) -> bool:
    return bool(days_ago(deposit["breakable_from"]) >= 0)


def _loss(deposit: Record) -> float:
    return float(round(deposit["amount"] + deposit["interest_so_far"] - deposit["paid_out_if_broken"], 2))


def _break(facts: Facts) -> Policy:
    deposit = yield do("get_deposit", deposit_id=facts["deposit_id"])
    if not _breakable_now(deposit):
        raise DeadEnd("it cannot be broken yet")
    out = shown(deposit["paid_out_if_broken"])
    if facts.get("stay_if_after") and deposit["matures_on"] <= facts["stay_if_after"]:
        day = deposit["matures_on"]
        return Reply(f"It stays: it matures on {day} anyway, breaking it would pay {out}.", (day, out))
    if deposit["paid_out_if_broken"] < facts.get("at_least", 0):
        return Reply(f"It stays: breaking it would pay {out}.", (out,))
    done = yield do("break_deposit", deposit_id=facts["deposit_id"])
    balance = shown(done["balance"])
    return Reply(f"{out} were paid out, the balance is {balance}.", (out, balance))


BREAK = Program(
    "break_fixed_deposit",
    "Break a fixed deposit before the end",
    says(
        "[I need the money now|The car will not pass its inspection], so please break my fixed deposit {deposit_id}. "
        "How much is paid out, and what is the balance of the account then?",
        "break my fixed deposit {deposit_id}. payout + account balance after?",
        "We have found a house, can you imagine! So my fixed deposit {deposit_id} has to be broken, I know that it "
        "costs me interest; what is paid out, and what is the balance of the account then?",
        "I request the early termination of my fixed deposit {deposit_id}; kindly state the sum paid out and the "
        "balance of the account to which it goes.",
        non_native="I need my money earlier, please break my fixed deposit {deposit_id}; how much comes out and what "
        "is the balance of the account after?",
    ),
    a_record("deposits", "deposit_id", _breakable),
    _break,
    (
        Twist(
            "unless it matures soon",
            "condition",
            says(
                "If it matures by {stay_if_after:date} anyway, leave it, and tell me that day and what breaking it "
                "would pay.",
                "matures by {stay_if_after:date}? then leave it, that date + payout if broken.",
                "If it happens to mature by {stay_if_after:date} I can hold out, then leave it and tell me the day and "
                "what I would get now!",
                "Should it mature on or before {stay_if_after:date}, leave it, and state that date and what breaking "
                "it would yield.",
            ),
            draw=lambda world, rng, facts: {
                "stay_if_after": rng.choice(("2026-12-31", "2027-01-31", "2027-03-15", "2027-04-10"))
            },
        ),
        Twist(
            "only for enough",
            "condition",
            says(
                "It only helps me if {at_least:money} or more is paid out; otherwise leave it and tell me how much it "
                "would be.",
                "only if payout >= {at_least:money}, else leave it, how much would it be?",
                "It has to bring {at_least:money} or more to be of any use, otherwise leave it and tell me what it "
                "would be!",
                "This is subject to a payout of {at_least:money} or more; failing that, leave it and state the sum.",
            ),
            draw=limit_on("deposits", "deposit_id", "amount", "at_least"),
        ),
    ),
)


def _draw_cheapest(world: World, rng: Random) -> Facts:
    fitting = [each for each in world.rows("deposits") if _breakable(each)]
    counts = [each["customer_id"] for each in fitting]
    return owner(pick(rng, [each for each in fitting if counts.count(each["customer_id"]) > 1] or fitting))


def _break_cheapest(facts: Facts) -> Policy:
    deposits = yield do("list_deposits", customer_id=facts["customer_id"])
    possible = [each for each in deposits if _breakable_now(each)]
    if len(possible) < 2:
        raise DeadEnd("nothing to compare")
    if facts.get("largest"):
        chosen = yield choose(possible, key=lambda each: -each["amount"])
    else:
        chosen = yield choose(possible, key=_loss)
    deposit = yield do("get_deposit", deposit_id=chosen["deposit_id"])
    done = yield do("break_deposit", deposit_id=deposit["deposit_id"])
    out, balance = shown(done["paid_out"]), shown(done["balance"])
    text = f"{deposit['deposit_id']} is broken: {out} were paid out, the balance is {balance}."
    return Reply(text, (deposit["deposit_id"], out, balance))


BREAK_CHEAPEST = Program(
    "break_cheapest_deposit",
    "Break the fixed deposit that loses the least interest",
    says(
        "I need some of my savings. Of my fixed deposits that can already be broken, please break the one that loses "
        "me the least interest, and tell me which it was, [what was paid out and the balance it brought my account "
        "to|the sum paid out, and the account's balance].",
        "break one of my fixed deposits (of those that can already be broken): the one losing least interest. which, "
        "payout, account balance?",
        "I hate to do it, but one of my fixed deposits has to go! Of those that may be broken by now, choose the one "
        "that costs me the least interest; which one was it, what is paid out, and what is on the account then?",
        "Of my fixed deposits that can be broken as of today, kindly break that which forfeits the least interest, and "
        "state its number, the sum paid out and the balance of the account.",
    ),
    _draw_cheapest,
    _break_cheapest,
    (
        Twist(
            "the largest deposit instead",
            "change_of_mind",
            says(
                "No, I will need more than that: break the largest of them instead.",
                "no, the largest of them instead.",
                "Oh, who am I fooling, that will never be enough, so break the largest of them instead!",
                "On reflection the largest of them shall be broken instead.",
            ),
            sets={"largest": True},
        ),
    ),
    unknown="I do not have the numbers of my deposits.",
)

WISHES = {"paid out": "pay_out", "renewed": "renew"}


def _draw_maturity(world: World, rng: Random) -> Facts:
    deposit = pick(rng, [each for each in world.rows("deposits") if days_ago(each["matures_on"]) < -4])
    return {
        **owner(deposit),
        "deposit_id": deposit["deposit_id"],
        "wish": "renewed" if deposit["at_maturity"] == "pay_out" else "paid out",
    }


def _maturity(facts: Facts) -> Policy:
    deposit = yield do("get_deposit", deposit_id=facts["deposit_id"])
    wish = WISHES[facts["wish"]]
    if deposit["at_maturity"] == wish or days_ago(deposit["matures_on"]) > -3:
        raise DeadEnd("nothing would change")
    interest, day = shown(deposit["interest_at_maturity"]), deposit["matures_on"]
    yield do("set_maturity", deposit_id=facts["deposit_id"], at_maturity=wish)
    return Reply(f"Noted; it matures on {day} with {interest} of interest.", (day, interest))


MATURITY = Program(
    "set_deposit_maturity",
    "Change what happens when a fixed deposit matures",
    says(
        "My fixed deposit {deposit_id} should be {wish} when it matures. Please note that, and tell me on what day "
        "that is and [how much interest it will have brought|the interest in money until then].",
        "my fixed deposit {deposit_id}: at maturity to be {wish}. which day, how much interest by then?",
        "I have been thinking about my fixed deposit {deposit_id} on my walk, and when it matures it should be {wish}! "
        "What day will that be, and how much interest does it make?",
        "At maturity my fixed deposit {deposit_id} is to be {wish}. Kindly record this, and state the date and the "
        "interest accruing until then.",
        confused="About my fixed deposit {deposit_id}, I believe one can say beforehand that it shall be {wish} at the "
        "end? Please do, and when is the end, and how much interest is it?",
    ),
    _draw_maturity,
    _maturity,
    again="deposit_id",
)


def _next_to_mature(facts: Facts) -> Policy:
    deposits = yield do("list_deposits", customer_id=facts["customer_id"])
    if len(deposits) < 2:
        raise DeadEnd("nothing to choose between")
    first = yield choose(deposits, key=lambda each: each["matures_on"])
    deposit = yield do("get_deposit", deposit_id=first["deposit_id"])
    day, interest = deposit["matures_on"], shown(deposit["interest_at_maturity"])
    if day > facts["until"]:
        return Reply(f"None by then: {deposit['deposit_id']} is the first, on {day}.", (deposit["deposit_id"], day))
    if deposit["at_maturity"] == "pay_out" or days_ago(day) > -3:
        raise DeadEnd("nothing would change")
    yield do("set_maturity", deposit_id=deposit["deposit_id"], at_maturity="pay_out")
    text = f"{deposit['deposit_id']} is paid out on {day}, with {interest} of interest."
    return Reply(text, (deposit["deposit_id"], day, interest))


NEXT_TO_MATURE = Program(
    "pay_out_next_deposit",
    "Have the fixed deposit that matures next paid out, if that is soon",
    says(
        "Which of my fixed deposits matures next? It is set to renew, I think: if it matures by {until:date}, please "
        "have it paid out instead, and tell me its number, the day and the interest; if it is later, just its number "
        "and day.",
        "my next fixed deposit to mature: if by {until:date}, set it to pay out instead of renew; number, day, "
        "interest. later? only number + day.",
        "I will need cash for the wedding! If the next of my fixed deposits to mature does so by {until:date}, let it "
        "be paid out and not renewed; its number, the day and the interest, please, or just number and day if it is "
        "later!",
        "Kindly have that of my fixed deposits which matures next paid out instead of renewed, provided that it "
        "matures by {until:date}, and state its number, date and interest; if it is later, only number and date.",
    ),
    lambda world, rng: {
        **owner(
            pick(
                rng,
                [each for each in world.rows("deposits") if each["at_maturity"] == "renew"],
            )
        ),
        "until": rng.choice(("2027-01-31", "2027-03-31", "2027-06-30", "2027-12-31")),
    },
    _next_to_mature,
    unknown="I do not have the numbers of my deposits.",
)

DEPOSITS = (OPEN, BREAK, BREAK_CHEAPEST, MATURITY, NEXT_TO_MATURE)
