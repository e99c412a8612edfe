"""The railway's policy as predicates on calls (docs/environment-format.md)."""

from datetime import date, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _booking(call: Record, database: Database) -> Record:
    return database["bookings"][call["arguments"]["booking_id"]]


def _train(booking: Record, database: Database) -> Record:
    return database["services"][booking["service_id"]]


def _disrupted(booking: Record, database: Database) -> bool:
    train = _train(booking, database)
    return bool(train["status"] == "cancelled" or train["delay_minutes"] >= 60)


def _departure(booking: Record, database: Database) -> datetime:
    train = _train(booking, database)
    return datetime.fromisoformat(train["departures"][train["stops"].index(booking["origin"])])


def _tickets(booking: Record, database: Database) -> float:
    """What the tickets of a booking cost: each traveller's, and the holder's with the discount."""
    train, fare = _train(booking, database), database["fares"][booking["fare_id"]]
    begin, end = train["stops"].index(booking["origin"]), train["stops"].index(booking["destination"])
    kilometres = train["kilometres"][end] - train["kilometres"][begin]
    each = round((7.90 + kilometres * train["rate_per_km"]) * fare["price_factor"], 2)
    own = round(each * (100 - booking["discount_percent"]) / 100, 2)
    return float(round(each * (booking["travellers"] - 1) + own, 2))


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def sold_for_one_to_six_while_there_is_room(before: Database, call: Record, after: Database) -> str | None:
    """Trains are booked for 1 to 6 travellers, while seats are left in the class and the train has not departed. Saver
    closes 24 hours before departure."""
    for booking in _added("bookings", before, after):
        seats = f"seats_{after['fares'][booking['fare_id']]['travel_class']}"
        hours = 24 if booking["fare_id"].startswith("FR-SAVER") else 0
        if not 1 <= booking["travellers"] <= 6 or _train(booking, after)[seats] < 0:
            return f"{booking['travellers']} travellers were booked"
        if _departure(booking, after) - datetime.now() <= timedelta(hours=hours):
            return f"{booking['booking_id']} was sold too late"
    return None


def the_best_rail_card_counts(before: Database, call: Record, after: Database) -> str | None:
    """A rail card lowers the holder's own ticket only, on days and in classes for which it is valid; the best card
    counts."""
    for booking in _added("bookings", before, after):
        day, first = _train(booking, after)["travel_date"], booking["fare_id"].endswith("1")
        best = 0
        for card in before["cards"].values():
            product = before["card_products"][card["product_id"]]
            valid = card["valid_from"] <= day <= card["valid_until"] and product["travel_class"] in (
                ("first",) if first else ("first", "second")
            )
            if valid and card["passenger_id"] == booking["passenger_id"]:
                best = max(best, product["discount_percent"])
        if booking["discount_percent"] != best or abs(booking["price_total"] - _tickets(booking, after)) > 0.006:
            return f"{booking['price_total']} EUR with {booking['discount_percent']}% off; {best}% were due"
    return None


def held_bookings_are_paid_in_time(before: Database, call: Record, after: Database) -> str | None:
    """A held booking is paid before its deadline: a voucher first, used up whole, then card or points. One euro is 100
    points."""
    if call["name"] != "pay_held_booking":
        return None
    booking, rest = _booking(call, before), _booking(call, before)["price_total"]
    if datetime.fromisoformat(booking["hold_until"]) <= datetime.now():
        return f"{booking['booking_id']} had lapsed"
    if voucher := call["arguments"].get("voucher_id"):
        if before["vouchers"][voucher]["status"] != "open" or after["vouchers"][voucher]["status"] != "used":
            return f"{voucher} was not open, or was not used up"
        rest = max(0.0, rest - before["vouchers"][voucher]["amount"])
    owner = booking["passenger_id"]
    spent = before["passengers"][owner]["points"] - after["passengers"][owner]["points"]
    due = round(rest * 100) if call["arguments"]["method"] == "points" else 0
    return None if spent == due else f"{spent} points were taken, {due} are due"


def points_and_vouchers_are_spent_once(before: Database, call: Record, after: Database) -> str | None:
    """Nobody pays with points that they do not have, or with a voucher that is used up."""
    overdrawn = [key for key, each in after["passengers"].items() if each["points"] < 0]
    revived = [
        key
        for key, each in before["vouchers"].items()
        if each["status"] == "used" and after["vouchers"].get(key, each)["status"] != "used"
    ]
    if overdrawn or revived:
        return f"overdrawn or used twice: {overdrawn + revived}"
    return None


def saver_stays_as_it_is(before: Database, call: Record, after: Database) -> str | None:
    """Saver tickets are neither exchanged, refunded nor upgraded, unless the train is disrupted."""
    if call["name"] in ("cancel_booking", "exchange_booking", "upgrade_booking"):
        booking = _booking(call, before)
        if booking["fare_id"].startswith("FR-SAVER") and not _disrupted(booking, before):
            return f"{booking['booking_id']} is a saver ticket"
    return None


