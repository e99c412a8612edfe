"""The loop ends as it should, counts everything, and goes on where it was stopped."""

import asyncio
import json

import pytest

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import Told, agent_at, calls, gateway_to, script
from toolscale.errors import UserError
from toolscale.llm import RetriesExhausted
from toolscale.orchestration.loop import orchestrate
from toolscale.orchestration.run import Said, final_answer
from toolscale.orchestration.trace import ToolCall
from toolscale.settings import Price
from toolscale.tools.tool import ToolAnswer

PRICE = Price(input=2.0, output=4.0)
SEARCHED = ToolAnswer(content="It is 330 m high.", dollars=0.01, seconds=3.0, prompt_tokens=7, completion_tokens=5)
ASKED = ToolAnswer(content="Built in 1889.", dollars=0.02, seconds=5.0)


async def run(server, store, tools, *, question="How high and how old?", settings=None, **given):
    async with gateway_to(server, store, **(settings or {})) as gateway:
        return await orchestrate(question, agent_at(server), tools, gateway, price=PRICE, **given)


async def test_every_token_of_orchestrator_and_tools_is_in_the_cost(store):
    tools = [Told("web_search", SEARCHED), Told("expert", ASKED)]
    says = script(calls(("web_search", {"query": "tower"}), ("expert", {"question": "age?"})), "Thus.\nAnswer: 330 m")
    with OpenAIServer(says) as server:
        trace = await run(server, store, tools, id="q1")
    assert (trace.id, trace.model, trace.ending, trace.answer) == ("q1", "openai/agent", "answered", "330 m")
    own = (trace.prompt_tokens * 2.0 + trace.completion_tokens * 4.0) / 1e6
    assert trace.dollars == pytest.approx(own + 0.03)
    ledger = {line.name: line for line in store.cost_by("stage")}["orchestration"]
    assert (trace.prompt_tokens, trace.completion_tokens) == (ledger.prompt_tokens, ledger.completion_tokens)
    assert ledger.calls == 2
    assert [call.tool for call in trace.calls] == ["web_search", "expert"]
    assert trace.times_called("expert") == 1
    roles = [message["role"] for message in trace.messages]
    assert roles == ["system", "user", "assistant", "tool", "tool", "assistant"]
    assert [m["content"] for m in trace.messages if m["role"] == "tool"] == ["It is 330 m high.", "Built in 1889."]


async def test_the_orchestrator_is_offered_the_tools_and_told_the_question(store):
    with OpenAIServer(script("Answer: 1")) as server:
        await run(server, store, [Told("expert", ASKED)], question="How old?")
    (request,) = server.requests
    assert [tool["function"]["name"] for tool in request["tools"]] == ["expert"]
    assert "How old?" in request["messages"][-1]["content"]


async def test_reads_of_one_turn_go_out_together_and_take_the_time_of_the_slowest(store):
    both = asyncio.Barrier(2)  # neither returns before the other has begun
    tools = [Told("web_search", SEARCHED, before=both.wait), Told("expert", ASKED, before=both.wait)]
    with OpenAIServer(script(calls(("web_search", {}), ("expert", {})), "Answer: x")) as server:
        trace = await run(server, store, tools)
    assert [call.answer.error for call in trace.calls] == [None, None]
    assert 5.0 <= trace.seconds < 8.0


async def test_a_write_waits_for_what_stands_before_it_and_is_waited_for(store):
    order = []

    def told(name, *, writes=False, seconds=1.0):
        async def before():
            order.append(f"{name} begins")
            await asyncio.sleep(0.02)
            order.append(f"{name} ends")

        return Told(name, ToolAnswer(content="done", seconds=seconds), writes=writes, before=before)

    tools = [told("look"), told("pay", writes=True), told("check")]
    with OpenAIServer(script(calls(("look", {}), ("pay", {}), ("check", {})), "Answer: x")) as server:
        trace = await run(server, store, tools)
    assert order == [f"{name} {what}" for name in ("look", "pay", "check") for what in ("begins", "ends")]
    assert trace.seconds >= 3.0


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        (("oracle", {}), "there is no tool `oracle`: use expert"),
        (("expert", '{"question": '), "the arguments are not JSON"),
        (("expert", "[1]"), "the arguments are a list, not an object"),
        (("expert", "[" * 200_000), "nest"),
        (("", {}), "there is no tool ``"),
    ],
)
async def test_a_call_that_cannot_be_made_is_answered_with_the_reason_and_counted(store, asked, complaint):
    expert = Told("expert", ASKED)
    with OpenAIServer(script(calls(asked), "Answer: x")) as server:
        trace = await run(server, store, [expert])
    (call,) = trace.calls
    assert complaint in call.answer.error
    assert expert.asked == []
    assert trace.ending == "answered"
    told_back = server.requests[-1]["messages"]
    assert complaint in told_back[-1]["content"]
    for sent in told_back[-2]["tool_calls"]:
        assert isinstance(json.loads(sent["function"]["arguments"]), dict), "endpoints refuse anything else"


