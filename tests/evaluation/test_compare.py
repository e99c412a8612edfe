"""`toolscale evaluate compare`: runs side by side, beside the papers' figures."""

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from matplotlib.axes import Axes
from typer.testing import CliRunner

from tests.reference.drawn import drawn, stage_of
from toolscale.cli import app
from toolscale.dataset import About, write_dataset
from toolscale.errors import UserError
from toolscale.evaluation.comparison import compare
from toolscale.evaluation.comparison.plots import plots

TOOLS = ("basic tools", "basic tools and models")


def mean(value, spread=5.0):
    return {"mean": value, "low": max(0.0, value - spread), "high": value + spread}


def figures(accuracy=40.0, cents=8.0, tools=None, tasks=3):
    calls = tools if tools is not None else {"web_search": 3, "generalist_gpt_5": 1}
    return {
        "tasks": tasks,
        "accuracy": mean(accuracy),
        "cents": mean(cents, 1.0),
        "minutes": mean(6.0, 1.0),
        "tools": {
            name: {"calls": times, "share": times / sum(calls.values()), "per_task": times / tasks}
            for name, times in calls.items()
        },
    }


@pytest.fixture(name="run")
def run_fixture(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def made(place, benchmark="hle", title="HLE (text only)", limits=None, ids="abc", solved="", **more):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        metrics = {
            "benchmark": benchmark,
            "title": title,
            "tasks": len(ids),
            "complete": True,
            "run": {"model": "lab/m", "catalogue": "full", "schedule": "together", "seed": 0, "temperature": 0.0},
            "tools": ["web_search", "generalist_gpt_5"],
            "max_turns": limits or {"50": figures()},
            "baseline": None,
            "preference": None,
        }
        (folder / "metrics.json").write_text(json.dumps(metrics | more))
        rows = [{"id": name, "max_turns": 50, "solved": name in solved} for name in ids]
        pq.write_table(pa.Table.from_pylist(rows), folder / "trajectories.parquet")
        return str(folder)

    return made


def compared(*arguments):
    result = CliRunner().invoke(app, ["evaluate", "compare", *arguments])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.stdout


def refused(*arguments):
    error = CliRunner().invoke(app, ["evaluate", "compare", *arguments]).exception
    assert isinstance(error, UserError)
    assert "\n" not in str(error)
    return str(error)


def test_runs_stand_with_their_intervals_above_the_papers_figures(run):
    lines = compared(run("first"), run("second", limits={"50": figures(20.0, 2.0)})).splitlines()
    ours = [line for line in lines if line.startswith(("first (", "second ("))]
    assert "40.0 (35.0-45.0)" in ours[0]
    assert "20.0 (15.0-25.0)" in ours[1]
    papers = [line.split() for line in lines]
    orchestrator = next(words for words in papers if words[:2] == ["Orchestrator-8B,", "basic"])
    assert orchestrator[-3:] == ["37.1", "9.2", "8.2"]
    assert lines.index(ours[1]) < next(place for place, line in enumerate(lines) if "table 1" in line)


def test_runs_are_grouped_by_benchmark_and_may_share_a_name_across_them(run):
    told = compared(
        run("hle/ours"), run("tau2/ours", "tau2", "tau2-bench"), run("own/ours", "toolscale", "ToolScale, eval split")
    )
    hle, tau2, own = re.split(r"(?m)^(?=tau2-bench:|ToolScale)", told)
    assert "37.1" in hle
    assert "80.2" not in hle
    assert "80.2" in tau2
    assert "the papers have no figures of this benchmark" in own
    assert "ToolOrchestra" not in own


def test_a_benchmark_without_a_run_can_be_shown_too(run):
    told = compared(run("own", "toolscale", "ToolScale, eval split"), "--benchmark", "bamboogle")
    assert re.search(r"Qwen2.5-7B-Instruct, GRPO Cold Start +72.0 +1.63", told)


def test_each_limit_on_turns_is_a_line_of_its_own(run):
    told = compared(run("ours", limits={"10": figures(20.0), "50": figures(40.0)}))
    assert re.search(r"ours \(lab/m\), basic tools and models, 10 turns +3 +20.0", told)
    assert re.search(r"ours \(lab/m\), basic tools and models, 50 turns +3 +40.0", told)


def test_shares_of_tools_add_up_for_each_run(run):
    told = [json.loads(line) for line in compared(run("ours"), "--json").splitlines()]
    assert told[0]["shares"] == {"web_search": 75.0, "generalist_gpt_5": 25.0}
    assert told[0]["accuracy"] == {"value": 40.0, "low": 35.0, "high": 45.0, "digits": 1}
    assert {line["benchmark"] for line in told} == {"hle"}


def test_a_domains_own_functions_are_one_line_of_the_shares_and_tools_keep_theirs(run, tmp_path):
    calls = {"find_order": 4, "cancel_order": 2, "web_search": 1, "generalist_gpt_5": 1}
    ours = run("ours", "tau2", "tau2-bench", limits={"50": figures(tools=calls)})
    told = compared(ours, "--html", "page.html", "--markdown", "text.md")
    (line,) = [line for line in map(json.loads, compared(ours, "--json").splitlines()) if not line["source"]]
    assert line["shares"] == {"functions of the domain": 75.0, "web_search": 12.5, "generalist_gpt_5": 12.5}
    for text in (told, (tmp_path / "page.html").read_text(), (tmp_path / "text.md").read_text()):
        assert "functions of the domain" in text
        assert "generalist_gpt_5" in text
        assert "_order" not in text


def test_every_line_of_a_run_names_its_orchestrator(run, tmp_path):
    told = compared(run("ours"), "--html", "page.html", "--markdown", "text.md")
    for text in (told, (tmp_path / "page.html").read_text(), (tmp_path / "text.md").read_text()):
        assert "ours (lab/m)" in text
    assert json.loads(compared("ours", "--json").splitlines()[0])["orchestrator"] == "lab/m"


def test_every_published_point_of_a_plot_is_labelled(monkeypatch):
    labelled = []
    annotate = Axes.annotate

    def noted(axes, text, point, **more):
        labelled.append((text, *point))
        return annotate(axes, text, point, **more)

    monkeypatch.setattr(Axes, "annotate", noted)
    for benchmark in ("hle", "frames", "tau2"):
        labelled.clear()
        (group,) = compare([], [benchmark])
        plots(group)
        drawn = [line for line in group.lines if line.cents and line.setting in ("no tools", *TOOLS)]
        assert sorted(labelled) == sorted((line.name, line.cents.value, line.accuracy.value) for line in drawn)


def test_runs_of_different_tasks_are_said_to_be(run):
    told = compared(run("one", ids="abc"), run("two", ids="bcd", complete=False))
    assert "The runs attempted different tasks; 2 are common to all of them." in told
    assert "two was stopped before it had attempted all its tasks." in told
    assert "different tasks" not in compared(run("three"), run("four"))


def test_runs_of_the_same_tasks_are_held_against_the_first_task_by_task(run):
    told = compared(run("base", ids="abcdefgh", solved="ab"), run("later", ids="abcdefgh", solved="abcdef"))
    assert re.search(r"later less base, over the 8 tasks that both attempted: \+50.0 points \(\+\d", told)
    assert "less" not in compared(run("one", ids="ab"), run("other", ids="cd"))


def test_the_page_has_table_plots_and_sources_and_loads_nothing(run, tmp_path):
    strange = {"<script>alert(1)</script>": 1, "web_search": 3}
    compared(
        run("ours", limits={"10": figures(20.0, 4.0), "50": figures(tools=strange)}, tools=list(strange)),
        run("idle", limits={"50": figures(0.0, 0.0, tools={})}),
        "--html",
        "page.html",
    )
    page = (tmp_path / "page.html").read_text()
    assert page.count('<img src="data:image/png;base64,') == 2
    assert "40.0 (35.0-45.0)" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "<script>" not in page
    assert "arXiv 2511.21689, appendix H" in page
    assert "gives GPT-5 73% of its calls of models" in page


def test_the_markdown_brings_the_breakdown_and_its_plots_beside_it(run, tmp_path):
    compared(run("ours|x", "bfcl", "BFCL"), "--markdown", "compared.md")
    text = (tmp_path / "compared.md").read_text()
    assert "| **ours\\|x (lab/m)** | basic tools and models |" in text
    header = next(line for line in text.splitlines() if line.startswith("| model or run"))
    assert "| over tasks, % | non-live AST, % |" in header
    assert header.endswith("| live, % | multi-turn, % | relevance, % | irrelevance, % |")
    images = re.findall(r"!\[.*?\]\(<(.*?)>\)", text)
    assert images == ["compared.bfcl.1.png", "compared.bfcl.2.png", "compared.bfcl.3.png"]
    assert all((tmp_path / image).read_bytes().startswith(b"\x89PNG") for image in images)


def test_a_run_is_broken_down_into_the_papers_columns_with_intervals(run):
    topics = {"simple": {"tasks": 200, "accuracy": 80.0}, "live_simple": {"tasks": 100, "accuracy": 60.0}}
    of_bfcl = run("ours", "bfcl", "BFCL", limits={"50": figures(73.3) | {"topics": topics}})
    told = [json.loads(line) for line in compared(of_bfcl, "--json").splitlines()]
    line = told[0]
    assert line["accuracy"]["value"] == 70.0, "each of the leaderboard's groups counts the same"
    assert line["accuracy"]["low"] == pytest.approx(64.5, abs=2)
    assert line["parts"]["over_tasks"]["value"] == 73.3
    live = line["parts"]["live"]
    assert (live["low"], live["high"]) == (pytest.approx(50, abs=2), pytest.approx(70, abs=2))
    assert "multi_turn" not in line["parts"], "of which the run has no task"
    assert "ours has no tasks of multiple, parallel" in compared(of_bfcl)
    best = next(line for line in told if line["setting"] == "GRPO Cold Start" and "7B" in line["name"])
    assert (best["accuracy"]["value"], best["parts"]["multi_turn"]["value"]) == (58.38, 18.12)

    of_api_bank = run("levels", "api_bank", limits={"50": figures() | {"topics": {"level-1": topics["simple"]}}})
    first = json.loads(compared(of_api_bank, "--json").splitlines()[0])
    assert first["parts"]["level_1"]["value"] == 80.0


def test_equal_figures_give_equal_pages(run, tmp_path):
    folder = run("ours")
    compared(folder, "--html", "one.html")
    compared(folder, "--html", "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_what_cannot_be_compared_is_refused_in_one_sentence(run, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "empty holds no finished evaluation" in refused("empty")
    broken = run("broken")
    (tmp_path / "broken/metrics.json").write_text('{"benchmark": "hle"}')
    assert "holds no figures of an evaluation (title" in refused(broken)
    assert "attempted no task" in refused(run("idle", limits={"50": {"tasks": 0}}))
    assert "the papers have no figures of toolscale, only of api_bank" in refused("--benchmark", "toolscale")
    assert "name the folder of a run" in refused()


def test_two_runs_of_one_name_need_another_one(run):
    first, second = run("a/ours"), run("b/ours")
    assert "would both be called ours: give one another name" in refused(first, second)
    assert "is there twice" in refused(first, f"again={first}", first)
    told = compared(first, f"later={second}")
    assert re.search(r"(?m)^later \(lab/m\), ", told)


def test_evaluate_still_takes_a_benchmark():
    assert "there is no benchmark `other`" in str(CliRunner().invoke(app, ["evaluate", "other"]).exception)


def test_two_runs_of_the_offline_model_stand_beside_the_papers_figures(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    stage = stage_of("weather")
    write_dataset(
        tmp_path / "data",
        tasks=[each.task for each in drawn("weather", programs=16, depth=0)],
        environments=[stage.sandbox.spec],
        trajectories=[],
        rejects=[],
        rejected=[],
        about=About(dollars=None),
    )
    for name, turns in (("few", "1"), ("many", "30")):
        made_with = ["--data", "data", "--model", "offline/reference", "--catalogue", "none", "--max-turns", turns]
        result = CliRunner().invoke(app, ["evaluate", "toolscale", *made_with, "--out", name, "--json"])
        assert result.exit_code == 0, (result.output, result.exception)
    told = [json.loads(line) for line in compared("few", "many", "--benchmark", "tau2", "--json").splitlines()]
    few, many = told[:2]
    assert (few["accuracy"]["value"], many["accuracy"]["value"]) == (0.0, 100.0), "one turn is spent on looking"
    assert many["shares"] == {"functions of the domain": pytest.approx(100)}
    assert many["orchestrator"] == "offline/reference"
    assert any(line["name"] == "Orchestrator-8B" and line["accuracy"]["value"] == 80.2 for line in told)
