"""The shop's world: entries of ten subjects, consistent with each other, from a seed."""

from collections.abc import Mapping
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.catalogues import table_of
from toolscale.reference.ecommerce.catalogue import CATEGORIES, POINT_NAMES, PRODUCTS, SHIPS_TO, TITLES
from toolscale.reference.ecommerce.purchases import Ledger
from toolscale.reference.ids import Ids
from toolscale.reference.moments import day, some_day
from toolscale.reference.people import People
from toolscale.reference.places import City, city, street_address
from toolscale.reference.sums import rounded

Record = dict[str, Any]

_CUSTOMERS = 27


def world(seed: int) -> dict[str, Database]:
    """Subject -> table -> key -> record, in an order in which every reference points backwards.

    The same seed gives the same world. About 1,150 entries around the present, Monday 23 November 2026.
    """
    rng = Random(f"ecommerce {seed}")
    ids, homes = Ids(rng), {code: city(rng, code) for code in SHIPS_TO}
    products, variants = _range(rng, ids)
    indoors = {key for key, each in products.items() if each["category"] in ("kitchen", "home", "electronics")}
    customers = _customers(seed, rng)
    addresses = _addresses(rng, ids, customers, homes)
    vouchers = _vouchers(rng, ids, customers)
    ledger = Ledger(rng, ids, products, variants, customers, addresses, vouchers)
    return {
        "delivery zones and pickup points": {
            "zones": table_of(SHIPS_TO.values()), "pickup_points": _points(rng, ids, homes)
        },
        "kitchen, home and electronics range": _part(products, variants, indoors),
        "outdoor, clothing, pantry and care range": _part(products, variants, products.keys() - indoors),
        "customers and their addresses": {"customers": customers, "addresses": addresses},
        "vouchers": {"vouchers": vouchers},
        "orders on their way": ledger.orders(("placed", "placed", "shipped", "shipped", "placed", "packed")),
        "finished orders": ledger.orders(("delivered", "delivered", "delivered", "delivered", "cancelled")),
        "returns, warranty claims and complaints": ledger.aftermath(),
        "carts and stock alerts": {**_carts(rng, ids, variants, customers), "stock_alerts": _alerts(
            rng, ids, variants, customers)},
        "subscriptions and reviews": {
            "subscriptions": _subscriptions(rng, ids, products, variants, customers),
            "reviews": _reviews(rng, ids, ledger, variants),
        },
    }  # fmt: skip


def _points(rng: Random, ids: Ids, homes: Mapping[str, City]) -> dict[str, Record]:
    """Two pickup points in each city where customers live; they open and close at different hours."""
    found = {}
    for country, place in homes.items():
        opening = rng.sample(("06:30", "07:00", "08:00", "09:00"), 2)
        closing = rng.sample(("18:30", "19:00", "20:00", "21:00", "22:00"), 2)
        for name, opens, closes in zip(rng.sample(POINT_NAMES, 2), opening, closing, strict=True):
            key = ids.digits("PP", 3)
            found[key] = {
                "point_id": key, "name": f"{name}, {place.name}", "street": street_address(rng, country),
                "city": place.name, "country": country, "opens": opens, "closes": closes,
            }  # fmt: skip
    return found


def _range(rng: Random, ids: Ids) -> tuple[dict[str, Record], dict[str, Record]]:
    products: dict[str, Record] = {}
    variants: dict[str, Record] = {}
    for product in PRODUCTS:
        terms, key = CATEGORIES[product.category], ids.digits("PR", 4)
        products[key] = {
            "product_id": key, "name": product.name, "category": product.category, "options": list(product.options),
            "return_days": terms.return_days, "warranty_months": terms.warranty_months,
            "subscribable": terms.subscribable,
        }  # fmt: skip
        for number, option in enumerate(product.options):
            sku = ids.digits("SK")
            stock = 0 if number and rng.random() < 0.22 else rng.randint(12, 90)
            variants[sku] = {
                "sku": sku, "product_id": key, "option": option,
                "price": rounded(product.price + number * product.step), "stock": stock,
                "restock_on": None if stock else some_day(rng, 5, 40, weekdays="12345"),
            }  # fmt: skip
    return products, variants


def _part(products: dict[str, Record], variants: dict[str, Record], keys: Any) -> Database:
    return {
        "products": {key: each for key, each in products.items() if key in keys},
        "variants": {key: each for key, each in variants.items() if each["product_id"] in keys},
    }


def _customers(seed: int, rng: Random) -> dict[str, Record]:
    people, ids, found = People(seed, tuple(SHIPS_TO)), Ids(rng), {}
    for number in range(_CUSTOMERS):
        person, key = people.one(tuple(SHIPS_TO)[number % len(SHIPS_TO)]), ids.digits("CU")
        found[key] = {
            "customer_id": key, "name": person.name, "email": person.email, "phone": person.phone,
            "country": person.country, "tier": rng.choice(("standard", "standard", "plus")),
            "points": rng.randint(110, 4900), "store_credit": rounded(rng.uniform(6, 160)),
            "default_address": rng.choice(("home", "home", "work")),
        }  # fmt: skip
    return found


