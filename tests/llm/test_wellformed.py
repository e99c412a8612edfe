"""What a model says can always be written down: no half of a surrogate pair gets past the gateway."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.llm.conftest import FOR, HELLO, Connect
from tests.openai_server import Fault, OpenAIServer
from toolscale.llm import BadRequest
from toolscale.llm.wellformed import well_formed, well_formed_value

ANY = st.text(st.characters() | st.characters(categories=["Cs"]))
"""Any Python string, also one that has no encoding."""


@given(ANY)
def test_every_text_can_be_encoded_and_one_that_could_be_is_unchanged(text: str) -> None:
    mended = well_formed(text)
    assert mended.encode().decode() == mended
    assert well_formed(mended) == mended
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert mended == text


def test_halves_that_belong_together_are_joined_and_those_alone_replaced() -> None:
    assert well_formed("\ud83d\ude47") == "🙇"
    assert well_formed("a\ud83d \ude47b") == "a\ufffd \ufffdb"
    assert well_formed_value({"\udc00": ["\ud800", 1.5, None]}) == {"\ufffd": ["\ufffd", 1.5, None]}


class Loose(BaseModel):
    records: dict[str, object]


async def test_typed_answers_carry_no_escaped_halves(connect: Connect) -> None:
    with OpenAIServer(lambda request: '{"records": {"\\ud800": "x\\udc00", "deep": "[\\"\\\\ud800\\"]"}}') as server:
        answer = await connect(server).typed("teacher", HELLO, Loose, **FOR)
    assert answer.records == {"\ufffd": "x\ufffd", "deep": '["\\ud800"]'}


async def test_an_endpoint_that_complains_in_such_text_is_recorded_all_the_same(connect: Connect) -> None:
    with OpenAIServer(lambda request: "never") as server:
        server.faults.append(Fault(status=400, body='{"error": {"message": "bad \\ud800 text", "type": "x"}}'))
        with pytest.raises(BadRequest, match="bad \ufffd text"):
            async with asyncio.timeout(30):
                await connect(server).text("teacher", HELLO, **FOR)
