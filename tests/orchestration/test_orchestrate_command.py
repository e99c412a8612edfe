"""`toolscale orchestrate`, from the command line to the exit status."""

import json
import shlex

import pytest
from typer.testing import CliRunner

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import calls, catalogue_file, script
from tests.tools.mcp_desk import DESK
from toolscale.catalogue.latency import LatencyProfile
from toolscale.cli import app
from toolscale.dataset.questions import read_question_tasks
from toolscale.descriptions.description import ModelDescription, as_json
from toolscale.errors import UserError


@pytest.fixture
def orchestrate(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    monkeypatch.setenv("COLUMNS", "120")

    def run(server, *options, question="How much is 6 times 7?"):
        model = ["--model", "openai/agent", "--api-base", server.url]
        if "--catalogue" not in options:
            model += ["--catalogue", str(catalogue_file(tmp_path, server.url))]
        return CliRunner().invoke(app, ["orchestrate", question, *model, *options])

    return run


def answers(request):
    """An orchestrator that runs code, then asks the strong model; and that model."""
    if request["model"] == "deft":
        return "42, surely"
    return script(
        calls(("code_interpreter", {"code": "6 * 7"})),
        calls(("generalist_large", {"question": "Is it 42?"})),
        "Both agree.\nAnswer: 42",
    )(request)


def test_the_run_is_shown_as_it_happens_with_what_it_cost(orchestrate):
    with OpenAIServer(answers) as server:
        result = orchestrate(server)
    assert result.exit_code == 0, result.output
    for part in ("turn 1", "calls code_interpreter", "42", "turn 3", "42, surely", " of tools, 2 calls", "$0.00"):
        assert part in result.output, part
    assert "web_search is left out" in result.output
    assert "TAVILY_API_KEY" in result.output
    offered = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert offered == {"code_interpreter", "code_writer_large", "generalist_small", "generalist_large"}


def test_the_trace_is_one_json_object(orchestrate):
    with OpenAIServer(answers) as server:
        result = orchestrate(server, "--json")
    trace = json.loads(result.stdout)
    assert (trace["answer"], trace["ending"]) == ("42", "answered")
    assert [call["tool"] for call in trace["calls"]] == ["code_interpreter", "generalist_large"]
    assert trace["dollars"] == pytest.approx(sum(call["answer"]["dollars"] for call in trace["calls"]))


def test_a_run_that_ended_early_says_so_by_its_status_and_goes_on_from_its_trace(orchestrate, tmp_path):
    with OpenAIServer(answers) as server:
        short = orchestrate(server, "--max-turns", "1", "--trace", "t.jsonl")
        assert short.exit_code == 1
        assert "--max-turns allows more" in short.output
        poor = orchestrate(server, "--max-cost", "0", "--trace", "t.jsonl")
        assert poor.exit_code == 3
        whole = orchestrate(server, "--trace", "t.jsonl", "--json")
        assert json.loads(whole.stdout)["answer"] == "42"
        assert len(server.requests) == 4


def test_a_model_without_a_price_is_left_out_before_anything_is_paid(orchestrate, tmp_path):
    with OpenAIServer(lambda request: "Answer: 42") as server:
        file = catalogue_file(tmp_path, server.url)
        file.write_text(file.read_text().replace('"openai/small"', '"openai/nobody-lists-it"'))
        result = orchestrate(server, "--catalogue", str(file))
    assert result.exit_code == 0
    assert "generalist_small is left out: openai/nobody-lists-it: no price is known" in " ".join(result.output.split())
    offered = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert offered == {"code_interpreter", "code_writer_large", "generalist_large"}


def test_without_tools_it_is_a_plain_answer(orchestrate):
    with OpenAIServer(lambda request: "Answer: \x1b[31m42") as server:
        result = orchestrate(server, "--catalogue", "none")
    assert result.exit_code == 0
    assert "tools" not in server.requests[0]
    assert "\x1b[31m" not in result.output


def test_measured_descriptions_and_latencies_are_what_the_orchestrator_reads(orchestrate, tmp_path):
    told = ModelDescription(
        model="lab/large",
        description="Solved nine of ten.",
        written_by="openai/teacher",
        trials=[],
        latency=LatencyProfile(seconds=40.0),
    )
    (tmp_path / "told.json").write_bytes(as_json([told]))
    with OpenAIServer(answers) as server:
        assert orchestrate(server, "--descriptions", "told.json").exit_code == 0
    shown = {tool["function"]["name"]: tool["function"]["description"] for tool in server.requests[0]["tools"]}
    assert "Solved nine of ten. Price: $10.00 per million" in shown["generalist_large"]
    assert "Takes about 40 seconds." in shown["generalist_large"]
    assert "Cheap, and weak." in shown["generalist_small"]


def test_a_question_of_a_set_is_asked_with_the_tools_and_prices_of_its_row(orchestrate, tmp_path):
    rows = [{"question": f"How much is {n} times 7?", "answer": str(7 * n)} for n in range(1, 13)]
    (tmp_path / "set.json").write_text(json.dumps(rows))
    with OpenAIServer(answers) as server:
        order = [
            "import",
            "set.json",
            "--format",
            "questions",
            "--catalogue",
            str(catalogue_file(tmp_path, server.url)),
        ]
        brought = CliRunner().invoke(app, [*order, "--out", "sets"])
        assert brought.exit_code == 0, brought.exception
        tasks = {task.question: task for task in read_question_tasks(tmp_path / "sets")}
        able = [task for task in tasks.values() if not {"web_search"} & {*task.configuration.names}]
        task = min(able, key=lambda each: len(each.configuration.names))
        shown = orchestrate(server, "--questions", "sets", question=task.id)
        assert shown.exit_code == 0, (shown.output, shown.exception)
        assert server.requests[0]["tools"] == task.configuration.as_tools()
        assert task.question in server.requests[0]["messages"][-1]["content"]
        assert f"reference answer: {task.answer}" in shown.output
        both = orchestrate(server, "--questions", "sets", "--mcp", "desk=x", question=task.id)
        assert "--mcp adds tools to a catalogue" in str(both.exception)
        assert "no question `q`" in str(orchestrate(server, "--questions", "sets", question="q").exception)


def test_a_server_of_the_command_line_is_offered_called_and_shown(orchestrate, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-the-desk")
    says = script(calls(("desk__environment", {}), ("desk__find_ticket", {"number": 7})), "Answer: on fire")
    with OpenAIServer(says) as server:
        desk = f"desk:find_ticket,environment={shlex.join(DESK)}"
        result = orchestrate(server, "--catalogue", "none", "--mcp", desk, "--mcp", "dead=no-such-program", "--json")
    assert result.exit_code == 0, (result.output, result.exception)
    trace = json.loads(result.stdout)
    assert [call["tool"] for call in trace["calls"]] == ["desk__environment", "desk__find_ticket"]
    assert "Ticket 7: the printer is on fire" in trace["calls"][1]["answer"]["content"]
    assert "sk-not-for-the-desk" not in result.output
    assert [tool["function"]["name"] for tool in server.requests[0]["tools"]] == [
        "desk__find_ticket",
        "desk__environment",
    ]
    assert "dead is left out: the MCP server dead cannot be started: no-such-program" in result.stderr


def test_what_the_user_can_mend_is_one_line(orchestrate):
    with OpenAIServer(lambda request: "Answer: 42") as server:
        for options, complaint in (
            (("--catalogue", "everything"), "no set `everything`"),
            (("--schedule", "everybody"), "no price schedule `everybody`"),
            (("--catalogue", "search", "--search-service", "bing"), "no search service `bing`"),
            (("--mcp", "desk"), "Write it as NAME=COMMAND or NAME=URL"),
            (("--catalogue", "none", "--mcp", "dead=no-such-program"), "none of the tools"),
        ):
            error = orchestrate(server, *options).exception
            assert isinstance(error, UserError), options
            assert complaint in str(error)
        assert not server.requests
