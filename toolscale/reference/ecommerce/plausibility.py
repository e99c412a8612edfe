"""What is unnatural in a set of the shop's entries, and how to make one of them so."""

from collections.abc import Iterator
from pathlib import Path

from toolscale.reference.ecommerce.schema import SCHEMA
from toolscale.reference.plausibility import Entries, Plausibility
from toolscale.reference.program import Record


def _product(product: Record, entries: Entries) -> Iterator[str]:
    if len(set(product["options"])) < len(product["options"]):
        yield "an option twice"


def _customer(customer: Record, entries: Entries) -> Iterator[str]:
    if customer["store_credit"] > 5000 or customer["points"] > 100_000:
        yield f"{customer['store_credit']} EUR of store credit, {customer['points']} points"
    own = [each for each in entries.get("addresses", {}).values() if each["customer_id"] == customer["customer_id"]]
    if own and customer["default_address"] not in {each["label"] for each in own}:
        yield "the default address does not exist"


def _address(address: Record, entries: Entries) -> Iterator[str]:
    if not any(letter.isdigit() for letter in address["street"]):
        yield f"a street without a house number: {address['street']}"


def _voucher(voucher: Record, entries: Entries) -> Iterator[str]:
    if voucher["value"] > (60 if voucher["kind"] == "percent" else 200):
        yield f"a voucher of {voucher['value']} ({voucher['kind']})"


def _order(order: Record, entries: Entries) -> Iterator[str]:
    lines = entries.get("order_lines", {}).values()
    goods = sum(each["unit_price"] * each["quantity"] for each in lines if each["order_id"] == order["order_id"])
    wrap = 3.5 if order["gift_wrap"] else 0.0
    if goods and abs(goods - order["discount"] + order["shipping_fee"] + wrap - order["total"]) > 0.011:
        yield f"{goods:.2f} EUR of goods do not come to {order['total']}"


def _order_line(line: Record, entries: Entries) -> Iterator[str]:
    if line["adjusted"] > line["unit_price"] * line["quantity"]:
        yield f"{line['adjusted']} paid back for what cost {line['unit_price']}"


_PLAUSIBILITY = Plausibility(
    SCHEMA,
    Path(__file__).with_name("plausible.yaml"),
    {
        "products": _product,
        "customers": _customer,
        "addresses": _address,
        "vouchers": _voucher,
        "orders": _order,
        "order_lines": _order_line,
    },
    by_table=True,
)
implausible, blemish = _PLAUSIBILITY.implausible, _PLAUSIBILITY.blemish
