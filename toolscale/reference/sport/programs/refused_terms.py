"""Requests about contracts, hires and tickets that the clubs' policy forbids."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Refusal, Reply, Steps, World, choose, do, pick
from toolscale.reference.sport.catalogue import PLANS
from toolscale.reference.sport.programs.common import WAYS, members, way
from toolscale.reference.sport.programs.equipment import hires
from toolscale.reference.sport.programs.membership import FEES, NEXT_MONTH, free_in, freeze_left
from toolscale.reference.sport.programs.tickets import ticket
from toolscale.reference.sums import shown


def _too_long_a_freeze(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    if member["freeze_days_left"] >= facts["days"]:
        raise DeadEnd("the days suffice")
    done = yield do(
        "freeze_membership", member_id=facts["member_id"], first_day=facts["first"], days=facts["fewer"]
    )  # fmt: skip
    last, until = done["frozen_until"], done["contract_until"]
    text = f"You have {member['freeze_days_left']} days of freeze left, so it is frozen up to {last} only; the contract"
    return Reply(f"{text} runs until {until}.", (last, until))


def _draw_long_freeze(world: World, rng: Random) -> Facts:
    first, fewer = rng.randint(16, 30), rng.choice((14, 21))
    member = pick(rng, [each for each in free_in(world, first, fewer) if freeze_left(each) >= fewer])
    days = freeze_left(member) + rng.choice((5, 10, 20, 30))
    return {"member_id": member["member_id"], "first": day(first), "days": days, "fewer": fewer}


def _freeze_all_the_same(facts: Facts) -> Steps:
    yield do("freeze_membership", member_id=facts["member_id"], first_day=facts["first"], days=facts["days"])


LONG_FREEZE = Program(
    "refuse_long_freeze",
    "Ask for a longer freeze than the plan allows, and get a shorter one",
    {
        "plain": "I shall be away for very long: please freeze my membership from {first:date} for {days:int} "
        "days. If my plan does not allow so many, make it {fewer:int} days. Until when is it frozen, and until when "
        "does the contract run then?",
        "terse": "long freeze: {days:int} days from {first:date}. if not allowed: {fewer:int} days. last frozen day + "
        "contract end?",
        "chatty": "I am off on my great journey, and so I want all of {days:int} days of freeze, from {first:date} on! "
        "If that is too much for my plan, {fewer:int} days will have to do, and tell me the last day of it and the new "
        "end of the contract!",
        "formal": "I apply for a freeze of {days:int} days, as of {first:date}; if my plan precludes it, the freeze is "
        "to be one of {fewer:int} days, and its last day and the resulting end of the contract are to be stated.",
    },
    _draw_long_freeze,
    _too_long_a_freeze,
    refusal=Refusal("a_freeze_keeps_to_the_plan", _freeze_all_the_same),
)


def _bound(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    earliest = member["earliest_end"]
    if earliest <= facts["leave_on"]:
        raise DeadEnd("nothing is in the way")
    done = yield do("end_membership", member_id=facts["member_id"], last_day=earliest, reason="no_time")
    credit = shown(done["credit"])
    return Reply(
        f"It could end on {earliest} at the earliest, and so it does; your credit is {credit} EUR.", (earliest,)
    )


def _draw_bound(world: World, rng: Random) -> Facts:
    member = pick(rng, members(world, lambda each: each["contract_until"] > day(60)))
    return {"member_id": member["member_id"], "leave_on": day(rng.choice((8, 15, 22, 38, 45)))}


def _end_all_the_same(facts: Facts) -> Steps:
    yield do("end_membership", member_id=facts["member_id"], last_day=facts["leave_on"], reason="no_time")


EARLY_END = Program(
    "refuse_early_end",
    "Ask to leave the club before the contract ends, and leave it as soon as it can be",
    {
        "plain": "I never find the time, so I want to leave the club, and my last day should be {leave_on:date}. If "
        "that cannot be, let it be the first date on which I can leave, and tell me which that is.",
        "terse": "no time any more, cancel my contract, last day {leave_on:date}. if impossible: first possible date "
        "instead, which?",
        "chatty": "I simply have no time any more, so {leave_on:date} has to be my last day with you! And if you "
        "will not let me go yet, then end it as soon as you can, and tell me on what day that is!",
        "formal": "For want of time I intend to leave the club with effect from {leave_on:date}; if the contract "
        "precludes it, the first admissible date is to be entered in its place and stated.",
        "non_native": "I have no time more and will leave the club on {leave_on:date}; if is not possible, then on the "
        "first date that is possible, and say which date it is.",
    },
    _draw_bound,
    _bound,
    refusal=Refusal("a_membership_ends_after_its_term", _end_all_the_same),
)


def _no_downgrade(facts: Facts) -> Policy:
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


CHEAPER_PLAN = Program(
    "refuse_cheaper_plan",
    "Ask for a cheaper plan within the term of the present one",
    {
        "plain": "[Money is tight|I come less often these days], so please put me on the {plan} plan. If my contract "
        "does not let me, tell me what that plan costs a month and until what date I have to wait.",
        "terse": "put me on {plan} plan. if my contract blocks that: its monthly fee + how long do i have to wait "
        "(date)?",
        "chatty": "[My cat had an operation|Everything costs so much now], so I would love the {plan} plan! And if my "
        "contract says no, what would it cost me a month, and until what date must I hold out?",
        "formal": "I apply for the {plan} plan in place of mine; if the present contract stands against it, please "
        "state the monthly fee of that plan, and the date until which I remain bound.",
        "non_native": "Please I want the {plan} plan because is cheaper; if my contract not permits, how much is it by "
        "month, and until which date must I wait?",
    },
    _draw_downgrade,
    _no_downgrade,
    refusal=Refusal("a_cheaper_plan_waits_for_the_term", _downgrade_all_the_same),
)


def _longest(facts: Facts) -> Policy:
    hire = yield do("get_hire", hire_id=facts["hire_id"])
    if hire["days"] + facts["days"] <= 14:
        raise DeadEnd("so long is allowed")
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


def _extend_all_the_same(facts: Facts) -> Steps:
    yield do("extend_hire", hire_id=facts["hire_id"], days=facts["days"])


LONG_HIRE = Program(
    "refuse_long_hire",
    "Ask to keep hired equipment longer than anybody may, and get it for fewer days",
    {
        "plain": "I want to keep {hire_id} for a further {days:int} days. If that is longer than you let anybody have "
        "it, add {fewer:count} days only. On what day is it due back then, and what is charged?",
        "terse": "keep {hire_id} {days:int} days longer. if over your maximum: {fewer:int} days. due date + charge?",
        "chatty": "We have such plans that I want {hire_id} for another {days:int} days! If that is more than anybody "
        "may, then give me {fewer:count} days more, but when is it due, and what do I pay for them?",
        "formal": "For {days:int} days more I should like to retain {hire_id}; if this exceeds the permitted duration, "
        "{fewer:count} days are to be added, and the date of return and the charge to be stated.",
        "hurried": "Keep {hire_id} another {days:int} days, and if that's over the limit, {fewer:count} more, when is "
        "it due, how much?",
    },
    _draw_longest,
    _longest,
    refusal=Refusal("a_hire_takes_two_weeks_at_most", _extend_all_the_same),
)


def _upper_tier_stays(facts: Facts) -> Policy:
    full = yield do("get_ticket", ticket_id=facts["ticket_id"])
    if full["category"] != "upper tier":
        raise DeadEnd("it can be returned")
    price = shown(full["price"])
    text = f"Those are for the {full['category']} of the {full['arena']} and stay yours, for {price} EUR."
    return Reply(text, (full["category"], full["arena"], price))


def _return_all_the_same(facts: Facts) -> Steps:
    yield do("return_tickets", ticket_id=facts["ticket_id"], refund_to=way(facts))


def _draw_upper_tier(world: World, rng: Random) -> Facts:
    return {**ticket(world, rng, ("upper tier",)), "way": rng.choice(sorted(WAYS))}


UPPER_TIER = Program(
    "refuse_return_of_upper_tier_tickets",
    "Ask for the money of upper tier tickets back",
    {
        "plain": "[The match clashes with my shift|Nobody wants to come along], so I would like to hand {ticket_id} "
        "back with the money going {way}. If those seats cannot be handed back, tell me their category, the arena and "
        "what they cost.",
        "terse": "hand back {ticket_id}, money {way}. if that category can't be: which category, arena, price paid?",
        "chatty": "[My friends have all married|The children have caught a cold], so I want to hand {ticket_id} "
        "back, with the money {way}! If they are of the kind you do not take, what kind is it, in which arena, and "
        "what did I pay?",
        "formal": "I desire to hand back {ticket_id} with the money to go {way}; if the category does not admit of it, "
        "please state the category, the arena and the price paid.",
    },
    _draw_upper_tier,
    _upper_tier_stays,
    refusal=Refusal("upper_tier_tickets_stay", _return_all_the_same),
)

REFUSED_TERMS = (LONG_FREEZE, EARLY_END, CHEAPER_PLAN, LONG_HIRE, UPPER_TIER)
