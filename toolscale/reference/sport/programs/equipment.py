"""Programs about equipment: hiring, keeping it longer, cancelling, what the deposits come to."""

from random import Random

from toolscale.reference.kit import must
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sport.programs.common import Record, city_of, club_in, members, near_price
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _hire(facts: Facts) -> Solution:
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


HIRE = WORDS.program(
    "hire_cheapest_equipment",
    _draw_hire,
    _hire,
    (
        WORDS.twist(
            "a limit on the deposit",
            "constraint",
            draw=lambda world, rng, facts: {"deposit": rng.choice((75.0, 150.0, 200.0))},
        ),
        WORDS.twist("the best there is", "change_of_mind", sets={"best": True}),
        WORDS.twist(
            "more or fewer days",
            "change_of_mind",
            draw=lambda world, rng, facts: {"other_days": rng.choice((2, 3, 6, 8, 12))},
        ),
        WORDS.twist(
            "a limit on the price of the hire",
            "condition",
            draw=lambda world, rng, facts: {"most": rng.choice((20.0, 45.0, 90.0, 180.0))},
        ),
    ),
)


def hires(world: World, status: tuple[str, ...]) -> list[Record]:
    """Hires of these states."""
    return [each for each in world.rows("hires") if each["status"] in status]


def _longer(facts: Facts) -> Solution:
    hire = yield do("get_hire", hire_id=facts["hire_id"])
    must(hire["days"] + facts["days"] <= 14, "that is too long for any hire")
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


EXTEND = WORDS.program(
    "extend_hire",
    _draw_longer,
    _longer,
    (
        WORDS.twist(
            "a limit on a day's rate",
            "condition",
            draw=lambda world, rng, facts: {"most_a_day": rng.choice((5.0, 10.0, 25.0, 35.0))},
        ),
        WORDS.twist(
            "another number of days", "change_of_mind", draw=lambda world, rng, facts: {"more_days": rng.randint(2, 4)}
        ),
    ),
)


def _give_up(facts: Facts) -> Solution:
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


CANCEL_HIRE = WORDS.program(
    "cancel_hire",
    _draw_reserved,
    _give_up,
    (WORDS.twist("only if it cost much", "condition", draw=near_price("hires", "hire_id")),),
    again="hire_id",
)


def _deposits(facts: Facts) -> Solution:
    listed = yield do("list_hires", member_id=facts["member_id"])
    must(len(listed) >= 2, "nothing to add up")
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


DEPOSITS = WORDS.program("deposits_of_hires", _draw_several, _deposits)


EQUIPMENT = (HIRE, EXTEND, CANCEL_HIRE, DEPOSITS)
