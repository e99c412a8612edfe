"""Inspect plays a split with its own agent loop, and comes to the verdicts that `toolscale evaluate` comes to."""

import json
from itertools import count, islice

import pytest
from typer.testing import CliRunner

from tests.exchange.world import FINE, write_hotel
from tests.reference.rehearsal import Stage, rehearse
from tests.served import serving
from toolscale.cli import app
from toolscale.dataset import About, write_dataset
from toolscale.dataset.splits import split_of
from toolscale.evaluation.results import read_outcomes
from toolscale.synthesis.drafts import as_task

inspect_ai = pytest.importorskip("inspect_ai")

MOCK = "mockllm/model"
DOMAIN, DRAFTS = "restaurant", 8


@pytest.fixture(scope="module")
def hotel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inspect") / "hotel"
    write_hotel(folder)
    return str(folder)


@pytest.fixture(scope="module")
def restaurant(tmp_path_factory):
    """Tasks that the offline model understands; some of their families are in `eval`."""
    stage = Stage(DOMAIN)
    drafts = (each.draft for each in rehearse(stage, stage.domain.programs, 1, 40, depth=1) if not each.infeasible)
    names = (name for name in map(f"{DOMAIN}-{{}}".format, count()) if split_of(name) == "eval")
    tasks = [as_task(DOMAIN, name, draft) for name, draft in zip(names, islice(drafts, DRAFTS), strict=False)]
    folder = tmp_path_factory.mktemp("inspect") / "restaurant"
    write_dataset(
        folder, tasks=tasks, environments=[stage.spec], trajectories=[], rejects=[], rejected=[],
        about=About(dollars=None),
    )  # fmt: skip
    stage.sandbox.close()
    return str(folder)


def evaluated(task, tmp_path, **options):
    (log,) = inspect_ai.eval(task, log_dir=str(tmp_path / "logs"), display="none", **options)
    assert log.status == "success", log.error
    return log


def score_of(sample):
    (score,) = sample.scores.values()
    return score


def says(*messages):
    """A model that says and calls this, one message after the other."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [
        ModelOutput.from_content(MOCK, each)
        if isinstance(each, str)
        else ModelOutput.for_tool_call(MOCK, each.name, dict(each.arguments))
        for each in messages
    ]
    for each in outputs:
        each.usage = ModelUsage()  # or it fetches a tokenizer to count
    return get_model(MOCK, custom_outputs=outputs)


def test_golden_calls_and_the_facts_score_one_and_the_log_can_be_scored_again(hotel, tmp_path):
    from toolscale.serving.inspect_door import tasks, verdict

    log = evaluated(tasks(hotel, "train"), tmp_path, model=says(*FINE.golden_calls, "2,500 in Zürich"))
    score = score_of(log.samples[0])
    assert score.value == 1
    assert score.metadata == {"execution": True, "fidelity": True, "completeness": True, "reasons": []}
    again = inspect_ai.score(log, verdict(hotel), display="none", action="overwrite")
    assert score_of(again.samples[0]).value == 1


def test_what_is_missing_scores_zero_and_the_reasons_say_what(hotel, tmp_path):
    from toolscale.serving.inspect_door import tasks

    log = evaluated(tasks(hotel, "train"), tmp_path, model=says(FINE.golden_calls[0], "It costs 2,500 in Zürich."))
    score = score_of(log.samples[0])
    assert score.value == 0
    assert (score.metadata["execution"], score.metadata["fidelity"]) == (False, True)
    assert score.metadata["reasons"]
    assert "golden" not in json.dumps([message.model_dump(mode="json") for message in log.samples[0].messages])


def test_who_still_calls_at_the_limit_scores_zero(hotel, tmp_path):
    from toolscale.serving.inspect_door import tasks

    log = evaluated(tasks(hotel, "train"), tmp_path, model=says(*FINE.golden_calls), turn_limit=3)
    assert score_of(log.samples[0]).value == 0
    assert "did not come to its end" in score_of(log.samples[0]).explanation


def test_the_served_offline_model_does_as_well_as_by_toolscale_evaluate(restaurant, tmp_path, monkeypatch):
    from toolscale.serving.inspect_door import tasks

    monkeypatch.chdir(tmp_path)
    for name in ("OFFLINE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("TOOLSCALE_PRICES", '{"openai/reference": {"input": 0, "output": 0}}')
    with serving() as server:
        log = evaluated(
            tasks(restaurant), tmp_path, model="openai-api/offline/reference", model_base_url=server.url, seed=0
        )
        order = ["evaluate", "toolscale", "--data", restaurant, "--model", "openai/reference", "--out", "run"]
        ours = CliRunner().invoke(app, [*order, "--api-base", server.url, "--catalogue", "none", "--json"])
    assert ours.exit_code == 0, (ours.output, ours.exception)
    solved = {sample.id: bool(score_of(sample).value) for sample in log.samples}
    assert solved == read_outcomes(tmp_path / "run")
    assert 0 < sum(solved.values()) < len(solved)
