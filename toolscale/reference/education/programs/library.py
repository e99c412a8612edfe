"""Programs about the library: renewing, reserving, and giving a reservation up."""

from random import Random

from toolscale.reference.education.catalogue import BOOKS
from toolscale.reference.education.programs.shared import a_student, just_a_student, later_first, must
from toolscale.reference.education.schema import CAMPUSES
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Policy, Program, Reply, Twist, World, choose, do, pick


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


def _renew(facts: Facts) -> Policy:
    loan = yield do("get_loan", loan_id=facts["loan_id"])
    must(loan["status"] == "on loan" and loan["renewals"] < 2 and not loan["queue"], "it cannot be renewed")
    must(loan["due_on"] >= day(0), "it is overdue")
    if loan["due_on"] > facts.get("due_after", loan["due_on"]):
        return Reply(f"I left it: {loan['title']} is due only on {loan['due_on']}.", (loan["due_on"],))
    done = yield do("renew_loan", loan_id=facts["loan_id"])
    return Reply(f"{done['title']} is now due on {done['due_on']}.", (done["due_on"],))


RENEW = Program(
    "renew_loan",
    "Renew the loan of a book and learn when it is due then",
    {
        "plain": "[I am not through with it yet:|I still need it for an essay:] please renew {loan_id}. When is it due "
        "after that?",
        "terse": "renew {loan_id}. new due date?",
        "chatty": "I know, I know, I read slowly, but could you renew {loan_id} once more? Until when may I keep it "
        "then?",
        "formal": "I request the renewal of {loan_id} and ask for the new date of return.",
        "non_native": "I did not finish to read, please make longer {loan_id}; until when is it then?",
        "confused": "I believe I have to give something back soon, so renew {loan_id} for me, and what is the new date "
        "then?",
    },
    _draw_loan,
    _renew,
    (
        Twist(
            "only if it is due soon",
            "condition",
            {
                "plain": "If it is not due until after {due_after:date}, leave it and tell me when it is due now.",
                "terse": "only if due by {due_after:date}, else just current due date.",
                "chatty": "Though if it is only due after {due_after:date} anyhow, save it for later and just tell me "
                "the day!",
                "formal": "Should it be due only after {due_after:date}, do not renew it, and state the present date.",
            },
            draw=lambda world, rng, facts: {"due_after": day(rng.choice((4, 7, 9, 11)))},
        ),
    ),
    again="loan_id",
)


def _renew_all(facts: Facts) -> Policy:
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


RENEW_ALL = Program(
    "renew_all_due_soon",
    "Renew all books that are due by a day and can be renewed",
    {
        "plain": "Please renew all my books that are due by {before:date} and can be renewed. Tell me their titles and "
        "new dates.",
        "terse": "renew whatever of my books is due by {before:date} and renewable. titles + new dates?",
        "chatty": "I am off to the mountains with a bag full of books, so renew all of mine that are due by "
        "{before:date}, those that can be! Which ones were they, and what are the new dates?",
        "formal": "I request the renewal of all loans of mine that fall due on or before {before:date} and admit of "
        "it, with titles and new dates.",
        "non_native": "All my books which must be back until {before:date}, please make longer if it is possible, and "
        "tell me titles and new dates.",
        "hurried": "All my books due by {before:date}, renew what you can, titles and new dates?",
    },
    lambda world, rng: {**just_a_student(world, rng), "before": day(rng.choice((8, 10, 12)))},
    _renew_all,
    (
        Twist(
            "only the first due",
            "change_of_mind",
            {
                "plain": "Or no, not all of them: only the one of these that is due first.",
                "terse": "no, just the first due of those.",
                "chatty": "Hm, the others I have read, so only the one of them that is due first!",
                "formal": "On reflection, renew only the one among them that falls due first.",
            },
            sets={"only_first": True},
        ),
    ),
)


def _reserve(facts: Facts) -> Policy:
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


