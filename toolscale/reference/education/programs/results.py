"""Programs about results: appeals, resits, and what the file says of them."""

from random import Random

from toolscale.reference.education.programs.shared import (
    Place,
    a_place,
    day_and_time,
    just_a_student,
    later_first,
    must,
)
from toolscale.reference.education.schema import APPEAL_GROUNDS
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Policy, Program, Reply, Twist, World, choose, do
from toolscale.reference.sums import shown


def a_result(world: World, rng: Random, *, recent: bool) -> Facts:
    """A result, published lately (so that it can be appealed) or long ago."""

    def suits(place: Place) -> bool:
        return bool(place.enrolment["published_on"] > day(-20)) == recent

    enrolment = a_place(world, rng, "completed", suits=suits).enrolment
    return {"student_id": enrolment["student_id"], "result_id": enrolment["enrolment_id"]}


def _draw_appeal(world: World, rng: Random) -> Facts:
    return {**a_result(world, rng, recent=True), "ground": rng.choice(APPEAL_GROUNDS)}


def _appeal(facts: Facts) -> Policy:
    result = yield do("get_result", enrolment_id=facts["result_id"])
    must(not result["appeals"] and result["appeal_until"] >= day(0), "no appeal possible")
    until = result["appeal_until"]
    if result["points"] >= facts.get("below", 101):
        text = f"I filed none: it stands at {result['points']} points. You could appeal until {until}."
        return Reply(text, (until,))
    done = yield do("file_appeal", enrolment_id=facts["result_id"], ground=facts["ground"])
    text = f"Your appeal {done['appeal_id']} is filed; a decision comes by {done['decision_by']}."
    return Reply(text, (done["appeal_id"], done["decision_by"]))


APPEAL = Program(
    "appeal_result",
    "Appeal against a result on a ground, and learn when it will be decided",
    {
        "plain": "I [do not accept|want to contest] {result_id}; the ground of my appeal is {ground}. Please file it, "
        "and give me the case number and the day by which it will be decided.",
        "terse": "appeal against {result_id}, ground: {ground}. case no + decided by?",
        "chatty": "I stared at {result_id} for an hour and it cannot be right, there is {ground}, I am sure of it! So "
        "please file an appeal, and what is the case number and by when will they decide?",
        "formal": "I hereby lodge an appeal against {result_id} on the ground of {ground}, and request the case number "
        "and the date by which a decision is due.",
        "non_native": "I think {result_id} is not correct, the reason is {ground}; please make the appeal and tell "
        "number "
        "of the case and until which day is the decision.",
        "hurried": "Appeal {result_id}, ground is {ground}, what case number and decided by when?",
    },
    _draw_appeal,
    _appeal,
    (
        Twist(
            "only if the points are low",
            "condition",
            {
                "plain": "If it is {below:int} points or more, let it rest and just tell me until when I could appeal.",
                "terse": "if {below:int} points or more don't, just tell me last day to appeal.",
                "chatty": "Unless it is {below:int} points or more after all, then leave it, but do tell me until when "
                "I may change my mind!",
                "formal": "Should the result amount to {below:int} points or more, please take no step and state the "
                "last day for an appeal.",
            },
            draw=lambda world, rng, facts: {"below": rng.choice((60, 75, 85, 90))},
        ),
    ),
    again="result_id",
)


def _withdraw(facts: Facts) -> Policy:
    appeals = yield do("list_appeals", student_id=facts["student_id"])
    open_ = [each for each in appeals if each["status"] == "open"]
    appeal = yield choose(open_, key=lambda each: later_first(each["filed_on"]))
    if facts.get("keep_if_failed"):
        result = yield do("get_result", enrolment_id=appeal["enrolment_id"])
        if not result["passed"]:
            text = f"I left it open: {result['title']} is not passed, and {appeal['appeal_id']} may change that."
            return Reply(text, (appeal["appeal_id"],))
    done = yield do("withdraw_appeal", appeal_id=appeal["appeal_id"])
    text = f"{done['appeal_id']} about {done['title']} is withdrawn."
    return Reply(text, (done["appeal_id"], done["title"]))


