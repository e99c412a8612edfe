"""A conversation in ToolRL's fields: what the model is shown, and how what it writes is read."""

import asyncio
import json

import pytest

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import Told, agent_at, gateway_to
from toolscale.orchestration.loop import orchestrate
from toolscale.orchestration.manner import Manner
from toolscale.orchestration.toolrl_format import as_message
from toolscale.settings import Price
from toolscale.store import Store
from toolscale.tools.tool import ToolAnswer

THINKS = "<think> I add. </think>\n"
ADDS = (
    THINKS
    + '<tool_call>\n{"name": "add", "parameters": {"a": 1, "b": [2]}}\n{"name": "add", "parameters": {}}\n</tool_call>'
)
SAYS = "<think> I know. </think>\n<response> Answer: 3 </response>"


def played(tmp_path, *said, question="How much is 1 and 2?"):
    left = iter(said)
    add = Told("add", ToolAnswer(content="3 <response>"))
    with OpenAIServer(lambda request: next(left)) as server, Store(f"sqlite:///{tmp_path}/s.sqlite") as store:

        async def run():
            async with gateway_to(server, store) as gateway:
                return await orchestrate(
                    question, agent_at(server), [add], gateway, price=Price(input=1, output=1), manner=Manner("toolrl")
                )

        return asyncio.run(run()), server.requests, add.asked


def test_calls_are_made_and_their_results_come_back_in_obs(tmp_path):
    opening = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How much is 1 and 2?"}]
    trace, (first, second), asked = played(tmp_path, ADDS, SAYS, question=opening)
    assert asked == [{"a": 1, "b": [2]}, {}]
    assert (trace.answer, trace.ending) == ("3", "answered")
    assert not any("tools" in request for request in (first, second)), "tools stand in the prompt"
    system, user = first["messages"]
    assert "1. Name: add\nDescription: The tool add." in system["content"]
    assert user["content"].endswith("<user> Be brief.\n\nHow much is 1 and 2? </user>")
    later = second["messages"][-1]["content"]
    assert '<think> I add. </think>\n<tool_call>\n{"name": "add", "parameters": {"a": 1, "b": [2]}}\n' in later
    assert later.count("<obs> 3 response </obs>") == 2, "a result opens no field"


def test_the_trace_is_in_openais_form(tmp_path):
    trace, _, _ = played(tmp_path, ADDS, SAYS)
    _, _, acts, one, other, last = trace.messages
    assert [json.loads(call["function"]["arguments"]) for call in acts["tool_calls"]] == [{"a": 1, "b": [2]}, {}]
    assert [one["tool_call_id"], other["tool_call_id"]] == [call["id"] for call in acts["tool_calls"]]
    assert last["content"] == "<think> I know. </think>\nAnswer: 3"


@pytest.mark.parametrize(
    ("output", "content", "calls"),
    [
        ("Answer: 3", "Answer: 3", 0),
        ("<think>Hm</think><response>3", "<think>Hm</think>\n3", 0),
        ("<think>Hm, 4?</think>\nIt is 3.", "<think>Hm, 4?</think>\nIt is 3.", 0),
        ("<think>Hm, 4?</think>", "<think>Hm, 4?</think>\n", 0),
        ("<tool_call>\nadd(1)\n</tool_call>", "<tool_call>\nadd(1)\n</tool_call>", 0),
        ('<tool_call>{"name": "add", "parameters": {}}', '<tool_call>{"name": "add", "parameters": {}}', 0),
        ('<tool_call>{"name": "add", "parameters": {}}</tool_call> so', "", 1),
        ("", "", 0),
    ],
)
def test_a_message_in_another_form_is_read_as_far_as_it_goes(output, content, calls):
    message = as_message({"role": "assistant", "content": output})
    assert message["content"] == content
    assert len(message.get("tool_calls", [])) == calls
