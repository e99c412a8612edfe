"""What can be added to any request at the desk, and how guests name a reservation without its number."""

from random import Random

from toolscale.reference.program import DeadEnd, Description, Facts, Policy, Reply, Steps, Twist, World, choose, do


def _tell_points(facts: Facts) -> Policy:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    points = f"{guest['points']} points"
    return Reply(f"You have {points}.", (points,))


MY_POINTS = Twist(
    name="my_points",
    operator="lookup",
    voices={
        "plain": "I also want to know how many loyalty points I have.",
        "terse": "loyalty points balance too.",
        "chatty": "And [I keep meaning to ask|my husband wants to know], how many of those loyalty points are there "
        "by now?",
        "formal": "Kindly state the balance of my loyalty points as well.",
        "non_native": "Say me please also my loyalty points, how many.",
    },
    after=_tell_points,
)


def _loyal_enough(facts: Facts) -> Steps:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    if guest["points"] >= facts["least_points"]:
        return None
    points = f"{guest['points']} points"
    return Reply(f"I changed nothing, as you have {points}.", (points,))


IF_POINTS = Twist(
    name="if_points",
    operator="condition",
    voices={
        "plain": "Only do that if I have {least_points:int} loyalty points or more; if not, leave everything and tell "
        "me how many I have.",
        "terse": "condition: loyalty points >= {least_points:int}. else do nothing, tell me the points.",
        "chatty": "Only, I promised myself to stay above {least_points:int} loyalty points, so if I have fewer, leave "
        "it all alone and just tell me how many there are.",
        "formal": "This is conditional on my holding at least {least_points:int} loyalty points; otherwise make no "
        "change and state their number.",
    },
    draw=lambda world, rng, facts: {"least_points": rng.choice((80, 150, 250, 400, 700, 1800))},
    before=_loyal_enough,
)


def _draw_evening(world: World, rng: Random, facts: Facts) -> Facts:
    reservation = world.get("reservations", facts["reservation"])
    house = world.get("restaurants", reservation["restaurant_id"]) if reservation else None
    if reservation is None or house is None:
        raise DeadEnd("the reservation is out of sight")
    return {"evening_house": house["name"], "evening_date": reservation["date"]}


def _find_evening(facts: Facts) -> Steps:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    wanted = (facts["evening_house"], facts["evening_date"])
    matching = [each for each in rows if (each["restaurant"], each["date"]) == wanted]
    row = yield choose(matching, key=lambda each: each["time"])
    return row["reservation_id"]


EVENING = Description(
    slot="reservation",
    voices={
        "plain": "the one at {evening_house} on {evening_date:date}",
        "chatty": "that lovely evening at {evening_house} on {evening_date:date}",
        "terse": "{evening_house} on {evening_date:date}",
        "formal": "the one made for {evening_house} on {evening_date:date}",
    },
    draw=_draw_evening,
    find=_find_evening,
    unknown="[I cannot find the reservation's number.|The number must be in some mail that I no longer have.]",
)

TWISTS = (MY_POINTS, IF_POINTS)
DESCRIPTIONS = (EVENING,)
