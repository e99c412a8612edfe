"""Programs about memberships: bought, upgraded."""

from random import Random

from toolscale.reference.entertainment.programs.common import owner, says, twist
from toolscale.reference.moments import NOW
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, World, choose, do, pick
from toolscale.reference.sums import shown


def _draw_new_member(world: World, rng: Random) -> Facts:
    enrolled = {row["member_id"] for row in world.rows("memberships")}
    free = [row["member_id"] for row in world.rows("members") if row["member_id"] not in enrolled]
    return {"member_id": pick(rng, free), "percent": rng.choice((5, 8, 10, 12, 15))}


def _enrol(facts: Facts) -> Policy:
    levels = yield do("list_memberships", member_id=facts["member_id"])
    field = "stage_discount_percent" if facts.get("on_stage") else "cinema_discount_percent"
    enough = [each for each in levels if each[field] >= facts["percent"]]
    level = yield choose(enough, key=lambda each: each["yearly_price"])
    done = yield do("buy_membership", member_id=facts["member_id"], level=level["level"])
    price, until = shown(done["price"]), done["valid_until"]
    return Reply(f"You hold the {level['level']} membership until {until}, for {price}.", (price, until))


ENROL = Program(
    "buy_membership",
    "Become a member at the cheapest level with a certain discount",
    says(
        "I go out a lot, so I want a membership: the cheapest one that takes {percent:int} percent or more off cinema "
        "tickets. Buy it, and tell me the price and the last day on which it is valid.",
        "buy cheapest membership with {percent:int} percent or more off cinema. price + valid until?",
        "I am practically living in your cinemas, so get me the cheapest membership with {percent:int} percent or more "
        "off the tickets there! What is it, and how long do I have it?",
        "Please sell me the least expensive membership that grants no less than {percent:int} percent on cinema "
        "tickets, "
        "stating the price and the last day of validity.",
        "I want be member, the cheapest which gives {percent:int} percent or more less in cinema; how much is and "
        "until "
        "what day?",
    ),
    _draw_new_member,
    _enrol,
    (
        twist(
            "for theatres too",
            "change_of_mind",
            says(
                "Actually, the discount that I care about is the one for theatres and concerts.",
                "no, i mean the theatre/concert discount, not cinema.",
                "Oh, what am I saying, it is theatres and concerts where I want the discount, not the cinema!",
                "I correct myself: the discount in question is that for theatres and concert halls.",
            ),
            on_stage=True,
        ),
    ),
)


def _draw_plus(world: World, rng: Random) -> Facts:
    rows = [row for row in world.rows("memberships") if "PLUS" in row["level_id"] and row["valid_until"] > NOW[:10]]
    return owner(world, rng, rows)


def _promote(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    held = member["membership"]
    if not held or held["level"] != "plus":
        raise DeadEnd("it is not plus")
    done = yield do("upgrade_membership", membership_id=held["membership_id"])
    charged, until = shown(done["charged"]), done["valid_until"]
    text = f"You are a patron until {until}; {charged} {done['currency']} are charged."
    return Reply(text, (charged, until))


PROMOTE = Program(
    "upgrade_membership",
    "Upgrade a plus membership to patron",
    says(
        "Upgrade my plus membership to patron[, I go to the theatre so often|]. What do you charge for the rest of the "
        "year, and until when does it run?",
        "my plus membership to patron. charge + valid until?",
        "I have decided to become a patron, how grand that sounds! Upgrade my plus membership, and tell me what that "
        "costs and how long it lasts!",
        "Kindly upgrade my plus membership to patron, stating the charge and the last day of validity.",
        "From plus I want to go to patron membership; what I pay and until what day?",
    ),
    _draw_plus,
    _promote,
)

MEMBERSHIPS = (ENROL, PROMOTE)
