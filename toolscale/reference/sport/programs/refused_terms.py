"""Requests about contracts, hires and tickets that the clubs' policy forbids."""

from random import Random

from toolscale.reference.kit import just, must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Refusal, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sport.catalogue import PLANS
from toolscale.reference.sport.programs.common import WAYS, members, way
from toolscale.reference.sport.programs.equipment import hires
from toolscale.reference.sport.programs.membership import FEES, NEXT_MONTH, free_in, freeze_left
from toolscale.reference.sport.programs.tickets import ticket
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _too_long_a_freeze(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    must(member["freeze_days_left"] < facts["days"], "the days suffice")
    done = yield do("freeze_membership", member_id=facts["member_id"], first_day=facts["first"], days=facts["fewer"])
    last, until = done["frozen_until"], done["contract_until"]
    text = f"You have {member['freeze_days_left']} days of freeze left, so it is frozen up to {last} only; the contract"
    return Reply(f"{text} runs until {until}.", (last, until))


def _draw_long_freeze(world: World, rng: Random) -> Facts:
    first, fewer = rng.randint(16, 30), rng.choice((14, 21))
    member = pick(rng, [each for each in free_in(world, first, fewer) if freeze_left(each) >= fewer])
    days = freeze_left(member) + rng.choice((5, 10, 20, 30))
    return {"member_id": member["member_id"], "first": day(first), "days": days, "fewer": fewer}


LONG_FREEZE = WORDS.program(
    "refuse_long_freeze",
    _draw_long_freeze,
    _too_long_a_freeze,
    refusal=Refusal(
        "a_freeze_keeps_to_the_plan", just("freeze_membership", "member_id", first_day="first", days="days")
    ),
)


def _bound(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    earliest = member["earliest_end"]
    must(earliest > facts["leave_on"], "nothing is in the way")
    done = yield do("end_membership", member_id=facts["member_id"], last_day=earliest, reason="no_time")
    credit = shown(done["credit"])
    return Reply(
        f"It could end on {earliest} at the earliest, and so it does; your credit is {credit} EUR.", (earliest,)
    )


def _draw_bound(world: World, rng: Random) -> Facts:
    member = pick(rng, members(world, lambda each: each["contract_until"] > day(60)))
    return {"member_id": member["member_id"], "leave_on": day(rng.choice((8, 15, 22, 38, 45)))}


EARLY_END = WORDS.program(
    "refuse_early_end",
    _draw_bound,
    _bound,
    refusal=Refusal(
        "a_membership_ends_after_its_term",
        just("end_membership", "member_id", where={"reason": "no_time"}, last_day="leave_on"),
    ),
)


def _no_downgrade(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    plans = yield do("list_plans")
    plan = yield choose([each for each in plans if each["name"] == facts["plan"]], key=lambda each: each["name"])
    if plan["monthly_fee"] >= member["monthly_fee"] or member["contract_until"] < NEXT_MONTH:
        raise DeadEnd("the change is allowed")
    fee, until = shown(plan["monthly_fee"]), member["contract_until"]
    text = f"{plan['name']} at {fee} EUR a month is possible after {until}; you stay on {member['plan']}."
    return Reply(text, (fee, until))


def _draw_downgrade(world: World, rng: Random) -> Facts:
    bound = members(world, lambda each: each["contract_until"] >= NEXT_MONTH and FEES[each["plan_id"]] > 35)
    member = pick(rng, bound)
    cheaper = [plan.name for plan in PLANS if plan.monthly_fee < FEES[member["plan_id"]]]
    return {"member_id": member["member_id"], "plan": rng.choice(cheaper)}


def _downgrade_all_the_same(facts: Facts) -> Steps:
    plan = next(plan.plan_id for plan in PLANS if plan.name == facts["plan"])
    yield do("change_plan", member_id=facts["member_id"], plan_id=plan)


CHEAPER_PLAN = WORDS.program(
    "refuse_cheaper_plan",
    _draw_downgrade,
    _no_downgrade,
    refusal=Refusal("a_cheaper_plan_waits_for_the_term", _downgrade_all_the_same),
)


def _longest(facts: Facts) -> Solution:
    hire = yield do("get_hire", hire_id=facts["hire_id"])
    must(hire["days"] + facts["days"] > 14, "so long is allowed")
    done = yield do("extend_hire", hire_id=facts["hire_id"], days=facts["fewer"])
    due, charged = done["last_day"], shown(done["charged"])
    return Reply(f"14 days is the longest; the {hire['name']} is due on {due} now, for {charged} EUR.", (due, charged))


def _draw_longest(world: World, rng: Random) -> Facts:
    hire = pick(rng, [each for each in hires(world, ("reserved", "out")) if 3 <= each["days"] <= 12])
    left = 14 - hire["days"]
    return {
        "member_id": hire["member_id"],
        "hire_id": hire["hire_id"],
        "days": left + rng.randint(1, 8),
        "fewer": rng.randint(2, min(left, 4)),
    }


LONG_HIRE = WORDS.program(
    "refuse_long_hire",
    _draw_longest,
    _longest,
    refusal=Refusal("a_hire_takes_two_weeks_at_most", just("extend_hire", "hire_id", "days")),
)


def _upper_tier_stays(facts: Facts) -> Solution:
    full = yield do("get_ticket", ticket_id=facts["ticket_id"])
    must(full["category"] == "upper tier", "it can be returned")
    price = shown(full["price"])
    text = f"Those are for the {full['category']} of the {full['arena']} and stay yours, for {price} EUR."
    return Reply(text, (full["category"], full["arena"], price))


def _return_all_the_same(facts: Facts) -> Steps:
    yield do("return_tickets", ticket_id=facts["ticket_id"], refund_to=way(facts))


def _draw_upper_tier(world: World, rng: Random) -> Facts:
    return {**ticket(world, rng, ("upper tier",)), "way": rng.choice(sorted(WAYS))}


UPPER_TIER = WORDS.program(
    "refuse_return_of_upper_tier_tickets",
    _draw_upper_tier,
    _upper_tier_stays,
    refusal=Refusal("upper_tier_tickets_stay", _return_all_the_same),
)

REFUSED_TERMS = (LONG_FREEZE, EARLY_END, CHEAPER_PLAN, LONG_HIRE, UPPER_TIER)
