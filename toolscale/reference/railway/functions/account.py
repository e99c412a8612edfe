"""A passenger's account: rail cards, points and vouchers."""

from datetime import date, datetime, timedelta
from typing import Any

from ._shared import POINTS_A_EURO, Database, _day, _find, _issue_voucher, _new_key

WRITES = {"buy_rail_card", "set_card_renewal", "convert_points"}

LEAST_POINTS = 500


def _card_obstacle(db: Database, passenger: dict[str, Any], product: dict[str, Any]) -> str:
    born, today = date.fromisoformat(passenger["birth_date"]), datetime.now().date()
    age = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    if not product["minimum_age"] <= age <= product["maximum_age"]:
        return f"{product['name']} is for ages {product['minimum_age']} to {product['maximum_age']}"
    for card in db["cards"].values():
        same = (card["passenger_id"], card["product_id"]) == (passenger["passenger_id"], product["product_id"])
        if same and card["valid_until"] >= today.isoformat():
            return f"the passenger already holds a {product['name']} until {card['valid_until']}"
    return ""


def get_passenger(db: Database, passenger_id: str) -> dict[str, Any]:
    """A passenger's account: home station, tier, points, rail cards and open vouchers.

    passenger_id: such as PX-10234.
    """
    passenger = _find(db, "passengers", passenger_id, "passenger")
    cards = [
        {**card, "name": db["card_products"][card["product_id"]]["name"]}
        for card in db["cards"].values()
        if card["passenger_id"] == passenger_id
    ]
    vouchers = [
        dict(voucher)
        for voucher in db["vouchers"].values()
        if voucher["passenger_id"] == passenger_id and voucher["status"] == "open"
    ]
    return {
        **passenger,
        "home_station_name": db["stations"][passenger["home_station"]]["name"],
        "cards": cards,
        "open_vouchers": vouchers,
    }


def list_card_products(db: Database, passenger_id: str) -> list[dict[str, Any]]:
    """Rail cards that a passenger may buy now: of the right age, and not already held.

    passenger_id: who would hold the card.
    """
    passenger = _find(db, "passengers", passenger_id, "passenger")
    return [dict(each) for each in db["card_products"].values() if not _card_obstacle(db, passenger, each)]


def buy_rail_card(db: Database, passenger_id: str, product_id: str, valid_from: str) -> dict[str, Any]:
    """Sell a passenger a rail card, charged to the card on file. It renews itself until that is switched off.

    passenger_id: who will hold the card.
    product_id: from list_card_products.
    valid_from: first day of validity, YYYY-MM-DD: today or within the next 60 days.
    """
    passenger = _find(db, "passengers", passenger_id, "passenger")
    product = _find(db, "card_products", product_id, "card product")
    start, today = date.fromisoformat(_day(valid_from)), datetime.now().date()
    if not 0 <= (start - today).days <= 60:
        raise ValueError("a card can start today or within the next 60 days")
    obstacle = _card_obstacle(db, passenger, product)
    if obstacle:
        raise ValueError(obstacle)
    days = 365 if product["months"] == 12 else 30 * product["months"]
    key = _new_key("RC")
    db["cards"][key] = {
        "card_id": key,
        "passenger_id": passenger_id,
        "product_id": product_id,
        "valid_from": valid_from,
        "valid_until": (start + timedelta(days=days - 1)).isoformat(),
        "auto_renew": True,
    }
    return {**db["cards"][key], "price": product["price"]}


def set_card_renewal(db: Database, card_id: str, auto_renew: bool) -> dict[str, Any]:
    """Switch the automatic renewal of a rail card on or off, at the latest seven days before it runs out.

    card_id: such as RC-48B213.
    auto_renew: whether it shall renew itself.
    """
    card = _find(db, "cards", card_id, "rail card")
    if card["auto_renew"] == auto_renew:
        raise ValueError(f"automatic renewal of {card_id} is {'on' if auto_renew else 'off'} already")
    if date.fromisoformat(card["valid_until"]) - datetime.now().date() < timedelta(days=7):
        raise ValueError(f"{card_id} runs out on {card['valid_until']}; it is too late to change its renewal")
    card["auto_renew"] = auto_renew
    return {**card, "name": db["card_products"][card["product_id"]]["name"]}


def convert_points(db: Database, passenger_id: str, points: int) -> dict[str, Any]:
    """Turn a passenger's points into a voucher: at least 500 points, each worth a cent.

    passenger_id: whose points.
    points: how many.
    """
    passenger = _find(db, "passengers", passenger_id, "passenger")
    if points < LEAST_POINTS:
        raise ValueError(f"at least {LEAST_POINTS} points are converted")
    if points > passenger["points"]:
        raise ValueError(f"the passenger has only {passenger['points']} points")
    passenger["points"] -= points
    voucher = _issue_voucher(db, passenger_id, round(points / POINTS_A_EURO, 2))
    return {**db["vouchers"][voucher], "points_left": passenger["points"]}
