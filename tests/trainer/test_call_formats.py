"""Every format of calls: ids are only appended to, what was called is what is read, and nothing is forgiven."""

import sys
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolscale.errors import UserError
from trainer.config import Model
from trainer.rollout.call_formats import FORMATS
from trainer.rollout.chat import Chat

from .formats import REWRITES, TOKENS, tokenizer_of

pytest.importorskip("vllm", reason="formats beside Hermes' are read by vLLM's parsers")

PROPERTIES = {
    "text": {"type": "string"},
    "count": {"type": "integer"},
    "share": {"type": "number"},
    "flag": {"type": "boolean"},
    "many": {"type": "array", "items": {"type": "string"}},
    "more": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}},
}
TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "description": "D.", "parameters": {"type": "object", "properties": PROPERTIES}},
    }
    for name in ("find_coat", "hang_coat")
]
CHATS = sorted(TOKENS)
ONE_CALL = "llama3_json"


@pytest.fixture(scope="module")
def chats(tokenizer: Any) -> dict[str, Chat]:
    arguments: dict[str, Any] = {"gemma4": {"enable_thinking": True}}
    return {name: Chat(tokenizer_of(name, tokenizer), arguments.get(name)) for name in CHATS}


anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
"""What users and tools say."""
plain = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>[]{}|@"), min_size=1, max_size=20)
"""What an agent says, without what its format has a meaning for."""
words = plain.map(str.strip).filter(bool)
values = {
    "text": plain,
    "count": st.integers(-(10**9), 10**9),
    "share": st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: round(number, 3)),
    "flag": st.booleans(),
    "many": st.lists(plain, max_size=3),
    "more": st.fixed_dictionaries({}, optional={"a": st.integers(0, 9), "b": plain}),
}


@st.composite
def called(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(sorted(values)), unique=True))
    arguments = {name: draw(values[name]) for name in names}
    return {"name": draw(st.sampled_from(["find_coat", "hang_coat"])), "arguments": arguments}


@st.composite
def conversations(draw: st.DrawFn, most_calls: int, words_beside: bool) -> list[dict[str, Any]]:
    """System and user, then calls and their answers, or words and what the user says to them, and words at last."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": draw(words)},
        {"role": "user", "content": draw(anything)},
    ]
    for _ in range(draw(st.integers(0, 3))):
        if calls := draw(st.lists(called(), max_size=most_calls)):
            made = [{"id": f"call{place:05}", "type": "function", "function": each} for place, each in enumerate(calls)]
            content = draw(words | st.just("")) if words_beside else ""
            messages.append({"role": "assistant", "content": content, "tool_calls": made})
            messages += [{"role": "tool", "tool_call_id": each["id"], "content": draw(anything)} for each in made]
        else:
            messages.append({"role": "assistant", "content": draw(words)})
            messages.append({"role": "user", "content": draw(anything)})
    return [*messages, {"role": "assistant", "content": draw(words)}]


def spans(chat: Chat, messages: list[dict[str, Any]]) -> tuple[list[int], list[list[int]]]:
    """The conversation's ids, and those of each message of the agent."""
    sequence, found = chat.recorded(messages, TOOLS), []
    before = False
    for token, mine in zip(sequence.ids, sequence.sampled, strict=True):
        if mine and not before:
            found.append([])
        if mine:
            found[-1].append(token)
        before = mine
    return sequence.ids, found


def hold(name: str, chat: Chat, data: st.DataObject) -> None:
    """See that ids are only appended to, and that what is read is what was called."""
    beside = name not in ("llama3_json", "pythonic", "pythonic_loose", "mistral_list", "mistral_moving")
    messages = data.draw(conversations(1 if name == ONE_CALL else 3, beside))
    ids, said = spans(chat, messages)
    agents = [place for place, message in enumerate(messages) if message["role"] == "assistant"]
    assert len(said) == len(agents)
    for place in agents:
        earlier = chat.recorded(messages[: place + 1], TOOLS).ids
        assert ids[: len(earlier)] == earlier
    for spoken, place in zip(said, agents, strict=True):
        read = chat.read(chat.text(spoken), TOOLS)
        assert read.fault is None
        assert read.content == messages[place]["content"]
        made = [each["function"] for each in messages[place].get("tool_calls", [])]
        assert [call.model_dump() for call in read.calls] == made
    if name not in REWRITES:
        told = [chat._told(each) if each["role"] in ("user", "tool") else each for each in messages]
        written = chat.tokenizer.apply_chat_template(told, tools=TOOLS, tokenize=False, enable_thinking=True)
        assert written.startswith(chat.tokenizer.decode(ids))