def refunds_by_fare(before: Database, call: Record, after: Database) -> str | None:
    """Standard: 70% back until 24 hours before departure. Flex: all until 30 minutes before. A train that is cancelled
    or at least 60 minutes late: all, whatever the fare. What brings no money back is not cancelled."""
    if call["name"] != "cancel_booking":
        return None
    booking = _booking(call, before)
    left = _departure(booking, before) - datetime.now()
    if _disrupted(booking, before):
        percent = 100
    elif booking["fare_id"].startswith("FR-FLEX"):
        percent = 100 if left >= timedelta(minutes=30) else 0
    else:
        percent = 70 if booking["fare_id"].startswith("FR-STANDARD") and left >= timedelta(hours=24) else 0
    back = _booking(call, after)["refund_amount"] or 0
    if not percent or abs(back - booking["price_total"] * percent / 100) > 0.006:
        return f"{back} EUR came back, {percent}% of {booking['price_total']} EUR are due"
    return None


def an_exchange_keeps_stations_and_fare(before: Database, call: Record, after: Database) -> str | None:
    """An exchange keeps stations, fare and class. Seats, assistance and lounge visits of the old train lapse."""
    if call["name"] != "exchange_booking":
        return None
    old, new = _booking(call, before), _booking(call, after)
    changed = [field for field in ("origin", "destination", "fare_id") if old[field] != new[field]]
    if changed:
        return f"{', '.join(changed)} changed with the exchange"
    for table in ("reservations", "assistance", "lounge_visits"):
        if any(each["booking_id"] == old["booking_id"] for each in after[table].values()):
            return f"{old['booking_id']} still has {table} of the old train"
    return None


def an_exchange_costs_fee_and_difference(before: Database, call: Record, after: Database) -> str | None:
    """The passenger pays the fee and the difference to a dearer ticket; a cheaper ticket gives nothing back. Off a
    disrupted train the exchange is free of charge, to a train that leaves within 48 hours of the planned departure."""
    if call["name"] != "exchange_booking":
        return None
    old, new = _booking(call, before), _booking(call, after)
    paid = round(new["price_total"] - old["price_total"], 2)
    soon = _departure(new, after) <= _departure(old, before) + timedelta(hours=48)
    due = 0.0
    if not (_disrupted(old, before) and soon):
        tickets = old["price_total"] - 11.90 * old["bicycles"]
        fee = (before["fares"][old["fare_id"]]["exchange_fee"] or 0) * old["travellers"]
        due = max(0.0, _tickets(new, after) - tickets) + fee
    return None if abs(paid - due) <= 0.006 else f"{paid} EUR were charged, {due:.2f} are due"


def upgrades_need_free_seats(before: Database, call: Record, after: Database) -> str | None:
    """Upgrades to first class are paid by card or points and need free seats there; reserved seats lapse."""
    if call["name"] != "upgrade_booking":
        return None
    booking = _booking(call, after)
    if _train(booking, after)["seats_first"] < 0:
        return "there was no room in first class"
    if any(each["booking_id"] == booking["booking_id"] for each in after["reservations"].values()):
        return f"{booking['booking_id']} still has seats in second class"
    return None


def a_bicycle_for_each_traveller(before: Database, call: Record, after: Database) -> str | None:
    """At most one bicycle a traveller, while the train has places."""
    if call["name"] == "add_bicycles":
        booking = _booking(call, after)
        if booking["bicycles"] > booking["travellers"] or _train(booking, after)["bicycle_places_left"] < 0:
            return f"{booking['bicycles']} bicycles for {booking['travellers']} travellers"
    return None


def a_seat_for_each_traveller(before: Database, call: Record, after: Database) -> str | None:
    """Seats are free of charge, one for each traveller, in the class of the ticket."""
    for seat in _added("reservations", before, after):
        booking = after["bookings"][seat["booking_id"]]
        held = sum(each["booking_id"] == seat["booking_id"] for each in after["reservations"].values())
        if held > booking["travellers"]:
            return f"{held} seats for {booking['travellers']} travellers of {booking['booking_id']}"
        coaches = after["trainsets"][_train(booking, after)["trainset_id"]]["coaches"]
        wanted = after["fares"][booking["fare_id"]]["travel_class"]
        if not any((each["number"], each["travel_class"]) == (seat["coach"], wanted) for each in coaches):
            return f"coach {seat['coach']} is not in {wanted} class"
    return None


