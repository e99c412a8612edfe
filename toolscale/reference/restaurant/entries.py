"""The world of the restaurants: two houses a subject, and their guests, who are in `diary.py` and `counter.py`."""

from typing import NamedTuple

from toolscale.artifacts import Database
from toolscale.reference.moments import day
from toolscale.reference.people import People
from toolscale.reference.restaurant.catalogue import HOUSES, SUBJECTS, House
from toolscale.reference.restaurant.counter import Counter
from toolscale.reference.restaurant.diary import Diary
from toolscale.reference.restaurant.functions._shared import ALLERGENS
from toolscale.reference.restaurant.functions.menus import DIETS
from toolscale.reference.restaurant.houses import Record

_GUESTS_OF_A_HOUSE = 3
_FEARED = ("milk", "nuts", "gluten", "eggs", *(each for each in ALLERGENS if each != "lupin"))
"""What guests are allergic to; the first are the most frequent."""
_GENDERED = ("ski", "ska", "cki", "cka", "dzki", "dzka")
"""How Polish surnames end that differ for men and women, which the first name would have to match."""


class _Habits(NamedTuple):
    """How many of each a guest has."""

    upcoming: int
    past: int
    orders: int
    vouchers: int
    tickets: int
    waits: int


_HABITS = (
    _Habits(2, 1, 1, 1, 0, 0),
    _Habits(1, 0, 3, 2, 0, 0),
    _Habits(1, 1, 0, 1, 2, 1),
    _Habits(3, 0, 1, 0, 1, 0),
    _Habits(2, 1, 2, 2, 0, 1),
    _Habits(1, 0, 2, 2, 1, 0),
)


def world(seed: int) -> dict[str, Database]:
    """Subject -> its entries. The same seed gives the same world; references point to the same or an earlier subject.

    Amounts are in the currency of the house they concern; times are local; the present is ``PRESENT``.
    """
    return _Hospitality(seed).subjects()


class _Hospitality(Diary, Counter):
    """House after house, with the guests of each and what they are up to."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.people = People(seed)

    def subjects(self) -> dict[str, Database]:
        found: dict[str, Database] = {}
        houses = guests = 0
        for subject, codes in SUBJECTS.items():
            self.entries = {}
            for code in codes:
                at_home = self.lay_out(HOUSES[code], houses)
                houses += 1
                for _ in range(_GUESTS_OF_A_HOUSE):
                    self.entertain(self.welcome(HOUSES[code], at_home), at_home, _HABITS[guests % len(_HABITS)])
                    guests += 1
            found[subject] = self.entries
        return found

    def welcome(self, house: House, at_home: Record) -> Record:
        """A new guest."""
        rng, person = self.rng, self.people.one(house.country)
        while person.last_name.endswith(_GENDERED):
            person = self.people.one(house.country)
        allergies = {rng.choice(_FEARED) for _ in range(rng.choice((0, 0, 1, 1, 2)))}
        return self.add(
            "guests",
            {
                "guest_id": self.ids.digits("GST"),
                "name": person.name,
                "email": person.email,
                "phone": person.phone,
                "home_country": at_home["country"],
                "diet": rng.choice(("none", "none", "none", *DIETS)),
                "allergies": sorted(allergies),
                "tier": rng.choice(("classic", "classic", "silver", "gold", "platinum")),
                "points": rng.randrange(180, 4200),
                "member_since": day(-rng.randrange(120, 2600)),
            },
        )

    def entertain(self, guest: Record, at_home: Record, habits: _Habits) -> None:
        """All that the guest has reserved, ordered and bought, most of it at the house where they live."""
        rng, houses = self.rng, list(self.everything["restaurants"].values())
        near = [house for house in houses if house["currency"] == at_home["currency"]]
        for number in range(habits.upcoming):
            house = at_home if not number else rng.choice(near) if rng.random() < 0.7 else rng.choice(houses)
            self.reserve(guest, house, past=False)
        for _ in range(habits.past):
            self.reserve(guest, rng.choice((at_home, rng.choice(houses))), past=True)
        vouchers = [self.give_voucher(guest, at_home, number) for number in range(habits.vouchers)]
        for number in range(habits.orders):
            self.order(guest, at_home, vouchers[:1] if number == 1 else [])
        for event in rng.sample(
            list(self.everything["events"].values()), min(habits.tickets, houses.index(at_home) + 1)
        ):
            self.sell_ticket(guest, event)
        for _ in range(habits.waits):
            self.let_wait(guest, at_home)
