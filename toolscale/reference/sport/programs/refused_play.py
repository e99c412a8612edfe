"""Requests about play that the clubs' policy forbids: what proves it is looked up and told."""

from collections.abc import Iterable
from random import Random

from toolscale.reference.kit import just, latest_first, must
from toolscale.reference.moments import NOW, day, some_clock, some_day
from toolscale.reference.program import DeadEnd, Facts, Refusal, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sport.catalogue import ACTIVITIES, SPORTS
from toolscale.reference.sport.programs.common import IN_A_DAY, WAYS, city_of, club_in, fit, members, way
from toolscale.reference.sport.programs.leagues import fixtures
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _too_late(facts: Facts) -> Solution:
    booking = yield do("get_court_booking", booking_id=facts["booking_id"])
    if booking["change_until"] > NOW or booking["status"] != "confirmed":
        raise DeadEnd("it is not too late")
    price, hour = shown(booking["price"]), booking["change_until"][11:]
    text = f"{booking['court']} could be cancelled until {hour} the day before; the {price} EUR stay with us."
    return Reply(text, (booking["court"], price))


def _draw_too_late(world: World, rng: Random) -> Facts:
    near = [
        each
        for each in world.rows("court_bookings")
        if each["status"] == "confirmed" and NOW < each["starts"] < IN_A_DAY
    ]
    booking = pick(rng, near)
    return {
        "member_id": booking["member_id"],
        "booking_id": booking["booking_id"],
        "way": rng.choice(sorted(WAYS)),
    }


def _cancel_all_the_same(facts: Facts) -> Steps:
    yield do("cancel_court_booking", booking_id=facts["booking_id"], refund_to=way(facts))


LATE_CANCEL = WORDS.program(
    "refuse_late_cancellation",
    _draw_too_late,
    _too_late,
    refusal=Refusal("a_court_is_changed_a_day_before", _cancel_all_the_same),
)


def _fifth(facts: Facts) -> Solution:
    held = yield do("list_court_bookings", member_id=facts["member_id"])
    must(len(held) >= 4, "there is room for another")
    last = yield choose(held, key=lambda each: latest_first(each["day"] + each["start"]))
    full = yield do("get_court_booking", booking_id=last["booking_id"])
    text = f"You have four courts booked, the last is {full['booking_id']} on {full['court']}; more is not possible."
    return Reply(text, (full["booking_id"], full["court"]))


def _most_likely(able: Iterable[str], holders: list[str]) -> list[str]:
    """Those who hold the most courts in sight."""
    counts = {key: holders.count(key) for key in able if key in holders}
    if len(counts) == 1:  # the user is settled: what is in sight must suffice
        counts = {key: held for key, held in counts.items() if held >= 4}
    return [key for key, held in counts.items() if held >= min(2, max(counts.values()))]


def _draw_fifth(world: World, rng: Random) -> Facts:
    able = {each["member_id"]: each for each in fit(world)}
    holders = [each["member_id"] for each in world.rows("court_bookings") if each["status"] == "confirmed"]
    member = able[pick(rng, _most_likely(able, holders))]
    return {
        "member_id": member["member_id"],
        "city": city_of(world, member["home_club"]),
        "sport": rng.choice(SPORTS[:3]),
        "day": some_day(rng, 3, 18),
        "start": some_clock(rng, "09:00", "20:00", 60),
    }


def _book_a_fifth(facts: Facts) -> Steps:
    club = yield from club_in(facts["city"])
    courts = yield do(
        "search_courts",
        member_id=facts["member_id"],
        club_id=club["club_id"],
        sport=facts["sport"],
        day=facts["day"],
        start=facts["start"],
        minutes=60,
    )
    court = yield choose(courts, key=lambda each: each["price"])
    yield do(
        "book_court",
        member_id=facts["member_id"],
        court_id=court["court_id"],
        day=facts["day"],
        start=facts["start"],
        minutes=60,
    )


FIFTH_COURT = WORDS.program(
    "refuse_fifth_court", _draw_fifth, _fifth, refusal=Refusal("four_courts_at_a_time", _book_a_fifth)
)


def _injured(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    injury = yield choose(member["open_injuries"], key=lambda each: latest_first(each["earliest_return"]))
    earliest = injury["earliest_return"]
    text = (
        f"{injury['injury_id']} is not cleared; a doctor's note is accepted from {earliest}. I signed you up nowhere."
    )
    return Reply(text, (injury["injury_id"], earliest))


def _draw_injured(world: World, rng: Random) -> Facts:
    hurt = {each["member_id"] for each in world.rows("injuries") if each["status"] == "open"}
    member = pick(rng, members(world, lambda each: each["member_id"] in hurt))
    return {
        "member_id": member["member_id"],
        "city": city_of(world, member["home_club"]),
        "activity": rng.choice(ACTIVITIES),
    }


def _join_injured(facts: Facts) -> Steps:
    club = yield from club_in(facts["city"])
    found = yield do("search_classes", club_id=club["club_id"], activity=facts["activity"], first_day=day(0))
    lesson = yield choose(found, key=lambda each: each["starts"])
    full = lesson["places_left"] == 0
    yield do("join_class", member_id=facts["member_id"], class_id=lesson["class_id"], waiting_list=full or None)


INJURED = WORDS.program(
    "refuse_class_with_injury", _draw_injured, _injured, refusal=Refusal("injured_members_rest", _join_injured)
)


def _postponed_before(facts: Facts) -> Solution:
    fixture = yield do("get_fixture", fixture_id=facts["fixture_id"])
    must(fixture["postponed_by"], "it may be postponed")
    text = f"It was postponed before and is played on {fixture['day']} at {fixture['start']}, on {fixture['court']}."
    return Reply(text, (fixture["day"], fixture["start"], fixture["court"]))


def _draw_postponed(world: World, rng: Random) -> Facts:
    captain, fixture = pick(rng, [each for each in fixtures(world, "scheduled") if each[1]["postponed_by"]])
    return {"member_id": captain, "fixture_id": fixture["fixture_id"], "day": some_day(rng, 17, 23)}


SECOND_POSTPONEMENT = WORDS.program(
    "refuse_second_postponement",
    _draw_postponed,
    _postponed_before,
    refusal=Refusal("a_fixture_is_postponed_once", just("postpone_fixture", "fixture_id", "member_id", "day")),
)


REFUSED_PLAY = (LATE_CANCEL, FIFTH_COURT, INJURED, SECOND_POSTPONEMENT)
