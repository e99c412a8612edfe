"""`toolscale serve-offline` as a real process: a good endpoint to the openai SDK and the gateway, and every bad one."""

import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest
from pydantic import BaseModel

from tests.served import Server, serving, wait_until
from toolscale.artifacts import canonical_json
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.mock_endpoint import FAULTS, Switches, latency_from
from toolscale.reference.domain import reference_domain
from toolscale.reference.model import OfflineRequest, answer
from toolscale.settings import ModelSettings, Settings
from toolscale.store import Store

KEY = "sk-canary-0123456789abcdef"
SUBJECTS = [{"role": "system", "content": "Stage: subjects\nDomain: railway"}, {"role": "user", "content": "Answer."}]
WORDS = (
    "Please book me the cheapest direct train from Harwick to Brampton on 12 November 2026, standard fare.\n"
    "My passenger number is P-1001."
)
ASKED = [{"role": "user", "content": WORDS}]
TOOLS = [function.spec().tool() for function in reference_domain("railway").functions]


class Subjects(BaseModel):
    subjects: list[str]


def chat(messages=SUBJECTS, **more):
    return {"model": "reference", "messages": messages, **more}


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def echoing():
    with serving("--echo-schema") as running:
        yield running


# A good endpoint


def test_the_sdk_reads_what_the_offline_model_answers(server):
    got = server.client().chat.completions.create(**chat(seed=3))
    assert got.choices[0].message.content == answer(OfflineRequest(SUBJECTS, seed=3))["content"]
    assert got.choices[0].finish_reason == "stop"
    assert got.usage.prompt_tokens == sum(len(message["content"]) for message in SUBJECTS) // 4
    assert got.usage.total_tokens == got.usage.prompt_tokens + got.usage.completion_tokens
    assert got.model == "reference"


def test_a_stream_brings_the_same_answer_in_pieces(server):
    whole = server.client().chat.completions.create(**chat())
    pieces = list(server.client().chat.completions.create(**chat(stream=True, stream_options={"include_usage": True})))
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces[:-1]) == whole.choices[0].message.content
    assert len([piece for piece in pieces[:-1] if piece.choices[0].delta.content]) > 1
    assert [piece.choices[0].finish_reason for piece in pieces[:-1] if piece.choices[0].finish_reason] == ["stop"]
    assert pieces[-1].choices == []
    assert pieces[-1].usage == whole.usage


def test_a_stream_carries_no_usage_unless_asked(server):
    pieces = list(server.client().chat.completions.create(**chat(stream=True)))
    assert all(piece.choices and piece.usage is None for piece in pieces)


def test_a_tool_call_comes_whole_and_in_deltas(server):
    expected = answer(OfflineRequest(ASKED, TOOLS))["tool_calls"][0]
    whole = server.client().chat.completions.create(**chat(ASKED, tools=TOOLS))
    assert whole.choices[0].finish_reason == "tool_calls"
    assert whole.choices[0].message.content is None
    assert whole.choices[0].message.tool_calls[0].model_dump() == expected

    with server.client().chat.completions.stream(**chat(ASKED, tools=TOOLS)) as stream:
        for _ in stream:
            pass
        streamed = stream.get_final_completion().choices[0]
    assert streamed.finish_reason == "tool_calls"
    assert streamed.message.tool_calls[0].id == expected["id"]
    assert streamed.message.tool_calls[0].function.name == expected["function"]["name"]
    assert streamed.message.tool_calls[0].function.arguments == expected["function"]["arguments"]


def test_models_are_listed_and_others_are_unknown(server):
    assert [card.id for card in server.client().models.list()] == ["reference"]
    assert server.client().models.retrieve("reference").id == "reference"
    with pytest.raises(openai.NotFoundError, match="`reference`"):
        server.client().models.retrieve("gpt-9")
    with pytest.raises(openai.NotFoundError) as error:
        server.client().chat.completions.create(**{**chat(), "model": "gpt-9"})
    assert error.value.code == "model_not_found"


def test_it_is_served_under_the_names_it_was_given():
    with serving("--model", "one", "--model", "two") as named:
        assert [card.id for card in named.client().models.list()] == ["one", "two"]
        assert named.post({**chat(), "model": "two"})[0] == 200
        assert named.post(chat())[0] == 404


