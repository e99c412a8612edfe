"""What the shop sells, where it ships, and what its customers say."""

from collections.abc import Mapping
from typing import NamedTuple


class Range(NamedTuple):
    """A category's terms: days to return, months of warranty, whether it can be subscribed to."""

    return_days: int
    warranty_months: int
    subscribable: bool


CATEGORIES: Mapping[str, Range] = {
    "kitchen": Range(30, 24, False),
    "home": Range(30, 24, False),
    "outdoor": Range(30, 36, False),
    "clothing": Range(60, 0, False),
    "electronics": Range(14, 24, False),
    "pantry": Range(0, 0, True),
    "care": Range(0, 0, True),
}


class Product(NamedTuple):
    """A product with its options; each option costs `step` more than the one before."""

    name: str
    category: str
    options: tuple[str, ...]
    price: float
    step: float


def _products(category: str, rows: str) -> list[Product]:
    """One product a line: name | options | price of the first option | step."""
    found = []
    for row in rows.strip().splitlines():
        name, options, price, step = (part.strip() for part in row.split("|"))
        found.append(Product(name, category, tuple(options.split(", ")), float(price), float(step)))
    return found


PRODUCTS: tuple[Product, ...] = (
    *_products(
        "kitchen",
        """
        Enamelled Casserole | 20 cm, 24 cm, 28 cm | 74.90 | 16
        Carbon Steel Pan | 24 cm, 28 cm, 32 cm | 39.90 | 7
        Walnut Chopping Board | 30 cm, 40 cm | 34.50 | 12
        Stoneware Mixing Bowl | cream, slate grey, sage green | 28.90 | 0
        Hand Coffee Grinder | matt black, brushed steel | 64.90 | 0
        Gooseneck Kettle | matt black, white, copper | 89.00 | 0
        Bread Proving Basket | 22 cm, 26 cm | 19.90 | 4
        Cast Iron Griddle | 26 cm, 30 cm | 52.00 | 9
        Linen Apron | indigo, oatmeal, rust | 36.50 | 0
        """,
    ),
    *_products(
        "home",
        """
        Wool Throw | charcoal, ochre, moss green | 79.00 | 0
        Percale Duvet Cover | white, pale blue, sand | 94.90 | 0
        Oak Bedside Table | natural oak, smoked oak | 149.00 | 0
        Paper Floor Lamp | 90 cm, 130 cm | 119.00 | 30
        Cork Bath Mat | 60 cm, 80 cm | 24.90 | 8
        Wall Clock Nordlys | white, black, birch | 45.90 | 0
        Woven Storage Basket | 30 cm, 40 cm, 50 cm | 21.50 | 6
        Folding Step Stool | beech, white | 58.00 | 0
        """,
    ),
    *_products(
        "outdoor",
        """
        Trail Backpack | 24 litre, 32 litre, 42 litre | 98.00 | 21
        Two Person Tent | olive, sand | 249.00 | 0
        Down Sleeping Bag | regular, long | 189.00 | 20
        Insulated Bottle | steel blue, coral, black | 29.90 | 0
        Camping Stove | gas only, multi-fuel | 69.50 | 45
        Trekking Pole Set | 120 cm, 135 cm | 74.50 | 5
        Hammock | turquoise, terracotta | 54.90 | 0
        Dry Bag | 10 litre, 20 litre, 35 litre | 18.90 | 6
        """,
    ),
    *_products(
        "clothing",
        """
        Merino Base Layer | size S, size M, size L, size XL | 69.90 | 0
        Rain Jacket | size S, size M, size L, size XL | 139.00 | 0
        Softshell Jacket | size S, size M, size L | 119.50 | 0
        Fisherman Jumper | size S, size M, size L, size XL | 109.00 | 0
        Canvas Work Shirt | size S, size M, size L | 59.90 | 0
        Waxed Field Coat | size S, size M, size L, size XL | 164.00 | 0
        Wool Sock Three-Pack | size 36-39, size 40-43, size 44-47 | 27.50 | 0
        Quilted Vest | size S, size M, size L | 84.00 | 0
        """,
    ),
    *_products(
        "electronics",
        """
        Noise Cancelling Headset | black, silver | 179.00 | 0
        Portable Speaker | black, sea green, red | 84.90 | 0
        E-Reader | 16 GB, 32 GB | 139.00 | 30
        Bike Light Set | 400 lumen, 800 lumen | 49.90 | 25
        Air Quality Monitor | white, graphite | 99.00 | 0
        Power Bank | 10 Ah, 20 Ah | 34.90 | 18
        Bedside Radio | walnut, white | 119.50 | 0
        Robot Vacuum | white, black | 329.00 | 0
        Electric Toothbrush | white, mint, black | 72.90 | 0
        """,
    ),
    *_products(
        "pantry",
        """
        House Espresso | 500 g, 1 kg | 14.90 | 12
        Filter Coffee Roast | 500 g, 1 kg | 13.50 | 11.4
        Sencha Green Tea | 100 g, 250 g | 9.80 | 11.2
        Jumbo Oat Pack | 1 kg, 3 kg | 4.60 | 7.2
        Olive Oil | 500 ml, 1 litre, 3 litre | 11.90 | 9
        """,
    ),
    *_products(
        "care",
        """
        Laundry Powder | 1.5 kg, 4 kg | 9.90 | 12.4
        Dishwasher Tablet Box | pack of 40, pack of 80 | 11.50 | 9.4
        Bamboo Toilet Paper | 24 rolls, 48 rolls | 17.90 | 15
        Almond Soap Bar | pack of 3, pack of 6 | 10.20 | 8.7
        Contact Lens Solution | 360 ml, pack of 3 | 8.70 | 14.6
        """,
    ),
)

