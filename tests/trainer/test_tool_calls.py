"""The strict parser: what is a message, what is a call, and what breaks the format."""

import pytest

from toolscale.artifacts import Call
from trainer.rollout.tool_calls import read_message

FIND = '<tool_call>\n{"name": "find", "arguments": {"id": 1}}\n</tool_call>'


def test_words_and_calls_are_told_apart() -> None:
    message = read_message(f"Let me see.\n{FIND}\n{FIND}")
    assert message.fault is None
    assert message.content == "Let me see."
    assert message.calls == (Call(name="find", arguments={"id": 1}),) * 2


def test_thoughts_are_not_said_to_the_user_and_make_no_calls() -> None:
    message = read_message(f"<think>\nMaybe {FIND}? The code is 42.\n</think>\n\nDone.")
    assert (message.content, message.calls, message.fault) == ("Done.", (), None)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "neither words nor a call"),
        (" \n", "neither words nor a call"),
        ("<think>only this</think>", "neither words nor a call"),
        ("<think>on and on", "never closed"),
        ("Hm. <think>a</think> Done.", "words before"),
        ("<tool_call>{}", "never closed"),
        (FIND.replace("</tool_call>", "") + FIND, "never closed"),
        ("Done.</tool_call>", "without <tool_call>"),
        (FIND + "</tool_call>", "without <tool_call>"),
        (FIND + " there", "words after a call"),
        (FIND + " and " + FIND, "words after a call"),
        ("<tool_call>find(1)</tool_call>", "not JSON"),
        ('<tool_call>{"name": "find", "arguments": {"id": NaN}}</tool_call>', "NaN"),
        ('<tool_call>["find"]</tool_call>', "a list, not an object"),
        ('<tool_call>{"name": "find"}</tool_call>', "not name and arguments"),
        ('<tool_call>{"name": "find", "arguments": {}, "id": 3}</tool_call>', "not name and arguments"),
        ('<tool_call>{"name": "", "arguments": {}}</tool_call>', "names no function"),
        ('<tool_call>{"name": 3, "arguments": {}}</tool_call>', "names no function"),
        ('<tool_call>{"name": "find", "arguments": "{}"}</tool_call>', "a string, not an object"),
        ('<tool_call>{"name": "find", "arguments": null}</tool_call>', "null, not an object"),
    ],
)
def test_what_breaks_the_format_is_named_and_makes_no_call(text: str, fault: str) -> None:
    message = read_message(text)
    assert message.fault is not None
    assert fault in message.fault
    assert message.calls == ()