def patient(examples: int) -> Any:
    return settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", CHATS)
@patient(60)
@given(data=st.data())
def test_ids_are_only_appended_to_and_what_is_read_is_what_was_called(
    name: str, chats: dict[str, Chat], data: st.DataObject
) -> None:
    hold(name, chats[name], data)


@pytest.mark.vllm
@pytest.mark.parametrize("name", CHATS)
@patient(1000)
@given(data=st.data())
def test_so_they_are_over_a_thousand_conversations(name: str, chats: dict[str, Chat], data: st.DataObject) -> None:
    hold(name, chats[name], data)


@pytest.mark.parametrize("name", CHATS)
@patient(60)
@given(data=st.data())
def test_what_was_sampled_stays_whatever_it_is(name: str, chats: dict[str, Chat], data: st.DataObject) -> None:
    """Ids that no tokenizer would have made of their text are not made anew."""
    chat = chats[name]
    ids = chat.opening([{"role": "user", "content": data.draw(anything)}], TOOLS)
    kept: list[tuple[int, list[int]]] = []
    for _ in range(data.draw(st.integers(1, 3))):
        sampled = data.draw(st.lists(st.integers(3, 600), min_size=1, max_size=12))
        kept.append((len(ids), sampled))
        heard = {
            "role": data.draw(st.sampled_from(["tool", "user"])),
            "tool_call_id": "call00000",
            "content": data.draw(anything),
        }
        ids = [*ids, *sampled, *chat.after(sampled, [heard])]
    for start, sampled in kept:
        assert ids[start : start + len(sampled)] == sampled


def call(**arguments: Any) -> dict[str, Any]:
    return {"name": "find_coat", "arguments": arguments}


XML = "<tool_call>\n<function=find_coat>\n<parameter=text>\nT1\n</parameter>\n</function>\n</tool_call>"
GEMMA = '<|tool_call>call:find_coat{text:<|"|>T1<|"|>}<tool_call|>'


@pytest.mark.parametrize(
    ("name", "text", "content", "calls"),
    [
        ("qwen3_coder", f"Let me see.\n{XML}\n{XML}", "Let me see.", [call(text="T1")] * 2),
        ("qwen3_coder", f"<think>\nHm, {XML}?\n</think>\n\nDone.", "Done.", []),
        ("llama3_json", '<|python_tag|>{"name": "find_coat", "parameters": {"count": 3}}', "", [call(count=3)]),
        ("llama3_json", '{"type": "function", "name": "find_coat", "parameters": {}}', "", [call()]),
        ("llama3_json", 'The set {"name"} is empty.', 'The set {"name"} is empty.', []),
        ("pythonic", "[find_coat(text='T1', flag=True), find_coat()]", "", [call(text="T1", flag=True), call()]),
        ("pythonic", "[1] is a footnote.", "[1] is a footnote.", []),
        ("mistral", '[THINK]Hm.[/THINK]Wait.[TOOL_CALLS]find_coat[ARGS]{"count": 3}', "Wait.", [call(count=3)]),
        ("mistral_list", '[TOOL_CALLS] [{"name": "find_coat", "arguments": {}, "id": "a1b2c3d4e"}]', "", [call()]),
        ("gemma4", f"<|channel>thought\nHm.<channel|>{GEMMA}", "", [call(text="T1")]),
    ],
)
def test_messages_are_read_as_their_models_write_them(
    name: str, text: str, content: str, calls: list[dict[str, Any]], chats: dict[str, Chat]
) -> None:
    read = chats[name].read(text, TOOLS)
    assert read.fault is None
    assert read.content == content
    assert [each.model_dump() for each in read.calls] == calls


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("qwen3_coder", XML + " there", "words after a call"),
        ("qwen3_coder", "<tool_call>" + XML, "never closed"),
        ("qwen3_coder", XML.removesuffix("</tool_call>"), "never closed"),
        ("qwen3_coder", XML.replace("</function>", ""), "not one <function=NAME>"),
        ("qwen3_coder", XML.replace("</parameter>", ""), "not <parameter=NAME>"),
        ("qwen3_coder", XML.replace("T1", "T1</parameter>"), "without <parameter=NAME>"),
        ("qwen3_coder", '<tool_call>\n{"name": "find_coat", "arguments": {}}\n</tool_call>', "not one <function=NAME>"),
        ("qwen3_coder", "<think>on and on", "never closed"),
        ("llama3_json", '{"name": "find_coat", "parameters": {}} there', "words"),
        ("llama3_json", '{"name": "find_coat", "parameters": {}', "not JSON"),
        ("llama3_json", '{"name": "find_coat"}', "not an object of name and parameters"),
        ("llama3_json", '{"name": "find_coat", "parameters": []}', "not an object"),
        ("llama3_json", '{"name": "find_coat", "parameters": {"share": NaN}}', "not JSON"),
        ("llama3_json", "Hm. <|python_tag|>{}", "not JSON"),
        ("llama3_json", "; ".join(['{"name": "find_coat", "parameters": {}}'] * 2), "writes one"),
        ("pythonic", "[find_coat()] there", "not a Python list"),
        ("pythonic", "[find_coat(]", "not a Python list"),
        ("pythonic", '[find_coat("T1")]', "arguments by name"),
        ("pythonic", "[find_coat(text=ticket)]", "reads 0"),
        ("mistral", '[TOOL_CALLS]find_coat[ARGS]{"count": 3} there', "not NAME"),
        ("mistral", '[TOOL_CALLS]find_coat[ARGS]{"count"}', "not JSON"),
        ("mistral", "[TOOL_CALLS]", "not NAME"),
        ("mistral_list", '[TOOL_CALLS] [{"name": "find_coat", "arguments": {}}] there', "not JSON"),
        ("mistral_list", '[TOOL_CALLS] [{"name": "find_coat"}]', "name and arguments"),
        ("mistral_list", "[TOOL_CALLS] []", "name and arguments"),
        ("gemma4", GEMMA + " there", "words after a call"),
        ("gemma4", GEMMA.removesuffix("<tool_call|>"), "never closed"),
        ("gemma4", "", "neither words nor a call"),
    ],
)
def test_what_vllms_parsers_forgive_breaks_the_format(name: str, text: str, fault: str, chats: dict[str, Chat]) -> None:
    read = chats[name].read(text, TOOLS)
    assert fault in (read.fault or "")
    assert read.calls == ()


