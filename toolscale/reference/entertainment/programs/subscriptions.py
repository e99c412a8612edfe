"""Programs about streaming subscriptions."""

from random import Random

from toolscale.reference.entertainment.programs.common import in_currency, owner, says, twist
from toolscale.reference.moments import NOW
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Steps, World, choose, do, pick
from toolscale.reference.sums import shown


def subscribers(world: World, bound: bool = False) -> list[Record]:
    """Active subscriptions in sight; within their minimum term or after it."""
    return [
        row
        for row in world.rows("subscriptions")
        if row["status"] == "active" and not row["ends_on"] and (row["minimum_until"] > NOW[:10]) == bound
    ]


def own_subscription(facts: Facts) -> Steps:
    """Step: the member's subscription in full."""
    member = yield do("get_member", member_id=facts["member_id"])
    if not member["subscription_id"]:
        raise DeadEnd("there is no subscription")
    return (yield do("get_subscription", subscription_id=member["subscription_id"]))


def _draw_start(world: World, rng: Random) -> Facts:
    subscribed = {row["member_id"] for row in world.rows("subscriptions")}
    free = [row["member_id"] for row in world.rows("members") if row["member_id"] not in subscribed]
    return {"member_id": pick(rng, free), "screens": rng.choice((2, 2, 3, 4))}


def _start(facts: Facts) -> Policy:
    plans = yield do("list_plans", member_id=facts["member_id"])
    enough = [
        each for each in plans if each["screens"] >= facts["screens"] and each["downloads"] >= facts.get("downloads", 0)
    ]
    plan = yield choose(enough, key=lambda each: each["monthly_price"])
    price = shown(plan["monthly_price"])
    if plan["monthly_price"] > facts.get("most", float("inf")):
        return Reply(f"I started nothing: that is {price} {plan['currency']} a month.", (price,))
    done = yield do("start_subscription", member_id=facts["member_id"], plan=plan["plan"])
    text = f"Your {plan['plan']} plan runs, at {price} {plan['currency']} a month; next bill on {done['next_billing']}."
    return Reply(text, (price,))


START = Program(
    "start_subscription",
    "Start the cheapest streaming plan that suits the household",
    says(
        "I want to start streaming: the cheapest plan with {screens:count} or more screens at a time. [Begin it today "
        "and|Please start it now, and] tell me the monthly price.",
        "start streaming sub, cheapest plan with {screens:int}+ screens. price a month?",
        "The whole street is streaming but us! Start the cheapest plan that lets {screens:count} or more screens play "
        "at once, and tell me what that is a month.",
        "I wish to subscribe to the least expensive streaming plan that permits {screens:count} or more screens "
        "simultaneously; kindly start it and state the monthly charge.",
        "I want make subscription for streaming, the cheap one where {screens:count} or more screens go same time; how "
        "much in month?",
    ),
    _draw_start,
    _start,
    (
        twist(
            "with downloads",
            "constraint",
            says(
                "It must also allow {downloads:int} downloads or more.",
                "needs {downloads:int}+ downloads.",
                "And I am often on the train, so it has to allow {downloads:int} downloads or more!",
                "The plan must further permit no fewer than {downloads:int} downloads.",
            ),
            lambda world, rng, facts: {"downloads": rng.choice((5, 8, 15, 20, 25))},
        ),
        twist(
            "a limit on the plan",
            "condition",
            says(
                "If it is more than {most:money} a month, start nothing and tell me the price.",
                "max {most:money} a month, else start nothing, just the price.",
                "But not for more than {most:money} a month, then leave it and just tell me the price!",
                "Should it exceed {most:money} a month, start nothing and state the price.",
            ),
            in_currency("most", 9, 12, 14, 18, 20),
        ),
    ),
)


def _draw_wanted(world: World, rng: Random) -> Facts:
    rows = [row for row in world.rows("subscriptions") if row["status"] == "active" and "FAMILY" not in row["plan_id"]]
    subscription = pick(rng, rows)
    plan = subscription["plan_id"].split("-")[1].lower()
    wanted = [row for row in world.rows("titles") if row["included_in"] and plan not in row["included_in"]]
    return {"member_id": subscription["member_id"], "title": pick(rng, wanted)["name"]}


def _plan_for_title(facts: Facts) -> Policy:
    subscription = yield from own_subscription(facts)
    found = yield do("search_titles", name=facts["title"])
    title = yield choose([each for each in found if each["name"] == facts["title"]], key=lambda each: each["name"])
    plans = yield do("list_plans", member_id=facts["member_id"])
    if subscription["plan"] in title["included_in"]:
        raise DeadEnd("the plan has it already")
    plan = yield choose(
        [each for each in plans if each["plan"] in title["included_in"]], key=lambda each: each["monthly_price"]
    )
    price = shown(plan["monthly_price"])
    if plan["monthly_price"] > facts.get("most", float("inf")):
        return Reply(f"I changed nothing: that plan costs {price} {plan['currency']} a month.", (price,))
    done = yield do("change_plan", subscription_id=subscription["subscription_id"], plan=plan["plan"])
    charged = shown(done["charged_now"])
    text = f"You are on the {plan['plan']} plan: {charged} {done['currency']} now, then {price} a month."
    return Reply(text, (charged, price))


