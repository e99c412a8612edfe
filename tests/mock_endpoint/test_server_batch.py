"""The batch routes of `toolscale serve-offline`, to the openai SDK and to a client that forgives nothing."""

import json
import time

import openai
import pytest

from tests.served import Server, serving, wait_until
from toolscale.errors import UserError
from toolscale.mock_endpoint import BATCH_FAULTS, Switches, batch_rates_from

FINAL = {"completed", "failed", "expired", "cancelled"}


def line(custom_id: str, model: str = "reference", **more) -> dict:
    body = {"model": model, "messages": [{"role": "user", "content": f"say {custom_id}"}], **more}
    return {"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions", "body": body}


def submitted(server: Server, lines: list[dict] | bytes, **more):
    content = lines if isinstance(lines, bytes) else "\n".join(map(json.dumps, lines)).encode()
    file = server.client().files.create(file=("input.jsonl", content), purpose="batch")
    return server.client().batches.create(
        input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", **more
    )


def ended(server: Server, batch):
    wait_until(lambda: server.client().batches.retrieve(batch.id).status in FINAL)
    return server.client().batches.retrieve(batch.id)


def text_of(server: Server, file_id: str | None) -> list[str]:
    return server.client().files.content(file_id).text.splitlines() if file_id else []


def read(server: Server, file_id: str | None) -> list[dict]:
    return [json.loads(text) for text in text_of(server, file_id)]


@pytest.fixture(scope="module")
def echoing():
    with serving("--echo-schema", "--model", "reference", "--model", "other") as running:
        yield running


def test_every_request_of_a_batch_is_answered_under_its_custom_id(echoing):
    before = echoing.stats()["batches"]
    names = [f"c{number}" for number in range(30)]
    batch = ended(echoing, submitted(echoing, [line(name) for name in names], metadata={"mine": "yes"}))
    assert (batch.status, batch.metadata, batch.error_file_id) == ("completed", {"mine": "yes"}, None)
    assert (batch.request_counts.total, batch.request_counts.completed, batch.request_counts.failed) == (30, 30, 0)
    answers = read(echoing, batch.output_file_id)
    assert sorted(answer["custom_id"] for answer in answers) == sorted(names)
    assert [answer["custom_id"] for answer in answers] != names, "results come in any order"
    for answer in answers:
        assert answer["response"]["status_code"] == 200
        assert answer["response"]["body"]["choices"][0]["message"]["content"] == "ok"
    after = echoing.stats()["batches"]
    assert (after["requests"] - before["requests"], after["created"] - before["created"]) == (30, 1)


def test_what_the_model_cannot_answer_stands_in_the_error_file(echoing):
    asked = {"type": "json_schema", "json_schema": {"name": "x", "schema": False}}
    batch = ended(echoing, submitted(echoing, [line("good"), line("bad", response_format=asked)]))
    assert (batch.status, batch.request_counts.completed, batch.request_counts.failed) == ("completed", 1, 1)
    (error,) = read(echoing, batch.error_file_id)
    assert (error["custom_id"], error["response"]["status_code"]) == ("bad", 400)
    assert error["response"]["body"]["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("content", "code", "number"),
    [
        (b"", "empty_file", 1),
        (b'{"custom_id": "a"', "invalid_json_line", 1),
        ([line("a"), {**line("b"), "method": "GET"}], "invalid_json_line", 2),
        ([line("a"), {**line("b"), "url": "/v1/embeddings"}], "invalid_json_line", 2),
        ([line("a"), line("a")], "duplicate_custom_id", 2),
        ([line("a", model="gpt-9")], "model_not_found", 1),
        ([line("a"), line("b", model="other")], "mismatched_model", 2),
    ],
)
def test_a_batch_whose_file_is_wrong_fails_and_says_at_which_line(echoing, content, code, number):
    before = echoing.stats()["batches"]["requests"]
    batch = ended(echoing, submitted(echoing, content))
    assert batch.status == "failed"
    assert (batch.errors.data[0].code, batch.errors.data[0].line) == (code, number)
    assert batch.output_file_id is None
    assert echoing.stats()["batches"]["requests"] == before, "nothing was executed"


def test_batches_are_listed_newest_first_page_by_page(echoing):
    made = [submitted(echoing, [line("a")]).id for _ in range(5)]
    assert [batch.id for batch in echoing.client().batches.list(limit=2)][:5] == made[::-1]
    first = echoing.client().batches.list(limit=2)
    assert (len(first.data), first.has_more) == (2, True)