@pytest.mark.parametrize("name", CHATS)
@patient(60)
@given(data=st.data())
def test_nothing_that_is_sampled_ends_a_training(name: str, chats: dict[str, Chat], data: st.DataObject) -> None:
    """Messages of a format's own marks, in any order."""
    chat = chats[name]
    marks = [
        *TOKENS[name],
        "<tool_call>",
        "</tool_call>",
        "<think>",
        "</think>",
        "[find_coat(",
        '{"name": ',
        XML,
        "]",
        "}",
        "x",
    ]
    read = chat.read("".join(data.draw(st.lists(st.sampled_from(marks), max_size=8))), TOOLS)
    assert read.fault is None or read.calls == ()


def test_the_format_is_the_one_that_the_template_writes(chats: dict[str, Chat]) -> None:
    found = {name: chat.form.name for name, chat in chats.items()}
    assert found == {name: name for name in CHATS} | {
        "thinks": "hermes",
        "mistral_list": "mistral",
        "mistral_moving": "mistral",
        "pythonic_loose": "pythonic",
    }


@pytest.mark.parametrize(
    ("name", "asked", "complaint"),
    [
        ("qwen3_coder", "hermes", "which the format hermes reads as a call is not JSON"),
        ("hermes", "qwen3_coder", "which the format qwen3_coder reads as a call is not one <function=NAME>"),
        ("hermes", "pythonic", "which the format pythonic reads as words"),
        ("hermes", "gemma4", r"ends calls with <\|tool_response>, which is no token"),
        ("hermes", "mistral", "the tokenizer does not fit the format mistral"),
    ],
)
def test_a_format_that_the_model_does_not_write_is_refused(
    name: str, asked: str, complaint: str, tokenizer: Any
) -> None:
    with pytest.raises(UserError, match=complaint):
        Chat(tokenizer_of(name, tokenizer), tool_calls=asked)


def test_without_vllm_one_sentence_says_what_reads_calls(tokenizer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm.tool_parsers", None)
    with pytest.raises(UserError, match=r"format qwen3_coder are read by vLLM's parser, which is not installed here"):
        Chat(tokenizer_of("qwen3_coder", tokenizer))
    Chat(tokenizer_of("hermes", tokenizer))


def test_settings_name_every_format() -> None:
    assert set(get_args(Model.model_fields["tool_calls"].annotation)) == {"auto", *FORMATS}


def test_answers_name_the_function_that_gave_them_where_the_template_does(chats: dict[str, Chat]) -> None:
    chat = chats["gemma4"]
    said = {"role": "assistant", "content": None, "tool_calls": [{"id": "x", "type": "function", "function": call()}]}
    ids = chat.after([chat.end_of_calls], [{"role": "tool", "tool_call_id": "x", "content": "T1"}], said)
    assert chat.tokenizer.decode(ids) == 'response:find_coat{value:<|"|>T1<|"|>}<tool_response|>'
