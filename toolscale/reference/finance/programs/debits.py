"""Programs about direct debits: taking them back, and stopping those who collect."""

from toolscale.reference.finance.programs.shared import a_customer, days_ago, limit_on
from toolscale.reference.kit import a_record, must
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, Steps, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _recent(transaction: Record) -> bool:
    return transaction["kind"] == "direct_debit" and days_ago(transaction["booked_on"]) <= 54


def _in_force(mandate: Record) -> bool:
    return bool(mandate["status"] == "active")


def _refund(facts: Facts) -> Solution:
    debit = yield do("get_transaction", transaction_id=facts["transaction_id"])
    if debit["kind"] != "direct_debit" or debit["status"] != "booked" or days_ago(debit["last_day"]) > 0:
        raise DeadEnd("it cannot be taken back")
    amount = shown(debit["amount"])
    if debit["amount"] < facts.get("at_least", 0):
        return Reply(f"I left it: it was {amount} {debit['currency']} only.", (amount,))
    done = yield do("refund_direct_debit", transaction_id=facts["transaction_id"])
    if facts.get("revoke"):
        yield do("revoke_mandate", mandate_id=debit["mandate_id"])
    balance = shown(done["balance"])
    return Reply(f"{amount} {debit['currency']} are back, the balance is {balance}.", (amount, balance))


REFUND = WORDS.program(
    "refund_direct_debit",
    a_record("transactions", "transaction_id", _recent),
    _refund,
    (
        WORDS.twist("and no more of it", "entities", sets={"revoke": True}),
        WORDS.twist(
            "if it is worth it", "condition", draw=limit_on("transactions", "transaction_id", "amount", "at_least")
        ),
    ),
)


def _collected_by(facts: Facts) -> Steps:
    """Step: the mandate of the creditor that the user names."""
    mandates = yield do("list_mandates", customer_id=facts["customer_id"])
    named = [each for each in mandates if each["creditor"] == facts["creditor"]]
    mandate = yield choose(named, key=lambda each: each["mandate_id"])
    must(mandate["last_collection"], "nothing was collected")
    return mandate


def _stop(facts: Facts) -> Solution:
    mandate = yield from _collected_by(facts)
    last = mandate["last_collection"]
    amount, day = shown(last["amount"]), last["booked_on"]
    yield do("revoke_mandate", mandate_id=mandate["mandate_id"])
    if facts.get("back") and last["status"] == "booked" and days_ago(last["booked_on"]) <= 56:
        yield do("refund_direct_debit", transaction_id=last["transaction_id"])
    return Reply(f"Revoked; they last took {amount} on {day}.", (amount, day))


STOP = WORDS.program(
    "stop_creditor",
    a_record("mandates", "creditor", _in_force),
    _stop,
    (WORDS.twist("and the last one back", "entities", sets={"back": True}),),
)


def _dearest(facts: Facts) -> Solution:
    mandates = yield do("list_mandates", customer_id=facts["customer_id"])
    collected = [each for each in mandates if each["last_collection"]]
    must(len(collected) >= 2, "nothing to compare")
    sign = 1 if facts.get("least") else -1
    mandate = yield choose(collected, key=lambda each: sign * each["last_collection"]["amount"])
    last = yield do("get_transaction", transaction_id=mandate["last_collection"]["transaction_id"])
    if days_ago(last["last_day"]) > 0 or last["status"] != "booked":
        raise DeadEnd("it cannot be taken back")
    done = yield do("refund_direct_debit", transaction_id=last["transaction_id"])
    amount, balance = shown(last["amount"]), shown(done["balance"])
    text = f"{amount} of {last['counterparty']} are back; your balance is {balance}."
    return Reply(text, (last["counterparty"], amount, balance))


DEAREST = WORDS.program(
    "refund_largest_collection",
    a_customer,
    _dearest,
    (WORDS.twist("the smallest collection instead", "change_of_mind", sets={"least": True}),),
)


def _revoke_given(facts: Facts) -> Solution:
    mandates = yield do("list_mandates", customer_id=facts["customer_id"])
    mandate = yield choose(
        [each for each in mandates if each["purpose"] == facts["purpose"]], key=lambda each: each["mandate_id"]
    )
    others = [each for each in mandates if each["mandate_id"] != mandate["mandate_id"] and each["last_collection"]]
    if not others or len({each["account_id"] for each in mandates}) > 1:
        raise DeadEnd("nothing to add up")
    yield do("revoke_mandate", mandate_id=mandate["mandate_id"])
    rest = shown(sum(each["last_collection"]["amount"] for each in others))
    text = f"{mandate['creditor']} collects no more; the others last took {rest}."
    return Reply(text, (mandate["creditor"], rest))


REVOKE_FOR = WORDS.program("revoke_by_purpose", a_record("mandates", "purpose", _in_force), _revoke_given)

DEBITS = (REFUND, STOP, DEAREST, REVOKE_FOR)
