"""Programs about classes: joining, waiting, swapping, giving a place back, asking for the coach."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sport.programs.common import (
    IN_A_DAY,
    Record,
    Step,
    city_of,
    club_in,
    fit,
    later_first,
    seen,
)
from toolscale.reference.sums import shown

EVENING = Twist(
    "not before an hour",
    "constraint",
    {
        "plain": "[I work until late, so it|It] must not begin before {not_before:time}.",
        "terse": "starting {not_before:time} or later.",
        "chatty": "I never get out of the office in time, so it should not start before {not_before:time}!",
        "formal": "It should not commence before {not_before:time}.",
        "non_native": "It can not start before {not_before:time}, I work.",
    },
    draw=lambda world, rng, facts: {"not_before": rng.choice(("10:00", "12:30", "14:00", "16:30"))},
)
LEVEL = Twist(
    "not for the advanced",
    "constraint",
    {
        "plain": "It must not be a class for advanced participants.",
        "terse": "no advanced class.",
        "chatty": "But not one for the advanced, [I would only embarrass myself|my knees are not what they were]!",
        "formal": "Classes for advanced participants are to be left out of account.",
        "confused": "Nothing advanced, please, I have only done this twice, or was it once.",
    },
    sets={"no_advanced": True},
)
LAST = Twist(
    "the last one instead",
    "change_of_mind",
    {
        "plain": "Sorry, [not the first of them|I changed my mind]: take the last such class that is on your "
        "timetable.",
        "terse": "actually the last one on the timetable, not the first.",
        "chatty": "Oh wait, I have visitors first, so take the very last one on your timetable instead!",
        "formal": "On reflection, the last such class on your timetable is preferred to the first.",
    },
    sets={"last_one": True},
)


MAIL = Twist(
    "the coach's address",
    "lookup",
    {
        "plain": "[I have an old injury to mention, so|There is something I want to ask, so] I need the e-mail address "
        "of that coach too.",
        "terse": "+ that coach's mail address.",
        "chatty": "And what is that coach's e-mail address, [I have so many questions|I want to say hello beforehand]?",
        "formal": "The e-mail address of the coach in question would be appreciated as well.",
        "non_native": "I need also the e-mail of this coach, for a question.",
    },
    sets={"wants_mail": True},
)


def _suits(facts: Facts, lesson: Record) -> bool:
    return lesson["start"] >= facts.get("not_before", "") and not (
        facts.get("no_advanced") and lesson["level"] == "advanced"
    )


def _find(facts: Facts, *, full: bool) -> Step:
    club = yield from club_in(facts["city"])
    found = yield do(
        "search_classes", club_id=club["club_id"], activity=facts["activity"], first_day=facts["first_day"]
    )
    suitable = [each for each in found if (each["places_left"] == 0) == full and _suits(facts, each)]
    key = later_first if facts.get("last_one") else str
    return (yield choose(suitable, key=lambda each: key(each["starts"])))


def _told(facts: Facts, lesson: Record, text: str, tell: tuple[str, ...]) -> Policy:
    """The reply, with the coach's address if it is wanted."""
    if facts.get("wants_mail"):
        full = yield do("get_class", class_id=lesson["class_id"])
        text, tell = f"{text} Write to {full['coach_email']}.", (*tell, full["coach_email"])
    return Reply(text, tell)


def _join(facts: Facts) -> Policy:
    lesson = yield from _find(facts, full=False)
    place = yield do("join_class", member_id=facts["member_id"], class_id=lesson["class_id"])
    text = f"You have {place['place_id']} on {place['day']} at {place['start']} with {place['coach']}."
    return (yield from _told(facts, lesson, text, (place["start"], place["coach"])))


def _draw_class(world: World, rng: Random, *, full: bool) -> Facts:
    coming = [each for each in world.rows("classes") if each["starts"] > IN_A_DAY]
    lesson = pick(rng, [each for each in coming if (each["places_left"] == 0) == full])
    return {
        "member_id": pick(rng, fit(world))["member_id"],
        "city": city_of(world, lesson["club_id"]),
        "activity": lesson["activity"],
        "first_day": max(day(1), rng.choice((lesson["starts"][:10], day(1), day(2)))),
    }


