"""Programs that book a court: the cheapest, the cheaper of two clubs, the one of last time."""

from random import Random

from toolscale.reference.moments import day, some_clock, some_day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sport.catalogue import CLUBS, SPORTS
from toolscale.reference.sport.programs.common import Record, Step, a_court_booking, city_of, club_in, fit
from toolscale.reference.sums import shown

INDOOR = Twist(
    "under a roof",
    "constraint",
    {
        "plain": "[It must be an indoor court.|The court has to be indoors.]",
        "terse": "indoor only.",
        "chatty": "Indoors please, [I hate playing in the rain|it gets dark so early now]!",
        "formal": "Only an indoor court comes into consideration.",
        "non_native": "The court must be inside, not outside.",
    },
    sets={"indoor": True},
)
MOST = Twist(
    "a limit on the price of the court",
    "condition",
    {
        "plain": "If the court costs more than {most:money} EUR, [leave it|do not go ahead] and only tell me the "
        "price.",
        "terse": "max {most:money} EUR for the court, else don't, just name the price.",
        "chatty": "Above {most:money} EUR I would rather go for a run, so then leave it and tell me what the court "
        "would have cost!",
        "formal": "Should the price of the court exceed {most:money} EUR, please refrain and merely state it.",
    },
    draw=lambda world, rng, facts: {"most": rng.choice((9.0, 18.0, 27.5, 35.0, 44.0))},
)
BY_CREDIT = Twist(
    "paid from the credit",
    "constraint",
    {
        "plain": "Take the money [from|out of] my credit, not from my card.",
        "terse": "pay from credit.",
        "chatty": "And pay it from my credit, [that is what it is for|it only sits there], not from the card!",
        "formal": "Payment is to be made out of my credit.",
    },
    sets={"pay_by": "credit"},
)
OTHER_HOUR = Twist(
    "another hour",
    "change_of_mind",
    {
        "plain": "[Sorry, I|I] got the time wrong: it has to be at {other_start:time}.",
        "terse": "correction: start {other_start:time}.",
        "chatty": "Oh no, wait, my partner can only come at {other_start:time}, so make it that time!",
        "formal": "I must correct the hour: {other_start:time} is what is required.",
        "confused": "Hm, no, it was {other_start:time} that we agreed on, yes, that time.",
    },
    draw=lambda world, rng, facts: {"other_start": some_clock(rng, "09:00", "20:00", 60)},
)


def _suitable(facts: Facts, courts: list[Record]) -> list[Record]:
    return [each for each in courts if each["indoor"] or not facts.get("indoor")]


def _booked(facts: Facts, court: Record) -> Policy:
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


def _cheapest(facts: Facts) -> Policy:
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


SECOND_DAY = Twist(
    "on another day too",
    "entities",
    {
        "plain": "We want to play on {second_day:date} as well, so please book the same once more for that day.",
        "terse": "same again on {second_day:date}.",
        "chatty": "And because one game is never enough, the very same on {second_day:date} too!",
        "formal": "A further reservation on the same terms is requested for {second_day:date}.",
        "non_native": "Also on {second_day:date} we play, please the same again for this day.",
    },
    draw=lambda world, rng, facts: {"second_day": pick(rng, [d for d in _DAYS if d != facts.get("day")])},
)

