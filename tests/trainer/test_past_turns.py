"""Templates that write a turn otherwise when it is past, in makers' forms: what is warned of, and what is refused."""

import logging
from typing import Any

import pytest

from toolscale.errors import UserError
from trainer.checks import check_template
from trainer.config import Rollouts
from trainer.rollout.chat import Chat

from .formats import REWRITES, TOKENS, tokenizer_of

pytest.importorskip("vllm", reason="formats beside Hermes' are read by vLLM's parsers")

EMPTY = r"leaves out '<think>\n\n</think>\n\n' before a message of the model"
WITHOUT = {"enable_thinking": False}
THINKS_ALWAYS = ("loop.index0 > last.said and (loop.last or thoughts)", "loop.index0 > last.said")
TURN_AGAIN = ("{%- if last.role != 'tool' %}{{ '<|turn>model\\n' }}{% endif %}", "{{- '<|turn>model\\n' }}")
ANOTHER_WAY = """once a tool has answered it writes "[probe_tool(city='Ulm', days=3, wet=True)]" another way"""
UNQUOTED = ("~ literal(value) ~ (', '", "~ value ~ (', '")
ALL_STRINGS = ("~ literal(value) ~ (', '", "~ '\"' ~ value ~ '\"' ~ (', '")
# Calls are answered in turns of their own, as in Gemma 4's first template.
OWN_TURNS = [
    ("{{- '<|tool_response>' if message.tool_calls else '<turn|>\\n' }}", "{{- '<turn|>\\n' }}"),
    (
        "{%- elif message.role == 'tool' %}",
        "{%- elif message.role == 'tool' %}{{ '<|turn>tool\\n' ~ message.content }}",
    ),
]


@pytest.mark.parametrize(
    ("name", "swaps", "arguments", "found"),
    [
        ("thinks", [], {}, ["once the user speaks again it leaves out what the model thought"]),
        ("thinks", [], WITHOUT, [f"once a tool has answered it {EMPTY}"]),
        ("thinks", [THINKS_ALWAYS], WITHOUT, [f"once the user speaks again it {EMPTY}"]),
        (
            "mistral_moving",
            [],
            {},
            [
                "once a tool has answered it leaves out the system prompt",
                "once the user speaks again it moves the system prompt and the tools",
            ],
        ),
        (
            "gemma4",
            [TURN_AGAIN],
            {"enable_thinking": True},
            [r"after a second call it adds '<|turn>model\n' before a message of the model"],
        ),
        (
            "gemma4",
            [],
            WITHOUT,
            [r"once a tool has answered it leaves out '<|channel>thought\n<channel|>' before a message of the model"],
        ),
        ("pythonic_loose", [], {}, [ANOTHER_WAY]),
        ("pythonic", [UNQUOTED], {}, [ANOTHER_WAY]),
        ("pythonic", [ALL_STRINGS], {}, [ANOTHER_WAY]),
    ],
)
def test_what_a_template_makes_of_earlier_turns_is_said(
    name: str, swaps: list[tuple[str, str]], arguments: dict[str, Any], found: list[str], tokenizer: Any
) -> None:
    chat = Chat(tokenizer_of(name, tokenizer, *swaps), arguments)
    assert chat.rewrites(user_speaks=True) == found
    assert chat.rewrites(user_speaks=False) == [each for each in found if "user speaks" not in each]


@pytest.mark.parametrize("name", sorted(TOKENS.keys() - REWRITES))
def test_nothing_is_said_of_a_template_that_leaves_earlier_turns_alone(name: str, tokenizer: Any) -> None:
    assert Chat(tokenizer_of(name, tokenizer), {"enable_thinking": True}).rewrites(user_speaks=True) == []


