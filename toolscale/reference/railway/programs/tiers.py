"""A condition for what a tier makes cheaper or easier: lounges and the first class."""

from random import Random

from toolscale.reference.kit import known
from toolscale.reference.program import Facts, Reply, Steps, World, do
from toolscale.reference.words import words

WORDS = words(__file__)

_TIERS = ("basic", "silver", "gold")


def _draw_tier(world: World, rng: Random, facts: Facts) -> Facts:
    passenger = known(world, "passengers", facts["passenger_id"])
    reached = _TIERS[1 : _TIERS.index(passenger["tier"]) + 1]
    return {"tier": rng.choice(reached) if reached and rng.random() < 0.75 else rng.choice(_TIERS[1:])}


def _of_that_tier(facts: Facts) -> Steps:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    if _TIERS.index(passenger["tier"]) >= _TIERS.index(facts["tier"]):
        return None
    points = str(passenger["points"])
    tell = points if len(points) > 2 else f"{points} points"
    return Reply(f"I skipped that one: you are in the {passenger['tier']} tier, with {points} points.", (tell,))


IF_TIER = WORDS.twist(
    "only from a tier up", "condition", draw=_draw_tier, suits=r"book_lounge|upgrade_", before=_of_that_tier
)
