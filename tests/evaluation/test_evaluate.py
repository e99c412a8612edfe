"""`toolscale evaluate`, from the command line to what it leaves on disk, on a small file of each benchmark."""

import json

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tests.dataset.small import KEPT, WORLD
from tests.evaluation import bench
from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import calls, script
from toolscale.artifacts import Instructions, UserScenario
from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.cli import app
from toolscale.dataset import About, write_dataset
from toolscale.episodes.user import DONE
from toolscale.errors import UserError
from toolscale.instances import Instance
from toolscale.preferences.preference import Preference


@pytest.fixture(name="evaluate")
def evaluate_fixture(tmp_path, monkeypatch):
    return evaluate_in(tmp_path, monkeypatch)


def evaluate_in(tmp_path, monkeypatch):
    """`toolscale evaluate` in a folder, with an orchestrator, a judge and a catalogue at one server."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run(server, name, data, *options, catalogue="none"):
        monkeypatch.setenv("TOOLSCALE_DEFAULT_MODEL", "openai/judge")
        monkeypatch.setenv("TOOLSCALE_DEFAULT_API_BASE", server.url)
        monkeypatch.setenv("TOOLSCALE_RETRIES", "0")
        prices = {f"openai/{model}": {"input": 1.0, "output": 2.0} for model in ("agent", "deft", "judge")}
        monkeypatch.setenv("TOOLSCALE_PRICES", json.dumps(prices))
        (tmp_path / "catalogue.toml").write_text(bench.CATALOGUE.format(url=server.url))
        order = ["--data", str(data), "--model", "openai/agent", "--api-base", server.url, "--catalogue", catalogue]
        return CliRunner().invoke(app, ["evaluate", name, *order, "--out", "run", "--json", *options])

    return run


def told(result):
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


def at(metrics, limit="50"):
    return metrics["max_turns"][limit]


def asked_in(request):
    return request["messages"][-1]["content"]


def answers_questions(request):
    """An orchestrator that knows all but one answer, and words one otherwise; and a judge that reads."""
    text = asked_in(request)
    if request["model"] == "judge":
        right = "carbon dioxide" in text or "1024 metres" in text
        return json.dumps({"reason": "the same thing in words" if right else "another person", "correct": right})
    if "6 times 7" in text:
        return "Answer: 42.0"
    if "plants" in text:
        return "Answer: carbon dioxide"
    return "Answer: 1024 metres" if "tower" in text else "Answer: Bob"


def test_hle_asks_the_questions_without_images_and_judges_what_is_not_equal(evaluate, tmp_path):
    with OpenAIServer(answers_questions) as server:
        metrics = told(evaluate(server, "hle", bench.hle(tmp_path / "data")))
        judged = [request for request in server.requests if request["model"] == "judge"]
        assert all(request["temperature"] == 0 for request in server.requests if request["model"] == "agent")
    assert (metrics["tasks"], at(metrics)["accuracy"]["mean"]) == (2, 100.0)
    assert len(judged) == 1, "42.0 is 42 without a judge"
    rows = {row["id"]: row for row in pq.ParquetFile(tmp_path / "run/trajectories.parquet").read().to_pylist()}
    assert rows["h3"]["reason"] == "judge: the same thing in words"
    assert rows["h1"]["answer"] == "42.0"
    assert json.loads(rows["h1"]["messages"])[-1]["content"] == "Answer: 42.0"
    assert set(at(metrics)["topics"]) == {"Math", "Biology"}


def test_frames_and_bamboogle_are_read_in_their_own_columns(evaluate, tmp_path):
    with OpenAIServer(answers_questions) as server:
        frames = told(evaluate(server, "frames", bench.frames(tmp_path / "frames")))
        bamboogle = told(evaluate(server, "bamboogle", bench.bamboogle(tmp_path / "bamboogle"), "--out", "other"))
        assert any("Who is older?\nAnn or Bob?" in asked_in(request) for request in server.requests)
    assert at(frames)["accuracy"]["mean"] == 50.0
    assert at(frames)["topics"]["Numerical"]["accuracy"] == 100.0
    assert (bamboogle["tasks"], at(bamboogle)["accuracy"]["mean"]) == (1, 0.0)


def test_bfcl_is_judged_by_its_calls_and_by_none_where_none_fits(evaluate, tmp_path):
    sums = script(calls(("math_add", {"a": 1, "b": 2})), "Done.")

    def behaviour(request):
        return "I cannot sing." if "song" in json.dumps(request["messages"]) else sums(request)

    with OpenAIServer(behaviour) as server:
        metrics = told(evaluate(server, "bfcl", bench.bfcl(tmp_path / "data")))
        (function,) = server.requests[0]["tools"]
    assert (metrics["tasks"], at(metrics)["accuracy"]["mean"]) == (2, 100.0)
    schema = function["function"]["parameters"]
    assert function["function"]["name"] == "math_add"
    assert (schema["type"], schema["properties"]["b"]["type"]) == ("object", "number")
    assert schema["properties"]["marks"] == {"type": "array", "description": "More.", "items": {}}


def test_api_bank_is_solved_by_the_next_call_of_the_dialogue(evaluate, tmp_path):
    with OpenAIServer(script(calls(("SendMail", {"to": "ann", "text": "I am late"})), "Sent.")) as server:
        metrics = told(evaluate(server, "api_bank", bench.api_bank(tmp_path / "data")))
        question = server.requests[0]["messages"][-1]["content"]
    assert at(metrics)["accuracy"]["mean"] == 100.0
    assert "The current year is 2023." in question
    assert "Generate API Request" not in question


def test_level_3_of_api_bank_offers_the_search_and_what_earlier_searches_found(evaluate, tmp_path):
    def answers(request):
        if request["messages"][-1]["role"] == "tool":
            return "Done."
        if "API-Request" in asked_in(request):
            return calls(("SendMail", {"to": "Ann", "text": "I am late"}))
        return calls(("ToolSearcher", {"keywords": "send mail"}))

    with OpenAIServer(answers) as server:
        metrics = told(evaluate(server, "api_bank", bench.api_bank_searched(bench.api_bank(tmp_path / "data"))))
        asked = [request for request in server.requests if request["messages"][-1]["role"] == "user"]
        offered = {tuple(tool["function"]["name"] for tool in request["tools"]) for request in asked}
    topics = {name: (each["tasks"], each["accuracy"]) for name, each in at(metrics)["topics"].items()}
    assert topics == {"level-1": (1, 0.0), "level-3": (2, 100.0)}
    assert offered == {("SendMail",), ("ToolSearcher",), ("ToolSearcher", "SendMail")}
    assert not any('{"apiCode"' in asked_in(request) for request in asked), "the APIs are offered, not told of"


@pytest.mark.parametrize("name", ["bfcl", "api_bank", "bamboogle"])
def test_a_model_trained_on_steps_is_asked_in_the_format_that_it_was_trained_in(evaluate, tmp_path, name):
    wanted = {
        "bfcl": '{"name": "math_add", "parameters": {"a": 1, "b": 2}}',
        "api_bank": '{"name": "SendMail", "parameters": {"to": "Ann", "text": "I am late"}}',
    }

    def steps(request):
        said = asked_in(request)
        if request["model"] == "judge":
            return json.dumps({"reason": "the same", "correct": True})
        calls = "" if "<obs>" in said or "Sing" in said or name == "bamboogle" else wanted[name]
        return f"<think>So.</think>\n<tool_call>\n{calls}\n</tool_call>" if calls else "<response>Carl</response>"

    data = getattr(bench, name)(tmp_path / "data")
    (data / "BFCL_v3_multi_turn_base.json").unlink(missing_ok=True)
    with OpenAIServer(steps) as server:
        metrics = told(evaluate(server, name, data, "--format", "toolrl"))
        asked = [request for request in server.requests if request["model"] == "agent"]
    assert at(metrics)["accuracy"]["mean"] == 100.0, (tmp_path / "run/results.jsonl").read_text()
    assert not any("tools" in request for request in asked)
    assert all("**Dialogue History**" in asked_in(request) for request in asked)
    assert not any("Each tool's description" in json.dumps(request) for request in asked), "one set of instructions"
    with OpenAIServer(steps) as server:
        assert "its format differs" in str(evaluate(server, name, data).exception)
        assert "use openai or toolrl" in str(evaluate(server, name, data, "--format", "xml").exception)


def test_a_search_agent_is_asked_for_short_answers_with_sources_within_ten_turns(evaluate, tmp_path, monkeypatch):
    monkeypatch.setenv("TAVILY_API_KEY", "k")
    with OpenAIServer(script("Sources:\n\nAnswer: Carl")) as server:
        metrics = told(
            evaluate(server, "bamboogle", bench.bamboogle(tmp_path / "b"), "--date", "2025-06-08", catalogue="search")
        )
        prompt = server.requests[0]["messages"][0]["content"]
    assert at(metrics, "10")["accuracy"]["mean"] == 100.0
    assert "Today is 2025-06-08." in prompt
    assert 'after "Answer:"' in prompt
    assert json.loads((tmp_path / "run/run.json").read_text())["date"] == "2025-06-08"
    with OpenAIServer(script("Answer: Carl")) as server:
        told(evaluate(server, "bamboogle", tmp_path / "b", "--out", "other", "--max-turns", "5", catalogue="search"))
        assert "Today is" not in server.requests[0]["messages"][0]["content"], "a benchmark is of its own day"


def test_the_eval_split_runs_in_its_environment_and_is_judged_by_its_verdict(evaluate, tmp_path):
    acts = script(calls(("cancel_order", {"order_id": "O-1"})), "Your order is cancelled.")
    with OpenAIServer(acts) as server:
        metrics = told(evaluate(server, "toolscale", bench.dataset(tmp_path / "data"), "--tasks", "2"))
        assert metrics["tasks"] <= 2
        assert at(metrics)["accuracy"]["mean"] == 100.0, (tmp_path / "run/results.jsonl").read_text()
    with OpenAIServer(lambda request: "Your order is cancelled.") as server:
        idle = told(evaluate(server, "toolscale", tmp_path / "data", "--tasks", "2", "--out", "idle"))
    assert at(idle)["accuracy"]["mean"] == 0.0, "who only says so has not done it"


def test_a_simulated_user_talks_with_the_orchestrator_and_what_the_user_breaks_counts_neither_way(evaluate, tmp_path):
    """One task: asked back, told, solved. Then another run, in which the user falls silent."""
    says = iter(["I want to cancel something.", "Order O-1, please.", DONE, "I want to cancel something.", ""])
    acts = script("Which order?", calls(("cancel_order", {"order_id": "O-1"})), "Your order is cancelled.")
    heard = []

    def talks(request):
        if request["model"] == "judge":
            heard.append([message["role"] for message in request["messages"]])
            return next(says)
        return acts(request)

    data, simulated = bench.dataset(tmp_path / "data"), ("--tasks", "1", "--user-mode", "simulated")
    with OpenAIServer(talks) as server:
        metrics = told(evaluate(server, "toolscale", data, *simulated))
        prompt = next(each for each in server.requests if each["model"] == "agent")["messages"]
    assert at(metrics)["accuracy"]["mean"] == 100.0, (tmp_path / "run/results.jsonl").read_text()
    assert at(metrics)["turns"] == 3
    assert "user_errors" not in at(metrics)
    assert [message["content"] for message in prompt if message["role"] == "user"] == ["I want to cancel something."]
    assert "will not answer questions" not in prompt[0]["content"]
    assert {role for roles in heard for role in roles} == {"system", "user", "assistant"}, "no calls, no results"
    with OpenAIServer(talks) as server:
        broken = told(evaluate(server, "toolscale", data, *simulated, "--seed", "1", "--out", "broken"))
    assert at(broken) == {"tasks": 0, "user_errors": 1}
    assert broken["complete"]
    with OpenAIServer(acts) as server:
        asked = evaluate(server, "hle", bench.hle(tmp_path / "hle"), *simulated, "--out", "other")
        assert server.requests == []
    assert "for the tasks of `toolscale`" in str(asked.exception)


def routes(request):
    """An orchestrator that asks the strong model, then answers; and that model."""
    if request["model"] == "deft":
        return "It is 42."
    return script(calls(("generalist_large", {"question": "6 times 7?"})), "Answer: 42")(request)


def test_more_turns_go_on_from_where_fewer_ended_and_nothing_is_asked_twice(evaluate, tmp_path):
    data = bench.hle(tmp_path / "data")
    with OpenAIServer(routes) as server:
        metrics = told(
            evaluate(server, "hle", data, "--tasks", "1", "--max-turns", "1,2", catalogue="catalogue.toml:small")
        )
        asked = len(server.requests)
        again = told(
            evaluate(server, "hle", data, "--tasks", "1", "--max-turns", "1,2", catalogue="catalogue.toml:small")
        )
        assert len(server.requests) == asked
    assert again == metrics
    assert at(metrics, "1")["endings"] == {"turn_limit": 1}
    assert at(metrics, "1")["cents_per_solved"] is None
    assert at(metrics, "2")["endings"] == {"answered": 1}
    assert at(metrics, "2")["cents"]["mean"] > at(metrics, "1")["cents"]["mean"] > 0
    assert at(metrics, "2")["tools"]["generalist_large"] == {"calls": 1, "share": 1.0, "per_task": 1.0}
    assert at(metrics, "2")["minutes"]["mean"] >= 0.5, "the simulated expert takes half a minute"
    page = (tmp_path / "run/report.html").read_text()
    assert page.count("data:image/png;base64,") >= 2
    assert "37.1" in page, "the paper's figure stands beside ours"
    assert "<script" not in page


def test_what_a_model_says_is_text_in_the_report(evaluate, tmp_path):
    with OpenAIServer(
        lambda request: (
            '{"reason": "no", "correct": false}' if request["model"] == "judge" else "Answer: <script>alert(1)</script>"
        )
    ) as server:
        told(evaluate(server, "bamboogle", bench.bamboogle(tmp_path / "data")))
    page = (tmp_path / "run/report.html").read_text()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_preferences_are_told_to_the_orchestrator_and_measured_against_a_baseline(evaluate, tmp_path):
    data = bench.hle(tmp_path / "data")
    weights = {"generalist_large": 1.0, "outcome": 0.0}
    (tmp_path / "wishes.jsonl").write_text(json.dumps({"instruction": "Ask the large model.", "vector": weights}))
    options = ("--tasks", "1", "--preferences", "wishes.jsonl")
    with OpenAIServer(routes) as server:
        first = told(evaluate(server, "hle", data, *options, catalogue="catalogue.toml:small"))
        assert asked_in(server.requests[0]).endswith("\n\nAsk the large model.")
        compared = told(
            evaluate(server, "hle", data, *options, "--baseline", "run", "--out", "b", catalogue="catalogue.toml:small")
        )
    assert first["preference"] is None
    # M_s / max(1, M_0) = 1 / 1 for the one call, weighed 1 where the task was solved.
    solved = at(first)["accuracy"]["mean"] == 100.0
    assert compared["preference"] == {"sum": float(solved), "per_task": 100.0 * solved, "tasks": 1}
    assert solved


def test_a_wish_stands_after_a_tasks_words_as_it_does_in_training(evaluate, tmp_path):
    instructions = Instructions(domain="shop", reason_for_call="Cancel order O-1, please. \n")
    spoken = [task.model_copy(update={"user_scenario": UserScenario(instructions=instructions)}) for task in KEPT]
    about = About(dollars=None)
    write_dataset(
        tmp_path / "data", tasks=spoken, environments=[WORLD], trajectories=[], rejects=[], rejected=[], about=about
    )
    (tmp_path / "wishes.jsonl").write_text(json.dumps({"instruction": "Be quick."}))
    with OpenAIServer(script(calls(("cancel_order", {"order_id": "O-1"})), "Your order is cancelled.")) as server:
        told(evaluate(server, "toolscale", tmp_path / "data", "--tasks", "1", "--preferences", "wishes.jsonl"))
        words = server.requests[0]["messages"][-1]["content"]
    assert (
        words
        == instance_with("Be quick.").told_after(spoken[0].instruction)
        == "Cancel order O-1, please.\n\nBe quick."
    )


def instance_with(wish):
    """What training adds to the words of a task whose user has this wish."""
    preference = Preference(id="w", theme="t", instruction=wish, tools=[], vector=[1.0, 0.0, 0.0])
    return Instance(configuration=ToolConfiguration(id="none", schedule="together", tools=[]), preference=preference)


def test_a_budget_ends_a_run_and_the_same_command_goes_on(evaluate, tmp_path):
    data = bench.hle(tmp_path / "data")
    with OpenAIServer(answers_questions) as server:
        poor = evaluate(server, "hle", data, "--max-cost", "0")
        assert poor.exit_code == 3, (poor.output, poor.exception)
        assert not json.loads(poor.stdout)["complete"]
        metrics = told(evaluate(server, "hle", data))
    assert metrics["complete"]


def test_a_broken_endpoint_keeps_what_was_attempted_and_is_one_line(evaluate, tmp_path):
    data = bench.hle(tmp_path / "data")

    def breaks(request):
        if "6 times 7" not in asked_in(request):
            raise ConnectionError
        return "Answer: 42"

    with OpenAIServer(breaks) as server:
        broken = evaluate(server, "hle", data, "--at-once", "1")
        assert isinstance(broken.exception, UserError)
        assert "attempts made are kept" in str(broken.exception)
    with OpenAIServer(answers_questions) as server:
        assert told(evaluate(server, "hle", data))["complete"]
        assert not any("6 times 7" in asked_in(request) for request in server.requests)


def test_what_the_user_can_mend_is_one_line(evaluate, tmp_path):
    data = bench.hle(tmp_path / "data")
    (tmp_path / "empty").mkdir()
    with OpenAIServer(answers_questions) as server:
        told(evaluate(server, "hle", data, "--tasks", "1"))
        for name, place, options, complaint in (
            ("arc", data, (), "no benchmark `arc`"),
            ("hle", tmp_path / "nowhere", (), "--data is a path"),
            ("hle", tmp_path / "empty", (), "holds no task of HLE"),
            ("frames", data, ("--out", "x"), "no column `Prompt`"),
            ("toolscale", "", ("--out", "x"), "name the data of ToolScale"),
            ("hle", data, ("--max-turns", "ten"), "--max-turns ten"),
            ("hle", data, ("--seed", "1"), "its seed differs"),
            ("hle", data, ("--baseline", "empty", "--out", "x"), "no results of an evaluation"),
        ):
            error = evaluate(server, name, place, *options).exception
            assert isinstance(error, UserError), (name, options, error)
            assert complaint in str(error), (complaint, str(error))


def test_free_answers_need_a_judge_and_that_is_said_before_anything_is_paid(tmp_path, monkeypatch):
    evaluate = evaluate_in(tmp_path, monkeypatch)
    data = bench.hle(tmp_path / "data")
    with OpenAIServer(answers_questions) as server:
        monkeypatch.setenv("TOOLSCALE_MODELS", json.dumps({"judge": {"model": "offline/reference"}}))
        error = evaluate(server, "hle", data).exception
        assert "--judge" in str(error)
        assert not server.requests
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        told(evaluate(server, "hle", data, "--judge", "openai/judge"))
        assert "judge" in {request["model"] for request in server.requests}


@pytest.mark.parametrize(
    ("error", "says"),
    [("GatedRepoError", "accept its terms"), ("RepositoryNotFoundError", "has no dataset"), ("", "--data")],
)
def test_what_the_hub_refuses_is_told_with_the_way_out(evaluate, monkeypatch, error, says):
    import httpx
    import huggingface_hub
    from huggingface_hub import errors

    def refuses(*_, **__):
        if not error:
            raise httpx.ConnectError("no route to host")
        raise getattr(errors, error)("refused", response=httpx.Response(403, request=httpx.Request("GET", "http://x")))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuses)
    with OpenAIServer(answers_questions) as server:
        raised = evaluate(server, "hle", "").exception
    assert isinstance(raised, UserError)
    assert says in str(raised)
    assert "name the folder with --data" in str(raised)
