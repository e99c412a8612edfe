"""Programs that book a court: the cheapest, the cheaper of two clubs, the one of last time."""

from random import Random

from toolscale.reference.kit import must
from toolscale.reference.moments import day, some_clock, some_day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sport.catalogue import CLUBS, SPORTS
from toolscale.reference.sport.programs.common import Record, Step, a_court_booking, city_of, club_in, fit
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

INDOOR = WORDS.twist("under a roof", "constraint", sets={"indoor": True})
MOST = WORDS.twist(
    "a limit on the price of the court",
    "condition",
    draw=lambda world, rng, facts: {"most": rng.choice((9.0, 18.0, 27.5, 35.0, 44.0))},
)
BY_CREDIT = WORDS.twist("paid from the credit", "constraint", sets={"pay_by": "credit"})
OTHER_HOUR = WORDS.twist(
    "another hour",
    "change_of_mind",
    draw=lambda world, rng, facts: {"other_start": some_clock(rng, "09:00", "20:00", 60)},
)


def _suitable(facts: Facts, courts: list[Record]) -> list[Record]:
    return [each for each in courts if each["indoor"] or not facts.get("indoor")]


def _booked(facts: Facts, court: Record) -> Solution:
    """Book the court unless it costs more than the member accepts."""
    price = shown(court["price"])
    if court["price"] > facts.get("most", court["price"]):
        return Reply(f"I booked nothing: the cheapest court, {court['name']}, costs {price} EUR.", (price,))
    booking = yield do(
        "book_court",
        member_id=facts["member_id"],
        court_id=court["court_id"],
        day=facts["day"],
        start=facts.get("other_start", facts["start"]),
        minutes=facts["minutes"],
        pay_by=facts.get("pay_by"),
    )
    return Reply(f"You have {court['name']} ({booking['booking_id']}) for {price} EUR.", (court["name"], price))


def _search(facts: Facts, city: str) -> Step:
    club = yield from club_in(city)
    found = yield do(
        "search_courts",
        member_id=facts["member_id"],
        club_id=club["club_id"],
        sport=facts["sport"],
        day=facts["day"],
        start=facts.get("other_start", facts["start"]),
        minutes=facts["minutes"],
    )
    return found


def _cheapest(facts: Facts) -> Solution:
    days = [facts["day"], *([facts["second_day"]] if "second_day" in facts else [])]
    chosen = []
    for each_day in days:
        courts = yield from _search({**facts, "day": each_day}, facts["city"])
        chosen.append((yield choose(_suitable(facts, courts), key=lambda each: each["price"])))
    replies = []
    for each_day, court in zip(days, chosen, strict=True):
        replies.append((yield from _booked({**facts, "day": each_day}, court)))
    return Reply(" ".join(reply.text for reply in replies), tuple(fact for reply in replies for fact in reply.tell))


_DAYS = [day(offset) for offset in range(2, 20)]


def _slot(rng: Random) -> Facts:
    return {
        "day": some_day(rng, 1, 18),
        "start": some_clock(rng, "09:00", "20:00", 60),
        "minutes": rng.choice((60, 60, 90, 120)),
    }


def _draw_cheapest(world: World, rng: Random) -> Facts:
    member = pick(rng, fit(world))
    city = city_of(world, member["home_club"])
    return {"member_id": member["member_id"], "city": city, "sport": rng.choice(SPORTS[:3]), **_slot(rng)}


SECOND_DAY = WORDS.twist(
    "on another day too",
    "entities",
    draw=lambda world, rng, facts: {"second_day": pick(rng, [d for d in _DAYS if d != facts.get("day")])},
)

CHEAPEST_COURT = WORDS.program(
    "book_cheapest_court", _draw_cheapest, _cheapest, (INDOOR, MOST, BY_CREDIT, OTHER_HOUR, SECOND_DAY)
)


def _cheaper_club(facts: Facts) -> Solution:
    must(facts["city"] != facts["other_city"], "that is one club")
    here = yield from _search(facts, facts["city"])
    there = yield from _search(facts, facts["other_city"])
    court = yield choose(_suitable(facts, [*here, *there]), key=lambda each: each["price"])
    return (yield from _booked(facts, court))


def _draw_two_clubs(world: World, rng: Random) -> Facts:
    facts = _draw_cheapest(world, rng)
    others = [club.city for club in CLUBS if club.city != facts["city"]]
    return {**facts, "other_city": rng.choice(others)}


CHEAPER_CLUB = WORDS.program("book_at_the_cheaper_club", _draw_two_clubs, _cheaper_club, (INDOOR, MOST, BY_CREDIT))


def _again(facts: Facts) -> Solution:
    old = yield do("get_court_booking", booking_id=facts["booking_id"])
    found = yield do(
        "search_courts",
        member_id=facts["member_id"],
        club_id=old["club_id"],
        sport=old["sport"],
        day=facts["day"],
        start=facts.get("other_start", old["start"]),
        minutes=old["minutes"],
    )
    court = yield choose(
        [each for each in found if each["court_id"] == old["court_id"]], key=lambda each: each["price"]
    )
    return (yield from _booked({**facts, "start": old["start"], "minutes": old["minutes"]}, court))


def _draw_again(world: World, rng: Random) -> Facts:
    able = {each["member_id"] for each in fit(world)}
    booking = a_court_booking(world, rng, lambda each: each["member_id"] in able and not each["guests"], "played")
    return {
        "member_id": booking["member_id"],
        "booking_id": booking["booking_id"],
        "day": some_day(rng, 2, 18),
    }


SAME_AGAIN = WORDS.program("book_the_same_court_again", _draw_again, _again, (MOST, BY_CREDIT, OTHER_HOUR))

BOOKING = (CHEAPEST_COURT, CHEAPER_CLUB, SAME_AGAIN)
