"""Programs about one standing order: setting up, changing, ending, moving."""

from random import Random

from toolscale.reference.finance.programs.shared import (
    OTHER_AMOUNT,
    a_record,
    a_sum,
    currency_of,
    current_accounts,
    later_day,
    limit_on,
    owner,
    says,
    theirs,
)
from toolscale.reference.moments import some_day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, do, pick
from toolscale.reference.sums import shown


def _active(order: Record) -> bool:
    return bool(order["status"] == "active")


def _draw_new(world: World, rng: Random) -> Facts:
    account = pick(rng, current_accounts(world))
    payees = theirs(world, "payees", account["customer_id"])
    payee = pick(rng, [each for each in payees if each["currency"] == account["currency"]])
    return {
        **owner(account),
        "account_id": account["account_id"],
        "payee_id": payee["payee_id"],
        "amount": a_sum(rng, account["currency"]),
        "currency": account["currency"],
        "frequency": rng.choice(("weekly", "monthly", "quarterly")),
        "first_on": some_day(rng, 4, 45, weekdays="12345"),
    }


def _create(facts: Facts) -> Policy:
    done = yield do(
        "create_standing_order",
        account_id=facts["account_id"],
        payee_id=facts["payee_id"],
        amount=facts["amount"],
        frequency=facts["frequency"],
        first_on=facts["first_on"],
    )
    text = f"Standing order {done['order_id']} to {done['payee']} is set up."
    return Reply(text, (done["order_id"], done["payee"]))


CREATE = Program(
    "create_standing_order",
    "Set up a standing order to a payee",
    says(
        "Please set up a {frequency} standing order of {amount:money} {currency} from my account {account_id} to my "
        "payee {payee_id}, for the first time on {first_on:date}. [Confirm its number and the payee's name|I need its "
        "number and the name of the payee as you have it].",
        "new {frequency} standing order: {amount:money} {currency}, my account {account_id} to my payee {payee_id}, "
        "first on {first_on:date}. number + payee's name?",
        "I keep forgetting to pay, it is embarrassing! Could there be a {frequency} standing order of {amount:money} "
        "{currency} from my account {account_id} to my payee {payee_id}, starting on {first_on:date}? And tell me its "
        "number and the name you have there!",
        "Kindly establish a {frequency} standing order for {amount:money} {currency} from my account {account_id} to "
        "my payee {payee_id}, commencing on {first_on:date}, and confirm its number and the payee's name.",
        non_native="I want a {frequency} standing order with {amount:money} {currency} from my account {account_id} to "
        "my payee {payee_id}, first time {first_on:date}; please say the number and which name has this payee.",
    ),
    _draw_new,
    _create,
    (
        OTHER_AMOUNT,
        Twist(
            "another first day",
            "change_of_mind",
            says(
                "Sorry, the first payment should rather be on {first_on:date}.",
                "first one on {first_on:date} instead.",
                "Wait, payday is later than I thought, so let the first one be on {first_on:date} instead!",
                "The first payment shall, on reflection, be made on {first_on:date}.",
            ),
            draw=later_day(6, 50, "first_on"),
        ),
    ),
)


def _draw_amount(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in world.rows("standing_orders") if _active(each)])
    currency = currency_of(world, order)
    amount = a_sum(rng, currency)
    return {**owner(order), "order_id": order["order_id"], "amount": amount, "currency": currency}


def _change_amount(facts: Facts) -> Policy:
    order = yield do("get_standing_order", order_id=facts["order_id"])
    if order["amount"] == facts["amount"] or order["status"] != "active":
        raise DeadEnd("nothing would change")
    before = shown(order["amount"])
    if facts.get("only_up") and order["amount"] > facts["amount"]:
        return Reply(f"I left it at {before}, which is more.", (before,))
    yield do("change_standing_order", order_id=facts["order_id"], amount=facts["amount"], next_on=facts.get("next_on"))
    text = f"Changed; it was {before} to {order['payee']}, next on {order['next_on']}."
    return Reply(text, (before, order["payee"]))


CHANGE_AMOUNT = Program(
    "change_standing_order_amount",
    "Change the amount of a standing order",
    says(
        "[The rent went up|We agreed on another sum], so please change my standing order {order_id} to {amount:money} "
        "{currency} from the next payment on, and tell me what it was before and who gets it.",
        "change my standing order {order_id} to {amount:money} {currency}. old amount + payee?",
        "We have had a long talk about it in the family, and my standing order {order_id} shall be {amount:money} "
        "{currency} from now on! How much was it so far, and who gets it again?",
        "Kindly amend the sum of my standing order {order_id} to {amount:money} {currency}, and state the former sum "
        "and the name of the payee.",
        hurried="My standing order {order_id}, make it {amount:money} {currency}, what was it before and to whom?",
        confused="Something about my standing order {order_id}, it must be {amount:money} {currency} now, they wrote; "
        "what was it before, and to whom does that go?",
    ),
    _draw_amount,
    _change_amount,
    (
        OTHER_AMOUNT,
        Twist(
            "only as an increase",
            "condition",
            says(
                "If it is more than that already, leave it alone and just tell me the amount.",
                "if it's more already: leave it, just the amount.",
                "Unless it is more than that already, then leave it be and just tell me how much!",
                "Should it already exceed that sum, leave it and merely state the amount.",
            ),
            sets={"only_up": True},
        ),
        Twist(
            "on another day too",
            "constraint",
            says(
                "The next payment should be on {next_on:date}.",
                "next payment on {next_on:date}.",
                "And let the next one go out on {next_on:date}, if you would!",
                "The next payment is to be made on {next_on:date}.",
            ),
            draw=later_day(4, 30, "next_on"),
        ),
    ),
)


