"""What makes any request harder, and how members name what they hold without its number."""

from random import Random

from toolscale.reference.program import (
    DeadEnd,
    Description,
    Facts,
    Policy,
    Reply,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.sport.programs.common import seen
from toolscale.reference.sums import shown


def _credit(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    credit = shown(member["credit"])
    return Reply(f"Your account now holds {credit} EUR of credit.", (credit,))


CREDIT = Twist(
    "credit on the account",
    "lookup",
    {
        "plain": "[Last of all, tell|In the end, please tell] me how much credit is on my account.",
        "terse": "finally: my credit [then|in the end]?",
        "chatty": "And how much credit do I have in the end, [I lose track so easily|I never know these things]!",
        "formal": "Lastly, kindly state the credit that my account [holds in the end|then holds].",
        "non_native": "Say me at the end how much credit is [then in|in] my account.",
    },
    after=_credit,
)


def _contract(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    until = member["contract_until"]
    return Reply(f"Your present term runs until {until}, on the {member['plan']} plan.", (until,))


CONTRACT = Twist(
    "how long the term runs",
    "lookup",
    {
        "plain": "I would also like to know until what date [my contract term runs|the term of my contract runs].",
        "terse": "plus end date of my contract term?",
        "chatty": "Oh, and until what date does my contract term run, [my sister keeps asking|I honestly forgot]?",
        "formal": "Please inform me, moreover, of the date on which the term of my contract [ends|expires].",
        "confused": "And until what date does the term of that contract of mine run, [I lost the paper|it was in some "
        "letter]?",
    },
    after=_contract,
)


def _phone(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    phone = member["home_club_phone"]
    return Reply(f"The desk of {member['home_club_name']} answers at {phone}.", (phone,))


PHONE = Twist(
    "the desk's telephone",
    "lookup",
    {
        "plain": "Please give me the telephone number of the desk at my home club too.",
        "terse": "and the phone no. of my home club's desk.",
        "chatty": "And what is the phone number of the desk at my home club, [I lost a scarf there|they know me well]?",
        "formal": "I should further be grateful for the telephone number of the desk at my home club.",
    },
    after=_phone,
)


def _enough_credit(facts: Facts) -> Steps:
    member = yield do("get_member", member_id=facts["member_id"])
    if member["credit"] >= facts["least_credit"]:
        return None
    credit = shown(member["credit"])
    return Reply(f"I changed nothing: your credit is {credit} EUR.", (credit,))


ENOUGH_CREDIT = Twist(
    "only with so much credit",
    "condition",
    {
        "plain": "Do this only if my account holds at least {least_credit:money} EUR of credit; [otherwise|if not], "
        "change nothing and tell me my credit.",
        "terse": "only if my credit is {least_credit:money} EUR or more, else leave it + tell me the credit.",
        "chatty": "But only if I have {least_credit:money} EUR of credit or more, [I promised myself to save|my "
        "husband insists], otherwise leave it all and just tell me what I have!",
        "formal": "The above presupposes a credit of no less than {least_credit:money} EUR; failing that, kindly make "
        "no change and state the credit.",
    },
    draw=lambda world, rng, facts: {"least_credit": _a_limit(world, rng, facts)},
    before=_enough_credit,
)


def _a_limit(world: World, rng: Random, facts: Facts) -> float:
    """Three times in four one that is met; only what costs money is put off for want of credit."""
    if not facts.keys() & {"minutes", "kind", "seats"}:
        raise DeadEnd("that has nothing to do with money")
    credit = seen(world, "members", facts["member_id"])["credit"]
    below = [limit for limit in (5.0, 10.0, 15.0, 25.0, 40.0, 60.0) if limit <= credit]
    above = [limit for limit in (5.0, 10.0, 15.0, 25.0, 40.0, 60.0, 90.0) if limit > credit]
    return pick(rng, below if below and rng.random() < 0.75 else above)


def _untouched(world: World, rng: Random, facts: Facts) -> Facts:
    others = [
        each["booking_id"]
        for each in world.rows("court_bookings")
        if each["member_id"] == facts["member_id"] and each["status"] == "confirmed"
    ]
    if "booking_id" not in facts:
        raise DeadEnd("another court would not be confused with what this is about")
    return {"untouched": pick(rng, [key for key in others if key not in facts.values()])}


OTHER_COURT = Twist(
    "another court that stays booked",
    "distractor",
    {
        "plain": "I also have {untouched}, which [must stay as it is|is fine and stays].",
        "terse": "{untouched} stays.",
        "chatty": "You will see {untouched} there as well, [my favourite hour of the week|that one is lovely], so do "
        "not touch it!",
        "formal": "My booking {untouched} is not concerned and is to remain as it is.",
    },
    draw=_untouched,
)


def _draw_court(world: World, rng: Random, facts: Facts) -> Facts:
    booking = seen(world, "court_bookings", facts["booking_id"])
    if booking["status"] != "confirmed":
        raise DeadEnd("only courts to come are spoken of like that")
    court = seen(world, "courts", booking["court_id"])
    return {"d_sport": court["sport"], "d_day": booking["starts"][:10], "d_start": booking["starts"][11:]}


def _find_court(facts: Facts) -> Steps:
    bookings = yield do("list_court_bookings", member_id=facts["member_id"])
    wanted = (facts["d_sport"], facts["d_day"], facts["d_start"])
    booking = yield choose(
        [each for each in bookings if (each["sport"], each["day"], each["start"]) == wanted],
        key=lambda each: each["sport"],
    )
    return booking["booking_id"]


COURT = Description(
    "booking_id",
    {
        "plain": "my {d_sport} court on {d_day:date} at {d_start:time}",
        "terse": "my {d_sport} slot {d_day:date} {d_start:time}",
        "chatty": "my lovely {d_sport} hour on {d_day:date} at {d_start:time}",
        "formal": "the {d_sport} court reserved for {d_day:date} at {d_start:time}",
    },
    _draw_court,
    _find_court,
    "[I do not have the booking number at hand.|The booking number is in a mail that I cannot find.|I never noted the "
    "number of that booking.]",
)


def _draw_place(world: World, rng: Random, facts: Facts) -> Facts:
    place = seen(world, "class_places", facts["place_id"])
    if place["status"] != "booked":
        raise DeadEnd("only booked classes are spoken of like that")
    lesson = seen(world, "classes", place["class_id"])
    return {"d_activity": lesson["activity"], "d_day": lesson["starts"][:10]}


def _find_place(facts: Facts) -> Steps:
    places = yield do("list_class_places", member_id=facts["member_id"])
    wanted = (facts["d_activity"], facts["d_day"])
    mine = [each for each in places if (each["activity"], each["day"]) == wanted]
    place = yield choose(mine, key=lambda each: each["activity"])
    return place["place_id"]


PLACE = Description(
    "place_id",
    {
        "plain": "my {d_activity} class on {d_day:date}",
        "formal": "the {d_activity} class of {d_day:date} in which I hold a place",
        "chatty": "that {d_activity} class I am in on {d_day:date}",
    },
    _draw_place,
    _find_place,
    "[I do not know the number of my place.|I was given no number for it, or I lost it.]",
)


def _draw_ticket(world: World, rng: Random, facts: Facts) -> Facts:
    match = seen(world, "matches", seen(world, "tickets", facts["ticket_id"])["match_id"])
    return {"d_home": match["home_side"], "d_visitors": match["visitors"]}


def _find_ticket(facts: Facts) -> Steps:
    tickets = yield do("list_tickets", member_id=facts["member_id"])
    wanted = (facts["d_home"], facts["d_visitors"])
    mine = [each for each in tickets if (each["home_side"], each["visitors"]) == wanted]
    ticket = yield choose(mine, key=lambda each: each["home_side"])
    return ticket["ticket_id"]


TICKET = Description(
    "ticket_id",
    {
        "plain": "my tickets for {d_home} against {d_visitors}",
        "terse": "my {d_home} - {d_visitors} tickets",
        "formal": "the tickets that I hold for {d_home} against {d_visitors}",
    },
    _draw_ticket,
    _find_ticket,
    "[I cannot find the ticket number.|The ticket number is on my other phone.]",
)


def _draw_hire(world: World, rng: Random, facts: Facts) -> Facts:
    hire = seen(world, "hires", facts["hire_id"])
    return {"d_name": seen(world, "equipment", hire["equipment_id"])["name"], "d_first": hire["first_day"]}


def _find_hire(facts: Facts) -> Steps:
    hires = yield do("list_hires", member_id=facts["member_id"])
    mine = [each for each in hires if (each["name"], each["first_day"]) == (facts["d_name"], facts["d_first"])]
    hire = yield choose(mine, key=lambda each: each["name"])
    return hire["hire_id"]


HIRE = Description(
    "hire_id",
    {
        "plain": "the {d_name} that I hired from {d_first:date}",
        "terse": "the {d_name}, hired from {d_first:date}",
        "chatty": "that {d_name} I hired from {d_first:date}",
    },
    _draw_hire,
    _find_hire,
    "[I do not have the number of the hire.|Nobody told me the number of the hire.]",
)


def _draw_fixture(world: World, rng: Random, facts: Facts) -> Facts:
    fixture = seen(world, "fixtures", facts["fixture_id"])
    teams = [seen(world, "teams", fixture[side]) for side in ("home_team", "away_team")]
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


FIXTURE = Description(
    "fixture_id",
    {
        "plain": "our league match against {d_rival} on {d_day:date}",
        "terse": "our match vs {d_rival} on {d_day:date}",
        "formal": "the league match of my team against {d_rival} on {d_day:date}",
    },
    _draw_fixture,
    _find_fixture,
    "[I do not know the number of the fixture.|The fixture list is at home, so I have no number.]",
)

TWISTS = (CREDIT, CONTRACT, PHONE, ENOUGH_CREDIT, OTHER_COURT)
DESCRIPTIONS = (COURT, PLACE, TICKET, HIRE, FIXTURE)
