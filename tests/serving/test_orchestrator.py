"""`toolscale serve-orchestrator` as a real process, before the openai SDK: one model, which has tools of its own."""

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx
import openai
import pytest

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import calls, catalogue_file, script
from toolscale.errors import UserError
from toolscale.serving.accounts import Accounts, Limits

ASKED = [{"role": "user", "content": "How much is 6 times 7?"}]
DEAR, CHEAP = {"input": 100.0, "output": 100.0}, {"input": 1.0, "output": 1.0}
PRICES = json.dumps({"openai/agent": DEAR, "openai/small": CHEAP, "openai/deft": CHEAP})


def answers(request):
    """An orchestrator that runs code, then asks the strong model, unless it is to answer at once; and that model."""
    if request["model"] == "deft":
        return "42, surely"
    if "at once" in request["messages"][1]["content"]:
        return "Answer: 42"
    return script(
        calls(("code_interpreter", {"code": "6 * 7"})),
        calls(("generalist_large", {"question": "Is it 42?"})),
        "Both agree.\nAnswer: 42",
    )(request)


@contextmanager
def orchestrator(folder, behind, *options, **variables):
    """A served orchestrator whose models stand at `behind`; gives its base URL."""
    command = [sys.executable, "-m", "toolscale.cli", "serve-orchestrator", "--port", "0", "--model", "openai/agent"]
    command += ["--api-base", behind.url, "--catalogue", str(catalogue_file(folder, behind.url)), *options]
    variables = {"TOOLSCALE_PRICES": PRICES, "OPENAI_API_KEY": "none", "TOOLSCALE_DATA_ROOT": str(folder), **variables}
    environment = {name: value for name, value in os.environ.items() if name != "TAVILY_API_KEY"} | variables
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as run:
        url = run.stdout.readline().strip()
        assert url, run.stderr.read()
        try:
            yield url
        finally:
            run.send_signal(signal.SIGTERM)
            run.communicate(timeout=20)


def booked(folder):
    """Each expense of a server, in dollars."""
    file = folder / "served" / "spending.jsonl"
    return [json.loads(line)["dollars"] for line in file.read_text().splitlines()] if file.exists() else []


def client_of(url, key="any"):
    return openai.OpenAI(base_url=url, api_key=key, max_retries=0, timeout=60)


def ask(url, messages=ASKED, key="any", **more):
    return client_of(url, key).chat.completions.create(model="orchestrator", messages=messages, **more)