SHIPS_TO: Mapping[str, tuple[float, float | None, float, int, int]] = {
    "AT": (4.9, 11.9, 60, 3, 1), "BE": (5.9, 12.9, 70, 3, 2), "CZ": (6.9, 14.9, 80, 4, 2),
    "DE": (3.9, 9.9, 50, 2, 1), "DK": (6.9, 15.9, 80, 4, 2), "ES": (7.9, 17.9, 90, 5, 2),
    "FI": (8.9, None, 100, 6, 3), "FR": (5.9, 13.9, 70, 3, 2), "IE": (8.9, None, 100, 6, 3),
    "IT": (7.5, 16.9, 90, 4, 2), "NL": (4.9, 11.5, 60, 2, 1), "PL": (6.5, 14.5, 80, 4, 2),
    "PT": (8.5, 19.9, 100, 6, 3), "SE": (7.9, 18.5, 90, 5, 2),
}  # fmt: skip
"""Country -> standard fee, express fee, value of goods from which standard is free, days by standard, by express."""

CARRIERS: Mapping[str, str] = {"Nordvik Parcel": "NV", "Kestrel Logistics": "KL", "Paketbogen": "PB"}
"""Carrier -> the letters that its tracking numbers begin with."""

POINT_NAMES = ("Kiosk at the Station", "Corner Grocery", "Old Town Bookshop", "Market Hall Counter", "Petrol Station "
               "Shop", "Flower Shop at the Bridge")  # fmt: skip

RETURN_REASONS = ("too small", "too large", "not as described", "changed my mind", "arrived faulty")
CANCEL_REASONS = ("ordered by mistake", "found it cheaper", "takes too long", "no longer needed")
_STITCHED = {"Linen Apron", "Wool Throw", "Percale Duvet Cover", "Trail Backpack", "Two Person Tent",
             "Down Sleeping Bag", "Hammock", "Dry Bag"}  # fmt: skip
_COATED = {"Enamelled Casserole", "Cast Iron Griddle", "Gooseneck Kettle", "Insulated Bottle"}
_MOTORED = {"Robot Vacuum", "Electric Toothbrush"}


def faults_of(name: str, category: str) -> tuple[str, ...]:
    """What can be wrong with a product."""
    if name in _STITCHED:
        return ("seam came apart",)
    if name in _COATED:
        return ("coating comes off",)
    if category == "electronics":
        return ("does not switch on", "strange noise") if name in _MOTORED else ("does not switch on", "broken part")
    return ("cracked",) if name in {"Stoneware Mixing Bowl", "Walnut Chopping Board"} else ("broken part",)


TOPICS = ("damaged packaging", "late delivery", "rude courier", "wrong invoice")

TITLES: Mapping[int, tuple[str, ...]] = {
    1: ("Money down the drain", "Not worth it", "A let-down"),
    2: ("Expected more", "Below average", "Rather poor"),
    3: ("Does the job", "Average at best", "Fair enough"),
    4: ("Would order again", "Good value", "Nearly perfect"),
    5: ("Could not be happier", "Simply excellent", "A joy to use"),
}
"""Stars -> headlines of reviews."""