def test_what_the_model_has_to_say_about_a_prompt_is_a_bad_request(server):
    unknown = [{"role": "system", "content": "Stage: subjects\nDomain: beekeeping"}]
    with pytest.raises(openai.BadRequestError, match="no domain `beekeeping`"):
        server.client().chat.completions.create(**chat(unknown))


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'{"model": "reference", ', "JSON"),
        (b"\xff\xfe", "JSON"),
        (b"[]", "object"),
        ({"model": "reference"}, "messages"),
        (chat([]), "messages"),
        (chat([{"role": "wizard", "content": "x"}]), "messages.0.role"),
        (chat([{"role": "user", "content": 7}]), "messages.0.content"),
        (chat(n=2), "n"),
        (chat(seed="one"), "seed"),
        (chat(stream="yes"), "stream"),
        (chat(tools=[{"type": "function"}]), "tools.0.function"),
        (chat(response_format={"type": "xml"}), "response_format.type"),
        (chat(response_format={"type": "json_schema", "json_schema": {}}), "response_format.json_schema.schema"),
    ],
)
def test_a_malformed_request_is_told_where_it_is_wrong(server, body, place):
    status, _, raw = server.post(body)
    error = json.loads(raw)["error"]
    assert status == 400
    assert error["type"] == "invalid_request_error"
    assert place in error["message"]


def test_a_prompt_that_breaks_the_model_does_not_break_the_server(server):
    broken = [{"role": "system", "content": "Stage: user\nno scenario here"}]
    with pytest.raises(openai.InternalServerError, match="the model failed"):
        server.client().chat.completions.create(**chat(broken))
    assert server.get("/health") == (200, {"status": "ok"})


def test_an_unknown_route_says_so(server):
    status, _, raw = server.post(chat(), "/v1/embeddings")
    assert status == 404
    assert "/v1/embeddings" in json.loads(raw)["error"]["message"]


def test_only_the_key_in_the_variable_is_accepted_and_it_is_never_repeated():
    with serving("--key-variable", "SERVER_KEY", SERVER_KEY=KEY) as guarded:
        assert guarded.client(KEY).chat.completions.create(**chat()).choices
        for call in (lambda c: c.models.list(), lambda c: c.chat.completions.create(**chat())):
            with pytest.raises(openai.AuthenticationError) as error:
                call(guarded.client("sk-wrong"))
            assert error.value.code == "invalid_api_key"
            assert KEY not in str(error.value)
            assert "sk-wrong" not in str(error.value)
        assert guarded.get("/health")[0] == 200
        assert guarded.stats()["errors"] == {"wrong_key": 1}


@pytest.mark.parametrize("retry_after", [None, "1.5"])
def test_requests_beyond_the_slots_are_rejected(retry_after):
    options = ("--retry-after", retry_after) if retry_after else ()
    with serving("--slots", "2", "--hang-rate", "1", *options) as limited, ThreadPoolExecutor(2) as pool:
        hung = [pool.submit(limited.post, chat(seed=seed), timeout=30) for seed in range(2)]
        wait_until(lambda: limited.stats()["in_flight"] == 2)
        for _ in range(3):
            status, headers, raw = limited.post(chat())
            assert (status, headers["Retry-After"]) == (429, retry_after)
            assert json.loads(raw)["error"]["code"] == "rate_limit_exceeded"
        stats = limited.stats()
        assert (stats["requests"], stats["rejected_429"], stats["most_in_flight"]) == (5, 3, 2)
        limited.process.terminate()
        assert limited.process.wait(timeout=30) == 0
        assert all(isinstance(each.exception(), ConnectionError) for each in hung)


def test_a_client_that_hangs_up_frees_its_slot():
    with serving("--slots", "1", "--latency", "30") as slow:
        with pytest.raises(TimeoutError):
            slow.post(chat(), timeout=0.2)
        wait_until(lambda: slow.stats()["in_flight"] == 0)
        with pytest.raises(TimeoutError):  # and not a 429
            slow.post(chat(), timeout=0.2)
        wait_until(lambda: slow.stats()["errors"] == {"abandoned": 2})


def test_latency_lies_in_its_range_and_differs():
    with serving("--latency", "0.05:0.25", "--echo-schema") as slow, ThreadPoolExecutor(8) as pool:

        def seconds(seed: int) -> float:
            started = time.perf_counter()
            assert slow.post(chat(seed=seed))[0] == 200
            return time.perf_counter() - started

        taken = sorted(pool.map(seconds, range(8)))
        assert taken[0] >= 0.05
        assert taken[-1] - taken[0] > 0.05


# A process


def test_it_ends_cleanly_and_answers_what_is_under_way():
    with serving("--latency", "1") as slow, ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(slow.post, chat())
        wait_until(lambda: slow.stats()["in_flight"] == 1)
        slow.process.send_signal(signal.SIGINT)
        assert under_way.result()[0] == 200
        assert slow.process.wait(timeout=30) == 0


