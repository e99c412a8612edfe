"""OpenEnv's own server and a client with types play a task; sessions of who vanishes end."""

import json
import socket
import time

import pytest

from tests.exchange.world import FINE, WORLD
from tests.openai_server import OpenAIServer
from tests.serving.servers import hotel, running, talking
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import ServedTasks

pytest.importorskip("openenv")


def serving(sessions, most=4):
    """The server of these sessions, and its address."""
    from toolscale.serving.openenv_door import openenv_app

    return running(openenv_app(sessions, most, 900))


@pytest.fixture(scope="module")
def served():
    tasks = ServedTasks([("train", FINE, WORLD)])
    with Sessions(tasks, most=4, idle_seconds=900) as sessions, serving(sessions) as url:
        yield url, sessions


def test_a_golden_task_ends_with_the_reward_and_the_verdict(served):
    from toolscale.serving.openenv_door import ToolAction, ToolCall, ToolScaleEnv

    with ToolScaleEnv(base_url=served[0]).sync() as env:
        first = env.reset(task_id=FINE.id).observation
        assert first.instruction == FINE.instruction
        assert [tool["function"]["name"] for tool in first.tools] == ["get_room", "book_room"]
        for call in FINE.golden_calls:
            result = env.step(ToolAction(calls=[ToolCall(name=call.name, arguments=call.arguments)]))
            assert (result.done, len(result.observation.answers)) == (False, 1)
        state = env.state()
        assert (state.task_id, state.calls_made, state.step_count) == (FINE.id, 4, 4)
        assert "golden" not in state.model_dump_json() + first.model_dump_json()
        last = env.step(ToolAction(message="2,500 in Zürich"))
        assert (last.done, last.reward) == (True, 1)
        assert last.observation.verdict["solved"]


def test_a_simulated_user_answers_until_they_are_done(user_may_be_asked):
    from toolscale.serving.openenv_door import ToolAction, ToolCall, ToolScaleEnv

    lines = ["I would like a room.", "R-1, two nights, twice."]

    def user(request):
        return talking(*lines)(request)  # by the lines as they are then

    with OpenAIServer(user) as model:
        users, sessions = hotel(model.url)
        with users, sessions, serving(sessions) as url, ToolScaleEnv(base_url=url).sync() as env:
            assert env.reset(task_id=FINE.id).observation.instruction == lines[0]
            asked = env.step(ToolAction(message="Which one?"))
            assert (asked.done, asked.reward, asked.observation.said) == (False, None, lines[1])
            calls = [ToolCall(name=call.name, arguments=call.arguments) for call in FINE.golden_calls]
            env.step(ToolAction(calls=calls, message="One moment."))
            ended = env.step(ToolAction(message="2,500 in Zürich"))
            assert (ended.done, ended.reward, ended.observation.ending) == (True, 1, "done")
            lines[1] = ""
            assert env.reset(task_id=FINE.id, seed=1).observation.instruction == lines[0]
            broken = env.step(ToolAction(message="Which one?"))
            assert (broken.done, broken.reward, broken.observation.ending) == (True, None, "user_error")


def test_the_session_of_a_client_that_vanishes_ends(served):
    from websockets.sync.client import connect

    url, sessions = served
    socket_ = connect(url.replace("http", "ws") + "/ws")
    socket_.send(json.dumps({"type": "reset", "data": {"seed": 3}}))
    assert "Room R-1" in socket_.recv()
    assert len(sessions) == 1
    socket_.socket.shutdown(socket.SHUT_RDWR)
    deadline = time.monotonic() + 20
    while len(sessions) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(sessions) == 0


def test_the_task_api_tells_no_golden_call(served):
    import httpx

    listed = httpx.post(f"{served[0]}/toolscale/tasks", json={"split": "train"})
    assert [task["instruction"] for task in listed.json()["tasks"]] == [FINE.instruction]
    assert "golden" not in listed.text
    assert httpx.post(f"{served[0]}/toolscale/task", json={"split": "no", "index": 0}).status_code == 400


def test_the_package_finds_the_server_valid(served):
    from openenv.cli._validation import validate_running_environment

    report = validate_running_environment(served[0])
    assert report["passed"], report["criteria"]


def test_a_bad_action_ends_neither_the_session_nor_another(served):
    from websockets.sync.client import connect

    address = served[0].replace("http", "ws") + "/ws"
    with connect(address) as one, connect(address) as other:
        for each in (one, other):
            each.send(json.dumps({"type": "reset", "data": {"task_id": FINE.id}}))
            assert "Room R-1" in each.recv()
        for bad in ({"calls": [{"name": "get_room"}] * 99}, {"golden_calls": []}, {"calls": "all"}):
            one.send(json.dumps({"type": "step", "data": bad}))
            assert json.loads(one.recv())["type"] == "error"
        one.send(json.dumps({"type": "step", "data": {"calls": [{"name": "book_room", "arguments": {"nights": []}}]}}))
        assert json.loads(one.recv())["type"] == "observation"
        other.send(json.dumps({"type": "state"}))
        assert json.loads(other.recv())["data"]["calls_made"] == 0