PLAN_FOR_TITLE = Program(
    "plan_for_title",
    "Change to the cheapest plan that includes a title",
    says(
        "My streaming plan does not have {title}. Change me to the cheapest plan that includes it and tell me what is "
        "charged now and what I pay a month then.",
        "switch my streaming to the cheapest plan with {title}. charge now + price a month?",
        "Everybody talks about {title} and my plan has not got it! Put me on the cheapest plan that does, and tell me "
        "what you take now and what it will be each month.",
        "Please change my subscription to the least expensive plan that includes {title}, stating the immediate charge "
        "and the monthly price.",
        "In my plan is no {title}, please change to cheapest plan where it is; how much now and how much in month?",
    ),
    _draw_wanted,
    _plan_for_title,
    (
        twist(
            "a limit on the change",
            "condition",
            says(
                "If that plan is more than {most:money} a month, leave mine as it is and tell me its price.",
                "max {most:money} a month, else keep mine, tell me the price.",
                "But beyond {most:money} a month I stay with mine, then just tell me what it would be!",
                "Should that plan exceed {most:money} a month, retain the present one and state the price.",
            ),
            in_currency("most", 9, 12, 13, 17, 18),
        ),
    ),
)


def _draw_dear(world: World, rng: Random) -> Facts:
    rows = [row for row in world.rows("subscriptions") if row["status"] == "active" and "BASIC" not in row["plan_id"]]
    return owner(world, rng, rows)


def _downgrade(facts: Facts) -> Policy:
    subscription = yield from own_subscription(facts)
    plans = yield do("list_plans", member_id=facts["member_id"])
    least = [each for each in plans if each["screens"] >= facts.get("screens", 1)]
    plan = yield choose(least, key=lambda each: each["monthly_price"])
    if plan["plan_id"] == subscription["plan_id"]:
        raise DeadEnd("it is on that plan already")
    done = yield do("change_plan", subscription_id=subscription["subscription_id"], plan=plan["plan"])
    price = shown(done["monthly_price"])
    text = f"From {done['begins_on']} you are on the {plan['plan']} plan, {price} {done['currency']} a month."
    return Reply(text, (price, done["begins_on"]))


DOWNGRADE = Program(
    "downgrade_plan",
    "Change to the cheapest streaming plan",
    says(
        "[I hardly watch anything these days|We have to save]: change my streaming to the cheapest plan there is. From "
        "which day does that hold, and what is it a month?",
        "downgrade my streaming to the cheapest plan. from when, price a month?",
        "I am hardly at home, so the cheapest streaming plan will do for me! From what day is that, and what will I "
        "pay "
        "a month?",
        "Kindly change my streaming subscription to the least expensive plan, stating the day on which it begins and "
        "the "
        "monthly price.",
        "I watch not much, put my streaming in cheapest plan please; from what day and how much in month?",
    ),
    _draw_dear,
    _downgrade,
    (
        twist(
            "with so many screens",
            "constraint",
            says(
                "It still has to allow {screens:count} screens at a time, though.",
                "must still allow {screens:count} screens at once.",
                "Only, there are several of us, so {screens:count} screens at a time it must still allow!",
                "It shall, however, continue to permit {screens:count} screens simultaneously.",
            ),
            lambda world, rng, facts: {"screens": 2},
        ),
    ),
)


def _draw_pause(world: World, rng: Random) -> Facts:
    return {**owner(world, rng, subscribers(world)), "months": rng.choice((2, 3))}


def _pause(facts: Facts) -> Policy:
    subscription = yield from own_subscription(facts)
    done = yield do("pause_subscription", subscription_id=subscription["subscription_id"], months=facts["months"])
    return Reply(f"It pauses; the next bill comes on {done['next_billing']}.", (done["next_billing"],))


PAUSE = Program(
    "pause_subscription",
    "Pause a streaming subscription",
    says(
        "[I am going abroad|I shall be on a long job away], so pause my streaming for {months:count} months and tell "
        "me on which day the next bill comes.",
        "pause streaming, {months:count} months. next billing date?",
        "I am off to my sister's by the sea, so let the streaming rest for {months:count} months! And what day do "
        "you "
        "bill me next?",
        "Please suspend my streaming subscription for {months:count} months and advise me of the next billing date.",
        "I travel away, please stop my streaming for {months:count} months only; what day is next payment?",
    ),
    _draw_pause,
    _pause,
    (
        twist(
            "another length",
            "change_of_mind",
            says(
                "Sorry, I have just checked the calendar: pause it for {months:count} months.",
                "correction: pause for {months:count} months.",
                "Oh no, I looked at the wrong page of the calendar, it must rest for {months:count} months!",
                "I must correct the period of suspension to {months:count} months.",
            ),
            lambda world, rng, facts: {"months": pick(rng, [m for m in (2, 3) if m != facts["months"]])},
        ),
    ),
)


def _end(facts: Facts) -> Policy:
    subscription = yield from own_subscription(facts)
    done = yield do("cancel_subscription", subscription_id=subscription["subscription_id"])
    price = shown(subscription["monthly_price"])
    text = f"Your {subscription['plan']} plan at {price} a month ends on {done['ends_on']}."
    return Reply(text, (done["ends_on"], price))


END = Program(
    "end_subscription",
    "End a streaming subscription",
    says(
        "Please end my streaming subscription. I want to know on which day it stops and what I have been paying a "
        "month.",
        "end my streaming sub. last day + what i paid a month?",
        "The children have moved out and nobody watches, so end the streaming subscription! When does it stop, and "
        "what "
        "did that cost me a month all along?",
        "I hereby terminate my streaming subscription; kindly confirm the day on which it ends and the monthly price "
        "paid so far.",
        "I want finish with streaming subscription; which day ends and how much I paid in month?",
    ),
    lambda world, rng: owner(world, rng, subscribers(world)),
    _end,
)


SUBSCRIPTIONS = (START, PLAN_FOR_TITLE, DOWNGRADE, PAUSE, END)
