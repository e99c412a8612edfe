"""What can be added to any request of a student's, and how students name what they have no number of."""

from collections.abc import Callable
from random import Random

from toolscale.reference.education.programs.shared import places
from toolscale.reference.program import DeadEnd, Description, Facts, Policy, Reply, Steps, Twist, World, choose, do


def _adviser(facts: Facts) -> Policy:
    file = yield do("get_student", student_id=facts["student_id"])
    teacher = yield do("get_teacher", instructor_id=file["adviser_id"])
    return Reply(f"Your study adviser can be reached at {teacher['email']}.", (teacher["email"],))


ADVISER = Twist(
    "the adviser's e-mail address",
    "lookup",
    {
        "plain": "Please also tell me the e-mail address of my study adviser.",
        "terse": "also: my study adviser's e-mail?",
        "chatty": "And I am embarrassed to ask after all this time, but what is my study adviser's e-mail address?",
        "formal": "Kindly also state the e-mail address of my study adviser.",
        "non_native": "Say me please also the e-mail of my study adviser.",
    },
    after=_adviser,
)


def _address(facts: Facts) -> Policy:
    file = yield do("get_student", student_id=facts["student_id"])
    return Reply(f"Your phone number on file is {file['phone']}.", (file["phone"],))


PHONE = Twist(
    "the phone number on file",
    "lookup",
    {
        "plain": "I would also like to know which phone number you have for me.",
        "terse": "plus: which phone no do you have for me?",
        "chatty": "And which phone number have you got for me, since nobody from the office ever rings?",
        "formal": "Please also advise me of the telephone number recorded for me.",
        "confused": "And what phone number do you have of mine, I changed it at some point?",
    },
    after=_address,
)


def _enough_credits(facts: Facts) -> Steps:
    file = yield do("get_student", student_id=facts["student_id"])
    credits = str(file["credits_earned"])
    if file["credits_earned"] >= facts["credits_needed"]:
        return None
    return Reply(f"I changed nothing: you have earned {credits} credits so far.", (credits,))


def _credits_in_reach(world: World, rng: Random, facts: Facts) -> Facts:
    """A round number near what the student has earned: always the same for one student, who would not name two."""
    if not facts.keys() & {"course", "level", "payout", "place_id"}:
        raise DeadEnd("that has nothing to do with what one has earned")
    student = world.get("students", facts["student_id"])
    earned = int(student["credits_earned"]) if student else 40
    distance = Random(facts["student_id"]).choice((-25, -15, -5, 10))
    return {"credits_needed": max(10, (earned + distance) // 5 * 5)}


ENOUGH_CREDITS = Twist(
    "only with so many credits earned",
    "condition",
    {
        "plain": "Do that only if I have earned at least {credits_needed:int} credits so far; if not, "
        "change nothing and tell me how many I have.",
        "terse": "only if i've earned {credits_needed:int} credits or more, else do nothing and tell me how many.",
        "chatty": "But only if I have made it to {credits_needed:int} credits by now, otherwise leave it and just "
        "tell me how many there are!",
        "formal": "This is on condition that I have earned no fewer than {credits_needed:int} credits; otherwise "
        "leave matters unchanged and state the number.",
    },
    draw=_credits_in_reach,
    suits=r"enrol|join_waiting|move_to|drop_|withdraw_from|apply_",
    before=_enough_credits,
)

MENSA = Twist(
    "a remark on the canteen",
    "distractor",
    {
        "plain": "[By the way, the soup in the canteen has become much better.|The new bicycle stands are very useful, "
        "thanks to the caretaker.]",
        "terse": "btw the canteen got better.",
        "chatty": "The lentil soup in the canteen was a dream yesterday, do tell the cook!",
        "formal": "Permit me to remark that the canteen has improved of late.",
        "non_native": "The food in canteen is very good now, I like to say.",
    },
)


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


PLACE = Description(
    "place_id",
    {
        "plain": "my place in {course_title}",
        "chatty": "my dear old place in {course_title}",
        "formal": "my enrolment in {course_title}",
        "terse": "my {course_title} place",
    },
    _draw_title("place_id"),
    _find_place,
    "[I do not have the enrolment number.|I cannot find the mail with the enrolment number.]",
)
RESULT = Description(
    "result_id",
    {
        "plain": "my result in {course_title}",
        "chatty": "that result of mine in {course_title}",
        "formal": "the result awarded to me in {course_title}",
        "terse": "my {course_title} result",
    },
    _draw_title("result_id"),
    _find_result,
    "[I do not know the number of that enrolment.|I have no number for that course.]",
)


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


INVOICE = Description(
    "invoice_id",
    {
        "plain": "the invoice for {billed}",
        "chatty": "that invoice you sent me for {billed}",
        "formal": "the invoice issued for {billed}",
        "terse": "{billed} invoice",
    },
    _draw_invoice,
    _find_invoice,
    "[I do not have the invoice here.|I threw the invoice away.]",
)


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


LOAN = Description(
    "loan_id",
    {
        "plain": "the book {borrowed}",
        "chatty": "my copy of {borrowed}",
        "formal": "the volume {borrowed}",
    },
    _draw_loan,
    _find_loan,
    "[I do not know the loan's number.|There is no number on the slip in the book.]",
)


def _draw_room(world: World, rng: Random, facts: Facts) -> Facts:
    booking = world.get("room_bookings", facts["booking_id"])
    if booking is None:
        raise DeadEnd("the booking is out of sight")
    return {"room_day": booking["day"]}


def _find_room(facts: Facts) -> Steps:
    bookings = yield do("list_room_bookings", student_id=facts["student_id"])
    found = yield choose([e for e in bookings if e["day"] == facts["room_day"]], key=lambda each: each["booking_id"])
    return found["booking_id"]


ROOM = Description(
    "booking_id",
    {
        "plain": "my study room booking for {room_day:date}",
        "chatty": "our little study room booking for {room_day:date}",
        "formal": "the study room booking in my name for {room_day:date}",
        "terse": "study room booking {room_day:date}",
    },
    _draw_room,
    _find_room,
    "[I do not have the booking number.|The booking number is with somebody else of the group.]",
)

TWISTS = (ADVISER, PHONE, ENOUGH_CREDITS, MENSA)
DESCRIPTIONS = (PLACE, RESULT, INVOICE, LOAN, ROOM)
