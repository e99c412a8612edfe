"""Units and currencies, and the ways in which people write them."""

import re
from decimal import Decimal
from functools import cache, lru_cache

_CURRENCIES = {
    "eur": "€ eur euro euros",
    "gbp": "£ gbp pound pounds quid sterling",
    "usd": "$ us$ usd dollar dollars bucks",
    "chf": "chf franc francs sfr fr",
    "pln": "zł pln zloty zlotys zlotych zlote złoty złote złotych",
    "czk": "kč kc czk koruna korunas crown crowns",
    "huf": "ft huf forint forints",
    "jpy": "¥ jpy yen",
    "cny": "cny rmb yuan",
    "inr": "₹ inr rs rupee rupees",
    "sek": "sek krona kronor kr crowns",
    "nok": "nok krone kroner kr crowns",
    "dkk": "dkk krone kroner kr crowns",
    "nzd": "nz$ nzd",
    "hkd": "hk$ hkd",
    "aud": "a$ aud $ dollar dollars",
    "cad": "c$ ca$ cad $ dollar dollars",
    "try": "₺ try lira",
    "krw": "₩ krw won",
    "ils": "₪ ils shekel shekels",
    "ron": "ron lei leu",
    "uah": "₴ uah hryvnia",
    "brl": "r$ brl real reais",
}
_CENTS = "cent cents ct c penny pence p groszy grosz rappen centimes"

_UNITS = {
    "%": "% percent pct per-cent",
    "°c": "°c ° c degrees degree celsius centigrade deg grad",
    "°f": "°f ° f degrees degree fahrenheit deg",
    "mg": "mg milligram milligrams milligramme milligrammes mgs",
    "µg": "μg mcg ug microgram micrograms",
    "g": "g gram grams gramme grammes gr",
    "lb": "lb lbs pound pounds",
    "oz": "oz ounce ounces",
    "kg": "kg kilo kilos kilogram kilograms kgs",
    "t": "t ton tons tonne tonnes",
    "ml": "ml millilitre millilitres milliliter milliliters",
    "cl": "cl centilitre centilitres centiliter centiliters",
    "l": "l litre litres liter liters",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm centimetre centimetres centimeter centimeters",
    "m": "m metre metres meter meters",
    "km": "km kilometre kilometres kilometer kilometers kms",
    "mi": "mi mile miles",
    "km/h": "km/h kmh kph",
    "mph": "mph",
    "m/s": "m/s",
    "hpa": "hpa hectopascal hectopascals mbar millibar millibars",
    "min": "min mins minute minutes",
    "h": "h hr hrs hour hours",
    "s": "s sec secs second seconds",
    "day": "day days",
    "week": "week weeks wk wks",
    "month": "month months",
    "year": "year years yr yrs",
    "kcal": "kcal calorie calories cal kilocalorie kilocalories",
    "kj": "kj kilojoule kilojoules",
    "kwh": "kwh",
    "mwh": "mwh",
    "kw": "kw kilowatt kilowatts",
    "w": "w watt watts",
    "gb": "gb gigabyte gigabytes gig gigs",
    "mb": "mb meg megs megabyte megabytes",
    "tb": "tb terabyte terabytes",
    "mbit/s": "mbit/s mbps",
    "m²": "m2 m² sqm",
    "g/dl": "g/dl",
    "mg/dl": "mg/dl",
    "mg/l": "mg/l",
    "mmol/l": "mmol/l",
    "μmol/l": "μmol/l umol/l",
    "nmol/l": "nmol/l",
    "pmol/l": "pmol/l",
    "mmhg": "mmhg",
    "bpm": "bpm",
    "iu": "iu",
    "mm/h": "mm/h",
}
_LONG = [
    (r"(?:kilometers?|kilometres?|km) (?:per|an) hour", "km/h"),
    (r"miles (?:per|an) hour", "mph"),
    (r"(?:meters?|metres?|m) (?:per|a) second", "m/s"),
    (r"grams? per (?:decilitre|deciliter|dl)", "g/dl"),
    (r"(?:milligrams?|mg) per (?:decilitre|deciliter|dl)", "mg/dl"),
    (r"(?:milligrams?|mg) per (?:litre|liter|l)", "mg/l"),
    (r"(?:millimoles?|mmol) per (?:litre|liter|l)", "mmol/l"),
    (r"(?:micromoles?|[μu]mol) per (?:litre|liter|l)", "μmol/l"),
    (r"(?:nanomoles?|nmol) per (?:litre|liter|l)", "nmol/l"),
    (r"(?:picomoles?|pmol) per (?:litre|liter|l)", "pmol/l"),
    (r"degrees? (?:celsius|centigrade|c)\b", "°c"),
    (r"degrees? (?:fahrenheit|f)\b", "°f"),
    (r"per cent", "%"),
    (r"square (?:metres?|meters?)", "m2"),
    (r"(?:british )?pounds? sterling", "gbp"),
    (r"us dollars?", "usd"),
    (r"new zealand dollars?", "nzd"),
    (r"hong kong dollars?", "hkd"),
    (r"australian dollars?", "aud"),
    (r"canadian dollars?", "cad"),
    (r"kilowatt[- ]hours?", "kwh"),
    (r"megawatt[- ]hours?", "mwh"),
    (r"(?:polish )z[lł]ot\w*", "pln"),
    (r"swiss francs?", "chf"),
]
_SHORT = [short for _, short in _LONG]
_LONG_NAMES = re.compile(rf"(?<=\d) ?(?:{'|'.join(f'({name})' for name, _ in _LONG)})")