def _end(facts: Facts) -> Policy:
    order = yield do("get_standing_order", order_id=facts["order_id"])
    if order["status"] != "active":
        raise DeadEnd("it has ended")
    next_on, payee = order["next_on"], order["payee"]
    if facts.get("not_weekly") and order["frequency"] == "weekly":
        return Reply(f"It goes on: it is paid weekly to {payee}, next on {next_on}.", (next_on,))
    yield do("end_standing_order", order_id=facts["order_id"])
    amount = shown(order["amount"])
    return Reply(f"Ended; {amount} would have gone to {payee} on {next_on}.", (amount, next_on))


END = Program(
    "end_standing_order",
    "End a standing order",
    says(
        "[The contract is over|I have moved out], so please end my standing order {order_id}. On what day would it "
        "next have been paid, and how much?",
        "end my standing order {order_id}. next payment would have been when, how much?",
        "The children have left home, hurrah and alas, so my standing order {order_id} can end! When would the next "
        "payment have been, and how big?",
        "I revoke my standing order {order_id} with immediate effect; kindly state the date and sum of the payment "
        "next due.",
        non_native="My standing order {order_id} should finish, please; which day was planned for next time and how "
        "much money?",
    ),
    a_record("standing_orders", "order_id", _active),
    _end,
    (
        Twist(
            "unless weekly",
            "condition",
            says(
                "In case it is a weekly one, I picked the wrong number: leave it and tell me its next day of payment.",
                "if weekly it's the wrong one: leave it, just tell me the next date.",
                "If it turns out to be paid every week I have mixed them up, then leave it and tell me the next day!",
                "Should it be a weekly one, I am mistaken; leave it and state the next date of payment.",
            ),
            sets={"not_weekly": True},
        ),
    ),
    again="order_id",
)


def _draw_switch(world: World, rng: Random) -> Facts:
    order = pick(rng, [each for each in world.rows("standing_orders") if _active(each)])
    currency = currency_of(world, order)
    others = [
        each
        for each in current_accounts(world)
        if each["customer_id"] == order["customer_id"]
        and each["currency"] == currency
        and each["account_id"] != order["account_id"]
    ]
    return {**owner(order), "order_id": order["order_id"], "account_id": pick(rng, others)["account_id"]}


def _switch(facts: Facts) -> Policy:
    order = yield do("get_standing_order", order_id=facts["order_id"])
    frequency = facts.get("frequency", order["frequency"])
    if order["account_id"] == facts["account_id"]:
        raise DeadEnd("it is paid from there")
    yield do("end_standing_order", order_id=facts["order_id"])
    done = yield do(
        "create_standing_order",
        account_id=facts["account_id"],
        payee_id=order["payee_id"],
        amount=facts.get("amount", order["amount"]),
        frequency=frequency,
        first_on=order["next_on"],
    )
    text = f"The new one is {done['order_id']}, first on {done['next_on']}, to {done['payee']}."
    return Reply(text, (done["order_id"], done["next_on"]))


SWITCH = Program(
    "move_standing_order_to_account",
    "Have a standing order paid from another account",
    says(
        "My standing order {order_id} should be paid from my account {account_id} in future. Please end it and set up "
        "the same one there, with the first payment on the day of the next one, and tell me the new number and that "
        "day.",
        "move my standing order {order_id} to my account {account_id}: end it, set up the same there, first payment = "
        "next payment day. new number + day?",
        "I am putting my money matters in order at last! So my standing order {order_id} is to be paid out of my "
        "account {account_id} from now on: end the old one, set up the same again there, beginning on the next day it "
        "is due; and what are the new number and that day?",
        "Kindly transfer my standing order {order_id} to my account {account_id} by ending it and establishing an "
        "identical one there, beginning on the date of the next payment; please state its number and that date.",
        non_native="My standing order {order_id} I want to pay from my account {account_id} and not from the old; "
        "please finish it and make again the same there, first time on day of next payment; which number and which "
        "day?",
    ),
    _draw_switch,
    _switch,
    (
        Twist(
            "another rhythm",
            "change_of_mind",
            says(
                "And now that it is new anyway, make it {frequency}.",
                "new one {frequency}, please.",
                "And while everything is in flux, it could just as well be {frequency}!",
                "The new one is, moreover, to be {frequency}.",
            ),
            draw=lambda world, rng, facts: {"frequency": rng.choice(("weekly", "monthly", "quarterly"))},
        ),
        Twist(
            "with another sum",
            "constraint",
            says(
                "The new one should be over {amount:money} each time.",
                "amount on the new one: {amount:money}.",
                "And {amount:money} each time is what the new one should be!",
                "The sum of the new one shall be {amount:money}.",
            ),
            draw=limit_on("standing_orders", "order_id", "amount", "amount", (0.5, 0.8, 1.3)),
        ),
    ),
)

STANDING_ORDERS = (CREATE, CHANGE_AMOUNT, END, SWITCH)
