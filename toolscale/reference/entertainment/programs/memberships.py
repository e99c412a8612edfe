"""Programs about memberships: bought, upgraded."""

from random import Random

from toolscale.reference.entertainment.programs.common import owner
from toolscale.reference.moments import NOW
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_new_member(world: World, rng: Random) -> Facts:
    enrolled = {row["member_id"] for row in world.rows("memberships")}
    free = [row["member_id"] for row in world.rows("members") if row["member_id"] not in enrolled]
    return {"member_id": pick(rng, free), "percent": rng.choice((5, 8, 10, 12, 15))}


def _enrol(facts: Facts) -> Solution:
    levels = yield do("list_memberships", member_id=facts["member_id"])
    field = "stage_discount_percent" if facts.get("on_stage") else "cinema_discount_percent"
    enough = [each for each in levels if each[field] >= facts["percent"]]
    level = yield choose(enough, key=lambda each: each["yearly_price"])
    done = yield do("buy_membership", member_id=facts["member_id"], level=level["level"])
    price, until = shown(done["price"]), done["valid_until"]
    return Reply(f"You hold the {level['level']} membership until {until}, for {price}.", (price, until))


ENROL = WORDS.program(
    "buy_membership",
    _draw_new_member,
    _enrol,
    (WORDS.twist("for theatres too", "change_of_mind", sets={"on_stage": True}),),
)


def _draw_plus(world: World, rng: Random) -> Facts:
    rows = [row for row in world.rows("memberships") if "PLUS" in row["level_id"] and row["valid_until"] > NOW[:10]]
    return owner(world, rng, rows)


def _promote(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    held = member["membership"]
    if not held or held["level"] != "plus":
        raise DeadEnd("it is not plus")
    done = yield do("upgrade_membership", membership_id=held["membership_id"])
    charged, until = shown(done["charged"]), done["valid_until"]
    text = f"You are a patron until {until}; {charged} {done['currency']} are charged."
    return Reply(text, (charged, until))


PROMOTE = WORDS.program("upgrade_membership", _draw_plus, _promote)

MEMBERSHIPS = (ENROL, PROMOTE)
