"""A question of the instruction has a fact that answers it, and what is no question asks for none."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.artifacts import Instructions, Task, UserScenario
from toolscale.checkers.asked import may_lapse, questions
from toolscale.checkers.gates.answered import unanswered

ROWS = [json.loads(line) for line in (Path(__file__).parent / "asked" / "habits.jsonl").read_text().splitlines()]


def task(says: str, *facts: str, **known: object) -> Task:
    scenario = UserScenario(instructions=Instructions(domain="anywhere", reason_for_call=says))
    return Task(id="-", user_scenario=scenario, communicate_info=list(facts), **known)  # type: ignore[arg-type]


def test_of_the_corpus_no_right_task_is_refused_and_nine_of_ten_wrong_ones_are() -> None:
    refused = [row for row in ROWS if unanswered(task(row["says"], *row["facts"]))]
    assert [row["says"] for row in refused if not row["fault"]] == []
    assert len(refused) >= 0.9 * sum(row["fault"] for row in ROWS)


@pytest.mark.parametrize("row", [row for row in ROWS if row["habit"] in ("polite request", "rhetorical")])
def test_a_request_and_a_rhetorical_question_ask_for_no_fact(row: dict[str, str]) -> None:
    assert [question.text for question in questions(row["says"])] == []


def test_a_fact_answers_the_question_that_its_author_says_it_answers_and_no_other() -> None:
    says = "What do I pay? And how much do I get back?"
    assert unanswered(task(says, "12.00", "7.50")) == []
    asked = {"12.00": "What do I pay", "7.50": "what do I pay"}
    assert "how much do i get back" in unanswered(task(says, "12.00", "7.50", asked=asked))[0]


def test_words_that_the_user_does_not_say_cannot_ask_for_a_fact() -> None:
    reasons = unanswered(task("What do I pay?", "12.00", asked={"12.00": "how dear is it"}))
    assert "which the user does not say" in reasons[0]


def test_each_question_has_a_fact_of_its_own_of_a_kind_that_fits() -> None:
    assert unanswered(task("Who is it with, and when does it start?", "Sven Aerts", "09:30")) == []
    assert "when does it start" in unanswered(task("Who is it with, and when does it start?", "Sven Aerts"))[0]
    assert unanswered(task("When does it start?", "Sven Aerts"))
    assert unanswered(task("What does it cost?", "09:30")) == []  # "what" alone says nothing of the kind


def test_a_kind_that_the_author_says_decides_what_a_fact_answers() -> None:
    assert unanswered(task("Who is my adviser?", "4711")) != []
    assert unanswered(task("Who is my adviser?", "4711", fact_kinds={"4711": "id"})) == []


def test_a_question_that_is_put_twice_is_one() -> None:
    assert unanswered(task("How much is the tour? Book it, and tell me the price of the tour.", "42.00")) == []


def test_the_name_of_what_was_asked_for_is_no_second_question() -> None:
    assert (
        unanswered(task("Which of my bookings is the first? Tell me its number and the date.", "B-7", "2026-12-01"))
        == []
    )
    assert unanswered(task("Tell me which day and hour is the new end.", "2026-12-01", "17:00")) == []


@pytest.mark.parametrize(
    ("says", "asked"),
    [
        ("Tell me how much will be left once the transfer and its fee have gone out.", 1),
        ("Tell me how much will be left once it has gone out, fee included.", 1),
        ("Tell me the price and its fee.", 2),
        ("Tell me the fee that was charged and the seats which are left.", 2),
        ("What matters is the length of the queue: how many are before me?", 1),
        ("What matters most to me is the length of the queue?", 0),
        ("What counts as late?", 1),
        ("Check the vaccinations; where they fall short, say to me until when they protect.", 0),
        ("Should your rules not allow it for this invoice, I need to know the last day for paying it whole.", 0),
        ("Should my dog fast, or what is he to eat? How much is it?", 1),
        ("I would like the earliest visit that you can give us that day. Tell me at what time you expect us.", 1),
        ("Tell me where my car is and what it costs.", 2),
        ("Where is it kept, and until when?", 2),
    ],
)
def test_what_says_something_of_a_thing_is_no_question_for_it(says: str, asked: int) -> None:
    assert len(questions(says)) == asked


@pytest.mark.parametrize("wish", ["six days more", "another day", "2 seats"])
def test_a_number_of_things_is_wanted_not_asked_for(wish: str) -> None:
    assert unanswered(task(f"Please give me {wish}.", "2026-12-01")) == []
    assert unanswered(task(f"Please give me {wish}.")) == []


@pytest.mark.parametrize(
    "condition", ["If it costs more than 40 euros, leave it.", "My limit is 40 euros; where it costs more, leave it."]
)
def test_what_may_not_be_done_at_all_leaves_its_questions_open(condition: str) -> None:
    says = f"Upgrade me and tell me the new seat. {condition}"
    assert may_lapse(says)
    assert unanswered(task(says)) == []


@given(st.sampled_from(ROWS), st.lists(st.sampled_from(["12.50", "2026-12-01", "Ada Byron", "7", "RX-9"]), max_size=3))
def test_another_fact_never_opens_a_question(row: dict[str, list[str]], more: list[str]) -> None:
    says, facts = str(row["says"]), row["facts"]
    assert len(unanswered(task(says, *facts, *more))) <= len(unanswered(task(says, *facts)))


@given(st.text(alphabet="aA .?!,\n'whenİßtellme", max_size=60))
def test_a_question_stands_where_it_says(text: str) -> None:
    for question in questions(text):
        assert text[question.start : question.end].lower() == question.text
