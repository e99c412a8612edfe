"""A key never comes to rest anywhere, not even when the endpoint says it back, in its errors and in its answers."""

import json
import os
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field

import pyarrow.parquet as pq
import pytest

from tests.end_to_end.test_synthesize_over_http import reference_over_http
from tests.openai_server import OpenAIServer, completion
from toolscale.dataset import read_dataset

pytestmark = pytest.mark.slow


LONG, SHORT = "sk-canary-0123456789abcdef", "k3y-x9"


@dataclass
class Talkative(OpenAIServer):
    """Says the Authorization header back, as a proxy does that is being debugged."""

    echoed_in_errors: int = 0
    echoed_in_answers: int = 0
    seen: set[str] = field(default_factory=set)

    def _answer(self, request, authorization, fault):
        self.seen.add(authorization)
        said = f"you sent Authorization: {authorization}"
        with self._lock:
            first = len(self.requests) % 9 == 1
        refuse = "evol" in json.dumps(request["messages"][0]).casefold() and first
        if first:
            self.echoed_in_errors += 1
            kind = {"code": "content_filter"} if refuse else {"code": None}
            return (400 if refuse else 500), json.dumps({"error": {"message": f"content filter: {said}", **kind}})
        message = self.behaviour(request)
        message = {"content": message} if isinstance(message, str) else message
        content = message.get("content") or ""
        echoing = content.replace('"persona": "', f'"persona": "{said}. ', 1)
        if "{" not in content and content:
            echoing = f"{content} ({said})"
        self.echoed_in_answers += echoing != content
        return 200, json.dumps(completion(request, {**message, "content": echoing or None}))


def run(folder, server, *options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TOOLSCALE_")}
    home = folder / "dagster"
    home.mkdir(exist_ok=True)
    environment |= {"OPENAI_API_KEY": LONG, "HOSTED_VLLM_API_KEY": SHORT, "HOSTED_VLLM_API_BASE": server.url}
    free = json.dumps({model: {"input": 0, "output": 0} for model in ("openai/anything", "hosted_vllm/anything")})
    environment |= {"DAGSTER_HOME": str(home), "TOOLSCALE_PRICES": free, "TOOLSCALE_RETRY_SECONDS": "0.01"}
    command = [sys.executable, "-m", "toolscale.cli", "synthesize", "restaurant", "--model", "openai/anything"]
    command += ["--description", "Restaurants of a group: tables, menus, orders.", "--api-base", server.url]
    command += ["--role", "agent=hosted_vllm/anything", "--out", str(folder / "dataset"), *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def told(folder):
    """Path and text of all that was written; what is compressed or cut into pages is read as well."""
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        yield path, path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".parquet":
            yield path, json.dumps(pq.read_table(path).to_pylist(), default=str)
        elif path.read_bytes()[:15] == b"SQLite format 3":
            with sqlite3.connect(path) as database:
                yield path, "\n".join(database.iterdump())


def assert_kept_from(folder, finished):
    texts = [*told(folder), ("standard output", finished.stdout), ("standard error", finished.stderr)]
    leaks = {str(where) for where, text in texts for key in (LONG, SHORT) if key in text}
    assert not leaks
    return texts


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("talkative")
    with Talkative(reference_over_http) as server:
        ended = run(folder, server, "--tasks", "3")
    assert ended.returncode == 0, ended.stderr
    assert server.seen == {f"Bearer {LONG}", f"Bearer {SHORT}"}
    assert server.echoed_in_errors
    assert server.echoed_in_answers
    return folder, ended


def test_a_key_that_answers_and_errors_say_back_is_written_nowhere(finished):
    folder, ended = finished
    texts = assert_kept_from(folder, ended)
    blotted = {str(path.relative_to(folder).parts[0]) for path, text in texts[:-2] if "<OPENAI_API_KEY>" in text}
    assert {"data", "dataset"} <= blotted, "the echo did not get as far as the dataset, so nothing was tried"
    assert any("<HOSTED_VLLM_API_KEY>" in text for _, text in texts)


def traces(folder, *options):
    command = [sys.executable, "-m", "toolscale.cli", "traces", "--json", "--limit", "0", *options]
    keys = {**os.environ, "OPENAI_API_KEY": LONG, "HOSTED_VLLM_API_KEY": SHORT}
    return subprocess.run(command, cwd=folder, env=keys, capture_output=True, text=True, check=True).stdout


def test_the_calls_on_behalf_of_a_task_are_found_by_its_id(finished):
    folder, _ = finished
    task, _ = read_dataset(folder / "dataset")[0]
    found = [json.loads(line) for line in traces(folder, "--task", task.id).splitlines()]
    assert {call["task"] for call in found} == {task.id}
    assert {call["sample"] for call in found if call["stage"] == "episode"} == set(range(8))


def test_a_trace_shows_the_blot(finished):
    folder, _ = finished
    shown = traces(folder, "--full")
    assert "Authorization: Bearer <OPENAI_API_KEY>" in shown
    assert LONG not in shown
    assert SHORT not in shown


def test_an_error_that_ends_the_run_says_no_key_on_screen_or_in_dagsters_log(tmp_path):
    with OpenAIServer(reference_over_http, key="another") as server:
        ended = run(tmp_path, server)
    assert ended.returncode != 0
    assert "<OPENAI_API_KEY>" in ended.stderr
    texts = assert_kept_from(tmp_path, ended)
    assert any("<OPENAI_API_KEY>" in text for where, text in texts if "dagster" in str(where))
