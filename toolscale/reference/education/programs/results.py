"""Programs about results: appeals, resits, and what the file says of them."""

from random import Random

from toolscale.reference.education.programs.shared import Place, a_place, day_and_time, just_a_student
from toolscale.reference.education.schema import APPEAL_GROUNDS
from toolscale.reference.kit import latest_first, must
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def a_result(world: World, rng: Random, *, recent: bool) -> Facts:
    """A result, published lately (so that it can be appealed) or long ago."""

    def suits(place: Place) -> bool:
        return bool(place.enrolment["published_on"] > day(-20)) == recent

    enrolment = a_place(world, rng, "completed", suits=suits).enrolment
    return {"student_id": enrolment["student_id"], "result_id": enrolment["enrolment_id"]}


def _draw_appeal(world: World, rng: Random) -> Facts:
    return {**a_result(world, rng, recent=True), "ground": rng.choice(APPEAL_GROUNDS)}


def _appeal(facts: Facts) -> Solution:
    result = yield do("get_result", enrolment_id=facts["result_id"])
    must(not result["appeals"] and result["appeal_until"] >= day(0), "no appeal possible")
    until = result["appeal_until"]
    if result["points"] >= facts.get("below", 101):
        text = f"I filed none: it stands at {result['points']} points. You could appeal until {until}."
        return Reply(text, (until,))
    done = yield do("file_appeal", enrolment_id=facts["result_id"], ground=facts["ground"])
    text = f"Your appeal {done['appeal_id']} is filed; a decision comes by {done['decision_by']}."
    return Reply(text, (done["appeal_id"], done["decision_by"]))


APPEAL = WORDS.program(
    "appeal_result",
    _draw_appeal,
    _appeal,
    (
        WORDS.twist(
            "only if the points are low",
            "condition",
            draw=lambda world, rng, facts: {"below": rng.choice((60, 75, 85, 90))},
        ),
    ),
    again="result_id",
)


def _withdraw(facts: Facts) -> Solution:
    appeals = yield do("list_appeals", student_id=facts["student_id"])
    open_ = [each for each in appeals if each["status"] == "open"]
    appeal = yield choose(open_, key=lambda each: latest_first(each["filed_on"]))
    if facts.get("keep_if_failed"):
        result = yield do("get_result", enrolment_id=appeal["enrolment_id"])
        if not result["passed"]:
            text = f"I left it open: {result['title']} is not passed, and {appeal['appeal_id']} may change that."
            return Reply(text, (appeal["appeal_id"],))
    done = yield do("withdraw_appeal", appeal_id=appeal["appeal_id"])
    text = f"{done['appeal_id']} about {done['title']} is withdrawn."
    return Reply(text, (done["appeal_id"], done["title"]))


WITHDRAW_APPEAL = WORDS.program(
    "withdraw_appeal",
    just_a_student,
    _withdraw,
    (WORDS.twist("not if the course is failed", "condition", sets={"keep_if_failed": True}),),
)


def _failed(place: Place) -> bool:
    return bool(place.enrolment["points"] < 50)


def _draw_resit(world: World, rng: Random) -> Facts:
    registered = {each["enrolment_id"] for each in world.rows("resits")}
    failed = a_place(
        world, rng, "completed", suits=lambda each: _failed(each) and each.enrolment["enrolment_id"] not in registered
    ).enrolment
    return {"student_id": failed["student_id"], "result_id": failed["enrolment_id"]}


def _resit(facts: Facts) -> Solution:
    result = yield do("get_result", enrolment_id=facts["result_id"])
    must(not result["passed"], "it is passed")
    exams = yield do("list_resit_exams", course_id=result["course_id"])
    free = [each for each in exams if each["places_left"] and each["starts_at"][:10] >= facts.get("not_before", "")]
    if facts.get("latest"):
        exam = yield choose(free, key=lambda each: latest_first(each["starts_at"]))
    else:
        exam = yield choose(free, key=lambda each: each["starts_at"])
    day_, time = day_and_time(exam["starts_at"])
    if exam["fee"] > facts.get("most", exam["fee"]):
        fee = shown(exam["fee"])
        return Reply(f"I did not register you: the resit costs {fee} EUR.", (fee,))
    done = yield do("register_for_resit", enrolment_id=facts["result_id"], exam_id=exam["exam_id"])
    text = f"You sit {result['title']} again on {day_} at {time} in {done['room']} ({done['resit_id']})."
    return Reply(text, (day_, time, done["room"]))


RESIT = WORDS.program(
    "register_for_resit",
    _draw_resit,
    _resit,
    (
        WORDS.twist("the last one instead", "change_of_mind", sets={"latest": True}),
        WORDS.twist(
            "not before a day",
            "constraint",
            draw=lambda world, rng, facts: {"not_before": rng.choice(("2027-01-05", "2027-01-08", "2027-01-13"))},
        ),
        WORDS.twist(
            "a limit on the exam's fee",
            "condition",
            draw=lambda world, rng, facts: {"most": rng.choice((38.0, 42.0, 45.0, 50.0))},
        ),
    ),
)


def _cancel_resit(facts: Facts) -> Solution:
    resits = yield do("list_resits", student_id=facts["student_id"])
    resit = yield choose(resits, key=lambda each: each["starts_at"])
    fee = shown(resit["fee"])
    if "least" in facts:
        result = yield do("get_result", enrolment_id=resit["enrolment_id"])
        if result["points"] < facts["least"]:
            return Reply(f"I left it: you have {result['points']} points. The fee was {fee} EUR.", (fee,))
    done = yield do("cancel_resit", resit_id=resit["resit_id"])
    return Reply(f"The resit in {done['title']} is cancelled; {fee} EUR come back.", (done["title"], fee))


CANCEL_RESIT = WORDS.program(
    "cancel_resit",
    lambda world, rng: {"student_id": _with_resit(world, rng)},
    _cancel_resit,
    (
        WORDS.twist(
            "not if the points are few", "condition", draw=lambda world, rng, facts: {"least": rng.choice((30, 35, 40))}
        ),
    ),
)


def _with_resit(world: World, rng: Random) -> str:
    known = [each["student_id"] for each in world.rows("resits")]
    return str(rng.choice(known)) if known else str(just_a_student(world, rng)["student_id"])


def _lowest(facts: Facts) -> Solution:
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


LOWEST = WORDS.program(
    "lowest_result",
    just_a_student,
    _lowest,
    (WORDS.twist("the best instead", "change_of_mind", sets={"highest": True}),),
)

RESULTS = (APPEAL, WITHDRAW_APPEAL, RESIT, CANCEL_RESIT, LOWEST)
