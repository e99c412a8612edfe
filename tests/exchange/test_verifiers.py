"""What is exported for `verifiers` loads there, its tools run, and its reward is the verdict."""

import asyncio
import importlib
from types import SimpleNamespace

import pytest

from tests.exchange.world import FINE, PLACED, WORLD
from toolscale.artifacts import RequiredCall, Task
from toolscale.dataset.folder import Placed
from toolscale.exchange.verifiers_export import export_verifiers


def test_every_file_is_python_and_the_environment_is_ours(tmp_path):
    from toolscale.environment import load_environment

    export_verifiers(PLACED, tmp_path / "out")
    package = tmp_path / "out/toolscale_hotel_desk/toolscale_hotel_desk"
    for file in package.glob("*.py"):
        compile(file.read_text(), str(file), "exec")
    assert load_environment(package / "environment") == WORLD
    assert [len((package / f"{split}.jsonl").read_text().splitlines()) for split in ("train", "eval")] == [1, 1]


def test_all_that_the_verdict_reads_goes_along_and_a_task_that_begins_with_calls_is_left_out(tmp_path):
    must = RequiredCall(name="get_room", arguments={"room_id": "R-1"})
    judged = FINE.model_copy(update={"required_calls": [must]})
    begun = FINE.model_copy(update={"id": "begun", "start": FINE.golden_calls[:1]})
    report = export_verifiers([Placed(each, WORLD, "train") for each in (judged, begun)], tmp_path / "out")
    (line,) = (tmp_path / "out/toolscale_hotel_desk/toolscale_hotel_desk/train.jsonl").read_text().splitlines()
    assert Task.model_validate_json(line).required_calls == [must]
    assert [each.what for each in report.left_out] == ["task begun"]


def test_the_reward_is_the_verdict(tmp_path, monkeypatch):
    vf = pytest.importorskip("verifiers.v1")
    export_verifiers([Placed(FINE, WORLD, "train")], tmp_path / "out")
    monkeypatch.syspath_prepend(tmp_path / "out/toolscale_hotel_desk")
    package = importlib.import_module("toolscale_hotel_desk")
    tools = importlib.import_module("toolscale_hotel_desk.tools")
    (task,) = package.HotelDeskTaskset(package.taskset.HotelDeskConfig())
    kit = tools.HotelDeskTools(vf.SharedToolsetConfig())

    async def reward(calls, said):
        kit._inert_state = state = tools.Calls()
        for call in calls:
            await getattr(kit, call.name)(**call.arguments)
        return await task.solved(SimpleNamespace(state=state, assistant_messages=[SimpleNamespace(content=said)]))

    assert asyncio.run(reward(FINE.golden_calls, "2,500 in Zürich")) == 1
    assert asyncio.run(reward(FINE.golden_calls[:2], "2,500 in Zürich")) == 0
    assert asyncio.run(reward(FINE.golden_calls, "done")) == 0
