"""What stands in the houses' diaries: reservations, and who waits for a table."""

from datetime import date, datetime, time, timedelta

from toolscale.artifacts import PRESENT
from toolscale.reference.restaurant.functions.reservations import DEPOSIT_SHARE
from toolscale.reference.restaurant.houses import Founding, Record, seatings
from toolscale.reference.sums import rounded

_SITTING = timedelta(hours=2)


class Diary(Founding):
    """Enters reservations so that no table is held twice and no guest sits at two."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.taken: list[Record] = []

    def reserve(self, guest: Record, restaurant: Record, *, past: bool) -> None:
        """A reservation; a confirmed one in three within two days, where it is often too late for changes."""
        rng = self.rng
        while True:
            ahead = 2 if rng.random() < 0.35 else 24
            day = self.open_day(restaurant, -40, -2) if past else self.open_day(restaurant, 1, ahead)
            at, table = rng.choice(seatings(restaurant)), rng.choice(self.rows("dining_tables", restaurant))
            if not self._overlaps(guest, table, day, at):
                break
        party = rng.randint(max(table["smallest_party"], table["seats"] - 2, 1), table["seats"])
        deposit = 0.0
        if party >= restaurant["deposit_from_party"]:
            deposit = rounded(party * restaurant["deposit_per_head"] * DEPOSIT_SHARE[guest["tier"]])
        status = rng.choice(("completed", "completed", "no_show", "cancelled")) if past else "confirmed"
        starts = datetime.combine(day, time.fromisoformat(at))
        booked = min(starts, PRESENT) - timedelta(days=rng.randrange(4, 20), minutes=rng.randrange(600))
        changed = booked + timedelta(minutes=rng.randrange(60, 5000)) if rng.random() < 0.2 else None
        fee = refund = None
        cancelled: datetime | None = None
        if status in ("no_show", "cancelled"):
            cancelled = starts - timedelta(hours=rng.randrange(3, 90)) if status == "cancelled" else None
            in_time = cancelled and starts - cancelled >= timedelta(hours=restaurant["free_cancel_hours"])
            fee = 0.0 if in_time else rounded(party * restaurant["late_fee_per_head"])
            refund = rounded(max(0.0, deposit - fee))
        menus = [menu for menu in self.rows("set_menus", restaurant) if self._suits_all(menu, guest, party)]
        record = {
            "reservation_id": self.ids.hex("RSV"),
            "guest_id": guest["guest_id"],
            "restaurant_id": restaurant["restaurant_id"],
            "table_id": table["table_id"],
            "date": day.isoformat(),
            "time": at,
            "party_size": party,
            "set_menu_id": rng.choice(menus)["set_menu_id"] if menus and rng.random() < 0.3 else None,
            "deposit": deposit,
            "status": status,
            "cancellation_fee": fee,
            "refund": refund,
            "booked_at": _moment(booked),
            "changed_at": _moment(changed) if changed else None,
            "cancelled_at": _moment(cancelled) if cancelled else None,
        }
        self.taken.append(self.add("reservations", record))

    def let_wait(self, guest: Record, restaurant: Record) -> None:
        """A place on the waiting list: of two guests one still waits for a table that is taken, if there is one such;
        the other's table has come free, or the guest no longer waits."""
        rng = self.rng
        large = max(self.rows("dining_tables", restaurant), key=lambda table: table["seats"])
        held = [
            row
            for row in self.taken
            if row["table_id"] == large["table_id"]
            and row["status"] == "confirmed"
            and row["guest_id"] != guest["guest_id"]
        ]
        if held and rng.random() < 0.6:
            chosen = rng.choice(held)
            day, at, party = chosen["date"], chosen["time"], large["seats"]
        else:
            day = self.open_day(restaurant, 2, 12).isoformat()
            at, party = rng.choice(seatings(restaurant)), rng.randint(2, 6)
        self.add(
            "waitlist",
            {
                "entry_id": self.ids.hex("WTL"),
                "guest_id": guest["guest_id"],
                "restaurant_id": restaurant["restaurant_id"],
                "date": day,
                "time": at,
                "party_size": party,
                "status": "left" if rng.random() < 0.12 else "waiting",
                "joined_at": _moment(PRESENT - timedelta(minutes=rng.randrange(200, 9_000))),
            },
        )

    def _overlaps(self, guest: Record, table: Record, day: date, at: str) -> bool:
        start = datetime.combine(day, time.fromisoformat(at))
        return any(
            (row["table_id"] == table["table_id"] or row["guest_id"] == guest["guest_id"])
            and abs(datetime.fromisoformat(f"{row['date']}T{row['time']}") - start) < _SITTING
            for row in self.taken
        )

    def _suits_all(self, menu: Record, guest: Record, party: int) -> bool:
        dishes = (self.everything["dishes"][dish_id] for dish_id in menu["dish_ids"])
        return menu["smallest_party"] <= party and all(suits(dish, guest) for dish in dishes)


def suits(dish: Record, guest: Record) -> bool:
    """Whether the dish is free of what the guest is allergic to."""
    return not set(dish["allergens"]) & set(guest["allergies"])


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M")
