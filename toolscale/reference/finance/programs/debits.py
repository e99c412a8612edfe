"""Programs about direct debits: taking them back, and stopping those who collect."""

from toolscale.reference.finance.programs.shared import a_customer, a_record, days_ago, limit_on, says
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Steps, Twist, choose, do
from toolscale.reference.sums import shown


def _recent(transaction: Record) -> bool:
    return transaction["kind"] == "direct_debit" and days_ago(transaction["booked_on"]) <= 54


def _in_force(mandate: Record) -> bool:
    return bool(mandate["status"] == "active")


def _refund(facts: Facts) -> Policy:
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


REFUND = Program(
    "refund_direct_debit",
    "Take a direct debit back",
    says(
        "I do not agree with the direct debit {transaction_id}. Please take it back, and tell me the amount and [my "
        "balance afterwards|the new balance].",
        "take back direct debit {transaction_id}. amount + new balance?",
        "[They have been charging me for a flat I left in June|I cancelled that ages ago and they know it]! So fetch "
        "the direct debit {transaction_id} back, please, and how much is it, and what is my balance then?",
        "I object to the direct debit {transaction_id} and request its return; kindly state the sum and the resulting "
        "balance.",
        hurried="Direct debit {transaction_id} is wrong, take it back, amount and balance!",
        non_native="The direct debit {transaction_id} is not correct, please bring my money back and say how much and "
        "what is on the account then.",
        confused="There is a direct debit {transaction_id} that I know nothing about, can one take that back? How much "
        "is it, and what do I have then?",
    ),
    a_record("transactions", "transaction_id", _recent),
    _refund,
    (
        Twist(
            "and no more of it",
            "entities",
            says(
                "[And they shall not collect again|It must not happen again]: revoke the mandate behind the direct "
                "debit that I want back.",
                "revoke the mandate of the debit i want back, too.",
                "And never again, if you please, so the mandate behind the one that I want back has to go as well!",
                "The mandate underlying the direct debit to be returned is to be revoked at the same time.",
            ),
            sets={"revoke": True},
        ),
        Twist(
            "if it is worth it",
            "condition",
            says(
                "Under {at_least:money} I will let it pass, though: then leave it and tell me the amount.",
                "if under {at_least:money}, leave it, tell me the amount.",
                "If it is less than {at_least:money} I shall be generous, then leave it and just tell me how much it "
                "was!",
                "Should the sum lie below {at_least:money}, refrain from it and state the sum.",
            ),
            draw=limit_on("transactions", "transaction_id", "amount", "at_least"),
        ),
    ),
)


def _collected_by(facts: Facts) -> Steps:
    """Step: the mandate of the creditor that the user names."""
    mandates = yield do("list_mandates", customer_id=facts["customer_id"])
    named = [each for each in mandates if each["creditor"] == facts["creditor"]]
    mandate = yield choose(named, key=lambda each: each["mandate_id"])
    if not mandate["last_collection"]:
        raise DeadEnd("nothing was collected")
    return mandate


def _stop(facts: Facts) -> Policy:
    mandate = yield from _collected_by(facts)
    last = mandate["last_collection"]
    amount, day = shown(last["amount"]), last["booked_on"]
    yield do("revoke_mandate", mandate_id=mandate["mandate_id"])
    if facts.get("back") and last["status"] == "booked" and days_ago(last["booked_on"]) <= 56:
        yield do("refund_direct_debit", transaction_id=last["transaction_id"])
    return Reply(f"Revoked; they last took {amount} on {day}.", (amount, day))


