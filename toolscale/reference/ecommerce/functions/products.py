"""What the shop sells: search, details, reviews, and alerts for what is sold out."""

from typing import Any, Literal

from ._shared import Database, Record, _find, _named, _new_key, _own, _today, _written

WRITES = {"write_review", "revise_review", "set_stock_alert", "remove_stock_alert"}


def search_products(
    db: Database,
    words: str = "",
    category: Literal["kitchen", "home", "outdoor", "clothing", "electronics", "pantry", "care"] | None = None,
) -> list[dict[str, Any]]:
    """Products whose name contains the words, of a category if one is given. Details and sku numbers: get_product.

    words: a part of the product's name; empty for all of a category.
    category: only products of this category.
    """
    if not words.strip() and category is None:
        raise ValueError("give words of the name, or a category")
    found = [
        {"product_id": each["product_id"], "name": each["name"], "category": each["category"]}
        for each in db["products"].values()
        if words.strip().lower() in each["name"].lower() and category in (None, each["category"])
    ]
    if not found:
        raise ValueError(f"nothing is called {words!r}; try fewer words or another category")
    return found


def get_product(db: Database, product_id: str) -> dict[str, Any]:
    """A product: terms, average rating, and its options with sku, price in EUR and stock.

    product_id: such as PR-4821.
    """
    product = _find(db, "products", product_id)
    stars = [each["stars"] for each in db["reviews"].values() if each["product_id"] == product_id]
    variants = [dict(each) for each in db["variants"].values() if each["product_id"] == product_id]
    return {**product, "reviews": len(stars), "rating": _average(stars), "variants": variants}


def _average(stars: list[int]) -> float | None:
    return round(sum(stars) / len(stars), 1) if stars else None


def list_reviews(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """What a customer has written.

    customer_id: whose.
    """
    return [
        {**each, "product": db["products"][each["product_id"]]["name"]} for each in _own(db, "reviews", customer_id)
    ]


def write_review(db: Database, customer_id: str, product_id: str, stars: int, title: str) -> dict[str, Any]:
    """Publish a review: one a product, by customers to whom it was delivered.

    customer_id: who writes.
    product_id: of what.
    stars: 1 to 5.
    title: the headline, up to 60 characters, as the customer words it.
    """
    product = _find(db, "products", product_id)
    _checked_words(stars, title)
    if any(each["product_id"] == product_id for each in _own(db, "reviews", customer_id)):
        raise ValueError(f"{customer_id} has reviewed {product['name']} already; revise_review changes it")
    if not _was_delivered(db, customer_id, product_id):
        raise ValueError(f"{product['name']} was never delivered to {customer_id}; only buyers write reviews")
    key = _new_key("RV")
    db["reviews"][key] = {
        "review_id": key,
        "product_id": product_id,
        "customer_id": customer_id,
        "stars": stars,
        "title": title,
        "written_on": _today().isoformat(),
    }
    return {**db["reviews"][key], "product": product["name"], "rating_now": _rating(db, product_id)}


def _was_delivered(db: Database, customer_id: str, product_id: str) -> bool:
    return any(
        db["orders"][line["order_id"]]["status"] == "delivered"
        and db["variants"][line["sku"]]["product_id"] == product_id
        for line in _own(db, "order_lines", customer_id)
    )


def _rating(db: Database, product_id: str) -> float | None:
    return _average([each["stars"] for each in db["reviews"].values() if each["product_id"] == product_id])


def _checked_words(stars: int, title: str) -> None:
    if not 1 <= stars <= 5:
        raise ValueError("a review has 1 to 5 stars")
    if not 3 <= len(title.strip()) <= 60:
        raise ValueError("the title must have 3 to 60 characters")


def revise_review(db: Database, review_id: str, stars: int, title: str) -> dict[str, Any]:
    """Change the stars and the headline of a review.

    review_id: which, from list_reviews.
    stars: 1 to 5, other than before.
    title: the new headline, as the customer words it.
    """
    review = _find(db, "reviews", review_id)
    _checked_words(stars, title)
    if stars == review["stars"]:
        raise ValueError(f"{review_id} has {stars} stars already")
    review.update(stars=stars, title=title, written_on=_today().isoformat())
    return {**review, "rating_now": _rating(db, review["product_id"])}


def list_stock_alerts(db: Database, customer_id: str) -> list[dict[str, Any]]:
    """The sold-out variants that a customer waits for, with the day on which they should be back.

    customer_id: whose.
    """
    return [_alert(db, each) for each in _own(db, "stock_alerts", customer_id)]


def _alert(db: Database, alert: Record) -> Record:
    return {**alert, **_named(db, alert["sku"]), "restock_on": db["variants"][alert["sku"]]["restock_on"]}


def set_stock_alert(
    db: Database, customer_id: str, sku: str, channel: Literal["e-mail", "text message"]
) -> dict[str, Any]:
    """Tell a customer when a sold-out variant is back; one alert a variant.

    customer_id: who waits.
    sku: a variant that is sold out.
    channel: how to tell them.
    """
    _written(channel, ("e-mail", "text message"), "channel")
    variant = _find(db, "variants", sku)
    if variant["stock"] > 0:
        raise ValueError(f"{sku} is in stock ({variant['stock']} left): put it into the cart instead")
    if any(each["sku"] == sku for each in _own(db, "stock_alerts", customer_id)):
        raise ValueError(f"{customer_id} has an alert for {sku} already")
    key = _new_key("SA")
    db["stock_alerts"][key] = {
        "alert_id": key,
        "customer_id": customer_id,
        "sku": sku,
        "channel": channel,
        "set_on": _today().isoformat(),
    }
    return _alert(db, db["stock_alerts"][key])


def remove_stock_alert(db: Database, alert_id: str) -> dict[str, Any]:
    """Stop waiting for a variant.

    alert_id: which, from list_stock_alerts.
    """
    if alert_id not in db["stock_alerts"]:
        raise ValueError(f"there is no alert {alert_id}")
    return _alert(db, db["stock_alerts"].pop(alert_id))