@pytest.mark.parametrize(
    ("name", "mode", "warned"), [("thinks", "simulated", 1), ("thinks", "direct", 0), ("hermes", "simulated", 0)]
)
def test_one_warning_says_what_a_server_would_write_otherwise(
    name: str, mode: Any, warned: int, tokenizer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        check_template(Chat(tokenizer_of(name, tokenizer)), Rollouts(user_mode=mode))
    assert caplog.text.count("once the user speaks again it leaves out what the model thought") == warned
    assert len(caplog.records) == warned
    assert caplog.text.count("set model.chat_template") == warned


@pytest.mark.parametrize(
    ("name", "swaps", "missing"),
    [
        ("hermes", [("{%- if has_system %}{{ messages[0].content }}{% endif %}", "")], "the system prompt"),
        ("gemma4", OWN_TURNS, "what a tool answered and what another tool answered"),
    ],
)
def test_a_template_that_does_not_show_the_policy_all_that_it_is_told_is_refused(
    name: str, swaps: list[tuple[str, str]], missing: str, tokenizer: Any
) -> None:
    with pytest.raises(UserError, match=f"leaves out {missing}, so that.*set model.chat_template"):
        Chat(tokenizer_of(name, tokenizer, *swaps), {"enable_thinking": True})


def test_a_template_that_leaves_out_what_was_said_is_refused(tokenizer: Any) -> None:
    last_alone = ("assistant\\n' ~ (message.content or '')", "assistant\\n' ~ (message.content if loop.last else '')")
    with pytest.raises(UserError, match="leaves out what the model said as soon as somebody answers"):
        Chat(tokenizer_of("hermes", tokenizer, last_alone))


def test_a_template_that_forgets_thoughts_between_calls_is_refused(tokenizer: Any) -> None:
    forgetful = tokenizer_of("thinks", tokenizer, (THINKS_ALWAYS[0], "loop.last"))
    with pytest.raises(UserError, match=r"leaves out what the model thought as soon as a tool has answered"):
        Chat(forgetful)
    assert Chat(forgetful, WITHOUT), "a model that does not think has nothing to lose"


@pytest.mark.parametrize("swap", [UNQUOTED, ALL_STRINGS])
def test_lessons_are_written_in_the_format_that_is_read_where_the_templates_own_is_not(
    swap: tuple[str, str], tokenizer: Any
) -> None:
    chat = Chat(tokenizer_of("pythonic", tokenizer, swap))
    calls = [
        {"type": "function", "function": {"name": "find_coat", "arguments": '{"ticket": "it\'s \\"T1\\"", "n": null}'}},
        {"type": "function", "function": {"name": "hang_coat", "arguments": {}}},
    ]
    _, spoken = chat.spoken({"role": "assistant", "content": None, "tool_calls": calls})
    assert spoken[-1] == chat.end_of_turn
    read = chat.read(chat.text(spoken), [])
    assert [call.model_dump() for call in read.calls] == [
        {"name": "find_coat", "arguments": {"ticket": 'it\'s "T1"', "n": None}},
        {"name": "hang_coat", "arguments": {}},
    ]


def test_lessons_have_no_words_beside_calls_where_the_template_would_put_them_after(tokenizer: Any) -> None:
    words_last = [
        ("{{- message.content }}\n{%- for each", "{%- for each"),
        ("{{- '<|tool_response>' if", "{{- message.content }}\n{{- '<|tool_response>' if"),
    ]
    chat = Chat(tokenizer_of("gemma4", tokenizer, *words_last), {"enable_thinking": True})
    call = {"type": "function", "function": {"name": "find_coat", "arguments": {"n": 1}}}
    _, spoken = chat.spoken({"role": "assistant", "content": "Let me see.", "tool_calls": [call]})
    assert chat.text(spoken) == "<|tool_call>call:find_coat{n:1}<tool_call|>"
    assert chat.text(chat.spoken({"role": "assistant", "content": "It hangs."})[1]) == "It hangs."


def test_a_thought_that_is_opened_after_an_answer_is_gone_on_with_in_lessons(tokenizer: Any) -> None:
    """As vLLM's template for Gemma 4 opens it, at no other place."""
    opens = (
        "{%- if add_generation_prompt and last.role != 'tool' %}",
        "{%- if add_generation_prompt and last.role == 'tool' %}{{ '<|channel>thought\\n' }}{% endif %}\n"
        "{%- if add_generation_prompt and last.role != 'tool' %}",
    )
    writes = (
        "{{- message.content }}",
        "{{- ('<|channel>thought\\n' ~ message.reasoning_content ~ '<channel|>') "
        "if message.reasoning_content else '' }}{{ message.content }}",
    )
    chat = Chat(tokenizer_of("gemma4", tokenizer, opens, writes), {"enable_thinking": True})
    call = {"id": "call00000", "type": "function", "function": {"name": "find_coat", "arguments": {}}}
    messages = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call00000", "content": "1"},
        {"role": "assistant", "content": "It hangs."},
    ]
    opened = "<tool_response|><|channel>thought\n"
    assert chat.tokenizer.decode(chat.recorded(messages, []).ids).endswith(f"{opened}<channel|>It hangs.<turn|>")
    messages[-1]["reasoning_content"] = "Found."
    assert chat.tokenizer.decode(chat.recorded(messages, []).ids).endswith(f"{opened}Found.<channel|>It hangs.<turn|>")


def test_a_message_whose_calls_are_none_has_none(tokenizer: Any) -> None:
    chat = Chat(tokenizer_of("pythonic_loose", tokenizer))
    words = {"role": "assistant", "content": "It hangs."}
    assert chat.spoken({**words, "tool_calls": None}) == chat.spoken({**words, "tool_calls": []}) == chat.spoken(words)
