"""Sets that `toolscale import` wrote are attempted with the tools, prices and wishes of their rows."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.evaluation.bench import CATALOGUE
from tests.evaluation.test_evaluate import asked_in, at, evaluate_in, told
from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import calls, script
from toolscale.catalogue.prices import schedule
from toolscale.cli import app
from toolscale.dataset.questions import read_question_tasks
from toolscale.dataset.steps import read_step_tasks
from toolscale.evaluation.benchmarks.steps import read_steps
from toolscale.preferences.preference import Preference, Preferences

FIXTURES = Path(__file__).parents[1] / "fixtures" / "questions"
SERVED = "Qwen/Qwen3-32B"
TOOLS = ["code_interpreter", "generalist_large"]


@pytest.fixture(name="evaluate")
def evaluate_fixture(tmp_path, monkeypatch):
    return evaluate_in(tmp_path, monkeypatch)


def imported(tmp_path, *options):
    rows = [{"question": f"How much is {n} times 2?", "answer": str(2 * n), "topic": "doubles"} for n in range(40)]
    (tmp_path / "set.json").write_text(json.dumps(rows))
    order = ["import", str(tmp_path / "set.json"), "--format", "questions", "--out", str(tmp_path / "data"), *options]
    result = CliRunner().invoke(app, order)
    assert result.exit_code == 0, (result.output, result.exception)
    return [task for task in read_question_tasks(tmp_path / "data") if task.split == "eval"]


def with_wishes(tmp_path):
    vector = [0.0, 1.0, 1.0, 0.0, 0.0]
    wishes = [
        Preference(
            id=f"w-{name}", theme="t", instruction=f"Ask the large one, said in {name}.", tools=TOOLS, vector=vector
        )
        for name in ("train", "eval")
    ]
    kept = [wish.model_copy(update={"split": wish.id[2:]}) for wish in wishes]
    made = Preferences(catalogue="c", schedule="s", proposed_by="a", validated_by="b", kept=kept, rejects=[])
    (tmp_path / "wishes.json").write_text(made.model_dump_json())
    (tmp_path / "catalogue.toml").write_text(CATALOGUE.format(url="http://127.0.0.1:1/v1"))
    return imported(
        tmp_path, "--catalogue", f"{tmp_path}/catalogue.toml:small", "--preferences", f"{tmp_path}/wishes.json"
    )


def doubles(request):
    """An orchestrator that asks the large model and doubles by itself."""
    if request["model"] != "agent":
        return "I would say so."
    number = int(asked_in(request).split("How much is ")[1].split()[0]) if "How much" in asked_in(request) else None
    if number is not None:
        return calls(("generalist_large", {"question": f"Is it {2 * number}?"}))
    asked = next(message["content"] for message in request["messages"] if "How much is" in str(message["content"]))
    return f"Answer: {2 * int(asked.split('How much is ')[1].split()[0])}"


def test_each_question_is_asked_with_its_own_tools_prices_and_wish(evaluate, tmp_path):
    tasks = {task.question: task for task in with_wishes(tmp_path)}
    assert len({task.configuration.names for task in tasks.values()}) > 1
    with OpenAIServer(doubles) as server:
        metrics = told(evaluate(server, "questions", tmp_path / "data", catalogue="catalogue.toml:small"))
        first = [
            each for each in server.requests if each["model"] == "agent" and each["messages"][-1]["role"] == "user"
        ]
    assert metrics["tasks"] == len(tasks) == len(first)
    assert at(metrics)["accuracy"]["mean"] == 100.0
    for request in first:
        (task,) = [task for question, task in tasks.items() if question in asked_in(request)]
        assert asked_in(request).endswith("\n\nAsk the large one, said in eval.")
        assert request["tools"] == task.configuration.as_tools()
        assert "Price: $10.00 per million tokens read, $20.00 written. Takes about 30 seconds." in json.dumps(request)
    results = [json.loads(line) for line in (tmp_path / "run/results.jsonl").read_text().splitlines()]
    wanted = {task.id: task.preference.wants for task in tasks.values()}
    assert {each["id"]: each["preference"]["vector"] for each in results} == wanted
    assert all(each["trace"]["calls"][0]["answer"]["dollars"] > 0 for each in results)
    again = ("--baseline", "run", "--out", "again")
    with OpenAIServer(doubles) as server:
        compared = told(evaluate(server, "questions", tmp_path / "data", *again, catalogue="catalogue.toml:small"))
    # One call of the large model against one, and solved against solved: 1 + 1 each.
    assert compared["preference"]["sum"] == pytest.approx(2.0 * len(tasks))


def test_the_orchestrators_tokens_cost_what_the_schedule_of_the_rows_tools_says(evaluate, tmp_path, monkeypatch):
    (tmp_path / "catalogue.toml").write_text(CATALOGUE.format(url="http://127.0.0.1:1/v1"))
    drawn_from = ("--schedule", "nebius", "--schedule", "novita")
    tasks = {
        task.id: task for task in imported(tmp_path, "--catalogue", f"{tmp_path}/catalogue.toml:small", *drawn_from)
    }
    assert {task.configuration.schedule for task in tasks.values()} == {"nebius", "novita"}
    monkeypatch.setenv("NEBIUS_API_KEY", "none")
    served = ("--model", f"nebius/{SERVED}")
    with OpenAIServer(
        lambda request: doubles({**request, "model": request["model"].replace(SERVED, "agent")})
    ) as server:
        told(evaluate(server, "questions", tmp_path / "data", *served, catalogue="catalogue.toml:small"))
    results = [json.loads(line) for line in (tmp_path / "run/results.jsonl").read_text().splitlines()]
    assert len(results) == len(tasks)
    for each in results:
        trace, price = each["trace"], schedule(tasks[each["id"]].configuration.schedule).price(SERVED)
        own = trace["prompt_tokens"] * price.input + trace["completion_tokens"] * price.output
        tools = sum(call["answer"]["dollars"] for call in trace["calls"])
        assert trace["dollars"] == pytest.approx(own / 1e6 + tools, rel=1e-9)


def test_a_row_whose_tools_are_not_in_the_catalogue_is_one_line(evaluate, tmp_path):
    with_wishes(tmp_path)
    with OpenAIServer(doubles) as server:
        error = evaluate(server, "questions", tmp_path / "data", catalogue="none").exception
        assert "which the catalogue does not have: name the one that it was drawn from" in str(error)
        assert not server.requests


def test_a_file_of_questions_is_attempted_as_it_stands(evaluate):
    with OpenAIServer(script("Answer: 36.")) as server:
        metrics = told(evaluate(server, "questions", FIXTURES / "general_thought.jsonl"))
    assert metrics["tasks"] == 2
    assert at(metrics)["accuracy"]["mean"] == 50.0, "36 is right, and no letter of a choice"
    assert set(at(metrics)["topics"]) == {"Word Problems", "Astronomy"}


@pytest.mark.parametrize("source", ["folder", "file"])
def test_steps_are_solved_by_their_golden_calls_alone(evaluate, tmp_path, source):
    place = FIXTURES / "xlam.json"
    if source == "folder":
        order = ["import", str(place), "--format", "steps", "--out", str(tmp_path / "data")]
        assert CliRunner().invoke(app, order).exit_code == 0
        place = tmp_path / "data"
        steps = [step for step in read_step_tasks(place) if step.split == "eval"]
    else:
        from toolscale.questions.step_sets import read_steps as read_set

        steps, _ = read_set(str(place))
    golden = {
        step.messages()[-1]["content"]: "<think>So.</think>\n<tool_call>\n"
        + "\n".join(json.dumps({"name": call.name, "parameters": call.arguments}) for call in step.golden_calls)
        + "\n</tool_call>"
        for step in steps
    }
    with OpenAIServer(lambda request: golden[asked_in(request)]) as server:
        right = told(evaluate(server, "steps", place))
        assert not any("tools" in request for request in server.requests), "the step's tools stand in its prompt"
    with OpenAIServer(lambda request: "<think>So.</think>\n<response>I cannot.</response>") as server:
        wrong = told(evaluate(server, "steps", place, "--out", "other"))
    assert right["tasks"] == len(steps) > 0
    assert (at(right)["accuracy"]["mean"], at(wrong)["accuracy"]["mean"]) == (100.0, 0.0)
    assert at(right)["endings"] == {"answered": len(steps)}


def test_of_a_set_with_splits_of_its_own_the_held_out_steps_are_attempted_and_else_all(tmp_path):
    rows = json.loads((FIXTURES / "rlla.json").read_text())[:3]
    rows = [
        {
            "prompt": [{"role": "system", "content": row["instruction"]}, {"role": "user", "content": row["input"]}],
            "reward_model": {"ground_truth": row["output"]},
            "extra_info": {"split": "test" if place == 2 else "train"},
        }
        for place, row in enumerate(rows)
    ]
    (tmp_path / "own.json").write_text(json.dumps(rows))
    with ExitStack() as stack:
        (held_out,) = read_steps(tmp_path / "own.json", stack)
        assert held_out.step.response == "I have no tool for that."
        assert len(read_steps(FIXTURES / "rlla.json", stack)) == 3
