"""Programs about places that a student has: moving, dropping, withdrawing, and waiting no longer."""

from random import Random

from toolscale.reference.education.programs.shared import KEPT, a_place, just_a_student, must
from toolscale.reference.education.schema import WITHDRAWAL_REASONS
from toolscale.reference.program import Facts, Policy, Program, Reply, Twist, World, choose, do
from toolscale.reference.sums import shown


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


def _move(facts: Facts) -> Policy:
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


MOVE = Program(
    "move_to_other_section",
    "Move a place for spring to another section of the same course",
    {
        "plain": "[The time does not suit me any more|I have a new job|My bus timetable changed], so please move "
        "{place_id} to another section of the same course, the one with the most free places. Tell me its number and "
        "who teaches it.",
        "terse": "move {place_id} to the other section with most free places. section no + teacher?",
        "chatty": "Would you believe it, my choir moved its rehearsals! So please shift {place_id} to another section "
        "of that course, whichever has the most places, and tell me which one it is and who teaches it!",
        "formal": "I request the transfer of {place_id} to a different section of the same course, namely the one with "
        "the most vacancies, and ask for its number and the name of the teacher.",
        "non_native": "Please change {place_id} to other group of same course, that with most free places, and tell "
        "number of section and the name of teacher.",
        "hurried": "Other section for {place_id}, most free places, which one and who teaches?",
    },
    _a_spring_place,
    _move,
    (
        Twist(
            "the earliest one instead",
            "change_of_mind",
            {
                "plain": "No, wait, I would rather have the one that begins earliest in the day.",
                "terse": "no, the one beginning earliest in the day.",
                "chatty": "Hm, actually I would love to be done by noon, so pick the one that begins earliest in the "
                "day!",
                "formal": "Rather than by vacancies, please choose the one that begins earliest in the day.",
            },
            sets={"earliest": True},
        ),
        Twist(
            "not on a weekday",
            "constraint",
            {
                "plain": "I cannot come on {not_on} at all.",
                "terse": "not on {not_on}.",
                "chatty": "But {not_on} is sacred, that is when I see my grandmother!",
                "formal": "Sections held on {not_on} are out of the question.",
            },
            draw=lambda world, rng, facts: {"not_on": rng.choice(("Monday", "Wednesday", "Friday"))},
        ),
        Twist(
            "on campus",
            "constraint",
            {
                "plain": "It has to be taught on campus.",
                "terse": "on campus only.",
                "formal": "Instruction on campus is a requirement.",
            },
            sets={"on_site": True},
        ),
        KEPT,
    ),
)


def _drop(facts: Facts) -> Policy:
    place = yield do("get_enrolment", enrolment_id=facts["place_id"])
    must(place["term"] == "spring-2027" and place["status"] == "enrolled", "no place of next spring")
    paid = shown(place["paid"])
    if facts.get("only_unpaid") and place["paid"]:
        return Reply(f"I left it: {paid} EUR were paid for {place['title']} with {place['teacher']}.", (paid,))
    done = yield do("drop_course", enrolment_id=facts["place_id"])
    waived = shown(done["fee_waived"])
    text = f"{place['title']} is dropped; the fee of {waived} EUR is waived, {paid} EUR come back."
    return Reply(text, (waived,))


DROP = Program(
    "drop_spring_course",
    "Drop a course before its term begins and learn which fee falls away",
    {
        "plain": "[I have changed my plans for spring|I took on too much for spring|I will be abroad in spring], so "
        "please drop {place_id}. Which fee is cancelled with it?",
        "terse": "drop {place_id} (spring). which fee is waived?",
        "chatty": "I have thought about it long and hard, and {place_id} in spring is just not for me, so drop it, "
        "please! How big is the fee that is cancelled with it?",
        "formal": "I herewith give up {place_id} in the coming spring term, and ask which fee is thereby waived.",
        "non_native": "I not want more {place_id} in spring, please drop it; which fee falls away?",
        "confused": "I think I signed up for too many things in spring, so drop {place_id}, and what was the fee that "
        "is cancelled then?",
    },
    _a_spring_place,
    _drop,
    (
        Twist(
            "only if nothing was paid",
            "condition",
            {
                "plain": "But if I have paid anything for it already, leave it and tell me how much I paid.",
                "terse": "only if i paid nothing yet, else tell me how much i paid.",
                "chatty": "Only if I have not paid a cent for it yet, mind you, otherwise keep it and tell me how much "
                "it was!",
                "formal": "Should a payment towards it have been made already, retain the place and state the amount "
                "paid.",
            },
            sets={"only_unpaid": True},
        ),
        KEPT,
    ),
    again="place_id",
)


