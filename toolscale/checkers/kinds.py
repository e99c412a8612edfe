"""What kind of value a fact is, where its form does not tell: by where it stands in the golden results.

"74.0" is an amount where a price is 74, and then "74 points" does not say it. Only a bare number is asked about: a
currency, a unit, a date and the like tell their kind themselves. All places that hold the number must tell the same
kind; where one tells another, or none, the form decides.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from toolscale.artifacts import CallOutcome, EnvironmentSpec, FactKind, Json, Task
from toolscale.checkers.said import Fact, currencies_of, fact_of, speaks_of_before, units_of

_MONEY = frozenset(
    {
        *("price", "prices", "fare", "fares", "fee", "fees", "cost", "costs", "refund", "refunded", "deposit"),
        *("surcharge", "charge", "charges", "charged", "paid", "payable", "payment", "payout", "balance", "salary"),
        *("rent", "debt", "arrears", "subtotal", "compensation"),
    }
)
_MONEY_BESIDE_MONEY = frozenset({"total", "amount", "sum", "due"})
"""Words that mean money where the same result speaks of money elsewhere, and may mean anything where it does not."""
_COUNTED = frozenset(
    {
        *("count", "seats", "nights", "passengers", "guests", "travellers", "travelers", "points", "tickets", "rooms"),
        *("copies", "adults", "children", "people", "persons", "participants", "goals", "wins", "losses", "bags"),
    }
)
_TIMES = ("seconds", "minutes", "hours", "days", "weeks", "months", "years")
_UNIT_AT_END = {
    **{
        name: name
        for name in ("km", "cm", "mm", "kg", "mg", "ml", "kmh", "mph", "hpa", "percent", "kcal", "kwh", *_TIMES)
    },
    **{"c": "°c", "celsius": "°c", "pct": "percent", "m": "m", "g": "g"},
}
_ONE_LETTER = {
    "c": ("temperature", "temp"),
    "m": ("distance", "height", "elevation", "depth", "length"),
    "g": ("weight",),
}
"""What else must stand in a name that ends in a unit of one letter."""
_FIGURES: frozenset[FactKind] = frozenset({"amount", "count", "quantity"})
_SMALL = 12
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


class Place(NamedTuple):
    """A number in a result: the name of its field, and the object that it stands in."""

    name: str
    number: int | float
    holder: dict[str, Json]
    of_money: bool
    """Whether the same result has money in a field that means nothing else."""


class Meaning(NamedTuple):
    """What a place says of its number."""

    kind: FactKind
    unit: str = ""


def facts_of(task: Task, outcomes: Sequence[CallOutcome], spec: EnvironmentSpec) -> list[Fact]:
    """The task's facts: each of the kind that its author says, else that its places tell, else of its form."""
    meanings, past = _Meanings(outcomes, spec), speaks_of_before(task.instruction)
    facts = (_fact(info, task.fact_kinds.get(info), meanings) for info in task.communicate_info)
    return [replace(fact, past=past) for fact in facts]


def wrong_kinds(task: Task, outcomes: Sequence[CallOutcome], spec: EnvironmentSpec) -> list[str]:
    """A sentence for each fact whose author says a kind that its form, or its field, rules out.

    And for each whose author says none where it is a bare figure of which nothing tells more.
    """
    meanings = _Meanings(outcomes, spec)
    faults = []
    for info in task.communicate_info:
        by_form, said = fact_of(info), task.fact_kinds.get(info)
        if said is not None and (why := _against(by_form, said, meanings)):
            faults.append(f"the fact {info!r} is said to be of the kind `{said}`, and {why}")
        if said is None and by_form.kind == "number" and meanings.of(by_form) is None:
            faults.append(f"nothing says of what kind the fact {info!r} is")
    return faults


def _against(by_form: Fact, said: FactKind, meanings: "_Meanings") -> str:
    """What rules a kind out. A small whole number may be anything, wherever else it stands."""
    if fact_of(by_form.text, said).kind != said:
        return "does not read as one"
    if by_form.kind in ("amount", "date", "time") and said not in (by_form.kind, "id"):
        return f"reads as `{by_form.kind}`"
    if by_form.kind == "quantity" and said == "amount" and by_form.figure and by_form.figure.units:
        return "reads as `quantity`"
    told = meanings.of(by_form) if by_form.kind == "number" and said in _FIGURES else None
    figures = by_form.figure.values if by_form.figure else frozenset()
    if told and told.kind != said and all(value > _SMALL or value % 1 for value in figures):
        return f"the field that holds it is `{told.kind}`"
    return ""


