"""Programs about finding guided tours: by theme, by city, by name, and waiting lists."""

from random import Random

from toolscale.reference.kit import known, must, one_of
from toolscale.reference.moments import NOW, day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import Record, Step, city, place
from toolscale.reference.words import words

WORDS = words(__file__)

THEMES = {
    "city break": "city_break",
    "hiking": "hiking",
    "culture": "culture",
    "wildlife": "wildlife",
    "food and wine": "food_and_wine",
    "beach": "beach",
}


def _departures(world: World) -> list[Record]:
    return [each for each in world.rows("departures") if each["start_date"] > day(4)]


def _named(facts: Facts) -> Step:
    """The departure that the user names by title and day."""
    found = yield do("search_tours", earliest=facts["start"], latest=facts["start"])
    return (yield choose([each for each in found if each["title"] == facts["title"]], key=lambda each: each["price"]))


def _book(facts: Facts, departure: Record) -> Solution:
    """Book a departure, unless it costs more for each than the user's limit."""
    each, title = shown(departure["price"]), departure["title"]
    if departure["price"] > facts.get("most_each", departure["price"]):
        return Reply(f"I booked nothing: {title} costs {each} EUR for each of you.", (title, each))
    done = yield do(
        "book_tour",
        traveller_id=facts["traveller_id"],
        departure_id=departure["departure_id"],
        travellers=facts["travellers"],
    )
    start, paid = departure["start_date"], shown(done["paid"])
    text = f"Booked {title} from {start} as {done['tour_booking_id']}; {paid} EUR were charged now."
    return Reply(text, (title, paid, done["tour_booking_id"]))


def _cheapest(facts: Facts) -> Solution:
    found = yield do("search_tours", earliest=facts["earliest"], latest=facts["latest"], theme=THEMES[facts["theme"]])
    fitting = [
        each
        for each in found
        if each["places_left"] >= facts["travellers"]
        and (not facts.get("easy") or each["level"] == "easy")
        and each["nights"] <= facts.get("most_nights", 99)
    ]
    departure = yield choose(fitting, key=lambda each: each["price"])
    return (yield from _book(facts, departure))


def _draw_theme(world: World, rng: Random) -> Facts:
    departure = pick(rng, [each for each in _departures(world) if each["places_left"] >= 2])
    theme = known(world, "tours", departure["tour_id"])["theme"]
    first = rng.choice((5, 12, 20, 30))
    return {
        "traveller_id": pick(rng, world.rows("travellers"))["traveller_id"],
        "theme": next(words for words, name in THEMES.items() if name == theme),
        "earliest": day(first),
        "latest": day(first + rng.choice((35, 50, 70))),
        "travellers": rng.choice((1, 2, 2, 3)),
    }


MOST_EACH = WORDS.twist(
    "a limit for each traveller", "condition", draw=one_of("most_each", 750.0, 1100.0, 1600.0, 2300.0)
)

BOOK_TOUR = WORDS.program(
    "book_cheapest_tour",
    _draw_theme,
    _cheapest,
    (
        MOST_EACH,
        WORDS.twist("an easy one", "constraint", sets={"easy": True}),
        WORDS.twist("at most so many nights", "constraint", draw=one_of("most_nights", 6, 7, 8, 9)),
    ),
)


def _longest(facts: Facts) -> Solution:
    there = yield from place(facts["city"])
    code = there["destination_code"]
    found = yield do("search_tours", earliest=facts["earliest"], latest=facts["latest"], destination_code=code)
    free = [each for each in found if each["places_left"] >= facts["travellers"]]
    if facts.get("soonest"):
        departure = yield choose(free, key=lambda each: each["start_date"])
    else:
        departure = yield choose(free, key=lambda each: (-each["nights"], each["start_date"]))
    return (yield from _book(facts, departure))


def _draw_city(world: World, rng: Random) -> Facts:
    departure = pick(rng, [each for each in _departures(world) if each["places_left"] >= 2])
    tour = known(world, "tours", departure["tour_id"])
    return {
        "traveller_id": pick(rng, world.rows("travellers"))["traveller_id"],
        "city": city(world, tour["destination_code"]),
        "earliest": day(rng.choice((6, 9))),
        "latest": max(departure["start_date"], day(rng.choice((60, 90, 110)))),
        "travellers": rng.choice((2, 2, 3)),
    }


LONGEST = WORDS.program(
    "book_longest_tour",
    _draw_city,
    _longest,
    (
        MOST_EACH,
        WORDS.twist("whichever starts first", "change_of_mind", sets={"soonest": True}),
    ),
)


def _book_or_wait(facts: Facts) -> Solution:
    departure = yield from _named(facts)
    if departure["price"] > facts.get("most_each", departure["price"]):
        each = shown(departure["price"])
        return Reply(f"I neither booked it nor put you on its list: it costs {each} EUR for each of you.", (each,))
    if departure["places_left"] >= facts["travellers"]:
        return (yield from _book(facts, departure))
    done = yield do(
        "join_waitlist",
        traveller_id=facts["traveller_id"],
        departure_id=departure["departure_id"],
        travellers=facts["travellers"],
    )
    return Reply(
        f"It has too few places; you are on the waiting list as {done['waitlist_id']}.", (done["waitlist_id"],)
    )


def _draw_named(world: World, rng: Random) -> Facts:
    waiting = {(each["traveller_id"], each["departure_id"]) for each in world.rows("waitlist")}
    travellers, party = pick(rng, world.rows("travellers"))["traveller_id"], rng.choice((2, 2, 3))
    full_first = [each for each in _departures(world) if each["places_left"] < party] or _departures(world)
    departure = pick(rng, full_first if rng.random() < 0.7 else _departures(world))
    must((travellers, departure["departure_id"]) not in waiting, "on that list already")
    return {
        "traveller_id": travellers,
        "title": known(world, "tours", departure["tour_id"])["title"],
        "start": departure["start_date"],
        "travellers": party,
    }


BOOK_OR_WAIT = WORDS.program(
    "book_tour_or_wait",
    _draw_named,
    _book_or_wait,
    (
        WORDS.twist(
            "a limit for each traveller, even to wait",
            "condition",
            draw=one_of("most_each", 750.0, 1100.0, 1600.0, 2300.0),
        ),
    ),
)


def _leave(facts: Facts) -> Solution:
    account = yield do("get_traveller", traveller_id=facts["traveller_id"])
    entry = yield choose(
        [each for each in account["waiting_lists"] if each["title"] == facts["title"]],
        key=lambda each: each["waitlist_id"],
    )
    yield do("leave_waitlist", waitlist_id=entry["waitlist_id"])
    return Reply(f"You are off the list; your entry was {entry['waitlist_id']}.", (entry["waitlist_id"],))


def _draw_waiting(world: World, rng: Random) -> Facts:
    coming = [
        each
        for each in world.rows("waitlist")
        if known(world, "departures", each["departure_id"])["start_date"] > NOW[:10]
    ]
    entry = pick(rng, coming)
    tour = known(world, "tours", known(world, "departures", entry["departure_id"])["tour_id"])
    return {"traveller_id": entry["traveller_id"], "title": tour["title"]}


LEAVE = WORDS.program("leave_waiting_list", _draw_waiting, _leave)


TOURS = (BOOK_TOUR, LONGEST, BOOK_OR_WAIT, LEAVE)
