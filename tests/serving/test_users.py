"""Simulated users of served sessions: they answer turn by turn as at home, and their failures are nobody's verdict."""

import asyncio
import json
from itertools import islice

import pytest
from typer.testing import CliRunner

from tests.exchange.world import FINE, write_hotel
from tests.openai_server import OpenAIServer
from tests.reference.rehearsal import Stage, rehearse
from tests.serving.servers import hotel, talking
from tests.serving.test_sessions import SAID, play_golden
from toolscale.checkers import judge
from toolscale.cli import app
from toolscale.episodes.episode import MAX_TURNS, run_episode
from toolscale.episodes.user import DONE
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.reference.model import OfflineRequest, answer
from toolscale.serving.play import Judged, PlayError
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import ServedTasks
from toolscale.serving.users import ServedUsers, user_settings
from toolscale.settings import Settings
from toolscale.store import Store
from toolscale.synthesis.drafts import as_task

ASKS, TELLS = "I would like a room.", "It is R-1, two nights, and once more."


@pytest.fixture
def opened(user_may_be_asked):
    """`opened(server, **budget)`: sessions of the hotel whose users the server plays."""

    def opened(server, **given):
        return hotel(server.url, **given)

    return opened


def test_a_request_comes_out_over_several_turns_and_the_verdict_when_the_user_is_done(opened, tmp_path):
    with OpenAIServer(talking(ASKS, TELLS)) as server:
        users, sessions = opened(server)
        with users, sessions:
            play = sessions.open(FINE.id).play
            assert play.instruction == ASKS
            assert "said everything" not in play.system
            assert play.tell("Which one?") == TELLS
            play_golden(play)
            ended = play.tell(SAID)
            assert ended.as_json() == {
                "reward": 1.0, "solved": True, "ending": "done",
                "execution": True, "fidelity": True, "completeness": True, "reasons": [],
            }  # fmt: skip
            with pytest.raises(PlayError, match="over"):
                play.tell("Hello?")
        heard = [message["content"] for message in server.requests[-1]["messages"]]
        assert heard[2:] == [ASKS, "Which one?", TELLS, SAID]
        shown = json.dumps(server.requests)
        assert not any(word in shown for word in ("golden", "get_room", "tool_calls"))
    with Store(f"sqlite:///{tmp_path}/toolscale.db") as store:
        (line,) = store.cost_by("role")
        assert (line.name, line.calls) == ("user", 3)
        assert line.dollars > 0


def test_what_is_said_beside_calls_the_user_hears_too(opened):
    with OpenAIServer(talking(ASKS, TELLS)) as server:
        users, sessions = opened(server)
        with users, sessions:
            play = sessions.open(FINE.id).play
            play.say("Let me look.")
            play.call("get_room", {"room_id": "R-1"})
            play.tell("It is free.")
        assert [message["content"] for message in server.requests[-1]["messages"]][2:] == [
            ASKS, "Let me look.", "It is free.",
        ]  # fmt: skip


@pytest.mark.parametrize("spoiled", ["", "It is Q-9, please.", "<tool_call>book_room</tool_call>"])
def test_a_user_who_fails_leaves_no_verdict_on_the_agent_and_nobody_else_notices(opened, spoiled):
    lines = {"broken": (ASKS, spoiled), "fine": (ASKS, TELLS)}

    def behaviour(request):
        of = "broken" if "Which one?" in json.dumps(request["messages"]) else "fine"
        return talking(*lines[of])(request)

    with OpenAIServer(behaviour) as server:
        users, sessions = opened(server)
        with users, sessions:
            broken, neighbour = (sessions.open(FINE.id).play for _ in range(2))
            play_golden(broken)
            ended = broken.tell("Which one?")
            assert ended.as_json() == {"reward": None, "solved": None, "ending": "user_error"}
            assert neighbour.tell("What can I do?") == TELLS
            play_golden(neighbour)
            assert neighbour.tell(SAID).reward == 1


def test_a_user_who_does_not_begin_takes_no_place(opened):
    with OpenAIServer(lambda request: DONE) as server:
        users, sessions = opened(server, most=1)
        with users, sessions:
            for _ in range(2):
                with pytest.raises(PlayError, match="did not begin"):
                    sessions.open(FINE.id)
            assert len(sessions) == 0
            server.behaviour = talking(ASKS)
            assert sessions.open(FINE.id, number=7).play.instruction == ASKS


def test_an_endpoint_that_fails_breaks_one_session_and_says_why_to_who_runs_it_alone(opened, capsys):
    with OpenAIServer(talking(ASKS, TELLS)) as server:
        users, sessions = opened(server)
        with users, sessions:
            play = sessions.open(FINE.id).play
            server.faults.append(401)
            assert play.tell("Which one?").ending == "user_error"
            assert "the simulated user cannot be asked" in capsys.readouterr().err
            assert sessions.open(FINE.id, number=1).play.tell("Which one?") == TELLS


def test_the_budget_bounds_what_users_cost(opened):
    with OpenAIServer(talking(ASKS, TELLS)) as server:
        users, sessions = opened(server, max_calls=1)
        with users, sessions:
            play = sessions.open(FINE.id).play
            ended = play.tell("Which one?")
            assert (ended.ending, ended.reward) == ("user_error", None)
            with pytest.raises(PlayError, match="did not begin"):
                sessions.open(FINE.id, number=1)
        assert len(server.requests) == 1


