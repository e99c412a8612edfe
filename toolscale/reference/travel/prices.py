"""What flights, stays, tours and insurance cost, as the world's records must show it. All sums are in EUR."""

from collections.abc import Mapping
from typing import Any

from toolscale.reference.sums import rounded
from toolscale.reference.travel.functions._lodging import SAVER_SHARE

Record = Mapping[str, Any]


def flight_price(flight: Record, carrier: Record, fare: Record, cabin: str, travellers: int, extra_bags: int) -> float:
    """Tickets of a party with its extra bags."""
    factor = carrier["business_factor"] if cabin == "business" else 1.0
    each = rounded(flight["base_price"] * fare["price_factor"] * factor)
    return rounded(each * travellers + carrier["bag_fee"] * extra_bags)


def stay_price(hotel: Record, room: Record, nights: int, guests: int, rate: str, board: str) -> float:
    """A room for so many nights with the meals of all guests."""
    share = SAVER_SHARE if rate == "saver" else 1.0
    meals = 0.0 if board == "room_only" else hotel[board]
    return rounded(rounded(room["rate"] * share) * nights + meals * guests * nights)


def premium(product: Record, trip_price: float, days: int) -> float:
    """An insurance's premium for a trip of so many days."""
    return rounded(trip_price * product["percent_of_trip"] / 100 + product["day_rate"] * days)


def compensation(distance_km: int, delay_minutes: int) -> float:
    """What a passenger is due for a late arrival: Regulation (EC) No 261/2004, Article 7."""
    if delay_minutes < 180:
        return 0.0
    if distance_km <= 1500:
        return 250.0
    if distance_km <= 3500:
        return 400.0
    return 300.0 if delay_minutes < 240 else 600.0