async def test_endless_calling_ends_at_the_turn_limit(store):
    expert = Told("expert", ASKED)
    with OpenAIServer(script(calls(("expert", {"question": "again"})))) as server:
        trace = await run(server, store, [expert], max_turns=4)
    assert (trace.ending, trace.answer) == ("turn_limit", "")
    assert len(server.requests) == len(expert.asked) == len(trace.calls) == 4
    assert [call.turn for call in trace.calls] == [1, 2, 3, 4]


async def test_no_turn_begins_once_the_run_has_cost_what_it_may(store):
    expert = Told("expert", ToolAnswer(content="hm", dollars=0.4))
    with OpenAIServer(script(calls(("expert", {})))) as server:
        trace = await run(server, store, [expert], max_dollars=1.0)
    assert trace.ending == "budget"
    assert len(trace.calls) == 3
    assert 1.2 <= trace.dollars < 1.3


async def test_a_spent_budget_of_the_gateway_ends_the_run_and_keeps_what_there_is(store):
    with OpenAIServer(script(calls(("expert", {})))) as server:
        trace = await run(server, store, [Told("expert", ASKED)], settings={"max_calls": 2})
    assert trace.ending == "budget"
    assert len(trace.calls) == 2
    assert trace.dollars > 0.04


@pytest.mark.parametrize("said", [{"content": None, "refusal": "no"}, "", "<think>hm</think>"])
async def test_an_orchestrator_that_says_nothing_has_not_answered(store, said):
    with OpenAIServer(script(said)) as server:
        trace = await run(server, store, [])
    assert (trace.ending, trace.answer) == ("agent_error", "")


async def test_an_endpoint_that_fails_is_nobodys_answer(store):
    with OpenAIServer(script("Answer: x")) as server:
        server.faults.extend([500] * 3)
        with pytest.raises(RetriesExhausted):
            await run(server, store, [], settings={"retries": 2})


async def test_a_run_made_again_asks_nobody_and_is_the_same(store):
    with OpenAIServer(script(calls(("expert", {})), "Answer: x")) as server:
        first = await run(server, store, [Told("expert", ASKED)])
        again = await run(server, store, [Told("expert", ASKED)])
        assert len(server.requests) == 2
        other = await run(server, store, [Told("expert", ASKED)], sample=1)
        assert len(server.requests) == 4
    assert again == first
    assert first.seconds > ASKED.seconds, "an answer out of the store takes what it took when it was given"
    assert other.messages == first.messages


async def test_a_stopped_run_goes_on_where_it_was_and_asks_no_tool_again(store, tmp_path):
    file = tmp_path / "traces" / "one.jsonl"
    says = script(calls(("search", {"query": 1})), calls(("search", {"query": 2}), ("run", {})), "Answer: x")
    search = Told("search", SEARCHED, kind="web_search")
    state = Told("run", ASKED, kind="code_interpreter")
    with OpenAIServer(says) as server:
        stopped = await run(server, store, [search, state], trace=file, max_turns=2)
        assert (stopped.ending, len(search.asked), len(state.asked)) == ("turn_limit", 2, 1)
        with file.open("a") as cut:
            cut.write('{"turn": 3, "mess')  # a kill in the middle of a line
        heard = []
        whole = await run(server, store, [search, state], trace=file, heard=heard.append)
        assert len(server.requests) == 3
        assert len(search.asked) == 2, "what was found is in the file"
        assert len(state.asked) == 2, "what code defined is not, so it runs again"
        again = await run(server, store, [search, state], trace=file)
    assert (whole.ending, whole.answer) == ("answered", "x")
    assert again == whole
    assert [type(event) for event in heard] == [Said, ToolCall, Said, ToolCall, ToolCall, Said]
    assert heard[-1].dollars == pytest.approx(whole.dollars)


async def test_a_trace_of_another_run_is_refused(store, tmp_path):
    file = tmp_path / "one.jsonl"
    with OpenAIServer(script("Answer: x")) as server:
        await run(server, store, [Told("expert", ASKED)], trace=file)
        with pytest.raises(UserError, match=r"another run \(its messages differ"):
            await run(server, store, [Told("expert", ASKED)], trace=file, question="Something else?")
        with pytest.raises(UserError, match=r"another run \(its tools differ"):
            await run(server, store, [Told("search", SEARCHED)], trace=file)
        file.write_text("not a trace\n")
        with pytest.raises(UserError, match="not a trace"):
            await run(server, store, [], trace=file)


async def test_two_tools_of_one_name_are_refused(store):
    with OpenAIServer(script("Answer: x")) as server:
        with pytest.raises(UserError, match="same name"):
            await run(server, store, [Told("expert", ASKED), Told("expert", ASKED)])
        assert not server.requests


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Paris", "Paris"),
        ("I looked.\nAnswer: Paris", "Paris"),
        ("Answer: no, wait.\n**Answer:** Paris", "Paris"),
        ("<think>Answer: Rome</think>\nParis", "Paris"),
        ("The answer: is hard.\nANSWER:\nParis\nFrance", "Paris\nFrance"),
        ("My answer is Paris", "My answer is Paris"),
    ],
)
def test_the_answer_is_what_stands_after_the_last_answer_mark(said, answer):
    assert final_answer({"role": "assistant", "content": said}) == answer
