"""What goes with a journey: seats, assistance at the station, and lounge visits."""

from typing import Any, Literal

from ._shared import Database, _departure, _find, _minutes, _new_key, _now, _shift, _upcoming

WRITES = {"reserve_seat", "request_assistance", "book_lounge"}


def find_free_seats(
    db: Database,
    booking_id: str,
    position: Literal["window", "aisle"],
    zone: Literal["standard", "quiet", "family"] = "standard",
) -> list[dict[str, Any]]:
    """Seats that are still free on a booking's train, in its class: at most eight a coach, by coach and seat number.

    booking_id: a confirmed booking.
    position: at the window or on the aisle.
    zone: part of the train.
    """
    if position not in ("window", "aisle") or zone not in ("standard", "quiet", "family"):
        raise ValueError("position must be window or aisle, and zone standard, quiet or family")
    booking, service = _upcoming(db, booking_id)
    wanted = db["fares"][booking["fare_id"]]["travel_class"]
    taken = [
        (each["coach"], each["seat"])
        for each in db["reservations"].values()
        if each["service_id"] == service["service_id"]
    ]
    found = []
    for coach in db["trainsets"][service["trainset_id"]]["coaches"]:
        if (coach["travel_class"], coach["zone"]) == (wanted, zone):
            free = [seat for seat in coach[f"{position}_seats"] if (coach["number"], seat) not in taken]
            found += [{"coach": coach["number"], "seat": seat} for seat in free[:8]]
    if not found:
        raise ValueError(f"no free {position} seat in the {zone} zone; try another zone or position")
    return found


def reserve_seat(db: Database, booking_id: str, coach: int, seat: int) -> dict[str, Any]:
    """Reserve one seat for a confirmed booking, free of charge; one for each traveller at most.

    booking_id: a confirmed booking.
    coach: number of a coach in the booking's class.
    seat: number of a free seat in it.
    """
    booking, service = _upcoming(db, booking_id)
    wanted = db["fares"][booking["fare_id"]]["travel_class"]
    coaches = {each["number"]: each for each in db["trainsets"][service["trainset_id"]]["coaches"]}
    if coach not in coaches or coaches[coach]["travel_class"] != wanted:
        raise ValueError(f"coach {coach} is no {wanted} class coach of this train")
    if seat not in coaches[coach]["window_seats"] + coaches[coach]["aisle_seats"]:
        raise ValueError(f"coach {coach} has no seat {seat}")
    held = [each for each in db["reservations"].values() if each["booking_id"] == booking_id]
    if len(held) >= booking["travellers"]:
        raise ValueError("every traveller of this booking has a seat already")
    for each in db["reservations"].values():
        if (each["service_id"], each["coach"], each["seat"]) == (service["service_id"], coach, seat):
            raise ValueError(f"seat {seat} in coach {coach} is taken")
    key = _new_key("SR")
    db["reservations"][key] = {
        "reservation_id": key,
        "passenger_id": booking["passenger_id"],
        "booking_id": booking_id,
        "service_id": service["service_id"],
        "coach": coach,
        "seat": seat,
    }
    return dict(db["reservations"][key])


def request_assistance(
    db: Database,
    booking_id: str,
    station_code: str,
    kind: Literal["wheelchair_ramp", "boarding_guide", "guide_for_blind_passenger", "luggage_help"],
) -> dict[str, Any]:
    """Order assistance at the first or last station of a booking: 30 minutes before departure, or at arrival. Stations
    want notice, and staff their assistance desk at certain hours.

    booking_id: a confirmed booking.
    station_code: where to meet: origin or destination of the booking.
    kind: what help is needed.
    """
    booking, service = _upcoming(db, booking_id)
    if station_code not in (booking["origin"], booking["destination"]):
        raise ValueError(f"assistance is at {booking['origin']} or {booking['destination']} for this booking")
    if kind not in ("wheelchair_ramp", "boarding_guide", "guide_for_blind_passenger", "luggage_help"):
        raise ValueError(f"there is no assistance of the kind {kind!r}")
    station = db["stations"][station_code]
    at = service["stops"].index(station_code)
    departs = station_code == booking["origin"]
    meet = _shift(service["departures"][at], -30) if departs else service["arrivals"][at]
    if not station["assistance_from"] <= meet[11:] <= station["assistance_until"]:
        hours = f"{station['assistance_from']} to {station['assistance_until']}"
        raise ValueError(f"{station['name']} gives assistance from {hours}, not at {meet[11:]}")
    if _minutes(_now(), meet) < 60 * station["assistance_notice_hours"]:
        raise ValueError(f"{station['name']} wants {station['assistance_notice_hours']} hours of notice")
    for each in db["assistance"].values():
        if (each["booking_id"], each["station_code"], each["kind"]) == (booking_id, station_code, kind):
            raise ValueError(f"that assistance is ordered already: {each['assistance_id']}")
    key = _new_key("AS")
    db["assistance"][key] = {
        "assistance_id": key,
        "passenger_id": booking["passenger_id"],
        "booking_id": booking_id,
        "station_code": station_code,
        "kind": kind,
        "meet_at": meet,
    }
    return dict(db["assistance"][key])


def book_lounge(db: Database, booking_id: str, lounge_id: str, minutes_before: int) -> dict[str, Any]:
    """Book a lounge visit at the station and on the day of departure. Free for gold passengers and first class flex,
    else at the lounge's fee. Each traveller of the booking may have one visit.

    booking_id: a confirmed booking.
    lounge_id: a lounge of the booking's origin, from find_station.
    minutes_before: how long before departure the passenger comes, up to three hours and while the lounge is open.
    """
    booking, service = _upcoming(db, booking_id)
    lounge = _find(db, "lounges", lounge_id, "lounge")
    if lounge["station_code"] != booking["origin"]:
        raise ValueError(f"{lounge['name']} is not at {booking['origin']}, where the journey begins")
    if not 1 <= minutes_before <= 180:
        raise ValueError("a visit begins 1 to 180 minutes before departure")
    arrives = _shift(_departure(service, booking), -minutes_before)
    if arrives < _now():
        raise ValueError(f"a visit cannot begin at {arrives[11:]}, which is past")
    if not lounge["opens"] <= arrives[11:] < lounge["closes"]:
        hours = f"{lounge['opens']} to {lounge['closes']}"
        raise ValueError(f"{lounge['name']} is open from {hours}, not at {arrives[11:]}")
    visits = [each for each in db["lounge_visits"].values() if each["booking_id"] == booking_id]
    if len(visits) >= booking["travellers"]:
        raise ValueError("every traveller of this booking has a lounge visit already")
    free = booking["fare_id"] == "FR-FLEX-1" or db["passengers"][booking["passenger_id"]]["tier"] == "gold"
    key = _new_key("LV")
    db["lounge_visits"][key] = {
        "visit_id": key,
        "passenger_id": booking["passenger_id"],
        "booking_id": booking_id,
        "lounge_id": lounge_id,
        "arrive_at": arrives,
        "fee": 0.0 if free else lounge["visit_fee"],
    }
    return dict(db["lounge_visits"][key])
