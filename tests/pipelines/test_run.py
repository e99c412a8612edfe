"""From a domain's name to a dataset in one command: on the offline model, and over HTTP with a model of one's own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pyarrow.parquet as pq
import pytest

from pipelines.domains import make_domain, write_domain
from pipelines.factory import Factory
from pipelines.progress import DomainReport, RunReport
from pipelines.run import run
from pipelines.tags import QUEUE
from tests.conftest import FREE
from tests.dataset.crossing import crossing, splits_of_tasks
from tests.openai_server import OpenAIServer
from toolscale.cli import main
from toolscale.dataset.audit import audit
from toolscale.errors import UserError
from toolscale.reference.domain import reference_domain
from toolscale.reference.model import OfflineRequest, answer
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

DOMAIN = "restaurant"
TASKS = 6
"""So many that some are held out for `eval`."""
NEW = ["synthesize", "casino", "--description", "Games of chance."]
OWN = ["--model", "openai/m", "--api-base", "http://127.0.0.1:9/v1"]


def variables_of(root):
    """The environment of a user who has set nothing but where the data lie."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    clean = {name: value for name, value in clean.items() if not name.endswith("_API_KEY")}
    return clean | FREE | {"TOOLSCALE_DATA_ROOT": str(root / "data")}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty working directory of such a user, for commands that run in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", variables_of(tmp_path))
    return monkeypatch


def toolscale(*arguments, root, **variables):
    """The command, as a user runs it, in an empty working directory."""
    root.mkdir(exist_ok=True)
    environment = variables_of(root) | variables
    command = [sys.executable, "-m", "toolscale.cli", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def written(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def rows(dataset):
    """Every row of a dataset, by file."""
    return {
        str(file.relative_to(dataset)): pq.read_table(file).to_pylist() for file in sorted(dataset.rglob("*.parquet"))
    }


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory):
    """A small demo's root, and what the command printed."""
    root = tmp_path_factory.mktemp("demo")
    done = toolscale("demo", "--domains", DOMAIN, "--tasks-per-domain", str(TASKS), "--json", root=root)
    assert done.returncode == 0, done.stderr
    return root, done


def test_the_demo_prints_its_figures_alone_and_they_add_up(demonstrated):
    _, done = demonstrated
    printed = json.loads(done.stdout)
    assert set(printed) == {"dataset", "seconds", "domains"}
    figures = printed["domains"][DOMAIN]
    assert figures["functions"] >= 14
    assert figures["entries"] >= 300
    assert 1 <= figures["kept"] <= figures["proposed"] <= 2 * TASKS
    assert figures["proposed"] == figures["kept"] + sum(figures["rejected"].values())
    assert 0 < figures["pass_rate"] <= 1
    assert f"{DOMAIN}: verified_tasks" in done.stderr


def test_no_row_of_what_a_run_builds_crosses_from_eval_into_train(demonstrated):
    _, done = demonstrated
    folder = Path(json.loads(done.stdout)["dataset"])
    assert {"train", "eval"} == set(splits_of_tasks(folder).values())
    assert crossing(folder) == []
    attempts = {split: pq.read_table(folder / f"trajectories/{split}.parquet").num_rows for split in ("train", "eval")}
    assert min(attempts.values()) > 0


def test_every_task_of_the_demo_passes_the_audit(demonstrated):
    _, done = demonstrated
    printed = json.loads(done.stdout)
    report = audit(Path(printed["dataset"])).as_json()
    assert report["tasks"] == report["passed"] == printed["domains"][DOMAIN]["kept"]
    assert set(report["agents"].values()) == {0}
    assert report["mutation"]["killed"] == report["mutation"]["total"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_rows(demonstrated, tmp_path):
    _, done = demonstrated
    first = rows(Path(json.loads(done.stdout)["dataset"]))
    again = demo(tmp_path / "again")
    assert rows(Path(again.dataset)) == first


@pytest.mark.slow
def test_a_run_that_is_repeated_asks_the_model_nothing(demonstrated):
    root, _ = demonstrated
    data = root / "data"

    def asked():
        with Store(f"sqlite:///{data}/toolscale.db") as store:
            return {(call.key, call.created_at) for call in store.rows(ModelCall)}

    before = asked()
    shutil.rmtree(data / "made")  # else nothing is run at all
    demo(data)
    assert asked() == before
    assert len(before) > 50


def test_a_failed_stage_leaves_no_trace_of_its_own_and_says_why(tmp_path, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_RETRIES", "0")
    settings = Settings(data_root=str(tmp_path))
    factory = Factory.of(settings, model="openai/m", api_base="http://127.0.0.1:9/v1")
    zoo = make_domain("zoo", "animals and their keepers")
    with dg.DagsterInstance.ephemeral() as instance:
        with pytest.raises(UserError) as error:
            run([zoo], factory, instance=instance)
        queues = [each.tags[QUEUE] for each in instance.get_runs()]
    assert "\n" not in str(error.value)
    assert written(tmp_path / "assets") == ["domain", "domain/zoo.parquet"]
    assert queues == ["none"], "a command that is killed would hold its place in the queue for ever"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["demo", "--domains", "railway,casino"], "knows no domain `casino`"),
        (["demo", "--domains", "railway,railway"], "named twice"),
        (["demo", "--domains", ""], "knows no domain"),
        (["synthesize", "casino", "--description", "Games of chance."], "knows no domain `casino`"),
        (["synthesize", "casino", "--model", "openai/m"], "set OPENAI_API_KEY"),
        (["synthesize", "../casino", "--description", "Games.", "--model", "openai/m"], "small letters"),
        (["synthesize", DOMAIN, "--description", "A kebab shop."], "leave the description out"),
        (["synthesize", DOMAIN, "--description", "A kebab shop.", "--preview"], "would answer for that one"),
        (["estimate", DOMAIN, "--description", "A kebab shop."], "name a real model for yours"),
        (["estimate", "casino"], "knows no domain `casino`"),
        (["synthesize", "casino", "--preview"], "knows no domain `casino`"),
        (["synthesize", "casino", "--description", "Games.", "--model", "openai/m", "--role", "agent"], "ROLE=MODEL"),
        (["synthesize", "casino", "--description", "Games.", "--model", "m", "--role", "cook=m"], "no role `cook`"),
        ([*NEW, "--model", "openai/m"], "set OPENAI_API_KEY"),
        ([*NEW, *OWN, "--role", "agent=anthropic/m"], "set ANTHROPIC_API_KEY"),
        ([*NEW, "--model", "openai/m", "--api-base", "localhost:8000/v1"], "--api-base must be a URL"),
        ([*NEW, *OWN, "--role", "agent=openai/n", "--api-base", "localhost:8000/v1"], "--api-base must be a URL"),
        ([*NEW, "--model", "openai/m", "--api-base", "http://me:secret@host/v1"], "--api-base must carry no user"),
    ],
)
def test_a_wrong_command_is_one_line_and_writes_nothing(here, capfd, arguments, complaint):
    here.setattr("sys.argv", ["toolscale", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capfd.readouterr()
    assert ended.value.code == 2
    assert complaint in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""
    assert "secret" not in said.err
    assert written(Path.cwd()) == []


def test_a_file_of_another_domain_of_that_name_is_refused_until_it_is_removed(here, capfd):
    file = write_domain("data", make_domain(DOMAIN, "A kebab shop."))
    for arguments in (["synthesize", DOMAIN], ["demo", "--domains", DOMAIN]):
        here.setattr("sys.argv", ["toolscale", *arguments])
        with pytest.raises(SystemExit):
            main()
        assert f"remove {Path.cwd() / file}" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], ["Answered by the offline model, not by a real one: every role."]),
        (OWN, []),
        ([*OWN, "--role", "user=offline/reference"], ["Answered by the offline model, not by a real one: user."]),
    ],
)
def test_an_estimate_says_where_the_offline_model_answers(here, capfd, options, said):
    prices = {"openai/m": {"input": 1, "output": 2}}
    here.setattr(os, "environ", os.environ | {"OPENAI_API_KEY": "any", "TOOLSCALE_PRICES": json.dumps(prices)})
    here.setattr("sys.argv", ["toolscale", "estimate", DOMAIN, "--tasks", "3", *options])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capfd.readouterr()
    assert not ended.value.code, printed.err
    assert [line for line in printed.out.splitlines() if "offline model" in line] == said


