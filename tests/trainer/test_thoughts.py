"""Lessons for models that think: thoughts are learnt where there are any, and their absence never is."""

from copy import deepcopy
from typing import Any

import pytest

from trainer.rollout.chat import Chat

from .formats import TEMPLATES

THINKS = (TEMPLATES / "thinks.jinja").read_text(encoding="utf-8")
CALL = '<tool_call>\n{"name": "find_coat", "arguments": {"ticket": "T1"}}\n</tool_call>'
EMPTY = "<think>\n\n</think>\n\n"


@pytest.fixture(scope="module")
def thinking(tokenizer: Any) -> Any:
    made = deepcopy(tokenizer)
    made.chat_template = THINKS
    return made


def chat_of(first: dict[str, Any], last: dict[str, Any]) -> list[dict[str, Any]]:
    call = {"id": "call_0", "type": "function", "function": {"name": "find_coat", "arguments": '{"ticket": "T1"}'}}
    return [
        {"role": "system", "content": "Help."},
        {"role": "user", "content": "Where is T1?"},
        {"role": "assistant", "content": None, "tool_calls": [call], **first},
        {"role": "tool", "tool_call_id": "call_0", "content": '{"hook": 1}'},
        {"role": "assistant", "content": "It hangs on 1.", **last},
    ]


def learnt(chat: Chat, messages: list[dict[str, Any]]) -> str:
    sequence = chat.recorded(messages, [])
    return chat.tokenizer.decode([token for token, mine in zip(sequence.ids, sequence.sampled, strict=True) if mine])


def test_an_empty_thought_is_read_and_never_learnt(thinking: Any) -> None:
    chat, messages = Chat(thinking), chat_of({}, {})
    sequence = chat.recorded(messages, [])
    assert thinking.decode(sequence.ids).count(EMPTY) == 2, "each message follows its empty thought"
    assert learnt(chat, messages) == f"{CALL}<|im_end|>It hangs on 1.<|im_end|>"


def test_thoughts_that_a_trajectory_has_are_learnt_before_what_they_led_to(thinking: Any) -> None:
    chat = Chat(thinking)
    messages = chat_of({"reasoning_content": "Look it up."}, {"content": "<think>\nFound.\n</think>\n\nIt hangs on 1."})
    assert learnt(chat, messages) == (
        f"<think>\nLook it up.\n</think>\n\n{CALL}<|im_end|><think>\nFound.\n</think>\n\nIt hangs on 1.<|im_end|>"
    )


def test_where_the_prompt_asks_for_no_thoughts_the_lessons_have_none(thinking: Any) -> None:
    chat = Chat(thinking, {"enable_thinking": False})
    assert thinking.decode(chat.opening([{"role": "user", "content": "?"}], [])).endswith(EMPTY)
    messages = chat_of({"reasoning_content": "Look it up."}, {"content": "<think>\nFound.\n</think>\n\nIt hangs on 1."})
    assert learnt(chat, messages) == f"{CALL}<|im_end|>It hangs on 1.<|im_end|>"


def test_a_prompt_that_opens_the_thought_itself_is_answered_by_its_rest(thinking: Any) -> None:
    opens = deepcopy(thinking)
    asks = "{%- if add_generation_prompt %}\n{{- '<|im_start|>assistant\\n"
    opens.chat_template = THINKS.replace(asks, asks + "<think>\\n")
    chat = Chat(opens)
    assert opens.decode(chat.opening([{"role": "user", "content": "?"}], [])).endswith("<think>\n")
    assert learnt(chat, chat_of({}, {})) == f"{CALL}<|im_end|>It hangs on 1.<|im_end|>"
    thought = chat_of({"reasoning_content": "Look it up."}, {})
    assert learnt(chat, thought) == f"Look it up.\n</think>\n\n{CALL}<|im_end|>It hangs on 1.<|im_end|>"
