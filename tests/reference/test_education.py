"""What is special about the university: its world is plausible, its rules bite, its states refuse."""

import copy
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, whole_database
from toolscale.artifacts import Call, CallOutcome, Database, EntryRef
from toolscale.reference.domain import reference_domain

EDUCATION = reference_domain("education")
TODAY = "2026-11-23"


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage("education", seed=3)


def outcome(stage: Stage, name: str, **arguments: Any) -> CallOutcome:
    return stage.sandbox.run([Call(name=name, arguments=arguments)]).outcomes[-1]


def both(stage: Stage, first: Call, second: Call) -> tuple[CallOutcome, CallOutcome]:
    one, other = stage.sandbox.run([first, second]).outcomes
    return one, other


def rows(stage: Stage, table: str, **fields: Any) -> list[Any]:
    """The records of a table with these values."""
    records: list[Any] = list(stage.database[table].values())
    return [each for each in records if all(each[name] == value for name, value in fields.items())]


def term_of(stage: Stage, enrolment: dict[str, Any]) -> str:
    section: Any = stage.database["sections"][enrolment["section_id"]]
    return str(section["term_id"])


@pytest.mark.parametrize("seed", [0, 1, 7, 10])
def test_every_world_is_valid_and_plausible_as_a_whole(seed: int) -> None:
    database = whole_database(EDUCATION, seed)
    assert list(Draft202012Validator(EDUCATION.schema).iter_errors(database)) == []
    assert EDUCATION.implausible(database) == []


@pytest.mark.parametrize("subject", list(EDUCATION.world(0)))
def test_a_blemish_is_valid_by_the_schema_and_found_implausible(subject: str) -> None:
    sound: Database = EDUCATION.world(0)[subject]
    for seed in range(12):
        entries = copy.deepcopy(sound)
        EDUCATION.blemish(entries, Random(seed))
        whole = {table: entries.get(table, {}) for table in EDUCATION.schema["properties"]}
        assert list(Draft202012Validator(EDUCATION.schema).iter_errors(whole)) == []
        assert EDUCATION.implausible(entries)


@pytest.mark.parametrize("seed", [0, 3, 8])
def test_nobody_runs_a_course_without_its_prerequisite_or_two_at_once(seed: int) -> None:
    database: Any = whole_database(EDUCATION, seed)
    for student in database["students"]:
        own = [each for each in database["enrolments"].values() if each["student_id"] == student]
        passed = {database["sections"][e["section_id"]]["course_id"] for e in own if (e["points"] or 0) >= 50}
        held = [database["sections"][e["section_id"]] for e in own if e["status"] == "enrolled"]
        for section in held:
            assert set(database["courses"][section["course_id"]]["prerequisites"]) <= passed
        times = [(section["term_id"], section["weekday"], section["starts_at"]) for section in held]
        assert len(set(times)) == len(times)


def test_a_study_room_is_never_taken_twice_in_the_world() -> None:
    bookings = [each for each in whole_database(EDUCATION, 0)["room_bookings"].values() if each["status"] == "booked"]
    for one in bookings:
        for other in bookings:
            same = (one["room_id"], one["day"]) == (other["room_id"], other["day"]) and one is not other
            assert not (same and one["starts_at"] < other["ends_at"] and other["starts_at"] < one["ends_at"])  # type: ignore[operator]


def test_dropping_gives_the_place_back_and_cancels_the_invoice(stage: Stage) -> None:
    place = next(e for e in rows(stage, "enrolments", status="enrolled") if term_of(stage, e) == "spring-2027")
    invoice = rows(stage, "invoices", enrolment_id=place["enrolment_id"])[0]
    drop = Call(name="drop_course", arguments={"enrolment_id": place["enrolment_id"]})
    changes: Any = stage.sandbox.run([drop]).changes
    before: Any = stage.database["sections"][place["section_id"]]
    assert changes[EntryRef("sections", place["section_id"])]["places_left"] == before["places_left"] + 1
    assert changes[EntryRef("invoices", invoice["invoice_id"])]["status"] == "cancelled"
    first, second = both(stage, drop, drop)
    assert first.ok
    assert "is dropped" in (second.error or "")


def test_a_running_course_is_withdrawn_from_and_a_coming_one_dropped(stage: Stage) -> None:
    for place in rows(stage, "enrolments", status="enrolled")[:12]:
        running = term_of(stage, place) == "autumn-2026"
        dropped = outcome(stage, "drop_course", enrolment_id=place["enrolment_id"])
        withdrawn = outcome(stage, "withdraw_from_course", enrolment_id=place["enrolment_id"], reason="illness")
        assert dropped.ok is not running
        assert withdrawn.ok is running


def test_who_owes_overdue_money_gets_neither_place_nor_document(stage: Stage) -> None:
    late = next(each for each in rows(stage, "invoices", status="open") if each["due_on"] < TODAY)
    document = outcome(
        stage,
        "order_document",
        student_id=late["student_id"],
        kind="fee statement",
        language="German",
        copies=1,
        delivery="post",
    )
    assert "overdue" in (document.error or "")
    section = next(each for each in rows(stage, "sections", term_id="spring-2027") if each["places_left"])
    place = outcome(stage, "enrol", student_id=late["student_id"], section_id=section["section_id"])
    assert "overdue" in (place.error or "")


