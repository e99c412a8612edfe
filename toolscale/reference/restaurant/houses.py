"""Lays out a house: the restaurant with its tables, menus and evenings. All that guests later refer to."""

from datetime import date, time, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT
from toolscale.reference.ids import Ids
from toolscale.reference.places import COUNTRIES
from toolscale.reference.restaurant.catalogue import House, Plate
from toolscale.reference.restaurant.functions._shared import WEEKDAYS
from toolscale.reference.restaurant.functions.guests import SCALE

Record = dict[str, Any]

_SEATS = ((2, 3, 4, 6, 8), (2, 4, 5, 6, 10), (2, 3, 5, 7, 8), (2, 4, 6, 7, 12))
_AREAS = ("bar", "main room", "main room", "terrace", "private room")
_WARM_AREAS = ("bar", "main room", "main room", "conservatory", "private room")
_SMALLEST_COIN = {"EUR": 0.1, "GBP": 0.05, "CHF": 0.5, "PLN": 0.5, "DKK": 1.0}
"""Currency -> what prices on a menu are whole multiples of."""


class Founding:
    """A world in the making: what has been laid out so far, and the chance that decides the rest."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"restaurant {seed}")
        self.ids = Ids(self.rng)
        self.everything: dict[str, dict[str, Record]] = {}
        self.entries: dict[str, dict[str, Record]] = {}

    def add(self, table: str, record: Record) -> Record:
        """The record, entered under its first field."""
        key = str(next(iter(record.values())))
        self.entries.setdefault(table, {})[key] = record
        self.everything.setdefault(table, {})[key] = record
        return record

    def rows(self, table: str, restaurant: Record) -> list[Record]:
        records = self.everything.get(table, {}).values()
        return [record for record in records if record["restaurant_id"] == restaurant["restaurant_id"]]

    def lay_out(self, house: House, index: int) -> Record:
        """The restaurant, with everything that stands on its premises."""
        rng, country = self.rng, COUNTRIES[house.country]
        restaurant = self.add(
            "restaurants",
            {
                "restaurant_id": f"RES-{house.code}",
                "name": house.name,
                "city": house.city,
                "country": country.name,
                "cuisine": house.cuisine,
                "currency": country.currency,
                "features": list(house.features),
                "closed_on": list(house.closed_on),
                "opens": house.opens,
                "last_seating": house.last_seating,
                "sitting_minutes": rng.choice((90, 105, 120)),
                "deposit_from_party": rng.choice((3, 4, 4, 5)),
                "deposit_per_head": house.deposit_per_head,
                "free_cancel_hours": rng.choice((24, 36, 48, 72)),
                "late_fee_per_head": priced(house.deposit_per_head * rng.uniform(0.55, 0.95), country.currency),
                "phone": f"{country.calling} 555 01{rng.randrange(10)}{index + 10}",
            },
        )
        areas = _WARM_AREAS if index % 3 == 0 else _AREAS
        for number, (seats, area) in enumerate(zip(_SEATS[index % len(_SEATS)], areas, strict=True), 1):
            self.add(
                "dining_tables",
                {
                    "table_id": f"TBL-{house.code}-{number:02}",
                    "restaurant_id": restaurant["restaurant_id"],
                    "area": area,
                    "seats": seats,
                    "smallest_party": 1 if seats < 5 else 2 if seats < 8 else 4,
                    "step_free": area == "main room" or rng.random() < 0.4,
                },
            )
        dishes = [self.cook(plate, restaurant, number) for number, plate in enumerate(house.plates, 1)]
        self.compose_menus(house, restaurant, dishes)
        for number, title in enumerate((house.event, f"Chef's Table at {house.name}")[: 1 + index % 2], 1):
            self.announce(house, restaurant, number, title)
        return restaurant

    def cook(self, plate: Plate, restaurant: Record, number: int) -> Record:
        return self.add(
            "dishes",
            {
                "dish_id": f"DSH-{plate.house}-{number:02}",
                "restaurant_id": restaurant["restaurant_id"],
                "name": plate.name,
                "course": plate.course,
                "price": priced(plate.price * self.rng.uniform(0.98, 1.06), restaurant["currency"]),
                "calories": plate.calories,
                "allergens": sorted(plate.allergens),
                "labels": sorted(plate.diets),
                "takeaway": plate.takeaway,
            },
        )

    def compose_menus(self, house: House, restaurant: Record, dishes: list[Record]) -> None:
        starters, mains, desserts = dishes[:2], dishes[2:5], dishes[6:]
        garden = [
            next(dish for dish in course if "vegetarian" in dish["labels"]) for course in (starters, mains, desserts)
        ]
        menus = (
            ("Menu of the House", [self.rng.choice(starters), mains[0], desserts[0]], 2),
            ("Garden Menu", garden, 2),
            ("Grand Menu", [*starters, mains[self.rng.choice((0, 2))], self.rng.choice(desserts)], 4),
        )
        for number, (name, courses, smallest) in enumerate(menus, 1):
            separately = sum(dish["price"] for dish in courses)
            self.add(
                "set_menus",
                {
                    "set_menu_id": f"SET-{house.code}-{number}",
                    "restaurant_id": restaurant["restaurant_id"],
                    "name": name,
                    "dish_ids": [dish["dish_id"] for dish in courses],
                    "price_per_head": priced(separately * self.rng.uniform(0.83, 0.92), restaurant["currency"]),
                    "smallest_party": smallest,
                    "notice_hours": self.rng.choice((12, 24, 36)),
                },
            )

    def announce(self, house: House, restaurant: Record, number: int, title: str) -> None:
        """An evening: the first within two weeks, some of them tomorrow, the second in the two weeks after them."""
        currency, first = restaurant["currency"], 1 + 14 * (number - 1)
        tomorrow = number == 1 and self.rng.random() < 0.5 and WEEKDAYS[1] not in restaurant["closed_on"]
        capacity = self.rng.choice((24, 30, 36, 48))
        self.add(
            "events",
            {
                "event_id": f"EVT-{house.code}-{number}",
                "restaurant_id": restaurant["restaurant_id"],
                "title": title,
                "date": self.open_day(restaurant, first, 1 if tomorrow else first + 13).isoformat(),
                "time": self.rng.choice(("18:30", "19:00", "19:30", "20:00")),
                "price_per_seat": priced(self.rng.uniform(38, 94) * SCALE[currency], currency),
                "capacity": capacity,
                "seats_left": self.rng.randrange(7, capacity // 2 + 4),
            },
        )

    def open_day(self, restaurant: Record, first: int, last: int) -> date:
        days = [PRESENT.date() + timedelta(days=offset) for offset in range(first, last + 1)]
        return self.rng.choice([day for day in days if WEEKDAYS[day.weekday()] not in restaurant["closed_on"]])


def priced(amount: float, currency: str) -> float:
    """The amount as menus in that currency say it."""
    coin = _SMALLEST_COIN[currency]
    return round(round(amount / coin) * coin, 2)


def seatings(restaurant: Record) -> list[str]:
    """The times, every half hour, at which a party may sit down."""
    first, last = (time.fromisoformat(restaurant[field]) for field in ("opens", "last_seating"))
    minutes = range(first.hour * 60 + first.minute, last.hour * 60 + last.minute + 1, 30)
    return [f"{minute // 60:02}:{minute % 60:02}" for minute in minutes]
