"""Hotel rooms and stays: finding them and looking them up."""

from typing import Any, Literal

from ._lodging import _free, _free_until, _nights, _price, _stay_refund
from ._shared import Database, _day, _find


def search_rooms(
    db: Database,
    destination_code: str,
    check_in: str,
    check_out: str,
    guests: int,
    rate: Literal["flexible", "saver"] = "flexible",
) -> list[dict[str, Any]]:
    """Rooms at a destination that are free for the whole stay and sleep everybody, with the price of the stay without
    meals; the cheapest first.

    destination_code: from find_destination.
    check_in: day of arrival, YYYY-MM-DD.
    check_out: day of departure, YYYY-MM-DD.
    guests: number of people in the room, 1 to 4.
    rate: flexible can be cancelled; saver is 12% cheaper and can be neither changed nor cancelled.
    """
    _find(db, "destinations", destination_code, "destination")
    nights = _nights(check_in, check_out)
    if not 1 <= guests <= 4:
        raise ValueError("a room is for 1 to 4 guests")
    found = []
    for room in db["rooms"].values():
        hotel = db["hotels"][room["hotel_id"]]
        fits = hotel["destination_code"] == destination_code and room["sleeps"] >= guests
        if fits and _free(db, room, check_in, check_out) > 0:
            shown = ("hotel_id", "name", "district", "stars", "rating", "centre_km", "amenities", "breakfast")
            found.append(
                {
                    **{field: hotel[field] for field in (*shown, "half_board", "free_cancellation_days")},
                    "room_id": room["room_id"],
                    "kind": room["kind"],
                    "total": _price(db, room, nights, guests, rate, "room_only"),
                }
            )
    return sorted(found, key=lambda each: (each["total"], each["room_id"]))


def list_stays(
    db: Database, traveller_id: str, status: Literal["confirmed", "cancelled", "completed"] = "confirmed"
) -> list[dict[str, Any]]:
    """A traveller's hotel stays of one status, in order of arrival.

    traveller_id: whose stays.
    status: which stays.
    """
    _find(db, "travellers", traveller_id, "traveller")
    found = []
    for stay in db["stays"].values():
        if (stay["traveller_id"], stay["status"]) == (traveller_id, status):
            hotel = db["hotels"][db["rooms"][stay["room_id"]]["hotel_id"]]
            place = db["destinations"][hotel["destination_code"]]["city"]
            times = {"check_in": stay["check_in"], "check_out": stay["check_out"]}
            found.append({"stay_id": stay["stay_id"], "hotel": hotel["name"], "city": place, **times})
    return sorted(found, key=lambda each: (each["check_in"], each["stay_id"]))


def get_stay(db: Database, stay_id: str) -> dict[str, Any]:
    """A hotel stay in full: the hotel and its conditions, the city tax to be paid there, and what a cancellation would
    bring back now.

    stay_id: such as HS-4F82A1.
    """
    stay = _find(db, "stays", stay_id, "stay")
    room = db["rooms"][stay["room_id"]]
    hotel = db["hotels"][room["hotel_id"]]
    nights = (_day(stay["check_out"]) - _day(stay["check_in"])).days
    return {
        **stay,
        "hotel_id": hotel["hotel_id"],
        "hotel": hotel["name"],
        "destination_code": hotel["destination_code"],
        "district": hotel["district"],
        "kind": room["kind"],
        "nights": nights,
        "check_in_from": hotel["check_in_from"],
        "breakfast": hotel["breakfast"],
        "half_board": hotel["half_board"],
        "city_tax_total": round(hotel["city_tax"] * stay["guests"] * nights, 2),
        "free_cancellation_until": _free_until(db, stay).isoformat() if stay["rate"] == "flexible" else None,
        "refund_now": _stay_refund(db, stay) if stay["status"] == "confirmed" else 0.0,
    }
