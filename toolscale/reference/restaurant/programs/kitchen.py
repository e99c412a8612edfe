"""Questions about what the kitchens serve: they change nothing."""

from random import Random

from toolscale.reference.kit import known, must, told
from toolscale.reference.program import Facts, Solution, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    another_count,
    dish_called,
    house_called,
    safe_dishes,
    some_allergen,
    spoken,
    sum_of,
    with_allergies,
)
from toolscale.reference.restaurant.programs.twists import OF_DIET
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_two_houses(world: World, rng: Random) -> Facts:
    one = pick(rng, world.rows("restaurants"))
    others = [row for row in world.rows("restaurants") if row["currency"] == one["currency"] and row != one]
    return {
        "guest_id": pick(rng, world.rows("guests"))["guest_id"],
        "restaurant": one["name"],
        "other_restaurant": pick(rng, others)["name"],
        "party": rng.randint(4, 8),
    }


def _compare_menus(facts: Facts) -> Solution:
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


COMPARE_MENUS = WORDS.program(
    "compare_set_menus",
    _draw_two_houses,
    _compare_menus,
    (
        OF_DIET,
        WORDS.twist("menus without an allergen", "constraint", draw=some_allergen),
        WORDS.twist("the dearest of the menus", "change_of_mind", sets={"which": "dearest"}),
    ),
)


def _draw_course_at(world: World, rng: Random) -> Facts:
    return {
        "guest_id": pick(rng, world.rows("guests"))["guest_id"],
        "restaurant": pick(rng, world.rows("restaurants"))["name"],
        "course": spoken(rng.choice(("starter", "main", "dessert"))),
    }


def _safe_calories(facts: Facts) -> Solution:
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


LIGHTEST = WORDS.program(
    "lightest_dish",
    with_allergies(_draw_course_at),
    _safe_calories,
    (
        OF_DIET,
        WORDS.twist("the most calories", "change_of_mind", sets={"which": "richest"}),
    ),
)


def _order_calories(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order"])
    total = 0
    for line in order["lines"]:
        if facts.get("course") in (None, spoken(line["course"])):
            dish = yield do("get_dish", dish_id=line["dish_id"])
            total += dish["calories"] * line["quantity"]
    must(total, "the order has no such course")
    return told(f"That is {total} kcal.", f"{total} kcal")


def _draw_any_order(world: World, rng: Random) -> Facts:
    order = pick(rng, world.rows("orders"))
    return {"guest_id": order["guest_id"], "order": order["order_id"]}


def _course_in(world: World, rng: Random, facts: Facts) -> Facts:
    lines = [line for line in world.rows("order_lines") if line["order_id"] == facts["order"]]
    return {"course": spoken(known(world, "dishes", pick(rng, lines)["dish_id"])["course"])}


ORDER_CALORIES = WORDS.program(
    "order_calories",
    _draw_any_order,
    _order_calories,
    (WORDS.twist("only one course", "constraint", draw=_course_in),),
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


def _may_i_eat(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    named = yield from dish_called(house["restaurant_id"], facts["dish"])
    dish = yield do("get_dish", dish_id=named["dish_id"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    feared = [each for each in dish["allergens"] if each in guest["allergies"]]
    if feared:
        return told(f"Better not: it contains {' and '.join(feared)}.", *feared)
    total, with_currency = sum_of({"sum": dish["price"] * facts["portions"], **house}, "sum")
    return told(f"Yes; it comes to {with_currency}.", total)


MAY_I_EAT = WORDS.program(
    "may_i_eat",
    with_allergies(_draw_dish),
    _may_i_eat,
    (WORDS.twist("another number of portions reckoned", "change_of_mind", draw=another_count("portions", 12)),),
)

PROGRAMS = (COMPARE_MENUS, LIGHTEST, ORDER_CALORIES, MAY_I_EAT)