def test_a_user_of_the_same_number_says_the_same_and_is_paid_once(opened):
    with OpenAIServer(talking(ASKS, TELLS)) as server:
        users, sessions = opened(server)
        with users, sessions:
            for number in (0, 0, 2**40, -1):
                assert sessions.open(FINE.id, number).play.tell("Which one?") == TELLS
        assert len(server.requests) == 4, "0 and a multiple of 2**31 are one user, -1 is another"


def test_who_never_comes_to_an_end_with_a_user_has_not_solved_it(opened):
    with OpenAIServer(lambda request: "And then?") as server:
        users, sessions = opened(server)
        with users, sessions:
            play, early = (sessions.open(FINE.id).play for _ in range(2))
            for each in (play, early):
                play_golden(each)
            assert {play.tell(SAID) for _ in range(MAX_TURNS - 1)} == {"And then?"}
            for ended in (play.tell(SAID), early.finish(SAID)):
                assert (ended.reward, ended.ending, ended.verdict.execution) == (0, "turn_limit", True)


def test_users_end_with_the_server_also_where_somebody_waits_for_one(opened):
    with OpenAIServer(talking(ASKS, TELLS)) as server:
        users, sessions = opened(server)
        with sessions, users:
            play = sessions.open(FINE.id).play
            server.seconds = 30
            waits = asyncio.run(_ended_while_waiting(users, play))
        assert waits < 20


async def _ended_while_waiting(users, play):
    loop = asyncio.get_running_loop()
    asked = loop.run_in_executor(None, play.tell, "Which one?")
    await asyncio.sleep(0.5)
    began = loop.time()
    users.wait_for(users._end())
    await asyncio.gather(asked, return_exceptions=True)
    return loop.time() - began


def test_a_model_without_price_or_address_is_refused_at_the_start(monkeypatch):
    monkeypatch.delenv("TOOLSCALE_PRICES", raising=False)
    with pytest.raises(UserError, match="price"):
        user_settings("openai/nobody-knows-it", "http://127.0.0.1:1/v1")
    with pytest.raises(UserError, match=r"address|api_base|URL"):
        user_settings("hosted_vllm/mine")


def test_the_command_serves_them_by_its_flags_and_refuses_flags_that_would_do_nothing(opened, tmp_path, monkeypatch):
    """`opened` sets price and key."""
    folder, heard = str(write_hotel(tmp_path / "hotel")), []

    def serve_mcp(sessions, at):
        heard.append(sessions.open(FINE.id).play.instruction)

    monkeypatch.setattr("toolscale.serving.http.serve_mcp", serve_mcp)
    with OpenAIServer(talking(ASKS)) as server:
        flags = ["--user-model", "openai/user", "--user-api-base", server.url, "--max-calls", "5"]
        served = CliRunner().invoke(app, ["serve", folder, "--mcp", *flags], catch_exceptions=False)
    assert (served.exit_code, heard) == (0, [ASKS])
    for wrong in (
        ["--max-cost", "1"],
        ["--user-api-base", "http://127.0.0.1:1"],
        ["--stdio", "--user-mode", "simulated"],
    ):
        refused = CliRunner().invoke(app, ["serve", folder, *wrong])
        assert isinstance(refused.exception, UserError)


def test_with_the_offline_model_on_both_sides_a_served_session_ends_as_an_episode_at_home(tmp_path, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path))
    stage = Stage("restaurant")
    drafts = (each.draft for each in rehearse(stage, stage.domain.programs, 1, 40, depth=1) if not each.infeasible)
    tasks = [as_task("restaurant", f"r-{number}", draft) for number, draft in enumerate(islice(drafts, 12))]
    turns = []
    with (
        ServedUsers(user_settings("")) as users,
        Sessions(
            ServedTasks([("train", task, stage.spec) for task in tasks]), most=1, idle_seconds=900, users=users
        ) as sessions,
        stage.sandbox as sandbox,
    ):
        for task in tasks:
            trajectory = asyncio.run(at_home(task, sandbox))
            opened = sessions.open(task.id)
            ended, heard = served(opened.play)
            sessions.close(opened.id)
            turns.append(heard)
            assert ended.ending == trajectory.termination
            assert ended.verdict == judge(sandbox, task, trajectory.calls, trajectory.agent_messages)
            assert heard == sum(message["role"] == "user" for message in trajectory.messages)
    assert max(turns) > 1, "no agent ever asked back"


async def at_home(task, sandbox):
    settings = Settings(user_mode="simulated")
    with Store(settings.database_url()) as store:
        async with Gateway(settings, store) as gateway:
            return await run_episode(task, sandbox, gateway, user_mode="simulated")


def served(play):
    """What the offline model comes to, and how often the user spoke."""
    messages = [{"role": "system", "content": play.system}, {"role": "user", "content": play.instruction}]
    while True:
        said = answer(OfflineRequest(messages, play.tools))
        messages.append(said)
        if calls := said.get("tool_calls"):
            for call in calls:
                content, _ = play.call(call["function"]["name"], json.loads(call["function"]["arguments"]))
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
            continue
        heard = play.tell(said["content"])
        if isinstance(heard, Judged):
            return heard, sum(message["role"] == "user" for message in messages)
        messages.append({"role": "user", "content": heard})
