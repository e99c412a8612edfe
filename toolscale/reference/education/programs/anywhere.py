"""What can be added to any request of a student's, and how students name what they have no number of."""

from collections.abc import Callable
from random import Random

from toolscale.reference.education.programs.shared import places
from toolscale.reference.kit import known, must
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, Steps, World, choose, do
from toolscale.reference.words import words

WORDS = words(__file__)


def _adviser(facts: Facts) -> Solution:
    file = yield do("get_student", student_id=facts["student_id"])
    teacher = yield do("get_teacher", instructor_id=file["adviser_id"])
    return Reply(f"Your study adviser can be reached at {teacher['email']}.", (teacher["email"],))


ADVISER = WORDS.twist("the adviser's e-mail address", "lookup", after=_adviser)


def _address(facts: Facts) -> Solution:
    file = yield do("get_student", student_id=facts["student_id"])
    return Reply(f"Your phone number on file is {file['phone']}.", (file["phone"],))


PHONE = WORDS.twist("the phone number on file", "lookup", after=_address)


def _enough_credits(facts: Facts) -> Steps:
    file = yield do("get_student", student_id=facts["student_id"])
    credits = str(file["credits_earned"])
    if file["credits_earned"] >= facts["credits_needed"]:
        return None
    return Reply(f"I changed nothing: you have earned {credits} credits so far.", (credits,))


def _credits_in_reach(world: World, rng: Random, facts: Facts) -> Facts:
    """A round number near what the student has earned: always the same for one student, who would not name two."""
    must(facts.keys() & {"course", "level", "payout", "place_id"}, "that has nothing to do with what one has earned")
    student = world.get("students", facts["student_id"])
    earned = int(student["credits_earned"]) if student else 40
    distance = Random(facts["student_id"]).choice((-25, -15, -5, 10))
    return {"credits_needed": max(10, (earned + distance) // 5 * 5)}


ENOUGH_CREDITS = WORDS.twist(
    "only with so many credits earned",
    "condition",
    draw=_credits_in_reach,
    suits=r"enrol|join_waiting|move_to|drop_|withdraw_from|apply_",
    before=_enough_credits,
)

MENSA = WORDS.twist("a remark on the canteen", "distractor")


def _draw_title(slot: str) -> Callable[[World, Random, Facts], Facts]:
    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        status = "completed" if slot == "result_id" else "enrolled"
        for place in places(world, status):
            if place.enrolment["enrolment_id"] == facts[slot]:
                return {"course_title": place.course["title"]}
        raise DeadEnd("the course is out of sight")

    return draw


def _find_place(facts: Facts) -> Steps:
    return (yield from _titled(facts, "enrolled"))


def _find_result(facts: Facts) -> Steps:
    return (yield from _titled(facts, "completed"))


def _titled(facts: Facts, status: str) -> Steps:
    listed = yield do("list_enrolments", student_id=facts["student_id"], status=status)
    named = [each for each in listed if each["title"] == facts["course_title"]]
    found = yield choose(named, key=lambda each: each["enrolment_id"])
    return found["enrolment_id"]


PLACE = WORDS.description("place_id", _draw_title("place_id"), _find_place)
RESULT = WORDS.description("result_id", _draw_title("result_id"), _find_result)


def _draw_invoice(world: World, rng: Random, facts: Facts) -> Facts:
    invoice = world.get("invoices", facts["invoice_id"])
    for place in places(world, "enrolled"):
        if invoice and place.enrolment["enrolment_id"] == invoice["enrolment_id"]:
            return {"billed": place.course["title"]}
    raise DeadEnd("the course is out of sight")


def _find_invoice(facts: Facts) -> Steps:
    listed = yield do("list_invoices", student_id=facts["student_id"])
    named = [each for each in listed["invoices"] if each["title"] == facts["billed"]]
    found = yield choose(named, key=lambda each: each["invoice_id"])
    return found["invoice_id"]


INVOICE = WORDS.description("invoice_id", _draw_invoice, _find_invoice)


def _draw_loan(world: World, rng: Random, facts: Facts) -> Facts:
    loan = world.get("loans", facts["loan_id"])
    book = world.get("books", loan["book_id"]) if loan else None
    if book is None:
        raise DeadEnd("the book is out of sight")
    return {"borrowed": book["title"]}


def _find_loan(facts: Facts) -> Steps:
    loans = yield do("list_loans", student_id=facts["student_id"])
    found = yield choose([e for e in loans if e["title"] == facts["borrowed"]], key=lambda each: each["loan_id"])
    return found["loan_id"]


LOAN = WORDS.description("loan_id", _draw_loan, _find_loan)


def _draw_room(world: World, rng: Random, facts: Facts) -> Facts:
    booking = known(world, "room_bookings", facts["booking_id"])
    return {"room_day": booking["day"]}


def _find_room(facts: Facts) -> Steps:
    bookings = yield do("list_room_bookings", student_id=facts["student_id"])
    found = yield choose([e for e in bookings if e["day"] == facts["room_day"]], key=lambda each: each["booking_id"])
    return found["booking_id"]


ROOM = WORDS.description("booking_id", _draw_room, _find_room)

TWISTS = (ADVISER, PHONE, ENOUGH_CREDITS, MENSA)
DESCRIPTIONS = (PLACE, RESULT, INVOICE, LOAN, ROOM)
