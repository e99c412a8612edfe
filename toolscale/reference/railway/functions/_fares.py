"""What a ticket costs, until when it is sold, and which seats it counts against."""

from typing import Any

from ._shared import Database, _leg, _now, _shift

BASE_PRICE = 7.90


def _fare_key(fare: str, travel_class: str) -> str:
    if fare not in ("saver", "standard", "flex") or travel_class not in ("second", "first"):
        raise ValueError("fare must be saver, standard or flex, and travel_class second or first")
    return f"FR-{fare.upper()}-{2 if travel_class == 'second' else 1}"


def _seats_field(fare: dict[str, Any]) -> str:
    return f"seats_{fare['travel_class']}"


def _price(service: dict[str, Any], fare: dict[str, Any], begin: int, end: int) -> float:
    kilometres = service["kilometres"][end] - service["kilometres"][begin]
    return float(round((BASE_PRICE + kilometres * service["rate_per_km"]) * fare["price_factor"], 2))


def _party_price(each: float, travellers: int, discount: int) -> float:
    return round(each * (travellers - 1) + round(each * (100 - discount) / 100, 2), 2)


def _discount(db: Database, passenger_id: str, travel_class: str, day: str) -> int:
    best = 0
    for card in db["cards"].values():
        if card["passenger_id"] == passenger_id and card["valid_from"] <= day <= card["valid_until"]:
            product = db["card_products"][card["product_id"]]
            if travel_class == "second" or product["travel_class"] == "first":
                best = max(best, product["discount_percent"])
    return best


def _on_sale(service: dict[str, Any], fare: dict[str, Any], departure: str) -> bool:
    closes = _shift(departure, -60 * fare["sale_closes_hours"])
    return service["status"] in ("scheduled", "delayed") and closes > _now()


def _upgrade_price(db: Database, booking: dict[str, Any], service: dict[str, Any]) -> float | None:
    now = db["fares"][booking["fare_id"]]
    if now["travel_class"] == "first" or now["fare"] == "saver":
        return None
    first = db["fares"][_fare_key(now["fare"], "first")]
    leg = _leg(service, booking["origin"], booking["destination"])
    travellers, discount = booking["travellers"], booking["discount_percent"]
    dearer = _party_price(_price(service, first, *leg), travellers, discount)
    return round(dearer - _party_price(_price(service, now, *leg), travellers, discount), 2)
