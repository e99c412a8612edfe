"""What the railway's passengers have bought: journeys to come and journeys made, and all that hangs on them."""

from datetime import datetime, timedelta
from itertools import combinations
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Database
from toolscale.reference.railway.functions.changes import BICYCLE_PRICE
from toolscale.reference.railway.network import moment_text, new_key
from toolscale.reference.railway.plausibility import party_price

Record = dict[str, Any]

_SOON = moment_text(PRESENT + timedelta(days=1))
"""Trains before that are booked more often: they are the ones about which there is no time to lose."""


class Sales:
    """Draws bookings of every passenger on the trains that run, ran, or were to run."""

    def __init__(self, database: Database, coming: dict[str, Record], past: dict[str, Record], rng: Random) -> None:
        self._database: Any = database
        self._coming, self._past, self._rng = coming, past, rng
        self._taken: dict[str, Any] = {}
        self._upcoming: Database = {"bookings": {}, "reservations": {}, "assistance": {}, "lounge_visits": {}}
        self._pending: Database = {"bookings": {}}
        self._travelled: Database = {"bookings": {}, "claims": {}}

    def made(self) -> tuple[Database, Database, Database]:
        """Upcoming, pending (held or cancelled) and travelled bookings, with what hangs on them."""
        for passenger in self._database["passengers"]:
            self._sell_to(passenger)
        return self._upcoming, self._pending, self._travelled

    def _sell_to(self, passenger: str) -> None:
        """Nobody books two trains for one day, except to hold a seat on another until the choice is made."""
        rng, country = self._rng, self._database["passengers"][passenger]["country"]
        near = {key: 4 if self._calls_in(service, country) else 1 for key, service in self._coming.items()}
        near |= {key: 5 * near[key] for key, service in self._coming.items() if service["departures"][0] < _SOON}
        disturbed = [key for key, service in self._coming.items() if _disturbed(service)]
        chosen = [rng.choice(disturbed)] if rng.random() < 0.4 else []
        days = {self._coming[key]["travel_date"] for key in chosen}
        for _ in range(rng.choice((1, 2, 2, 3)) - len(chosen)):
            free = [key for key, service in self._coming.items() if service["travel_date"] not in days]
            chosen.append(rng.choices(free, [near[key] for key in free])[0])
            days.add(self._coming[chosen[-1]]["travel_date"])
        for service in chosen:
            self._extras(self._book(passenger, service, "confirmed", self._upcoming))
        before = {key: 4 if self._calls_in(service, country) else 1 for key, service in self._past.items()}
        travelled = rng.choices(list(before), list(before.values()), k=rng.choice((1, 2, 3, 3)))
        for service in dict.fromkeys(travelled):
            self._claim(self._book(passenger, service, "travelled", self._travelled))
        tomorrow = (PRESENT + timedelta(days=1)).date().isoformat()
        later = [
            key
            for key, service in self._coming.items()
            if service["status"] != "cancelled" and service["travel_date"] >= tomorrow
        ]
        for service in rng.sample(later, rng.choice((0, 0, 1, 2, 2, 3))):
            self._book(passenger, service, "held", self._pending)
        if rng.random() < 0.45:
            self._book(passenger, rng.choice(list(self._coming)), "cancelled", self._pending)

    def _calls_in(self, service: Record, country: str) -> bool:
        return any(self._database["stations"][stop]["country"] == country for stop in service["stops"])

    def _book(self, passenger: str, service: str, status: str, into: Database) -> Record:
        booking = self._booking(passenger, service, status)
        self._taken[booking["booking_id"]] = into["bookings"][booking["booking_id"]] = booking
        return booking

    def _leg(self, passenger: str, service: Record) -> tuple[int, int]:
        """Where somebody gets on and off: rather far, and rather from or to their own country."""
        stations, home = self._database["stations"], self._database["passengers"][passenger]["country"]
        legs = list(combinations(range(len(service["stops"])), 2))
        weights = [
            (end - begin) ** 2
            * (3 if home in {stations[service["stops"][at]]["country"] for at in (begin, end)} else 1)
            for begin, end in legs
        ]
        return self._rng.choices(legs, weights)[0]

    def _booking(self, passenger: str, service_id: str, status: str) -> Record:
        rng, service = self._rng, self._database["services"][service_id]
        begin, end = self._leg(passenger, service)
        saver = () if status in ("held", "cancelled") else ("saver", "saver")
        fare = f"FR-{rng.choice((*saver, 'standard', 'standard', 'flex', 'flex')).upper()}-{rng.choice((2, 2, 2, 1))}"
        travellers = rng.choice((1, 1, 1, 2, 2, 3))
        discount = self._discount(passenger, fare, service["travel_date"])
        bicycles = 1 if service["bicycle_places_left"] > 1 and rng.random() < 0.15 else 0
        price = party_price(service, self._database["fares"][fare], begin, end, travellers, discount)
        price = round(price + bicycles * BICYCLE_PRICE, 2)
        departs = datetime.fromisoformat(service["departures"][begin])
        if status == "held":
            booked = PRESENT - timedelta(hours=rng.randint(1, 20), minutes=rng.randint(0, 59))
        else:
            booked = min(departs, PRESENT) - timedelta(days=rng.randint(1, 60), minutes=rng.randint(0, 1200))
        hold = min(booked + timedelta(hours=48), departs - timedelta(hours=2))
        back = rng.choice(("original_payment", "voucher")) if status == "cancelled" else None
        percent = 100 if _disturbed(service) else self._database["fares"][fare]["refund_percent"]
        return {
            "booking_id": new_key("RB", self._taken, rng),
            "passenger_id": passenger,
            "service_id": service_id,
            "origin": service["stops"][begin],
            "destination": service["stops"][end],
            "fare_id": fare,
            "travellers": travellers,
            "bicycles": bicycles,
            "discount_percent": discount,
            "price_total": price,
            "payment_method": None if status == "held" else rng.choice(("card", "card", "card", "points")),
            "status": status,
            "booked_at": moment_text(booked),
            "hold_until": moment_text(hold) if status == "held" else None,
            "refund_amount": round(price * percent / 100, 2) if back else None,
            "refund_to": back,
        }

    def _discount(self, passenger: str, fare: str, day: str) -> int:
        """The best discount of the holder's cards that are valid on that day and in that class."""
        products = self._database["card_products"]
        discounts = [
            products[card["product_id"]]["discount_percent"]
            for card in self._database["cards"].values()
            if card["passenger_id"] == passenger
            and card["valid_from"] <= day <= card["valid_until"]
            and (fare.endswith("2") or products[card["product_id"]]["travel_class"] == "first")
        ]
        return max(discounts, default=0)

    def _extras(self, booking: Record) -> None:
        """Some upcoming journeys come with seats, assistance or a lounge visit."""
        service = self._database["services"][booking["service_id"]]
        if service["status"] == "cancelled":
            return
        departs = datetime.fromisoformat(service["departures"][service["stops"].index(booking["origin"])])
        if self._rng.random() < 0.35:
            self._seat(booking, service)
        if self._rng.random() < 0.25:
            self._assist(booking, departs)
        if self._rng.random() < 0.4:
            self._lounge(booking, departs)

    def _seat(self, booking: Record, service: Record) -> None:
        coaches = self._database["trainsets"][service["trainset_id"]]["coaches"]
        wanted = "first" if booking["fare_id"].endswith("1") else "second"
        coach = self._rng.choice([coach for coach in coaches if coach["travel_class"] == wanted])
        seats, taken = sorted(coach["window_seats"] + coach["aisle_seats"])[:12], self._upcoming["reservations"]
        for seat in self._rng.sample(seats, booking["travellers"]):
            place = {"service_id": booking["service_id"], "coach": coach["number"], "seat": seat}
            if all({**each, **place} != each for each in taken.values()):
                key = new_key("SR", taken, self._rng)
                taken[key] = {"reservation_id": key, **_owner(booking), **place}

    def _assist(self, booking: Record, departs: datetime) -> None:
        station = self._database["stations"][booking["origin"]]
        meet = moment_text(departs - timedelta(minutes=30))
        if not station["assistance_from"] <= meet[11:] <= station["assistance_until"]:
            return
        key = new_key("AS", self._upcoming["assistance"], self._rng)
        kind = self._rng.choice(("wheelchair_ramp", "boarding_guide", "guide_for_blind_passenger", "luggage_help"))
        self._upcoming["assistance"][key] = {
            "assistance_id": key,
            **_owner(booking),
            "station_code": booking["origin"],
            "kind": kind,
            "meet_at": meet,
        }

    def _lounge(self, booking: Record, departs: datetime) -> None:
        lounges = [each for each in self._database["lounges"].values() if each["station_code"] == booking["origin"]]
        arrives = departs - timedelta(minutes=self._rng.choice((40, 55, 70)))
        suitable = [each for each in lounges if each["opens"] <= arrives.strftime("%H:%M") < each["closes"]]
        if not suitable:
            return
        key = new_key("LV", self._upcoming["lounge_visits"], self._rng)
        lounge = self._rng.choice(suitable)
        gold = self._database["passengers"][booking["passenger_id"]]["tier"] == "gold"
        self._upcoming["lounge_visits"][key] = {
            "visit_id": key,
            **_owner(booking),
            "lounge_id": lounge["lounge_id"],
            "arrive_at": moment_text(arrives),
            "fee": 0.0 if gold or booking["fare_id"] == "FR-FLEX-1" else lounge["visit_fee"],
        }

    def _claim(self, booking: Record) -> None:
        """A quarter of those who may claim compensation already did."""
        service, disruptions = self._database["services"][booking["service_id"]], self._database["disruptions"]
        excused = any(
            each["extraordinary"] for each in disruptions.values() if each["service_id"] == booking["service_id"]
        )
        percent = 50 if service["delay_minutes"] >= 120 else 25
        amount = round(booking["price_total"] * percent / 100, 2)
        if service["delay_minutes"] < 60 or excused or amount < 4 or self._rng.random() > 0.25:
            return
        claims = self._travelled["claims"]
        key = new_key("CL", claims, self._rng)
        arrived = datetime.fromisoformat(service["arrivals"][-1])
        claims[key] = {
            "claim_id": key,
            **_owner(booking),
            "delay_minutes": service["delay_minutes"],
            "percent": percent,
            "amount": amount,
            "payout": self._rng.choice(("bank_transfer", "voucher")),
            "status": self._rng.choice(("submitted", "paid")),
            "filed_at": moment_text(min(arrived + timedelta(days=self._rng.randint(1, 9)), PRESENT)),
        }


def _disturbed(service: Record) -> bool:
    return bool(service["status"] == "cancelled" or service["delay_minutes"] >= 60)


def _owner(booking: Record) -> Record:
    return {"passenger_id": booking["passenger_id"], "booking_id": booking["booking_id"]}
