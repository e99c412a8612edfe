"""Programs about fixed deposits: opening, breaking, and what happens at maturity."""

from random import Random

from toolscale.reference.finance.catalogue import CURRENCIES
from toolscale.reference.finance.programs.shared import KEEP, current_accounts, days_ago, limit_on, owner, short_of
from toolscale.reference.kit import a_record, must
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


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


def _open(facts: Facts) -> Solution:
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


OPEN = WORDS.program(
    "open_fixed_deposit",
    _draw_open,
    _open,
    (
        KEEP,
        WORDS.twist("renewed at the end", "constraint", sets={"at_maturity": "renew"}),
        WORDS.twist(
            "only for good interest",
            "condition",
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


def _break(facts: Facts) -> Solution:
    deposit = yield do("get_deposit", deposit_id=facts["deposit_id"])
    must(_breakable_now(deposit), "it cannot be broken yet")
    out = shown(deposit["paid_out_if_broken"])
    if facts.get("stay_if_after") and deposit["matures_on"] <= facts["stay_if_after"]:
        day = deposit["matures_on"]
        return Reply(f"It stays: it matures on {day} anyway, breaking it would pay {out}.", (day, out))
    if deposit["paid_out_if_broken"] < facts.get("at_least", 0):
        return Reply(f"It stays: breaking it would pay {out}.", (out,))
    done = yield do("break_deposit", deposit_id=facts["deposit_id"])
    balance = shown(done["balance"])
    return Reply(f"{out} were paid out, the balance is {balance}.", (out, balance))


BREAK = WORDS.program(
    "break_fixed_deposit",
    a_record("deposits", "deposit_id", _breakable),
    _break,
    (
        WORDS.twist(
            "unless it matures soon",
            "condition",
            draw=lambda world, rng, facts: {
                "stay_if_after": rng.choice(("2026-12-31", "2027-01-31", "2027-03-15", "2027-04-10"))
            },
        ),
        WORDS.twist("only for enough", "condition", draw=limit_on("deposits", "deposit_id", "amount", "at_least")),
    ),
)


def _draw_cheapest(world: World, rng: Random) -> Facts:
    fitting = [each for each in world.rows("deposits") if _breakable(each)]
    counts = [each["customer_id"] for each in fitting]
    return owner(pick(rng, [each for each in fitting if counts.count(each["customer_id"]) > 1] or fitting))


def _break_cheapest(facts: Facts) -> Solution:
    deposits = yield do("list_deposits", customer_id=facts["customer_id"])
    possible = [each for each in deposits if _breakable_now(each)]
    must(len(possible) >= 2, "nothing to compare")
    if facts.get("largest"):
        chosen = yield choose(possible, key=lambda each: -each["amount"])
    else:
        chosen = yield choose(possible, key=_loss)
    deposit = yield do("get_deposit", deposit_id=chosen["deposit_id"])
    done = yield do("break_deposit", deposit_id=deposit["deposit_id"])
    out, balance = shown(done["paid_out"]), shown(done["balance"])
    text = f"{deposit['deposit_id']} is broken: {out} were paid out, the balance is {balance}."
    return Reply(text, (deposit["deposit_id"], out, balance))


BREAK_CHEAPEST = WORDS.program(
    "break_cheapest_deposit",
    _draw_cheapest,
    _break_cheapest,
    (WORDS.twist("the largest deposit instead", "change_of_mind", sets={"largest": True}),),
)

WISHES = {"paid out": "pay_out", "renewed": "renew"}


def _draw_maturity(world: World, rng: Random) -> Facts:
    deposit = pick(rng, [each for each in world.rows("deposits") if days_ago(each["matures_on"]) < -4])
    return {
        **owner(deposit),
        "deposit_id": deposit["deposit_id"],
        "wish": "renewed" if deposit["at_maturity"] == "pay_out" else "paid out",
    }


def _maturity(facts: Facts) -> Solution:
    deposit = yield do("get_deposit", deposit_id=facts["deposit_id"])
    wish = WISHES[facts["wish"]]
    if deposit["at_maturity"] == wish or days_ago(deposit["matures_on"]) > -3:
        raise DeadEnd("nothing would change")
    interest, day = shown(deposit["interest_at_maturity"]), deposit["matures_on"]
    yield do("set_maturity", deposit_id=facts["deposit_id"], at_maturity=wish)
    return Reply(f"Noted; it matures on {day} with {interest} of interest.", (day, interest))


MATURITY = WORDS.program("set_deposit_maturity", _draw_maturity, _maturity, again="deposit_id")


def _next_to_mature(facts: Facts) -> Solution:
    deposits = yield do("list_deposits", customer_id=facts["customer_id"])
    must(len(deposits) >= 2, "nothing to choose between")
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


NEXT_TO_MATURE = WORDS.program(
    "pay_out_next_deposit",
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
)

DEPOSITS = (OPEN, BREAK, BREAK_CHEAPEST, MATURITY, NEXT_TO_MATURE)