class TestAttacks:
    """What a client tries that wants the solution, or somebody else's episode: no answer holds either."""

    SECRETS = ("golden", "Zürich", "communicate", '"nights": 2', '"nights":2')
    """What only the task knows: the calls it wants, and the fact that has to be said."""

    @pytest.fixture
    def socket_(self, served):
        from websockets.sync.client import connect

        with connect(served[0].replace("http", "ws") + "/ws") as opened:
            yield opened

    def ask(self, socket_, kind, **data):
        # The package refuses a state message with data, be it empty.
        socket_.send(json.dumps({"type": kind, "data": data} if data else {"type": kind}))
        return socket_.recv()

    def test_no_route_of_the_package_tells_how_a_task_is_judged(self, served, socket_):
        import httpx

        self.ask(socket_, "reset", task_id=FINE.id)
        self.ask(socket_, "step", calls=[{"name": "get_room", "arguments": {"room_id": "R-1"}}])
        with httpx.Client(base_url=served[0]) as client:
            paths = client.get("/openapi.json").json()["paths"]
            assert {"/reset", "/step", "/state", "/metadata", "/schema", "/mcp"} <= set(paths)
            bodies = [
                {},
                {"split": "train", "index": 0},
                {"task_id": FINE.id, "reveal": True},
                {"action": {"message": ""}},
                {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
                {"jsonrpc": "2.0", "id": 1, "method": "toolscale/verdict", "params": {"message": ""}},
            ]
            for path, methods in paths.items():
                for method in set(methods) & {"get", "post"}:
                    for body in bodies if method == "post" else [None]:
                        answer = client.request(method, path.replace("{env_name}", "toolscale"), json=body)
                        assert answer.status_code < 500, (path, body)
                        told = answer.text
                        assert not [secret for secret in self.SECRETS if secret in told], (path, body)
                        assert '"fidelity"' not in told or path in ("/openapi.json", "/schema"), (path, body)

    def test_no_verdict_comes_before_the_end_and_none_twice(self, socket_):
        begun = self.ask(socket_, "reset", task_id=FINE.id)
        called = self.ask(socket_, "step", calls=[{"name": "toolscale/verdict"}, {"name": "finish"}], message="done")
        state = self.ask(socket_, "state")
        for told in (begun, called, state):
            assert not [secret for secret in self.SECRETS if secret in told]
            assert json.loads(told)["data"].get("reward") is None
            assert not (json.loads(told)["data"].get("observation") or {}).get("verdict")
        ended = json.loads(self.ask(socket_, "step", message="It costs much."))["data"]
        assert (ended["done"], ended["reward"]) == (True, 0)
        for late in ({"message": "2,500 in Zürich"}, {"calls": [{"name": "get_room", "arguments": {}}]}):
            again = json.loads(self.ask(socket_, "step", **late))
            assert again["type"] == "error"
            assert "over" in again["data"]["message"]

    def test_a_session_cannot_be_named_into_by_another(self, served, socket_):
        from websockets.sync.client import connect

        _, sessions = served
        with connect(served[0].replace("http", "ws") + "/ws") as victim:
            self.ask(victim, "reset", task_id=FINE.id, episode_id="victim")
            booked = {"name": "book_room", "arguments": {"room_id": "R-1", "nights": 1}}
            assert "B-" in self.ask(victim, "step", calls=[booked])
            inside = set(sessions._by_id)
            self.ask(socket_, "reset", task_id=FINE.id, episode_id="victim")
            for name in ("victim", *inside):
                self.ask(socket_, "state", episode_id=name, session_id=name)
                self.ask(socket_, "step", calls=[], message="", session_id=name)
                self.ask(socket_, "reset", task_id=FINE.id, session_id=name)
                assert json.loads(self.ask(socket_, "state"))["data"]["calls_made"] == 0
            self.ask(socket_, "close", episode_id="victim")
            assert json.loads(self.ask(victim, "state"))["data"]["calls_made"] == 1

    @pytest.mark.parametrize(
        "arguments",
        [
            {"room_id": {"__class__": "x", "$ref": "file:///etc/passwd"}},
            {"room_id": "R-1", "db": {"rooms": {}}},
            {"room_id": "../../tasks.json"},
            {"room_id": "R-1\u0000"},
            {"room_id": "{db}"},
        ],
    )
    def test_hostile_arguments_get_one_error_and_the_episode_goes_on(self, socket_, arguments):
        self.ask(socket_, "reset", task_id=FINE.id)
        told = self.ask(socket_, "step", calls=[{"name": "get_room", "arguments": arguments}])
        assert "Traceback" not in told
        assert "functions.py" not in told
        assert "error" in told
        good = self.ask(socket_, "step", calls=[{"name": "get_room", "arguments": {"room_id": "R-1"}}])
        assert "1250" in good
