"""People with names and addresses of their country, drawn from a seed. Faker supplies the names."""

import unicodedata
from dataclasses import dataclass
from random import Random
from typing import Any

from toolscale.reference.places import COUNTRIES, city, street_address


@dataclass(frozen=True)
class Person:
    """Somebody with an address. ``email`` ends in a domain that is nobody's (RFC 2606)."""

    name: str
    first_name: str
    last_name: str
    country: str
    email: str
    phone: str
    street: str
    postcode: str
    city: str

    @property
    def address(self) -> str:
        """On one line."""
        return f"{self.street}, {self.postcode} {self.city}"


class People:
    """Draws people who differ in name. The same seed gives the same people, whatever else is drawn in between."""

    def __init__(self, seed: int, countries: tuple[str, ...] = tuple(COUNTRIES)) -> None:
        self.countries = countries
        self._seed = seed
        self._fakers: dict[str, Any] = {}
        self._rng = Random(f"people {seed}")
        self._names: set[str] = set()

    def one(self, country: str = "") -> Person:
        """A person of that country, or of any."""
        country = country or self._rng.choice(self.countries)
        faker = self._faker(country)
        first, last = _first_and_last(faker, country)
        while f"{first} {last}" in self._names:
            first, last = _first_and_last(faker, country)
        self._names.add(f"{first} {last}")
        home = city(self._rng, country)
        mailbox = f"{_letters(first)}.{_letters(last)}"
        number = "".join(self._rng.choice("0123456789") for _ in range(4))
        return Person(
            name=f"{first} {last}",
            first_name=first,
            last_name=last,
            country=country,
            email=f"{mailbox}@{self._rng.choice(('example.com', 'example.org', 'example.net'))}",
            phone=f"{COUNTRIES[country].calling} 555 01{number}",
            street=street_address(self._rng, country),
            postcode=home.postcode,
            city=home.name,
        )

    def _faker(self, country: str) -> Any:
        if country not in self._fakers:
            from faker import Faker

            self._fakers[country] = Faker(COUNTRIES[country].locale)
            self._fakers[country].seed_instance(f"{self._seed} {country}")
        return self._fakers[country]


def _plain(text: str) -> str:
    return " ".join(str(text).split())


def _first_and_last(faker: Any, country: str) -> tuple[str, str]:
    """A first name and a surname; of one sex in the languages whose surnames have one."""
    sex = f"_{faker.random_element(('female', 'male'))}" if country in ("CZ", "PL") else ""
    return _plain(getattr(faker, f"first_name{sex}")()), _surname(getattr(faker, f"last_name{sex}")())


def _surname(text: str) -> str:
    """A surname with its particle in front, which German lists put behind."""
    *names, last = _plain(text).split()
    return " ".join((last, *names) if last.islower() else (*names, last))


def _letters(name: str) -> str:
    """The name as a mailbox writes it: lower case letters without accents."""
    folded = unicodedata.normalize("NFKD", name.lower().replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    return "".join(letter for letter in folded if letter.isascii() and letter.isalpha()) or "mail"
