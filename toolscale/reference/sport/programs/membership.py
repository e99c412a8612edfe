"""Programs about the membership: its plan, a freeze, its end."""

from random import Random

from toolscale.reference.moments import day, shifted
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sport.catalogue import PLANS
from toolscale.reference.sport.programs.common import Record, members
from toolscale.reference.sums import shown

NEXT_MONTH = "2026-12-01"
FEES = {plan.plan_id: plan.monthly_fee for plan in PLANS}
DISCOUNTS = {plan.plan_id: plan.court_discount_percent for plan in PLANS}
REASONS = {
    "I am moving to another town": "moving",
    "it has become too expensive": "cost",
    "my health does not allow it any more": "health",
    "I never find the time": "no_time",
}


def _better_plan(facts: Facts) -> Policy:
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


BETTER_PLAN = Program(
    "change_to_plan_with_discount",
    "Change to the cheapest other plan with a certain discount on courts",
    {
        "plain": "[I play much more than I used to|The courts cost me too much]: please change me to the cheapest "
        "other plan that takes at least {percent:int} percent off the courts. Which one is it, what is the fee, and "
        "until when am I bound?",
        "terse": "switch me to cheapest other plan with {percent:int}% or more off courts. name, monthly fee, bound "
        "until?",
        "chatty": "I [live on these courts by now|have caught the bug], so move me to whichever other plan is cheapest "
        "with {percent:int} percent off the courts or more! What is it called, what do I pay a month, how long am I "
        "in?",
        "formal": "I wish to change to the least expensive plan other than mine that grants a reduction of "
        "{percent:int} percent or more on courts; please state its name, its monthly fee, and the end of its term.",
        "non_native": "Please change my plan to other one, the most cheap which gives {percent:int} percent or more "
        "for the courts; the name, how much by month, and until when?",
    },
    _draw_better_plan,
    _better_plan,
    (
        Twist(
            "classes included",
            "constraint",
            {
                "plain": "It must include the classes.",
                "terse": "classes must be included.",
                "chatty": "And the classes should be in it, [I want to try everything|my yoga is sacred]!",
                "formal": "The inclusion of classes is indispensable.",
            },
            sets={"with_classes": True},
        ),
        Twist(
            "a limit on the fee",
            "condition",
            {
                "plain": "If that is more than {most:money} EUR a month, change nothing and only tell me its name and "
                "fee.",
                "terse": "above {most:money} EUR a month don't, just name + fee.",
                "chatty": "But above {most:money} EUR a month I stay where I am, so then just tell me its name and "
                "fee!",
                "formal": "If the monthly fee exceeds {most:money} EUR, please leave my plan as it is and confine "
                "yourself to its name and fee.",
            },
            draw=lambda world, rng, facts: {"most": rng.choice((65.0, 72.0, 80.0, 105.0))},
        ),
    ),
)


def _freeze(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    left = str(member["freeze_days_left"])
    if member["freeze_days_left"] < facts["days"]:
        raise DeadEnd("the plan does not allow so many")
    if member["freeze_days_left"] < facts["days"] + facts.get("keep", 0):
        return Reply(f"I froze nothing: the days of freeze left this year are {left}.", (left,))
    done = yield do(
        "freeze_membership", member_id=facts["member_id"], first_day=facts.get("new_first", facts["first"]),
        days=facts["days"],
    )  # fmt: skip
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


FREEZE = Program(
    "freeze_membership",
    "Freeze a membership for some weeks",
    {
        "plain": "[I am going abroad for work|I need a break], so please freeze my membership for {days:int} days from "
        "{first:date}. [Until when is it frozen, and when does the contract end then?|Tell me the last day of the "
        "freeze and the new end of the contract.]",
        "terse": "freeze membership from {first:date}, {days:int} days. last frozen day + new contract end?",
        "chatty": "[The baby is due|We are sailing to the Azores], so I will not set foot in the club! Could you "
        "freeze my membership from {first:date} for {days:int} days, and tell me when it wakes up and when the "
        "contract ends?",
        "formal": "I request that my membership be frozen as of {first:date} for {days:int} days, with an indication "
        "of the last day thereof and of the end of the contract that results.",
        "confused": "One can stop the membership for a while, I read, freeze it or so: from {first:date}, for "
        "{days:int} days please. Until when is that, and when does the contract end after it?",
    },
    _draw_freeze,
    _freeze,
    (
        Twist(
            "days that must remain",
            "condition",
            {
                "plain": "But I want to have {keep:int} days of freeze left this year after that; if not, freeze "
                "nothing and tell me how many days I have.",
                "terse": "only if {keep:int} freeze days remain afterwards, else nothing, just my days left.",
                "chatty": "But I must have {keep:int} days of freeze to spare after that for my ski trip, otherwise "
                "leave it and tell me how many I have!",
                "formal": "Provided that {keep:int} days of freeze remain thereafter in this year; if they do not, "
                "please state only the days available.",
            },
            draw=lambda world, rng, facts: {"keep": rng.choice((5, 10, 15, 40))},
        ),
        Twist(
            "another first day",
            "change_of_mind",
            {
                "plain": "Wait, my plans moved: the freeze should start on {new_first:date}.",
                "terse": "start the freeze {new_first:date} instead.",
                "chatty": "Oh, they just rang, everything is later, so start the freeze on {new_first:date}!",
                "formal": "I have since learned that {new_first:date} must be the first day of the freeze.",
            },
            draw=_draw_later,
        ),
    ),
)


def _end(facts: Facts) -> Policy:
    if facts["reason"] not in REASONS:
        raise DeadEnd("that is no reason that the club knows")
    member = yield do("get_member", member_id=facts["member_id"])
    last = member["earliest_end"]
    if last > facts.get("by", last):
        return Reply(f"I ended nothing: it can end on {last} at the earliest.", (last,))
    done = yield do("end_membership", member_id=facts["member_id"], last_day=last, reason=REASONS[facts["reason"]])
    credit = shown(done["credit"])
    return Reply(f"Your membership ends on {last}; your credit is {credit} EUR.", (last, credit))


END = Program(
    "end_membership",
    "End a membership at the earliest possible date",
    {
        "plain": "I want to end my membership, because {reason}. Please do so for the earliest day that is possible. "
        "What day is that, and how much credit do I have [still|left]?",
        "terse": "end my membership asap, reason: {reason}. last day + credit?",
        "chatty": "It breaks my heart, but {reason}, and so I must leave the club! End my membership on the first day "
        "that you allow, and tell me which day that is and what credit I should still use up!",
        "formal": "As {reason}, I give notice of the termination of my membership on the earliest admissible date; "
        "please state that date and my credit.",
        "non_native": "I finish my membership because {reason}; make it for the most early day please, and say which "
        "day, and my credit.",
    },
    lambda world, rng: {
        "member_id": pick(rng, members(world))["member_id"],
        "reason": rng.choice(sorted(REASONS)),
    },
    _end,
    (
        Twist(
            "only if it ends soon",
            "condition",
            {
                "plain": "If it cannot end by {by:date}, leave it running and tell me only the earliest day.",
                "terse": "not if later than {by:date}, then only the earliest day.",
                "chatty": "But if that is later than {by:date}, I will stay a while, so then only tell me the earliest "
                "day!",
                "formal": "Should termination by {by:date} prove impossible, please leave the membership untouched and "
                "state the earliest day.",
            },
            draw=lambda world, rng, facts: {"by": rng.choice((day(40), day(95), day(190), day(300)))},
        ),
    ),
)

MEMBERSHIP = (BETTER_PLAN, FREEZE, END)
