"""An output is made of its fields, whole, once and in order, or it earns nothing for its format."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewards.made import call
from toolscale.rewards.toolrl import format_reward, read_calls, read_fields
from toolscale.rewards.toolrl.fields import written_out

THINK = "<think>It is late.</think>"
CALL = '<tool_call>\n{"name": "f", "parameters": {"a": 1}}\n</tool_call>'
SAID = "<response>Done.</response>"
ALL = ("think", "tool_call", "response")


@pytest.mark.parametrize(
    ("output", "required"),
    [
        (f"{THINK}{CALL}{SAID}", ALL),
        (f"\n{THINK}\n\n{CALL}\n{SAID} \n", ALL),
        (f"{THINK}\n{CALL}", ("think", "tool_call")),
        (f"{THINK}\n{SAID}", ("response", "think")),
        (SAID, ("response",)),
        ("<think></think><response>1 < 2 and <b>bold</b></response>", ("think", "response")),
    ],
)
def test_the_required_fields_in_order_are_the_format(output, required):
    assert format_reward(output, required) == 1


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Done.",
        f"{THINK}{CALL}",  # one is missing
        f"{CALL}{SAID}",
        f"{CALL}{THINK}{SAID}",  # out of order
        f"{THINK}{SAID}{CALL}",
        f"{THINK}{CALL}{SAID}{SAID}",  # one twice
        f"{THINK}{THINK}{CALL}{SAID}",
        f"So: {THINK}{CALL}{SAID}",  # words outside
        f"{THINK} and {CALL}{SAID}",
        f"{THINK}{CALL}{SAID} Bye.",
        f"{THINK}{CALL}<response>Done.",  # not closed
        f"<think>It is late.{CALL}{SAID}",
        f"It is late.</think>{CALL}{SAID}",
        f"<think>{CALL}</think>{SAID}",  # one inside another
        f"{THINK}{CALL}<response>Done.</think>",  # closed by another
        f"{THINK.upper()}{CALL}{SAID}",
    ],
)
def test_anything_else_is_not(output):
    assert format_reward(output, ALL) == 0


def test_a_field_that_was_not_required_breaks_the_format():
    assert format_reward(f"{THINK}{CALL}{SAID}", ("think", "response")) == 0


def test_calls_are_read_one_on_each_line():
    lines = '{"name": "f", "parameters": {"a": "x\u2028y"}}\n\n {"name": "g", "parameters": {}, "id": 7}'
    assert read_calls(f"<tool_call>\n{lines}\n</tool_call>") == [call("f", a="x\u2028y"), call("g")]


def test_calls_are_read_where_the_format_is_wrong():
    assert read_calls(f"Well. {CALL} So.") == [call("f", a=1)]
    assert read_calls(CALL + CALL) == [call("f", a=1)] * 2
    assert read_calls(f"{THINK}{SAID}") == []


@pytest.mark.parametrize(
    "inside",
    [
        "f(a=1)",
        '{"name": "f"}',
        '{"name": "f", "parameters": [1]}',
        '{"name": 1, "parameters": {}}',
        '{"name": "f", "parameters": {"a": NaN}}',
        '[{"name": "f", "parameters": {}}]',
        '{"name": "f", "parameters": {}}\nand more',
        '{"name": "f",\n"parameters": {}}',
        "[" * 100_000,
    ],
)
def test_a_line_that_is_no_call_is_an_error(inside):
    with pytest.raises(ValueError, match=r"."):
        read_calls(f"<tool_call>\n{inside}\n</tool_call>")


def test_a_tool_call_that_is_not_closed_is_an_error():
    with pytest.raises(ValueError, match="not closed"):
        read_calls('<tool_call>{"name": "f", "parameters": {}}')


def chat(*calls, **values):
    tool_calls = [
        {"id": str(at), "type": "function", "function": {"name": each.name, "arguments": json.dumps(each.arguments)}}
        for at, each in enumerate(calls)
    ]
    return {"role": "assistant", **values, **({"tool_calls": tool_calls} if calls else {})}


def test_a_chat_message_has_its_fields_wherever_the_server_puts_its_thoughts():
    apart = chat(call("f", a=1), content="Done.", reasoning_content="It is late.")
    inside = chat(call("f", a=1), content="\n<think>It is late.</think>Done.")
    for message in (apart, inside):
        assert read_fields(written_out(message)) == {
            "think": "It is late.",
            "tool_call": '\n{"name": "f", "parameters": {"a": 1}}\n',
            "response": "Done.",
        }
    assert read_fields(written_out(chat(content="Done."))) == {"response": "Done."}
    assert read_fields(written_out(chat(call("f"), content=None))) == {
        "tool_call": '\n{"name": "f", "parameters": {}}\n'
    }


@pytest.mark.parametrize(
    "content", ["<tool_call>f(</tool_call>", "<think>It is", "So.<think>Late.</think>", "Done.</response>"]
)
def test_tags_that_no_parser_took_out_break_the_format(content):
    assert read_fields(written_out(chat(content=content))) is None


words = st.sampled_from(
    ["<think>", "</think>", "<tool_call>", "</tool_call>", "<response>", "</response>", " ", "\n", "x", "{", '{"name":']
)
outputs = st.lists(words, max_size=12).map("".join) | st.text(max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
calls = st.builds(
    lambda name, arguments: call(name, **arguments),
    st.text(max_size=4),
    st.dictionaries(st.text(max_size=3), values, max_size=2),
)


@given(outputs)
def test_whatever_is_read_as_fields_can_be_put_together_again(output):
    fields = read_fields(output)
    if fields is not None:
        together = "".join(f"<{name}>{text}</{name}>" for name, text in fields.items())
        assert "".join(together.split()) == "".join(output.split())
        assert list(fields) == [name for name in ALL if name in fields]


@given(outputs)
def test_calls_are_read_or_refused_and_nothing_else(output):
    try:
        found = read_calls(output)
    except ValueError:
        return
    assert len(found) <= output.count('{"name":')


@given(st.lists(calls, min_size=1, max_size=3))
def test_the_calls_of_a_chat_message_are_those_that_are_read_from_its_fields(made):
    assert read_calls(written_out(chat(*made, content=None))) == made
