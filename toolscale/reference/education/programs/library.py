"""Programs about the library: renewing, reserving, and giving a reservation up."""

from random import Random

from toolscale.reference.education.catalogue import BOOKS
from toolscale.reference.education.programs.shared import a_student, just_a_student
from toolscale.reference.education.schema import CAMPUSES
from toolscale.reference.kit import latest_first, must
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_loan(world: World, rng: Random) -> Facts:
    loan = pick(
        rng,
        [
            each
            for each in world.rows("loans")
            if each["status"] == "on loan"
            and each["due_on"] >= day(0)
            and each["renewals"] < 2
            and not (world.get("books", each["book_id"]) or {"queue": 0})["queue"]
        ],
    )
    return {"student_id": loan["student_id"], "loan_id": loan["loan_id"]}


def _renew(facts: Facts) -> Solution:
    loan = yield do("get_loan", loan_id=facts["loan_id"])
    must(loan["status"] == "on loan" and loan["renewals"] < 2 and not loan["queue"], "it cannot be renewed")
    must(loan["due_on"] >= day(0), "it is overdue")
    if loan["due_on"] > facts.get("due_after", loan["due_on"]):
        return Reply(f"I left it: {loan['title']} is due only on {loan['due_on']}.", (loan["due_on"],))
    done = yield do("renew_loan", loan_id=facts["loan_id"])
    return Reply(f"{done['title']} is now due on {done['due_on']}.", (done["due_on"],))


RENEW = WORDS.program(
    "renew_loan",
    _draw_loan,
    _renew,
    (
        WORDS.twist(
            "only if it is due soon",
            "condition",
            draw=lambda world, rng, facts: {"due_after": day(rng.choice((4, 7, 9, 11)))},
        ),
    ),
    again="loan_id",
)


def _renew_all(facts: Facts) -> Solution:
    loans = yield do("list_loans", student_id=facts["student_id"])
    can = [each for each in loans if each["renewals"] < 2 and not each["queue"] and not each["fine"]]
    chosen = [each for each in can if each["due_on"] <= facts["before"]]
    must(chosen, "nothing to renew")
    if facts.get("only_first"):
        chosen = [(yield choose(chosen, key=lambda each: each["due_on"]))]
    done = []
    for loan in chosen:
        done.append((yield do("renew_loan", loan_id=loan["loan_id"])))
    text = " ".join(f"{each['title']} is due on {each['due_on']}." for each in done)
    return Reply(text, tuple(fact for each in done for fact in (each["title"], each["due_on"])))


RENEW_ALL = WORDS.program(
    "renew_all_due_soon",
    lambda world, rng: {**just_a_student(world, rng), "before": day(rng.choice((8, 10, 12)))},
    _renew_all,
    (WORDS.twist("only the first due", "change_of_mind", sets={"only_first": True}),),
)


def _reserve(facts: Facts) -> Solution:
    found = yield do("find_books", title=facts["book"])
    book = yield choose([each for each in found if each["title"] == facts["book"]], key=lambda each: each["book_id"])
    if book["queue"] > facts.get("most_waiting", book["queue"]):
        return Reply(f"I left it: {book['queue']} others wait for {book['author']}'s book.", (book["author"],))
    done = yield do("reserve_book", student_id=facts["student_id"], book_id=book["book_id"], pickup=facts["campus"])
    state = "ready for you" if done["status"] == "ready" else f"queued, you are number {done['position']}"
    text = f"{done['title']} by {done['author']} is {state}; the reservation is {done['reservation_id']}."
    return Reply(text, (done["reservation_id"], done["author"]))


def _draw_book(world: World, rng: Random) -> Facts:
    student = a_student(world, rng)
    return {
        "student_id": student,
        "book": rng.choice(sorted(title for titles in BOOKS.values() for title in titles)),
        "campus": rng.choice(CAMPUSES),
    }


RESERVE = WORDS.program(
    "reserve_book",
    _draw_book,
    _reserve,
    (
        WORDS.twist(
            "not if many wait", "condition", draw=lambda world, rng, facts: {"most_waiting": rng.choice((1, 2, 2, 3))}
        ),
        WORDS.twist(
            "another campus",
            "change_of_mind",
            draw=lambda world, rng, facts: {
                "campus": pick(rng, [each for each in CAMPUSES if each != facts.get("campus")])
            },
        ),
    ),
    again="book",
)


def _newest(facts: Facts) -> Solution:
    books = yield do("find_books", subject=facts["department"])
    loans = yield do("list_loans", student_id=facts["student_id"])
    held = yield do("list_reservations", student_id=facts["student_id"])
    mine = {each["book_id"] for each in (*loans, *held)}
    must(len(held) < 3, "too many reservations")
    free = [each for each in books if each["copies_free"] and each["book_id"] not in mine]
    if facts.get("longest_loan"):
        book = yield choose(free, key=lambda each: -each["loan_days"])
    else:
        book = yield choose(free, key=lambda each: -each["year"])
    done = yield do("reserve_book", student_id=facts["student_id"], book_id=book["book_id"], pickup=facts["campus"])
    return Reply(
        f"It is {done['title']} by {done['author']} ({done['reservation_id']}).", (done["title"], done["author"])
    )


NEWEST = WORDS.program(
    "reserve_newest_on_subject",
    lambda world, rng: {
        "student_id": a_student(world, rng),
        "department": rng.choice(sorted(BOOKS)),
        "campus": rng.choice(CAMPUSES),
    },
    _newest,
    (WORDS.twist("the one that can be kept longest", "change_of_mind", sets={"longest_loan": True}),),
)


def _cancel(facts: Facts) -> Solution:
    held = yield do("list_reservations", student_id=facts["student_id"])
    reservation = yield choose(held, key=lambda each: latest_first(each["reserved_on"]))
    found = yield do("find_books", title=reservation["title"])
    book = yield choose(found, key=lambda each: each["book_id"])
    if facts.get("keep_if_ready") and reservation["status"] == "ready":
        text = f"I left {reservation['reservation_id']}: {book['title']} by {book['author']} lies ready."
        return Reply(text, (reservation["reservation_id"], book["author"]))
    done = yield do("cancel_reservation", reservation_id=reservation["reservation_id"])
    return Reply(
        f"The reservation of {done['title']} by {book['author']} is cancelled.", (done["title"], book["author"])
    )


CANCEL_RESERVATION = WORDS.program(
    "cancel_reservation",
    just_a_student,
    _cancel,
    (WORDS.twist("not if it is ready", "condition", sets={"keep_if_ready": True}),),
)

LIBRARY = (RENEW, RENEW_ALL, RESERVE, NEWEST, CANCEL_RESERVATION)
