"""Programs about streaming subscriptions."""

from random import Random

from toolscale.reference.entertainment.programs.common import in_currency, owner
from toolscale.reference.kit import must
from toolscale.reference.moments import NOW
from toolscale.reference.program import Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


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
    must(member["subscription_id"], "there is no subscription")
    return (yield do("get_subscription", subscription_id=member["subscription_id"]))


def _draw_start(world: World, rng: Random) -> Facts:
    subscribed = {row["member_id"] for row in world.rows("subscriptions")}
    free = [row["member_id"] for row in world.rows("members") if row["member_id"] not in subscribed]
    return {"member_id": pick(rng, free), "screens": rng.choice((2, 2, 3, 4))}


def _start(facts: Facts) -> Solution:
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


START = WORDS.program(
    "start_subscription",
    _draw_start,
    _start,
    (
        WORDS.twist(
            "with downloads", "constraint", lambda world, rng, facts: {"downloads": rng.choice((5, 8, 15, 20, 25))}
        ),
        WORDS.twist("a limit on the plan", "condition", in_currency("most", 9, 12, 14, 18, 20)),
    ),
)


def _draw_wanted(world: World, rng: Random) -> Facts:
    rows = [row for row in world.rows("subscriptions") if row["status"] == "active" and "FAMILY" not in row["plan_id"]]
    subscription = pick(rng, rows)
    plan = subscription["plan_id"].split("-")[1].lower()
    wanted = [row for row in world.rows("titles") if row["included_in"] and plan not in row["included_in"]]
    return {"member_id": subscription["member_id"], "title": pick(rng, wanted)["name"]}


def _plan_for_title(facts: Facts) -> Solution:
    subscription = yield from own_subscription(facts)
    found = yield do("search_titles", name=facts["title"])
    title = yield choose([each for each in found if each["name"] == facts["title"]], key=lambda each: each["name"])
    plans = yield do("list_plans", member_id=facts["member_id"])
    must(subscription["plan"] not in title["included_in"], "the plan has it already")
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


PLAN_FOR_TITLE = WORDS.program(
    "plan_for_title",
    _draw_wanted,
    _plan_for_title,
    (WORDS.twist("a limit on the change", "condition", in_currency("most", 9, 12, 13, 17, 18)),),
)


def _draw_dear(world: World, rng: Random) -> Facts:
    rows = [row for row in world.rows("subscriptions") if row["status"] == "active" and "BASIC" not in row["plan_id"]]
    return owner(world, rng, rows)


def _downgrade(facts: Facts) -> Solution:
    subscription = yield from own_subscription(facts)
    plans = yield do("list_plans", member_id=facts["member_id"])
    least = [each for each in plans if each["screens"] >= facts.get("screens", 1)]
    plan = yield choose(least, key=lambda each: each["monthly_price"])
    must(plan["plan_id"] != subscription["plan_id"], "it is on that plan already")
    done = yield do("change_plan", subscription_id=subscription["subscription_id"], plan=plan["plan"])
    price = shown(done["monthly_price"])
    text = f"From {done['begins_on']} you are on the {plan['plan']} plan, {price} {done['currency']} a month."
    return Reply(text, (price, done["begins_on"]))


DOWNGRADE = WORDS.program(
    "downgrade_plan",
    _draw_dear,
    _downgrade,
    (WORDS.twist("with so many screens", "constraint", lambda world, rng, facts: {"screens": 2}),),
)


def _draw_pause(world: World, rng: Random) -> Facts:
    return {**owner(world, rng, subscribers(world)), "months": rng.choice((2, 3))}


def _pause(facts: Facts) -> Solution:
    subscription = yield from own_subscription(facts)
    done = yield do("pause_subscription", subscription_id=subscription["subscription_id"], months=facts["months"])
    return Reply(f"It pauses; the next bill comes on {done['next_billing']}.", (done["next_billing"],))


PAUSE = WORDS.program(
    "pause_subscription",
    _draw_pause,
    _pause,
    (
        WORDS.twist(
            "another length",
            "change_of_mind",
            lambda world, rng, facts: {"months": pick(rng, [m for m in (2, 3) if m != facts["months"]])},
        ),
    ),
)


def _end(facts: Facts) -> Solution:
    subscription = yield from own_subscription(facts)
    done = yield do("cancel_subscription", subscription_id=subscription["subscription_id"])
    price = shown(subscription["monthly_price"])
    text = f"Your {subscription['plan']} plan at {price} a month ends on {done['ends_on']}."
    return Reply(text, (done["ends_on"], price))


END = WORDS.program("end_subscription", lambda world, rng: owner(world, rng, subscribers(world)), _end)


SUBSCRIPTIONS = (START, PLAN_FOR_TITLE, DOWNGRADE, PAUSE, END)
