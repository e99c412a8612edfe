"""What the kitchens serve: dishes, set menus, and whom they suit."""

from typing import Any, Literal

from ._shared import ALLERGENS, Database, _row

DIETS = ("halal", "vegan", "vegetarian")


def _suits(dishes: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What a guest with a diet or an allergy must know of dishes served together."""
    return {
        "suits": [diet for diet in DIETS if all(diet in dish["labels"] for dish in dishes)],
        "allergens": [each for each in ALLERGENS if any(each in dish["allergens"] for dish in dishes)],
    }


def _check_allergies(db: Database, guest_id: str, dishes: list[dict[str, Any]]) -> None:
    allergies = _row(db, "guests", guest_id)["allergies"]
    for dish in dishes:
        found = [each for each in dish["allergens"] if each in allergies]
        if found:
            raise ValueError(f"{dish['name']} contains {', '.join(found)}, to which the guest is allergic")


def list_set_menus(db: Database, restaurant_id: str) -> list[dict[str, Any]]:
    """A restaurant's set menus, with the diets they suit and the allergens they contain.

    restaurant_id: The restaurant's id.
    """
    _row(db, "restaurants", restaurant_id)
    dishes = {dish["dish_id"]: dish for dish in db["dishes"].values()}
    return [
        {**menu, **_suits([dishes[dish_id] for dish_id in menu["dish_ids"]])}
        for menu in db["set_menus"].values()
        if menu["restaurant_id"] == restaurant_id
    ]


def search_dishes(
    db: Database,
    restaurant_id: str,
    name: str | None = None,
    course: Literal["starter", "main", "side", "dessert"] | None = None,
    diet: Literal["halal", "vegan", "vegetarian"] | None = None,
    without: list[str] | None = None,
    takeaway: bool = False,
) -> list[dict[str, Any]]:
    """Dishes on a restaurant's menu; all criteria that are given must hold.

    restaurant_id: The restaurant's id.
    name: The dish's name, or a part of it.
    course: The course.
    diet: The diet that the dish must suit.
    without: Allergens that the dish must not contain.
    takeaway: Only dishes that can be taken away.
    """
    _row(db, "restaurants", restaurant_id)
    unknown = [each for each in without or [] if each not in ALLERGENS]
    if unknown:
        raise ValueError(f"not an allergen: {', '.join(map(str, unknown))}; known are {', '.join(ALLERGENS)}")
    return [
        {field: dish[field] for field in ("dish_id", "name", "course", "price", "labels", "takeaway")}
        for dish in db["dishes"].values()
        if dish["restaurant_id"] == restaurant_id
        and (not name or name.casefold() in dish["name"].casefold())
        and course in (None, dish["course"])
        and (diet is None or diet in dish["labels"])
        and not any(each in dish["allergens"] for each in without or [])
        and (dish["takeaway"] or not takeaway)
    ]


def get_dish(db: Database, dish_id: str) -> dict[str, Any]:
    """One dish with its price, calories, allergens and the diets it suits.

    dish_id: The dish's id, such as DSH-BOL-04.
    """
    return dict(_row(db, "dishes", dish_id))
