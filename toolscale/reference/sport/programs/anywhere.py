"""What makes any request harder, and how members name what they hold without its number."""

from random import Random

from toolscale.reference.kit import another_of_theirs, known, listed, must
from toolscale.reference.program import Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _credit(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    credit = shown(member["credit"])
    return Reply(f"Your account now holds {credit} EUR of credit.", (credit,))


CREDIT = WORDS.twist("credit on the account", "lookup", after=_credit)


def _contract(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    until = member["contract_until"]
    return Reply(f"Your present term runs until {until}, on the {member['plan']} plan.", (until,))


CONTRACT = WORDS.twist("how long the term runs", "lookup", after=_contract)


def _phone(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    phone = member["home_club_phone"]
    return Reply(f"The desk of {member['home_club_name']} answers at {phone}.", (phone,))


PHONE = WORDS.twist("the desk's telephone", "lookup", after=_phone)


def _enough_credit(facts: Facts) -> Steps:
    member = yield do("get_member", member_id=facts["member_id"])
    if member["credit"] >= facts["least_credit"]:
        return None
    credit = shown(member["credit"])
    return Reply(f"I changed nothing: your credit is {credit} EUR.", (credit,))


ENOUGH_CREDIT = WORDS.twist(
    "only with so much credit",
    "condition",
    draw=lambda world, rng, facts: {"least_credit": _a_limit(world, rng, facts)},
    before=_enough_credit,
)


def _a_limit(world: World, rng: Random, facts: Facts) -> float:
    """Three times in four one that is met; only what costs money is put off for want of credit."""
    must(facts.keys() & {"minutes", "kind", "seats"}, "that has nothing to do with money")
    credit = known(world, "members", facts["member_id"])["credit"]
    below = [limit for limit in (5.0, 10.0, 15.0, 25.0, 40.0, 60.0) if limit <= credit]
    above = [limit for limit in (5.0, 10.0, 15.0, 25.0, 40.0, 60.0, 90.0) if limit > credit]
    return pick(rng, below if below and rng.random() < 0.75 else above)


_another_court = another_of_theirs(
    "untouched", "court_bookings", "booking_id", lambda booking: booking["status"] == "confirmed"
)


def _untouched(world: World, rng: Random, facts: Facts) -> Facts:
    must("booking_id" in facts, "another court would not be confused with what this is about")
    return _another_court(world, rng, facts)


OTHER_COURT = WORDS.twist("another court that stays booked", "distractor", draw=_untouched)


def _draw_court(world: World, rng: Random, facts: Facts) -> Facts:
    booking = known(world, "court_bookings", facts["booking_id"])
    must(booking["status"] == "confirmed", "only courts to come are spoken of like that")
    court = known(world, "courts", booking["court_id"])
    return {"d_sport": court["sport"], "d_day": booking["starts"][:10], "d_start": booking["starts"][11:]}


COURT = WORDS.description(
    "booking_id",
    _draw_court,
    listed("list_court_bookings", "booking_id", "member_id", sport="d_sport", day="d_day", start="d_start"),
)


def _draw_place(world: World, rng: Random, facts: Facts) -> Facts:
    place = known(world, "class_places", facts["place_id"])
    must(place["status"] == "booked", "only booked classes are spoken of like that")
    lesson = known(world, "classes", place["class_id"])
    return {"d_activity": lesson["activity"], "d_day": lesson["starts"][:10]}


PLACE = WORDS.description(
    "place_id", _draw_place, listed("list_class_places", "place_id", "member_id", activity="d_activity", day="d_day")
)


def _draw_ticket(world: World, rng: Random, facts: Facts) -> Facts:
    match = known(world, "matches", known(world, "tickets", facts["ticket_id"])["match_id"])
    return {"d_home": match["home_side"], "d_visitors": match["visitors"]}


TICKET = WORDS.description(
    "ticket_id",
    _draw_ticket,
    listed("list_tickets", "ticket_id", "member_id", home_side="d_home", visitors="d_visitors"),
)


def _draw_hire(world: World, rng: Random, facts: Facts) -> Facts:
    hire = known(world, "hires", facts["hire_id"])
    return {"d_name": known(world, "equipment", hire["equipment_id"])["name"], "d_first": hire["first_day"]}


HIRE = WORDS.description(
    "hire_id", _draw_hire, listed("list_hires", "hire_id", "member_id", name="d_name", first_day="d_first")
)


def _draw_fixture(world: World, rng: Random, facts: Facts) -> Facts:
    fixture = known(world, "fixtures", facts["fixture_id"])
    teams = [known(world, "teams", fixture[side]) for side in ("home_team", "away_team")]
    rivals = [each["name"] for each in teams if each["captain_id"] != facts["member_id"]]
    return {"d_rival": pick(rng, rivals), "d_day": fixture["starts"][:10]}


def _find_fixture(facts: Facts) -> Steps:
    teams = yield do("list_teams", member_id=facts["member_id"])
    mine = yield choose([each for each in teams if each["captain"]], key=lambda each: each["league_id"])
    team = yield do("get_team", team_id=mine["team_id"])
    suitable = [
        each
        for each in team["fixtures"]
        if facts["d_rival"] in (each["home"], each["away"]) and each["day"] == facts["d_day"]
    ]
    fixture = yield choose(suitable, key=lambda each: each["start"])
    return fixture["fixture_id"]


FIXTURE = WORDS.description("fixture_id", _draw_fixture, _find_fixture)

TWISTS = (CREDIT, CONTRACT, PHONE, ENOUGH_CREDIT, OTHER_COURT)
DESCRIPTIONS = (COURT, PLACE, TICKET, HIRE, FIXTURE)
