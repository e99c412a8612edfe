"""A draft says of its facts what kind they are and by which words they are asked for, and what the user bounds."""

import json

import pytest
from pydantic import ValidationError

from toolscale.synthesis.drafts import ANSWER_FORM, TaskDraft, as_task

DRAFT = {
    "reason_for_call": "Book me a court for at most 30 euros. What will it cost?",
    "golden_calls": [{"name": "book_court", "arguments": {"court": "C-1"}}],
}


def test_a_fact_may_be_a_string_or_say_its_kind_and_the_words_that_ask_for_it():
    said = {"fact": "24.00", "kind": "amount", "asked": "What will it cost"}
    task = as_task("sport", "", {**DRAFT, "communicate_info": [said, "C-1"]})
    assert task.communicate_info == ["24.00", "C-1"]
    assert task.fact_kinds == {"24.00": "amount"}
    assert task.asked == {"24.00": "What will it cost"}


def test_how_a_fact_is_written_down_is_no_matter_for_the_tasks_id():
    plain = as_task("sport", "", {**DRAFT, "communicate_info": ["24.00"]})
    assert as_task("sport", "", {**DRAFT, "communicate_info": [{"fact": "24.00"}]}) == plain


def test_a_limit_of_the_draft_is_a_limit_of_the_task():
    limit = {"says": "at most 30 euros", "call": 0, "field": "price", "at_most": 30}
    (stated,) = as_task("sport", "", {**DRAFT, "limits": [limit]}).limits
    assert (stated.says, stated.call, stated.field, stated.at_most) == ("at most 30 euros", 0, "price", 30)


@pytest.mark.parametrize(
    "wrong", [{"communicate_info": [{"kind": "amount"}]}, {"communicate_info": [{"fact": "1", "kind": "money"}]}]
)
def test_a_fact_of_no_known_form_goes_back(wrong):
    with pytest.raises(ValidationError):
        TaskDraft.model_validate({**DRAFT, **wrong})


def test_the_form_that_is_shown_is_one_that_is_read():
    assert TaskDraft.model_validate(json.loads(ANSWER_FORM)).facts[0].asked