def _withdraw(facts: Facts) -> Policy:
    place = yield do("get_enrolment", enrolment_id=facts["place_id"])
    must(place["term"] == "autumn-2026" and place["status"] == "enrolled", "no running place")
    fee = shown(place["fee"])
    if place["credits"] > facts.get("most_credits", place["credits"]):
        text = f"I left it: {place['credits']} credits hang on it. It is taught by {place['teacher']}, for {fee} EUR."
        return Reply(text, (fee,))
    done = yield do("withdraw_from_course", enrolment_id=facts["place_id"], reason=facts["reason"])
    text = f"You have withdrawn from {done['title']}; the fee of {fee} EUR stays due."
    return Reply(text, (fee,))


WITHDRAW = Program(
    "withdraw_from_course",
    "Withdraw from a running course, giving a reason, and learn which fee stays due",
    {
        "plain": "Please withdraw me from {place_id} this autumn; the reason is {reason}. How much is the full fee, "
        "which stays due?",
        "terse": "withdraw from {place_id}, running term, reason: {reason}. full fee that stays charged?",
        "chatty": "It breaks my heart, but I have to withdraw from {place_id} this term, and the reason is {reason}, "
        "alas! And how much is the full fee, which stays due, I know?",
        "formal": "I declare my withdrawal from {place_id} in the current term, on the ground of {reason}; kindly "
        "state the full fee, which stays due.",
        "non_native": "I must go out from {place_id} in this term because of {reason}; how much is the "
        "full fee which stays?",
        "hurried": "Take me out of {place_id} this term, reason is {reason}, how much is the full fee that stays due?",
        "confused": "I cannot go on with {place_id} this term, for the form you may put {reason} as the reason, and "
        "how much is the full fee that stays due then?",
    },
    _a_running_place,
    _withdraw,
    (
        Twist(
            "not if many credits hang on it",
            "condition",
            {
                "plain": "If more than {most_credits:int} credits hang on it, leave me in and only tell me the fee.",
                "terse": "if worth more than {most_credits:int} credits: don't, fee only.",
                "chatty": "But if I would lose more than {most_credits:int} credits, then I will grit my teeth and "
                "stay, so just tell me the fee!",
                "formal": "If more than {most_credits:int} credits are at stake, disregard the withdrawal and merely "
                "state the fee.",
            },
            draw=lambda world, rng, facts: {"most_credits": rng.choice((5, 5, 6, 7))},
        ),
        KEPT,
    ),
    again="place_id",
)


def _leave(facts: Facts) -> Policy:
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


LEAVE = Program(
    "leave_waiting_list",
    "Leave the waiting list on which one stands furthest back",
    {
        "plain": "Please take me off the waiting list on which I am furthest back, even if it is "
        "my only one. Which course is it, and who teaches it?",
        "terse": "take me off my waiting list (the one where i'm furthest back). course + teacher?",
        "chatty": "I am sick of waiting, so take me off the waiting list where I am furthest back! Which course was "
        "that, and with whom?",
        "formal": "Kindly remove me from that waiting list on which my position is the lowest, and name the course and "
        "its teacher.",
        "non_native": "I want not wait more, please delete me of waiting list where I am most behind; which course is "
        "it and which teacher?",
        "confused": "I am on some waiting list, maybe two, so take me off the one where I am furthest back, and what "
        "course was that and whose?",
    },
    just_a_student,
    _leave,
    (
        Twist(
            "unless it is near",
            "condition",
            {
                "plain": "If I am among the first {near:int} there, leave me on it and tell me only the teacher.",
                "terse": "top {near:int}? then stay on it, teacher only.",
                "chatty": "Unless I am among the first {near:int}, then it would be silly to go, so just tell me the "
                "teacher!",
                "formal": "Where I hold one of the first {near:int} positions, please retain it and name the teacher.",
            },
            draw=lambda world, rng, facts: {"near": rng.choice((1, 2, 3, 4))},
        ),
    ),
)

PLACES = (MOVE, DROP, WITHDRAW, LEAVE)
