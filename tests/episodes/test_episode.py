"""The loop of user, agent and tools ends for a reason, and its trajectory says what happened."""

import contextlib
import json

import pytest

from tests.openai_server import OpenAIServer, tool_call
from tests.synthesis.shop import environment
from toolscale.artifacts import GoldenCall, Instructions, Task, UserScenario
from toolscale.checkers import judge
from toolscale.environment import Sandbox
from toolscale.episodes.episode import run_episode
from toolscale.episodes.user import DONE
from toolscale.errors import UserError
from toolscale.llm import Gateway, RetriesExhausted
from toolscale.settings import Settings
from toolscale.store import Store

TASK = Task(
    id="t",
    domain="shop",
    user_scenario=UserScenario(
        persona="In a hurry.",
        instructions=Instructions(domain="shop", reason_for_call="Cancel order O-1.", known_info="I am C-2."),
    ),
    golden_calls=[GoldenCall(name="cancel_order", arguments={"order_id": "O-1"})],
    communicate_info=["cancelled"],
)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(environment()) as sandbox:
        yield sandbox


@pytest.fixture
def play(tmp_path, sandbox):
    """`play(behaviour, **options)` -> (trajectory, server): an episode of TASK, every model on a scripted server."""

    async def play(behaviour, faults=(), **options):
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(OpenAIServer(behaviour))
            server.faults.extend(faults)
            store = stack.enter_context(Store(f"sqlite:///{tmp_path}/store.db"))
            settings = Settings(
                default_model="openai/agent",
                default_api_base=server.url,
                prices={"openai/agent": {"input": 1, "output": 1}},
                retries=0,
            )
            return await run_episode(TASK, sandbox, Gateway(settings, store), **options), server

    return play


def cancel(request):
    results = [message for message in request["messages"] if message["role"] == "tool"]
    if not results:
        return {"tool_calls": [tool_call("cancel_order", '{"order_id": "O-1"}')]}
    return f"Your order is {json.loads(results[0]['content'])}."


async def test_in_direct_mode_the_whole_instruction_is_the_first_message(play, sandbox):
    trajectory, server = await play(cancel)
    user = [message["content"] for message in trajectory.messages if message["role"] == "user"]
    assert user == ["Cancel order O-1.\nI am C-2."]
    assert trajectory.termination == "done"
    assert trajectory.agent_messages == ["Your order is cancelled."]
    assert judge(sandbox, TASK, TASK.golden_calls, trajectory.agent_messages).solved
    assert [outcome.name for outcome in trajectory.calls] == ["cancel_order"]
    assert trajectory.prompt_tokens > 0
    offered = [tool["function"]["name"] for tool in server.requests[0]["tools"]]
    assert offered == ["get_order", "cancel_order"]


async def test_the_agent_never_sees_golden_calls_or_what_must_be_communicated(play):
    _, server = await play(lambda request: "Hello.")
    seen = json.dumps(server.requests[0]["messages"])
    assert "communicate" not in seen
    assert "golden" not in seen


async def test_a_simulated_user_talks_until_done_and_never_sees_the_calls(play):
    users = iter(["I want to cancel an order.", "It is O-1, and I am C-2.", DONE])
    seen_by_user = []

    def behaviour(request):
        if "Stage: user" in request["messages"][0]["content"]:
            seen_by_user.append(request["messages"])
            return next(users)
        said = [message for message in request["messages"] if message["role"] == "user"]
        return "Which one?" if len(said) == 1 else cancel(request)

    trajectory, _ = await play(behaviour, user_mode="simulated")
    assert trajectory.termination == "done"
    assert trajectory.agent_messages == ["Which one?", "Your order is cancelled."]
    assert all("tool_calls" not in message for messages in seen_by_user for message in messages)
    assert [message["role"] for message in seen_by_user[2]] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]


@pytest.mark.parametrize("said", ["", DONE])
async def test_a_user_that_never_says_what_they_want_is_at_fault(play, said):
    trajectory, server = await play(lambda request: said, user_mode="simulated")
    assert trajectory.termination == "user_error"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "spoiled",
    [
        "It is O-2, please.",
        "<tool_call>cancel</tool_call>",
        "Cancel O-1.<|im_end|>",
        "please " * 1000,
        "<think>They want O-1 cancelled",
    ],
    ids=["an invented id", "a call", "a template's mark", "too long", "a thought without an end"],
)
async def test_a_user_that_says_what_no_user_may_say_is_at_fault(play, spoiled):
    users = iter(["I want to cancel an order.", spoiled])

    def behaviour(request):
        return next(users) if "Stage: user" in request["messages"][0]["content"] else "Which one?"

    trajectory, _ = await play(behaviour, user_mode="simulated")
    assert trajectory.termination == "user_error"
    assert trajectory.messages[-1]["content"] == "Which one?", "what spoils an episode does not stand in it"


async def test_a_user_may_name_what_the_scenario_or_the_agent_named_and_keeps_thoughts_to_themselves(play):
    said = ["Cancel order o 1.", "Yes, that is O-1, and the refund is R-77: EUR50."]
    users = iter([f"<think>Reason first.</think>{said[0]}", said[1], DONE])

    def behaviour(request):
        return (
            next(users)
            if "Stage: user" in request["messages"][0]["content"]
            else "Is it O-1? Then it is R77, 50 euros."
        )

    trajectory, _ = await play(behaviour, user_mode="simulated")
    assert trajectory.termination == "done"
    assert [message["content"] for message in trajectory.messages if message["role"] == "user"] == said


async def test_an_agent_that_goes_in_circles_is_stopped_at_the_turn_limit(play):
    def loop(request):
        return {"tool_calls": [tool_call("get_order", '{"order_id": "O-1"}')]}

    trajectory, server = await play(loop, max_turns=5)
    assert trajectory.termination == "turn_limit"
    assert len(server.requests) == len(trajectory.calls) == 5


async def test_calls_that_cannot_be_made_are_errors_that_the_agent_reads(play):
    calls = [
        tool_call("get_order", "{not json", "a"),
        tool_call("get_order", "[1]", "b"),
        tool_call("fly", "{}", "c"),
        tool_call("get_order", '{"order_id": "O-99"}', "d"),
    ]

    def behaviour(request):
        return "Sorry." if request["messages"][-1]["role"] == "tool" else {"tool_calls": calls}

    trajectory, _ = await play(behaviour)
    errors = [json.loads(m["content"])["error"] for m in trajectory.messages if m["role"] == "tool"]
    assert "not JSON" in errors[0]
    assert "not an object" in errors[1]
    assert "get_order" in errors[2]
    assert "O-99" in errors[3]
    assert trajectory.termination == "done"


async def test_an_endpoint_that_fails_ends_the_run_and_is_nobodys_attempt(play):
    with pytest.raises(RetriesExhausted):
        await play(cancel, faults=[500])


async def test_a_model_that_refuses_has_failed_its_attempt(play):
    trajectory, _ = await play(lambda request: {"refusal": "I would rather not."})
    assert trajectory.termination in ("agent_error", "done")
    assert trajectory.calls == []


async def test_a_refused_key_ends_the_run_with_one_line(play):
    with pytest.raises(UserError):
        await play(cancel, faults=[401])
