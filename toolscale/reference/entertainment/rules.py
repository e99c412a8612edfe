"""The ticket office's policy as predicates on calls (docs/environment-format.md)."""

from datetime import date, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _added(table: str, before: Database, after: Database) -> list[Record]:
    return [record for key, record in after[table].items() if key not in before[table]]


def _changed(table: str, before: Database, after: Database) -> list[tuple[Record, Record]]:
    both = ((old, after[table].get(key, old)) for key, old in before[table].items())
    return [(old, new) for old, new in both if old != new]


def _performance(booking: Record, database: Database) -> Record:
    return database["performances"][booking["performance_id"]]


def _house(booking: Record, database: Database) -> Record:
    return database["venues"][_performance(booking, database)["venue_id"]]


def _hours_left(performance: Record) -> float:
    return (datetime.fromisoformat(performance["starts_at"]) - datetime.now()).total_seconds() / 3600


def _years(birth_date: str) -> int:
    born, today = date.fromisoformat(birth_date), datetime.now().date()
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))


def stage_tickets_are_not_refunded(before: Database, call: Record, after: Database) -> str | None:
    """Theatre and concert tickets are not refunded, unless they are protected or the performance is called off."""
    for old, new in _changed("bookings", before, after):
        if new["status"] == "cancelled":
            called_off = _performance(old, before)["status"] in ("cancelled", "postponed")
            if _house(old, before)["kind"] != "cinema" and not old["protection_cost"] and not called_off:
                return f"{old['booking_id']} is neither protected nor called off"
    return None


def cinema_tickets_until_two_hours_before(before: Database, call: Record, after: Database) -> str | None:
    """Cinema tickets are refunded until two hours before; fees are kept unless the performance is called off."""
    for old, new in _changed("bookings", before, after):
        performance = _performance(old, before)
        if new["status"] != "cancelled" or performance["status"] != "scheduled":
            continue
        if _house(old, before)["kind"] == "cinema" and _hours_left(performance) < 2:
            return f"{old['booking_id']} begins in less than two hours"
        if new["refund_amount"] > old["total"] - old["fee_total"] - old["protection_cost"] + 0.005:
            return f"fees of {old['booking_id']} were refunded"
    return None


def only_theatres_exchange(before: Database, call: Record, after: Database) -> str | None:
    """Theatre tickets are exchanged until 48 hours before, for the same show at the same house."""
    for old, new in _changed("bookings", before, after):
        if old["performance_id"] == new["performance_id"]:
            continue
        first, second = _performance(old, before), _performance(new, before)
        if _house(old, before)["kind"] != "theatre" or _hours_left(first) < 48:
            return f"{old['booking_id']} was exchanged"
        if (first["show_id"], first["venue_id"]) != (second["show_id"], second["venue_id"]):
            return f"{old['booking_id']} went to another show or house"
    return None


def no_seat_is_sold_twice(before: Database, call: Record, after: Database) -> str | None:
    """At most eight seats a booking, each of them free until then."""
    for booking in _added("bookings", before, after):
        if len(booking["seats"]) > 8:
            return f"{len(booking['seats'])} seats in {booking['booking_id']}"
        for key, other in after["bookings"].items():
            same = other["performance_id"] == booking["performance_id"] and key != booking["booking_id"]
            if same and other["status"] in ("confirmed", "on_resale") and set(other["seats"]) & set(booking["seats"]):
                return f"{booking['booking_id']} has seats of {key}"
    return None


def shows_and_films_for_their_age(before: Database, call: Record, after: Database) -> str | None:
    """Tickets and rentals are sold only to members of the age for which the show or title is rated."""
    for rental in _added("rentals", before, after):
        rating = after["titles"][rental["title_id"]]["age_rating"]
        if _years(after["members"][rental["member_id"]]["birth_date"]) < rating:
            return f"{rental['title_id']} is rated {rating}"
    for booking in _added("bookings", before, after):
        rating = after["shows"][_performance(booking, after)["show_id"]]["age_rating"]
        if _years(after["members"][booking["member_id"]]["birth_date"]) < rating:
            return f"the show of {booking['performance_id']} is rated {rating}"
    return None


def resale_at_no_more_than_was_paid(before: Database, call: Record, after: Database) -> str | None:
    """Theatre and concert tickets go on resale until 24 hours before, for no more than each of them did cost."""
    for listing in _added("resale_listings", before, after):
        booking = after["bookings"][listing["booking_id"]]
        if listing["price_each"] > booking["price_each"]:
            return f"{listing['listing_id']} asks more than {booking['price_each']:.2f}"
        if _house(booking, after)["kind"] == "cinema" or _hours_left(_performance(booking, after)) < 24:
            return f"{listing['booking_id']} is not for resale"
    return None


def waiting_only_for_what_is_sold_out(before: Database, call: Record, after: Database) -> str | None:
    """Members wait only for a zone with fewer free seats than they want."""
    for waiting in _added("waitlist", before, after):
        for zone in _performance(waiting, after)["zones"]:
            if zone["zone"] == waiting["zone"] and len(zone["free_seats"]) >= waiting["tickets"]:
                return f"there are {len(zone['free_seats'])} free seats"
    return None


def minimum_term_is_kept(before: Database, call: Record, after: Database) -> str | None:
    """A subscription is neither paused nor ended before its minimum term is over."""
    for old, new in _changed("subscriptions", before, after):
        stopped = new["status"] == "paused" != old["status"] or new["ends_on"] != old["ends_on"]
        if stopped and datetime.now().date().isoformat() < old["minimum_until"]:
            return f"{old['subscription_id']} is bound until {old['minimum_until']}"
    return None


def rentals_are_given_back_unwatched(before: Database, call: Record, after: Database) -> str | None:
    """A rental is refunded only if it is unwatched and not older than 14 days."""
    for old, new in _changed("rentals", before, after):
        late = datetime.fromisoformat(old["rented_at"]) < datetime.now() - timedelta(days=14)
        if new["status"] == "refunded" and (old["status"] != "unwatched" or late):
            return f"{old['rental_id']} was {old['status']}, rented on {old['rented_at'][:10]}"
    return None


def gift_cards_are_spent_while_valid(before: Database, call: Record, after: Database) -> str | None:
    """Nothing is paid with a gift card that has expired, is another's, or holds too little."""
    today = datetime.now().date().isoformat()
    for old, new in _changed("gift_cards", before, after):
        if new["balance"] < 0 or (new["balance"] < old["balance"] and old["valid_until"] < today):
            return f"{old['gift_card_id']} holds {old['balance']} until {old['valid_until']}"
    return None


def gift_cards_are_revived_once(before: Database, call: Record, after: Database) -> str | None:
    """A gift card that expired at most a year ago is extended once."""
    for old, new in _changed("gift_cards", before, after):
        if new["valid_until"] != old["valid_until"]:
            since = (datetime.now().date() - date.fromisoformat(old["valid_until"])).days
            if old["extended"] or not 0 < since <= 365:
                return f"{old['gift_card_id']} was valid until {old['valid_until']}"
    return None
