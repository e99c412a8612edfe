"""Programs about equipment: hiring, keeping it longer, cancelling, what the deposits come to."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sport.programs.common import Record, city_of, club_in, members, near_price
from toolscale.reference.sums import shown


def _hire(facts: Facts) -> Policy:
    club = yield from club_in(facts["city"])
    days = facts.get("other_days", facts["days"])
    found = yield do(
        "search_equipment", club_id=club["club_id"], kind=facts["kind"], first_day=facts["first"], days=days
    )
    suitable = [each for each in found if each["deposit"] <= facts.get("deposit", each["deposit"])]
    sign = -1 if facts.get("best") else 1
    offer = yield choose(suitable, key=lambda each: sign * each["price"])
    price = shown(offer["price"])
    if offer["price"] > facts.get("most", offer["price"]):
        return Reply(f"I hired nothing: the {offer['name']} would cost {price} EUR.", (price,))
    hire = yield do(
        "hire_equipment",
        member_id=facts["member_id"],
        equipment_id=offer["equipment_id"],
        first_day=facts["first"],
        days=days,
    )
    text = f"Reserved ({hire['hire_id']}): the {hire['name']} for {price} EUR, deposit {shown(hire['deposit'])} EUR."
    return Reply(text, (hire["name"], price, shown(hire["deposit"])))


def _draw_hire(world: World, rng: Random) -> Facts:
    equipment = pick(rng, world.rows("equipment"))
    return {
        "member_id": pick(rng, members(world))["member_id"],
        "city": city_of(world, equipment["club_id"]),
        "kind": equipment["kind"],
        "first": day(rng.randint(1, 26)),
        "days": rng.choice((2, 3, 4, 5, 7, 10)),
    }


HIRE = Program(
    "hire_cheapest_equipment",
    "Hire the cheapest equipment of a kind",
    {
        "plain": "I would like to hire a {kind} at your club in {city} for {days:count} days from {first:date}, the "
        "cheapest that is free. [Which one is it, what does it cost, and how high is the deposit?|Tell me its name, "
        "the price and the deposit.]",
        "terse": "hire: {kind}, {city}, from {first:date}, {days:int} days, cheapest. name, price, deposit?",
        "chatty": "[My nephew is coming|I want to try something new], so I need a {kind} in {city} from {first:date}, "
        "for {days:count} days, the cheapest thing you have! Which is it, for how much, and what deposit do I bring?",
        "formal": "I wish to hire a {kind} from your club in {city} as of {first:date} for {days:count} days, at the "
        "lowest price available; please state what it is, its price and its deposit.",
        "non_native": "I want rent a {kind} in {city}, beginning {first:date}, during {days:count} days, the most "
        "cheap please; which one, which price, and how much deposit?",
    },
    _draw_hire,
    _hire,
    (
        Twist(
            "a limit on the deposit",
            "constraint",
            {
                "plain": "I cannot leave a deposit of more than {deposit:money} EUR.",
                "terse": "deposit max {deposit:money} EUR.",
                "chatty": "But nothing with a deposit over {deposit:money} EUR, I do not carry that much around!",
                "formal": "The deposit must not exceed {deposit:money} EUR.",
            },
            draw=lambda world, rng, facts: {"deposit": rng.choice((75.0, 150.0, 200.0))},
        ),
        Twist(
            "the best there is",
            "change_of_mind",
            {
                "plain": "No, let it be the most expensive one, I want to treat myself.",
                "terse": "change: the priciest one.",
                "chatty": "Oh, you only live once, so rather the most expensive one you have!",
                "formal": "Upon reflection, the most expensive one is preferred.",
            },
            sets={"best": True},
        ),
        Twist(
            "more or fewer days",
            "change_of_mind",
            {
                "plain": "Let me correct that: I need it for {other_days:count} days.",
                "terse": "sorry, {other_days:int} days, not what i said.",
                "chatty": "Oh, and I counted wrong on my fingers, it should be {other_days:count} days!",
                "formal": "The duration is to be amended to {other_days:count} days.",
            },
            draw=lambda world, rng, facts: {"other_days": rng.choice((2, 3, 6, 8, 12))},
        ),
        Twist(
            "a limit on the price of the hire",
            "condition",
            {
                "plain": "If the hire costs more than {most:money} EUR in all, do not reserve it and tell me the "
                "price.",
                "terse": "over {most:money} EUR in all: no hire, just the price.",
                "chatty": "For more than {most:money} EUR in all I could nearly buy one, so then leave it and just "
                "tell me the price!",
                "formal": "Should the hire exceed {most:money} EUR altogether, please abstain and state the price.",
            },
            draw=lambda world, rng, facts: {"most": rng.choice((20.0, 45.0, 90.0, 180.0))},
        ),
    ),
)


def hires(world: World, status: tuple[str, ...]) -> list[Record]:
    """Hires of these states."""
    return [each for each in world.rows("hires") if each["status"] in status]


def _longer(facts: Facts) -> Policy:
    hire = yield do("get_hire", hire_id=facts["hire_id"])
    if hire["days"] + facts["days"] > 14:
        raise DeadEnd("that is too long for any hire")
    if hire["daily_rate"] > facts.get("most_a_day", hire["daily_rate"]):
        rate = shown(hire["daily_rate"])
        return Reply(f"I left it: the {hire['name']} costs {rate} EUR a day.", (rate,))
    done = yield do("extend_hire", hire_id=facts["hire_id"], days=facts.get("more_days", facts["days"]))
    charged = shown(done["charged"])
    return Reply(f"You have it until {done['last_day']}, for {charged} EUR more.", (done["last_day"], charged))


def _draw_longer(world: World, rng: Random) -> Facts:
    hire = pick(rng, [each for each in hires(world, ("reserved", "out")) if each["days"] <= 10])
    return {
        "member_id": hire["member_id"],
        "hire_id": hire["hire_id"],
        "days": rng.randint(2, 4),
    }


EXTEND = Program(
    "extend_hire",
    "Keep hired equipment for more days",
    {
        "plain": "[We are staying longer|I need it longer than planned]: please extend {hire_id} by "
        "{days:count} days. Until which day do I have it then, and what is the surcharge?",
        "terse": "extend {hire_id}, {days:int} days more. new last day + surcharge?",
        "chatty": "[My brother is coming too|The children are begging for it], so I would love to keep {hire_id} for "
        "{days:count} more days! Until what day is it mine, and what do I owe you more?",
        "formal": "Kindly prolong {hire_id} by {days:count} days, and state the new last day and the additional "
        "charge.",
        "hurried": "Need {hire_id} for {days:count} extra days, until when and how much more?",
    },
    _draw_longer,
    _longer,
    (
        Twist(
            "a limit on a day's rate",
            "condition",
            {
                "plain": "If a day of it costs more than {most_a_day:money} EUR, leave it and tell me what a day "
                "costs.",
                "terse": "not above {most_a_day:money} EUR a day, then just the daily rate.",
                "chatty": "If it is more than {most_a_day:money} EUR a day, though, I will bring it back, so then just "
                "tell me what a day costs!",
                "formal": "Where the daily rate exceeds {most_a_day:money} EUR, please refrain and state the rate.",
            },
            draw=lambda world, rng, facts: {"most_a_day": rng.choice((5.0, 10.0, 25.0, 35.0))},
        ),
        Twist(
            "another number of days",
            "change_of_mind",
            {
                "plain": "Make it {more_days:count} days longer, I have looked at my calendar again.",
                "terse": "make that {more_days:int} days.",
                "chatty": "Oh, and my sister says it has to be {more_days:count} days longer, so do that!",
                "formal": "I amend the extension to {more_days:count} days.",
            },
            draw=lambda world, rng, facts: {"more_days": rng.randint(2, 4)},
        ),
    ),
)


def _give_up(facts: Facts) -> Policy:
    hire = yield do("get_hire", hire_id=facts["hire_id"])
    if hire["price"] < facts.get("least", 0):
        price = shown(hire["price"])
        return Reply(f"I kept the {hire['name']}: it costs {price} EUR.", (price,))
    done = yield do("cancel_hire", hire_id=facts["hire_id"])
    refund = shown(done["refund"])
    return Reply(f"The hire is cancelled, and {refund} EUR go back to your card.", (refund,))


def _draw_reserved(world: World, rng: Random) -> Facts:
    hire = pick(rng, [each for each in hires(world, ("reserved",)) if each["first_day"] > day(1)])
    return {"member_id": hire["member_id"], "hire_id": hire["hire_id"]}


CANCEL_HIRE = Program(
    "cancel_hire",
    "Cancel a reserved hire",
    {
        "plain": "[A friend lends me one|I have bought my own by now], so I do not need {hire_id} any more. Please "
        "cancel the hire and tell me how much money I get back.",
        "terse": "don't need {hire_id}, cancel the hire. refund?",
        "chatty": "[My brother found his in the attic|The forecast is dreadful], so do cancel the hire for me, I mean "
        "{hire_id}! How much comes back to me?",
        "formal": "I no longer require {hire_id}; please cancel the hire and state the sum that is refunded.",
        "non_native": "I not need more {hire_id}, cancel please the hire; how much money comes to me?",
    },
    _draw_reserved,
    _give_up,
    (
        Twist(
            "only if it cost much",
            "condition",
            {
                "plain": "If it cost less than {least:money} EUR, I keep it, and you only tell me the price.",
                "terse": "under {least:money} EUR keep it, only tell me the price.",
                "chatty": "If it was less than {least:money} EUR, never mind, then I keep it and you tell me the "
                "price!",
                "formal": "Should the price be below {least:money} EUR, the hire may stand, and only the price is of "
                "interest.",
            },
            draw=near_price("hires", "hire_id"),
        ),
    ),
    again="hire_id",
)


def _deposits(facts: Facts) -> Policy:
    listed = yield do("list_hires", member_id=facts["member_id"])
    if len(listed) < 2:
        raise DeadEnd("nothing to add up")
    full = []
    for each in listed:
        full.append((yield do("get_hire", hire_id=each["hire_id"])))
    first = yield choose(full, key=lambda each: each["last_day"])
    total = shown(sum(each["deposit"] for each in full))
    text = f"The deposits are {total} EUR in all; the {first['name']} is due back first, on {first['last_day']}."
    return Reply(text, (total, first["name"], first["last_day"]))


def _draw_several(world: World, rng: Random) -> Facts:
    owners = [each["member_id"] for each in hires(world, ("reserved", "out"))]
    return {"member_id": pick(rng, [key for key in owners if owners.count(key) > 1] or owners)}


DEPOSITS = Program(
    "deposits_of_hires",
    "Add up the deposits of one's hires and ask what is due back first",
    {
        "plain": "How much are the deposits for everything that I have hired or reserved, added together, and which of "
        "it do I have to bring back first, on what day?",
        "terse": "sum of deposits for all my hires? what is due back first + when?",
        "chatty": "I have hired half your store room, I fear: what do all my deposits come to, and what must I bring "
        "back first, and when?",
        "formal": "Please state the total of the deposits for my current hires, and which of them falls due for return "
        "first, with the date.",
        "non_native": "All the deposits of the things which I rent, how much is it together, and what must return "
        "first, which day?",
    },
    _draw_several,
    _deposits,
    unknown="[I have not noted the numbers of the hires.|I have no list of it.]",
)


EQUIPMENT = (HIRE, EXTEND, CANCEL_HIRE, DEPOSITS)
