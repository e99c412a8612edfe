"""Programs about finding guided tours: by theme, by city, by name, and waiting lists."""

from random import Random

from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import (
    Record,
    Step,
    city,
    known,
    one_of,
    place,
)

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


def _book(facts: Facts, departure: Record) -> Policy:
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


def _cheapest(facts: Facts) -> Policy:
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


MOST_EACH = Twist(
    "a limit for each traveller",
    "condition",
    {
        "plain": "If it costs more than {most_each:money} EUR for each of us, do not book; just tell me the tour and "
        "its price.",
        "terse": "more than {most_each:money} EUR each? don't book, tour + price only.",
        "chatty": "But over {most_each:money} EUR a head my purse says no, so then do not book it, and just tell me "
        "which tour and the price!",
        "formal": "Above {most_each:money} EUR a person no booking is desired, but merely the tour's name and price.",
    },
    draw=one_of("most_each", (750.0, 1100.0, 1600.0, 2300.0)),
)

BOOK_TOUR = Program(
    "book_cheapest_tour",
    "Book the cheapest guided tour on a theme within some weeks",
    {
        "plain": "I am looking for a guided tour on the theme of {theme} that starts between {earliest:date} and "
        "{latest:date}. Please book the cheapest one with places for {travellers:count}. Which tour is it, and what is "
        "charged now?",
        "terse": "guided tour, theme {theme}, start {earliest:date} to {latest:date}, {travellers:count} pax, cheapest "
        "with places. book. which one, charged now?",
        "chatty": "This winter we finally treat ourselves to one of your guided tours, theme {theme}, starting some "
        "time from {earliest:date} to {latest:date}! The cheapest that still has room for {travellers:count}, and "
        "which is it, and what do you charge now?",
        "formal": "I wish to join a guided tour devoted to {theme}, commencing between {earliest:date} and "
        "{latest:date}; please book the least expensive one with places for {travellers:count}, and state its "
        "title and the sum charged now.",
        "non_native": "I want a tour with guide, theme is {theme}, it starts from {earliest:date} until "
        "{latest:date}, for {travellers:count}. Please book cheapest which has place, and say name and how much you "
        "take now.",
    },
    _draw_theme,
    _cheapest,
    (
        MOST_EACH,
        Twist(
            "an easy one",
            "constraint",
            {
                "plain": "It has to be an easy one[, because of my knee|, as my father comes along|].",
                "terse": "level easy only.",
                "chatty": "Nothing too sporty though, an easy one, we are not goats!",
                "formal": "Only tours of the level easy come into question.",
            },
            sets={"easy": True},
        ),
        Twist(
            "at most so many nights",
            "constraint",
            {
                "plain": "It must not last more than {most_nights:count} nights.",
                "terse": "{most_nights:count} nights at the most.",
                "chatty": "And no longer than {most_nights:count} nights, or the cat will never forgive me!",
                "formal": "Its duration may not exceed {most_nights:count} nights.",
            },
            draw=one_of("most_nights", (6, 7, 8, 9)),
        ),
    ),
)


def _longest(facts: Facts) -> Policy:
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


LONGEST = Program(
    "book_longest_tour",
    "Book the longest guided tour that starts in a city",
    {
        "plain": "Please book {travellers:count} places on your longest guided tour to {city} that starts from "
        "{earliest:date} to {latest:date} and has places left; the earlier start if two are equally long. [What is it "
        "called, and what is charged now?|Give me its title and what you charge now.]",
        "terse": "longest guided tour to {city}, start {earliest:date} to {latest:date}, {travellers:count} places, "
        "earlier start if equal. book. title, charged now?",
        "chatty": "{city} has been on my list for ever! Your longest guided tour there with {travellers:count} "
        "places, starting {earliest:date} to {latest:date}, the earlier start if they are the same length, and what "
        "is it called and what do I pay now?",
        "formal": "Kindly book {travellers:count} places on the longest guided tour to {city} commencing from "
        "{earliest:date} to {latest:date}, and among equals the earlier, indicating the title and the present charge.",
        "non_native": "To {city} I want go with guided tour, the longest which starts {earliest:date} to "
        "{latest:date}, {travellers:count} places, the earlier if same long. How is its name and what I pay now?",
    },
    _draw_city,
    _longest,
    (
        MOST_EACH,
        Twist(
            "whichever starts first",
            "change_of_mind",
            {
                "plain": "No, the length does not matter so much: take whichever starts first.",
                "terse": "forget length: whichever starts first.",
                "chatty": "Oh, I cannot wait that long, never mind the length, whichever starts first!",
                "formal": "On consideration, not the length but the earliest start is to decide.",
            },
            sets={"soonest": True},
        ),
    ),
)


def _book_or_wait(facts: Facts) -> Policy:
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
    if (travellers, departure["departure_id"]) in waiting:
        raise DeadEnd("on that list already")
    return {
        "traveller_id": travellers,
        "title": known(world, "tours", departure["tour_id"])["title"],
        "start": departure["start_date"],
        "travellers": party,
    }


BOOK_OR_WAIT = Program(
    "book_tour_or_wait",
    "Book a certain tour, or get onto its waiting list if it is full",
    {
        "plain": 'Please book {travellers:count} places on "{title}" starting {start:date}. If there are not enough '
        "left, "
        "put us on the waiting list instead. Either way, give me the number of the booking or the waiting list entry.",
        "terse": '"{title}", start {start:date}, {travellers:count} places. full? waiting list. need the number.',
        "chatty": 'My heart is set on "{title}" on {start:date}! {travellers:count} places if you have them, and if '
        "not, "
        "then at least the waiting list, and tell me the number it goes under!",
        "formal": 'I apply for {travellers:count} places on "{title}" commencing {start:date} or, should these be '
        "unavailable, on its waiting list, and ask for the number under which this is recorded.",
        "non_native": 'I want the tour "{title}" which begins {start:date}, {travellers:count} places; if is full '
        "please "
        "waiting list. Which number I have then?",
    },
    _draw_named,
    _book_or_wait,
    (
        Twist(
            "a limit for each traveller, even to wait",
            "condition",
            {
                "plain": "If it costs more than {most_each:money} EUR for each of us, we want neither places nor the "
                "waiting list; just tell me the price.",
                "terse": "more than {most_each:money} EUR each? no booking, no waiting list, price only.",
                "chatty": "But over {most_each:money} EUR a head my purse says no, so then no places and no waiting "
                "list, and just tell me what they ask!",
                "formal": "Above {most_each:money} EUR a person neither places nor an entry on the waiting list are "
                "desired, but merely the price.",
            },
            draw=one_of("most_each", (750.0, 1100.0, 1600.0, 2300.0)),
        ),
    ),
)


def _leave(facts: Facts) -> Policy:
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


LEAVE = Program(
    "leave_waiting_list",
    "Get off the waiting list of a tour",
    {
        "plain": 'Please take me off the waiting list for "{title}"[, I have found something else|] and tell me the '
        "number "
        "of the entry that you removed.",
        "terse": 'waiting list for "{title}": take me off. entry number?',
        "chatty": 'I have waited long enough for "{title}", so take me off that waiting list, and for my notes, what '
        "was "
        "the number of my entry?",
        "formal": 'I no longer wish to be kept on the waiting list for "{title}"; kindly remove me and confirm the '
        "number "
        "of the entry.",
        "non_native": 'I am in the waiting list of "{title}", please remove me from there and say which number it had.',
    },
    _draw_waiting,
    _leave,
    unknown="I do not have the number of the entry.",
)


TOURS = (BOOK_TOUR, LONGEST, BOOK_OR_WAIT, LEAVE)
