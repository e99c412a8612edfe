"""`toolscale attempt`: a model's pass rate is added to a dataset, under a budget, and nothing is paid for twice."""

import json
import shutil
from collections import Counter

import pyarrow.parquet as pq
import pytest
import yaml
from typer.testing import CliRunner

from tests.dataset.small import OF_EVAL, attempts, contents, task
from tests.dataset.test_card import table
from tests.dataset.test_folder import files
from tests.openai_server import Fault, OpenAIServer, tool_call
from toolscale.artifacts import GoldenCall, Instructions, UserScenario
from toolscale.cli import app
from toolscale.dataset import read_dataset, write_dataset
from toolscale.dataset.card import card
from toolscale.dataset.opened import open_tables
from toolscale.errors import UserError
from toolscale.evaluation.pass_rates import AttemptOptions, drawn
from toolscale.settings import ModelSettings

OPEN = (1, 2, 3, 5)
"""Orders that can be cancelled."""

NAMES = {order: f"shop-{order}" for order in OPEN} | {5: OF_EVAL}
"""Order -> the task that cancels it."""


def cancel(order):
    """A task of its own words: what two tasks ask alike is asked once."""
    said = Instructions(domain="shop", reason_for_call=f"Cancel order O-{order}.")
    return task(NAMES[order]).model_copy(
        update={
            "user_scenario": UserScenario(persona="In a hurry.", instructions=said),
            "golden_calls": [GoldenCall(action_id="0", name="cancel_order", arguments={"order_id": f"O-{order}"})],
            "attempts": attempts(8),
            "pass_rate": 1.0,
        }
    )


def order_in(request):
    said = "".join(message["content"] or "" for message in request["messages"] if message["role"] == "user")
    return said.partition("order O-")[2].partition(".")[0]


def errs(request):
    """An agent that cancels order O-n in n of its attempts, and only says so in the others."""
    order = order_in(request)
    if request["messages"][-1]["role"] == "tool" or request["seed"] % 1_000_003 >= int(order):
        return "It is cancelled."
    return {"tool_calls": [tool_call("cancel_order", json.dumps({"order_id": f"O-{order}"}))]}


MADE = 4
"""Attempts at each task."""

SOLVED = {NAMES[order]: min(order, MADE) for order in OPEN}

CALLS = sum(MADE + min(order, MADE) for order in OPEN)
"""That all attempts at every task make: one where it errs, two where it acts."""


