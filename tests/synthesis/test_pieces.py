"""Whatever is said around the pieces of a request, the request stays: its pieces to the word and in order, no more."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.programs.tool_hire import environment
from toolscale.artifacts import Task
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.synthesis.pieces import Parts, parts_of

FACTS = EnvironmentFacts(environment())
TASKS = {
    row.pop("name"): Task.model_validate(row)
    for row in map(json.loads, (Path(__file__).parent / "requests.jsonl").read_text(encoding="utf-8").splitlines())
}
SMALL_TALK = ["The kettle is singing.", "My hands are cold and the dog is barking!", "Oh, what a mess."]
LEADS = ["", "So ", "And ", "By the way, ", "Also, ", "please ", "Could you ", "And while I'm at it, "]
THANKS = ["", " Thanks!", " Thank you so much.", " Kind regards"]
BINDING = [
    line
    for line in """
It is for 3 guests.
Not today.
If it rains, wait.
What does parking cost?
Please email me a copy.
Never mind.
At most twenty euros.
It is for Mr Henderson.
Before noon.
Cancel everything else.
I paid last week.
You told me that it is free.
Only with the manager's word.
The cheapest one.
My number is QX-9931.
Mornings suit me.
A ladder, too.
Unless it is late.
I want the other one.
Two of them.
""".splitlines()
    if line
]


def text_of(task: Task) -> str:
    return task.user_scenario.instructions.reason_for_call


def parts(task: Task) -> Parts:
    return parts_of(text_of(task), task.lineage.goals, task.asked.values(), FACTS)


def said(parts: Parts, *around: str) -> str:
    """The marked text with something other around its pieces."""
    return around[0] + "".join(f"{{{number}}}{words}" for number, words in enumerate(around[1:], start=1))


def places(text: str, parts: Parts) -> list[str]:
    """What stands around the pieces of a text that has them all in their order."""
    pattern = "(.*?)".join(re.escape(piece.opening) for piece in parts.pieces)
    found = re.fullmatch(f"(.*?){pattern}(.*)", text, re.DOTALL | re.IGNORECASE)
    assert found is not None, text
    return list(found.groups())


tasks = st.sampled_from(list(TASKS.values()))


@given(task=tasks)
def test_the_parts_of_a_request_make_up_the_request(task):
    found = parts(task)
    own = found.marked()
    assert re.findall(r"\{(\d+)\}", own) == [str(number) for number in range(1, len(found.pieces) + 1)]
    assert found.worded(own, FACTS) == text_of(task)
    whole = found.around[0]
    for piece, following in zip(found.pieces, found.around[1:], strict=True):
        whole += piece.opening + following
    assert whole.casefold() == text_of(task).casefold()


@given(task=tasks, data=st.data())
def test_whatever_is_said_around_them_the_pieces_stay_to_the_word_and_in_order(task, data):
    found = parts(task)
    anything = st.one_of(
        st.text(max_size=60), st.sampled_from([*SMALL_TALK, *LEADS, *THANKS, *BINDING, ". ", "? ", ", and "])
    )
    around = [data.draw(anything) for _ in found.around]
    places(found.worded(said(found, *around), FACTS), found)


@given(task=tasks, data=st.data())
def test_what_binds_is_said_nowhere(task, data):
    found = parts(task)
    around = list(found.around)
    place = data.draw(st.integers(0, len(found.pieces)))
    bad = data.draw(st.sampled_from(BINDING))
    before = re.match(r"[.!?]*", around[place])[0] if place else ""
    around[place] = f"{before} {bad} " if place else f"{bad} "
    assert found.worded(said(found, *around), FACTS) == text_of(task)


@given(task=tasks, start=st.sampled_from(SMALL_TALK), end=st.sampled_from(THANKS[1:]))
def test_small_talk_and_thanks_are_said_at_both_ends(task, start, end):
    found = parts(task)
    around = list(found.around)
    around[0], around[-1] = f"{start} ", f"{end}"
    text = found.worded(said(found, *around), FACTS)
    assert text.startswith(f"{start} ")
    assert text.endswith(end)
    assert len(text) > len(text_of(task))


@given(task=tasks, data=st.data())
def test_a_mark_that_is_gone_doubled_or_moved_leaves_the_request_as_it_was(task, data):
    found = parts(task)
    marks = [f"{{{number}}}" for number in range(1, len(found.pieces) + 1)]
    place = data.draw(st.integers(0, len(marks) - 1))
    spoilt = data.draw(
        st.sampled_from([marks[:place] + marks[place + 1 :], [*marks, marks[place]], [*marks[1:], marks[0], "{0}"]])
    )
    text = ". ".join(spoilt)
    assert list(found.faults(text))
    assert found.worded(text, FACTS) == text_of(task)


@given(
    task=tasks,
    lead=st.sampled_from(["don't ", "never ", "do not forget that ", "if you like, ", "unless ", "just once, "]),
)
def test_nothing_turns_a_piece_round(task, lead):
    found = parts(task)
    for place in range(len(found.pieces)):
        around = list(found.around)
        around[place] = f"{around[place]}{lead}"
        assert found.worded(said(found, *around), FACTS) == text_of(task)


def of_the_request(text: str, asked: tuple[str, ...] = ()) -> Parts:
    return parts_of(text, (), asked, FACTS)


def test_a_condition_shares_its_sentence_with_nothing():
    found = of_the_request("Please extend HI-1. If it costs more than 5, leave it. Tell me the new date.")
    assert [piece.hangs for piece in found.pieces] == [False, True, False]
    joined = "Could you {1}, and {2}, and {3}."
    assert (
        found.worded(joined, FACTS) == "Could you extend HI-1. If it costs more than 5, leave it. Tell me the new date."
    )
    hung = found.worded("Please {1}. {2}. And {3}.", FACTS)
    assert hung == "Please extend HI-1. If it costs more than 5, leave it. Tell me the new date."
    apart = found.worded("Please {1}. {2}. Also, could you {3}?", FACTS)
    assert apart.endswith("leave it. Also, could you tell me the new date?")


def test_two_wishes_may_share_a_sentence_and_a_direct_question_keeps_its_mark():
    found = of_the_request("Extend HI-1 by two days. Take HI-2 back. What does HI-3 cost?")
    assert found.worded("Could you {1}, and {2}? {3}? Thanks!", FACTS) == (
        "Could you extend HI-1 by two days, and take HI-2 back? What does HI-3 cost? Thanks!"
    )
    assert found.worded("{1}. {2}. {3}.", FACTS) == "Extend HI-1 by two days. Take HI-2 back. What does HI-3 cost?"


@pytest.mark.parametrize("greeting", ["Good morning, ", "hi there, ", "Dear team, ", "Thanks. Hello again, "])
def test_a_sentence_may_go_on_after_a_greeting(greeting):
    found = of_the_request("Please extend HI-1.")
    assert found.worded(f"{greeting}could you {{1}}?", FACTS) == f"{greeting}could you extend HI-1?"
    assert found.worded(f"{greeting}{{1}}.", FACTS) == f"{greeting}extend HI-1."


@pytest.mark.parametrize(
    "words",
    ["In the morning, ", "Hi, for two days, ", "After this hello, ", "Hello, not yet, ", "Dear two refunds team, "],
)
def test_no_more_than_a_greeting_goes_before_a_comma(words):
    found = of_the_request("Please extend HI-1.")
    assert found.worded(f"{words}please {{1}}.", FACTS) == "Please extend HI-1."


def test_nothing_of_ones_own_goes_between_a_sentence_and_what_speaks_of_it():
    found = of_the_request(
        "I have HI-1 and HI-2. Extend the second of them by two days.\nOne more thing. Take back HI-3."
    )
    assert found.free == (True, False, True, True)
    text = found.worded("{1}. The kettle is singing. {2}. The dog is barking. {3}.", FACTS)
    assert text == "I have HI-1 and HI-2. Extend the second of them by two days. The dog is barking. Take back HI-3."


def test_small_talk_of_the_template_is_no_piece_and_words_that_ask_stay_in_one():
    found = of_the_request(
        "What a mess. Could you tell me the fee. When is HI-2 due? Thanks!", ("tell me the fee. When",)
    )
    assert [piece.opening for piece in found.pieces] == ["Tell me the fee. When is HI-2 due"]
    assert found.around == ("What a mess. Could you ", "? Thanks!")


def test_a_purpose_keeps_its_so():
    found = of_the_request("Extend HI-1. So that I bring enough, what does it cost? So, take HI-2 back.")
    opening = [piece.opening for piece in found.pieces]
    assert opening == ["Extend HI-1", "So that I bring enough, what does it cost", "Take HI-2 back"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Hello. {1}", "Hello. CANCEL HI-1."),
        ("so, {1}", "so, CANCEL HI-1."),
        ("hey. please {1}", "hey. please CANCEL HI-1."),
    ],
)
def test_words_that_are_written_large_stay_large(text, says):
    assert of_the_request("CANCEL HI-1.").worded(text, FACTS) == says
