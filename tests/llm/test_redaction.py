"""Keys are blotted out wherever they come back, and nothing else is."""

import pytest

from tests.llm.conftest import FOR, HELLO, KEY, Connect
from tests.openai_server import OpenAIServer, tool_call
from toolscale.llm.redaction import redacted

TOOLS = [{"type": "function", "function": {"name": "find", "parameters": {"type": "object", "properties": {}}}}]


def test_a_key_is_blotted_out_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert redacted(f"x{KEY}y {KEY}") == "x<OPENAI_API_KEY>y <OPENAI_API_KEY>"


def test_a_key_with_blanks_around_it_is_the_key_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    assert redacted(f"Bearer {KEY}") == "Bearer <OPENAI_API_KEY>"


def test_a_variable_that_is_named_is_blotted_out_like_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_PASS", KEY)
    assert redacted(f"pass {KEY}", ["DESK_PASS"]) == "pass <DESK_PASS>"
    assert redacted(f"pass {KEY}") == f"pass {KEY}"


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer none",
        '{"authorization": "none"}',
        "Incorrect API key provided: none.",
        "x-api-key: none",
        "api_key='none'",
    ],
)
def test_a_short_key_is_blotted_out_where_keys_stand(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert redacted(text) == text.replace("none", "<OPENAI_API_KEY>")


@pytest.mark.parametrize("text", ["none of them", '{"seat": "none"}', "the bearer nonetheless came", "keys: none"])
def test_a_word_that_happens_to_be_a_short_key_stays(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert redacted(text) == text


def test_the_name_of_dagsters_step_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Executors that give a step a process of its own set it, and an answer says `subjects` or `environment`."""
    monkeypatch.setenv("DAGSTER_RUN_STEP_KEY", "environment")
    assert redacted("the environment of the shop") == "the environment of the shop"


def test_of_two_keys_of_which_one_begins_like_the_other_nothing_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "abcdefgh")
    monkeypatch.setenv("OPENAI_API_KEY", "abcdefgh-ijkl")
    assert redacted("abcdefgh-ijkl abcdefgh") == "<OPENAI_API_KEY> <A_KEY>"


def test_a_variable_that_a_library_adds_later_is_known_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert redacted("another-key-1") == "another-key-1"
    monkeypatch.setenv("LATE_API_KEY", "another-key-1")
    assert redacted("another-key-1") == "<LATE_API_KEY>"


def test_a_key_that_takes_the_place_of_another_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert redacted(KEY) == "<OPENAI_API_KEY>"
    monkeypatch.setenv("OPENAI_API_KEY", "another-key-1")
    assert redacted("another-key-1") == "<OPENAI_API_KEY>"


async def test_an_answer_is_cleaned_before_the_caller_and_the_store_get_it(connect: Connect) -> None:
    echo = {
        "content": f"your key is {KEY}",
        "tool_calls": [tool_call(f"find_{KEY}", f'{{"q": "{KEY}", "{KEY}": 1}}', f"call_{KEY}")],
        "finish_reason": f"tool_calls {KEY}",
    }
    with OpenAIServer(lambda request: dict(echo)) as server:
        gateway = connect(server, prices={"openai/anything": {"input": 0, "output": 0}})
        fresh = await gateway.chat("agent", HELLO, TOOLS, **FOR)
        kept = await gateway.chat("agent", HELLO, TOOLS, **FOR)
        await gateway.close()
    assert KEY not in repr(fresh)
    assert fresh.message["content"] == "your key is <OPENAI_API_KEY>"
    assert (fresh.message, fresh.finish_reason) == (kept.message, kept.finish_reason)


async def test_an_error_has_no_cause_that_could_quote_the_key(connect: Connect) -> None:
    import traceback

    with OpenAIServer(lambda request: "hello", key="another") as server:
        gateway = connect(server, prices={"openai/anything": {"input": 0, "output": 0}})
        try:
            await gateway.text("teacher", HELLO, **FOR)
        except Exception as error:
            printed = "".join(traceback.format_exception(error))
        await gateway.close()
    assert "<OPENAI_API_KEY>" in printed
    assert KEY not in printed
