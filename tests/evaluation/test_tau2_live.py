"""tau2-bench itself, not a stand-in. `make test-tau2` runs it, and says what it needs."""

import ast
import json
import re

import pytest
from typer.testing import CliRunner

from tests.evaluation.test_evaluate import at, told
from tests.openai_server import OpenAIServer, tool_call
from tests.served import serving
from toolscale.cli import app

pytestmark = pytest.mark.tau2


JUDGE = "You will be given a list of expected outcomes"
WRITES = re.compile(r"^(cancel|exchange|modify|return)_")


def finds_all_met(request):
    """A judge of assertions, in the form that tau2-bench wants."""
    system, asked = (message["content"] for message in request["messages"])
    assert JUDGE in system
    outcomes = ast.literal_eval(asked.partition("expectedOutcomes:")[2].strip())
    met = [{"expectedOutcome": each, "reasoning": "It was said.", "metExpectation": True} for each in outcomes]
    return json.dumps({"results": met})


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    """`toolscale evaluate tau2` with a server's model as agent and user, and what its attempts came to."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("TOOLSCALE_DEFAULT_MODEL", "openai/reference")
    prices = {f"openai/{model}": {"input": 1.0, "output": 2.0} for model in ("reference", "judge")}
    monkeypatch.setenv("TOOLSCALE_PRICES", json.dumps(prices))

    def run(server, *options):
        with OpenAIServer(finds_all_met) as judge:
            roles = {"judge": {"model": "openai/judge", "api_base": judge.url}}
            monkeypatch.setenv("TOOLSCALE_MODELS", json.dumps(roles))
            monkeypatch.setenv("TOOLSCALE_DEFAULT_API_BASE", server.url)
            order = ["--model", "openai/reference", "--api-base", server.url, "--catalogue", "none"]
            outcome = CliRunner().invoke(app, ["evaluate", "tau2", *order, "--out", "run", "--json", *options])
        metrics = at(told(outcome))
        lines = (tmp_path / "run/results.jsonl").read_text().splitlines()
        return metrics, [json.loads(line) for line in lines]

    return run


@pytest.mark.parametrize("domain", ["retail", "telecom"])
def test_the_served_offline_model_speaks_for_agent_and_user_to_the_end(evaluate, domain):
    with serving() as server:
        metrics, results = evaluate(server, "--data", domain, "--tasks", "4")
        assert server.stats()["errors"] == {}, "it knows both prompts"
    assert metrics["endings"] == {"answered": 4}
    for result in results:
        said = [message["content"] for message in result["trace"]["messages"] if message["role"] == "user"]
        assert len(said[0]) > 20, "the user said why they call"
        assert result["trace"]["prompt_tokens"] > 1_000, "policy and functions were in the prompt"
        assert re.fullmatch(r"reward [01] \([A-Z_]+ [01].*\); user_stop", result["reason"]), "its evaluator judged"


def test_golden_calls_earn_the_full_reward_and_writes_left_out_earn_none(evaluate):
    from tau2.registry import registry

    tasks = {str(task.id): task for task in registry.get_tasks_loader("retail")("base")}
    idle = set(sorted(tasks)[::2])

    def user(system, said):
        if any(message["role"] == "assistant" for message in said):
            return "###STOP###"
        return next(f"I am task {name}." for name, task in tasks.items() if str(task.user_scenario) in system)

    def agent(said):
        first = next(message["content"] for message in said if message["role"] == "user")
        name = re.fullmatch(r"I am task (\w+)\.", first)[1]
        actions = [] if name in idle else tasks[name].evaluation_criteria.actions
        made = sum(message["role"] == "tool" for message in said)
        if made == len(actions):
            return "That is all."
        call = tool_call(actions[made].name, json.dumps(actions[made].arguments), f"call_{made}")
        return {"content": None, "tool_calls": [call]}

    def behaviour(request):
        system, *said = request["messages"]
        return user(system["content"], said) if "<scenario>" in system["content"] else agent(said)

    with OpenAIServer(behaviour) as server:
        _, results = evaluate(server, "--data", "retail", "--tasks", "12")
    for result in results:
        name = result["id"].removeprefix("retail-")
        writes = [action for action in tasks[name].evaluation_criteria.actions if WRITES.match(action.name)]
        assert result["solved"] == (name not in idle or not writes), (name, result["reason"])
    assert {result["solved"] for result in results} == {True, False}