@pytest.fixture(name="fresh", scope="module")
def fresh_fixture(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fresh") / "d"
    write_dataset(folder, **contents(tasks=[cancel(order) for order in OPEN], rejected=[], trajectories=[]))
    return folder


@pytest.fixture(name="dataset")
def dataset_fixture(fresh, tmp_path):
    return shutil.copytree(fresh, tmp_path / "d")


@pytest.fixture(name="attempt")
def attempt_fixture(tmp_path, monkeypatch):
    """`toolscale attempt` on the dataset, with a model of a server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLSCALE_RETRIES", "0")
    monkeypatch.setenv("TOOLSCALE_ATTEMPTS", str(MADE))
    monkeypatch.setenv("TOOLSCALE_MAX_IN_FLIGHT", "4")

    def run(server, *options, model="openai/agent"):
        prices = {name: {"input": 1, "output": 1} for name in (model, "openai/reader")}
        monkeypatch.setenv("TOOLSCALE_PRICES", json.dumps(prices))
        order = ["attempt", "d", "--model", model, "--api-base", server.url, *options]
        return CliRunner().invoke(app, order, env={"COLUMNS": "200"})

    return run


def told(result):
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


def entries(folder):
    """Task id -> its entries of `pass_rates`."""
    rows = [row for file in sorted((folder / "tasks").iterdir()) for row in pq.read_table(file).to_pylist()]
    return {row["id"]: row["pass_rates"] for row in rows}


def distinct(server):
    return Counter(json.dumps(request, sort_keys=True) for request in server.requests)


def test_every_task_gets_the_rate_of_its_attempts_and_all_else_stays(attempt, dataset):
    before = files(dataset)
    others = [pq.read_table(file).drop_columns("pass_rates") for file in sorted((dataset / "tasks").iterdir())]
    with OpenAIServer(errs) as server:
        found = told(attempt(server, "--json"))
        assert len(server.requests) == CALLS
    assert (found["tasks"], found["attempted"], found["calls"], found["stopped"]) == (4, 4, CALLS, None)
    assert found["pass_rate"]["mean"] == pytest.approx(sum(SOLVED.values()) / 4 / MADE)
    assert found["pass_rate"]["low"] < found["pass_rate"]["mean"] < found["pass_rate"]["high"]
    assert found["dollars"] == found["domains"]["shop"]["dollars"] > 0
    assert entries(dataset) == {
        name: [
            {
                "model": "openai/agent",
                "user_model": None,
                "temperature": None,
                "max_turns": 50,
                "attempts": MADE,
                "solved": solved,
                "rate": solved / MADE,
            }
        ]
        for name, solved in SOLVED.items()
    }
    assert others == [pq.read_table(file).drop_columns("pass_rates") for file in sorted((dataset / "tasks").iterdir())]
    changed = {name for name, content in files(dataset).items() if before.get(name) != content}
    assert changed == {"README.md", *(f"tasks/{file.name}" for file in (dataset / "tasks").iterdir())}
    assert files(dataset).keys() == before.keys()
    assert [each.pass_rate for each, _ in read_dataset(dataset)] == [1.0] * 4


def test_what_a_budget_let_through_is_kept_and_the_next_run_asks_only_what_is_missing(attempt, dataset):
    with OpenAIServer(errs) as server:
        stopped = attempt(server, "--max-calls", str(CALLS - 10), "--json")
        assert stopped.exit_code == 3
        found = json.loads(stopped.stdout)
        rated = {name: one for name, one in entries(dataset).items() if one}
        assert 0 < len(rated) == found["attempted"] < len(OPEN)
        assert "max_calls" in found["stopped"]
        assert {name: one[0]["solved"] for name, one in rated.items()}.items() <= SOLVED.items()
        again = told(attempt(server, "--json"))
        assert again["calls"] == CALLS - found["calls"]
        assert set(distinct(server).values()) == {1}, "what was paid for is not asked again"
    assert {name: one[0]["solved"] for name, one in entries(dataset).items()} == SOLVED


def test_a_run_that_was_stopped_ends_as_one_that_was_not(attempt, dataset, fresh):
    with OpenAIServer(errs) as server:
        attempt(server, "--max-calls", "12")
        attempt(server)
        stopped = files(dataset)
        shutil.rmtree(dataset)
        shutil.copytree(fresh, dataset)
        told(attempt(server, "--json"))
    assert files(dataset) == stopped


def test_an_endpoint_that_fails_ends_the_run_and_what_is_finished_is_kept(attempt, dataset):
    def fails_at_five(request):
        if order_in(request) == "5":
            raise ConnectionError("made to fail")
        return errs(request)

    with OpenAIServer(fails_at_five) as server:
        failed = attempt(server)
    assert isinstance(failed.exception, UserError)
    assert "run the same command to continue" in str(failed.exception)
    rated = {name for name, one in entries(dataset).items() if one}
    assert NAMES[5] not in rated
    with OpenAIServer(errs) as server:
        assert told(attempt(server, "--json"))["attempted"] == 4


def test_a_run_without_news_leaves_the_folder_alone(attempt, dataset):
    with OpenAIServer(errs) as server:
        attempt(server)
        before = {path: path.stat().st_ino for path in dataset.rglob("*")}
        again = told(attempt(server, "--max-calls", "0", "--json"))
        assert len(server.requests) == CALLS
    assert (again["attempted"], again["calls"], again["dollars"]) == (4, 0, 0)
    assert {path: path.stat().st_ino for path in dataset.rglob("*")} == before


def test_the_same_settings_replace_an_entry_and_others_stand_beside_it(attempt, dataset):
    with OpenAIServer(errs) as server:
        attempt(server)
        attempt(server, "--temperature", "0.5", "--tasks", "2")
        attempt(server, "--attempts", "2")
    found = entries(dataset)
    assert {name: (one[0]["attempts"], one[0]["solved"]) for name, one in found.items()} == {
        name: (2, min(solved, 2)) for name, solved in SOLVED.items()
    }
    assert sorted([each["temperature"] for each in one] for one in found.values() if len(one) == 2) == [[None, 0.5]] * 2


def test_tasks_are_drawn_by_the_seed_and_more_of_them_begin_with_the_same(fresh):
    def names(seed, tasks=None):
        options = AttemptOptions(dataset=fresh, agent=ModelSettings(model="openai/agent"), tasks=tasks)
        return [placed.task.id for placed in drawn(options, seed)]

    assert names(0) == names(0)
    assert sorted(names(0)) == sorted(SOLVED)
    assert names(0, 2) == names(0)[:2]
    assert len({tuple(names(seed)) for seed in range(5)}) > 1


def test_a_folder_of_an_earlier_version_gets_the_column_in_every_split(attempt, dataset):
    for file in (dataset / "tasks").iterdir():
        pq.write_table(pq.read_table(file).drop_columns("pass_rates"), file)
    with open_tables(dataset) as tables:
        assert tables.rows("select count(*) from pass_rates_by_model") == [(0,)]
    splits = {file.stem: pq.read_table(file).num_rows for file in (dataset / "tasks").iterdir()}
    split = max(splits, key=lambda name: splits[name])
    with OpenAIServer(errs) as server:
        assert told(attempt(server, "--split", split, "--json"))["attempted"] == splits[split]
    for file in (dataset / "tasks").iterdir():
        assert "pass_rates" in pq.read_schema(file).names
        assert all(bool(one) == (file.stem == split) for one in pq.read_table(file)["pass_rates"].to_pylist())


def test_the_card_and_the_views_tell_a_model_as_the_rows_do(attempt, dataset):
    with OpenAIServer(errs) as server:
        attempt(server)
        attempt(server, "--temperature", "0.5", "--tasks", "1")
    text = (dataset / "README.md").read_text()
    (plain, warm) = table(text, "Pass rates by model")
    assert plain[:3] == ["openai/agent", "direct, the provider's temperature, 50 turns", "4"]
    assert plain[3].startswith(f"{sum(SOLVED.values()) / 4 / MADE:.2f} (")
    assert warm[1:3] == ["direct, temperature 0.5, 50 turns", "1"]
    with open_tables(dataset) as tables:
        assert tables.rows(
            "select sum(rate * tasks), sum(tasks)::int from pass_rates_by_model where temperature is null"
        )[0] == (pytest.approx(sum(SOLVED.values()) / MADE), 4)


def test_a_user_who_is_simulated_stands_in_the_entry_and_spoiled_attempts_do_not_count(attempt, dataset, monkeypatch):
    def played(request):
        system = request["messages"][0]["content"]
        if request["model"] != "reader":
            return errs(request)
        first = not any(message["role"] == "user" for message in request["messages"][2:])
        if request["seed"] % 1_000_003 == 0:
            return " "
        return system[system.index("Cancel order") :].partition(".")[0] + "." if first else "###DONE###"

    with OpenAIServer(played) as server:
        user = {"user": {"model": "openai/reader", "api_base": server.url}}
        monkeypatch.setenv("TOOLSCALE_MODELS", json.dumps(user))
        found = told(attempt(server, "--mode", "simulated", "--tasks", "1", "--json"))
    assert found["attempted"] == 1
    (one,) = [one[0] for one in entries(dataset).values() if one]
    assert (one["user_model"], one["attempts"]) == ("openai/reader", MADE - 1)


def test_what_a_model_is_called_acts_neither_on_the_terminal_nor_in_the_card(attempt, dataset):
    name = "openai/a\x1b[2J|![x](http://x)<img src=x>\nb"
    with OpenAIServer(errs) as server:
        shown = attempt(server, "--tasks", "1", model=name)
    assert shown.exit_code == 0, shown.exception
    assert "\x1b" not in shown.stdout
    text = (dataset / "README.md").read_text()
    (row,) = table(text, "Pass rates by model")
    assert "\x1b" not in text
    assert "](http" not in text
    assert "<img" not in text
    assert len(row) > 4
    assert yaml.safe_load(text.split("---\n")[1])["license"] == "apache-2.0"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--split", "test"], "no tasks in the split `test`; its splits: "),
        (["--api-base", "ftp://x"], "--api-base must be a URL"),
    ],
)
def test_an_order_that_cannot_be_carried_out_asks_nobody(attempt, dataset, options, said):
    before = files(dataset)
    with OpenAIServer(errs) as server:
        refused = attempt(server, *options)
        assert not server.requests
    assert isinstance(refused.exception, UserError)
    assert said in str(refused.exception)
    assert files(dataset) == before


def test_what_is_no_dataset_is_refused_and_left_alone(attempt, tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "notes.txt").write_text("mine")
    with OpenAIServer(errs) as server:
        refused = attempt(server)
        assert not server.requests
    assert isinstance(refused.exception, UserError)
    assert "holds no Parquet file" in str(refused.exception)
    assert [path.name for path in (tmp_path / "d").iterdir()] == ["notes.txt"]


def test_a_failure_while_writing_leaves_the_folder_as_it_was(attempt, dataset, tmp_path, monkeypatch):
    before = files(dataset)

    def fails_on_rates(contents):
        if contents.value("select count(*) from pass_rates_by_model"):
            raise OSError("no space left on device")
        return card(contents)

    monkeypatch.setattr("toolscale.dataset.adding_rates.card", fails_on_rates)
    with OpenAIServer(errs) as server:
        failed = attempt(server)
        assert isinstance(failed.exception, UserError)
        assert files(dataset) == before
        monkeypatch.undo()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".d-")]


def test_a_fault_is_no_attempt(attempt, dataset):
    with OpenAIServer(errs) as server:
        server.faults.append(Fault(status=400))
        assert isinstance(attempt(server, "--tasks", "1").exception, UserError)
        assert not any(entries(dataset).values())
        assert told(attempt(server, "--tasks", "1", "--json"))["attempted"] == 1


def test_an_estimate_asks_nobody_and_counts_what_is_left(attempt, dataset):
    before = files(dataset)
    with OpenAIServer(errs) as server:
        ahead = told(attempt(server, "--estimate", "--json"))
        assert not server.requests
        assert files(dataset) == before
        attempt(server, "--max-calls", "10")
        partly = told(attempt(server, "--estimate", "--json"))
        attempt(server)
        asked = len(server.requests)
        done = told(attempt(server, "--estimate", "--json", "--max-cost", "1"))
        assert len(server.requests) == asked == CALLS
    assert ahead["dollars"]["high"] > partly["dollars"]["high"] > 0
    assert [line["cached"] for each in (ahead, partly, done) for line in each["lines"]] == [0, 10, CALLS]
    assert (done["calls"]["high"], done["caps"]) == (0, {"max_cost": {"cap": 1.0, "enough": "yes"}})
