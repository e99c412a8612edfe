"""What the university's programs share: drawing what a student has, and finding it again by its name."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from toolscale.reference.kit import somebody
from toolscale.reference.moments import TODAY
from toolscale.reference.program import Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.words import words

WORDS = words(__file__)

Record = dict[str, Any]

TODAY_ISO = TODAY.isoformat()


class Place(NamedTuple):
    """An enrolment with its section and course."""

    enrolment: Record
    section: Record
    course: Record


def places(world: World, status: str, term: str = "") -> Iterator[Place]:
    """The enrolments of a status that can be seen, of one term or of all."""
    for enrolment in world.rows("enrolments"):
        section = world.get("sections", enrolment["section_id"])
        course = world.get("courses", section["course_id"]) if section else None
        if section and course and enrolment["status"] == status and term in ("", section["term_id"]):
            yield Place(enrolment, section, course)


def a_place(
    world: World, rng: Random, status: str, term: str = "", suits: Callable[[Place], bool] = lambda place: True
) -> Place:
    """One of them that suits."""
    return pick(rng, [place for place in places(world, status, term) if suits(place)])


def a_student(world: World, rng: Random) -> str:
    """Any student."""
    return str(pick(rng, world.rows("students"))["student_id"])


just_a_student = somebody("students")
"""For requests that say no more than who asks."""


def course_titled(title: str) -> Steps:
    """Find a course by its full title."""
    found = yield do("find_courses", title=title)
    return (yield choose([each for each in found if each["title"] == title], key=lambda each: each["course_id"]))


def sections_titled(title: str) -> Steps:
    """The sections of next spring's course of that title."""
    course = yield from course_titled(title)
    return (yield do("search_sections", course_id=course["course_id"], term="spring-2027"))


def day_and_time(moment: str) -> tuple[str, str]:
    """The two parts of a moment, as both are told."""
    return moment[:10], moment[11:]


def fee_limit(world: World, rng: Random, facts: Facts) -> Facts:
    """A limit near the fee of the course that is spoken of."""
    courses = [each for each in world.rows("courses") if each["title"] == facts["course"]]
    return {"most": limit_near(rng, pick(rng, courses)["fee"], (0.8, 1.1, 1.2, 1.4))}


def with_total(facts: Facts, text: str, tell: tuple[str, ...]) -> Solution:
    """The reply, and what remains to be paid in all where the student wants to know."""
    if facts.get("wants_total"):
        listed = yield do("list_invoices", student_id=facts["student_id"])
        total = shown(listed["total_remaining"])
        text = f"{text} In all, {total} EUR remain to be paid."
        tell = (*tell, total) if listed["total_remaining"] else tell
    return Reply(text, tell)


TOTAL = WORDS.twist("what remains in all", "lookup", sets={"wants_total": True})


def another_place(world: World, rng: Random, facts: Facts) -> Facts:
    """Another course that the student has a place in, by its title."""
    own = world.narrowed_to(facts["student_id"])
    others = [each for each in places(own, "enrolled") if each.enrolment["enrolment_id"] != facts["place_id"]]
    return {"kept": pick(rng, others).course["title"]}


KEPT = WORDS.twist("another course that stays", "distractor", draw=another_place)
