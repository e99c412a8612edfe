"""The faults of `toolscale serve-offline`: each is what it is called, and drawn as often as it was asked for."""

import http.client
import json
import socket
from collections import Counter
from contextlib import ExitStack, suppress
from functools import cache

import httpx
import openai
import pytest

from tests.mock_endpoint.test_server import chat
from tests.served import Server, serving, wait_until
from toolscale.mock_endpoint import FAULTS
from toolscale.mock_endpoint.faults import Fates


@pytest.fixture(scope="module")
def faulty():
    """Fault -> a server that commits it every time, started when it is first wanted."""
    with ExitStack() as stack:
        yield cache(lambda fault: stack.enter_context(serving(f"--{fault.replace('_', '-')}-rate", "1")))


# A bad one


def test_an_error_has_a_server_status_and_openais_shape(faulty):
    statuses = set()
    for seed in range(12):
        status, _, raw = faulty("error").post(chat(seed=seed))
        statuses.add(status)
        assert json.loads(raw)["error"]["type"] == "server_error"
    assert statuses == {500, 502, 503}


def test_a_hang_brings_not_even_a_status(faulty):
    with pytest.raises(TimeoutError):
        faulty("hang").post(chat(), timeout=0.3)


def test_a_reset_is_a_reset_not_an_end_of_file(faulty):
    with socket.create_connection(("127.0.0.1", faulty("reset").port), timeout=5) as raw:
        body = json.dumps(chat()).encode()
        raw.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        with pytest.raises(ConnectionResetError):
            raw.recv(1)


def test_a_cut_body_is_shorter_than_promised(faulty):
    with pytest.raises(http.client.IncompleteRead) as error:
        faulty("cut").post(chat())
    assert error.value.partial
    assert error.value.expected


def test_a_malformed_body_arrives_whole_and_is_not_json(faulty):
    status, headers, raw = faulty("malformed").post(chat())
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert len(raw) == int(headers["Content-Length"])
    with pytest.raises(json.JSONDecodeError):
        json.loads(raw)


def test_wrong_types_are_json_that_no_completion_is(faulty):
    found = set()
    for seed in range(12):
        choices = json.loads(faulty("wrong_type").post(chat(seed=seed))[2])["choices"]
        if not isinstance(choices, list):
            found.add("choices")
        elif not isinstance(choices[0]["message"], dict):
            found.add("message")
        else:
            assert not isinstance(choices[0]["message"]["content"], str)
            found.add("content")
    assert found == {"choices", "message", "content"}


def test_empty_has_no_choices(faulty):
    assert faulty("empty").client().chat.completions.create(**chat()).choices == []


def test_a_refusal_is_the_models_own(faulty):
    message = faulty("refusal").client().chat.completions.create(**chat()).choices[0].message
    assert message.refusal
    assert message.content is None
    with faulty("refusal").client().chat.completions.stream(**chat()) as stream:
        assert stream.get_final_completion().choices[0].message.refusal == message.refusal


def test_html_comes_with_status_200(faulty):
    status, headers, raw = faulty("html").post(chat())
    assert status == 200
    assert headers["Content-Type"].startswith("text/html")
    assert raw.startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize("fault", ["cut", "malformed", "reset", "error"])
def test_a_broken_stream_never_looks_finished(faulty, fault):
    finished = []

    def read() -> None:
        for piece in faulty(fault).client().chat.completions.create(**chat(stream=True)):
            finished.extend(choice.finish_reason for choice in piece.choices if choice.finish_reason)

    with pytest.raises((openai.APIError, httpx.TransportError, json.JSONDecodeError)):
        read()
    assert finished == []


@pytest.mark.parametrize("fault", FAULTS)
def test_every_request_ends_as_one_outcome(faulty, fault):
    with suppress(OSError, http.client.HTTPException):
        faulty(fault).post(chat(), timeout=0.3 if fault == "hang" else 5)
    wait_until(lambda: faulty(fault).stats()["in_flight"] == 0)
    stats = faulty(fault).stats()
    assert stats["requests"] >= 1
    assert stats["errors"] == {fault: stats["requests"]}


def test_fates_follow_the_content_and_not_the_order():
    options = ("--error-rate", "0.3", "--html-rate", "0.3", "--echo-schema", "--fault-seed", "7")

    def seen(server: Server, seeds) -> list[tuple[int, str]]:
        answers = ((seed, server.post(chat(seed=seed))) for seed in seeds)
        return sorted((seed, f"{status} {headers['Content-Type']}") for seed, (status, headers, _) in answers)

    with serving(*options) as one, serving(*options) as other:
        first = seen(one, range(30))
        assert seen(other, reversed(range(30))) == first
        assert len({outcome for _, outcome in first}) >= 3
        assert seen(one, range(30)) != first, "a retry has a fate of its own"
        assert one.stats()["distinct"] == 30


@pytest.mark.parametrize("seed", [0, 1])
def test_rates_are_kept(seed):
    fates = Fates({"error": 0.2, "hang": 0.05, "cut": 0.5}, seed)
    drawn = Counter(fates.next(b"%d" % number).fault for number in range(4000))
    for fault, rate in {"error": 0.2, "hang": 0.05, "cut": 0.5, None: 0.25}.items():
        assert drawn[fault] / 4000 == pytest.approx(rate, abs=0.03)


def test_another_seed_is_another_fate():
    drawn = [[Fates({"error": 0.5}, seed).next(b"%d" % n).fault for n in range(64)] for seed in (0, 1)]
    assert drawn[0] != drawn[1]