WITHDRAW_APPEAL = Program(
    "withdraw_appeal",
    "Withdraw an appeal that is not decided yet",
    {
        "plain": "[I spoke to the teacher and understand my result now|I have made my peace with it], so please "
        "withdraw my open appeal, [the latest one if there are several|and if there are two, the latest]. What is its "
        "number, and which course is it about?",
        "terse": "withdraw my open appeal (latest). case no + course?",
        "chatty": "I slept over it and I no longer want to fight about points, so take back my open appeal, the latest "
        "if there are more! Which number did it have, and which course was it?",
        "formal": "I withdraw my pending appeal, or the most recent of several, and ask for its number and the course "
        "concerned.",
        "non_native": "I want take back my appeal which is open, the newest one; please tell number of it and which "
        "course.",
        "confused": "I filed one of those appeals but I do not want it any more, the last one that is still open, so "
        "take it back, and which course was it, and its number?",
    },
    just_a_student,
    _withdraw,
    (
        Twist(
            "not if the course is failed",
            "condition",
            {
                "plain": "If I failed that course, though, leave the appeal open and just give me its number.",
                "terse": "unless i failed that course: then keep it, number only.",
                "chatty": "But if it turns out that I failed that course, then keep on fighting and just tell me the "
                "number!",
                "formal": "Should that course not be passed, maintain the appeal and state only its number.",
            },
            sets={"keep_if_failed": True},
        ),
    ),
    unknown="[I do not have the case number.|I lost the letter with the case number.]",
)


def _failed(place: Place) -> bool:
    return bool(place.enrolment["points"] < 50)


def _draw_resit(world: World, rng: Random) -> Facts:
    registered = {each["enrolment_id"] for each in world.rows("resits")}
    failed = a_place(
        world, rng, "completed", suits=lambda each: _failed(each) and each.enrolment["enrolment_id"] not in registered
    ).enrolment
    return {"student_id": failed["student_id"], "result_id": failed["enrolment_id"]}


def _resit(facts: Facts) -> Policy:
    result = yield do("get_result", enrolment_id=facts["result_id"])
    must(not result["passed"], "it is passed")
    exams = yield do("list_resit_exams", course_id=result["course_id"])
    free = [each for each in exams if each["places_left"] and each["starts_at"][:10] >= facts.get("not_before", "")]
    if facts.get("latest"):
        exam = yield choose(free, key=lambda each: later_first(each["starts_at"]))
    else:
        exam = yield choose(free, key=lambda each: each["starts_at"])
    day_, time = day_and_time(exam["starts_at"])
    if exam["fee"] > facts.get("most", exam["fee"]):
        fee = shown(exam["fee"])
        return Reply(f"I did not register you: the resit costs {fee} EUR.", (fee,))
    done = yield do("register_for_resit", enrolment_id=facts["result_id"], exam_id=exam["exam_id"])
    text = f"You sit {result['title']} again on {day_} at {time} in {done['room']} ({done['resit_id']})."
    return Reply(text, (day_, time, done["room"]))


RESIT = Program(
    "register_for_resit",
    "Register for the resit exam of a failed course",
    {
        "plain": "I failed, as {result_id} shows. Please register me for the first resit exam that has a place, and "
        "tell me the day, the time and the room.",
        "terse": "failed, see {result_id}. first resit with a place, register me. date, time, room?",
        "chatty": "Well, {result_id} was a disaster, but I am not giving up! Put me down for the first resit that "
        "still has a place, and tell me the day, the hour and the room!",
        "formal": "Having failed, as evidenced by {result_id}, I request registration for the first resit exam with a "
        "vacancy, together with its date, time and room.",
        "non_native": "I not passed, see {result_id}; please register me to the first resit exam which has place, and "
        "say day, hour and room.",
        "hurried": "I failed, look at {result_id}, first free resit please, day, hour, room?",
    },
    _draw_resit,
    _resit,
    (
        Twist(
            "the last one instead",
            "change_of_mind",
            {
                "plain": "On second thoughts I need time to study: the last exam that has a place, not the first.",
                "terse": "wait, the last exam with a place, not the first.",
                "chatty": "Oh, who am I fooling, I will need every day I can get, so the last one with a place!",
                "formal": "I amend this to the last exam with a vacancy, so as to prepare.",
            },
            sets={"latest": True},
        ),
        Twist(
            "not before a day",
            "constraint",
            {
                "plain": "I am abroad until {not_before:date}, so it must not be before that day.",
                "terse": "not before {not_before:date}.",
                "chatty": "I am only back from my parents' on {not_before:date}, so nothing earlier, please!",
                "formal": "An exam prior to {not_before:date} cannot be considered.",
            },
            draw=lambda world, rng, facts: {"not_before": rng.choice(("2027-01-05", "2027-01-08", "2027-01-13"))},
        ),
        Twist(
            "a limit on the exam's fee",
            "condition",
            {
                "plain": "If it costs more than {most:money} EUR, do not register me and tell me the fee.",
                "terse": "over {most:money} EUR? don't, tell me the fee.",
                "formal": "Where the charge exceeds {most:money} EUR, refrain and state it.",
            },
            draw=lambda world, rng, facts: {"most": rng.choice((38.0, 42.0, 45.0, 50.0))},
        ),
    ),
)


