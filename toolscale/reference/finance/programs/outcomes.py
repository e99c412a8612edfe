"""Figures that customers want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.kit import known, must
from toolscale.reference.moments import day
from toolscale.reference.program import OUTCOME, Facts, Reply, Solution, World, do
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

FIGURES = (
    Figure(("break_deposit", "close_account"), "paid_out", "the sum paid out", "the sums paid out", summed=False),
    Figure(
        ("refund_direct_debit",),
        "amount",
        "the sum refunded",
        "the sums refunded",
        {"refund_direct_debit": (40.0, 80.0)},
    ),
    Figure(
        ("open_dispute",),
        "amount",
        "the disputed sum",
        "the disputed sums",
        {"open_dispute": (60.0, 150.0)},
        summed=False,
    ),
    Figure(
        ("open_deposit",),
        "interest_at_maturity",
        "the interest at maturity",
        "the interest at maturity",
        {"open_deposit": (25.0, 50.0)},
    ),
    Figure(("repay_loan",), "paid", "the whole payment", "the whole payments", {"repay_loan": (500.0, 1500.0)}),
)


def _draw_more(world: World, rng: Random, facts: Facts) -> Facts:
    account = known(world, "accounts", facts.get("account_id", ""))
    must(account["balance"] >= 2 * facts.get("amount", account["balance"]), "too little is left, or it is out of sight")
    return {"more": float(rng.choice((25, 40, 60, 75))), "source": facts["account_id"]}


def _put_in(facts: Facts) -> Solution:
    new = facts[OUTCOME]["account_id"]
    done = yield do("move_money", from_account_id=facts["source"], to_account_id=new, amount=facts["more"])
    balance = shown(done["from_balance"])
    return Reply(f"Done; {balance} are left on {facts['source']}.", (balance,))


MORE = WORDS.twist(
    "more for the new account",
    "dependent",
    draw=_draw_more,
    suits="open_savings",
    after=_put_in,
    takes=("open_savings_account",),
)


def _draw_standing(world: World, rng: Random, facts: Facts) -> Facts:
    must("account_id" in facts, "it is not said from which account")
    return {
        "each_time": float(rng.choice((20, 35, 50, 80))),
        "every": rng.choice(("weekly", "monthly", "quarterly")),
        "from_day": day(rng.randint(5, 25)),
        "paying": facts["account_id"],
    }


def _stand(facts: Facts) -> Solution:
    done = yield do(
        "create_standing_order",
        account_id=facts["paying"],
        payee_id=facts[OUTCOME]["payee_id"],
        amount=facts["each_time"],
        frequency=facts["every"],
        first_on=facts["from_day"],
    )
    order = done["order_id"]
    return Reply(f"Standing order {order} is set up.", (order,))


STANDING = WORDS.twist(
    "a standing order to the new payee",
    "dependent",
    draw=_draw_standing,
    suits="pay_new",
    after=_stand,
    takes=("add_payee",),
)

OUTCOMES = (*computed(*FIGURES), MORE, STANDING)
