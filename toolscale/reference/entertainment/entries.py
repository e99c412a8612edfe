"""The world of the ticket office: houses and catalogue first, then its members, region by region."""

from collections.abc import Callable
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.entertainment.catalogue import priced
from toolscale.reference.entertainment.functions.bookings import GOODWILL as _GOODWILL
from toolscale.reference.entertainment.plausibility import booking_total
from toolscale.reference.entertainment.programme import houses, seats_sold, streaming
from toolscale.reference.entertainment.schema import ACCESS, PROBLEMS
from toolscale.reference.ids import Ids
from toolscale.reference.moments import NOW, age, birth_date, day, shifted
from toolscale.reference.people import People, Person
from toolscale.reference.places import COUNTRIES
from toolscale.reference.sums import rounded

Record = dict[str, Any]
Suits = Callable[[Record, Record], bool]

REGIONS = {
    "members in Germany and Austria": ("DE", "AT"),
    "members in France and Italy": ("FR", "IT"),
    "members in the United Kingdom and Ireland": ("GB", "IE"),
    "members in Sweden and Poland": ("SE", "PL"),
    "members in Switzerland and the Netherlands": ("CH", "NL"),
}
_MEMBERS = 14


def world(seed: int) -> dict[str, Database]:
    """Subject -> its entries, the same for the same seed; references point to the same or an earlier subject."""
    return _Audience(seed).subjects()


