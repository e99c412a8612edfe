"""What a trajectory took is all that the agent's model calls took, the final answer's among them."""

import pytest

from tests.openai_server import OpenAIServer, tool_call
from tests.rewards.made import trajectory, vector
from tests.store.calls import call as ledger_call
from tests.synthesis.shop import environment
from toolscale.artifacts import Instructions, Task, UserScenario
from toolscale.environment import Sandbox
from toolscale.episodes.episode import run_episode
from toolscale.episodes.user import DONE
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.rewards import final_rewards
from toolscale.rewards.spending import dollars_at, spent
from toolscale.settings import Price, Settings

TASK = Task(
    id="t",
    domain="shop",
    user_scenario=UserScenario(instructions=Instructions(domain="shop", reason_for_call="Cancel order O-1.")),
)
ASSISTANT = {"role": "assistant", "content": "So it is."}
PRICE = Price(input=3, output=60)


def rambling(words):
    """An agent that looks the order up and then answers in so many words."""

    def behaviour(request):
        if request["messages"][-1]["role"] == "tool":
            return "word " * words
        return {"tool_calls": [tool_call("get_order", '{"order_id": "O-1"}')]}

    return behaviour


async def play(store, behaviour, attempt=0, **options):
    with OpenAIServer(behaviour) as server, Sandbox(environment()) as sandbox:
        settings = Settings(
            default_model="openai/agent",
            default_api_base=server.url,
            prices={"openai/agent": PRICE.model_dump()},
            retries=0,
        )
        return await run_episode(TASK, sandbox, Gateway(settings, store), attempt=attempt, **options)


async def test_the_final_answer_is_paid_for(store):
    """The official code's is free: there, of two rollouts that differ in it alone, both cost the same."""
    brief = await play(store, rambling(2), attempt=0)
    lengthy = await play(store, rambling(400), attempt=1)
    assert [outcome.name for outcome in brief.calls] == [outcome.name for outcome in lengthy.calls]
    little, much = spent(store, brief), spent(store, lengthy)
    assert much.dollars > little.dollars > 0
    group = [vector(1, dollars=each.dollars) for each in (little, much)]
    assert final_rewards(group, [0, 1, 1, 0]).tolist() == [1, 0]
    assert dollars_at(lengthy, PRICE) > dollars_at(brief, PRICE)


async def test_the_ledgers_dollars_are_those_of_the_trajectorys_tokens(store):
    played = await play(store, rambling(30))
    dollars = (played.prompt_tokens * 3 + played.completion_tokens * 60) / 1e6
    assert spent(store, played).dollars == pytest.approx(dollars)
    assert dollars_at(played, PRICE) == pytest.approx(dollars)
    assert spent(store, played).seconds > 0


async def test_the_users_model_is_not_the_agents_expense(store):
    def behaviour(request):
        if "Stage: user" in request["messages"][0]["content"]:
            heard = [message for message in request["messages"] if message["role"] == "user"]
            return "Cancel order O-1." if len(heard) == 1 else DONE
        return rambling(5)(request)

    played = await play(store, behaviour, user_mode="simulated", max_turns=2)
    assert spent(store, played).dollars == pytest.approx(dollars_at(played, PRICE))


async def test_dollars_and_seconds_are_sums_over_the_attempts_own_calls(store):
    own = {"task": "t", "dollars": 0.5}
    await store.save(ledger_call("1", **own), ledger_call("2", **own))
    await store.save(
        ledger_call("of another task", task="u", dollars=8.0),
        ledger_call("of the user", **own, role="user"),
        ledger_call("of another stage", **own, stage="pricing"),
        ledger_call("that failed", **own, status="TimedOut"),
    )
    assert spent(store, trajectory(messages=[ASSISTANT, ASSISTANT])) == (1.0, 0.2)


async def test_a_ledger_without_a_call_for_each_message_is_refused(store):
    await store.save(ledger_call("1", task="t"))
    with pytest.raises(UserError, match=r"wrote 2 messages, and the ledger at .* has 1 calls"):
        spent(store, trajectory(messages=[ASSISTANT, ASSISTANT]))
    with pytest.raises(UserError, match=r"attempt 3 at t: .* has 0 calls"):
        spent(store, trajectory(attempt=3, messages=[ASSISTANT]))


async def test_where_two_models_made_an_attempt_one_is_named(store):
    await store.save(ledger_call("1", task="t", dollars=2.0), ledger_call("2", task="t", model="openai/n", dollars=5.0))
    played = trajectory(messages=[ASSISTANT])
    with pytest.raises(UserError, match="the model if several"):
        spent(store, played)
    assert spent(store, played, model="openai/n").dollars == 5.0


async def test_a_call_without_a_price_is_named(store):
    await store.save(ledger_call("1", task="t", dollars=None))
    with pytest.raises(UserError, match="calls of openai/m have no price"):
        spent(store, trajectory(messages=[ASSISTANT]))
