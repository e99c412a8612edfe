"""The database of a group of restaurants: houses, tables, dishes, guests, and what guests reserve, order and win."""

from typing import Any

COUNTRIES = ("France", "Germany", "Italy", "Netherlands", "Poland", "Spain", "Switzerland", "United Kingdom")
CURRENCIES = ("CHF", "EUR", "GBP", "PLN")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
AREAS = ("main room", "bar", "terrace", "conservatory", "private room")
FEATURES = ("dogs welcome", "live music", "open kitchen", "river view", "step-free access", "wine cellar")
COURSES = ("starter", "main", "side", "dessert")
DIETS = ("halal", "vegan", "vegetarian")
ALLERGENS = (
    "celery",
    "crustaceans",
    "eggs",
    "fish",
    "gluten",
    "lupin",
    "milk",
    "molluscs",
    "mustard",
    "nuts",
    "peanuts",
    "sesame",
    "soybeans",
    "sulphites",
)
"""The fourteen allergens that Regulation (EU) No 1169/2011, Annex II, obliges a restaurant to declare."""
TIERS = ("classic", "silver", "gold", "platinum")


def _text(**more: Any) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, **more}


def _key(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": pattern, "x-primary-key": True}


def _reference(target: str, *, optional: bool = False) -> dict[str, Any]:
    return {"type": ["string", "null"] if optional else "string", "x-references": target}


def _one_of(values: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _some_of(values: tuple[str, ...]) -> dict[str, Any]:
    return {"type": "array", "uniqueItems": True, "items": _one_of(values)}


def _money(*, optional: bool = False) -> dict[str, Any]:
    return {"type": ["number", "null"] if optional else "number", "minimum": 0}


def _count(minimum: int, maximum: int | None = None) -> dict[str, Any]:
    return {"type": "integer", "minimum": minimum} | ({} if maximum is None else {"maximum": maximum})


def _table(description: str, **fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "additionalProperties": {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        },
    }


_DATE = {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_TIME = {"type": "string", "pattern": r"^([01]\d|2[0-3]):[0-5]\d$", "description": "Local time, HH:MM."}
_MOMENT = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$", "description": "Local date and time."}
_OPTIONAL_MOMENT = {**_MOMENT, "type": ["string", "null"]}
_HOUSE = r"[A-Z]{3}"
_CODE = r"[0-9A-F]{6}"

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A group of restaurants",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "restaurants": _table(
            "The houses of the group. Every amount of money that concerns a house is in its currency.",
            restaurant_id=_key(f"^RES-{_HOUSE}$"),
            name=_text(),
            city=_text(),
            country=_one_of(COUNTRIES),
            cuisine=_text(),
            currency=_one_of(CURRENCIES),
            features=_some_of(FEATURES),
            closed_on=_some_of(WEEKDAYS),
            opens=_TIME,
            last_seating=_TIME,
            sitting_minutes={**_count(60, 240), "description": "How long a party keeps its table."},
            deposit_from_party={**_count(2), "description": "The smallest party that pays a deposit."},
            deposit_per_head=_money(),
            free_cancel_hours={**_count(2, 96), "description": "Cancelling is free up to so many hours before."},
            late_fee_per_head=_money(),
            phone=_text(),
        ),
        "dining_tables": _table(
            "Tables that can be reserved.",
            table_id=_key(rf"^TBL-{_HOUSE}-\d{{2}}$"),
            restaurant_id=_reference("restaurants.restaurant_id"),
            area=_one_of(AREAS),
            seats=_count(2, 14),
            smallest_party=_count(1, 10),
            step_free={"type": "boolean", "description": "Reached without a step."},
        ),
        "dishes": _table(
            "The menus of the houses.",
            dish_id=_key(rf"^DSH-{_HOUSE}-\d{{2}}$"),
            restaurant_id=_reference("restaurants.restaurant_id"),
            name=_text(),
            course=_one_of(COURSES),
            price=_money(),
            calories={**_count(20, 2500), "description": "Kilocalories a portion."},
            allergens=_some_of(ALLERGENS),
            labels={**_some_of(DIETS), "description": "The diets that the dish suits."},
            takeaway={"type": "boolean"},
        ),
        "set_menus": _table(
            "Menus at a fixed price a head, ordered with a reservation.",
            set_menu_id=_key(rf"^SET-{_HOUSE}-\d$"),
            restaurant_id=_reference("restaurants.restaurant_id"),
            name=_text(),
            dish_ids={"type": "array", "minItems": 2, "uniqueItems": True, "items": _reference("dishes.dish_id")},
            price_per_head=_money(),
            smallest_party=_count(1, 12),
            notice_hours={**_count(2, 96), "description": "To be chosen at least so many hours before."},
        ),
        "events": _table(
            "Ticketed evenings.",
            event_id=_key(rf"^EVT-{_HOUSE}-\d$"),
            restaurant_id=_reference("restaurants.restaurant_id"),
            title=_text(),
            date=_DATE,
            time=_TIME,
            price_per_seat=_money(),
            capacity=_count(8, 120),
            seats_left=_count(0, 120),
        ),
        "guests": _table(
            "Who has an account with the group.",
            guest_id=_key(r"^GST-\d{5}$"),
            name=_text(),
            email={"type": "string", "format": "email", "pattern": r"^[a-z0-9.]+@[a-z.]+$"},
            phone=_text(),
            home_country=_one_of(COUNTRIES),
            diet=_one_of(("none", *DIETS)),
            allergies=_some_of(ALLERGENS),
            tier=_one_of(TIERS),
            points=_count(0),
            member_since=_DATE,
        ),
        "reservations": _table(
            "Tables reserved by guests.",
            reservation_id=_key(f"^RSV-{_CODE}$"),
            guest_id=_reference("guests.guest_id"),
            restaurant_id=_reference("restaurants.restaurant_id"),
            table_id=_reference("dining_tables.table_id"),
            date=_DATE,
            time=_TIME,
            party_size=_count(1, 14),
            set_menu_id=_reference("set_menus.set_menu_id", optional=True),
            deposit=_money(),
            status=_one_of(("confirmed", "completed", "cancelled", "no_show")),
            cancellation_fee=_money(optional=True),
            refund=_money(optional=True),
            booked_at=_MOMENT,
            cancelled_at=_OPTIONAL_MOMENT,
        ),
        "tickets": _table(
            "Seats bought for events.",
            ticket_id=_key(f"^TKT-{_CODE}$"),
            guest_id=_reference("guests.guest_id"),
            event_id=_reference("events.event_id"),
            seats=_count(1, 8),
            paid=_money(),
            bought_at=_MOMENT,
        ),
        "orders": _table(
            "Takeaway orders: total = subtotal - discount - voucher_amount.",
            order_id=_key(f"^ORD-{_CODE}$"),
            guest_id=_reference("guests.guest_id"),
            restaurant_id=_reference("restaurants.restaurant_id"),
            pickup_date=_DATE,
            pickup_time=_TIME,
            subtotal=_money(),
            discount={**_money(), "description": "By the guest's tier."},
            voucher_id=_reference("vouchers.voucher_id", optional=True),
            voucher_amount=_money(),
            total=_money(),
            status=_one_of(("placed", "preparing", "ready", "collected", "cancelled")),
            placed_at=_MOMENT,
        ),
        "order_lines": _table(
            "One dish of an order. The key is the order's code and the dish's.",
            line_id=_key(rf"^LIN-{_CODE}-{_HOUSE}\d{{2}}$"),
            order_id=_reference("orders.order_id"),
            guest_id=_reference("guests.guest_id"),
            dish_id=_reference("dishes.dish_id"),
            quantity=_count(1, 20),
            unit_price=_money(),
        ),
        "vouchers": _table(
            "Money off one takeaway order in the same currency.",
            voucher_id=_key(f"^VCH-{_CODE}$"),
            guest_id=_reference("guests.guest_id"),
            amount=_money(),
            currency=_one_of(CURRENCIES),
            smallest_order={**_money(), "description": "The order must come to at least this much before the voucher."},
            valid_until=_DATE,
            status=_one_of(("active", "redeemed")),
        ),
        "waitlist": _table(
            "Guests who wait for a table on an evening that is full.",
            entry_id=_key(f"^WTL-{_CODE}$"),
            guest_id=_reference("guests.guest_id"),
            restaurant_id=_reference("restaurants.restaurant_id"),
            date=_DATE,
            time=_TIME,
            party_size=_count(1, 14),
            joined_at=_MOMENT,
        ),
    },
}
