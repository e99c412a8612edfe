"""Questions about what the kitchens serve: they change nothing."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    another_count,
    dish_called,
    house_called,
    known,
    safe_dishes,
    says,
    some_allergen,
    spoken,
    sum_of,
    told,
    with_allergies,
)
from toolscale.reference.restaurant.programs.twists import OF_DIET
from toolscale.reference.sums import shown


def _draw_two_houses(world: World, rng: Random) -> Facts:
    one = pick(rng, world.rows("restaurants"))
    others = [row for row in world.rows("restaurants") if row["currency"] == one["currency"] and row != one]
    return {
        "guest_id": pick(rng, world.rows("guests"))["guest_id"],
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
            {**menu, "house": house["name"], "currency": house["currency"]}
            for menu in menus
            if menu["smallest_party"] <= facts["party"]
            and facts.get("diet", "none") in ["none", *menu["suits"]]
            and facts.get("allergen") not in menu["allergens"]
        ]
    sign = -1 if facts.get("which") == "dearest" else 1
    menu = yield choose(offers, key=lambda menu: sign * menu["price_per_head"])
    house = yield do("get_restaurant", restaurant_id=menu["restaurant_id"])
    total = shown(menu["price_per_head"] * facts["party"])
    text = f"{menu['name']} at {menu['house']}: {total} {menu['currency']} for all of you; the phone is"
    return told(f"{text} {house['phone']}.", menu["name"], total, house["phone"])


COMPARE_MENUS = Program(
    "compare_set_menus",
    "Find the cheapest set menu of two restaurants and what it costs a whole party",
    says(
        "We are {party:count} and hesitate between {restaurant} and {other_restaurant}. Which is the cheapest set menu "
        "of the two houses, what would it cost all of us, and what is that house's phone number?",
        "compare {restaurant} and {other_restaurant}: cheapest set menu overall, total for {party:count}, phone of "
        "that house?",
        "My sister swears by {restaurant}, I rather fancy {other_restaurant}, so let the money decide: what is the "
        "cheapest set menu at either, what are {party:count} of us in for, and at what number can I ring them?",
        "For {party:count} guests, please name the least expensive set menu offered by {restaurant} or by "
        "{other_restaurant}, with the total and the telephone number of the house.",
        "Cheapest set menu, {restaurant} or {other_restaurant}, sum for {party:count}, and their phone number please.",
    ),
    _draw_two_houses,
    _compare_menus,
    (
        OF_DIET,
        Twist(
            "menus without an allergen",
            "constraint",
            {
                "plain": "Leave out menus that contain {allergen}.",
                "terse": "without {allergen}.",
                "chatty": "One of us swells up like a balloon from {allergen}, so no menu with that.",
                "formal": "Menus containing {allergen} are to be left out.",
            },
            draw=some_allergen,
        ),
        Twist(
            "the dearest of the menus",
            "change_of_mind",
            {
                "plain": "On second thoughts the company pays: give me the dearest instead.",
                "terse": "company pays: dearest instead.",
                "chatty": "Oh wait, my boss says the firm will pay, so show me the most expensive one instead!",
                "formal": "As the company is to pay, please name the most expensive instead.",
            },
            sets={"which": "dearest"},
        ),
    ),
)


def _draw_course_at(world: World, rng: Random) -> Facts:
    return {
        "guest_id": pick(rng, world.rows("guests"))["guest_id"],
        "restaurant": pick(rng, world.rows("restaurants"))["name"],
        "course": spoken(rng.choice(("starter", "main", "dessert"))),
    }


def _safe_calories(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    found = yield from safe_dishes(house["restaurant_id"], guest, facts, facts["course"], takeaway=False)
    dishes = []
    for each in found:
        dishes.append((yield do("get_dish", dish_id=each["dish_id"])))
    sign = -1 if facts.get("which") == "richest" else 1
    dish = yield choose(dishes, key=lambda dish: sign * dish["calories"])
    price = shown(dish["price"])
    return told(f"{dish['name']}, {price} {house['currency']}, {dish['calories']} kcal.", dish["name"], price)


LIGHTEST = Program(
    "lightest_dish",
    "Learn which dish of a course is lightest among those that the guest can eat, and its price",
    says(
        "Which {course} at {restaurant} has the fewest calories, of those my allergies allow, and what does it cost?",
        "at {restaurant}: lowest-calorie {course} ok w/ my allergies? name, price?",
        "I have a wedding to look good at, so what is the lightest {course} that {restaurant} can serve me with my "
        "allergies, and how much is it?",
        "Kindly indicate the {course} at {restaurant} that is lowest in calories and safe given my allergies, with its "
        "price.",
        "Fewest calories, {course}, {restaurant}, mind my allergies, name and price?",
        "In {restaurant}, which {course} is with the less calories and good for my allergies, and how much cost?",
    ),
    with_allergies(_draw_course_at),
    _safe_calories,
    (
        OF_DIET,
        Twist(
            "the most calories",
            "change_of_mind",
            {
                "plain": "No, the opposite: I run a marathon the next day, tell me the one with the most calories.",
                "terse": "reverse: the most calories.",
                "chatty": "What am I saying, I run the marathon that week, so it is the heaviest one I want to hear "
                "of!",
                "formal": "I must correct myself: the one highest in calories is of interest.",
            },
            sets={"which": "richest"},
        ),
    ),
    "I have not seen the menu.",
)


def _order_calories(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    total = 0
    for line in order["lines"]:
        if facts.get("course") in (None, spoken(line["course"])):
            dish = yield do("get_dish", dish_id=line["dish_id"])
            total += dish["calories"] * line["quantity"]
    if not total:
        raise DeadEnd("the order has no such course")
    return told(f"That is {total} kcal.", f"{total} kcal")


def _draw_any_order(world: World, rng: Random) -> Facts:
    order = pick(rng, world.rows("orders"))
    return {"guest_id": order["guest_id"], "order": order["order_id"]}


def _course_in(world: World, rng: Random, facts: Facts) -> Facts:
    lines = [line for line in world.rows("order_lines") if line["order_id"] == facts["order"]]
    return {"course": spoken(known(world, "dishes", pick(rng, lines)["dish_id"])["course"])}


ORDER_CALORIES = Program(
    "order_calories",
    "Learn how many calories a whole order has",
    says(
        "How many kcal are in {order}, all portions counted?",
        "in {order}: total kcal, all portions?",
        "Do not judge me, but I have to type all of it into my diet app, so how many kcal are in {order} for the lot, "
        "every portion?",
        "Please calculate the total energy in kcal of {order}, including every portion.",
        "Total kcal of {order}, every portion counted, go.",
        "How many kcal has {order} all together, every portion?",
    ),
    _draw_any_order,
    _order_calories,
    (
        Twist(
            "only one course",
            "constraint",
            {
                "plain": "Count nothing but this course: {course}.",
                "terse": "just this course: {course}.",
                "chatty": "The rest is for my brother, so all I have to confess to is the {course}.",
                "formal": "Only the following course is to be counted: {course}.",
            },
            draw=_course_in,
        ),
    ),
    again="order",
)


def _draw_dish(world: World, rng: Random) -> Facts:
    dish = pick(rng, world.rows("dishes"))
    return {
        "guest_id": pick(rng, world.rows("guests"))["guest_id"],
        "restaurant": known(world, "restaurants", dish["restaurant_id"])["name"],
        "dish": dish["name"],
        "portions": rng.randint(3, 9),
    }


def _may_i_eat(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    named = yield from dish_called(house["restaurant_id"], facts["dish"])
    dish = yield do("get_dish", dish_id=named["dish_id"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    feared = [each for each in dish["allergens"] if each in guest["allergies"]]
    if feared:
        return told(f"Better not: it contains {' and '.join(feared)}.", *feared)
    total, with_currency = sum_of({"sum": dish["price"] * facts["portions"], **house}, "sum")
    return told(f"Yes; it comes to {with_currency}.", total)


MAY_I_EAT = Program(
    "may_i_eat",
    "Learn whether a dish is safe, and what several portions cost if it is",
    says(
        "Can I eat the {dish} at {restaurant} with my allergies? If so, what do {portions:count} portions cost; if "
        "not, what is in it that I must not have?",
        "is {dish} at {restaurant} ok w/ my allergies? yes -> price of {portions:count}; no -> culprit.",
        "Everybody raves about the {dish} at {restaurant}, so will it hurt me with my allergies, and what in it would, "
        "or else what do {portions:count} helpings cost?",
        "Please advise whether the {dish} served at {restaurant} is compatible with my allergies and, accordingly, "
        "either the price of {portions:count} portions or the offending allergens.",
        "The {dish} at {restaurant}, safe with my allergies? Then price of {portions:count}, else what is in it!",
    ),
    with_allergies(_draw_dish),
    _may_i_eat,
    (
        Twist(
            "another number of portions reckoned",
            "change_of_mind",
            {
                "plain": "Make it {portions:count} portions in your sum.",
                "terse": "reckon with {portions:count} portions.",
                "chatty": "We will be more of us, or fewer, I forget, but let us say you reckon with {portions:count}.",
                "formal": "The price is to be that of {portions:count} portions.",
            },
            draw=another_count("portions", 12),
        ),
    ),
)

PROGRAMS = (COMPARE_MENUS, LIGHTEST, ORDER_CALORIES, MAY_I_EAT)