RESERVE = Program(
    "reserve_book",
    "Reserve a book by its title for pickup at a campus library",
    {
        "plain": "Please reserve the book {book} for me, to be picked up on the {campus} campus. [Who wrote it, and "
        "what is the number of the reservation?|Give me the reservation number and the author.]",
        "terse": "reserve the book {book}, pickup {campus} campus. reservation no + author?",
        "chatty": "A friend quoted from the book {book} all evening, now I must read it! Could you reserve it, I pass "
        "the {campus} campus every day, and tell me the reservation number and who wrote it?",
        "formal": "I should like to have the book {book} reserved for collection at the {campus} campus, and to learn "
        "the number of the reservation and the author.",
        "non_native": "I want to have the book {book}, please reserve it for take at {campus} campus; which number "
        "has the reservation and who is author?",
        "hurried": "Book {book}, reserve it, I fetch it at the {campus} campus, number and author?",
    },
    _draw_book,
    _reserve,
    (
        Twist(
            "not if many wait",
            "condition",
            {
                "plain": "If more than {most_waiting:int} others wait for it, leave it and just tell me the author.",
                "terse": "more than {most_waiting:int} waiting? skip, author only.",
                "chatty": "But if more than {most_waiting:int} people are queuing for it, then I will buy it myself, "
                "so just tell me who wrote it!",
                "formal": "If more than {most_waiting:int} others are waiting for it, dispense with the reservation "
                "and state the author.",
            },
            draw=lambda world, rng, facts: {"most_waiting": rng.choice((1, 2, 2, 3))},
        ),
        Twist(
            "another campus",
            "change_of_mind",
            {
                "plain": "Sorry, I will fetch it on the {campus} campus instead.",
                "terse": "pickup {campus} campus instead.",
                "chatty": "Oh no, that week I am only ever on the {campus} campus, so there instead!",
                "formal": "Collection at the {campus} campus would, after all, be more convenient.",
            },
            draw=lambda world, rng, facts: {
                "campus": pick(rng, [each for each in CAMPUSES if each != facts.get("campus")])
            },
        ),
    ),
    again="book",
)


def _newest(facts: Facts) -> Policy:
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


NEWEST = Program(
    "reserve_newest_on_subject",
    "Have the newest free book on a subject set aside",
    {
        "plain": "Which is the newest book on {department} that is not out on loan, and that I have not got or "
        "reserved yet? Please set it aside for me on the {campus} campus, and tell me title and author.",
        "terse": "newest available book on {department} that i don't have yet: set it aside, {campus} campus. title + "
        "author?",
        "chatty": "I want something fresh to read on {department}, so set the newest one aside for me that is in, and "
        "that I have not got already! I will come by the {campus} campus, and do tell me title and author!",
        "formal": "Of the books on {department} that are available and neither lent to me nor reserved for me, please "
        "set aside the most recent one at the {campus} campus, and name title and author.",
        "non_native": "I look for the newest book about {department} which is there and which I not have already; "
        "please keep it for me in {campus} campus and say title and author.",
        "confused": "I am after a book on {department}, the newest that is in and that I do not have already, can you "
        "lay it aside at the {campus} campus, and what is it called and who is it by?",
    },
    lambda world, rng: {
        "student_id": a_student(world, rng),
        "department": rng.choice(sorted(BOOKS)),
        "campus": rng.choice(CAMPUSES),
    },
    _newest,
    (
        Twist(
            "the one that can be kept longest",
            "change_of_mind",
            {
                "plain": "Or rather than the newest, the one that is lent for the longest time.",
                "terse": "not newest: the one with the longest loan period.",
                "chatty": "Then again, I am such a slow reader, so take the one that I may keep the longest instead!",
                "formal": "Instead of the most recent, kindly choose the one with the longest period of loan.",
            },
            sets={"longest_loan": True},
        ),
    ),
)


def _cancel(facts: Facts) -> Policy:
    held = yield do("list_reservations", student_id=facts["student_id"])
    reservation = yield choose(held, key=lambda each: later_first(each["reserved_on"]))
    found = yield do("find_books", title=reservation["title"])
    book = yield choose(found, key=lambda each: each["book_id"])
    if facts.get("keep_if_ready") and reservation["status"] == "ready":
        text = f"I left {reservation['reservation_id']}: {book['title']} by {book['author']} lies ready."
        return Reply(text, (reservation["reservation_id"], book["author"]))
    done = yield do("cancel_reservation", reservation_id=reservation["reservation_id"])
    return Reply(
        f"The reservation of {done['title']} by {book['author']} is cancelled.", (done["title"], book["author"])
    )


CANCEL_RESERVATION = Program(
    "cancel_reservation",
    "Cancel the latest reservation of a book",
    {
        "plain": "Please cancel my book reservation, the latest one if I have several, and tell me which book it was "
        "and by whom.",
        "terse": "cancel my latest book reservation. title + author?",
        "chatty": "I found that book in a second-hand shop, so you can cancel my reservation, the latest one! What was "
        "it called again, and who wrote it?",
        "formal": "Kindly annul my most recent reservation of a book and name the title and the author.",
        "non_native": "I not need the reserved book more, please cancel the last which I reserved; what is title and "
        "author?",
        "hurried": "Drop my latest book reservation, which title and author was that?",
    },
    just_a_student,
    _cancel,
    (
        Twist(
            "not if it is ready",
            "condition",
            {
                "plain": "If a copy is ready for me already, though, keep it, and tell me the reservation number and "
                "the author.",
                "terse": "if it's ready already keep it, give me reservation no + author.",
                "chatty": "But if it already lies there waiting for me, then keep it, and tell me the number and who "
                "it is by!",
                "formal": "Should a copy be ready for collection, retain the reservation and state its number and the "
                "author.",
            },
            sets={"keep_if_ready": True},
        ),
    ),
)

LIBRARY = (RENEW, RENEW_ALL, RESERVE, NEWEST, CANCEL_RESERVATION)
