"""MCP over HTTP: a client of the official SDK solves a task at its session's address, and can do no more there."""

import asyncio
import time

import httpx
import pytest

from tests.exchange.world import FINE, WORLD
from tests.openai_server import OpenAIServer
from tests.serving.asking import Answer, AskedVerdict
from tests.serving.servers import break_off, hotel, running, talking
from toolscale.serving.http import guarded
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import ServedTasks

mcp = pytest.importorskip("mcp")
uvicorn = pytest.importorskip("uvicorn")

TOKEN = {"Authorization": "Bearer secret"}


@pytest.fixture(scope="module")
def served():
    from toolscale.serving.mcp_http import is_agents, mcp_app

    with (
        Sessions(ServedTasks([("train", FINE, WORLD)]), most=4, idle_seconds=900) as sessions,
        running(guarded(mcp_app(sessions), "secret", but=is_agents)) as url,
    ):
        yield url, sessions


@pytest.fixture
def trainer(served):
    with httpx.Client(base_url=served[0], headers=TOKEN, timeout=60) as client:
        yield client
    for name in list(served[1]._by_id):
        served[1].close(name)


@pytest.fixture
def conversing(user_may_be_asked):
    """A server whose users a scripted model plays: its address, and its sessions."""
    from toolscale.serving.mcp_http import is_agents, mcp_app

    with OpenAIServer(talking("I would like a room.", "R-1, two nights, twice.")) as model:
        users, sessions = hotel(model.url)
        with users, sessions, running(guarded(mcp_app(sessions), "secret", but=is_agents)) as url:
            yield url, sessions


def begun(trainer):
    answer = trainer.post("/sessions", json={"task_id": FINE.id})
    assert answer.status_code == 201
    return answer.json()


async def test_golden_calls_over_http_are_solved(served, trainer):
    session = await asyncio.to_thread(begun, trainer)
    assert session["instruction"] == FINE.instruction
    async with mcp.Client(served[0] + session["mcp"]) as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == ["get_room", "book_room"]
        assert FINE.instruction in agent.instructions
        for call in FINE.golden_calls:
            assert not (await agent.call_tool(call.name, call.arguments)).is_error
        ended = {"key": session["key"], "message": "2,500 in Zürich"}
        found = (await asyncio.to_thread(trainer.post, f"/sessions/{session['id']}/verdict", json=ended)).json()
        assert (found["reward"], found["execution"], found["fidelity"], found["completeness"]) == (1, True, True, True)
    assert len(served[1]) == 0


async def test_two_sessions_of_one_task_do_not_see_each_other(served, trainer):
    one, other = await asyncio.to_thread(lambda: (begun(trainer), begun(trainer)))
    async with mcp.Client(served[0] + one["mcp"]) as agent:
        for call in FINE.golden_calls:
            await agent.call_tool(call.name, call.arguments)
    ended = {"key": other["key"], "message": "2,500 in Zürich"}
    found = (await asyncio.to_thread(trainer.post, f"/sessions/{other['id']}/verdict", json=ended)).json()
    assert (found["reward"], found["execution"]) == (0, False)


async def test_an_agent_with_its_address_alone_reaches_neither_the_verdict_nor_another_session(served, trainer):
    session = await asyncio.to_thread(begun, trainer)
    async with mcp.Client(served[0] + session["mcp"]) as agent:
        with pytest.raises(mcp.MCPError, match="not found"):
            await agent.session.send_request(AskedVerdict(params={"message": "x"}), Answer)
        assert (await agent.call_tool("verdict", {"message": "x"})).is_error

    def attack():
        with httpx.Client(base_url=served[0], timeout=60) as client:
            yield client.post(f"/sessions/{session['id']}/verdict", json={"key": "", "message": "x"})
            yield client.post("/sessions", json={"task_id": FINE.id})
            yield client.get("/tasks")
            yield client.post(f"/sessions/{session['id'][:-1]}/mcp", json={})
            yield client.get(session["mcp"])

    answers = await asyncio.to_thread(lambda: list(attack()))
    assert [answer.status_code for answer in answers] == [401, 401, 401, 404, 405]
    assert not any(word in answer.text for answer in answers for word in ("golden", "Zürich", "reasons"))
    assert served[1].get(session["id"]).play.judged is None


def test_a_verdict_wants_the_sessions_own_key(served, trainer):
    one, other = begun(trainer), begun(trainer)
    wrong = trainer.post(f"/sessions/{one['id']}/verdict", json={"key": other["key"], "message": "2,500 in Zürich"})
    assert wrong.status_code == 403
    assert served[1].get(one["id"]).play.judged is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"task_id": "nobody"}', 404),
        (b'{"golden_calls": true}', 400),
        (b'{"seed": "1"}', 400),
        (b"[" * 100_000, 400),
        (b"\xff", 400),
        (b'"' + b"x" * (3 << 20) + b'"', 413),
    ],
)
def test_a_hostile_body_is_refused_in_words_and_opens_nothing(served, trainer, body, status):
    assert trainer.post("/sessions", content=body).status_code == status
    assert len(served[1]) == 0


def test_a_client_that_goes_away_while_it_sends_is_no_error(served, trainer, caplog):
    session = begun(trainer)
    for path in ("/sessions", f"/sessions/{session['id']}/verdict", session["mcp"]):
        break_off(served[0], path, *(f"{name}: {value}" for name, value in TOKEN.items()), "Accept: application/json")
    time.sleep(0.5)  # what would be logged comes after the client is gone
    assert trainer.get("/health").json() == {"status": "ok"}
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


def test_one_session_too_many_is_told_to_come_later(served, trainer):
    for _ in range(4):
        begun(trainer)
    answer = trainer.post("/sessions", json={})
    assert answer.status_code == 503
    assert "limit" in answer.json()["error"]


async def test_the_trainer_says_what_the_agent_says_and_the_user_answers_until_the_verdict(conversing):
    url, sessions = conversing
    async with httpx.AsyncClient(base_url=url, headers=TOKEN, timeout=60) as trainer:
        session = (await trainer.post("/sessions", json={"task_id": FINE.id})).json()
        say = f"/sessions/{session['id']}/say"
        async with mcp.Client(url + session["mcp"]) as agent:
            assert "I would like a room." in agent.instructions
            assert [tool.name for tool in (await agent.list_tools()).tools] == ["get_room", "book_room"]
            assert (await agent.call_tool("say", {"message": "x"})).is_error
            wrong = await trainer.post(say, json={"key": "", "message": "Which one?"})
            strange = await trainer.post(say, json={"key": "", "message": "x"}, headers={"Authorization": ""})
            assert (wrong.status_code, strange.status_code) == (403, 401)
            answer = await trainer.post(say, json={"key": session["key"], "message": "Which one?"})
            assert answer.json() == {"said": "R-1, two nights, twice."}
            for call in FINE.golden_calls:
                await agent.call_tool(call.name, call.arguments)
        ended = (await trainer.post(say, json={"key": session["key"], "message": "2,500 in Zürich"})).json()
        assert (ended["reward"], ended["ending"], ended["completeness"]) == (1, "done", True)
    assert len(sessions) == 0


def test_where_users_say_everything_at_once_nothing_is_said_to_them(trainer):
    session = begun(trainer)
    refused = trainer.post(f"/sessions/{session['id']}/say", json={"key": session["key"], "message": "Hello?"})
    assert refused.status_code == 400
    assert "at once" in refused.json()["error"]
