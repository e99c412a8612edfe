"""What the agency's travellers have bought: flights, hotel stays, tours, and the papers that go with them."""

from datetime import date
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.ids import Ids
from toolscale.reference.moments import at, day, shifted, some_clock
from toolscale.reference.sums import rounded
from toolscale.reference.travel.functions.arrivals import EXTRAORDINARY
from toolscale.reference.travel.functions.papers import SERVICE_FEE
from toolscale.reference.travel.functions.tours import DEPOSIT_SHARE
from toolscale.reference.travel.prices import compensation, flight_price, premium, stay_price
from toolscale.reference.travel.schema import PROBLEMS

Record = dict[str, Any]
TODAY = day(0)


class Purchases:
    """Draws what everybody has bought; each table refers to those drawn before it."""

    def __init__(self, database: Database, ids: Ids, rng: Random) -> None:
        self._db: Any = database
        self._ids = ids
        self._rng = rng
        self._trips: list[tuple[str, str, str]] = []
        """Traveller, destination and day of arrival of each flight out."""

    def flights(self) -> Database:
        """Four coming flights a traveller, two or three flown, and what hangs on them."""
        rng, bookings = self._rng, {}
        flights = list(self._db["flights"].values())
        for traveller in self._db["travellers"].values():
            home = traveller["home_airport"]
            out = [each for each in flights if each["origin"] == home and each["status"] != "landed"]
            back = [each for each in flights if each["destination"] == home and each["status"] != "landed"]
            flown = [
                each for each in flights if each["status"] == "landed" and home in (each["origin"], each["destination"])
            ]
            first = rng.choice(out)
            same = [each for each in back if each["origin"] == first["destination"]]
            others = [each for each in out if each["destination"] != first["destination"]]
            party = rng.choice((1, 1, 2, 2, 3))
            soon = [each for each in out if each["departure"] < day(4)]
            chosen = (*soon[:1], *rng.sample(others, 2), rng.choice(same), first)
            for flight in {each["departure"][:10]: each for each in chosen}.values():  # one flight a day
                fare = "FR-CLASSIC" if flight in soon else ""
                key, booking = self._flight_booking(traveller, flight, party, "confirmed", fare)
                bookings[key] = booking
                if flight["origin"] == home and flight["status"] != "cancelled":
                    self._trips.append((traveller["traveller_id"], flight["destination"], flight["arrival"][:10]))
            for flight in rng.sample(flown, rng.choice((2, 2, 3))):
                key, booking = self._flight_booking(traveller, flight, party, "flown")
                bookings[key] = booking
            if rng.random() < 0.25:
                key, booking = self._flight_booking(traveller, rng.choice(out), 1, "cancelled", "FR-CLASSIC")
                bookings[key] = booking
        self._db["flight_bookings"] = bookings
        return {"flight_bookings": bookings, "transfers": self._transfers(), "claims": self._claims()}

    def _flight_booking(
        self, traveller: Record, flight: Record, party: int, status: str, fare_id: str = ""
    ) -> tuple[str, Record]:
        rng = self._rng
        usual = rng.choice(("FR-LIGHT", "FR-LIGHT", "FR-CLASSIC", "FR-CLASSIC", "FR-FLEX"))
        key, fare = self._ids.hex("FB"), self._db["fares"][fare_id or usual]
        carrier = self._db["carriers"][flight["carrier_code"]]
        cabin, bags = rng.choice(("economy",) * 5 + ("business",)), rng.choice((0, 0, 0, 1))
        total = flight_price(flight, carrier, fare, cabin, party, bags)
        cancelled = status == "cancelled"
        booked_on = TODAY if flight["departure"] > TODAY else flight["departure"]
        booked = shifted(at(booked_on[:10], some_clock(rng, "08:00", "21:30", 7)), -rng.randint(2, 60) * 24 * 60)
        return key, {
            "booking_id": key,
            "traveller_id": traveller["traveller_id"],
            "flight_id": flight["flight_id"],
            "fare_id": fare["fare_id"],
            "cabin": cabin,
            "travellers": party,
            "extra_bags": bags,
            "price_total": total,
            "status": status,
            "booked_at": booked,
            "refund_amount": rounded(total * fare["refund_percent"] / 100) if cancelled else None,
            "refund_to": rng.choice(("card", "voucher")) if cancelled else None,
            "upgrade_paid_by": None,
        }

    def _transfers(self) -> dict[str, Record]:
        transfers: dict[str, Record] = {}
        for booking in self._db["flight_bookings"].values():
            flight = self._db["flights"][booking["flight_id"]]
            if booking["status"] != "confirmed" or flight["status"] == "cancelled" or self._rng.random() > 0.16:
                continue
            options = self._db["destinations"][flight["destination"]]["transfers"]
            option = self._rng.choice([each for each in options if each["seats"] >= booking["travellers"]])
            key = self._ids.hex("TR")
            transfers[key] = {
                "transfer_id": key,
                "traveller_id": booking["traveller_id"],
                "booking_id": booking["booking_id"],
                "vehicle": option["vehicle"],
                "direction": "from_airport",
                "pick_up": shifted(flight["arrival"], 45),
                "price": option["price"],
            }
        return transfers

    def _claims(self) -> dict[str, Record]:
        claims: dict[str, Record] = {}
        for booking in self._db["flight_bookings"].values():
            flight = self._db["flights"][booking["flight_id"]]
            due = compensation(flight["distance_km"], flight["delay_minutes"]) * booking["travellers"]
            if (
                booking["status"] == "flown"
                and due
                and flight["cause"] not in EXTRAORDINARY
                and self._rng.random() < 0.2
            ):
                key = self._ids.hex("CL")
                claims[key] = {
                    "claim_id": key,
                    "traveller_id": booking["traveller_id"],
                    "booking_id": booking["booking_id"],
                    "delay_minutes": flight["delay_minutes"],
                    "amount": due,
                    "payout": self._rng.choice(("bank_transfer", "voucher")),
                    "filed_at": at(day(-self._rng.randint(1, 5)), "11:20"),
                }
        return claims

    def stays(self) -> Database:
        """A room for most trips, two stays elsewhere, two completed; complaints about some of those."""
        rng, stays = self._rng, {}
        for traveller, place, arrival in self._trips:
            if rng.random() < 0.85 and (rooms := self._rooms_at(place)):
                ahead = (date.fromisoformat(arrival) - date.fromisoformat(TODAY)).days
                key, stay = self._stay(traveller, rng.choice(rooms), ahead, "confirmed")
                stays[key] = stay
        for traveller in self._db["travellers"]:
            coming = [("confirmed", rng.randint(12, 90)) for _ in range(2)]
            for status, ahead in (*coming, *(("completed", -rng.randint(9, 36)) for _ in range(2))):
                key, stay = self._stay(traveller, rng.choice(list(self._db["rooms"].values())), ahead, status)
                stays[key] = stay
            if rng.random() < 0.2:
                room = rng.choice(list(self._db["rooms"].values()))
                key, stay = self._stay(traveller, room, rng.randint(15, 60), "cancelled")
                stays[key] = stay
        self._db["stays"] = stays
        return {"stays": stays, "complaints": self._complaints()}

    def _rooms_at(self, place: str) -> list[Record]:
        hotels = {key for key, hotel in self._db["hotels"].items() if hotel["destination_code"] == place}
        return [room for room in self._db["rooms"].values() if room["hotel_id"] in hotels]

    def _stay(self, traveller: str, room: Record, ahead: int, status: str) -> tuple[str, Record]:
        rng, key = self._rng, self._ids.hex("HS")
        nights, guests = rng.randint(2, 7), rng.randint(1, min(room["sleeps"], 3))
        rate, board = rng.choice(("flexible", "flexible", "saver")), rng.choice(("room_only", "room_only", "breakfast"))
        total = stay_price(self._db["hotels"][room["hotel_id"]], room, nights, guests, rate, board)
        return key, {
            "stay_id": key,
            "traveller_id": traveller,
            "room_id": room["room_id"],
            "check_in": day(ahead),
            "check_out": day(ahead + nights),
            "guests": guests,
            "rate": rate,
            "board": board,
            "price_total": total,
            "status": status,
            "booked_at": at(day(min(ahead, 0) - rng.randint(2, 50)), some_clock(rng, "08:00", "21:30", 7)),
            "refund_amount": total if status == "cancelled" else None,
            "refund_to": "card" if status == "cancelled" else None,
        }

    def _complaints(self) -> dict[str, Record]:
        complaints: dict[str, Record] = {}
        for stay in self._db["stays"].values():
            if stay["status"] == "completed" and self._rng.random() < 0.2:
                key = self._ids.hex("CM")
                complaints[key] = {
                    "complaint_id": key,
                    "traveller_id": stay["traveller_id"],
                    "stay_id": stay["stay_id"],
                    "problem": self._rng.choice(PROBLEMS),
                    "remedy": self._rng.choice(("points", "voucher")),
                    "amount": rounded(stay["price_total"] * 0.1),
                    "resolved": True,
                    "filed_at": at(day(-self._rng.randint(1, 4)), "16:05"),
                }
        return complaints

    def tours(self) -> Database:
        """A tour or two a traveller, paid or with a deposit, and places on waiting lists."""
        rng = self._rng
        bookings: dict[str, Record] = {}
        waitlist: dict[str, Record] = {}
        departures = list(self._db["departures"].values())
        coming = [each for each in departures if each["start_date"] > TODAY]
        past = [each for each in departures if each["start_date"] < TODAY]
        for traveller in self._db["travellers"]:
            for departure in rng.sample(coming, rng.choice((2, 2, 3))):
                key, booking = self._tour_booking(traveller, departure, rng.choice(("reserved",) * 3 + ("paid",)))
                bookings[key] = booking
            if rng.random() < 0.3:
                key, booking = self._tour_booking(traveller, rng.choice(past), "completed")
                bookings[key] = booking
            if rng.random() < 0.15:
                key, booking = self._tour_booking(traveller, rng.choice(coming), "cancelled")
                bookings[key] = booking
            if rng.random() < 0.8:
                full, key = rng.choice([each for each in coming if not each["places_left"]]), self._ids.hex("WL")
                waitlist[key] = {
                    "waitlist_id": key,
                    "traveller_id": traveller,
                    "departure_id": full["departure_id"],
                    "travellers": rng.choice((1, 2, 2)),
                    "joined_at": at(day(-rng.randint(2, 30)), some_clock(rng, "08:00", "21:30", 7)),
                }
        return {"tour_bookings": bookings, "waitlist": waitlist}

    def _tour_booking(self, traveller: str, departure: Record, status: str) -> tuple[str, Record]:
        rng, key = self._rng, self._ids.hex("TB")
        party = rng.choice((1, 2, 2, 3))
        total = rounded(departure["price"] * party)
        ahead = (date.fromisoformat(departure["start_date"]) - date.fromisoformat(TODAY)).days
        status = "paid" if status == "reserved" and ahead < 30 else status
        paid = rounded(total * DEPOSIT_SHARE) if status in ("reserved", "cancelled") else total
        return key, {
            "tour_booking_id": key,
            "traveller_id": traveller,
            "departure_id": departure["departure_id"],
            "travellers": party,
            "price_total": total,
            "paid": paid,
            "status": status,
            "booked_at": at(day(min(ahead, 0) - rng.randint(5, 70)), some_clock(rng, "08:00", "21:30", 7)),
            "refund_amount": 0.0 if status == "cancelled" else None,
            "refund_to": "card" if status == "cancelled" else None,
        }

    def papers(self) -> Database:
        """Insurance for some trips, and visa applications for those countries that ask for one."""
        insurances: dict[str, Record] = {}
        applications: dict[str, Record] = {}
        for traveller, place, arrival in self._trips:
            if self._rng.random() < 0.7:
                key = self._ids.hex("IP")
                insurances[key] = self._insurance(key, traveller, place, arrival)
        asking = [rules for rules in self._db["entry_rules"].values() if rules["requirement"] != "none"]
        for traveller, person in self._db["travellers"].items():
            there = self._rng.choice([each for each in asking if person["nationality"] != each["country"]])
            if self._rng.random() < 0.95:
                key = self._ids.hex("VA")
                applications[key] = self._application(key, traveller, there)
        return {"insurances": insurances, "visa_applications": applications}

    def _insurance(self, key: str, traveller: str, place: str, arrival: str) -> Record:
        rng, region = self._rng, self._db["destinations"][place]["region"]
        born = self._db["travellers"][traveller]["birth_date"]
        products = [
            each
            for each in self._db["insurance_products"].values()
            if each["region"] in (region, "worldwide") and 2026 - int(born[:4]) < each["maximum_age"]
        ]
        product, days = rng.choice(products), rng.randint(4, 15)
        ahead = (date.fromisoformat(arrival) - date.fromisoformat(TODAY)).days
        trip_price = float(rng.randrange(350, 2900, 10))
        return {
            "insurance_id": key,
            "traveller_id": traveller,
            "product_id": product["product_id"],
            "destination_code": place,
            "start_date": arrival,
            "end_date": day(ahead + days - 1),
            "trip_price": trip_price,
            "premium": premium(product, trip_price, days),
            "status": "active",
            "bought_on": day(-rng.randint(1, 28)),
        }

    def _application(self, key: str, traveller: str, rules: Record) -> Record:
        days, submitted = rules["processing_days"], self._rng.choice((0, 0, 1, 1, 2, 5))
        return {
            "application_id": key,
            "traveller_id": traveller,
            "country": rules["country"],
            "arrival_date": day(self._rng.randint(10, 60)),
            "speed": "standard",
            "fee": rounded(rules["fee"] + SERVICE_FEE),
            "status": "approved" if days <= submitted else "submitted",
            "submitted_on": day(-submitted),
            "ready_by": day(days - submitted),
        }
