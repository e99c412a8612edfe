"""A request in parts: nothing of it is lost, and nothing stands in the store twice."""

import asyncio
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.store.calls import call
from tests.store.old import FORM, TOOLS, conversation
from toolscale.store import ModelCall, RequestPart, Store, ToolList
from toolscale.store.requests import divide, references, whole

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
MESSAGES = st.lists(st.dictionaries(st.text(max_size=8), JSON, max_size=4), max_size=5)
PARAMS = st.dictionaries(st.text(max_size=8), JSON | st.text(min_size=190, max_size=230), max_size=4)


@given(MESSAGES, PARAMS)
def test_a_divided_request_is_whole_again(messages, params):
    kept, parts = divide(messages, params)
    assert whole(kept, parts) == {"messages": messages, "params": params}
    assert set(references(kept)) == parts.keys()


async def test_a_call_gives_its_request_back_whole(store: Store) -> None:
    said, params = conversation(5), {"seed": 7, "temperature": 0.25, "response_format": FORM}
    await store.save_call(call("k", tools="t"), said, params, ToolList(hash="t", tools=json.dumps(TOOLS)))
    await store.save_call(call("plain"), said[:1], {"seed": 7})
    by_key = {row.key: store.request_of(row) for row in store.rows(ModelCall)}
    assert by_key == {
        "k": {"messages": said, "params": params, "tools": TOOLS},
        "plain": {"messages": said[:1], "params": {"seed": 7}, "tools": None},
    }


async def test_a_conversation_takes_the_room_of_its_messages_not_of_their_repetitions(store: Store) -> None:
    said = conversation(60)
    for turns in range(1, 61):
        await store.save_call(call(f"k{turns}"), said[:turns], {"seed": turns, "response_format": FORM})
    parts = store.rows(RequestPart)
    assert len(parts) == 60 + 1
    assert sorted(len(part.body) for part in parts)[-1] < 600
    assert store.request_of(store.rows(ModelCall, key="k60")[0])["messages"] == said


async def test_parts_that_another_program_removed_are_written_again(database: str) -> None:
    with Store(database) as ours, Store(database) as theirs:
        await ours.save_call(call("a"), conversation(2), {})
        with theirs.engine.begin() as connection:
            connection.exec_driver_sql("delete from request_part")
        await ours.save_call(call("b"), conversation(2), {})
        assert ours.request_of(ours.rows(ModelCall, key="b")[0])["messages"] == conversation(2)


async def test_a_sentence_that_every_call_repeats_stands_in_the_file_once(file: Path) -> None:
    said = [{"role": "user", "content": "take me to Leeds"}, *conversation(30)]
    with Store(f"sqlite:///{file}") as store:
        for turns in range(1, 31):
            await store.save_call(call(f"k{turns}"), said[:turns], {})
    assert await asyncio.to_thread(lambda: file.read_bytes().count(b"take me to Leeds")) == 1
