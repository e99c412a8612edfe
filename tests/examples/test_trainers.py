"""Each example plays a task as its framework does: golden calls earn 1, what is missing or cut off earns 0."""

import inspect
import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pandas as pd
import pytest
import yaml

from tests.examples import stand_ins
from tests.exchange.world import FINE, write_hotel
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import load_tasks

EXAMPLES = Path(__file__).parents[2] / "examples"
SAID = "2,500 in Zürich"


@pytest.fixture(scope="module")
def hotel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples") / "hotel"
    write_hotel(folder)
    return str(folder)


@pytest.fixture(scope="module")
def sessions(hotel):
    with Sessions(load_tasks(hotel), most=8, idle_seconds=900) as opened:
        yield opened


def example(name):
    spec = spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def called(call):
    return {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": call.name}}]}


class TestTrl:
    """As GRPOTrainer does: it probes an instance for methods, resets it with the row, calls, and asks for rewards."""

    @pytest.fixture
    def trl(self):
        return example("trl_grpo")

    def tools(self, environment):
        methods = inspect.getmembers(environment, predicate=inspect.ismethod)
        return {name: method for name, method in methods if name != "reset" and not name.startswith("_")}

    def test_the_tools_are_the_functions_with_their_types_and_descriptions(self, trl, sessions):
        environment = trl.environments(sessions, "train")["hotel_desk"]()
        tools = self.tools(environment)
        assert list(tools) == ["book_room", "get_room"]
        signature = inspect.signature(tools["book_room"])
        assert list(signature.parameters) == ["room_id", "nights", "extras", "rate"]
        assert signature.parameters["nights"].annotation is int
        assert signature.parameters["extras"].default is None
        assert "    room_id: such as R-1." in inspect.getdoc(tools["get_room"])

    def test_golden_calls_earn_one_and_a_cut_off_episode_nothing(self, trl, sessions):
        (row,) = trl.rows(sessions, "train")
        environments = [trl.environments(sessions, "train")[row["environment"]]() for _ in range(3)]
        for environment in environments:
            environment.reset(**{name: value for name, value in row.items() if name != "environment"})
            for call in FINE.golden_calls:
                answer = json.loads(self.tools(environment)[call.name](**call.arguments))
                assert "error" not in answer
        made = [called(call) for call in FINE.golden_calls]
        completions = [
            [*made, {"role": "assistant", "content": SAID}],
            [*made, {"role": "assistant", "content": "done"}],
            made,
        ]
        assert trl.solved(completions, environments) == [1.0, 0.0, 0.0]


class TestSkyRl:
    @pytest.fixture
    def skyrl(self, monkeypatch):
        stand_ins.skyrl_gym(monkeypatch)
        return example("skyrl_env")

    def test_written_calls_are_made_and_the_last_message_is_judged(self, skyrl, hotel):
        (row,) = skyrl.rows(hotel, "train")
        env = skyrl.ToolScaleEnv(SimpleNamespace(data=hotel), {"task_id": row["task_id"]})
        for call in FINE.golden_calls:
            text = json.dumps({"name": call.name, "arguments": call.arguments})
            step = env.step(f"One moment. <tool_call>{text}</tool_call>")
            assert (step["done"], step["reward"]) == (False, 0.0)
            assert "error" not in json.loads(step["observations"][0]["content"])
        last = env.step(SAID)
        assert (last["done"], last["reward"], last["observations"]) == (True, 1.0, [])
        env.close()

    @pytest.mark.parametrize(
        "text", ["no JSON", "[]", '{"arguments": {}}', '{"name": "x", "arguments": [1]}', "[" * 9999]
    )
    def test_what_is_no_call_is_told_and_ends_nothing(self, skyrl, hotel, text):
        env = skyrl.ToolScaleEnv(SimpleNamespace(data=hotel), {"task_id": FINE.id})
        step = env.step(f"<tool_call>{text}</tool_call>")
        assert not step["done"]
        assert "error" in json.loads(step["observations"][0]["content"])
        env.close()


class TestNemoGym:
    """The order of an agent of theirs: seed_session, POST /FUNCTION for each call, verify with the whole response."""

    @pytest.fixture
    def gym(self, monkeypatch):
        stand_ins.nemo_gym(monkeypatch)
        return example("nemo_gym_server")

    async def test_calls_go_to_the_sessions_own_task_and_verify_gives_the_reward(self, gym, hotel):
        (row,) = gym.rows(hotel, "train")
        assert [tool["name"] for tool in row["responses_create_params"]["tools"]] == ["get_room", "book_room"]
        server = gym.ToolScaleServer(config=gym.Config(data=hotel))
        routes = [route.path for route in server.setup_webserver().routes]
        assert routes[-1] == "/{function}"
        one, other = (SimpleNamespace(session={"session_id": name}) for name in ("one", "other"))
        for request in (one, other):
            await server.seed_session(request, gym.Seed(task_id=row["task_id"]))
        for call in FINE.golden_calls:
            assert b'"error"' not in server.call(call.name, one, call.arguments).body
        part = SimpleNamespace(type="output_text", text=SAID)
        message = SimpleNamespace(type="message", role="assistant", content=[part])
        response = SimpleNamespace(output=[SimpleNamespace(type="function_call"), message])
        body = gym.Verify(**row, response=response)
        assert [(await server.verify(request, body)).reward for request in (one, other)] == [1.0, 0.0]
        server._sessions.close_all()


class TestVerl:
    """A rollout of verl: what the model wrote is parsed, its calls are made, the whole earns one reward."""

    @pytest.fixture
    def verl(self, monkeypatch):
        stand_ins.verl(monkeypatch)
        return example("verl_agent_loop")

    CALLS: ClassVar = [
        f"<tool_call>{json.dumps({'name': call.name, 'arguments': call.arguments})}</tool_call>"
        for call in FINE.golden_calls
    ]

    async def test_golden_calls_and_the_facts_earn_one(self, verl, hotel):
        (row,) = verl.rows(hotel, "train")
        assert row["prompt"][1]["content"] == FINE.instruction
        loop = verl.ToolScaleLoop([*self.CALLS, SAID])
        output = await loop.run({}, **row)
        assert output.reward_score == 1
        assert [tool["function"]["name"] for tool in loop.tool_schemas] == ["get_room", "book_room"]
        assert len(loop.heard) == 4
        assert not any("error" in json.loads(text) for text in loop.heard)
        assert len(verl.sessions_of(hotel)) == 0, "a rollout leaves no session"

    @pytest.mark.parametrize("bad", [{"name": "steal", "arguments": {}}, {"name": "get_room", "arguments": [1]}])
    async def test_a_call_that_is_none_is_told_and_the_rollout_goes_on(self, verl, hotel, bad):
        (row,) = verl.rows(hotel, "train")
        loop = verl.ToolScaleLoop([f"<tool_call>{json.dumps(bad)}</tool_call>", *self.CALLS, SAID])
        await loop.run({}, **row)
        assert "error" in json.loads(loop.heard[0])

    async def test_who_is_cut_off_or_says_too_little_earns_nothing(self, verl, hotel):
        (row,) = verl.rows(hotel, "train")
        short = verl.ToolScaleLoop([*self.CALLS, "done"])
        assert (await short.run({}, **row)).reward_score == 0
        cut = verl.ToolScaleLoop([*self.CALLS, SAID], response_length=len("".join([*self.CALLS, SAID])))
        assert (await cut.run({}, **row)).reward_score == 0

    def test_the_rows_are_parquet_and_their_loop_is_the_one_of_the_configuration(self, verl, hotel, tmp_path):
        verl.main(hotel, str(tmp_path))
        (row,) = pd.read_parquet(tmp_path / "train.parquet").to_dict("records")
        assert row["extra_info"]["task_id"] == FINE.id
        (configured,) = yaml.safe_load((EXAMPLES / "verl_agent_loop.yaml").read_text())
        assert configured == {"name": row["agent_name"], "_target_": "examples.verl_agent_loop.ToolScaleLoop"}
