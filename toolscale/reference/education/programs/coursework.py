"""Programs about assignments of the running term: deadlines, weights and extensions."""

from random import Random

from toolscale.reference.education.catalogue import ASSIGNMENTS
from toolscale.reference.education.programs.shared import a_place, day_and_time, just_a_student, must
from toolscale.reference.education.schema import EXTENSION_REASONS
from toolscale.reference.program import Facts, Policy, Program, Reply, Steps, Twist, World, choose, do, pick


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


def _extend(facts: Facts) -> Policy:
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


EXTEND = Program(
    "extend_deadline",
    "Get a deadline of an assignment moved by some days for a reason",
    {
        "plain": "I [need|ask for] {days:count} more days for the {task} in {course}; the reason is {reason}. Until "
        "when exactly do I have then, day and time?",
        "terse": "need {days:int} extra days for the {task} in {course}, reason: {reason}. new deadline, date + time?",
        "chatty": "I am in such a pickle with the {task} in {course}, could I have {days:count} days on top? It is "
        "because of {reason}. Do tell me the new day and hour!",
        "formal": "On the ground of {reason}, I request an extension of {days:count} days for the {task} in {course}, "
        "and to be told the new date and time of submission.",
        "non_native": "I can not finish the {task} in {course}, because of {reason}; please give me {days:count} days "
        "more and tell which day and hour is the new end.",
        "hurried": "Extension of {days:count} days, {task} in {course}, reason is {reason}, what is the new date and "
        "hour?",
        "confused": "It is about the {task} in {course}, I was told to ask for {days:count} more days, because of "
        "{reason}, and when, day and hour, is it due then?",
    },
    lambda world, rng: an_assignment(world, rng, extendable=True),
    _extend,
    (
        Twist(
            "only if it is due soon",
            "condition",
            {
                "plain": "If it is due after {due_after:date} as it stands, leave the deadline alone and tell me when "
                "it is due.",
                "terse": "only if due by {due_after:date} now, else just give me the current deadline.",
                "chatty": "Mind you, should it be due only after {due_after:date} as things stand, I will manage, so "
                "then just tell me when!",
                "formal": "The extension is needed only if the present deadline falls on or before {due_after:date}; "
                "otherwise merely state it.",
            },
            draw=lambda world, rng, facts: {"due_after": rng.choice(("2026-11-30", "2026-12-11", "2026-12-16"))},
        ),
    ),
    unknown="[I do not know the assignment's number.|I cannot see the number of the assignment.]",
)


def _extend_first(facts: Facts) -> Policy:
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


EXTEND_FIRST = Program(
    "extend_what_is_due_first",
    "Get the longest possible extension for whichever assignment is due first",
    {
        "plain": "Because of {reason} I fall behind. Of my assignments that can still be extended, please extend the "
        "one that is due first, by as many days as are allowed. Which one was it, and when is it due now?",
        "terse": "behind because of {reason}. extend my next assignment that can be, max days. which one + new date?",
        "chatty": "Everything is late because of {reason}, and I have lost track! Could you take whichever assignment "
        "of mine is due first and can be extended, and give me all the days there are? Tell me which and until when!",
        "formal": "Owing to {reason}, I request the longest permissible extension for that assignment of mine which, "
        "among those that can be extended, is due first; kindly name it and the new date.",
        "non_native": "I have delay because of {reason}, please move the assignment which is first to give and which "
        "can be moved, with maximum of days, and say me which and the new date.",
        "confused": "I do not know any more what is due when, because of {reason}, so give me the most days you can "
        "for the first one that can be extended, and tell me which one it is and until when!",
    },
    lambda world, rng: {
        "student_id": a_place(world, rng, "enrolled", "autumn-2026").enrolment["student_id"],
        "reason": rng.choice(EXTENSION_REASONS),
    },
    _extend_first,
    (
        Twist(
            "the heaviest instead",
            "change_of_mind",
            {
                "plain": "No, better the one that counts the most for the course, not the first.",
                "terse": "no: the one with the highest weight.",
                "chatty": "Oh, come to think of it, use it on the one that counts the most instead!",
                "formal": "Upon reflection, the one of the greatest weight should be extended instead.",
            },
            sets={"heaviest": True},
        ),
        Twist(
            "fewer days will do",
            "change_of_mind",
            {
                "plain": "Actually, {days:int} days will do, it need not be the most possible.",
                "terse": "make that {days:int} days only.",
                "chatty": "Well, let me not be greedy, {days:int} days will be enough!",
                "formal": "On consideration, {days:int} days will be sufficient.",
            },
            draw=lambda world, rng, facts: {"days": rng.randint(2, 3)},
        ),
    ),
    unknown="[I do not know which assignments can be extended.|I have no overview of my deadlines.]",
)


