"""The agency's policy as predicates on calls (docs/environment-format.md)."""

from datetime import date, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def _days_until(day: str) -> int:
    return (date.fromisoformat(day) - datetime.now().date()).days


def _disrupted(flight: Record) -> bool:
    return bool(flight["status"] == "cancelled" or flight["delay_minutes"] >= 180)


def light_fares_stay_as_they_are(before: Database, call: Record, after: Database) -> str | None:
    """Light fares are neither changed, refunded nor upgraded, unless the flight is disrupted."""
    if call["name"] in ("cancel_flight", "change_flight", "upgrade_cabin"):
        booking = before["flight_bookings"][call["arguments"]["booking_id"]]
        if booking["fare_id"] == "FR-LIGHT" and not _disrupted(before["flights"][booking["flight_id"]]):
            return f"{booking['booking_id']} is a light fare"
    return None


def flights_are_refunded_by_fare(before: Database, call: Record, after: Database) -> str | None:
    """Classic: 60% back until 72 hours before departure. Flex: all until 24 hours. Disrupted flights: all."""
    if call["name"] != "cancel_flight":
        return None
    booking = before["flight_bookings"][call["arguments"]["booking_id"]]
    flight = before["flights"][booking["flight_id"]]
    hours, percent = {"FR-CLASSIC": (72, 60), "FR-FLEX": (24, 100)}.get(booking["fare_id"], (10_000, 0))
    in_time = datetime.fromisoformat(flight["departure"]) - datetime.now() >= timedelta(hours=hours)
    due = 100 if _disrupted(flight) else percent if in_time else 0
    back = after["flight_bookings"][booking["booking_id"]]["refund_amount"] or 0
    if not due or abs(back - booking["price_total"] * due / 100) > 0.006:
        return f"{back} EUR came back, {due}% of {booking['price_total']} EUR are due"
    return None


def a_change_keeps_route_fare_and_cabin(before: Database, call: Record, after: Database) -> str | None:
    """A change keeps route, fare and cabin."""
    if call["name"] != "change_flight":
        return None
    old, new = (each["flight_bookings"][call["arguments"]["booking_id"]] for each in (before, after))
    flights = [after["flights"][each["flight_id"]] for each in (old, new)]
    if any(flights[0][name] != flights[1][name] for name in ("origin", "destination")):
        return "the route changed"
    return next((f"{name} changed" for name in ("fare_id", "cabin") if old[name] != new[name]), None)


def saver_stays_stay_as_they_are(before: Database, call: Record, after: Database) -> str | None:
    """Stays at the saver rate are neither changed nor cancelled."""
    if call["name"] not in ("change_stay", "cancel_stay"):
        return None
    stay = before["stays"][call["arguments"]["stay_id"]]
    return f"{stay['stay_id']} was booked at the saver rate" if stay["rate"] == "saver" else None


def no_room_is_given_twice(before: Database, call: Record, after: Database) -> str | None:
    """A room is booked only while one of its kind is free for the whole stay."""
    for key, stay in after["stays"].items():
        if before["stays"].get(key) == stay or stay["status"] != "confirmed":
            continue
        others = [each for each in after["stays"].values() if each["room_id"] == stay["room_id"]]
        together = [
            each
            for each in others
            if each["status"] == "confirmed"
            and each["check_in"] < stay["check_out"]
            and stay["check_in"] < each["check_out"]
        ]
        count = after["rooms"][stay["room_id"]]["count"]
        if len(together) > count:
            return f"{len(together)} stays in {count} rooms {stay['room_id']}"
    return None


def tours_are_cancelled_by_the_scale(before: Database, call: Record, after: Database) -> str | None:
    """Cancelling a tour costs nothing until 60 days before its start, then 20% of the price, 50% from 29 days, 80% from
    14 days; from six days before, tours are not cancelled."""
    if call["name"] != "cancel_tour":
        return None
    booking = before["tour_bookings"][call["arguments"]["tour_booking_id"]]
    ahead = _days_until(before["departures"][booking["departure_id"]]["start_date"])
    if ahead < 7:
        return f"the tour starts in {ahead} days"
    percent = 0 if ahead >= 60 else 20 if ahead >= 30 else 50 if ahead >= 15 else 80
    due = max(0.0, booking["paid"] - booking["price_total"] * percent / 100)
    back = after["tour_bookings"][booking["tour_booking_id"]]["refund_amount"]
    return None if abs(back - due) < 0.011 else f"{back} EUR came back instead of {due:.2f}"


def tours_move_until_thirty_days_before(before: Database, call: Record, after: Database) -> str | None:
    """A tour is moved to another departure of the same tour, at least 30 days before its start."""
    if call["name"] != "move_tour":
        return None
    key = call["arguments"]["tour_booking_id"]
    old, new = (after["departures"][each["tour_bookings"][key]["departure_id"]] for each in (before, after))
    if old["tour_id"] != new["tour_id"]:
        return "it is another tour"
    return f"{old['departure_id']} is too near" if _days_until(old["start_date"]) < 30 else None


