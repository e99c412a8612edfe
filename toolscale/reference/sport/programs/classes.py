"""Programs about classes: joining, waiting, swapping, giving a place back, asking for the coach."""

from random import Random

from toolscale.reference.kit import known, latest_first
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sport.programs.common import IN_A_DAY, Record, Step, city_of, club_in, fit
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

EVENING = WORDS.twist(
    "not before an hour",
    "constraint",
    draw=lambda world, rng, facts: {"not_before": rng.choice(("10:00", "12:30", "14:00", "16:30"))},
)
LEVEL = WORDS.twist("not for the advanced", "constraint", sets={"no_advanced": True})
LAST = WORDS.twist("the last one instead", "change_of_mind", sets={"last_one": True})


MAIL = WORDS.twist("the coach's address", "lookup", sets={"wants_mail": True})


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
    key = latest_first if facts.get("last_one") else str
    return (yield choose(suitable, key=lambda each: key(each["starts"])))


def _told(facts: Facts, lesson: Record, text: str, tell: tuple[str, ...]) -> Solution:
    """The reply, with the coach's address if it is wanted."""
    if facts.get("wants_mail"):
        full = yield do("get_class", class_id=lesson["class_id"])
        text, tell = f"{text} Write to {full['coach_email']}.", (*tell, full["coach_email"])
    return Reply(text, tell)


def _join(facts: Facts) -> Solution:
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


JOIN = WORDS.program(
    "join_first_class", lambda world, rng: _draw_class(world, rng, full=False), _join, (EVENING, LEVEL, LAST, MAIL)
)


def _wait(facts: Facts) -> Solution:
    lesson = yield from _find(facts, full=True)
    place = yield do(
        "join_class",
        member_id=facts["member_id"],
        class_id=lesson["class_id"],
        waiting_list=True,
    )
    text = f"You wait as number {place['position']} for {place['day']}, {place['start']}, with {place['coach']}."
    return (yield from _told(facts, lesson, text, (place["day"], place["start"], place["coach"])))


WAIT = WORDS.program(
    "wait_for_full_class", lambda world, rng: _draw_class(world, rng, full=True), _wait, (LEVEL, LAST, MAIL)
)


def _place_of(facts: Facts) -> Step:
    places = yield do("list_class_places", member_id=facts["member_id"])
    mine = [each for each in places if each["place_id"] == facts["place_id"]]
    return (yield choose(mine, key=lambda each: each["place_id"]))


def _places(world: World, status: str = "booked") -> list[Record]:
    return [
        each
        for each in world.rows("class_places")
        if each["status"] == status and known(world, "classes", each["class_id"])["starts"] > IN_A_DAY
    ]


def _draw_place(world: World, rng: Random) -> Facts:
    place = pick(rng, _places(world))
    return {"member_id": place["member_id"], "place_id": place["place_id"]}


def _leave(facts: Facts) -> Solution:
    place = yield from _place_of(facts)
    lesson = yield do("get_class", class_id=place["class_id"])
    if lesson["waiting"] < facts.get("at_least_waiting", 0):
        return Reply(f"I kept your place with {lesson['coach']}: too few are waiting for it.", (lesson["coach"],))
    done = yield do("leave_class", place_id=facts["place_id"])
    credit = shown(done["credit"])
    return Reply(f"Your place with {lesson['coach']} is free; your credit is {credit} EUR.", (lesson["coach"], credit))


LEAVE = WORDS.program(
    "leave_class",
    _draw_place,
    _leave,
    (WORDS.twist("only if somebody waits for it", "condition", sets={"at_least_waiting": 1}),),
)


def _swap(facts: Facts) -> Solution:
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


SWAP = WORDS.program(
    "swap_class",
    lambda world, rng: {**_draw_place(world, rng), "first_day": day(rng.randint(1, 3))},
    _swap,
    (LEVEL, EVENING, MAIL),
)


def _coach(facts: Facts) -> Solution:
    place = yield from _place_of(facts)
    lesson = yield do("get_class", class_id=place["class_id"])
    text = f"{lesson['coach']} ({lesson['coach_email']}) leads it; it starts at {lesson['start']}."
    return Reply(text, (lesson["coach"], lesson["coach_email"]))


COACH = WORDS.program("coach_of_class", _draw_place, _coach)


def _give_up_waiting(facts: Facts) -> Solution:
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


STOP_WAITING = WORDS.program("stop_waiting", _draw_waiting, _give_up_waiting)

CLASSES = (JOIN, WAIT, LEAVE, SWAP, COACH, STOP_WAITING)
