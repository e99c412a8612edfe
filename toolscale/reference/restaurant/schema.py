"""The database of a group of restaurants: houses, tables, dishes, guests, and what guests reserve, order and win."""

from typing import Any

from toolscale.reference.ids import digits_pattern, hex_pattern
from toolscale.reference.schemas import (
    CLOCK,
    DATE,
    EMAIL,
    FLAG,
    MOMENT,
    database,
    key,
    listed,
    money,
    one_of,
    optional,
    reference,
    table,
    text,
    whole,
)

COUNTRIES = (
    *("Austria", "Denmark", "France", "Germany", "Italy", "Netherlands"),
    *("Poland", "Portugal", "Spain", "Switzerland", "United Kingdom"),
)
CURRENCIES = ("CHF", "DKK", "EUR", "GBP", "PLN")
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
AREAS = ("main room", "bar", "terrace", "conservatory", "private room")
FEATURES = ("dogs welcome", "live music", "open kitchen", "river view", "step-free access", "wine cellar")
COURSES = ("starter", "main", "side", "dessert")
DIETS = ("halal", "vegan", "vegetarian")
ALLERGENS = (
    *("celery", "crustaceans", "eggs", "fish", "gluten", "lupin", "milk"),
    *("molluscs", "mustard", "nuts", "peanuts", "sesame", "soybeans", "sulphites"),
)
"""The fourteen allergens that Regulation (EU) No 1169/2011, Annex II, obliges a restaurant to declare."""
TIERS = ("classic", "silver", "gold", "platinum")

_HOUSE = r"[A-Z]{3}"

SCHEMA: dict[str, Any] = database(
    restaurants=table(
        restaurant_id=key(rf"^RES-{_HOUSE}$"),
        name=text(),
        city=text(),
        country=one_of(COUNTRIES),
        cuisine=text(),
        currency=one_of(CURRENCIES) | {"description": "Of every amount that concerns the house."},
        features=listed(one_of(FEATURES)),
        closed_on=listed(one_of(WEEKDAYS)),
        opens=CLOCK,
        last_seating=CLOCK,
        sitting_minutes=whole(60, 240, description="How long a party keeps its table."),
        deposit_from_party=whole(2, description="The smallest party that pays a deposit."),
        deposit_per_head=money(),
        free_cancel_hours=whole(2, 96, description="Cancelling is free up to so many hours before."),
        late_fee_per_head=money(),
        phone=text(),
    ),
    dining_tables=table(
        table_id=key(rf"^TBL-{_HOUSE}-\d{{2}}$"),
        restaurant_id=reference("restaurants.restaurant_id"),
        area=one_of(AREAS),
        seats=whole(2, 14),
        smallest_party=whole(1, 10),
        step_free=FLAG | {"description": "Reached without a step."},
    ),
    dishes=table(
        dish_id=key(rf"^DSH-{_HOUSE}-\d{{2}}$"),
        restaurant_id=reference("restaurants.restaurant_id"),
        name=text(),
        course=one_of(COURSES),
        price=money(),
        calories=whole(20, 2500, description="Kilocalories a portion."),
        allergens=listed(one_of(ALLERGENS)),
        labels=listed(one_of(DIETS)) | {"description": "The diets that the dish suits."},
        takeaway=FLAG,
    ),
    set_menus=table(
        set_menu_id=key(rf"^SET-{_HOUSE}-\d$"),
        restaurant_id=reference("restaurants.restaurant_id"),
        name=text(),
        dish_ids=listed(reference("dishes.dish_id"), minimum=2),
        price_per_head=money(),
        smallest_party=whole(1, 12),
        notice_hours=whole(2, 96, description="To be chosen at least so many hours before."),
    ),
    events=table(
        event_id=key(rf"^EVT-{_HOUSE}-\d$"),
        restaurant_id=reference("restaurants.restaurant_id"),
        title=text(),
        date=DATE,
        time=CLOCK,
        price_per_seat=money(),
        capacity=whole(8, 120),
        seats_left=whole(0, 120),
    ),
    guests=table(
        guest_id=key(digits_pattern("GST")),
        name=text(),
        email=EMAIL,
        phone=text(),
        home_country=one_of(COUNTRIES),
        diet=one_of(("none", *DIETS)),
        allergies=listed(one_of(ALLERGENS)),
        tier=one_of(TIERS),
        points=whole(),
        member_since=DATE,
    ),
    reservations=table(
        reservation_id=key(hex_pattern("RSV")),
        guest_id=reference("guests.guest_id"),
        restaurant_id=reference("restaurants.restaurant_id"),
        table_id=reference("dining_tables.table_id"),
        date=DATE,
        time=CLOCK,
        party_size=whole(1, 14),
        set_menu_id=optional(reference("set_menus.set_menu_id")),
        deposit=money(),
        status=one_of(("confirmed", "completed", "cancelled", "no_show")),
        cancellation_fee=optional(money()),
        refund=optional(money()),
        booked_at=MOMENT,
        changed_at=optional(MOMENT),
        cancelled_at=optional(MOMENT),
    ),
    tickets=table(
        ticket_id=key(hex_pattern("TKT")),
        guest_id=reference("guests.guest_id"),
        event_id=reference("events.event_id"),
        seats=whole(1, 8),
        paid=money() | {"description": "For the seats."},
        refunded=money() | {"description": "For seats that were given back."},
        status=one_of(("valid", "returned")),
        bought_at=MOMENT,
    ),
    orders=table(
        order_id=key(hex_pattern("ORD")),
        guest_id=reference("guests.guest_id"),
        restaurant_id=reference("restaurants.restaurant_id"),
        pickup_date=DATE,
        pickup_time=CLOCK,
        subtotal=money(),
        discount=money() | {"description": "By the guest's tier."},
        voucher_id=optional(reference("vouchers.voucher_id")),
        voucher_amount=money(),
        total=money() | {"description": "subtotal - discount - voucher_amount"},
        status=one_of(("placed", "preparing", "ready", "collected", "cancelled")),
        placed_at=MOMENT,
    ),
    order_lines=table(
        line_id=key(rf"^LIN-[0-9A-F]{{6}}-{_HOUSE}\d{{2}}$") | {"description": "The order's code and the dish's."},
        order_id=reference("orders.order_id"),
        guest_id=reference("guests.guest_id"),
        dish_id=reference("dishes.dish_id"),
        quantity=whole(1, 20),
        unit_price=money(),
    ),
    vouchers=table(
        voucher_id=key(hex_pattern("VCH")),
        guest_id=reference("guests.guest_id"),
        amount=money(),
        currency=one_of(CURRENCIES),
        smallest_order=money() | {"description": "What the order must come to, at least, before the voucher."},
        valid_until=DATE,
        status=one_of(("active", "redeemed")),
    ),
    waitlist=table(
        entry_id=key(hex_pattern("WTL")),
        guest_id=reference("guests.guest_id"),
        restaurant_id=reference("restaurants.restaurant_id"),
        date=DATE,
        time=CLOCK,
        party_size=whole(1, 14),
        status=one_of(("waiting", "left")),
        joined_at=MOMENT,
    ),
)