def nothing_is_sold_that_is_not_there(before: Database, call: Record, after: Database) -> str | None:
    """Seats, places and points are never overdrawn; waiting lists are for departures without enough places."""
    short = [key for key, each in after["flights"].items() if min(each["seats_economy"], each["seats_business"]) < 0]
    short += [key for key, each in after["departures"].items() if each["places_left"] < 0]
    short += [key for key, each in after["travellers"].items() if each["points"] < 0]
    for entry in _added("waitlist", before, after):
        if before["departures"][entry["departure_id"]]["places_left"] >= entry["travellers"]:
            short.append(entry["waitlist_id"])
    return f"not there, or not needed: {short}" if short else None


def entry_papers_in_time_and_with_a_valid_passport(before: Database, call: Record, after: Database) -> str | None:
    """An application is made where one is needed, ready before arrival, and with a passport that is valid for as many
    months after it as the country asks."""
    for application in _added("visa_applications", before, after):
        traveller = after["travellers"][application["traveller_id"]]
        rules = after["entry_rules"][application["country"]]
        if rules["requirement"] == "none" or traveller["nationality"] in rules["exempt"]:
            return f"{application['country']} asks for none"
        if application["ready_by"] >= application["arrival_date"]:
            return f"it would be ready on {application['ready_by']}, too late"
        arrival, expiry = (
            date.fromisoformat(day) for day in (application["arrival_date"], traveller["passport_expiry"])
        )
        months = (expiry.year - arrival.year) * 12 + expiry.month - arrival.month - (expiry.day < arrival.day)
        if months < rules["passport_months"] and (expiry + timedelta(days=1)).day != 1:
            return f"the passport is valid for {months} months after arrival"
    return None


def insurance_is_withdrawn_within_fourteen_days(before: Database, call: Record, after: Database) -> str | None:
    """Insurance is withdrawn within 14 days of buying it, before the trip starts."""
    if call["name"] == "cancel_insurance":
        insurance = before["insurances"][call["arguments"]["insurance_id"]]
        if -_days_until(insurance["bought_on"]) > 14 or _days_until(insurance["start_date"]) <= 0:
            return f"{insurance['insurance_id']} was bought on {insurance['bought_on']}"
    return None


def compensation_as_laid_down(before: Database, call: Record, after: Database) -> str | None:
    """Compensation from 180 minutes of delay: 250 EUR a traveller up to 1500 km, 400 up to 3500 km, beyond that 300,
    and 600 from 240 minutes; none for severe weather or strikes of air traffic control; one claim a booking."""
    for claim in _added("claims", before, after):
        booking = after["flight_bookings"][claim["booking_id"]]
        flight = after["flights"][booking["flight_id"]]
        near, middle = flight["distance_km"] <= 1500, flight["distance_km"] <= 3500
        each = 250 if near else 400 if middle else 600 if flight["delay_minutes"] >= 240 else 300
        if flight["delay_minutes"] < 180 or claim["amount"] != each * booking["travellers"]:
            return f"{claim['amount']} EUR for {flight['delay_minutes']} minutes"
        if flight["cause"] in ("severe_weather", "air_traffic_control_strike"):
            return f"the cause was {flight['cause']}"
        if any(other["booking_id"] == claim["booking_id"] for other in before["claims"].values()):
            return f"{claim['booking_id']} was claimed for before"
    return None


def a_transfer_that_fits(before: Database, call: Record, after: Database) -> str | None:
    """A transfer seats everybody, is booked 24 hours ahead, and once for each direction."""
    for transfer in _added("transfers", before, after):
        booking = after["flight_bookings"][transfer["booking_id"]]
        flight = after["flights"][booking["flight_id"]]
        end = flight["destination" if transfer["direction"] == "from_airport" else "origin"]
        options = after["destinations"][end]["transfers"]
        if all(each["vehicle"] != transfer["vehicle"] or each["seats"] < booking["travellers"] for each in options):
            return f"no {transfer['vehicle']} seats {booking['travellers']} there"
        if datetime.fromisoformat(transfer["pick_up"]) - datetime.now() < timedelta(hours=24):
            return f"it leaves at {transfer['pick_up']}"
        like = (transfer["booking_id"], transfer["direction"])
        if any((each["booking_id"], each["direction"]) == like for each in before["transfers"].values()):
            return f"{transfer['booking_id']} has one in that direction"
    return None


def problems_are_made_good_once(before: Database, call: Record, after: Database) -> str | None:
    """A problem with a completed stay is made good once, within 30 days of check-out."""
    for complaint in _added("complaints", before, after):
        stay = after["stays"][complaint["stay_id"]]
        if stay["status"] != "completed" or -_days_until(stay["check_out"]) > 30:
            return f"{stay['stay_id']} is {stay['status']}, check-out {stay['check_out']}"
        if any(each["stay_id"] == complaint["stay_id"] for each in before["complaints"].values()):
            return f"{stay['stay_id']} was made good before"
    return None