def test_a_hung_request_does_not_hold_up_the_end():
    with serving("--hang-rate", "1") as hanging, ThreadPoolExecutor(1) as pool:
        hung = pool.submit(hanging.post, chat(), timeout=30)
        wait_until(lambda: hanging.stats()["in_flight"] == 1)
        hanging.process.send_signal(signal.SIGTERM)
        started = time.monotonic()
        assert hanging.process.wait(timeout=30) == 0
        assert time.monotonic() - started < 4.5, "it waited for the hung request"
        assert isinstance(hung.exception(), ConnectionError)


@pytest.mark.parametrize("text", ["fast", "0.3:0.1", "-1", "0.1:", "nan", "inf"])
def test_a_latency_that_is_none_is_refused(text):
    with pytest.raises(UserError, match=f"--latency {text}"):
        latency_from(text)


def test_rates_that_exceed_every_request_are_refused():
    with pytest.raises(UserError, match=r"sum to 1\.4"):
        Switches(rates={"error": 0.7, "cut": 0.7})
    Switches(rates=dict.fromkeys(FAULTS, 1 / len(FAULTS)))


@pytest.mark.parametrize("host", ["127.0.0.1", "no.such.host.invalid"])
def test_an_address_that_cannot_be_had_is_one_line(server, host):
    command = [sys.executable, "-m", "toolscale.cli", "serve-offline", "--host", host, "--port", str(server.port)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1
    assert f"{host}:{server.port}" in ended.stderr


# The gateway's own path


@pytest.fixture
def gateway_to(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Store(f"sqlite:///{tmp_path}/toolscale.db") as store:

        def to(server: Server) -> Gateway:
            teacher = ModelSettings(model="openai/reference", api_base=server.url, answers="schema")
            return Gateway(Settings(models={"teacher": teacher, "agent": teacher}, retry_seconds=0.01), store)

        yield to


async def test_the_gateway_gets_tool_calls_and_typed_answers(server, gateway_to):
    async with gateway_to(server) as gateway:
        reply = await gateway.chat("agent", ASKED, TOOLS, stage="agent", domain="railway")
        subjects = await gateway.typed("teacher", SUBJECTS, Subjects, stage="subjects", domain="railway")
    offered = {tool["function"]["name"] for tool in TOOLS}
    assert {call["function"]["name"] for call in reply.message["tool_calls"]} <= offered
    assert reply.prompt_tokens > 0
    assert len(subjects.subjects) > 2


async def test_the_gateway_reads_an_echoed_schema(echoing, gateway_to):
    async with gateway_to(echoing) as gateway:
        answered = await gateway.typed("teacher", SUBJECTS, Subjects, stage="subjects", domain="railway")
    assert answered == Subjects(subjects=[])


def test_echo_calls_the_tool_that_must_be_called(echoing):
    parameters = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}
    tool = {"type": "function", "function": {"name": "count", "parameters": parameters}}
    for choice in ("required", {"type": "function", "function": {"name": "count"}}):
        got = echoing.client().chat.completions.create(**chat(tools=[tool], tool_choice=choice))
        (call,) = got.choices[0].message.tool_calls
        assert (call.function.name, json.loads(call.function.arguments)) == ("count", {"n": 3})
    assert echoing.client().chat.completions.create(**chat(tools=[tool])).choices[0].message.tool_calls is None


def test_echo_says_which_schema_it_cannot_answer(echoing):
    form = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object", "required": ["a"]}}}
    assert echoing.client().chat.completions.create(**chat(response_format=form)).choices
    form["json_schema"]["schema"]["properties"] = {"a": {"$ref": "#/$defs/Nowhere"}}
    with pytest.raises(openai.BadRequestError, match="Nowhere"):
        echoing.client().chat.completions.create(**chat(response_format=form))


async def test_tools_count_in_the_usage_of_the_offline_model_over_http_as_in_process(server, gateway_to, tmp_path):
    with Store(f"sqlite:///{tmp_path}/here.db") as store:
        async with gateway_to(server) as served, Gateway(Settings(default_model="offline/reference"), store) as here:
            for gateway in (served, here):
                some, all_of_them = [
                    await gateway.chat("agent", ASKED, tools, stage="agent", domain="railway")
                    for tools in (TOOLS[:5], TOOLS)
                ]
                more = len(canonical_json(TOOLS)) - len(canonical_json(TOOLS[:5]))
                assert all_of_them.prompt_tokens - some.prompt_tokens == pytest.approx(more / 4, abs=2)
