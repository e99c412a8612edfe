"""The database of a ticket office and streaming service: houses, shows, seats, members, and what they buy and watch."""

from toolscale.reference.ids import digits_pattern, hex_pattern
from toolscale.reference.schemas import (
    DATE,
    EMAIL,
    FLAG,
    MOMENT,
    database,
    key,
    listed,
    money,
    number,
    one_of,
    optional,
    record,
    reference,
    table,
    text,
    whole,
)

CURRENCIES = ("CHF", "EUR", "GBP", "PLN", "SEK")
KINDS = ("cinema", "theatre", "concert_hall")
ZONES = ("standard", "premium", "stalls", "circle", "gallery")
STREAM_GENRES = ("comedy", "crime", "documentary", "drama", "family", "science fiction")
PLANS = ("basic", "standard", "family")
RATES = ("library", "recent", "premiere")
PROBLEMS = ("blocked_view", "broken_seat", "late_start", "noisy_audience", "poor_sound")
ACCESS = ("wheelchair_space", "hearing_loop", "audio_description", "early_admission")
AGES = (0, 6, 12, 16, 18)

_AGE = {"type": "integer", "enum": list(AGES), "description": "Lowest age admitted, in years."}

SCHEMA = database(
    venues=table(
        venue_id=key(r"^VN-[A-Z]{3}\d$"),
        name=text(),
        kind=one_of(KINDS),
        city=text(),
        country=text("^[A-Z]{2}$"),
        currency=one_of(CURRENCIES),
        address=text(),
        booking_fee=money("For each ticket, in the venue's currency."),
        exchange_fee=optional(money("For each ticket; null: nothing is exchanged here.")),
    ),
    shows=table(
        show_id=key(digits_pattern("SH", 3)),
        title=text(),
        kind=one_of(("film", "play", "musical", "concert")),
        genre=text(),
        minutes=whole(30, 300),
        age_rating=_AGE,
    ),
    performances=table(
        performance_id=key(digits_pattern("PF")),
        show_id=reference("shows.show_id"),
        venue_id=reference("venues.venue_id"),
        starts_at=MOMENT,
        status=one_of(("scheduled", "postponed", "cancelled", "over")),
        wheelchair_spaces_left=whole(),
        zones=listed(
            record(zone=one_of(ZONES), price=money("A ticket, in the venue's currency."), free_seats=listed(text())), 1
        ),
    ),
    levels=table(
        level_id=key(r"^LV-(PLUS|PATRON)-[A-Z]{3}$"),
        level=one_of(("plus", "patron")),
        currency=one_of(CURRENCIES),
        yearly_price=money(),
        cinema_discount_percent=whole(0, 100),
        stage_discount_percent=whole(0, 100, description="Theatres and concert halls."),
    ),
    plans=table(
        plan_id=key(r"^PL-(BASIC|STANDARD|FAMILY)-[A-Z]{3}$"),
        plan=one_of(PLANS),
        currency=one_of(CURRENCIES),
        monthly_price=money(),
        screens=whole(1, description="That play at the same time."),
        downloads=whole(),
    ),
    rental_rates=table(
        rate_id=key(r"^RR-(LIBRARY|RECENT|PREMIERE)-[A-Z]{3}$"),
        rate=one_of(RATES),
        currency=one_of(CURRENCIES),
        price=money(),
        days=whole(1, description="In which a rental is to be started."),
    ),
    titles=table(
        title_id=key(digits_pattern("TI", 4)),
        name=text(),
        genre=one_of(STREAM_GENRES),
        year=whole(1930, 2026),
        minutes=whole(20, 300),
        age_rating=_AGE,
        rating=number(1, 10, description="By viewers, of 10."),
        rate=one_of(RATES),
        included_in=listed(one_of(PLANS)),
    ),
    members=table(
        member_id=key(digits_pattern("MB")),
        name=text(),
        email=EMAIL,
        birth_date=DATE,
        country=text("^[A-Z]{2}$"),
        city=text(),
        currency=one_of(CURRENCIES),
        points=whole(),
        joined_on=DATE,
    ),
    memberships=table(
        membership_id=key(hex_pattern("MS")),
        member_id=reference("members.member_id"),
        level_id=reference("levels.level_id"),
        valid_from=DATE,
        valid_until=DATE,
    ),
    gift_cards=table(
        gift_card_id=key(hex_pattern("GC")),
        member_id=reference("members.member_id"),
        bought_by=reference("members.member_id"),
        balance=money(),
        currency=one_of(CURRENCIES),
        valid_until=DATE,
        extended=FLAG,
    ),
    bookings=table(
        booking_id=key(hex_pattern("BK")),
        member_id=reference("members.member_id"),
        performance_id=reference("performances.performance_id"),
        zone=one_of(ZONES),
        seats=listed(text(), 1),
        price_each=money("What a ticket costs in the zone, before discount."),
        discount_percent=whole(0, 100),
        fee_total=money("Booking fees; never refunded but for a cancelled or postponed performance."),
        protection_cost=money("Ticket protection; 0: none."),
        total=money("All that was paid."),
        currency=one_of(CURRENCIES),
        gift_card_id={"type": ["string", "null"], "x-references": "gift_cards.gift_card_id"},
        status=one_of(("confirmed", "on_resale", "sold", "cancelled", "used")),
        booked_at=MOMENT,
        refund_amount=optional(money()),
    ),
    resale_listings=table(
        listing_id=key(hex_pattern("RS")),
        seller_id=reference("members.member_id"),
        booking_id=reference("bookings.booking_id"),
        price_each=money(),
        status=one_of(("open", "sold", "withdrawn")),
        listed_at=MOMENT,
    ),
    waitlist=table(
        wait_id=key(hex_pattern("WT")),
        member_id=reference("members.member_id"),
        performance_id=reference("performances.performance_id"),
        zone=one_of(ZONES),
        tickets=whole(1, 8),
        joined_at=MOMENT,
    ),
    access_requests=table(
        access_id=key(hex_pattern("AC")),
        member_id=reference("members.member_id"),
        booking_id=reference("bookings.booking_id"),
        kind=one_of(ACCESS),
    ),
    complaints=table(
        complaint_id=key(hex_pattern("CP")),
        member_id=reference("members.member_id"),
        booking_id=reference("bookings.booking_id"),
        problem=one_of(PROBLEMS),
        goodwill=money(),
        filed_at=MOMENT,
    ),
    subscriptions=table(
        subscription_id=key(hex_pattern("SB")),
        member_id=reference("members.member_id"),
        plan_id=reference("plans.plan_id"),
        status=one_of(("active", "paused", "ended")),
        started_on=DATE,
        minimum_until=DATE,
        next_billing=DATE,
        next_plan_id={"type": ["string", "null"], "x-references": "plans.plan_id"},
        paused_on=optional(DATE),
        ends_on=optional(DATE),
    ),
    rentals=table(
        rental_id=key(hex_pattern("RN")),
        member_id=reference("members.member_id"),
        title_id=reference("titles.title_id"),
        price=money(),
        currency=one_of(CURRENCIES),
        rented_at=MOMENT,
        start_by=DATE,
        status=one_of(("unwatched", "started", "refunded", "expired")),
    ),
    watchlist=table(
        watch_id=key(hex_pattern("WL")),
        member_id=reference("members.member_id"),
        title_id=reference("titles.title_id"),
        added_on=DATE,
    ),
)
"""Eighteen tables. Sums are in the currency that the record, its venue or its member names."""
