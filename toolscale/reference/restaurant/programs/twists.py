"""Complications that several programs share."""

from random import Random

from toolscale.reference.program import Facts, Reply, Steps, Twist, World, do, pick
from toolscale.reference.restaurant.programs.common import another_count, another_time, some_area, some_diet, upcoming


def _like_another(world: World, rng: Random, facts: Facts) -> Facts:
    said = (1, facts.get("party", facts.get("seats")), facts.get("reservation"))
    theirs = [row for row in upcoming(world) if row["guest_id"] == facts["guest_id"]]
    return {"like": pick(rng, [row["reservation_id"] for row in theirs if row["party_size"] not in said])}


AS_MANY_AS = Twist(
    "as many as at another reservation",
    "entities",
    {
        "plain": "[No, that number was wrong|I got that number wrong]: we will be exactly as many as at my reservation "
        "{like}.",
        "terse": "head count: same as {like}, not what i wrote.",
        "chatty": "Oh, I always mix up the numbers, it is the same people as for {like}, however many those were.",
        "formal": "I stand corrected as to the number: it equals that of my reservation {like}.",
        "hurried": "Forget that number, same crowd as {like}.",
    },
    draw=_like_another,
)

IN_AREA = Twist(
    "in an area",
    "constraint",
    {
        "plain": "The table has to be in this part of the house: {area}.",
        "terse": "seat us here only: {area}.",
        "chatty": "We would be so happy if we could sit in our favourite spot, which is the {area}, and nowhere else.",
        "formal": "Kindly restrict the choice of table to the following area: {area}.",
        "hurried": "Must be the {area}, nothing else.",
    },
    draw=some_area,
)

STEP_FREE = Twist(
    "without a step",
    "constraint",
    {
        "plain": "[One of us uses a wheelchair|We bring a pram], so the table must be reached without a step.",
        "terse": "step-free table required.",
        "chatty": "My mother comes in her wheelchair, bless her, so there must not be a single step to the table.",
        "formal": "As one guest uses a wheelchair, a table with step-free access is required.",
    },
    sets={"step_free": True},
)

OTHER_PARTY = Twist(
    "another number of people",
    "change_of_mind",
    {
        "plain": "Sorry, I counted wrong: we will be {party:count}.",
        "terse": "correction: party of {party:count}.",
        "chatty": "Oh wait, my cousins just texted, so in fact there are {party:count} of us, not what I said before.",
        "formal": "I must correct myself: the party comprises {party:count} persons.",
    },
    draw=another_count("party", 7),
)

OTHER_SEATS = Twist(
    "another number of seats",
    "change_of_mind",
    {
        "plain": "Wait, [I counted again|somebody else has just answered]: {seats:count} seats it is.",
        "terse": "seats: {seats:count}, sorry.",
        "chatty": "Oh, Uncle Theo wants to be asked, and you know Uncle Theo, so it is {seats:count} seats now.",
        "formal": "I must correct the number of seats to {seats:count}.",
    },
    draw=another_count("seats", 7),
)

OTHER_TIME = Twist(
    "another time",
    "change_of_mind",
    {
        "plain": "[Make that|I misread my calendar, please make it] {time:time} after all.",
        "terse": "time: {time:time} instead.",
        "chatty": "Wait, my boss has just walked in with more work, so it has to be {time:time}.",
        "formal": "I must correct the hour to {time:time}.",
    },
    draw=another_time,
)

OF_DIET = Twist(
    "of a diet",
    "constraint",
    {
        "plain": "[It has to be|Only take what is] {diet}.",
        "terse": "but only {diet}.",
        "chatty": "I am trying to live better these days, so please only what counts as {diet}.",
        "formal": "It must moreover be {diet}.",
    },
    draw=some_diet,
)


def _loyal_enough(facts: Facts) -> Steps:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    if guest["points"] >= facts["least_points"]:
        return None
    points = f"{guest['points']} points"
    return Reply(f"I skipped that one, as you have {points}.", (points,))


IF_POINTS = Twist(
    "only with enough points",
    "condition",
    {
        "plain": "I only want to treat myself to this if I have {least_points:int} loyalty points or more; if not, "
        "skip it and tell me how many I have.",
        "terse": "that treat only if my loyalty points >= {least_points:int}, else skip it, tell me the points.",
        "chatty": "Only, I promised myself that this is my treat for {least_points:int} loyalty points, so if there "
        "are fewer, skip it and tell me how many there are.",
        "formal": "This treat is conditional on my holding at least {least_points:int} loyalty points; failing that, "
        "disregard it and state their number.",
    },
    draw=lambda world, rng, facts: {"least_points": rng.choice((200, 300, 400, 600, 800, 1500, 2500))},
    before=_loyal_enough,
)
