"""From a run of the loop to its reward: dearer and slower earns less, and the final answer costs what it says.

The official code has the sign of cost and time turned round, and its final answer is free.
"""

import pytest

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import Told, agent_at, calls, gateway_to, script
from toolscale.evaluation.results import AttemptResult
from toolscale.orchestration.loop import MAX_TURNS, orchestrate
from toolscale.rewards import final_rewards
from toolscale.settings import Price
from toolscale.tools.tool import ToolAnswer

PRICE = Price(input=1.0, output=50.0)
CHEAP = ToolAnswer(content="42", dollars=0.001, seconds=1.0)
DEAR = ToolAnswer(content="42", dollars=0.1, seconds=1.0)
SLOW = ToolAnswer(content="42", dollars=0.001, seconds=90.0)


async def vector_of(store, *said, sample=0, solved=True, **answers):
    """M of a run that says this, with tools that answer so."""
    tools = [Told(name, answers.get(name, CHEAP)) for name in ("ask_small", "ask_large")]
    with OpenAIServer(script(*said)) as server:
        async with gateway_to(server, store) as gateway:
            trace = await orchestrate("6 times 7?", agent_at(server), tools, gateway, price=PRICE, sample=sample)
    offered = [tool.spec.name for tool in tools]
    result = AttemptResult(id="q", max_turns=MAX_TURNS, solved=solved, reason="", tools=offered, trace=trace)
    return trace, result.vector()


async def test_the_final_answer_is_paid_for_to_the_token(store):
    asks = calls(("ask_small", {"question": "?"}))
    brief, of_brief = await vector_of(store, asks, "Answer: 42", sample=0)
    lengthy, of_lengthy = await vector_of(store, asks, f"{'So it is. ' * 200}\nAnswer: 42", sample=1)
    assert brief.answer == lengthy.answer == "42"
    more = lengthy.completion_tokens - brief.completion_tokens
    assert more > 100
    assert of_lengthy.dollars - of_brief.dollars == pytest.approx(more * PRICE.output / 1e6)
    assert final_rewards([of_brief, of_lengthy], [0, 0, 1, 1, 0]).tolist() == [1, 0]


@pytest.mark.parametrize(("answer", "place"), [(DEAR, 3), (SLOW, 4)])
async def test_of_two_right_runs_the_one_whose_tools_cost_or_take_less_earns_more(store, answer, place):
    wanted = [0.0, 0.0, 1.0, 0.0, 0.0]
    wanted[place] = 1.0
    _, small = await vector_of(store, calls(("ask_small", {})), "Answer: 42", sample=0)
    _, large = await vector_of(store, calls(("ask_large", {})), "Answer: 42", sample=1, ask_large=answer)
    assert final_rewards([small, large], wanted).tolist() == [1, 0]
    _, lost = await vector_of(store, "I give up.", sample=2, solved=False)
    small_now, large_now, lost_now = final_rewards([small, large, lost], wanted).tolist()
    assert small_now > large_now > lost_now == 0, "who spends nothing and fails earns nothing"


async def test_every_call_of_a_turn_counts_with_what_it_cost(store):
    both = calls(("ask_small", {}), ("ask_large", {}), ("ask_large", {}))
    trace, made = await vector_of(store, both, "Answer: 42", ask_large=DEAR)
    assert made.calls == (1, 2)
    own = (trace.prompt_tokens * PRICE.input + trace.completion_tokens * PRICE.output) / 1e6
    assert made.dollars == pytest.approx(own + CHEAP.dollars + 2 * DEAR.dollars)


def test_a_run_may_take_the_papers_fifty_turns():
    assert MAX_TURNS == 50