JOIN = Program(
    "join_first_class",
    "Take a place in the next class of an activity",
    {
        "plain": "Please sign me up for the first {activity} class in {city} with a free place, on {first_day:date} or "
        "later. [When does it start, and who is the coach?|Tell me the time and the coach.]",
        "terse": "{activity}, {city}, first class with space from {first_day:date} on, sign me up. time + coach?",
        "chatty": "[My doctor says I should move more|I have new leggings and no excuse], so put me into the first "
        "{activity} class in {city} that has room, from {first_day:date} on! What time is it and who teaches it?",
        "formal": "I wish to attend the first {activity} class in {city} held on or after {first_day:date} in which a "
        "place is free; please enrol me and state the hour and the coach.",
        "hurried": "First {activity} class with space in {city} from {first_day:date}, get me in, what time, which "
        "coach?",
        "non_native": "I like to make {activity} in {city}, the first class with free place since {first_day:date}; at "
        "which hour is it, and who is the trainer?",
    },
    lambda world, rng: _draw_class(world, rng, full=False),
    _join,
    (EVENING, LEVEL, LAST, MAIL),
)


def _wait(facts: Facts) -> Policy:
    lesson = yield from _find(facts, full=True)
    place = yield do(
        "join_class",
        member_id=facts["member_id"],
        class_id=lesson["class_id"],
        waiting_list=True,
    )
    text = f"You wait as number {place['position']} for {place['day']}, {place['start']}, with {place['coach']}."
    return (yield from _told(facts, lesson, text, (place["day"], place["start"], place["coach"])))


WAIT = Program(
    "wait_for_full_class",
    "Go on the waiting list of the next class that is full",
    {
        "plain": "The {activity} classes in {city} fill up so fast. Please put me on the waiting list of the first one "
        "from {first_day:date} on that is full, and tell me its date and time and who coaches it.",
        "terse": "waiting list please: first full {activity} class in {city} from {first_day:date}. date, time, coach?",
        "chatty": "Everybody raves about {activity} in {city}, and of course [it is always full|I am too late again]! "
        "Put me on the waiting list for the first full class from {first_day:date} on, and when would that be, with "
        "whom?",
        "formal": "Kindly enter me on the waiting list of the first fully booked {activity} class in {city} held on or "
        "after {first_day:date}, and inform me of its date, hour and coach.",
        "confused": "There is a waiting list, I was told, for {activity} in {city} when a class is full. From "
        "{first_day:date} on I would wait for the first such class; what day and hour is it, and who is the teacher?",
    },
    lambda world, rng: _draw_class(world, rng, full=True),
    _wait,
    (LEVEL, LAST, MAIL),
)


def _place_of(facts: Facts) -> Step:
    places = yield do("list_class_places", member_id=facts["member_id"])
    mine = [each for each in places if each["place_id"] == facts["place_id"]]
    return (yield choose(mine, key=lambda each: each["place_id"]))


def _places(world: World, status: str = "booked") -> list[Record]:
    return [
        each
        for each in world.rows("class_places")
        if each["status"] == status and seen(world, "classes", each["class_id"])["starts"] > IN_A_DAY
    ]


def _draw_place(world: World, rng: Random) -> Facts:
    place = pick(rng, _places(world))
    return {"member_id": place["member_id"], "place_id": place["place_id"]}


def _leave(facts: Facts) -> Policy:
    place = yield from _place_of(facts)
    lesson = yield do("get_class", class_id=place["class_id"])
    if lesson["waiting"] < facts.get("at_least_waiting", 0):
        return Reply(f"I kept your place with {lesson['coach']}: too few are waiting for it.", (lesson["coach"],))
    done = yield do("leave_class", place_id=facts["place_id"])
    credit = shown(done["credit"])
    return Reply(f"Your place with {lesson['coach']} is free; your credit is {credit} EUR.", (lesson["coach"], credit))


LEAVE = Program(
    "leave_class",
    "Give a place in a class back",
    {
        "plain": "[I cannot come|My shift was changed], so please give up {place_id}. Who would have been the coach, "
        "and what is my credit after that?",
        "terse": "drop {place_id}. coach's name + my credit then?",
        "chatty": "[My sister has her recital|It is my turn to cook], so {place_id} must go to somebody else, alas! "
        "Who was the coach, so that I can apologise, and what does my credit come to?",
        "formal": "I am unable to attend and relinquish {place_id}; please name the coach and the credit that results.",
        "non_native": "I give back {place_id}, I have no time for it; what is the name of the trainer, and my credit "
        "after?",
    },
    _draw_place,
    _leave,
    (
        Twist(
            "only if somebody waits for it",
            "condition",
            {
                "plain": "But only if somebody is on the waiting list for it; if nobody waits, I keep it, and you tell "
                "me only the coach.",
                "terse": "only if anyone is waiting for it, else keep it, coach's name is enough.",
                "chatty": "But if nobody is waiting for it I will drag myself there, so then keep it and just tell me "
                "the coach!",
                "formal": "This applies solely if a waiting list exists; otherwise the place is kept and only the "
                "coach is to be named.",
            },
            sets={"at_least_waiting": 1},
        ),
    ),
)