CHEAPEST_COURT = Program(
    "book_cheapest_court",
    "Book the cheapest court that is free at a time",
    {
        "plain": "[Please book|I would like to book] the cheapest {sport} court at your club in {city} on {day:date} "
        "at {start:time} for {minutes:int} minutes. [Which one is it and what do I pay?|Tell me its name and the "
        "price.]",
        "terse": "{sport} court {city}, {day:date} {start:time}, {minutes:int} min, cheapest. [name + price?|which, "
        "how much?]",
        "chatty": "[My cousin is visiting and|A friend has dared me, so] we want to play {sport} in {city} on "
        "{day:date} at {start:time}, {minutes:int} minutes will do, on the cheapest court you have! Which one do we "
        "get and for how much?",
        "formal": "I wish to reserve for {day:date} at {start:time}, for {minutes:int} minutes, the least expensive "
        "{sport} court of your club in {city}; please [name it and its price|indicate which it is and its price].",
        "hurried": "Need a {sport} court in {city}, {day:date} at {start:time}, {minutes:int} minutes, the cheapest "
        "free one, which and how much?",
        "non_native": "I want play {sport} in {city} on {day:date} at {start:time} during {minutes:int} minutes, on "
        "the court most cheap; how is called and how much costs?",
    },
    _draw_cheapest,
    _cheapest,
    (INDOOR, MOST, BY_CREDIT, OTHER_HOUR, SECOND_DAY),
)


def _cheaper_club(facts: Facts) -> Policy:
    if facts["city"] == facts["other_city"]:
        raise DeadEnd("that is one club")
    here = yield from _search(facts, facts["city"])
    there = yield from _search(facts, facts["other_city"])
    court = yield choose(_suitable(facts, [*here, *there]), key=lambda each: each["price"])
    return (yield from _booked(facts, court))


def _draw_two_clubs(world: World, rng: Random) -> Facts:
    facts = _draw_cheapest(world, rng)
    others = [club.city for club in CLUBS if club.city != facts["city"]]
    return {**facts, "other_city": rng.choice(others)}


CHEAPER_CLUB = Program(
    "book_at_the_cheaper_club",
    "Compare two clubs and book the cheaper court",
    {
        "plain": "On {day:date} my work takes me to {city} or to {other_city}, [as I like|I may choose], and I want to "
        "play {sport} there at {start:time} for {minutes:int} minutes. Please compare both clubs and book the cheapest "
        "court of the two. [What is it called and what does it cost?|Which court is it, at what price?]",
        "terse": "{sport}, {day:date} {start:time}, {minutes:int} min: work trip to {city} or {other_city}, my choice, "
        "book whichever court is cheapest. name + price?",
        "chatty": "I am travelling on {day:date} and [cannot decide|it is all the same to me] between {city} and "
        "{other_city}! Wherever {sport} is cheapest at {start:time} for {minutes:int} minutes, book me that court, and "
        "do tell me which and for how much!",
        "formal": "As I am free to travel either to {city} or to {other_city} on {day:date}, I require a {sport} court "
        "there at {start:time} for {minutes:int} minutes; please reserve the least expensive of both clubs "
        "and state [its name and price|which it is and its price].",
        "non_native": "The {day:date} I travel for the work, to {city} or to {other_city}, I can choose, and at "
        "{start:time} I like to play {sport} for {minutes:int} minutes; where is more cheap you book please, "
        "and say the court and the price.",
    },
    _draw_two_clubs,
    _cheaper_club,
    (INDOOR, MOST, BY_CREDIT),
)


def _again(facts: Facts) -> Policy:
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


SAME_AGAIN = Program(
    "book_the_same_court_again",
    "Book the court of an earlier visit once more",
    {
        "plain": "I liked the court of {booking_id}. Please book the same one again on {day:date}, at the same time of "
        "day and for as long. [What is its name and its price now?|Tell me what it is called and what it costs.]",
        "terse": "repeat {booking_id} on {day:date}, same court, hour, length. [court name + price?|court + price?]",
        "chatty": "We had such a [good game|laugh] with {booking_id} that we want the very same court again on "
        "{day:date}, same hour, just as long! What was the court called, and what will it be?",
        "formal": "Please repeat booking {booking_id} on {day:date}, the court, the hour and the duration being "
        "unchanged, and state the name of the court and the price.",
        "confused": "That court I had, {booking_id}, can I have it again on {day:date}, just as it was, the same time "
        "and all that? What is it called, and what does it cost?",
    },
    _draw_again,
    _again,
    (MOST, BY_CREDIT, OTHER_HOUR),
)

BOOKING = (CHEAPEST_COURT, CHEAPER_CLUB, SAME_AGAIN)
