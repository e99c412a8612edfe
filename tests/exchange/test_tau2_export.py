"""tau2-bench loads what is exported as it is, its toolkit does what the sandbox does, and an import loses nothing."""

import importlib
import json
import sys
from datetime import datetime

import pytest
from pydantic import create_model

from tests.exchange import tau2_bench
from tests.exchange.world import FUNCTIONS, PLACED, TASK, WORLD
from toolscale.checkers.task_file import read_tasks
from toolscale.dataset.folder import Placed
from toolscale.environment import Sandbox, equal, load_environment
from toolscale.errors import UserError
from toolscale.exchange.tau2_export import export_tau2
from toolscale.exchange.tau2_import import import_tau2


@pytest.fixture
def domain(monkeypatch, tmp_path):
    """The exported domain, imported as a package."""
    tau2_bench.install(monkeypatch)
    export_tau2(PLACED, tmp_path / "out")
    monkeypatch.syspath_prepend(tmp_path / "out")
    yield importlib.import_module("hotel_desk.environment")
    for name in [name for name in sys.modules if name.partition(".")[0] == "hotel_desk"]:
        del sys.modules[name]


def test_its_tasks_are_tau2_bench_tasks_in_their_splits(domain):
    assert [task.id for task in domain.get_tasks()] == ["hotel-1", "hotel-2"]
    assert [task.id for task in domain.get_tasks("eval")] == ["hotel-2"]
    task = domain.get_tasks()[0]
    assert [action.arguments for action in task.evaluation_criteria.actions] == [c.arguments for c in TASK.golden_calls]
    assert task.evaluation_criteria.communicate_info == ["2500", "Zürich"], "tau2-bench would never find a comma"


def test_golden_calls_give_the_results_and_the_database_that_the_sandbox_gives(domain):
    environment = domain.get_environment()
    results = []
    for action in domain.get_tasks()[0].evaluation_criteria.actions:
        try:
            results.append(environment.tools.use_tool(action.name, **action.arguments))
        except ValueError as error:
            results.append(str(error))
    with Sandbox(WORLD) as sandbox:
        replay = sandbox.run(TASK.golden_calls)
    assert results == [outcome.result if outcome.ok else outcome.error for outcome in replay.outcomes]
    left = environment.tools.db.model_dump()
    assert len(left["bookings"]) == 3
    assert all(equal(left[ref.table][ref.key], entry) for ref, entry in replay.changes.items())


def test_two_toolkits_of_one_domain_know_nothing_of_each_other(domain):
    def booked():
        tools = domain.get_environment().tools
        return tools.use_tool("book_room", room_id="R-1", nights=2), tools.db.model_dump()

    assert booked() == booked()


def test_the_process_keeps_its_own_clock(domain):
    import datetime as standard
    import uuid

    domain.get_environment().tools.use_tool("book_room", room_id="R-1", nights=2)
    assert standard.datetime is datetime
    assert standard.datetime.now() > datetime(2026, 3, 14, 9, 1)
    assert uuid.uuid4() != uuid.uuid4()


def test_the_signatures_say_what_the_functions_say(domain):
    tools = domain.get_environment().tools.tools
    for function in FUNCTIONS:
        hints = {name: hint for name, hint in tools[function.name].__annotations__.items() if name != "return"}
        schema = create_model("parameters", **{name: (hint, ...) for name, hint in hints.items()}).model_json_schema()
        for name, said in function.parameters["properties"].items():
            got = {key: value for key, value in schema["properties"][name].items() if key != "title"}
            assert got == {key: value for key, value in said.items() if key != "description"}
        assert function.description.split("\n")[0] in tools[function.name].__doc__
    assert "C:\\new money" in tools["get_room"].__doc__
    assert "room_id: such as R-1." in tools["get_room"].__doc__


def test_export_and_import_lose_nothing(tmp_path):
    export_tau2(PLACED, tmp_path / "out")
    report = import_tau2(tmp_path / "out/hotel_desk", tmp_path / "back")
    assert report.left_out == []
    assert load_environment(tmp_path / "back") == WORLD
    assert read_tasks(tmp_path / "back/tasks.json") == [one.task for one in PLACED]


def test_a_fact_that_was_edited_in_tau2_bench_form_is_what_counts(tmp_path):
    export_tau2(PLACED, tmp_path / "out")
    file = tmp_path / "out/hotel_desk/tasks.json"
    rows = json.loads(file.read_text())
    rows[0]["evaluation_criteria"]["communicate_info"] = ["2600"]
    file.write_text(json.dumps(rows))
    import_tau2(tmp_path / "out/hotel_desk", tmp_path / "back")
    assert read_tasks(tmp_path / "back/tasks.json")[0].communicate_info == ["2600"]


def test_a_task_without_an_instruction_is_told_not_dropped(tmp_path):
    silent = Placed(TASK.model_copy(update={"user_scenario": None}), WORLD, "train")
    report = export_tau2([silent, PLACED[1]], tmp_path / "out")
    assert report.written["tasks"] == 1
    assert [one.what for one in report.left_out] == ["task hotel-1"]


def test_environments_of_one_domain_do_not_overwrite_each_other(tmp_path):
    other = WORLD.model_copy(update={"seed": 8})
    export_tau2([*PLACED, Placed(TASK, other, "train")], tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["hotel_desk", "hotel_desk_v2"]


@pytest.mark.parametrize(
    ("name", "parameter", "message"),
    [
        ("update_db", "room_id", "have this name for themselves"),
        ("get_room", "from", "cannot be one of a Python method"),
    ],
)
def test_a_name_that_no_method_can_have_is_refused(tmp_path, name, parameter, message):
    parameters = {"type": "object", "properties": {parameter: {"type": "string"}}}
    function = FUNCTIONS[0].model_copy(update={"name": name, "parameters": parameters})
    environment = WORLD.model_copy(update={"functions": [function]})
    with pytest.raises(UserError, match=message):
        export_tau2([Placed(TASK, environment, "train")], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_task_judged_on_its_words_stays_one(monkeypatch, tmp_path):
    tau2_bench.install(monkeypatch)
    spoken = TASK.model_copy(update={"golden_calls": [], "database_judged": False})
    export_tau2([Placed(spoken, WORLD, "train")], tmp_path / "out")
    (row,) = json.loads((tmp_path / "out/hotel_desk/tasks.json").read_text())
    criteria = importlib.import_module("tau2.data_model.tasks").Task.model_validate(row).evaluation_criteria
    assert criteria.actions is None, "with an empty list tau2-bench would let nothing change"
    assert [*criteria.reward_basis] == ["COMMUNICATE"]
    import_tau2(tmp_path / "out/hotel_desk", tmp_path / "back")
    assert read_tasks(tmp_path / "back/tasks.json") == [spoken]