def test_leaving_a_waiting_list_moves_up_those_behind(stage: Stage) -> None:
    ahead = rows(stage, "enrolments", status="waitlisted")[0]
    leave = Call(name="leave_waiting_list", arguments={"enrolment_id": ahead["enrolment_id"]})
    moved_up = 0
    for student in stage.database["students"]:
        join = Call(name="join_waiting_list", arguments={"student_id": student, "section_id": ahead["section_id"]})
        replay = stage.sandbox.run([join, leave])
        if replay.ok:
            joined: Any = replay.outcomes[0].result
            after: Any = replay.changes[EntryRef("enrolments", joined["enrolment_id"])]
            assert after["position"] == joined["position"] - 1
            moved_up += 1
    assert moved_up


def test_an_extension_stays_within_the_assignment_s_limit_and_is_given_once(stage: Stage) -> None:
    for place in rows(stage, "enrolments", status="enrolled"):
        tasks = [
            each
            for each in rows(stage, "assignments", section_id=place["section_id"])
            if each["due_at"] > TODAY and each["longest_extension_days"]
        ]
        extended = [(each["student_id"], each["assignment_id"]) for each in rows(stage, "extensions")]
        free = [each for each in tasks if (place["student_id"], each["assignment_id"]) not in extended]
        if free:
            break
    task = {"student_id": place["student_id"], "assignment_id": free[0]["assignment_id"], "reason": "illness"}
    longest = free[0]["longest_extension_days"]
    assert "at most" in (outcome(stage, "grant_extension", **task, days=longest + 1).error or "")
    grant = Call(name="grant_extension", arguments={**task, "days": longest})
    first, second = both(stage, grant, grant)
    assert first.ok
    assert "extended before" in (second.error or "")


def test_an_appeal_comes_in_time_and_once(stage: Stage) -> None:
    appealed = {each["enrolment_id"] for each in rows(stage, "appeals")}
    results = [each for each in rows(stage, "enrolments", status="completed") if each["enrolment_id"] not in appealed]
    late = next(each for each in results if each["published_on"] < "2026-10-01")
    recent = next(each for each in results if each["published_on"] > "2026-11-05")
    ground = "an unmarked answer"
    assert "possible until" in (
        outcome(stage, "file_appeal", enrolment_id=late["enrolment_id"], ground=ground).error or ""
    )
    file = Call(name="file_appeal", arguments={"enrolment_id": recent["enrolment_id"], "ground": ground})
    first, second = both(stage, file, file)
    assert first.ok
    assert "filed before" in (second.error or "")


def test_an_invoice_is_paid_to_the_cent_and_not_beyond(stage: Stage) -> None:
    invoice = rows(stage, "invoices", status="open", paid=0.0)[0]
    part = Call(name="pay_invoice", arguments={"invoice_id": invoice["invoice_id"], "amount": 0.1, "method": "card"})
    rest = round(invoice["amount"] - 0.1, 2)
    whole = Call(name="pay_invoice", arguments={**part.arguments, "amount": rest})
    first, second = both(stage, part, whole)
    assert first.result["remaining"] == rest  # type: ignore[index, call-overload]
    assert second.result["status"] == "paid"  # type: ignore[index, call-overload]
    assert "remain" in (outcome(stage, "pay_invoice", **{**part.arguments, "amount": rest + 1}).error or "")


def test_a_passed_course_is_not_sat_again(stage: Stage) -> None:
    registered = {each["enrolment_id"] for each in rows(stage, "resits")}
    tried = 0
    for enrolment in rows(stage, "enrolments", status="completed"):
        section: Any = stage.database["sections"][enrolment["section_id"]]
        exams = [each for each in rows(stage, "exams", course_id=section["course_id"]) if each["places_left"]]
        if not exams or enrolment["enrolment_id"] in registered:
            continue
        done = outcome(stage, "register_for_resit", enrolment_id=enrolment["enrolment_id"], exam_id=exams[0]["exam_id"])
        assert done.ok is (enrolment["points"] < 50)
        tried += 1
    assert tried > 30


def test_a_renewal_is_refused_when_others_wait_or_it_is_overdue_or_the_third(stage: Stage) -> None:
    books: Any = stage.database["books"]
    seen = set()
    for loan in rows(stage, "loans", status="on loan"):
        allowed = loan["renewals"] < 2 and loan["due_on"] >= TODAY and not books[loan["book_id"]]["queue"]
        assert outcome(stage, "renew_loan", loan_id=loan["loan_id"]).ok is allowed
        seen.add(allowed)
    assert seen == {True, False}


def test_every_program_speaks_in_six_voices_and_every_twist_in_three() -> None:
    for program in EDUCATION.programs:
        assert len(program.voices) >= 6, program.name
        for twist in program.twists:
            assert len(twist.voices) >= 3, twist.name