def _fact(info: str, said: FactKind | None, meanings: "_Meanings") -> Fact:
    by_form = fact_of(info)
    if by_form.kind != "number" or said not in (None, "quantity", "number"):
        return fact_of(info, said)
    told = meanings.of(by_form)
    if told is None or (said == "quantity" and told.kind != said):
        return fact_of(info, said)
    return fact_of(info, told.kind, told.unit)


class _Meanings:
    """The numbers of the golden results by what their fields mean."""

    def __init__(self, outcomes: Sequence[CallOutcome], spec: EnvironmentSpec) -> None:
        self.outcomes, self.spec = outcomes, spec

    def of(self, fact: Fact) -> Meaning | None:
        """What all places of a bare number tell."""
        values = fact.figure.values if fact.figure else frozenset()
        told = {self._told(place) for place in self._places if Decimal(str(place.number)) in values}
        return told.pop() if len(told) == 1 else None

    def _told(self, place: Place) -> Meaning | None:
        words = [word.lower() for word in _WORD.findall(place.name)]
        unit = place.holder.get("unit")
        if isinstance(unit, str):
            return Meaning("quantity", unit) if units_of(unit.lower()) else None
        return _by_end(words) or self._described.get(place.name) or _by_words(words, place)

    @cached_property
    def _places(self) -> list[Place]:
        return [
            Place(name, number, holder, of_money)
            for done in self.outcomes
            for found in (list(_numbers(done.result)),)
            for of_money in (any(_MONEY & {word.lower() for word in _WORD.findall(name)} for name, _, _ in found),)
            for name, number, holder in found
        ]

    @cached_property
    def _described(self) -> dict[str, Meaning]:
        """Field -> the unit or currency that schema.json names for it, the same wherever it has a description."""
        found: dict[str, set[Meaning | None]] = {}
        for name, description in _descriptions(self.spec.json_schema):
            found.setdefault(name, set()).add(_of_description(description))
        return {name: told for name, (told, *others) in found.items() if told is not None and not others}


def _by_end(words: list[str]) -> Meaning | None:
    """A unit at the end of a name: `distance_km`, `temperature_c`, `delay_minutes`."""
    unit = _UNIT_AT_END.get(words[-1]) if words else None
    if unit is None or not set(_ONE_LETTER.get(words[-1], words)) & set(words):
        return None
    return Meaning("quantity", unit)


def _by_words(words: list[str], place: Place) -> Meaning | None:
    money = _MONEY | _MONEY_BESIDE_MONEY if place.of_money else _MONEY
    if _COUNTED & set(words):
        return Meaning("count") if isinstance(place.number, int) and not _MONEY & set(words) - {"balance"} else None
    # A whole number may count what the word only describes: `price_level`.
    telling = words[-1:] if isinstance(place.number, int) else words
    return Meaning("amount") if money & set(telling) else None


def _of_description(text: str) -> Meaning | None:
    """What a description says of a number: "EUR a night", "Euros." and "in km", not "percent, or EUR"."""
    if " or " in text:
        return None
    if re.match(r"[A-Z]{3}\b", text) and currencies_of(text[:3].lower()):
        return Meaning("amount")
    for part in re.split("[,;:.]", text.lower()):
        name = part.strip().removeprefix("in ")
        if bool(units_of(name)) != bool(currencies_of(name)):  # "pounds" are both
            return Meaning("quantity", name) if units_of(name) else Meaning("amount")
    return None


def _descriptions(schema: Json) -> Iterator[tuple[str, str]]:
    if isinstance(schema, list):
        for member in schema:
            yield from _descriptions(member)
    if isinstance(schema, dict):
        fields = schema.get("properties")
        for name, field in fields.items() if isinstance(fields, dict) else ():
            if isinstance(field, dict) and isinstance(text := field.get("description"), str):
                yield name, text
        for member in schema.values():
            yield from _descriptions(member)


def _numbers(
    value: Json, name: str = "", holder: dict[str, Json] | None = None
) -> Iterator[tuple[str, float, dict[str, Json]]]:
    """Every number of a result with the name of its field; those of a list have the list's."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _numbers(member, key, value)
    elif isinstance(value, list):
        for member in value:
            yield from _numbers(member, name, holder)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, value, holder or {}
