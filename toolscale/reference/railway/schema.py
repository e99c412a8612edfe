"""The railway's database as a JSON Schema: fifteen tables, their keys and what they refer to."""

from typing import Any

from toolscale.artifacts.base import Schema

COUNTRIES = ["AT", "BE", "CH", "CZ", "DE", "ES", "FR", "GB", "HU", "IT", "NL", "PL"]
CAUSES = ["signal_failure", "rolling_stock_fault", "staff_shortage", "late_turnaround", "infrastructure_works",
          "severe_weather", "trespassers_on_track"]  # fmt: skip
ASSISTANCE = ["wheelchair_ramp", "boarding_guide", "guide_for_blind_passenger", "luggage_help"]
HEX = "[0-9A-F]{6}"
MOMENT = r"^2026-\d{2}-\d{2}T\d{2}:\d{2}$"
CLOCK = r"^([01]\d|2[0-3]):[0-5]\d$"


def _text(pattern: str | None = None, **extra: Any) -> Schema:
    return {"type": "string", **({"pattern": pattern} if pattern else {"minLength": 1}), **extra}


def _key(pattern: str) -> Schema:
    return {"type": "string", "pattern": pattern, "x-primary-key": True}


def _reference(target: str) -> Schema:
    return {"type": "string", "x-references": target}


def _one_of(*values: str) -> Schema:
    return {"type": "string", "enum": list(values)}


def _whole(minimum: int = 0, **extra: Any) -> Schema:
    return {"type": "integer", "minimum": minimum, **extra}


def _list(members: Schema, minimum: int = 1) -> Schema:
    return {"type": "array", "items": members, "minItems": minimum}


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _table(**properties: Schema) -> Schema:
    return {"type": "object", "additionalProperties": _object(**properties)}


DATE: Schema = {"type": "string", "format": "date"}
MONEY: Schema = {"type": "number", "minimum": 0, "description": "EUR"}
TRAVEL_CLASS = _one_of("second", "first")

SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "stations": _table(
            station_code=_key(r"^[A-Z]{5}$"),
            name=_text(),
            city=_text(),
            country=_one_of(*COUNTRIES),
            platforms=_whole(1),
            assistance_from=_text(CLOCK),
            assistance_until=_text(CLOCK),
            assistance_notice_hours=_whole(1),
        ),
        "lounges": _table(
            lounge_id=_key(r"^LG-[A-Z]{5}\d$"),
            station_code=_reference("stations.station_code"),
            name=_text(),
            opens=_text(CLOCK),
            closes=_text(CLOCK),
            visit_fee=MONEY,
        ),
        "trainsets": _table(
            trainset_id=_key(r"^TS-[A-Z0-9]{3}$"),
            name=_text(),
            top_speed_kmh=_whole(80),
            bicycle_places=_whole(),
            coaches=_list(
                _object(
                    number=_whole(1),
                    travel_class=TRAVEL_CLASS,
                    zone=_one_of("standard", "quiet", "family"),
                    window_seats=_list(_whole(1)),
                    aisle_seats=_list(_whole(1)),
                )
            ),
        ),
        "fares": _table(
            fare_id=_key(r"^FR-(SAVER|STANDARD|FLEX)-[12]$"),
            fare=_one_of("saver", "standard", "flex"),
            travel_class=TRAVEL_CLASS,
            price_factor={"type": "number", "exclusiveMinimum": 0},
            exchange_fee={"type": ["number", "null"], "minimum": 0, "description": "EUR each; null: not allowed"},
            refund_percent=_whole(maximum=100),
            refund_until_minutes=_whole(description="Minutes before departure after which nothing is refunded."),
            sale_closes_hours=_whole(description="Hours before departure after which the fare is no longer sold."),
        ),
        "card_products": _table(
            product_id=_key(r"^CP-[A-Z]+\d{2}$"),
            name=_text(),
            discount_percent=_whole(1, maximum=100),
            travel_class=TRAVEL_CLASS,
            price=MONEY,
            months=_whole(1),
            minimum_age=_whole(),
            maximum_age=_whole(),
        ),
        "services": _table(
            service_id=_key(r"^(HS|EC|RJ|NJ)\d{2,4}-\d{4}$"),
            brand=_one_of("High Speed", "EuroCity", "Railjet", "Night Jet"),
            trainset_id=_reference("trainsets.trainset_id"),
            travel_date=DATE,
            stops=_list(_reference("stations.station_code"), 2),
            arrivals=_list(_text(MOMENT), 2),
            departures=_list(_text(MOMENT), 2),
            kilometres=_list(_whole(), 2),
            rate_per_km={"type": "number", "exclusiveMinimum": 0, "description": "EUR, second class, standard fare"},
            seats_second=_whole(),
            seats_first=_whole(),
            bicycle_places_left=_whole(),
            status=_one_of("scheduled", "delayed", "cancelled", "completed"),
            delay_minutes=_whole(),
        ),
        "disruptions": _table(
            disruption_id=_key(f"^DS-{HEX}$"),
            service_id=_reference("services.service_id"),
            cause=_one_of(*CAUSES),
            extraordinary={"type": "boolean", "description": "True: beyond the operator's control, no compensation."},
            reported_at=_text(MOMENT),
            delay_minutes=_whole(),
        ),
        "passengers": _table(
            passenger_id=_key(r"^PX-\d{5}$"),
            name=_text(),
            email={"type": "string", "format": "email"},
            birth_date=DATE,
            country=_one_of(*COUNTRIES),
            home_station=_reference("stations.station_code"),
            tier=_one_of("basic", "silver", "gold"),
            points=_whole(),
        ),
        "cards": _table(
            card_id=_key(f"^RC-{HEX}$"),
            passenger_id=_reference("passengers.passenger_id"),
            product_id=_reference("card_products.product_id"),
            valid_from=DATE,
            valid_until=DATE,
            auto_renew={"type": "boolean"},
        ),
        "vouchers": _table(
            voucher_id=_key(f"^VC-{HEX}$"),
            passenger_id=_reference("passengers.passenger_id"),
            amount=MONEY,
            valid_until=DATE,
            status=_one_of("open", "used"),
        ),
        "bookings": _table(
            booking_id=_key(f"^RB-{HEX}$"),
            passenger_id=_reference("passengers.passenger_id"),
            service_id=_reference("services.service_id"),
            origin=_reference("stations.station_code"),
            destination=_reference("stations.station_code"),
            fare_id=_reference("fares.fare_id"),
            travellers=_whole(1, maximum=6),
            bicycles=_whole(),
            discount_percent=_whole(maximum=100, description="Off the holder's own ticket, by rail card."),
            price_total=MONEY,
            payment_method={"type": ["string", "null"], "enum": ["card", "points", None]},
            status=_one_of("held", "confirmed", "cancelled", "travelled"),
            booked_at=_text(MOMENT),
            hold_until={"type": ["string", "null"], "pattern": MOMENT},
            refund_amount={"type": ["number", "null"], "minimum": 0},
            refund_to={"type": ["string", "null"], "enum": ["original_payment", "voucher", None]},
        ),
        "reservations": _table(
            reservation_id=_key(f"^SR-{HEX}$"),
            passenger_id=_reference("passengers.passenger_id"),
            booking_id=_reference("bookings.booking_id"),
            service_id=_reference("services.service_id"),
            coach=_whole(1),
            seat=_whole(1),
        ),
        "claims": _table(
            claim_id=_key(f"^CL-{HEX}$"),
            passenger_id=_reference("passengers.passenger_id"),
            booking_id=_reference("bookings.booking_id"),
            delay_minutes=_whole(),
            percent={"type": "integer", "enum": [25, 50]},
            amount=MONEY,
            payout=_one_of("bank_transfer", "voucher"),
            status=_one_of("submitted", "paid"),
            filed_at=_text(MOMENT),
        ),
        "assistance": _table(
            assistance_id=_key(f"^AS-{HEX}$"),
            passenger_id=_reference("passengers.passenger_id"),
            booking_id=_reference("bookings.booking_id"),
            station_code=_reference("stations.station_code"),
            kind=_one_of(*ASSISTANCE),
            meet_at=_text(MOMENT),
        ),
        "lounge_visits": _table(
            visit_id=_key(f"^LV-{HEX}$"),
            passenger_id=_reference("passengers.passenger_id"),
            booking_id=_reference("bookings.booking_id"),
            lounge_id=_reference("lounges.lounge_id"),
            arrive_at=_text(MOMENT),
            fee=MONEY,
        ),
    },
    "additionalProperties": False,
}