def _heaviest(facts: Facts) -> Policy:
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


HEAVIEST = Program(
    "weightiest_assignment",
    "Find out which assignment due counts the most, until when, and whom to write to",
    {
        "plain": "Which of my assignments still due counts the most? Tell me its name, the day it is due and the "
        "teacher's e-mail address.",
        "terse": "my heaviest assignment still due: name, date, teacher's e-mail?",
        "chatty": "I have a whole heap of things to hand in, so which one counts the most, what day is it due, and at "
        "what address do I write to the teacher?",
        "formal": "Please name that assignment of mine still due which carries the greatest weight, its date of "
        "submission and the e-mail address of the teacher.",
        "non_native": "From my works which I still must give, which one has the most percent, which day is it due and "
        "what is the e-mail of the teacher?",
        "hurried": "Which of my open assignments weighs most, what day, and the teacher's e-mail?",
    },
    lambda world, rng: {"student_id": a_place(world, rng, "enrolled", "autumn-2026").enrolment["student_id"]},
    _heaviest,
    (
        Twist(
            "the next one instead",
            "change_of_mind",
            {
                "plain": "Or no, forget the weight, I need the one that is due next.",
                "terse": "no, the one due next.",
                "chatty": "Actually, never mind what counts, tell me all that of the one that is due next!",
                "formal": "I should rather learn this of the assignment that is due next.",
            },
            sets={"first": True},
        ),
    ),
)


def _handed_in(facts: Facts) -> Policy:
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


WORST = Program(
    "talk_about_worst_result",
    "Find out which hand-in went worst, and see the study adviser about it",
    {
        "plain": "Which of the assignments that I handed in this term got the fewest points? Book me the first free "
        "consultation with my study adviser to talk about it, and tell me day and time.",
        "terse": "my handed-in assignment with fewest points: which? + book adviser's first free consultation, when?",
        "chatty": "Something I handed in this term must have gone terribly wrong, so which one got the fewest points? "
        "And get me in to see my study adviser, the first free slot, what day and hour is that?",
        "formal": "Kindly name the assignment that I submitted this term with the fewest points, reserve the first "
        "free consultation with my study adviser, and advise me of its day and time.",
        "non_native": "Which work that I gave this term has the least points? Please make for me the first free "
        "meeting with my study adviser and say the day and the hour.",
        "confused": "I saw a bad mark on something I handed in this term, the one with the fewest points, which was "
        "it? And I should talk to my study adviser, so book the first free time, and when is it?",
    },
    just_a_student,
    _handed_in,
    (
        Twist(
            "the best instead",
            "change_of_mind",
            {
                "plain": "No, let us talk about the one with the most points instead, I want to build on it.",
                "terse": "no, the one with most points.",
                "chatty": "Oh, why be gloomy, let it be the one with the most points that we talk about!",
                "formal": "I correct myself: I wish to discuss the one with the most points.",
            },
            sets={"best": True},
        ),
    ),
)

COURSEWORK = (EXTEND, EXTEND_FIRST, HEAVIEST, WORST)
