"""The one loop of an agent: an episode ends once, within its limits; every call is answered, and every cost counted."""

import asyncio
from dataclasses import dataclass, field
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.artifacts import Termination
from toolscale.episodes.loop import TERMINATIONS, Answers, Ending, Episode, Spoken, play

COSTS = st.integers(min_value=0, max_value=9).map(lambda cents: cents / 4)  # sums of quarters are exact
ENDINGS = st.none() | st.none() | st.sampled_from(get_args(Ending))


@st.composite
def turns(draw):
    """A message, or why there is none; and what it brings."""
    numbered = [{"id": f"call_{place}"} for place in range(draw(st.integers(min_value=0, max_value=3)))]
    message = {"role": "assistant", "content": "hm", **({"tool_calls": numbered} if numbered else {})}
    tokens = draw(st.integers(min_value=0, max_value=9))
    spoken = Spoken(message, draw(COSTS), draw(COSTS), tokens, tokens, ending=draw(ENDINGS))
    contents = ["told"] * (len(numbered) or draw(st.integers(min_value=0, max_value=1)))
    answers = Answers(contents, draw(COSTS), draw(COSTS), ending=draw(ENDINGS))
    return draw(st.just(spoken) | st.just(spoken) | st.sampled_from(get_args(Ending))), answers


@dataclass
class Scripted:
    """Agent and setting: they say what stands in a script, and take down what happens."""

    script: list
    said: list = field(default_factory=list)
    answered: list = field(default_factory=list)
    messages: list = field(default_factory=list)

    def hears(self, messages):
        self.messages += messages

    async def speaks(self):
        spoken = self.script[len(self.said)][0]
        self.said.append(spoken)
        if isinstance(spoken, Spoken):
            self.messages.append(spoken.message)
        return spoken

    async def answers(self, message):
        assert message["tool_calls"]
        return self._answer()

    async def replies(self, message):
        assert "tool_calls" not in message
        return self._answer()

    def _answer(self):
        self.answered.append(self.script[len(self.said) - 1][1])
        return self.answered[-1]


def played(script, **options):
    sides, episode = Scripted(script), Episode()
    return asyncio.run(play(sides, sides, episode, **options)), sides, episode


@given(st.lists(turns(), min_size=6, max_size=6), st.integers(min_value=0, max_value=6), st.none() | COSTS)
def test_an_episode_ends_once_and_for_a_reason_that_was_given(script, max_turns, max_dollars):
    ending, sides, episode = played(script, max_turns=max_turns, max_dollars=max_dollars)
    reasons = [each if isinstance(each, str) else each.ending for each in sides.said]
    reasons += [answers.ending for answers in sides.answered]
    given_up = [reason for reason in reasons if reason is not None]
    assert len(given_up) <= 1, "nobody is asked after the end"
    if given_up:
        assert [ending] == given_up
    elif ending == "turn_limit":
        assert episode.turns == max_turns
    else:
        assert ending == "budget"
        assert episode.dollars >= max_dollars


@given(st.lists(turns(), min_size=6, max_size=6), st.integers(min_value=0, max_value=6), st.none() | COSTS)
def test_no_turn_begins_beyond_a_limit(script, max_turns, max_dollars):
    _, sides, episode = played(script, max_turns=max_turns, max_dollars=max_dollars)
    assert episode.turns <= len(sides.said) <= max_turns
    spent = 0.0
    for spoken, answers in zip(sides.said, [*sides.answered, Answers()], strict=False):
        assert max_dollars is None or spent < max_dollars
        spent += answers.dollars + (spoken.dollars if isinstance(spoken, Spoken) else 0)


@given(st.lists(turns(), min_size=6, max_size=6), st.integers(min_value=0, max_value=6))
def test_what_an_episode_cost_is_the_sum_of_its_messages_and_of_what_these_brought(script, max_turns):
    _, sides, episode = played(script, max_turns=max_turns)
    spoken = [each for each in sides.said if isinstance(each, Spoken)]
    assert episode.turns == len(spoken)
    assert episode.dollars == sum(each.dollars for each in [*spoken, *sides.answered])
    assert episode.seconds == sum(each.seconds for each in [*spoken, *sides.answered])
    assert episode.prompt_tokens == sum(each.prompt_tokens for each in spoken)
    assert episode.completion_tokens == sum(each.completion_tokens for each in spoken)


@given(st.lists(turns(), min_size=6, max_size=6), st.integers(min_value=0, max_value=6))
def test_every_call_has_one_answer_right_after_the_message_that_makes_it(script, max_turns):
    _, sides, _ = played(script, max_turns=max_turns)
    left = list(sides.messages)
    for spoken in sides.said:
        if not isinstance(spoken, Spoken):
            continue
        assert left.pop(0) is spoken.message
        for call in spoken.message.get("tool_calls", []) if spoken.ending is None else []:
            assert left.pop(0) == {"role": "tool", "tool_call_id": call["id"], "content": "told"}
        if left and left[0]["role"] == "user":
            left.pop(0)
    assert left == []


def test_a_setting_that_leaves_a_call_unanswered_is_found_out():
    message = {"role": "assistant", "tool_calls": [{"id": "a"}, {"id": "b"}]}
    with pytest.raises(ValueError, match="zip"):
        played([(Spoken(message), Answers(["only one"]))], max_turns=1)


def test_a_user_who_is_gone_before_the_first_message_is_the_end():
    ending, sides, episode = played([], max_turns=3, first=Answers(ending="user_error"))
    assert (ending, sides.said, episode) == ("user_error", [], Episode())


def test_turns_of_an_earlier_run_count():
    sides, episode = Scripted([]), Episode(turns=2, dollars=1.0)
    assert asyncio.run(play(sides, sides, episode, max_turns=2)) == "turn_limit"
    assert asyncio.run(play(sides, sides, episode, max_turns=3, max_dollars=1.0)) == "budget"


async def test_many_episodes_wait_for_one_batch_and_advance_turn_by_turn():
    batches, together = [], asyncio.Barrier(3)

    class Batched(Scripted):
        async def speaks(self):
            if await together.wait() == 0:
                batches.append(len(self.said))
            return await super().speaks()

    message = {"role": "assistant", "tool_calls": [{"id": "a"}]}
    episodes = [Batched([(Spoken(message), Answers(["told"]))] * 4) for _ in range(3)]
    endings = await asyncio.gather(*(play(each, each, Episode(), max_turns=4) for each in episodes))
    assert endings == ["turn_limit"] * 3
    assert batches == [0, 1, 2, 3]


def test_every_ending_has_a_name_in_a_trajectory():
    assert set(TERMINATIONS) == set(get_args(Ending))
    assert set(TERMINATIONS.values()) == set(get_args(Termination))
