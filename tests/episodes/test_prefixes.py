"""What repeats in the prompts of an episode comes first, byte for byte: a provider that caches input sends it once."""

import asyncio
import json
import re
from os.path import commonprefix

import pytest

from benchmarks.prefixes import repeated
from tests.openai_server import OpenAIServer, tool_call
from tests.synthesis.shop import environment
from toolscale.artifacts import Instructions, Task, UserScenario
from toolscale.environment import Sandbox
from toolscale.episodes.episode import run_episode
from toolscale.episodes.user import DONE
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.store import Store


def task(number: int, persona: str) -> Task:
    instructions = Instructions(domain="shop", reason_for_call=f"Cancel order O-{number}.", known_info="I am C-2.")
    return Task(id=f"t{number}", domain="shop", user_scenario=UserScenario(persona=persona, instructions=instructions))


TASKS = [task(1, "In a hurry."), task(3, "Very polite, and forgetful.")]


def both_sides(request):
    said = request["messages"]
    if said[0]["content"].startswith("Stage: user"):
        answered = any(message["role"] == "assistant" for message in said)
        return DONE if answered else re.search(r"Cancel order O-\d", said[0]["content"])[0]
    if not any(message["role"] == "tool" for message in said):
        return {"tool_calls": [tool_call("cancel_order", json.dumps({"order_id": "O-1"}))]}
    return "It is cancelled."


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """The requests of two attempts at each of two tasks, the attempts in a sandbox of their own."""
    url = f"sqlite:///{tmp_path_factory.mktemp('episodes')}/store.db"
    with OpenAIServer(both_sides) as server, Store(url) as store:
        settings = Settings(
            default_model="openai/agent",
            default_api_base=server.url,
            prices={"openai/agent": {"input": 1, "output": 1}},
            retries=0,
        )

        async def play():
            async with Gateway(settings, store) as gateway:
                for attempt in range(2):
                    with Sandbox(environment()) as sandbox:
                        for each in TASKS:
                            await run_episode(each, sandbox, gateway, attempt=attempt, user_mode="simulated")

        asyncio.run(play())
        return server.requests


def of_stage(requests, stage):
    return [
        request
        for request in requests
        if request["messages"][0]["content"].startswith("Stage: user") == (stage == "user")
    ]


def test_tools_and_policy_are_the_same_bytes_in_every_turn_of_every_attempt_at_every_task_of_a_domain(asked):
    turns = of_stage(asked, "episode")
    assert len(turns) == 8
    assert len({json.dumps(request["tools"]) for request in turns}) == 1
    assert len({json.dumps(request["messages"][0]) for request in turns}) == 1
    assert all(request["messages"][0]["role"] == "system" for request in turns)


def test_a_turns_prompt_begins_with_all_of_the_turn_before(asked):
    turns = of_stage(asked, "episode")
    later = [turn for turn in turns if len(turn["messages"]) > 2]
    assert later
    for turn in later:
        earlier = [each["messages"] for each in turns if len(each["messages"]) < len(turn["messages"])]
        assert any(turn["messages"][: len(messages)] == messages for messages in earlier)


def test_what_a_user_is_like_comes_after_all_that_every_user_is_told(asked):
    prompts = {request["messages"][0]["content"] for request in of_stage(asked, "user")}
    assert len(prompts) == len(TASKS)
    shared = commonprefix(list(prompts))  # noqa: RUF071 - of texts
    assert shared.endswith("Who you are: ")
    assert DONE in shared


def test_the_share_that_repeats_is_that_of_the_longest_beginning_met_before():
    assert repeated(["abcd", "abxx", "zz", "abcdef"]) == [0, 2, 0, 4]
