"""Programs about assignments of the running term: deadlines, weights and extensions."""

from random import Random

from toolscale.reference.education.catalogue import ASSIGNMENTS
from toolscale.reference.education.programs.shared import a_place, day_and_time, just_a_student
from toolscale.reference.education.schema import EXTENSION_REASONS
from toolscale.reference.kit import must
from toolscale.reference.program import Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def an_assignment(world: World, rng: Random, *, extendable: bool) -> Facts:
    """An assignment of the running term, by its title, and a student who has to hand it in."""

    place = a_place(world, rng, "enrolled", "autumn-2026")
    tasks = [each for each in ASSIGNMENTS[place.course["department"]] if bool(each[2]) == extendable]
    title, _, longest = pick(rng, tasks)
    return {
        "student_id": place.enrolment["student_id"],
        "task": title,
        "course": place.course["title"],
        "days": rng.randint(2, longest or 4),
        "reason": rng.choice(EXTENSION_REASONS),
    }


def assignment_named(facts: Facts) -> Steps:
    """The student's assignment of that title in that course, among those still due."""
    due = yield do("list_assignments", student_id=facts["student_id"])
    named = [each for each in due if (each["title"], each["course"]) == (facts["task"], facts["course"])]
    return (yield choose(named, key=lambda each: each["assignment_id"]))


def _extend(facts: Facts) -> Solution:
    task = yield from assignment_named(facts)
    must(not task["extended"] and facts["days"] <= task["longest_extension_days"], "no such extension")
    day, time = day_and_time(task["due_at"])
    if day > facts.get("due_after", day):
        return Reply(f"I left it: the {task['title']} is due only on {day} at {time}.", (day, time))
    done = yield do(
        "grant_extension",
        student_id=facts["student_id"],
        assignment_id=task["assignment_id"],
        days=facts["days"],
        reason=facts["reason"],
    )
    day, time = day_and_time(done["due_at"])
    return Reply(f"The {task['title']} is now due on {day} at {time}.", (day, time))


EXTEND = WORDS.program(
    "extend_deadline",
    lambda world, rng: an_assignment(world, rng, extendable=True),
    _extend,
    (
        WORDS.twist(
            "only if it is due soon",
            "condition",
            draw=lambda world, rng, facts: {"due_after": rng.choice(("2026-11-30", "2026-12-11", "2026-12-16"))},
        ),
    ),
)


def _extend_first(facts: Facts) -> Solution:
    due = yield do("list_assignments", student_id=facts["student_id"])
    able = [each for each in due if each["longest_extension_days"] and not each["extended"]]
    if facts.get("heaviest"):
        task = yield choose(able, key=lambda each: -each["weight_percent"])
    else:
        task = yield choose(able, key=lambda each: each["due_at"])
    done = yield do(
        "grant_extension",
        student_id=facts["student_id"],
        assignment_id=task["assignment_id"],
        days=facts.get("days", task["longest_extension_days"]),
        reason=facts["reason"],
    )
    day, _ = day_and_time(done["due_at"])
    return Reply(f"It was the {task['title']} in {task['course']}, which is now due on {day}.", (task["title"], day))


EXTEND_FIRST = WORDS.program(
    "extend_what_is_due_first",
    lambda world, rng: {
        "student_id": a_place(world, rng, "enrolled", "autumn-2026").enrolment["student_id"],
        "reason": rng.choice(EXTENSION_REASONS),
    },
    _extend_first,
    (
        WORDS.twist("the heaviest instead", "change_of_mind", sets={"heaviest": True}),
        WORDS.twist("fewer days will do", "change_of_mind", draw=lambda world, rng, facts: {"days": rng.randint(2, 3)}),
    ),
)


def _heaviest(facts: Facts) -> Solution:
    due = yield do("list_assignments", student_id=facts["student_id"])
    if facts.get("course"):
        due = [each for each in due if each["course"] == facts["course"]]
    if facts.get("first"):
        task = yield choose(due, key=lambda each: each["due_at"])
    else:
        task = yield choose(due, key=lambda each: -each["weight_percent"])
    full = yield do("get_assignment", assignment_id=task["assignment_id"])
    day, _ = day_and_time(task["due_at"])
    text = f"It is the {full['title']} in {full['course']}, due {day}. Write to {full['teacher_email']}."
    return Reply(text, (full["title"], day, full["teacher_email"]))


HEAVIEST = WORDS.program(
    "weightiest_assignment",
    lambda world, rng: {"student_id": a_place(world, rng, "enrolled", "autumn-2026").enrolment["student_id"]},
    _heaviest,
    (WORDS.twist("the next one instead", "change_of_mind", sets={"first": True}),),
)


def _handed_in(facts: Facts) -> Solution:
    done = yield do("list_assignments", student_id=facts["student_id"], state="handed in")
    if facts.get("best"):
        task = yield choose(done, key=lambda each: -each["points"])
    else:
        task = yield choose(done, key=lambda each: each["points"])
    file = yield do("get_student", student_id=facts["student_id"])
    adviser = yield do("get_teacher", instructor_id=file["adviser_id"])
    free = yield choose(adviser["free_consultations"], key=lambda each: each["starts_at"])
    booked = yield do("book_consultation", student_id=facts["student_id"], slot_id=free["slot_id"])
    day, time = day_and_time(booked["starts_at"])
    text = f"It was the {task['title']} in {task['course']}; {booked['teacher']} sees you on {day} at {time}."
    return Reply(text, (task["title"], day, time))


WORST = WORDS.program(
    "talk_about_worst_result",
    just_a_student,
    _handed_in,
    (WORDS.twist("the best instead", "change_of_mind", sets={"best": True}),),
)

COURSEWORK = (EXTEND, EXTEND_FIRST, HEAVIEST, WORST)