def _swap(facts: Facts) -> Policy:
    place = yield from _place_of(facts)
    old = yield do("get_class", class_id=place["class_id"])
    found = yield do("search_classes", club_id=old["club_id"], activity=old["activity"], first_day=facts["first_day"])
    others = [
        each for each in found if each["class_id"] != old["class_id"] and each["places_left"] and _suits(facts, each)
    ]
    lesson = yield choose(others, key=lambda each: each["starts"])
    yield do("leave_class", place_id=facts["place_id"])
    new = yield do("join_class", member_id=facts["member_id"], class_id=lesson["class_id"])
    text = f"You are now in on {new['day']} at {new['start']} with {new['coach']}."
    return (yield from _told(facts, lesson, text, (new["day"], new["start"], new["coach"])))


SWAP = Program(
    "swap_class",
    "Change to another class of the same activity",
    {
        "plain": "[I cannot make it to|I shall miss] {place_id}. Please take me out and put me into the first other "
        "class of the same kind in that club that has a place, on {first_day:date} or later. On what date and at what "
        "time is it, and with which coach?",
        "terse": "swap {place_id} for first other class of that kind with space, same club, from {first_day:date} on. "
        "date, time, coach?",
        "chatty": "[The plumber comes just then|My train was cancelled], so could {place_id} be swapped for the first "
        "other one from {first_day:date} on, the same kind, same club, wherever there is room? When is that, and who "
        "leads it?",
        "formal": "Kindly exchange {place_id} for the first other class of the same kind in that club, held on or "
        "after {first_day:date}, in which a place is free, and advise me of its date, hour and coach.",
        "hurried": "Can't make {place_id}, first other class of that kind with space please, same club, from "
        "{first_day:date}, when and who?",
    },
    lambda world, rng: {**_draw_place(world, rng), "first_day": day(rng.randint(1, 3))},
    _swap,
    (LEVEL, EVENING, MAIL),
)


def _coach(facts: Facts) -> Policy:
    place = yield from _place_of(facts)
    lesson = yield do("get_class", class_id=place["class_id"])
    text = f"{lesson['coach']} ({lesson['coach_email']}) leads it; it starts at {lesson['start']}."
    return Reply(text, (lesson["coach"], lesson["coach_email"]))


COACH = Program(
    "coach_of_class",
    "Ask who leads a class and how to write to the coach",
    {
        "plain": "[I have a question about the exercises|I need to tell the coach about my knee]: who leads "
        "{place_id}, and at what e-mail address do I reach that coach?",
        "terse": "coach of {place_id}, name + mail?",
        "chatty": "I want to bring the coach of {place_id} a cake, [it is our last class|they are so patient with us]! "
        "What was the name again, and the e-mail address to ask about allergies?",
        "formal": "Please inform me who conducts {place_id}, and of the e-mail address of that coach.",
        "non_native": "Who is the trainer in {place_id}, and which e-mail has this trainer?",
    },
    _draw_place,
    _coach,
)


def _give_up_waiting(facts: Facts) -> Policy:
    waiting = yield do("list_class_places", member_id=facts["member_id"], status="waiting")
    place = yield choose(waiting, key=lambda each: (each["day"], each["start"]))
    lesson = yield do("get_class", class_id=place["class_id"])
    yield do("leave_class", place_id=place["place_id"])
    return Reply(
        f"You no longer wait for {lesson['activity']} with {lesson['coach']} at {lesson['start']}.",
        (lesson["coach"], lesson["start"]),
    )


def _draw_waiting(world: World, rng: Random) -> Facts:
    return {"member_id": pick(rng, _places(world, "waiting"))["member_id"]}


STOP_WAITING = Program(
    "stop_waiting",
    "Leave a waiting list",
    {
        "plain": "I am tired of waiting for a place. Please take me off the waiting list that I am on; if there are "
        "several, the one of the earliest class. Whose class was it, and at what time?",
        "terse": "off the waiting list (earliest class if several). which coach + hour was that?",
        "chatty": "I never get in anyway, so take me off that waiting list, the one for the earliest class if I am on "
        "more than one! Whose class would it have been, at what time?",
        "formal": "I withdraw from the waiting list on which I stand, or from that of the earliest class should there "
        "be several; please name its coach and hour.",
        "confused": "I am on some waiting list and would like to be off it, the earliest class if there are more of "
        "them. Whose class is it, and when does it begin?",
    },
    _draw_waiting,
    _give_up_waiting,
    unknown="[I do not remember which class it was.|I am not sure which class it is.]",
)

CLASSES = (JOIN, WAIT, LEAVE, SWAP, COACH, STOP_WAITING)
