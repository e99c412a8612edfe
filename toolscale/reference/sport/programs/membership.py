"""Programs about the membership: its plan, a freeze, its end."""

from random import Random

from toolscale.reference.kit import must
from toolscale.reference.moments import day, shifted
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sport.catalogue import PLANS
from toolscale.reference.sport.programs.common import Record, members
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

NEXT_MONTH = "2026-12-01"
FEES = {plan.plan_id: plan.monthly_fee for plan in PLANS}
DISCOUNTS = {plan.plan_id: plan.court_discount_percent for plan in PLANS}
REASONS = {
    "I am moving to another town": "moving",
    "it has become too expensive": "cost",
    "my health does not allow it any more": "health",
    "I never find the time": "no_time",
}


def _better_plan(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    plans = yield do("list_plans")
    suitable = [
        each
        for each in plans
        if each["court_discount_percent"] >= facts["percent"]
        and each["plan_id"] != member["plan_id"]
        and (not facts.get("with_classes") or each["classes_included"])
        and each["minimum_months"] <= facts.get("months", each["minimum_months"])
    ]
    plan = yield choose(suitable, key=lambda each: each["monthly_fee"])
    fee = shown(plan["monthly_fee"])
    if plan["monthly_fee"] > facts.get("most", plan["monthly_fee"]):
        return Reply(f"I changed nothing: the cheapest is {plan['name']} at {fee} EUR a month.", (plan["name"], fee))
    done = yield do("change_plan", member_id=facts["member_id"], plan_id=plan["plan_id"])
    text = f"You are on {plan['name']} from {done['from']}, for {fee} EUR a month, until {done['contract_until']}."
    return Reply(text, (plan["name"], fee, done["contract_until"]))


def _may_choose(member: Record) -> bool:
    return bool(not member["next_plan_id"] and (member["contract_until"] < NEXT_MONTH or FEES[member["plan_id"]] < 60))


def _draw_better_plan(world: World, rng: Random) -> Facts:
    member = pick(rng, members(world, _may_choose))
    more = [percent for percent in (15, 20, 25, 30, 40, 50) if percent > DISCOUNTS[member["plan_id"]]]
    return {"member_id": member["member_id"], "percent": pick(rng, more)}


BETTER_PLAN = WORDS.program(
    "change_to_plan_with_discount",
    _draw_better_plan,
    _better_plan,
    (
        WORDS.twist("classes included", "constraint", sets={"with_classes": True}),
        WORDS.twist(
            "a limit on the fee",
            "condition",
            draw=lambda world, rng, facts: {"most": rng.choice((65.0, 72.0, 80.0, 105.0))},
        ),
    ),
)


def _freeze(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    left = str(member["freeze_days_left"])
    must(member["freeze_days_left"] >= facts["days"], "the plan does not allow so many")
    if member["freeze_days_left"] < facts["days"] + facts.get("keep", 0):
        return Reply(f"I froze nothing: the days of freeze left this year are {left}.", (left,))
    done = yield do(
        "freeze_membership",
        member_id=facts["member_id"],
        first_day=facts.get("new_first", facts["first"]),
        days=facts["days"],
    )
    last, until = done["frozen_until"], done["contract_until"]
    return Reply(f"It is frozen up to {last}, and the contract now runs until {until}.", (last, until))


def freeze_left(member: Record) -> int:
    """Days of freeze that a member's plan still allows this year."""
    plan = next(plan for plan in PLANS if plan.plan_id == member["plan_id"])
    return int(plan.freeze_days_a_year - member["freeze_days_used"])


def free_in(world: World, first: int, days: int) -> list[Record]:
    """Members who may freeze: long enough bound, and as far as in sight nothing is booked or hired in that time."""
    begin, end = day(first), day(first + days)
    busy = [(each["member_id"], each["starts"], each["starts"]) for each in world.rows("court_bookings")]
    for hire in world.rows("hires"):
        busy.append((hire["member_id"], hire["first_day"], shifted(hire["first_day"], hire["days"] * 24 * 60)))
    taken = {who for who, since, until in busy if since[:10] <= end and begin <= until[:10]}
    return members(world, lambda each: each["member_id"] not in taken and each["contract_until"] > day(60))


def _draw_freeze(world: World, rng: Random) -> Facts:
    first, days = rng.randint(9, 30), rng.choice((14, 21, 28, 30))
    member = pick(rng, [each for each in free_in(world, first, days) if freeze_left(each) >= days])
    return {"member_id": member["member_id"], "first": day(first), "days": days}


def _draw_later(world: World, rng: Random, facts: Facts) -> Facts:
    return {"new_first": pick(rng, [day(ahead) for ahead in range(24, 31) if day(ahead) > facts["first"]])}


FREEZE = WORDS.program(
    "freeze_membership",
    _draw_freeze,
    _freeze,
    (
        WORDS.twist(
            "days that must remain", "condition", draw=lambda world, rng, facts: {"keep": rng.choice((5, 10, 15, 40))}
        ),
        WORDS.twist("another first day", "change_of_mind", draw=_draw_later),
    ),
)


def _end(facts: Facts) -> Solution:
    must(facts["reason"] in REASONS, "that is no reason that the club knows")
    member = yield do("get_member", member_id=facts["member_id"])
    last = member["earliest_end"]
    if last > facts.get("by", last):
        return Reply(f"I ended nothing: it can end on {last} at the earliest.", (last,))
    done = yield do("end_membership", member_id=facts["member_id"], last_day=last, reason=REASONS[facts["reason"]])
    credit = shown(done["credit"])
    return Reply(f"Your membership ends on {last}; your credit is {credit} EUR.", (last, credit))


END = WORDS.program(
    "end_membership",
    lambda world, rng: {
        "member_id": pick(rng, members(world))["member_id"],
        "reason": rng.choice(sorted(REASONS)),
    },
    _end,
    (
        WORDS.twist(
            "only if it ends soon",
            "condition",
            draw=lambda world, rng, facts: {"by": rng.choice((day(40), day(95), day(190), day(300)))},
        ),
    ),
)

MEMBERSHIP = (BETTER_PLAN, FREEZE, END)