def test_what_is_not_there_is_a_404_and_what_is_malformed_a_400(echoing):
    client = echoing.client()
    for call in (client.batches.retrieve, client.batches.cancel, client.files.retrieve, client.files.content):
        with pytest.raises(openai.NotFoundError):
            call("nothing")
    with pytest.raises(openai.NotFoundError):
        client.batches.create(input_file_id="no", endpoint="/v1/chat/completions", completion_window="24h")
    with pytest.raises(openai.BadRequestError, match="endpoint"):
        client.batches.create(input_file_id="no", endpoint="/v1/embeddings", completion_window="24h")
    with pytest.raises(openai.BadRequestError, match="purpose"):
        client.files.create(file=b"x", purpose="vision")
    assert echoing.post(b"x", "/v1/files")[0] == 400
    assert echoing.get("/v1/batches?limit=0")[0] == 400
    assert echoing.get("/v1/batches/a/b/c")[0] == 404


def test_the_key_guards_files_and_batches():
    with serving("--key-variable", "SERVER_KEY", SERVER_KEY="sk-canary-0123456789") as guarded:
        for path in ("/v1/files", "/v1/batches"):
            assert guarded.post({}, path)[0] == 401
        assert guarded.get("/v1/batches")[0] == 401


def test_a_cancelled_batch_keeps_what_it_had_answered():
    with serving("--echo-schema", "--batch-latency", "60") as slow:
        lines = [line(f"c{number}") for number in range(600)]
        batch = submitted(slow, lines)
        wait_until(lambda: slow.client().batches.retrieve(batch.id).request_counts.completed >= 2)
        assert slow.client().batches.cancel(batch.id).status == "cancelling"
        batch = ended(slow, batch)
        assert batch.status == "cancelled"
        answered, left = read(slow, batch.output_file_id), read(slow, batch.error_file_id)
        assert len(answered) == batch.request_counts.completed == slow.stats()["batches"]["requests"] >= 2
        assert {each["error"]["code"] for each in left} == {"batch_cancelled"}
        assert sorted(each["custom_id"] for each in answered + left) == sorted(each["custom_id"] for each in lines)
        with pytest.raises(openai.ConflictError):
            slow.client().batches.cancel(batch.id)


def test_a_batch_takes_as_long_as_it_was_told():
    with serving("--echo-schema", "--batch-latency", "0.3") as slow:
        started = time.monotonic()
        assert ended(slow, submitted(slow, [line("a")])).status == "completed"
        assert time.monotonic() - started >= 0.3


@pytest.mark.parametrize("fault", BATCH_FAULTS)
def test_each_fault_of_a_batch_is_what_it_says(fault):
    with serving("--echo-schema", "--batch-fault", f"{fault}=1") as faulty:
        batch = ended(faulty, submitted(faulty, [line("a"), line("b")]))
        outputs, errors = text_of(faulty, batch.output_file_id), read(faulty, batch.error_file_id)
        executed = faulty.stats()["batches"]["requests"]
    assert batch.status == ("expired" if fault == "expired" else "completed")
    assert executed == (0 if fault == "expired" else 2)
    assert len(errors) == (2 if fault in {"error", "limited", "expired"} else 0)
    match fault:
        case "error":
            assert all(error["response"]["status_code"] in {500, 502, 503} for error in errors)
        case "limited":
            assert {error["response"]["status_code"] for error in errors} == {429}
        case "expired":
            assert {error["error"]["code"] for error in errors} == {"batch_expired"}
        case "refusal":
            said = [json.loads(text)["response"]["body"]["choices"][0]["message"] for text in outputs]
            assert all(message["refusal"] and message["content"] is None for message in said)
        case "lost":
            assert outputs == []
        case "cut":
            assert len(outputs) == 2
            for text in outputs:
                with pytest.raises(json.JSONDecodeError):
                    json.loads(text)
        case "doubled":
            assert sorted(json.loads(text)["custom_id"] for text in outputs) == ["a", "a", "b", "b"]


def test_a_fault_that_is_no_fault_or_no_share_is_refused():
    assert batch_rates_from(["error=0.25", "lost=1"]) == {"error": 0.25, "lost": 1.0}
    for text in ("nonsense=0.1", "error", "error=2", "error=-1", "error=nan", "=0.5"):
        with pytest.raises(UserError, match="--batch-fault"):
            batch_rates_from([text])
    with pytest.raises(UserError, match="sum to"):
        Switches(batch_rates={"error": 0.6, "lost": 0.6})
