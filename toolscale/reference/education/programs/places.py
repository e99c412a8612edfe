"""Programs about places that a student has: moving, dropping, withdrawing, and waiting no longer."""

from random import Random

from toolscale.reference.education.programs.shared import KEPT, a_place, just_a_student
from toolscale.reference.education.schema import WITHDRAWAL_REASONS
from toolscale.reference.kit import must
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _a_spring_place(world: World, rng: Random) -> Facts:
    enrolment = a_place(world, rng, "enrolled", "spring-2027").enrolment
    return {"student_id": enrolment["student_id"], "place_id": enrolment["enrolment_id"]}


def _a_running_place(world: World, rng: Random) -> Facts:
    enrolment = a_place(world, rng, "enrolled", "autumn-2026").enrolment
    return {
        "student_id": enrolment["student_id"],
        "place_id": enrolment["enrolment_id"],
        "reason": rng.choice(WITHDRAWAL_REASONS),
    }


def _move(facts: Facts) -> Solution:
    place = yield do("get_enrolment", enrolment_id=facts["place_id"])
    must(place["term"] == "spring-2027" and place["status"] == "enrolled", "no place of next spring")
    sections = yield do("search_sections", course_id=place["course_id"], term="spring-2027")
    others = [
        each
        for each in sections
        if each["section_id"] != place["section_id"]
        and each["places_left"]
        and (not facts.get("on_site") or each["campus"] != "online")
        and each["weekday"] != facts.get("not_on")
    ]
    if facts.get("earliest"):
        section = yield choose(others, key=lambda each: each["starts_at"])
    else:
        section = yield choose(others, key=lambda each: -each["places_left"])
    done = yield do("move_to_section", enrolment_id=facts["place_id"], section_id=section["section_id"])
    text = (
        f"You are now in {done['section_id']}, {done['weekday']} from {done['starts_at']}, with {section['teacher']}."
    )
    return Reply(text, (done["section_id"], section["teacher"]))


MOVE = WORDS.program(
    "move_to_other_section",
    _a_spring_place,
    _move,
    (
        WORDS.twist("the earliest one instead", "change_of_mind", sets={"earliest": True}),
        WORDS.twist(
            "not on a weekday",
            "constraint",
            draw=lambda world, rng, facts: {"not_on": rng.choice(("Monday", "Wednesday", "Friday"))},
        ),
        WORDS.twist("on campus", "constraint", sets={"on_site": True}),
        KEPT,
    ),
)


def _drop(facts: Facts) -> Solution:
    place = yield do("get_enrolment", enrolment_id=facts["place_id"])
    must(place["term"] == "spring-2027" and place["status"] == "enrolled", "no place of next spring")
    paid = shown(place["paid"])
    if facts.get("only_unpaid") and place["paid"]:
        return Reply(f"I left it: {paid} EUR were paid for {place['title']} with {place['teacher']}.", (paid,))
    done = yield do("drop_course", enrolment_id=facts["place_id"])
    waived = shown(done["fee_waived"])
    text = f"{place['title']} is dropped; the fee of {waived} EUR is waived, {paid} EUR come back."
    return Reply(text, (waived,))


DROP = WORDS.program(
    "drop_spring_course",
    _a_spring_place,
    _drop,
    (
        WORDS.twist("only if nothing was paid", "condition", sets={"only_unpaid": True}),
        KEPT,
    ),
    again="place_id",
)


def _withdraw(facts: Facts) -> Solution:
    place = yield do("get_enrolment", enrolment_id=facts["place_id"])
    must(place["term"] == "autumn-2026" and place["status"] == "enrolled", "no running place")
    fee = shown(place["fee"])
    if place["credits"] > facts.get("most_credits", place["credits"]):
        text = f"I left it: {place['credits']} credits hang on it. It is taught by {place['teacher']}, for {fee} EUR."
        return Reply(text, (fee,))
    done = yield do("withdraw_from_course", enrolment_id=facts["place_id"], reason=facts["reason"])
    text = f"You have withdrawn from {done['title']}; the fee of {fee} EUR stays due."
    return Reply(text, (fee,))


WITHDRAW = WORDS.program(
    "withdraw_from_course",
    _a_running_place,
    _withdraw,
    (
        WORDS.twist(
            "not if many credits hang on it",
            "condition",
            draw=lambda world, rng, facts: {"most_credits": rng.choice((5, 5, 6, 7))},
        ),
        KEPT,
    ),
    again="place_id",
)


def _leave(facts: Facts) -> Solution:
    waiting = yield do("list_enrolments", student_id=facts["student_id"], status="waitlisted")
    place = yield choose(waiting, key=lambda each: -each["position"])
    full = yield do("get_enrolment", enrolment_id=place["enrolment_id"])
    if place["position"] <= facts.get("near", 0):
        return Reply(
            f"I left you there: you are {place['position']}. in line with {full['teacher']}.", (full["teacher"],)
        )
    done = yield do("leave_waiting_list", enrolment_id=place["enrolment_id"])
    text = f"You wait no longer for {done['title']} with {full['teacher']}."
    return Reply(text, (done["title"], full["teacher"]))


LEAVE = WORDS.program(
    "leave_waiting_list",
    just_a_student,
    _leave,
    (WORDS.twist("unless it is near", "condition", draw=lambda world, rng, facts: {"near": rng.choice((1, 2, 3, 4))}),),
)

PLACES = (MOVE, DROP, WITHDRAW, LEAVE)