WISH = "Keep it cheap."


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A served orchestrator, what stands behind it, and its data root."""
    folder = tmp_path_factory.mktemp("served")
    with OpenAIServer(answers) as behind, orchestrator(folder, behind, "--prefer", WISH) as url:
        yield url, behind, folder


def test_a_request_is_answered_by_a_run_with_its_tokens_dollars_and_trace(served):
    url, behind, folder = served
    before, first = booked(folder), len(behind.requests)
    assert [model.id for model in client_of(url).models.list()] == ["orchestrator"]
    answer = ask(url)
    (choice,) = answer.choices
    assert (choice.message.content, choice.finish_reason) == ("42", "stop")
    assert behind.requests[first]["messages"][-1]["content"] == f"How much is 6 times 7?\n\n{WISH}"
    told = answer.model_extra["toolscale"]
    assert told["calls"] == {"code_interpreter": 1, "generalist_large": 1}
    assert (told["ending"], told["turns"]) == ("answered", 3)
    assert told["dollars"] > answer.usage.total_tokens * 100e-6  # the strong model's fee is on top
    assert (folder / "served" / "traces" / f"{told['trace']}.jsonl").exists()
    assert sum(booked(folder)) - sum(before) == pytest.approx(told["dollars"])


def test_a_stream_brings_the_same_answer_and_says_meanwhile_what_is_done(served):
    url, _, _ = served
    parts = list(ask(url, stream=True, stream_options={"include_usage": True}))
    body = {"model": "orchestrator", "messages": ASKED, "stream": True}
    raw = httpx.post(f"{url}/chat/completions", json=body, timeout=60).text
    assert "".join(part.choices[0].delta.content or "" for part in parts if part.choices) == "42"
    assert [part.choices[0].finish_reason for part in parts if part.choices][-1] == "stop"
    assert parts[-1].usage.completion_tokens > 0
    assert parts[-1].model_extra["toolscale"]["turns"] == 3
    comments = [line for line in raw.splitlines() if line.startswith(":")]
    assert ": turn 1: code_interpreter answered" in comments
    assert ": turn 2: generalist_large answered" in comments
    assert raw.rstrip().endswith("data: [DONE]")


def test_a_conversation_and_the_clients_own_system_message_reach_the_orchestrator(served):
    url, behind, _ = served
    first = len(behind.requests)
    said = [
        {"role": "system", "content": "You work for a school."},
        {"role": "user", "content": "Answer at once."},
        {"role": "assistant", "content": "I will."},
        {"role": "user", "content": [{"type": "text", "text": "And 6 times 7?"}]},
    ]
    assert ask(url, said).choices[0].message.content == "42"
    system, *rest = behind.requests[first]["messages"]
    assert system["content"].startswith("You solve tasks with the help of tools")
    assert system["content"].endswith("\n\nYou work for a school.")
    assert [message["content"] for message in rest] == ["Answer at once.", "I will.", f"And 6 times 7?\n\n{WISH}"]


def test_without_a_seed_the_same_question_is_asked_anew_and_with_one_no_model_is_asked(served):
    url, behind, _ = served
    first, quick = len(behind.requests), [{"role": "user", "content": "Answer at once."}]
    for _ in range(2):
        ask(url, quick)
    assert len(behind.requests) == first + 2
    for _ in range(2):
        ask(url, quick, seed=3)
    assert len(behind.requests) == first + 3


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"tools": [{"type": "function", "function": {"name": "book", "parameters": {}}}]}, "leave `tools` out"),
        ({"response_format": {"type": "json_object"}}, "leave `response_format` out"),
        ({"messages": [{"role": "assistant", "content": "Well?"}]}, "the last message must be the user's"),
        ({"messages": [*ASKED, {"role": "tool", "content": "1", "tool_call_id": "1"}]}, "does not have"),
        ({"messages": []}, "messages"),
    ],
)
def test_what_it_cannot_take_up_is_refused_with_the_reason(served, more, said):
    with pytest.raises(openai.BadRequestError, match=said):
        ask(served[0], **{"messages": ASKED, **more})


def test_another_model_or_route_is_not_there(served):
    url, _, _ = served
    with pytest.raises(openai.NotFoundError, match="served: `orchestrator`"):
        client_of(url).chat.completions.create(model="gpt", messages=ASKED)
    assert httpx.get(f"{url}/embeddings").status_code == 404
    assert httpx.get(f"{url.removesuffix('/v1')}/health").json() == {"status": "ok"}


def test_a_search_agent_has_its_own_prompt_the_day_and_the_sources_it_may_name(tmp_path):
    given = ("--catalogue", "search")
    with (
        OpenAIServer(lambda request: "Nothing is known.") as behind,
        orchestrator(tmp_path, behind, *given, TAVILY_API_KEY="tvly-none") as url,
    ):
        assert ask(url).model_extra["toolscale"]["sources"] == []
    told = json.dumps(behind.requests[0]["messages"])
    assert datetime.now(UTC).date().isoformat() in told


KEYS = """
[[key]]
name = "ada"
variable = "ADA_KEY"
max_dollars = 0.09
max_dollars_per_request = 0.09

