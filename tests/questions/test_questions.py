"""Questions of others are read whole or refused with a reason, and an answer is right by a program or by the judge."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import gateway_to
from toolscale.errors import UserError
from toolscale.questions.outcome import outcome, same
from toolscale.questions.question import Question
from toolscale.questions.reading import read_questions

THOUGHTS = Path(__file__).parents[1] / "fixtures" / "questions" / "general_thought.jsonl"


def test_a_set_in_the_form_of_general_thought_is_read_each_question_once():
    questions, rejects = read_questions(str(THOUGHTS))
    assert [(one.question[:14], one.answer, one.topic) for one in questions] == [
        ("A shop sells 3", "36", "Word Problems"),
        ("Which planet h", "B", "Astronomy"),
    ]
    assert len({one.id for one in questions}) == 2
    assert [reject.reasons for reject in rejects] == [
        ["there is no reference answer"],
        ["the question goes on from an earlier conversation"],
        [f"question {questions[0].id} has another reference answer"],
    ]


def test_parquet_json_and_a_folder_give_the_same_questions(tmp_path):
    rows = [{"problem": "1 + 1?", "solution": "2", "level": 3}, {"problem": "2 + 2?", "solution": "4", "level": 1}]
    pd.DataFrame(rows).to_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.json").write_text(json.dumps(rows))
    one = read_questions(str(tmp_path / "a.parquet"))[0]
    assert read_questions(str(tmp_path / "b.json"))[0] == one
    assert read_questions(str(tmp_path))[0] == one
    assert [(each.answer, each.difficulty) for each in one] == [("2", "3"), ("4", "1")]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ('{"text": "a", "answer": "b"}', "no column of questions .*its columns are answer, text"),
        ('{"question": "a", "model_answer": "b"}', "no column of reference answers"),
        ('{"question": "a", "answer": ""}', "no row of use.*there is no reference answer"),
        ("{", "cannot be read"),
        ("[1]", "row 0 is not an object"),
        ("", "no column of questions"),
    ],
)
def test_what_is_no_set_of_questions_is_refused_in_words(tmp_path, content, fault):
    (tmp_path / "set.jsonl").write_text(content)
    with pytest.raises(UserError, match=fault):
        read_questions(str(tmp_path / "set.jsonl"))


def test_a_place_that_is_not_there_is_no_name_on_the_hub(tmp_path):
    with pytest.raises(UserError, match="give a file"):
        read_questions(str(tmp_path / "none" / "at" / "all.jsonl"))
    with pytest.raises(UserError, match="holds no data"):
        read_questions(str(tmp_path))


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("36", "So he pays 36."),
        ("36", "The answer is 36."),
        ("36", r"Adding up, we get $\boxed{36}$, as was to be shown."),
        ("1,234", r"\boxed{1234.00}"),
        ("0.5", r"The final answer is: $\frac{1}{2}$"),
        (r"\frac{3}{4}", "0.75"),
        (r"-\dfrac{3}{4}", "Answer: -3/4"),
        (r"\text{Paris}", "answer: paris."),
        ("$40", "**Answer:** 40"),
        ("B", "The answer is (B)."),
        ("B", "Answer: B) Jupiter"),
        ("(b) Jupiter", "B"),
        (r"\boxed{C}", "C"),
        ("x^2 + 1", r"\boxed{x^2+1}"),
        ("The Eiffel Tower.", "eiffel tower"),
        ("1,024", "1024.00"),
        ("$12.50", "12.5"),
        ("1,024.50 km", "1024.5 km"),
        ("Lagos; Nigeria", "Lagos, Nigeria"),
    ],
)
def test_what_differs_in_form_alone_is_right_without_a_judge(reference, answer):
    if answer == "So he pays 36.":
        assert same(reference, answer) is None, "a sentence is for the judge"
    else:
        assert same(reference, answer) is True


@pytest.mark.parametrize(
    ("reference", "answer"),
    [("36", "37"), ("B", "The answer is (C)."), ("7", r"\boxed{-7}"), ("10", "100"), ("-3", "3")],
)
def test_another_letter_or_whole_number_is_wrong_without_a_judge(reference, answer):
    assert same(reference, answer) is False


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("3.14", "3.14159"),
        ("50%", "0.5"),
        ("C", "vitamin C"),
        ("Paris", "Paris, in France"),
        ("1/0", "1/0x"),
        ("A", "A cat"),
        ("1.5", "15"),
        ("A", "the"),
        ("a", "b"),
        ("x^2+1", "x^2-1"),
        ("[0, 1)", "(0, 1]"),
        ("10!", "10"),
        ("√2", "2"),
        ("|x|", "x"),
        ("f'", "f"),
        ("3:2", "3, 2"),
        ("a + b", "+ b"),
        ("-∞", "∞"),
        ("9" * 6000, "8" * 6000),
    ],
)
def test_what_a_program_cannot_be_sure_of_is_left_to_the_judge(reference, answer):
    assert same(reference, answer) is None


async def test_the_judge_is_asked_for_the_rest_alone_once_and_its_reason_is_kept(store):
    said = {"reason": "Paris is in France, so it is the same city.", "correct": True}
    with OpenAIServer(lambda request: json.dumps(said)) as server:
        async with gateway_to(server, store) as gateway:
            question = Question("q", "What is the capital of France?", "Paris")
            first = await outcome(question, "Paris, in France", gateway)
            assert await outcome(question, "Paris, in France", gateway) == first
            assert (first.solved, first.reason, first.by) == (True, said["reason"], "judge")
            assert len(server.requests) == 1
            exact = await outcome(question, "PARIS.", gateway)
            nothing = await outcome(question, "  ", gateway)
            assert len(server.requests) == 1
    assert (exact.solved, exact.by) == (True, "program")
    assert (nothing.solved, nothing.reason) == (False, "there is no answer")


@pytest.mark.parametrize("said", ["I think so.", {"content": None, "refusal": "never"}])
async def test_a_judge_that_gives_no_judgement_solves_nothing(store, said):
    with OpenAIServer(lambda request: said) as server:
        async with gateway_to(server, store) as gateway:
            found = await outcome(Question("q", "?", "Paris"), "Lutetia", gateway)
    assert not found.solved
    assert "no judgement" in found.reason