STOP = Program(
    "stop_creditor",
    "Stop a creditor from collecting by direct debit",
    says(
        "{creditor} must not collect anything from me any more. Please revoke the mandate and tell me how much they "
        "took last, and when.",
        "revoke mandate of {creditor}. last amount + date they took?",
        "I have changed providers, it took me only three years! So {creditor} may not collect from me any longer, "
        "please revoke that mandate, and what did they last take, and when?",
        "I hereby revoke the direct debit mandate given to {creditor}; kindly state the sum and the date of the last "
        "collection.",
        non_native="The company {creditor} should not take money from my account again, please cancel the mandate and "
        "say when was the last time and how much.",
        confused="I signed something for {creditor} once, a mandate I think it is called, and I want that ended; when "
        "did they last take something, and how much?",
    ),
    a_record("mandates", "creditor", _in_force),
    _stop,
    (
        Twist(
            "and the last one back",
            "entities",
            says(
                "From the one that I am stopping, take the last collection back as well, [if that is still "
                "possible|if it can still be done].",
                "the one i stop: take its last collection back too, if still possible.",
                "And the last sum that those I stop here took, I want it back as well, if that is still possible!",
                "The last collection under the mandate now revoked is to be taken back, too, where still possible.",
            ),
            sets={"back": True},
        ),
    ),
    unknown="I do not know the number of the mandate.",
)


def _dearest(facts: Facts) -> Policy:
    mandates = yield do("list_mandates", customer_id=facts["customer_id"])
    collected = [each for each in mandates if each["last_collection"]]
    if len(collected) < 2:
        raise DeadEnd("nothing to compare")
    sign = 1 if facts.get("least") else -1
    mandate = yield choose(collected, key=lambda each: sign * each["last_collection"]["amount"])
    last = yield do("get_transaction", transaction_id=mandate["last_collection"]["transaction_id"])
    if days_ago(last["last_day"]) > 0 or last["status"] != "booked":
        raise DeadEnd("it cannot be taken back")
    done = yield do("refund_direct_debit", transaction_id=last["transaction_id"])
    amount, balance = shown(last["amount"]), shown(done["balance"])
    text = f"{amount} of {last['counterparty']} are back; your balance is {balance}."
    return Reply(text, (last["counterparty"], amount, balance))


DEAREST = Program(
    "refund_largest_collection",
    "Take back whichever last direct debit was the largest",
    says(
        "Of the last collections of all my direct debits, please take the largest one back. [Who took it, how much was "
        "it, and what is my balance now?|I want to know the creditor, the amount and my balance after it.]",
        "last collection of each of my direct debits: take back the largest one. creditor, amount, new balance?",
        "One of my direct debits is plain robbery! Of the last collections of each, fetch the largest back, and tell "
        "me who took it, how much it was and what my balance is now!",
        "Among the latest collections of all my direct debits, kindly return the largest, naming the creditor, the sum "
        "and the resulting balance.",
        non_native="From my direct debits please look for each the last time, and the biggest of these bring back to "
        "me; who took it, how much, and my balance after?",
    ),
    a_customer,
    _dearest,
    (
        Twist(
            "the smallest collection instead",
            "change_of_mind",
            says(
                "No, that one is right after all, it is the smallest that I do not recognise, so take back that one "
                "instead.",
                "no wait, the smallest one instead.",
                "Oh, I remember now what that is for! It is the smallest one that is odd, so that one instead!",
                "I must correct myself: it is the smallest collection that shall be returned.",
            ),
            sets={"least": True},
        ),
    ),
    unknown="I do not have my statements here.",
)


def _revoke_given(facts: Facts) -> Policy:
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


REVOKE_FOR = Program(
    "revoke_by_purpose",
    "Revoke the direct debit for something, and add up what the others take",
    says(
        "Please revoke the direct debit mandate for my {purpose}. Who is the creditor, and [how much did all my other "
        "direct debits last take together|what do the last collections of my other mandates add up to]?",
        "revoke direct debit mandate for my {purpose}. creditor? sum of last collections of my other mandates?",
        "I am going to pay for my {purpose} by hand, like my mother did! So that mandate goes, please, and who "
        "collects under it, and what did all my other direct debits last take, added up?",
        "Kindly revoke the direct debit mandate concerning my {purpose}, name its creditor, and state the total of the "
        "last collections under my remaining mandates.",
    ),
    a_record("mandates", "purpose", _in_force),
    _revoke_given,
    unknown="I do not know the number of the mandate.",
)

DEBITS = (REFUND, STOP, DEAREST, REVOKE_FOR)
