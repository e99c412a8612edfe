"""Questions about what the kitchens serve: they change nothing."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.draws import (
    LOST_UMBRELLA,
    another,
    house_called,
    house_in,
    some_allergen,
    some_diet,
)


def _draw_two_houses(world: World, rng: Random) -> Facts:
    guest = pick(rng, world.rows("guests"))
    one = pick(rng, world.rows("restaurants"))
    others = [row for row in world.rows("restaurants") if row["currency"] == one["currency"] and row != one]
    return {
        "guest_id": guest["guest_id"],
        "restaurant": one["name"],
        "other_restaurant": pick(rng, others)["name"],
        "party": rng.randint(4, 8),
    }


def _compare_menus(facts: Facts) -> Policy:
    offers = []
    for name in (facts["restaurant"], facts["other_restaurant"]):
        house = yield from house_called(name)
        menus = yield do("list_set_menus", restaurant_id=house["restaurant_id"])
        offers += [
            {**menu, "house": house["name"]}
            for menu in menus
            if menu["smallest_party"] <= facts["party"]
            and facts.get("diet", "none") in ["none", *menu["suits"]]
            and facts.get("allergen") not in menu["allergens"]
        ]
    sign = -1 if facts.get("which") == "dearest" else 1
    menu = yield choose(offers, key=lambda menu: sign * menu["price_per_head"])
    total = f"{menu['price_per_head'] * facts['party']:.2f}"
    return Reply(f"{menu['name']} at {menu['house']}: {total} for all of you.", (menu["name"], total))


COMPARE_MENUS = Program(
    name="compare_set_menus",
    intent="Find the cheapest set menu of two restaurants and what it costs a whole party",
    voices={
        "plain": "We are {party:int} and hesitate between {restaurant} and {other_restaurant}. Which is the cheapest "
        "set menu of the two houses, and what would it cost all of us?",
        "terse": "{restaurant} vs {other_restaurant}: cheapest set menu overall, total for {party:int}?",
        "chatty": "My sister swears by {restaurant}, I rather fancy {other_restaurant}, so let the money decide: what "
        "is the cheapest set menu at either, and what are {party:int} of us in for?",
        "formal": "For {party:int} guests, please name the least expensive set menu offered by {restaurant} or by "
        "{other_restaurant}, with the total.",
        "hurried": "Cheapest set menu, {restaurant} or {other_restaurant}, and sum for {party:int} please.",
    },
    draw=_draw_two_houses,
    policy=_compare_menus,
    twists=(
        Twist(
            name="compare_diet",
            operator="constraint",
            voices={
                "plain": "Only {diet} menus interest us.",
                "terse": "only menus that are {diet}.",
                "chatty": "Though it is no use unless all of it is {diet}, because we all are.",
            },
            draw=some_diet,
        ),
        Twist(
            name="compare_allergen",
            operator="constraint",
            voices={
                "plain": "Leave out menus that contain {allergen}.",
                "terse": "without {allergen}.",
                "chatty": "One of us swells up like a balloon from {allergen}, so no menu with that.",
            },
            draw=some_allergen,
        ),
        Twist(
            name="compare_dearest",
            operator="change_of_mind",
            voices={
                "plain": "On second thoughts the company pays: give me the dearest instead.",
                "terse": "company pays: dearest instead.",
                "chatty": "Oh wait, my boss says the firm will pay, so show me the most expensive one instead!",
            },
            sets={"which": "dearest"},
        ),
    ),
)


def _safe_calories(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    found = yield do(
        "search_dishes",
        restaurant_id=house["restaurant_id"],
        course=facts["course"],
        diet=facts.get("diet"),
        without=guest["allergies"] or None,
    )
    dishes = []
    for each in found:
        dishes.append((yield do("get_dish", dish_id=each["dish_id"])))
    sign = -1 if facts.get("which") == "richest" else 1
    dish = yield choose(dishes, key=lambda dish: sign * dish["calories"])
    price = f"{dish['price']:.2f}"
    return Reply(f"{dish['name']}, {price} {house['currency']}, {dish['calories']} kcal.", (dish["name"], price))


def _draw_course_at(world: World, rng: Random) -> Facts:
    guest, house = pick(rng, world.rows("guests")), pick(rng, world.rows("restaurants"))
    return {
        "guest_id": guest["guest_id"],
        "restaurant": house["name"],
        "course": rng.choice(("starter", "main", "dessert")),
    }


LIGHTEST = Program(
    name="lightest_dish",
    intent="Learn which dish of a course is lightest among those that the guest can eat, and its price",
    voices={
        "plain": "Which {course} at {restaurant} has the fewest calories, of those my allergies allow, and what does "
        "it cost?",
        "terse": "{restaurant}: lowest-calorie {course} i can eat? price?",
        "chatty": "I have a wedding dress to fit into, so what is the lightest {course} that {restaurant} can serve me "
        "with my allergies, and how much is it?",
        "formal": "Kindly indicate the {course} at {restaurant} that is lowest in calories and safe given my "
        "allergies, with its price.",
        "non_native": "In {restaurant}, which {course} is with the less calories and good for my allergies, and how "
        "much cost?",
    },
    draw=_draw_course_at,
    policy=_safe_calories,
    unknown="I have not seen the menu.",
    twists=(
        Twist(
            name="lightest_diet",
            operator="constraint",
            voices={
                "plain": "I only eat {diet} food.",
                "terse": "i eat {diet}.",
                "chatty": "And since New Year I am strictly {diet}, if you can believe it.",
            },
            draw=some_diet,
        ),
        Twist(
            name="richest",
            operator="change_of_mind",
            voices={
                "plain": "No, the opposite: I run a marathon the next day, tell me the one with the most calories.",
                "terse": "reverse: the most calories.",
                "chatty": "What am I saying, I run the marathon that week, so it is the heaviest one I want to hear "
                "of!",
            },
            sets={"which": "richest"},
        ),
        LOST_UMBRELLA,
    ),
)


def _draw_any_order(world: World, rng: Random) -> Facts:
    order = pick(rng, world.rows("orders"))
    return {"guest_id": order["guest_id"], "order": order["order_id"]}


def _order_calories(facts: Facts) -> Policy:
    total = 0
    for order_id in [facts["order"], *([facts["other_order"]] if "other_order" in facts else [])]:
        order = yield do("get_order", order_id=order_id)
        for line in order["lines"]:
            if facts.get("course") in (None, line["course"]):
                dish = yield do("get_dish", dish_id=line["dish_id"])
                total += dish["calories"] * line["quantity"]
    if not total:
        raise DeadEnd("the order has no such course")
    return Reply(f"That is {total} kcal.", (f"{total} kcal",))


ORDER_CALORIES = Program(
    name="order_calories",
    intent="Learn how many calories a whole order has",
    voices={
        "plain": "How many kcal does my order {order} have in total, all portions counted?",
        "terse": "{order}: total kcal, all portions?",
        "chatty": "Do not judge me, but I have to type all of {order} into my diet app, so how many kcal is that for "
        "the lot, every portion?",
        "formal": "Please calculate the total energy in kcal of order {order}, including every portion.",
        "hurried": "Total kcal of {order}, every portion counted, go.",
    },
    draw=_draw_any_order,
    policy=_order_calories,
    twists=(
        Twist(
            name="one_course",
            operator="constraint",
            voices={
                "plain": "Count nothing but this course: {course}.",
                "terse": "just this course: {course}.",
                "chatty": "The rest is for my husband, so all I have to confess to is the {course} part.",
            },
            draw=lambda world, rng, facts: {"course": rng.choice(("starter", "main", "side", "dessert"))},
        ),
        Twist(
            name="other_order",
            operator="entities",
            voices={
                "plain": "Put {other_order} on top and give me one number for both.",
                "terse": "plus {other_order}, one sum.",
                "chatty": "And, oh dear, {other_order} was mine as well, so throw it all into one big number.",
            },
            draw=lambda world, rng, facts: {
                "other_order": another(world, rng, world.rows("orders"), "order_id", facts),
            },
        ),
    ),
)


def _draw_dish(world: World, rng: Random) -> Facts:
    guest, dish = pick(rng, world.rows("guests")), pick(rng, world.rows("dishes"))
    house = world.get("restaurants", dish["restaurant_id"])
    if not house:
        raise DeadEnd("the house is not in the excerpt")
    return {
        "guest_id": guest["guest_id"],
        "restaurant": house_in(world, house["name"])["name"],
        "dish": dish["name"],
        "portions": rng.randint(3, 9),
    }


def _may_i_eat(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    found = yield do("search_dishes", restaurant_id=house["restaurant_id"], name=facts["dish"])
    named = yield choose(found, key=lambda dish: dish["name"])
    dish = yield do("get_dish", dish_id=named["dish_id"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    feared = [each for each in dish["allergens"] if each in {*guest["allergies"], facts.get("allergen")}]
    if feared:
        return Reply(f"Better not: it contains {' and '.join(feared)}.", tuple(feared))
    total = f"{dish['price'] * facts['portions']:.2f}"
    return Reply(f"Yes; it comes to {total} {house['currency']}.", (total,))


MAY_I_EAT = Program(
    name="may_i_eat",
    intent="Learn whether a dish is safe, and what several portions cost if it is",
    voices={
        "plain": "Can I eat the {dish} at {restaurant} with my allergies? If so, what do {portions:int} portions "
        "cost; if not, what is in it that I must not have?",
        "terse": "{dish} at {restaurant}, ok w/ my allergies? yes -> price of {portions:int}; no -> culprit.",
        "chatty": "Everybody raves about the {dish} at {restaurant}, so will it hurt me with my allergies, and what in "
        "it would, or else what do {portions:int} helpings cost?",
        "formal": "Please advise whether the {dish} served at {restaurant} is compatible with my allergies and, "
        "accordingly, either the price of {portions:int} portions or the offending allergens.",
    },
    draw=_draw_dish,
    policy=_may_i_eat,
    twists=(
        LOST_UMBRELLA,
        Twist(
            name="other_portions",
            operator="change_of_mind",
            voices={
                "plain": "Make it {portions:int} portions in your sum.",
                "terse": "reckon with {portions:int} portions.",
                "chatty": "We will be more of us, or fewer, I forget, but let us say you reckon with {portions:int}.",
            },
            draw=lambda world, rng, facts: {
                "portions": pick(rng, [each for each in range(3, 13) if each != facts["portions"]])
            },
        ),
    ),
)

PROGRAMS = (COMPARE_MENUS, LIGHTEST, ORDER_CALORIES, MAY_I_EAT)
