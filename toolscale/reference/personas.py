"""Whether a persona could be the person whom the records know: by age, sex, language, and how long they are known."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from toolscale.reference.moments import TODAY, age
from toolscale.reference.places import COUNTRIES

ANY_AGE = range(13, 120)
_WORKING = range(18, 68)
_AGES: tuple[tuple[str, range], ...] = (
    (r"of seventy", range(66, 75)),
    (r"mature student", range(28, 66)),
    (r"retired|pensioner|emeritus|late in life", range(60, 120)),
    (r"grand(mother|father)|grandchild", range(50, 120)),
    (r"widow", range(45, 120)),
    (r"teenager|pupil", range(13, 20)),
    (r"first own account", range(18, 26)),
    (r"doctoral", range(23, 42)),
    (r"au pair|exchange student", range(17, 31)),
    (r"student", range(15, 36)),
    (r"\byoung\b|junior", range(20, 37)),
    (r"toddler", range(20, 49)),
    (r"mother|father|parent|family", range(25, 66)),
    (r"aunt", range(20, 120)),
    (r"surgeon|judge|diplomat\b|professor|notary\b|solicitor", range(28, 71)),
    (r"customer|beginner|flyer|guest\b|tourist|artist|singer|treasurer|captain|player|painter|sculptor", ANY_AGE),
)
"""What a persona says of its age, the first that it speaks of; who speaks of none has a trade."""

_SEXES = {
    "female": r"\b(she|her|herself|grandmother|mother|aunt|widow|woman)\b",
    "male": r"\b(he|his|him|grandfather|father|widower|man|barman|postman|headmaster)\b",
}
_NEW = r"\bnew (customer|member|in the)|joined last month|last year|just moved|first (month|term|own)|since September"
_OLD = r"for years"
_ENGLISH = {"English", "GB", "IE", "US", "AU", "CA", "United Kingdom", "Ireland"}


@dataclass(frozen=True)
class _Claims:
    ages: range
    sex: str | None
    new: bool
    old: bool


@cache
def _claims(persona: str) -> _Claims:
    """What a persona says of itself."""
    return _Claims(
        ages=next((ages for cue, ages in _AGES if re.search(cue, persona)), _WORKING),
        sex=next((sex for sex, cue in _SEXES.items() if re.search(cue, persona, re.IGNORECASE)), None),
        new=re.search(_NEW, persona) is not None,
        old=re.search(_OLD, persona) is not None,
    )


def fits(persona: str, voice: str, user: Mapping[str, Any] | None, today: date = TODAY) -> bool:
    """Whether the user whom this record describes could be like that.

    Of a user who is out of sight nothing is known, so only a persona that says nothing of the kind fits.
    """
    claims = _claims(persona)
    if user is None:
        return claims == _Claims(ANY_AGE, None, new=False, old=False) and voice != "non_native"
    if voice == "non_native" and not _ENGLISH.isdisjoint(map(str, user.values())):
        return False
    known = date.fromisoformat(_first(user, "member_since", "customer_since", "joined_on") or today.isoformat())
    years = (today - known).days / 365
    if (claims.new and years > 2) or (claims.old and years < 2 and known != today):
        return False
    born, sex = _first(user, "birth_date"), _first(user, "sex") or sex_of(_first(user, "name"))
    of_age = age(born, today) in claims.ages if born else claims.ages.stop > 20
    return of_age and (not sex or claims.sex in (None, sex))


def _first(user: Mapping[str, Any], *fields: str) -> str:
    return next((str(user[field]) for field in fields if user.get(field)), "")


def sex_of(name: str) -> str:
    """The sex of whoever bears that name, where the first name is only women's or only men's; else empty."""
    first = name.split(" ", maxsplit=1)[0]
    known = [sex for sex, names in _first_names().items() if first in names]
    return known[0] if len(known) == 1 else ""


@cache
def _first_names() -> Mapping[str, frozenset[str]]:
    """The first names of all countries, by sex."""
    found: dict[str, set[str]] = {"female": set(), "male": set()}
    for locale in {country.locale for country in COUNTRIES.values()}:
        module = f"faker.providers.person.{locale}"
        if find_spec(module):  # otherwise Faker takes another's, which is among the rest
            for sex, names in found.items():
                names.update(getattr(import_module(module).Provider, f"first_names_{sex}", ()))
    return {sex: frozenset(names) for sex, names in found.items()}
