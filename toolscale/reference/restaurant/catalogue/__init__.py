"""The houses of the group and what they cook: the part of the world that is not drawn."""

from pathlib import Path
from typing import NamedTuple

from toolscale.reference.catalogues import Words, read_table

_HERE = Path(__file__).parent


class Plate(NamedTuple):
    """A dish as the kitchen writes it down."""

    house: str
    course: str
    name: str
    price: float
    calories: int
    allergens: Words
    diets: Words
    takeaway: bool


class House(NamedTuple):
    """A restaurant as the group founded it. ``country`` is a key of ``places.COUNTRIES``."""

    code: str
    name: str
    city: str
    country: str
    cuisine: str
    features: Words
    closed_on: Words
    opens: str
    last_seating: str
    deposit_per_head: float
    event: str

    @property
    def plates(self) -> list[Plate]:
        """Two starters, three mains, a side and two desserts."""
        return [plate for plate in _PLATES if plate.house == self.code]


_PLATES = read_table(_HERE / "dishes.csv", Plate)
HOUSES = {house.code: house for house in read_table(_HERE / "houses.csv", House)}

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