def assistance_with_notice(before: Database, call: Record, after: Database) -> str | None:
    """Assistance is given at the first and last station of a booking, in the desk's hours and with the station's
    notice."""
    for order in _added("assistance", before, after):
        station, booking = after["stations"][order["station_code"]], after["bookings"][order["booking_id"]]
        notice = datetime.fromisoformat(order["meet_at"]) - datetime.now()
        if order["station_code"] not in (booking["origin"], booking["destination"]):
            return f"{station['name']} is on the way of {booking['booking_id']}"
        if not station["assistance_from"] <= order["meet_at"][11:] <= station["assistance_until"]:
            return f"nobody is at the desk at {order['meet_at']}"
        if notice < timedelta(hours=station["assistance_notice_hours"]):
            return f"{station['name']} wants {station['assistance_notice_hours']} hours of notice"
    return None


def lounge_visits_before_departure(before: Database, call: Record, after: Database) -> str | None:
    """A lounge visit needs a booking from that station on that day, at most three hours before departure, one for each
    traveller. It is free for gold passengers and for first class flex, otherwise the lounge's fee is due."""
    for visit in _added("lounge_visits", before, after):
        booking, lounge = after["bookings"][visit["booking_id"]], after["lounges"][visit["lounge_id"]]
        ahead = _departure(booking, after) - datetime.fromisoformat(visit["arrive_at"])
        if lounge["station_code"] != booking["origin"] or not timedelta(0) < ahead <= timedelta(hours=3):
            return f"{visit['arrive_at']} at {lounge['name']} is not before the train of {booking['booking_id']}"
        if (
            sum(each["booking_id"] == visit["booking_id"] for each in after["lounge_visits"].values())
            > (booking["travellers"])
        ):
            return f"more visits than travellers of {booking['booking_id']}"
        gold = after["passengers"][booking["passenger_id"]]["tier"] == "gold"
        if visit["fee"] != (0 if gold or booking["fare_id"] == "FR-FLEX-1" else lounge["visit_fee"]):
            return f"{visit['fee']} EUR is not the fee"
    return None


def compensation_as_laid_down(before: Database, call: Record, after: Database) -> str | None:
    """Compensation: 25% of the price from 60 minutes of delay, 50% from 120; none for extraordinary causes, for amounts
    under 4.00 EUR, more than 90 days after the journey, or for a journey that was claimed for before."""
    for claim in _added("claims", before, after):
        booking = after["bookings"][claim["booking_id"]]
        train = _train(booking, after)
        delay = train["delay_minutes"]
        percent = 50 if delay >= 120 else 25 if delay >= 60 else 0
        if claim["amount"] != round(booking["price_total"] * percent / 100, 2) or claim["amount"] < 4:
            return f"{claim['amount']} EUR for {delay} minutes"
        causes = [each for each in after["disruptions"].values() if each["service_id"] == booking["service_id"]]
        if any(each["extraordinary"] for each in causes):
            return f"the delay of {booking['booking_id']} had an extraordinary cause"
        if any(each["booking_id"] == claim["booking_id"] for each in before["claims"].values()):
            return f"{booking['booking_id']} was claimed for before"
        if datetime.now() - datetime.fromisoformat(train["arrivals"][-1]) > timedelta(days=90, minutes=1):
            return f"{booking['booking_id']} was more than 90 days ago"
    return None


def rail_cards_of_the_right_age_and_date(before: Database, call: Record, after: Database) -> str | None:
    """A rail card starts today or within 60 days, needs the right age, and is not sold to somebody who holds the same
    one."""
    today = datetime.now().date()
    for card in _added("cards", before, after):
        product, owner = after["card_products"][card["product_id"]], after["passengers"][card["passenger_id"]]
        born = date.fromisoformat(owner["birth_date"])
        age = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
        if not 0 <= (date.fromisoformat(card["valid_from"]) - today).days <= 60:
            return f"it starts on {card['valid_from']}"
        if not product["minimum_age"] <= age <= product["maximum_age"]:
            return f"{product['name']} for somebody of {age} years"
        for held in before["cards"].values():
            same = (held["passenger_id"], held["product_id"]) == (card["passenger_id"], card["product_id"])
            if same and held["valid_until"] >= today.isoformat():
                return f"{held['card_id']} is the same kind of card"
    return None


def renewal_is_switched_in_time(before: Database, call: Record, after: Database) -> str | None:
    """Renewal is switched until seven days before a card runs out."""
    if call["name"] == "set_card_renewal":
        card = before["cards"][call["arguments"]["card_id"]]
        if date.fromisoformat(card["valid_until"]) - datetime.now().date() < timedelta(days=7):
            return f"{card['card_id']} runs out on {card['valid_until']}"
    return None


def points_become_vouchers_from_500(before: Database, call: Record, after: Database) -> str | None:
    """Points become vouchers from 500 points up, a cent each."""
    if call["name"] != "convert_points":
        return None
    owner = call["arguments"]["passenger_id"]
    spent = before["passengers"][owner]["points"] - after["passengers"][owner]["points"]
    worth = sum(each["amount"] for each in _added("vouchers", before, after))
    if spent < 500 or round(worth * 100) != spent:
        return f"{spent} points for {worth:.2f} EUR"
    return None
