"""What goes over the houses' counters: takeaway orders, vouchers, and tickets for evenings."""

from datetime import datetime, time, timedelta

from toolscale.artifacts import PRESENT
from toolscale.reference.moments import TODAY, day
from toolscale.reference.restaurant.diary import suits
from toolscale.reference.restaurant.functions._shared import WEEKDAYS
from toolscale.reference.restaurant.functions.guests import SCALE
from toolscale.reference.restaurant.functions.orders import DISCOUNT
from toolscale.reference.restaurant.houses import Founding, Record, seatings
from toolscale.reference.sums import rounded

_FATES = ("placed",) * 11 + ("today",) * 3 + ("collected", "collected", "cancelled")
"""What has become of orders, as often as it does; those for today are being prepared or ready."""


class Counter(Founding):
    """Takes orders that a guest may eat, and pays some of them with a voucher."""

    def give_voucher(self, guest: Record, restaurant: Record, number: int) -> Record:
        """A voucher; the first is the smaller one, and of the others half have run out."""
        rng = self.rng
        amount = (rng.choice((5.0, 6.5)), rng.choice((7.5, 10.0)))[number] * SCALE[restaurant["currency"]]
        until = -rng.randrange(3, 60) if number and rng.random() < 0.55 else rng.randrange(25, 160)
        return self.add(
            "vouchers",
            {
                "voucher_id": self.ids.hex("VCH"),
                "guest_id": guest["guest_id"],
                "amount": amount,
                "currency": restaurant["currency"],
                "smallest_order": 2 * amount,
                "valid_until": day(until),
                "status": "active",
            },
        )

    def order(self, guest: Record, restaurant: Record, vouchers: list[Record]) -> None:
        """An order of a main course and others that the guest may eat, paid with a voucher if it fits and is given."""
        rng = self.rng
        fate = rng.choice(_FATES)
        if fate == "today" and WEEKDAYS[TODAY.weekday()] in restaurant["closed_on"]:
            fate = "placed"
        carried = [dish for dish in self.rows("dishes", restaurant) if dish["takeaway"] and suits(dish, guest)]
        mains = [dish for dish in carried if dish["course"] == "main"]
        others = [dish for dish in carried if dish["course"] != "main"]
        chosen = [
            *rng.sample(mains, min(1, len(mains))),
            *rng.sample(others, min(rng.choice((1, 1, 2, 2)), len(others))),
        ]
        if not chosen:
            return
        order_id = self.ids.hex("ORD")
        lines = [self._line(order_id, guest, dish) for dish in chosen]
        subtotal = rounded(sum(line["quantity"] * line["unit_price"] for line in lines))
        discount = rounded(subtotal * DISCOUNT[guest["tier"]])
        voucher = next(
            (each for each in vouchers if fate == "placed" and each["smallest_order"] <= subtotal - discount), None
        )
        if voucher:
            voucher["status"] = "redeemed"
        worth = voucher["amount"] if voucher else 0.0
        pickup = {
            "placed": lambda: self.open_day(restaurant, 1, 9),
            "today": lambda: TODAY,
        }.get(fate, lambda: self.open_day(restaurant, -30, -1))()
        placed = min(PRESENT, datetime.combine(pickup, time(9))) - timedelta(minutes=rng.randrange(30, 2400))
        self.add(
            "orders",
            {
                "order_id": order_id,
                "guest_id": guest["guest_id"],
                "restaurant_id": restaurant["restaurant_id"],
                "pickup_date": pickup.isoformat(),
                "pickup_time": rng.choice(seatings(restaurant)),
                "subtotal": subtotal,
                "discount": discount,
                "voucher_id": voucher["voucher_id"] if voucher else None,
                "voucher_amount": worth,
                "total": rounded(subtotal - discount - worth),
                "status": rng.choice(("preparing", "preparing", "ready")) if fate == "today" else fate,
                "placed_at": placed.strftime("%Y-%m-%dT%H:%M"),
            },
        )

    def sell_ticket(self, guest: Record, event: Record) -> None:
        """Seats for an evening; one ticket in eight was given back."""
        rng = self.rng
        seats = rng.choice((2, 2, 3, 4))
        paid = rounded(seats * event["price_per_seat"])
        returned = rng.random() < 0.12
        self.add(
            "tickets",
            {
                "ticket_id": self.ids.hex("TKT"),
                "guest_id": guest["guest_id"],
                "event_id": event["event_id"],
                "seats": seats,
                "paid": paid,
                "refunded": paid if returned else 0.0,
                "status": "returned" if returned else "valid",
                "bought_at": (PRESENT - timedelta(minutes=rng.randrange(15_000, 30_000))).strftime("%Y-%m-%dT%H:%M"),
            },
        )

    def _line(self, order_id: str, guest: Record, dish: Record) -> Record:
        return self.add(
            "order_lines",
            {
                "line_id": f"LIN-{order_id[4:]}-{dish['dish_id'][4:7]}{dish['dish_id'][8:]}",
                "order_id": order_id,
                "guest_id": guest["guest_id"],
                "dish_id": dish["dish_id"],
                "quantity": self.rng.choice((1, 1, 2, 2, 3)),
                "unit_price": dish["price"],
            },
        )
