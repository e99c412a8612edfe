"""Orders, their lines and shipments, and what came after them."""

from datetime import date, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.catalogues import record_of
from toolscale.reference.ecommerce.catalogue import CANCEL_REASONS, CARRIERS, FAULTS, SHIPS_TO, TOPICS
from toolscale.reference.ecommerce.functions._shared import GIFT_WRAP_FEE
from toolscale.reference.ecommerce.functions.returns import REASONS as RETURN_REASONS
from toolscale.reference.ids import Ids
from toolscale.reference.moments import day
from toolscale.reference.sums import rounded

Record = dict[str, Any]


class Ledger:
    """Writes orders for the customers in turn, and remembers them for what follows."""

    def __init__(
        self, rng: Random, ids: Ids, products: dict[str, Record], variants: dict[str, Record],
        customers: dict[str, Record], addresses: dict[str, Record], vouchers: dict[str, Record],
    ) -> None:  # fmt: skip
        self._rng, self._ids = rng, ids
        self._products, self._variants = products, variants
        self._customers, self._addresses, self._vouchers = customers, addresses, vouchers
        self.known: dict[str, Record] = {}
        self.lines: dict[str, Record] = {}
        self.shipments: dict[str, Record] = {}
        self._used: set[str] = set()
        supplies = [each for each in variants.values() if products[each["product_id"]]["subscribable"]]
        self._choice = [*variants.values(), *supplies]
        """Variants as often as they are bought: supplies twice as often as the rest."""

    def orders(self, statuses: tuple[str, ...]) -> Database:
        """Two or three orders a customer, of the statuses in turn."""
        before = set(self.known) | set(self.lines) | set(self.shipments)
        turn = 0
        for customer in self._customers.values():
            for _ in range(self._rng.choice((2, 2, 3))):
                self._order(customer, statuses[turn % len(statuses)])
                turn += 1
        tables = {"orders": self.known, "order_lines": self.lines, "shipments": self.shipments}
        return {
            name: {key: each for key, each in records.items() if key not in before} for name, records in tables.items()
        }

    def _order(self, customer: Record, status: str) -> None:
        rng, key, delivery = self._rng, self._ids.hex("OR"), self._rng.choice(("standard", "standard", "express"))
        zone = _zone(customer["country"])
        if zone["express_fee"] is None:
            delivery = "standard"
        days = zone[f"{delivery}_days"]
        placed = self._placed_on(status, days)
        lines = self._lines_of(key, customer, placed)
        goods = rounded(sum(each["unit_price"] * each["quantity"] for each in lines))
        voucher = self._voucher_of(customer, goods) if status == "delivered" and rng.random() < 0.3 else None
        discount = _discount(voucher, goods)
        fee = zone["express_fee"] if delivery == "express" else 0.0 if goods >= zone["free_from"] else (
            zone["standard_fee"])  # fmt: skip
        wrap = rng.choice(("forest green", "midnight blue")) if rng.random() < 0.12 else None
        expected = _later(placed, days + 1)
        own = [each for each in self._addresses.values() if each["customer_id"] == customer["customer_id"]]
        self.known[key] = {
            "order_id": key, "customer_id": customer["customer_id"], "address_id": rng.choice(own)["address_id"],
            "status": status, "placed_on": placed, "delivery": delivery, "expected_on": expected,
            "delivered_on": _later(expected, rng.choice((0, 0, 1, 2))) if status == "delivered" else None,
            "shipping_fee": fee, "gift_wrap": wrap, "voucher_code": voucher and voucher["voucher_code"],
            "discount": discount,
            "total": rounded(goods - discount + fee + (GIFT_WRAP_FEE if wrap else 0)),
            "payment": rng.choice(("card", "card", "invoice")) if goods < 400 else "card",
            "cancel_reason": rng.choice(CANCEL_REASONS) if status == "cancelled" else None,
            "refund_to": rng.choice(("original payment", "store credit")) if status == "cancelled" else None,
        }  # fmt: skip
        if status in ("shipped", "delivered"):
            self._ship(self.known[key])

    def _placed_on(self, status: str, days: int) -> str:
        """Recent where the order is under way; of finished ones some recent, some old, some very old."""
        rng = self._rng
        if status in ("placed", "packed"):
            return day(-rng.randint(0, 1))
        if status == "shipped":
            overdue = rng.random() < 0.55
            return day(-days - 1 - rng.randint(9, 14)) if overdue else day(-rng.randint(1, days + 2))
        first, last = rng.choice(
            ((days + 4, days + 6), (10, 13), (10, 13), (16, 24), (40, 200), (200, 390), (760, 1000), (1180, 1330))
        )
        return day(-max(rng.randint(first, last), days + 4))

    def _lines_of(self, order_id: str, customer: Record, placed: str) -> list[Record]:
        rng, found = self._rng, []
        met: set[str] = set()
        recent = placed >= day(-14)
        wanted = rng.choice((1, 2, 2, 2, 3))
        while len(met) < wanted:
            variant = rng.choice(self._choice)
            if variant["product_id"] in met:
                continue
            met.add(variant["product_id"])
            key = self._ids.hex("OL")
            dearer = recent and rng.random() < 0.5
            factor = rng.choice((1.06, 1.1, 1.15, 1.2)) if dearer else 1.0 if recent else rng.choice((1, 0.95, 1.05))
            line = {
                "line_id": key, "order_id": order_id, "customer_id": customer["customer_id"], "sku": variant["sku"],
                "quantity": rng.choice((1, 1, 1, 2, 3)), "unit_price": rounded(variant["price"] * factor),
                "adjusted": 0.0, "adjusted_to": None,
            }  # fmt: skip
            self.lines[key] = line
            found.append(line)
        return found

    def _voucher_of(self, customer: Record, goods: float) -> Record | None:
        """The customer's used voucher, for one order only."""
        for key, voucher in self._vouchers.items():
            own = voucher["customer_id"] == customer["customer_id"] and voucher["status"] == "used"
            if own and key not in self._used and goods >= voucher["minimum_spend"]:
                self._used.add(key)
                return voucher
        return None

    def _ship(self, order: Record) -> None:
        key, carrier = self._ids.hex("SH"), self._rng.choice(sorted(CARRIERS))
        late = order["status"] == "shipped" and order["expected_on"] < day(0)
        status = "delivered" if order["status"] == "delivered" else "delayed" if late else "in transit"
        self.shipments[key] = {
            "shipment_id": key, "order_id": order["order_id"], "customer_id": order["customer_id"],
            "carrier": carrier, "tracking": f"{CARRIERS[carrier]}{self._rng.randrange(10**8, 10**9)}",
            "status": status, "expected_on": order["expected_on"], "point_id": None, "settled_by": None,
        }  # fmt: skip

    def aftermath(self) -> Database:
        """Returns, warranty claims and complaints of some delivered orders."""
        returns: dict[str, Record] = {}
        claims: dict[str, Record] = {}
        complaints: dict[str, Record] = {}
        for line in self.lines.values():
            order = self.known[line["order_id"]]
            if order["status"] != "delivered":
                continue
            product = self._products[self._variants[line["sku"]]["product_id"]]
            chance = self._rng.random()
            if chance < 0.42 and product["return_days"] and order["delivered_on"] <= day(-1):
                self._return(line, order, product, returns)
            elif chance > 0.75 and product["warranty_months"] and order["delivered_on"] < day(-60):
                key = self._ids.hex("WC")
                claims[key] = {
                    "claim_id": key, "order_id": order["order_id"], "customer_id": order["customer_id"],
                    "sku": line["sku"], "fault": self._rng.choice(FAULTS[product["name"]]),
                    "remedy": self._rng.choice(("repair", "replacement")), "status": "settled",
                    "filed_on": _later(order["delivered_on"], 45),
                }  # fmt: skip
        for order in self.known.values():
            if order["status"] == "delivered" and self._rng.random() < 0.12:
                key, filed = self._ids.hex("CM"), _later(order["delivered_on"], 2)
                complaints[key] = {
                    "complaint_id": key, "order_id": order["order_id"], "customer_id": order["customer_id"],
                    "topic": self._rng.choice(TOPICS), "wish": self._rng.choice(("call back", "written answer")),
                    "answer_by": _later(filed, 5), "status": "closed" if _later(filed, 5) < day(0) else "open",
                }  # fmt: skip
        return {"returns": returns, "warranty_claims": claims, "complaints": complaints}

    def _return(self, line: Record, order: Record, product: Record, returns: dict[str, Record]) -> None:
        key, rng = self._ids.hex("RT"), self._rng
        announced = _later(order["delivered_on"], 1)
        status = "announced" if announced >= day(-21) else rng.choice(("received", "settled", "settled"))
        fitting = product["category"] == "clothing"
        reason = rng.choice(RETURN_REASONS if fitting else RETURN_REASONS[2:])
        resolution = rng.choice(("original payment", "store credit"))
        plus = self._customers[order["customer_id"]]["tier"] == "plus"
        free = plus or resolution == "store credit" or reason in ("not as described", "arrived faulty")
        goods = rounded(line["unit_price"])
        returns[key] = {
            "return_id": key, "order_id": order["order_id"], "customer_id": order["customer_id"], "sku": line["sku"],
            "quantity": 1, "reason": reason, "resolution": resolution, "new_sku": None,
            "amount": rounded(max(goods - (0 if free else 4.9), 0)), "fee": 0.0 if free else 4.9, "status": status,
            "announced_on": announced,
        }  # fmt: skip


def _zone(country: str) -> Record:
    return record_of(SHIPS_TO[country])


def _discount(voucher: Record | None, goods: float) -> float:
    if voucher is None:
        return 0.0
    return rounded(goods * voucher["value"] / 100) if voucher["kind"] == "percent" else float(voucher["value"])


def _later(iso_day: str, days: int) -> str:
    return (date.fromisoformat(iso_day) + timedelta(days=days)).isoformat()
