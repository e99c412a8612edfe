"""Sessions are independent, bounded and judged as training judges; what they show never tells the task."""

import json

import pytest

from tests.dataset.small import FIRST, KEPT, OF_EVAL, WORLD, write_small
from tests.exchange.world import FINE
from tests.exchange.world import WORLD as HOTEL
from toolscale.environment import write_environment
from toolscale.errors import UserError
from toolscale.serving.play import MOST_ARGUMENT_BYTES, MOST_MESSAGE_CHARACTERS, PlayError
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import ServedTasks, load_tasks

SAID = "2,500 in Zürich"


@pytest.fixture(scope="module")
def sessions():
    with Sessions(ServedTasks([("train", FINE, HOTEL), ("eval", FIRST, WORLD)]), most=64, idle_seconds=900) as opened:
        yield opened


def play_golden(play, task=FINE):
    for call in task.golden_calls:
        play.call(call.name, call.arguments)


def test_golden_calls_and_the_facts_earn_the_reward(sessions):
    play = sessions.open(FINE.id).play
    play_golden(play)
    judged = play.finish(SAID)
    assert judged.reward == 1
    assert judged.as_json() == {
        "reward": 1.0, "solved": True, "ending": "done",
        "execution": True, "fidelity": True, "completeness": True, "reasons": [],
    }  # fmt: skip


def test_what_is_missing_costs_the_reward_and_is_told(sessions):
    play = sessions.open(FINE.id).play
    judged = play.finish("done")
    assert (judged.reward, judged.verdict.execution, judged.verdict.fidelity) == (0, False, False)
    assert judged.verdict.reasons
    for late in (lambda: play.call("get_room", {"room_id": "R-1"}), lambda: play.finish(SAID), lambda: play.say("x")):
        with pytest.raises(PlayError, match="over"):
            late()


def test_sessions_of_one_task_do_not_see_each_other(sessions):
    one, other = sessions.open(FINE.id), sessions.open(FINE.id)
    play_golden(one.play)
    assert other.play.calls_made == 0
    assert other.play.finish(SAID).reward == 0
    assert one.play.finish(SAID).reward == 1
    assert one.id != other.id


def test_a_session_is_found_by_its_whole_id_alone(sessions):
    opened = sessions.open(FINE.id)
    assert sessions.get(opened.id) is opened
    for wrong in (opened.id[:-1], FINE.id, ""):
        with pytest.raises(PlayError, match="no such session"):
            sessions.get(wrong)


def test_what_a_session_shows_holds_no_golden_call(sessions):
    play = sessions.open(FINE.id).play
    shown = json.dumps([play.instruction, play.system, play.tools, play.call("get_room", {"room_id": "R-1"})])
    assert "golden" not in shown
    assert "Zürich" not in shown
    assert '"nights": 2' not in shown


@pytest.mark.parametrize(
    "arguments",
    [{"room_id": float("nan")}, {"room_id": "\ud800"}, {"room_id": "x" * MOST_ARGUMENT_BYTES}, {"room_id": object()}],
)
def test_hostile_arguments_are_refused_and_cost_nothing(sessions, arguments):
    play = sessions.open(FINE.id).play
    with pytest.raises(PlayError):
        play.call("get_room", arguments)
    deep = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(PlayError):
        play.call("get_room", {"room_id": deep})
    assert play.calls_made == 0


def test_messages_are_bounded(sessions):
    play = sessions.open(FINE.id).play
    play.say("x" * MOST_MESSAGE_CHARACTERS)
    with pytest.raises(PlayError, match="characters"):
        play.finish("y")


def test_sessions_are_bounded_and_idle_ones_end():
    now = [0.0]
    with Sessions(ServedTasks([("train", FINE, HOTEL)]), most=2, idle_seconds=10, clock=lambda: now[0]) as few:
        first, second = few.open(FINE.id), few.open(FINE.id)
        with pytest.raises(PlayError, match="2 sessions are open"):
            few.open(FINE.id)
        now[0] = 8
        few.get(second.id)
        now[0] = 11
        with pytest.raises(PlayError, match="idle"):
            few.get(first.id)
        assert few.get(second.id) is second
        few.close(second.id)
        assert len(few) == 0


def test_a_seed_chooses_a_task_of_the_split(sessions):
    tasks = sessions.tasks
    assert tasks.chosen(split="eval", seed=7) == FIRST.id
    assert {tasks.chosen(seed=seed) for seed in range(2)} == {FINE.id, FIRST.id}
    with pytest.raises(UserError, match="not in the split"):
        tasks.chosen(FINE.id, "eval")
    with pytest.raises(UserError, match="no task"):
        tasks.chosen("nobody")


def test_an_environment_folder_is_served_with_its_tasks(tmp_path):
    write_environment(HOTEL, tmp_path / "hotel")
    (tmp_path / "hotel/tasks.json").write_text(json.dumps([FINE.model_dump(mode="json")]))
    loaded = load_tasks(str(tmp_path / "hotel"))
    assert loaded.splits == {"train": [FINE.id]}
    with pytest.raises(UserError, match="there is no"):
        load_tasks(str(tmp_path / "nothing"))


def test_a_dataset_folder_is_served_by_its_splits(tmp_path):
    write_small(tmp_path / "d")
    loaded = load_tasks(str(tmp_path / "d"))
    assert len(loaded) == len(KEPT)
    assert OF_EVAL in loaded.ids("eval")
    with Sessions(loaded, most=1, idle_seconds=900) as sessions:
        play = sessions.open(OF_EVAL).play
        play.call("cancel_order", {"order_id": "O-1"})
        assert play.finish("It is cancelled.").reward == 1