def _addresses(rng: Random, ids: Ids, customers: dict[str, Record], homes: Mapping[str, City]) -> dict[str, Record]:
    """Home and work for everybody, the parents' for some; each at another street."""
    found = {}
    for customer in customers.values():
        streets: set[str] = set()
        for label in ("home", "work", "parents")[: rng.choice((2, 2, 3))]:
            key, place = ids.hex("AD"), homes[customer["country"]]
            while (street := street_address(rng, customer["country"])) in streets:
                pass
            streets.add(street)
            found[key] = {
                "address_id": key, "customer_id": customer["customer_id"], "label": label, "street": street,
                "postcode": place.postcode, "city": place.name, "country": customer["country"],
            }  # fmt: skip
    return found


def _vouchers(rng: Random, ids: Ids, customers: dict[str, Record]) -> dict[str, Record]:
    """Two or three a customer: one that has been used, one with a high minimum, one that is easy to use."""
    found = {}
    for customer_id in customers:
        for status, minimum in (("used", 40.0), ("open", rng.choice((25.0, 30.0, 40.0))), ("open", 400.0)):
            if minimum == 400.0 and rng.random() < 0.35:
                continue
            key, kind = ids.hex("VO"), rng.choice(("percent", "amount"))
            found[key] = {
                "voucher_code": key, "customer_id": customer_id, "kind": kind,
                "value": rng.choice((10, 12, 15, 20)) if kind == "percent" else rng.choice((5, 8, 10, 12)),
                "minimum_spend": minimum, "status": status,
                "valid_until": some_day(rng, 8, 120) if status == "open" else some_day(rng, -50, 60),
            }  # fmt: skip
    return found


def _carts(
    rng: Random, ids: Ids, variants: dict[str, Record], customers: dict[str, Record]
) -> dict[str, dict[str, Record]]:
    carts, lines = {}, {}
    for customer_id in customers:
        cart_id = ids.hex("CA")
        carts[cart_id] = {"cart_id": cart_id, "customer_id": customer_id, "voucher_code": None}
        for sku in _of_different_products(rng, [each for each in variants.values() if each["stock"]], 2):
            key = ids.hex("CL")
            lines[key] = {
                "line_id": key, "cart_id": cart_id, "customer_id": customer_id, "sku": sku,
                "quantity": rng.choice((1, 1, 1, 2)),
            }  # fmt: skip
    return {"carts": carts, "cart_lines": lines}


def _of_different_products(rng: Random, variants: list[Record], count: int) -> list[str]:
    chosen = {each["product_id"]: each["sku"] for each in rng.sample(variants, count + 4)}
    return sorted(chosen.values())[:count]


def _alerts(rng: Random, ids: Ids, variants: dict[str, Record], customers: dict[str, Record]) -> dict[str, Record]:
    sold_out, found = [key for key, each in variants.items() if not each["stock"]], {}
    for customer_id in customers:
        for sku in rng.sample(sold_out, rng.choice((0, 1, 1, 2))):
            key = ids.hex("SA")
            found[key] = {
                "alert_id": key, "customer_id": customer_id, "sku": sku,
                "channel": rng.choice(("e-mail", "text message")), "set_on": some_day(rng, -30, -1),
            }  # fmt: skip
    return found


def _subscriptions(
    rng: Random, ids: Ids, products: dict[str, Record], variants: dict[str, Record], customers: dict[str, Record]
) -> dict[str, Record]:
    supplies = [each for each in variants.values() if products[each["product_id"]]["subscribable"]]
    found = {}
    for customer_id in customers:
        for sku in _of_different_products(rng, supplies, rng.choice((4, 4, 5))):
            key, status = ids.hex("SB"), rng.choice(("active", "active", "paused"))
            near = rng.random() < 0.4
            found[key] = {
                "subscription_id": key, "customer_id": customer_id, "sku": sku, "quantity": rng.randint(1, 4),
                "every_weeks": rng.choice((2, 3, 4, 6, 8)), "status": status,
                "next_on": (day(rng.randint(1, 2)) if near else some_day(rng, 5, 40)) if status == "active" else None,
            }  # fmt: skip
    return found


def _reviews(rng: Random, ids: Ids, ledger: Ledger, variants: dict[str, Record]) -> dict[str, Record]:
    """What some buyers wrote of what they bought, one a product and customer."""
    bought = {
        (line["customer_id"], variants[line["sku"]]["product_id"]): ledger.known[line["order_id"]]["delivered_on"]
        for line in ledger.lines.values()
        if ledger.known[line["order_id"]]["status"] == "delivered"
    }
    found = {}
    for (customer_id, product_id), delivered in sorted(bought.items()):
        if delivered < day(-4) and rng.random() < 0.6:
            key, stars = ids.hex("RV"), rng.choice((1, 2, 3, 4, 4, 5, 5))
            found[key] = {
                "review_id": key, "product_id": product_id, "customer_id": customer_id, "stars": stars,
                "title": rng.choice(TITLES[stars]), "written_on": max(delivered, some_day(rng, -3, -1)),
            }  # fmt: skip
    return found
