"""Requests for food to take away."""

from random import Random

from toolscale.reference.program import (
    Facts,
    Policy,
    Program,
    Record,
    Reply,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.restaurant.programs.common import (
    another_count,
    another_day,
    cheapest_dish,
    dish_called,
    dishes_to_go,
    house_called,
    house_of,
    line_at,
    pickup,
    safe_dishes,
    says,
    some_allergen,
    spoken,
    sum_of,
    told,
    with_allergies,
)
from toolscale.reference.restaurant.programs.twists import IF_POINTS, OF_DIET, OTHER_TIME
from toolscale.reference.restaurant.schema import COURSES
from toolscale.reference.sums import shown


def place(facts: Facts, dish_ids: list[str], date: str, time: str) -> Steps:
    """Step: the order, placed for the guest."""
    guest_id = facts["guest_id"]
    return (yield do("place_order", guest_id=guest_id, dish_ids=dish_ids, pickup_date=date, pickup_time=time))


def placed(order: Record) -> Reply:
    """What is said of a new order."""
    number, (total, with_currency) = order["order_id"], sum_of(order, "total")
    return told(f"Order {number} is placed; you pay {with_currency}.", number, total)


def _draw_course(world: World, rng: Random) -> Facts:
    return {**pickup(world, rng), "course": spoken(rng.choice(("starter", "main", "main", "dessert")))}


def _order_cheapest(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    dishes = []
    for course in (facts["course"], facts.get("second_course")):
        if course:
            dishes.append((yield from cheapest_dish(house["restaurant_id"], guest, facts, course)))
    price = sum(dish["price"] for dish in dishes)
    if price > facts.get("limit", float("inf")):
        return told(f"I ordered nothing: it would come to {shown(price)} {house['currency']}.", shown(price))
    order = yield from place(facts, [dish["dish_id"] for dish in dishes], facts["date"], facts["time"])
    return placed(order)


def _second_course(world: World, rng: Random, facts: Facts) -> Facts:
    return {"second_course": pick(rng, [each for each in map(spoken, COURSES) if each != facts["course"]])}


def _price_limit(world: World, rng: Random, facts: Facts) -> Facts:
    dishes = dishes_to_go(world, house_of(world, facts)["restaurant_id"], facts["guest_id"])
    prices = [dish["price"] for dish in dishes if spoken(dish["course"]) == facts["course"]]
    return {"limit": line_at(rng, min(prices, default=10.0), (0.75, 1.2, 1.6, 2.4))}


ORDER_CHEAPEST = Program(
    "order_cheapest",
    "Order the cheapest dish of a course that the guest can eat, to take away",
    says(
        "I would like to fetch one portion of the cheapest {course} from {restaurant} on {date:date} at {time:time}, "
        "nothing that my allergies forbid. [What is the order's number, and what do I pay?|Please give me the order's "
        "number and what I pay.]",
        "takeaway: {restaurant}, cheapest {course} ok w/ my allergies, 1x, {date:date} {time:time}. number, sum?",
        "I will be cooking for nobody that day, so I come by {restaurant} on {date:date} at {time:time} and pick up "
        "just one {course}, the cheapest I can have with my allergies! What number is that, and what do I owe?",
        "Please place a takeaway order with {restaurant} for one {course}, the least expensive compatible with my "
        "allergies, for collection on {date:date} at {time:time}, and state its number and total.",
        "Takeaway from {restaurant}, one {course}, cheapest I can eat with my allergies, I am there {date:date} "
        "{time:time}, number and sum?",
        "I want take away one {course} of {restaurant}, the most cheap without my allergies, I come on {date:date} "
        "at {time:time}. Say me number of order and how much.",
    ),
    with_allergies(_draw_course),
    _order_cheapest,
    (
        IF_POINTS,
        OF_DIET,
        OTHER_TIME,
        Twist(
            "shared with a friend",
            "constraint",
            {
                "plain": "I share it with a friend who must not have {allergen}, so leave that out too.",
                "terse": "friend shares: no {allergen} either.",
                "chatty": "My flatmate always steals half of it, and {allergen} sends her to hospital, so none of "
                "that.",
                "formal": "As I shall share the meal, it must not contain {allergen} either.",
            },
            draw=some_allergen,
        ),
        Twist(
            "a second course",
            "entities",
            {
                "plain": "Add one {second_course} to it, again the cheapest that I can have.",
                "terse": "+ 1 {second_course}, same rule.",
                "chatty": "And my eyes are bigger than my stomach, so throw in a {second_course} by the same rule.",
                "formal": "Kindly add one {second_course}, chosen in the same way.",
            },
            draw=_second_course,
        ),
        Twist(
            "only up to a menu price",
            "condition",
            {
                "plain": "Order only if the menu price comes to at most {limit:money}; otherwise tell me what it is.",
                "terse": "menu price max {limit:money}, else no order, tell me the price.",
                "chatty": "I only have {limit:money} left for this, menu price, so if it is more just tell me the "
                "price.",
                "formal": "The order is to be placed only if the menu price does not exceed {limit:money}; otherwise "
                "please state that price.",
            },
            draw=_price_limit,
        ),
    ),
    "I have not seen the menu.",
)


def _lightest(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    found = yield from safe_dishes(house["restaurant_id"], guest, facts, facts["course"])
    dishes = []
    for each in found:
        dishes.append((yield do("get_dish", dish_id=each["dish_id"])))
    dish = yield choose(dishes, key=lambda dish: dish["calories"])
    order = yield from place(facts, [dish["dish_id"]], facts["date"], facts["time"])
    calories = f"{dish['calories']} kcal"
    return told(f"Order {order['order_id']}: {dish['name']}, {calories}.", order["order_id"], calories)


ORDER_LIGHTEST = Program(
    "order_lightest",
    "Order the dish of a course with the fewest calories that the guest can eat, to take away",
    says(
        "[I count calories.|I have to watch what I eat.] Please order me the lightest {course} from {restaurant} that "
        "suits my allergies, to take away on {date:date} at {time:time}, and tell me its kcal and the order's number.",
        "lowest-kcal {course}, {restaurant}, ok w/ allergies, pick-up {date:date} {time:time}; kcal, order no.?",
        "My trainer watches every bite, so for {date:date} at {time:time} I need the {course} with the fewest calories "
        "that {restaurant} will pack for somebody with my allergies; how many kcal is it, and what is the number of "
        "the order?",
        "For collection on {date:date} at {time:time}, kindly order from {restaurant} the {course} lowest in calories "
        "that my allergies permit, and state the figure in kcal and the number of the order.",
        "Fewest kcal {course} from {restaurant} for me with my allergies, I fetch it {date:date} {time:time}, kcal and "
        "order number!",
        "Please order for take away one {course} of {restaurant} with less calories and good for my allergies, I come "
        "{date:date} at {time:time}, how many kcal and what number of order?",
    ),
    with_allergies(_draw_course),
    _lightest,
    (
        IF_POINTS,
        OF_DIET,
        OTHER_TIME,
        Twist(
            "another pick-up day",
            "change_of_mind",
            {
                "plain": "The day was wrong, I come on {date:date}.",
                "terse": "wrong day, {date:date}.",
                "chatty": "Oh no, that is leg day, I shall be dead, let me come on {date:date} then.",
                "formal": "I must correct the day of collection to {date:date}.",
            },
            draw=another_day(1, 13),
        ),
    ),
    "I have not seen the menu.",
)


def _draw_named(world: World, rng: Random) -> Facts:
    facts = pickup(world, rng)
    dishes = dishes_to_go(world, house_of(world, facts)["restaurant_id"], facts["guest_id"])
    return {**facts, "dish": pick(rng, dishes)["name"], "portions": rng.randint(2, 5)}


def _order_named(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    found = yield from dish_called(house["restaurant_id"], facts["dish"])
    if found["price"] * facts["portions"] > facts.get("limit", float("inf")):
        price = shown(found["price"])
        return told(f"I ordered nothing: a portion costs {price} {house['currency']}.", price)
    order = yield from place(facts, [found["dish_id"]] * facts["portions"], facts["date"], facts["time"])
    return placed(order)


def _bill_limit(world: World, rng: Random, facts: Facts) -> Facts:
    house_id = house_of(world, facts)["restaurant_id"]
    prices = [
        row["price"] for row in world.rows("dishes") if (row["restaurant_id"], row["name"]) == (house_id, facts["dish"])
    ]
    return {"limit": line_at(rng, pick(rng, prices) * facts["portions"])}


ORDER_NAMED = Program(
    "order_portions",
    "Order several portions of a certain dish to take away",
    says(
        "Please order {portions:count} portions of {dish} from {restaurant}, which I pick up on {date:date} at "
        "{time:time}. [I need the number and the total.|What is the number, and what do I pay in all?]",
        "{portions:count}x {dish}, {restaurant}, pick-up {date:date} {time:time}. order no. + total?",
        "[My flatmates want|My cousins want|Everybody here wants] {dish}, so that makes {portions:count} portions from "
        "{restaurant}, and I come for them on {date:date} at {time:time}! Which number, and what is the bill?",
        "Kindly prepare {portions:count} portions of {dish} at {restaurant} for collection on {date:date} at "
        "{time:time}, and state the order's number and its total.",
        "{portions:count} portions {dish} from {restaurant}, {date:date} {time:time}, number and total!",
        "I want {portions:count} portions of {dish} from {restaurant} for take away on {date:date} at {time:time}, "
        "please number of order and price all together.",
    ),
    _draw_named,
    _order_named,
    (
        IF_POINTS,
        OTHER_TIME,
        Twist(
            "another number of portions ordered",
            "change_of_mind",
            {
                "plain": "[No, better|On second thoughts,] {portions:count} portions.",
                "terse": "rather {portions:count} portions.",
                "chatty": "Hm, one of them is on a diet again and another eats for two, so make it {portions:count}.",
                "formal": "The number of portions is to be corrected to {portions:count}.",
            },
            draw=another_count("portions", 6),
        ),
        Twist(
            "only up to a bill",
            "condition",
            {
                "plain": "If all the portions together cost more than {limit:money} by the menu, order none and tell "
                "me what one costs.",
                "terse": "all portions > {limit:money} by the menu? no order, price of one then.",
                "chatty": "We have put {limit:money} into the kitty, so if the menu prices add up to more, do not "
                "order, just tell me what one costs.",
                "formal": "Should the portions exceed {limit:money} by the prices of the menu, please order none and "
                "state the price of one.",
            },
            draw=_bill_limit,
        ),
    ),
)


PROGRAMS = (ORDER_CHEAPEST, ORDER_LIGHTEST, ORDER_NAMED)
