"""Requests about takeaway orders and vouchers."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.draws import (
    another_day,
    cheapest_dish,
    dinner_time,
    house_called,
    house_in,
    pickup,
    safe_dishes,
    some_allergen,
    some_diet,
    some_limit,
)
from toolscale.reference.restaurant.schema import COURSES


def _draw_course(world: World, rng: Random) -> Facts:
    return {**pickup(world, rng), "course": rng.choice(COURSES)}


def _order_cheapest(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    dishes = []
    for course in (facts["course"], facts.get("second_course")):
        if course:
            dishes.append((yield from cheapest_dish(house["restaurant_id"], guest, facts, course)))
    price = sum(dish["price"] for dish in dishes)
    if price > facts.get("limit", float("inf")):
        return Reply(f"I ordered nothing: it would come to {price:.2f} {house['currency']}.", (f"{price:.2f}",))
    order = yield do(
        "place_order",
        guest_id=facts["guest_id"],
        dish_ids=[dish["dish_id"] for dish in dishes],
        pickup_date=facts["date"],
        pickup_time=facts["time"],
    )
    total = f"{order['total']:.2f}"
    return Reply(
        f"Order {order['order_id']} is placed; you pay {total} {order['currency']}.", (order["order_id"], total)
    )


def _second_course(world: World, rng: Random, facts: Facts) -> Facts:
    return {"second_course": pick(rng, [course for course in COURSES if course != facts["course"]])}


def _other_pickup(world: World, rng: Random, facts: Facts) -> Facts:
    clock = dinner_time(rng, house_in(world, facts["restaurant"]))
    if clock == facts["time"]:
        raise DeadEnd("the same time")
    return {"time": clock}


ORDER_CHEAPEST = Program(
    name="order_cheapest",
    intent="Order the cheapest dish of a course that the guest can eat, to take away",
    voices={
        "plain": "I would like to fetch one portion of the cheapest {course} from {restaurant} on {date:date} at "
        "{time}, nothing that my allergies forbid.",
        "terse": "takeaway: {restaurant}, cheapest {course} safe for me, 1x, {date:date} {time}.",
        "chatty": "I will be cooking for nobody that day, so I come by {restaurant} on {date:date} at {time} and pick "
        "up just one {course}, the cheapest I can have with my allergies!",
        "formal": "Please place a takeaway order with {restaurant} for one {course}, the least expensive compatible "
        "with my allergies, for collection on {date:date} at {time}.",
        "hurried": "Takeaway from {restaurant}, one {course}, cheapest I can eat, I am there {date:date} {time}.",
        "non_native": "I want take away one {course} of {restaurant}, the most cheap without my allergies, I come the "
        "{date:date} at {time}.",
    },
    draw=_draw_course,
    policy=_order_cheapest,
    unknown="I have not seen the menu.",
    twists=(
        Twist(
            name="dish_diet",
            operator="constraint",
            voices={
                "plain": "It has to be {diet}.",
                "terse": "but only {diet}.",
                "chatty": "I am trying to live better these days, so please only what counts as {diet}.",
            },
            draw=some_diet,
        ),
        Twist(
            name="shared_with",
            operator="constraint",
            voices={
                "plain": "I share it with a friend who must not have {allergen}, so leave that out too.",
                "terse": "friend shares: no {allergen} either.",
                "chatty": "My flatmate always steals half of it, and {allergen} sends her to hospital, so none of "
                "that.",
            },
            draw=some_allergen,
        ),
        Twist(
            name="second_course",
            operator="entities",
            voices={
                "plain": "Add one {second_course} to it, again the cheapest that I can have.",
                "terse": "+ 1 {second_course}, same rule.",
                "chatty": "And my eyes are bigger than my stomach, so throw in a {second_course} by the same rule.",
            },
            draw=_second_course,
        ),
        Twist(
            name="order_limit",
            operator="condition",
            voices={
                "plain": "Order only if the menu price comes to at most {limit:money}; otherwise tell me what it is.",
                "terse": "menu price max {limit:money}, else no order, tell me the price.",
                "chatty": "I only have {limit:money} left for this, menu price, so if it is more just tell me the "
                "price.",
            },
            draw=some_limit(6, 24),
        ),
        Twist(
            name="other_pickup",
            operator="change_of_mind",
            voices={
                "plain": "Make that {time} instead, I have to work.",
                "terse": "pick-up {time} instead.",
                "chatty": "Wait, my boss has just walked in with more work, I cannot be there before {time}, so then.",
            },
            draw=_other_pickup,
        ),
    ),
)


def _lightest(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    found = yield from safe_dishes(house["restaurant_id"], guest, facts, facts["course"])
    dishes = []
    for each in found:
        dishes.append((yield do("get_dish", dish_id=each["dish_id"])))
    dish = yield choose(dishes, key=lambda dish: dish["calories"])
    order = yield do(
        "place_order",
        guest_id=facts["guest_id"],
        dish_ids=[dish["dish_id"]],
        pickup_date=facts["date"],
        pickup_time=facts["time"],
    )
    calories = f"{dish['calories']} kcal"
    return Reply(f"Order {order['order_id']}: {dish['name']}, {calories}.", (order["order_id"], calories))


ORDER_LIGHTEST = Program(
    name="order_lightest",
    intent="Order the dish of a course with the fewest calories that the guest can eat, to take away",
    voices={
        "plain": "I count calories. Please order me the lightest {course} from {restaurant} that suits my allergies, "
        "to take away on {date:date} at {time}, and tell me its kcal.",
        "terse": "lowest-kcal {course}, {restaurant}, ok w/ allergies, pick-up {date:date} {time}; kcal?",
        "chatty": "My trainer watches every bite, so for {date:date} at {time} I need the {course} with the fewest "
        "calories that {restaurant} will pack for somebody with my allergies; how many kcal is it?",
        "formal": "For collection on {date:date} at {time}, kindly order from {restaurant} the {course} lowest in "
        "calories that my allergies permit, and state the figure in kcal.",
    },
    draw=_draw_course,
    policy=_lightest,
    twists=(
        Twist(
            name="light_diet",
            operator="constraint",
            voices={
                "plain": "And I eat only what is {diet}.",
                "terse": "has to be {diet} as well.",
                "chatty": "On top of it my trainer has put me on a {diet} regime, so mind that as well.",
            },
            draw=some_diet,
        ),
        Twist(
            name="light_other_day",
            operator="change_of_mind",
            voices={
                "plain": "The day was wrong, I come on {date:date}.",
                "terse": "wrong day, {date:date}.",
                "chatty": "Oh no, that is leg day, I shall be dead, let me come on {date:date} then.",
            },
            draw=another_day,
        ),
    ),
)


PROGRAMS = (
    ORDER_CHEAPEST,
    ORDER_LIGHTEST,
)