class _Audience:
    """Members one after the other, with all that each of them holds."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(f"entertainment {seed}")
        self.ids = Ids(self.rng)
        self.people = People(seed)
        self.everything: dict[str, dict[str, Record]] = {}
        self.entries: dict[str, dict[str, Record]] = {}
        self.sold: set[tuple[str, str]] = set()

    def subjects(self) -> dict[str, Database]:
        found: dict[str, Any] = {
            "cinemas and their programme": houses("cinema", self.rng, self.ids),
            "theatres and their programme": houses("theatre", self.rng, self.ids),
            "concert halls and their programme": houses("concert_hall", self.rng, self.ids),
            "streaming catalogue, plans and memberships": streaming(),
        }
        for entries in found.values():
            for table, records in entries.items():
                self.everything.setdefault(table, {}).update(records)
        for subject, countries in REGIONS.items():
            self.entries = {}
            members = [self.join(self.people.one(countries[index % 2])) for index in range(_MEMBERS)]
            for index, member in enumerate(members):
                self.furnish(member, index)
            found[subject] = self.entries
        return found

    def add(self, table: str, key_field: str, key: str, **fields: Any) -> Record:
        """A record in the subject and in the world."""
        record = {key_field: key, **fields}
        self.entries.setdefault(table, {})[key] = record
        self.everything.setdefault(table, {})[key] = record
        return record

    def join(self, person: Person) -> Record:
        youth = self.rng.random() < 0.3
        return self.add(
            "members",
            "member_id",
            self.ids.digits("MB"),
            name=person.name,
            email=person.email,
            birth_date=day(-self.rng.randint(5890, 6500)) if youth else birth_date(self.rng, 19, 79),
            country=person.country,
            city=person.city,
            currency=COUNTRIES[person.country].currency,
            points=self.rng.randrange(120, 5400),
            joined_on=day(-self.rng.randint(90, 720)),
        )

    def furnish(self, member: Record, index: int) -> None:
        """What a member holds; how much of each goes round in turn, so that every region has some of all."""
        rng = self.rng
        if index % 2:
            self.enrol(member)
        cards = [self.give_card(member) for _ in range((1, 3, 0, 2, 2, 3)[index % 6])]
        for _ in range((2, 3, 1, 2)[index % 4]):
            self.book(member, cards)
        self.book(member, cards, lambda p, house: house["kind"] == "theatre" and p["starts_at"] > day(4))
        if index % 2:
            self.book(member, cards, lambda p, house: p["starts_at"] > day(-24), past=True)
        if index % 3 == 2:
            on_stage = ("theatre", "concert_hall")
            self.book(
                member, cards, lambda p, house: p["status"] == "scheduled" and house["kind"] in on_stage, offered=True
            )
        if index % 3 == 1:
            self.book(member, cards, lambda p, house: house["kind"] == "theatre" and p["starts_at"] < day(2))
        if index % 3 == 0:
            self.let_wait(member)
        if index % 4:
            self.subscribe(member)
        titles = rng.sample(sorted(self.everything["titles"].values(), key=lambda each: each["title_id"]), 6)
        allowed = [title for title in titles if title["age_rating"] <= age(member["birth_date"])]
        for title in allowed[: (1, 0, 2, 1)[index % 4]]:
            self.rent(member, title)
        for title in allowed[2 : 2 + (2, 3, 0, 2)[index % 4]]:
            self.add("watchlist", "watch_id", self.ids.hex("WL"), member_id=member["member_id"],
                     title_id=title["title_id"], added_on=day(-rng.randint(1, 80)))  # fmt: skip

    def enrol(self, member: Record) -> None:
        level = self.rng.choice(("plus", "plus", "plus", "patron")).upper()
        start = -self.rng.randint(10, 85)
        self.add("memberships", "membership_id", self.ids.hex("MS"), member_id=member["member_id"],
                 level_id=f"LV-{level}-{member['currency']}", valid_from=day(start),
                 valid_until=day(start + 364))  # fmt: skip

    def give_card(self, member: Record) -> Record:
        lapsed = self.rng.random() < 0.35
        return self.add(
            "gift_cards",
            "gift_card_id",
            self.ids.hex("GC"),
            member_id=member["member_id"],
            bought_by=member["member_id"],
            balance=priced(self.rng.choice((15, 20, 25, 32, 40, 50, 64, 80, 120, 150)), member["currency"]),
            currency=member["currency"],
            valid_until=day(-self.rng.choice((self.rng.randint(5, 350), self.rng.randint(370, 640))))
            if lapsed
            else day(self.rng.randint(20, 700)),
            extended=False if lapsed else self.rng.random() < 0.2,
        )

    def book(
        self,
        member: Record,
        cards: list[Record],
        suits: Suits = lambda p, house: True,
        *,
        past: bool = False,
        offered: bool = False,
    ) -> None:
        """A booking for a performance that suits, if there is one that the member may see in their currency."""
        rng, venues = self.rng, self.everything["venues"]
        held = {each["performance_id"] for each in self.entries.get("bookings", {}).values()
                if each["member_id"] == member["member_id"]}  # fmt: skip
        candidates = [
            each
            for each in self.everything["performances"].values()
            if (each["status"] == "over") == past
            and each["performance_id"] not in held
            and venues[each["venue_id"]]["currency"] == member["currency"]
            and self.everything["shows"][each["show_id"]]["age_rating"] <= age(member["birth_date"])
            and suits(each, venues[each["venue_id"]])
        ]
        kind = rng.choices(("cinema", "theatre", "concert_hall"), (34, 40, 26))[0]
        candidates = [each for each in candidates if venues[each["venue_id"]]["kind"] == kind] or candidates
        if not candidates:
            return
        performance = rng.choice(candidates)
        venue = venues[performance["venue_id"]]
        zone = rng.choice(performance["zones"])
        seats = self.seats(venue["kind"], performance["performance_id"], zone, rng.choice((1, 2, 2, 2, 3, 4)))
        moment = shifted(min(performance["starts_at"], NOW), -rng.randint(2 * 1440, 40 * 1440))
        status = "used" if past else "on_resale" if offered else rng.choices(("confirmed", "cancelled"), (96, 4))[0]
        discount, free_of_fee = self.terms(member, venue["kind"], moment[:10])
        protected = venue["kind"] != "cinema" and rng.random() < 0.3
        booking: Record = {
            "member_id": member["member_id"],
            "performance_id": performance["performance_id"],
            "zone": zone["zone"],
            "seats": seats,
            "price_each": zone["price"],
            "discount_percent": discount,
            "fee_total": 0.0 if free_of_fee else rounded(venue["booking_fee"] * len(seats)),
            "protection_cost": rounded(zone["price"] * len(seats) * 0.08) if protected else 0.0,
            "total": 0.0,
            "currency": venue["currency"],
            "gift_card_id": rng.choice(cards)["gift_card_id"] if cards and rng.random() < 0.12 else None,
            "status": status,
            "booked_at": moment,
            "refund_amount": None,
        }
        booking["total"] = booking_total(booking)
        if status == "cancelled":
            booking["refund_amount"] = rounded(booking["total"] - booking["fee_total"] - booking["protection_cost"])
        booked = self.add("bookings", "booking_id", self.ids.hex("BK"), **booking)
        self.after_booking(member, booked)

    def after_booking(self, member: Record, booking: Record) -> None:
        rng, own = self.rng, {"member_id": member["member_id"], "booking_id": booking["booking_id"]}
        if booking["status"] == "on_resale":
            self.add("resale_listings", "listing_id", self.ids.hex("RS"), seller_id=member["member_id"],
                     booking_id=booking["booking_id"],
                     price_each=rounded(booking["price_each"] * rng.choice((0.75, 0.8, 0.9, 1.0))), status="open",
                     listed_at=shifted(NOW, -rng.randint(300, 2800)))  # fmt: skip
        elif booking["status"] == "confirmed" and rng.random() < 0.06:
            self.add("access_requests", "access_id", self.ids.hex("AC"), **own, kind=rng.choice(ACCESS[1:]))
        elif booking["status"] == "used" and rng.random() < 0.25:
            problem = rng.choice(PROBLEMS)
            tickets = booking["price_each"] * len(booking["seats"])
            self.add("complaints", "complaint_id", self.ids.hex("CP"), **own, problem=problem,
                     goodwill=rounded(tickets * _GOODWILL[problem] / 100),
                     filed_at=shifted(NOW, -rng.randint(60, 1400)))  # fmt: skip

    def terms(self, member: Record, kind: str, on: str) -> tuple[int, bool]:
        """Discount in percent, and whether fees are waived, by the membership valid on the day."""
        for each in self.entries.get("memberships", {}).values():
            if each["member_id"] == member["member_id"] and each["valid_from"] <= on <= each["valid_until"]:
                level = self.everything["levels"][each["level_id"]]
                return level["cinema_discount_percent" if kind == "cinema" else "stage_discount_percent"], True
        return 0, False

    def seats(self, kind: str, performance_id: str, zone: Record, count: int) -> list[str]:
        """Neighbouring seats that nobody else holds; fewer where there are none."""
        sold = [
            each
            for each in seats_sold(kind, zone["zone"], zone["free_seats"])
            if (performance_id, each) not in self.sold
        ]
        stretches = (sold[start : start + count] for start in range(len(sold) - count + 1))
        runs = [
            run
            for run in stretches
            if len({seat[0] for seat in run}) == 1 and int(run[-1][1:]) - int(run[0][1:]) == count - 1
        ]
        seats = self.rng.choice(runs) if runs else sold[:1]
        self.sold |= {(performance_id, seat) for seat in seats}
        return seats

    def let_wait(self, member: Record) -> None:
        performances = self.everything["performances"].values()
        sold_out = [
            (each["performance_id"], zone["zone"])
            for each in performances
            for zone in each["zones"]
            if each["status"] == "scheduled" and not zone["free_seats"]
        ]
        performance_id, zone = self.rng.choice(sold_out)
        self.add("waitlist", "wait_id", self.ids.hex("WT"), member_id=member["member_id"],
                 performance_id=performance_id, zone=zone, tickets=self.rng.choice((1, 2, 2, 4)),
                 joined_at=shifted(NOW, -self.rng.randint(300, 2800)))  # fmt: skip

    def subscribe(self, member: Record) -> None:
        rng = self.rng
        started = rng.randint(20, 88)
        status = rng.choices(("active", "paused"), (85, 15))[0]
        bound = rng.random() < 0.3
        self.add(
            "subscriptions",
            "subscription_id",
            self.ids.hex("SB"),
            member_id=member["member_id"],
            plan_id=f"PL-{rng.choices(('BASIC', 'STANDARD', 'FAMILY'), (45, 35, 20))[0]}-{member['currency']}",
            status=status,
            started_on=day(-started),
            minimum_until=day(rng.randint(35, 250) if bound else -started + 14),
            next_billing=day(rng.randint(3, 28) + (30 if status == "paused" else 0)),
            next_plan_id=None,
            paused_on=day(-rng.randint(2, 12)) if status == "paused" else None,
            ends_on=None,
        )

    def rent(self, member: Record, title: Record) -> None:
        rng = self.rng
        rate = self.everything["rental_rates"][f"RR-{title['rate'].upper()}-{member['currency']}"]
        ago = rng.randint(1, 26)
        start_by = day(rate["days"] - ago)
        status = "expired" if start_by < NOW[:10] else rng.choice(("unwatched", "unwatched", "started"))
        self.add("rentals", "rental_id", self.ids.hex("RN"), member_id=member["member_id"],
                 title_id=title["title_id"], price=rate["price"], currency=member["currency"],
                 rented_at=shifted(NOW, -ago * 1440 - rng.randint(10, 600)), start_by=start_by,
                 status=status)  # fmt: skip
