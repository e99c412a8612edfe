"""Complications that several programs share."""

from random import Random

from toolscale.reference.program import Facts, Reply, Steps, World, do, pick
from toolscale.reference.restaurant.programs.common import another_count, another_time, some_area, some_diet, upcoming
from toolscale.reference.words import words

WORDS = words(__file__)


def _like_another(world: World, rng: Random, facts: Facts) -> Facts:
    said = (1, facts.get("party", facts.get("seats")), facts.get("reservation"))
    theirs = [row for row in upcoming(world) if row["guest_id"] == facts["guest_id"]]
    return {"like": pick(rng, [row["reservation_id"] for row in theirs if row["party_size"] not in said])}


AS_MANY_AS = WORDS.twist("as many as at another reservation", "entities", draw=_like_another)

IN_AREA = WORDS.twist("in an area", "constraint", draw=some_area)

STEP_FREE = WORDS.twist("without a step", "constraint", sets={"step_free": True})

OTHER_PARTY = WORDS.twist("another number of people", "change_of_mind", draw=another_count("party", 7))

OTHER_SEATS = WORDS.twist("another number of seats", "change_of_mind", draw=another_count("seats", 7))

OTHER_TIME = WORDS.twist("another time", "change_of_mind", draw=another_time)

OF_DIET = WORDS.twist("of a diet", "constraint", draw=some_diet)


def _loyal_enough(facts: Facts) -> Steps:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    if guest["points"] >= facts["least_points"]:
        return None
    points = f"{guest['points']} points"
    return Reply(f"I skipped that one, as you have {points}.", (points,))


IF_POINTS = WORDS.twist(
    "only with enough points",
    "condition",
    draw=lambda world, rng, facts: {"least_points": rng.choice((200, 300, 400, 600, 800, 1500, 2500))},
    before=_loyal_enough,
)
