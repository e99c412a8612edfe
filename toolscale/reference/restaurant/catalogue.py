"""How a house of the group is written down, and which houses there are: the part of the world that is not drawn."""

from typing import NamedTuple


class Plate(NamedTuple):
    """A dish as the kitchen writes it down. Allergens and diets are separated by spaces."""

    name: str
    price: float
    calories: int
    allergens: str = ""
    diets: str = ""
    takeaway: bool = True


class House(NamedTuple):
    """A restaurant as the group founded it. ``country`` is a key of ``places.COUNTRIES``; ``hours`` are those at which
    parties may sit down first and last; ``plates`` are two starters, three mains, a side and two desserts."""

    code: str
    name: str
    city: str
    country: str
    cuisine: str
    features: tuple[str, ...]
    closed_on: tuple[str, ...]
    hours: tuple[str, str]
    deposit_per_head: float
    event: str
    plates: tuple[Plate, ...]


COURSE_OF_PLATE = ("starter", "starter", "main", "main", "main", "side", "dessert", "dessert")

SUBJECTS = {
    "Two London houses: a British dining room, and a Punjabi kitchen with a busy takeaway": ("CVG", "BRK"),
    "Berlin: regional German cooking beside the Spree, and Levantine mezze": ("MIT", "NKN"),
    "Paris and Lyon: a bistro with a deep wine list, and a bouchon with generous set menus": ("MAR", "LYO"),
    "Bologna and Milan: fresh egg pasta in truffle season, aperitivo and risotto": ("BOL", "MIL"),
    "Barcelona and Seville: tapas, rice dishes and long late dinners": ("BCN", "SVQ"),
    "Krakow and Warsaw: dumplings and game in a vaulted cellar, fish beside the Vistula": ("KRK", "WAW"),
    "Amsterdam and Copenhagen: Indonesian rice tables, and open sandwiches at the harbour": ("AMS", "CPH"),
    "Zurich and Vienna: fondue evenings by the Limmat, and a Viennese tavern": ("ZRH", "VIE"),
    "Lisbon and Edinburgh: Atlantic fish with fado, and Scottish game with whisky": ("LIS", "EDI"),
}
"""Subject -> the codes of its houses."""