def test_a_run_says_that_the_offline_model_answered(here, capfd):
    made = RunReport("data", 1.0, {DOMAIN: DomainReport(1, 2, 3, 1, 0.5, {}, 1)})
    here.setattr("pipelines.run.run", lambda *given, **options: made)
    here.setattr("sys.argv", ["toolscale", "synthesize", DOMAIN])
    with pytest.raises(SystemExit):
        main()
    assert capfd.readouterr().out.startswith("Answered by the offline model, not by a real one: every role.\n")


def test_a_folder_that_holds_something_else_is_refused_before_the_work(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("Once upon a time")
    done = toolscale("demo", "--out", str(tmp_path / "thesis"), root=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "chapter1.tex" in done.stderr
    assert written(tmp_path) == ["thesis", "thesis/chapter1.tex"]


@pytest.mark.slow
def test_a_domain_that_no_reference_covers_is_made_by_a_model_over_http(tmp_path):
    """The model is the offline one, behind HTTP, told that the new domain is one it knows."""

    def model(request):
        renamed = json.loads(json.dumps(request["messages"]).replace("dinery", DOMAIN))
        return answer(OfflineRequest(renamed, request.get("tools") or (), request.get("seed") or 0))

    with OpenAIServer(model) as server:
        model_options = ("--model", "openai/teacher", "--role", "agent=openai/agent", "--api-base", server.url)
        about = reference_domain(DOMAIN).domain.description
        done = toolscale(
            *("synthesize", "dinery", "--description", about, "--tasks", "2", "--json", *model_options), root=tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert {request["model"] for request in server.requests} == {"teacher", "agent"}
    printed = json.loads(done.stdout)
    assert printed["domains"]["dinery"]["kept"] >= 1
    report = audit(Path(printed["dataset"])).as_json()
    assert report["tasks"] == report["passed"] == printed["domains"]["dinery"]["kept"]


def demo(data_root):
    """The same small demo in this process, with nothing left behind but its data."""
    settings = Settings(data_root=str(data_root))
    factory = Factory.of(settings, model="offline/reference", tasks_per_domain=TASKS, dataset=f"{data_root}/demo")
    with dg.DagsterInstance.ephemeral() as instance:
        return run([reference_domain(DOMAIN).domain], factory, instance=instance)