[[key]]
name = "ben"
variable = "BEN_KEY"
at_once = 1
requests_per_minute = 3
"""


@contextmanager
def with_keys(folder, behind):
    (folder / "keys.toml").write_text(KEYS)
    given = {"ADA_KEY": "sk-ada-canary", "BEN_KEY": "sk-ben-canary"}
    with orchestrator(folder, behind, "--keys", str(folder / "keys.toml"), **given) as url:
        yield url


def test_a_key_spends_no_more_than_its_budget_over_restarts_too(tmp_path):
    with OpenAIServer(answers) as behind:
        with with_keys(tmp_path, behind) as url:
            ended = ask(url, key="sk-ada-canary")
            assert ended.choices[0].finish_reason == "length"
            assert ended.model_extra["toolscale"]["ending"] == "budget"
        asked = len(behind.requests)
        with with_keys(tmp_path, behind) as url:
            with pytest.raises(openai.RateLimitError, match=r"the budget of 0\.09 dollars is spent") as refused:
                ask(url, key="sk-ada-canary")
            assert refused.value.code == "insufficient_quota"
            assert len(behind.requests) == asked
            assert ask(url, key="sk-ben-canary").choices[0].message.content == "42"
    assert "canary" not in "".join(file.read_text() for file in (tmp_path / "served").rglob("*.jsonl"))


def test_a_key_has_as_many_requests_at_once_and_in_a_minute_as_it_may(tmp_path):
    held = threading.Event()

    def slow(request):
        assert held.wait(30)
        return "Answer: 42"

    with OpenAIServer(slow) as behind, with_keys(tmp_path, behind) as url, ThreadPoolExecutor() as threads:
        first = threads.submit(ask, url, key="sk-ben-canary")
        while not behind.requests:
            pass
        with pytest.raises(openai.RateLimitError, match="1 requests are under way"):
            ask(url, key="sk-ben-canary")
        held.set()
        assert first.result().choices[0].message.content == "42"
        for _ in range(2):
            ask(url, key="sk-ben-canary")
        with pytest.raises(openai.RateLimitError, match="more than 3 requests in a minute"):
            ask(url, key="sk-ben-canary")


def test_nobody_asks_without_a_key_where_there_are_keys(tmp_path):
    with OpenAIServer(answers) as behind, with_keys(tmp_path, behind) as url:
        for key in (b"", b"sk-ada", b"sk-ada-canary2", b"sk-\xff\xfe"):
            response = httpx.post(
                f"{url}/chat/completions",
                json={"model": "orchestrator", "messages": ASKED},
                headers={"Authorization": b"Bearer " + key} if key else {},
            )
            assert response.status_code == 401
        assert not behind.requests


def test_an_expense_that_a_crash_cut_off_takes_none_that_follows_with_it(tmp_path):
    file = tmp_path / "spending.jsonl"
    file.write_text('{"key": "everybody", "dollars": 1.5}\n{"key": "every')
    account = Accounts(file, everybody=Limits()).of("")
    assert account.spent == 1.5
    account.spend(0.25)
    assert Accounts(file, everybody=Limits()).of("").spent == 1.75
    file.write_text("[]\n")
    with pytest.raises(UserError, match="line 1 is no expense"):
        Accounts(file, everybody=Limits())


def test_a_client_that_hangs_up_ends_the_run_and_pays_for_what_was_done(tmp_path):
    begun, over = threading.Event(), threading.Event()

    def slow(request):
        if len(request["messages"]) > 2:
            begun.set()
            over.wait(20)
        return answers(request)

    with OpenAIServer(slow) as behind, orchestrator(tmp_path, behind) as url:
        body = {"model": "orchestrator", "messages": ASKED, "stream": True}
        with httpx.stream("POST", f"{url}/chat/completions", json=body, timeout=60):
            assert begun.wait(30)
        over.set()
        assert ask(url).choices[0].message.content == "42"
        own = [request for request in behind.requests if request["model"] == "agent"]
        assert len(own) <= 2 + 3, "the run went on after its client had gone"
    assert len(booked(tmp_path)) == 1 + 4


def test_an_endpoint_that_fails_is_a_bad_gateway_and_the_server_stays(tmp_path):
    with OpenAIServer(answers) as behind, orchestrator(tmp_path, behind, TOOLSCALE_RETRIES="0") as url:
        behind.faults.append(500)
        with pytest.raises(openai.APIStatusError) as failed:
            ask(url)
        assert failed.value.status_code == 502
        assert ask(url).choices[0].message.content == "42"


def refused(folder, *options, **variables):
    command = [sys.executable, "-m", "toolscale.cli", "serve-orchestrator", "--catalogue", "none", *options]
    environment = {**os.environ, "TOOLSCALE_DATA_ROOT": str(folder), **variables}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert run.returncode == 2
    return run.stderr


def test_it_does_not_start_where_anybody_could_spend_or_a_key_is_missing(tmp_path):
    keys = tmp_path / "keys.toml"
    assert "name a file of keys, --keys FILE" in refused(tmp_path, "--host", "0.0.0.0")
    keys.write_text(KEYS)
    assert "the key `ada`: the environment variable ADA_KEY is not set" in refused(
        tmp_path, "--keys", str(keys), ADA_KEY="", BEN_KEY="x"
    )
    assert "the same secret" in refused(tmp_path, "--keys", str(keys), ADA_KEY="x", BEN_KEY="x")
    keys.write_text(KEYS.replace('"ben"', '"ada"'))
    assert "two keys have the same name" in refused(tmp_path, "--keys", str(keys), ADA_KEY="x", BEN_KEY="y")
    keys.write_text(KEYS.replace("at_once = 1", "at_once = 0"))
    assert "key.1.at_once" in refused(tmp_path, "--keys", str(keys), ADA_KEY="x", BEN_KEY="y")
    assert "leave --max-cost and its like out" in refused(tmp_path, "--keys", str(keys), "--max-cost", "1")