@lru_cache(maxsize=512)
def shortened(text: str) -> str:
    """A plain text whose units of several words are written short: "km/h" for "kilometres per hour"."""
    return _LONG_NAMES.sub(lambda found: f" {_SHORT[(found.lastindex or 1) - 1]}", text) if " " in text else text


_IN = {
    **{"s": ("time", "1"), "min": ("time", "60"), "h": ("time", "3600")},
    **{"ml": ("volume", "1"), "cl": ("volume", "10"), "l": ("volume", "1000")},
    **{"µg": ("mass", "0.000001"), "mg": ("mass", "0.001"), "g": ("mass", "1"), "kg": ("mass", "1000")},
    **{"mm": ("length", "0.001"), "cm": ("length", "0.01"), "m": ("length", "1"), "km": ("length", "1000")},
}


def same_measure(value: Decimal, units: frozenset[str], other: Decimal, others: frozenset[str]) -> bool:
    """Whether two quantities are one, such as 1.5 l and 1500 ml."""
    return any(
        _IN[one][0] == _IN[two][0] and value * Decimal(_IN[one][1]) == other * Decimal(_IN[two][1])
        for one in units & _IN.keys()
        for two in others & _IN.keys()
    )


@cache
def currencies_of(word: str) -> frozenset[str]:
    """The currencies that a word or sign may mean; none if it means none."""
    return frozenset(code for code, names in _CURRENCIES.items() if word in names.split())


@cache
def units_of(word: str) -> frozenset[str]:
    """The known units that a word may mean; none if it means none."""
    return frozenset(unit for unit, names in _UNITS.items() if word in names.split())


def is_cents(word: str) -> bool:
    """True for the hundredth part of a currency."""
    return word in _CENTS.split()


_COUNTED = frozenset(
    {
        *("point", "seat", "ticket", "night", "guest", "person", "people", "passenger", "item"),
        *("piece", "room", "copy", "book", "star", "stop", "bag", "session", "visit"),
        *("appointment", "order", "table", "portion", "credit", "token", "voucher", "stamp"),
    }
)


def is_counted(word: str) -> bool:
    """True for a noun of things that are counted, such as points or nights: the number before it is no money."""
    return stem(word) in _COUNTED


@cache
def stem(noun: str) -> str:
    """A counted noun without its plural, good enough to compare two forms of one word."""
    for ending, singular in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x")):
        if noun.endswith(ending) and len(noun) > len(ending) + 1:
            return noun.removesuffix(ending) + singular
    return noun.removesuffix("s") if len(noun) > 3 and not noun.endswith("ss") else noun
