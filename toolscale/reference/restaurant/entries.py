"""The world of the restaurants: one subject a house, its guests, and what they reserve, order, buy and wait for."""

import unicodedata
from datetime import date, datetime, time, timedelta

from toolscale.artifacts import PRESENT, Database
from toolscale.reference.restaurant.catalogue import HOUSES, House
from toolscale.reference.restaurant.houses import DEPOSIT_SHARE, DISCOUNT, SCALE, Founding, Record, seatings
from toolscale.reference.restaurant.schema import ALLERGENS, DIETS, WEEKDAYS

_UPCOMING = (2, 1, 2, 1, 2)
_PAST = (0, 1, 0, 0, 0)
_ORDERS = (1, 2, 0, 1, 0)
_VOUCHERS = (1, 2, 0, 1, 0)
_TICKETS = (0, 0, 1, 0, 1)
_WAITS = (0, 0, 1, 0, 0)
"""How many of each the guests have, guest by guest in turn."""


def world(seed: int) -> dict[str, Database]:
    """Subject -> its entries. The same seed gives the same world; references point to the same or an earlier subject.

    Amounts are in the currency of the house they concern; times are local; the present is ``PRESENT``.
    """
    return _Hospitality(seed).subjects()


class _Hospitality(Founding):
    """House after house, with the guests of each and what they are up to."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.guests = 0
        self.taken: list[Record] = []

    def subjects(self) -> dict[str, Database]:
        found: dict[str, Database] = {}
        for index, house in enumerate(HOUSES):
            self.entries = {}
            self.lay_out(house, index)
            for _ in range(3 if index % 2 else 2):
                self.welcome(house)
            found[house.subject] = self.entries
        return found

    def welcome(self, house: House) -> None:
        turn, rng = self.guests % 5, self.rng
        self.guests += 1
        faker = self.faker(house.locale)
        name = f"{faker.first_name()} {faker.last_name()}"
        allergies = rng.sample([each for each in ALLERGENS if each != "lupin"], rng.choice((0, 0, 1, 1, 2)))
        guest_id = f"GST-{10_000 + self.guests * 271 + rng.randrange(250)}"
        guest = self.add(
            "guests",
            guest_id,
            {
                "guest_id": guest_id,
                "name": name,
                "email": f"{_ascii(name)}@{faker.safe_domain_name()}",
                "phone": faker.phone_number(),
                "home_country": house.country,
                "diet": rng.choice(("none", "none", "none", *DIETS)),
                "allergies": sorted(allergies),
                "tier": rng.choice(("classic", "classic", "silver", "gold", "platinum")),
                "points": rng.randrange(180, 4200),
                "member_since": (PRESENT.date() - timedelta(days=rng.randrange(120, 2600))).isoformat(),
            },
        )
        restaurants = list(self.everything["restaurants"].values())
        at_home = restaurants[-1]
        for number in range(_UPCOMING[turn]):
            self.reserve(guest, rng.choice(restaurants) if number else at_home, past=False)
        for _ in range(_PAST[turn]):
            self.reserve(guest, rng.choice((at_home, rng.choice(restaurants))), past=True)
        for number in range(_VOUCHERS[turn]):
            self.give_voucher(guest, at_home, number)
        for number in range(_ORDERS[turn]):
            self.order(guest, at_home, collected=False)
            if number == 0 and rng.random() < 0.15:
                self.order(guest, rng.choice(restaurants), collected=True)
        for _ in range(_TICKETS[turn]):
            self.sell_ticket(guest)
        for _ in range(_WAITS[turn]):
            self.let_wait(guest, at_home)

    def reserve(self, guest: Record, restaurant: Record, *, past: bool) -> None:
        rng = self.rng
        for _ in range(200):
            day = self.open_day(restaurant, -40, -2) if past else self.open_day(restaurant, 1, rng.choice((3, 24, 24)))
            at = rng.choice(seatings(restaurant))
            table = rng.choice(self.rows("dining_tables", restaurant))
            if not self.overlaps(guest, table, restaurant, day, at):
                break
        party = rng.randint(max(table["smallest_party"], table["seats"] - 2, 1), table["seats"])
        deposit = 0.0
        if party >= restaurant["deposit_from_party"]:
            deposit = round(party * restaurant["deposit_per_head"] * DEPOSIT_SHARE[guest["tier"]], 2)
        status = rng.choice(("completed", "completed", "no_show", "cancelled")) if past else "confirmed"
        starts = datetime.combine(day, time.fromisoformat(at))
        booked = min(starts, PRESENT) - timedelta(days=rng.randrange(4, 20), minutes=rng.randrange(600))
        fee = refund = None
        cancelled: datetime | None = None
        if status in ("no_show", "cancelled"):
            cancelled = starts - timedelta(hours=rng.randrange(3, 90)) if status == "cancelled" else None
            in_time = cancelled and starts - cancelled >= timedelta(hours=restaurant["free_cancel_hours"])
            fee = 0.0 if in_time else round(party * restaurant["late_fee_per_head"], 2)
            refund = round(max(0.0, deposit - fee), 2)
        reservation_id = f"RSV-{self.code()}"
        record = {
            "reservation_id": reservation_id,
            "guest_id": guest["guest_id"],
            "restaurant_id": restaurant["restaurant_id"],
            "table_id": table["table_id"],
            "date": day.isoformat(),
            "time": at,
            "party_size": party,
            "set_menu_id": None,
            "deposit": deposit,
            "status": status,
            "cancellation_fee": fee,
            "refund": refund,
            "booked_at": booked.isoformat(),
            "cancelled_at": cancelled.isoformat() if cancelled else None,
        }
        menus = [
            menu
            for menu in self.rows("set_menus", restaurant)
            if menu["smallest_party"] <= party
            and all(suits(self.everything["dishes"][dish_id], guest) for dish_id in menu["dish_ids"])
        ]
        if menus and rng.random() < 0.3:
            record["set_menu_id"] = rng.choice(menus)["set_menu_id"]
        self.taken.append(self.add("reservations", reservation_id, record))

    def overlaps(self, guest: Record, table: Record, restaurant: Record, day: date, at: str) -> bool:
        start = datetime.combine(day, time.fromisoformat(at))
        sitting = timedelta(hours=2)
        return any(
            (row["table_id"] == table["table_id"] or row["guest_id"] == guest["guest_id"])
            and abs(datetime.fromisoformat(f"{row['date']}T{row['time']}") - start) < sitting
            for row in self.taken
        )

    def give_voucher(self, guest: Record, restaurant: Record, number: int) -> None:
        amount = (self.rng.choice((5.0, 6.5)), self.rng.choice((7.5, 10.0)))[number] * SCALE[restaurant["currency"]]
        voucher_id = f"VCH-{self.code()}"
        self.add(
            "vouchers",
            voucher_id,
            {
                "voucher_id": voucher_id,
                "guest_id": guest["guest_id"],
                "amount": amount,
                "currency": restaurant["currency"],
                "smallest_order": 2 * amount,
                "valid_until": (PRESENT.date() + timedelta(days=self.rng.randrange(25, 160))).isoformat(),
                "status": "active",
            },
        )

    def order(self, guest: Record, restaurant: Record, *, collected: bool) -> None:
        rng = self.rng
        day = self.open_day(restaurant, -30, -1) if collected else self.open_day(restaurant, 1, 9)
        today = WEEKDAYS[PRESENT.weekday()] not in restaurant["closed_on"] and not collected and rng.random() < 0.15
        if today:
            day = PRESENT.date()
        order_id = f"ORD-{self.code()}"
        carried = [dish for dish in self.rows("dishes", restaurant) if dish["takeaway"] and suits(dish, guest)]
        mains = [dish for dish in carried if dish["course"] == "main"]
        others = [dish for dish in carried if dish["course"] != "main"]
        chosen = [
            *rng.sample(mains, min(1, len(mains))),
            *rng.sample(others, min(rng.choice((1, 1, 1, 2)), len(others))),
        ]
        if not chosen:
            return
        lines = [self.line(order_id, guest, dish) for dish in chosen]
        subtotal = round(sum(line["quantity"] * line["unit_price"] for line in lines), 2)
        discount = round(subtotal * DISCOUNT[guest["tier"]], 2)
        self.add(
            "orders",
            order_id,
            {
                "order_id": order_id,
                "guest_id": guest["guest_id"],
                "restaurant_id": restaurant["restaurant_id"],
                "pickup_date": day.isoformat(),
                "pickup_time": rng.choice(seatings(restaurant)),
                "subtotal": subtotal,
                "discount": discount,
                "voucher_id": None,
                "voucher_amount": 0.0,
                "total": round(subtotal - discount, 2),
                "status": "collected" if collected else "preparing" if today else "placed",
                "placed_at": (
                    min(PRESENT, datetime.combine(day, time(9))) - timedelta(minutes=rng.randrange(30, 2400))
                ).isoformat(),
            },
        )

    def line(self, order_id: str, guest: Record, dish: Record) -> Record:
        line_id = f"LIN-{order_id[4:]}-{dish['dish_id'][4:7]}{dish['dish_id'][8:]}"
        return self.add(
            "order_lines",
            line_id,
            {
                "line_id": line_id,
                "order_id": order_id,
                "guest_id": guest["guest_id"],
                "dish_id": dish["dish_id"],
                "quantity": self.rng.choice((1, 1, 2, 2, 3)),
                "unit_price": dish["price"],
            },
        )

    def sell_ticket(self, guest: Record) -> None:
        event = self.rng.choice(list(self.everything["events"].values()))
        seats = self.rng.choice((1, 2, 2, 4))
        ticket_id = f"TKT-{self.code()}"
        self.add(
            "tickets",
            ticket_id,
            {
                "ticket_id": ticket_id,
                "guest_id": guest["guest_id"],
                "event_id": event["event_id"],
                "seats": seats,
                "paid": round(seats * event["price_per_seat"], 2),
                "bought_at": (PRESENT - timedelta(minutes=self.rng.randrange(900, 30_000))).isoformat(),
            },
        )

    def let_wait(self, guest: Record, restaurant: Record) -> None:
        entry_id = f"WTL-{self.code()}"
        self.add(
            "waitlist",
            entry_id,
            {
                "entry_id": entry_id,
                "guest_id": guest["guest_id"],
                "restaurant_id": restaurant["restaurant_id"],
                "date": self.open_day(restaurant, 2, 12).isoformat(),
                "time": self.rng.choice(seatings(restaurant)),
                "party_size": self.rng.randint(2, 6),
                "joined_at": (PRESENT - timedelta(minutes=self.rng.randrange(200, 9_000))).isoformat(),
            },
        )


def suits(dish: Record, guest: Record) -> bool:
    """Whether the dish is free of what the guest is allergic to."""
    return not set(dish["allergens"]) & set(guest["allergies"])


def _ascii(name: str) -> str:
    folded = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ł", "l").replace("Ł", "L"))
    return ".".join(
        "".join(letter for letter in word if letter.isascii() and letter.isalpha()) for word in folded.lower().split()
    )