def _cancel_resit(facts: Facts) -> Policy:
    resits = yield do("list_resits", student_id=facts["student_id"])
    resit = yield choose(resits, key=lambda each: each["starts_at"])
    fee = shown(resit["fee"])
    if "least" in facts:
        result = yield do("get_result", enrolment_id=resit["enrolment_id"])
        if result["points"] < facts["least"]:
            return Reply(f"I left it: you have {result['points']} points. The fee was {fee} EUR.", (fee,))
    done = yield do("cancel_resit", resit_id=resit["resit_id"])
    return Reply(f"The resit in {done['title']} is cancelled; {fee} EUR come back.", (done["title"], fee))


CANCEL_RESIT = Program(
    "cancel_resit",
    "Cancel the registration for a resit exam and get the fee back",
    {
        "plain": "I am registered for a resit exam, [but I will not sit it|which I do not want to sit]. Please cancel "
        "the first one if there are two, and tell me which course it was and what comes back.",
        "terse": "cancel my resit (the first, if two). course + refund?",
        "chatty": "I know I signed up for a resit, but life is too short, so cancel it, the first one if there are "
        "two! Which course was it again, and how much do I get back?",
        "formal": "Please annul my registration for a resit exam, the earliest if there be several, and state the "
        "course and the sum reimbursed.",
        "non_native": "I registered me for resit but I not go, please cancel it, the first one; say which course it "
        "was and how much comes back.",
        "hurried": "Cancel my resit, the first one if two, which course and how much back?",
    },
    lambda world, rng: {"student_id": _with_resit(world, rng)},
    _cancel_resit,
    (
        Twist(
            "not if the points are few",
            "condition",
            {
                "plain": "If I had fewer than {least:int} points in that course, keep me registered and only tell me "
                "the fee.",
                "terse": "had fewer than {least:int} points there? keep it then, fee only.",
                "formal": "Should my points in that course have been fewer than {least:int}, uphold the registration "
                "and state the fee.",
            },
            draw=lambda world, rng, facts: {"least": rng.choice((30, 35, 40))},
        ),
    ),
)


def _with_resit(world: World, rng: Random) -> str:
    known = [each["student_id"] for each in world.rows("resits")]
    return str(rng.choice(known)) if known else str(just_a_student(world, rng)["student_id"])


def _lowest(facts: Facts) -> Policy:
    completed = yield do("list_enrolments", student_id=facts["student_id"], status="completed")
    if facts.get("highest"):
        chosen = yield choose(completed, key=lambda each: -each["points"])
    else:
        chosen = yield choose(completed, key=lambda each: each["points"])
    result = yield do("get_result", enrolment_id=chosen["enrolment_id"])
    text = (
        f"It is {result['title']} with {result['points']} points, published on {result['published_on']}; appeals "
        f"until {result['appeal_until']}."
    )
    return Reply(text, (result["title"], result["published_on"], result["appeal_until"]))


LOWEST = Program(
    "lowest_result",
    "Find out which completed course went worst, and until when an appeal is possible",
    {
        "plain": "In which of my completed courses did I get the fewest points, when was that published, and until "
        "when can or could it be appealed?",
        "terse": "my worst completed course: title, published when, appeal until?",
        "chatty": "Let us face it, which of my completed courses went worst, when did they publish that, and until "
        "when can I appeal, or is it too late already?",
        "formal": "Please state in which completed course I obtained the fewest points, the date of publication and "
        "the last day for an appeal.",
        "non_native": "Which of my finished courses has the smallest points, when it was published, and until which "
        "day is the appeal possible?",
        "confused": "I got all those results, which of my finished courses is the worst one, and when did it come out, "
        "and until when could one appeal?",
    },
    just_a_student,
    _lowest,
    (
        Twist(
            "the best instead",
            "change_of_mind",
            {
                "plain": "Sorry, the other way round: I mean the course with the most points.",
                "terse": "other way round, the best one.",
                "chatty": "Oh no, let me cheer myself up, tell me that of the course with the most points instead!",
                "formal": "I intended, rather, the course with the most points.",
            },
            sets={"highest": True},
        ),
    ),
)

RESULTS = (APPEAL, WITHDRAW_APPEAL, RESIT, CANCEL_RESIT, LOWEST)
