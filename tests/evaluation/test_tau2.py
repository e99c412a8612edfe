"""tau2-bench with our orchestrator as its agent, on a stand-in with its interfaces."""

import json
import sys

import pytest

from tests.evaluation import tau2_stand_in
from tests.evaluation.tau2_stand_in import Task
from tests.evaluation.test_evaluate import at, evaluate_in, told
from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import calls, script
from toolscale.errors import UserError

TWICE = Task("twice", ["Add 2, please.", "And 3 more."], 5)


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    return evaluate_in(tmp_path, monkeypatch)


def only_calls(*asked):
    return {**calls(*asked), "content": None}


def traces(tmp_path):
    return [json.loads(line) for line in (tmp_path / "run/results.jsonl").read_text().splitlines()]


def test_the_orchestrator_serves_the_user_with_functions_and_with_the_catalogues_models(
    evaluate, tmp_path, monkeypatch
):
    tau2_stand_in.install(monkeypatch, TWICE)
    agent = script(
        "unused: the greeting",
        calls(("generalist_large", {"question": "2?"}), ("add", {"amount": 0}), ("add", {"amount": 2})),
        "It is 2. Anything else?",
        only_calls(("add", {"amount": 3})),
        "It is 5.",
    )
    with OpenAIServer(lambda request: "Two." if request["model"] == "deft" else agent(request)) as server:
        metrics = told(evaluate(server, "tau2", "counter", catalogue="catalogue.toml:small"))
        first, *_, last = [request for request in server.requests if request["model"] == "agent"]
    assert at(metrics)["accuracy"]["mean"] == 100.0
    (result,) = traces(tmp_path)
    made = [(call["tool"], call["turn"], call["answer"]["error"]) for call in result["trace"]["calls"]]
    assert made == [
        ("generalist_large", 1, None),
        ("add", 1, "the amount is below 1"),
        ("add", 1, None),
        ("add", 3, None),
    ]
    assert result["reason"] == "reward 1 (DB 1); user_stop"
    assert "Never count beyond ten." in first["messages"][0]["content"]
    assert {tool["function"]["name"] for tool in first["tools"]} == {"add", "code_interpreter", "generalist_large"}
    said = [message["content"] for message in last["messages"] if message["role"] == "user"]
    assert said == TWICE.says, "the second run of the orchestrator sees the whole conversation"
    own = sum(
        (10 * call["answer"]["prompt_tokens"] + 20 * call["answer"]["completion_tokens"]) / 1e6
        for call in result["trace"]["calls"]
    )
    tokens = (result["trace"]["prompt_tokens"] + 2 * result["trace"]["completion_tokens"]) / 1e6
    assert result["trace"]["dollars"] == pytest.approx(own + tokens), "every run of the conversation is paid for"


def test_the_turns_of_all_answers_together_are_limited(evaluate, tmp_path, monkeypatch):
    tau2_stand_in.install(monkeypatch, TWICE)
    agent = script("unused", only_calls(("add", {"amount": 2})), "It is 2.", only_calls(("add", {"amount": 3})), "5.")
    with OpenAIServer(agent) as server:
        metrics = told(evaluate(server, "tau2", "counter", "--max-turns", "3"))
        assert len(server.requests) == 3
    assert at(metrics, "3")["endings"] == {"turn_limit": 1}
    assert at(metrics, "3")["accuracy"]["mean"] == 0.0, "the counter is right, but the user was left standing"


def test_what_tau2_ends_in_the_middle_is_unsolved_and_its_cost_is_kept(evaluate, tmp_path, monkeypatch):
    tau2_stand_in.install(monkeypatch, Task("stubborn", ["Add 0."], 0))
    with OpenAIServer(lambda request: only_calls(("add", {"amount": 0}))) as server:
        metrics = told(evaluate(server, "tau2", "counter"))
        assert len(server.requests) == 3
    assert at(metrics)["accuracy"]["mean"] == 0.0
    (result,) = traces(tmp_path)
    assert result["trace"]["dollars"] > 0
    assert [call["tool"] for call in result["trace"]["calls"]] == ["add", "add"]


