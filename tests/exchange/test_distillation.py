"""Distilled thoughts are those of an attempt that a program finds right; no others are kept, and none is paid twice."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.openai_server import OpenAIServer
from toolscale.cli import app
from toolscale.dataset.steps import read_step_tasks, write_steps
from toolscale.errors import UserError
from toolscale.questions.distilling import learned_from
from toolscale.questions.step_sets import read_steps

FIXTURES = Path(__file__).parents[1] / "fixtures" / "questions"


@pytest.fixture
def steps(tmp_path):
    """Two of ToolRL's that call, one that answers; and a refusal whose words nobody recorded."""
    found = [*read_steps(str(FIXTURES / "rlla.json"))[0], read_steps(str(FIXTURES / "hammer.jsonl"))[0][1]]
    write_steps(tmp_path / "steps", found)
    return found


@pytest.fixture
def distill(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLSCALE_RETRIES", "0")
    monkeypatch.setenv("TOOLSCALE_PRICES", json.dumps({"openai/thinker": {"input": 1, "output": 1}}))

    def run(server, *options, out="out"):
        order = ["distill", "steps", "--model", "openai/thinker", "--api-base", server.url, "--out", out, "--json"]
        return CliRunner().invoke(app, [*order, *options])

    return run


def right(step, thought="I see."):
    done = (step.golden_output or "<think> </think>\n<response> I cannot. </response>").partition("</think>")[2]
    return f"<think> {thought} </think>{done}"


def by_prompt(steps, answer):
    """What a server says to each step."""
    known = {json.dumps(step.messages()): step for step in steps}
    return lambda request: answer(known[json.dumps(request["messages"])])


def test_steps_taken_right_are_kept_with_the_thoughts_that_led_there(steps, distill, tmp_path):
    wrong = steps[0]

    def answer(step):
        return "<think> Hm. </think>\n<response> No. </response>" if step == wrong else right(step, f"So: {step.id}")

    with OpenAIServer(by_prompt(steps, answer)) as server:
        result = distill(server)
    assert result.exit_code == 0, (result.output, result.exception)
    assert {name: json.loads(result.stdout)[name] for name in ("asked", "right", "calls")} == {
        "asked": 4,
        "right": 3,
        "calls": 4,
    }
    found = {step.id: step for step in read_step_tasks(tmp_path / "out")}
    assert found.keys() == {step.id for step in steps[1:]}
    for step in steps[1:]:
        assert found[step.id].thought == f"So: {step.id}"
        assert found[step.id].response == (step.response or "I cannot.")
        assert found[step.id].reward(found[step.id].golden_output).final == 4.0


def test_a_step_is_tried_until_it_is_taken_right_and_no_more(steps, distill):
    tries = {}

    def answer(step):
        tries[step.id] = tries.get(step.id, 0) + 1
        return right(step) if tries[step.id] == 2 else "I will not."

    with OpenAIServer(by_prompt(steps, answer)) as server:
        found = json.loads(distill(server, "--attempts", "5").stdout)
    assert (found["right"], found["calls"]) == (4, 8)


def test_a_run_that_its_budget_ended_writes_nothing_and_goes_on_without_paying_twice(steps, distill, tmp_path):
    with OpenAIServer(by_prompt(steps, right)) as server:
        stopped = distill(server, "--max-calls", "2")
        assert stopped.exit_code == 3, (stopped.output, stopped.exception)
        assert not (tmp_path / "out").exists()
        found = json.loads(distill(server).stdout)
        assert len(server.requests) == 4
    assert (found["right"], found["calls"]) == (4, 2)


def test_the_seed_draws_the_steps(steps, distill, tmp_path):
    with OpenAIServer(by_prompt(steps, right)) as server:
        assert json.loads(distill(server, "--tasks", "1").stdout)["asked"] == 1
        assert json.loads(distill(server, "--skip", "1", out="rest").stdout)["asked"] == 3
        error = distill(server).exception
    assert isinstance(error, UserError)
    assert "out is there and not empty" in str(error)
    ids = [{step.id for step in read_step_tasks(tmp_path / name)} for name in ("out", "rest")]
    assert ids[0] | ids[1] == {step.id for step in steps}


@pytest.mark.parametrize(
    ("written", "thought"),
    [
        ("<think> I look. </think>{done}", "I look."),
        ("<think>\nLong and open, <tool_call> in mind.\n</think>\n\n<think> I look. </think>{done}", None),
        ("{done}", None),
        ("<think> </think>{done}", None),
        ("<think> I look. </think>{done} And more.", None),
        ("<think> I look.{done}", None),
        ("", None),
    ],
)
def test_only_what_is_well_formed_teaches(steps, written, thought):
    step = steps[0]
    done = step.golden_output.partition("</think>")[2]
    found = learned_from(step, written.format(done=done))
    if "Long and open" in written:
        assert found.thought == "Long and open, <tool_call> in mind."
    else:
        assert (found and found.thought) == thought