def test_a_preference_stands_in_the_instructions_once(evaluate, tmp_path, monkeypatch):
    tau2_stand_in.install(monkeypatch, Task("once", ["Add 2.", "Thanks."], 2))
    (tmp_path / "wishes.jsonl").write_text(json.dumps({"instruction": "Be quick about it."}))
    agent = script("unused", only_calls(("add", {"amount": 2})), "It is 2.", "Bye.")
    with OpenAIServer(agent) as server:
        metrics = told(evaluate(server, "tau2", "counter", "--preferences", "wishes.jsonl"))
        assert all(json.dumps(request["messages"]).count("Be quick about it.") == 1 for request in server.requests)
    assert at(metrics)["accuracy"]["mean"] == 100.0


def test_a_broken_endpoint_ends_the_conversation_and_is_nobodys_attempt(evaluate, tmp_path, monkeypatch):
    tau2_stand_in.install(monkeypatch, TWICE)
    with OpenAIServer(script("unused", only_calls(("add", {"amount": 2})), "It is 2.")) as server:
        server.faults.extend([500] * 10)
        error = evaluate(server, "tau2", "counter").exception
        assert isinstance(error, UserError)
        assert "attempts made are kept" in str(error)
    assert not (tmp_path / "run/results.jsonl").exists()


def test_a_task_that_it_breaks_off_is_unsolved_with_the_reason_and_the_others_go_on(evaluate, tmp_path, monkeypatch):
    tau2_stand_in.install(monkeypatch, Task("silent", ["Add 2, please.", ""], 2), Task("plain", ["Add 2, please."], 2))
    agent = script("unused", only_calls(("add", {"amount": 2})), "It is 2.")
    with OpenAIServer(agent) as server:
        metrics = told(evaluate(server, "tau2", "counter"))
    assert at(metrics)["accuracy"]["mean"] == 50.0
    reasons = {result["id"]: result["reason"] for result in traces(tmp_path)}
    assert reasons["counter-silent"].startswith("tau2-bench broke it off: ValueError: UserMessage must have")
    assert reasons["counter-plain"] == "reward 1 (DB 1); user_stop"


def test_without_its_package_the_error_says_how_to_install_it(evaluate, monkeypatch):
    monkeypatch.setitem(sys.modules, "tau2", None)
    monkeypatch.setitem(sys.modules, "tau2.registry", None)
    with OpenAIServer(lambda request: "") as server:
        error = evaluate(server, "tau2", "").exception
    assert isinstance(error, UserError)
    assert "tau2-bench is not installed" in str(error)
    assert "pip install" in str(error)


def test_it_is_told_which_models_to_ask_since_it_would_ask_openai(evaluate, monkeypatch):
    tau2_stand_in.install(monkeypatch, TWICE)
    agent = script("unused", only_calls(("add", {"amount": 2})), "It is 2.", only_calls(("add", {"amount": 3})), "5.")
    with OpenAIServer(agent) as server:
        told(evaluate(server, "tau2", "counter"))
        address = server.url
    assertions = vars(sys.modules["tau2.evaluator.evaluator_nl_assertions"])
    assert assertions["DEFAULT_LLM_NL_ASSERTIONS"] == "openai/judge"
    assert assertions["DEFAULT_LLM_NL_ASSERTIONS_ARGS"]["api_base"] == address


def test_a_model_that_it_cannot_reach_is_refused_before_anything_is_asked(evaluate, monkeypatch):
    tau2_stand_in.install(monkeypatch, TWICE)
    monkeypatch.setenv("TOOLSCALE_MODELS__USER__MODEL", "offline/reference")
    with OpenAIServer(lambda request: "") as server:
        error = evaluate(server, "tau2", "counter").exception
        assert server.requests == []
    assert isinstance(error, UserError)
    assert "TOOLSCALE_MODELS__USER__MODEL" in str(error)


def test_an_unknown_domain_is_named(evaluate, monkeypatch):
    tau2_stand_in.install(monkeypatch, TWICE)
    with OpenAIServer(lambda request: "") as server:
        error = evaluate(server, "tau2", "counter,bank").exception
    assert isinstance(error, UserError)
    assert "no domain `bank`" in str(error)
