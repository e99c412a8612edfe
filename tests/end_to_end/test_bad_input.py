"""What a newcomer gets wrong, by the command line: one line that says what, where and what to do; nothing is lost."""

import asyncio
import json
import os
import re
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import FREE
from tests.served import serving
from tests.store.calls import call
from tests.store.old import make_format_1
from toolscale.store import CachedAnswer, ModelCall, Store

pytestmark = pytest.mark.slow


KEY = "sk-newcomer-0123456789"
PAGE = b"<!DOCTYPE html><html><body>Sign in to this proxy first.</body></html>"
EARLIER = {f"k{number}": f'{{"answer": "{number} {"é" * 200}"}}' for number in range(200)}


class Response(NamedTuple):
    status: int
    body: bytes
    kind: str = "application/json"


def complaint(status: int, message: str, code: str) -> Response:
    return Response(status, json.dumps({"error": {"message": message, "code": code}}).encode())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    response: Response | None

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.response is None:
            self.close_connection = True
            return
        status, body, kind = self.response
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that does not trust the certificate hangs up."""


@contextmanager
def answering(response: Response | None, certificate: Path | None = None) -> Iterator[str]:
    """The base URL of a server that answers everything so; None = it closes the connection without a word."""
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"response": response}))
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """`toolscale` in an empty folder; keyword arguments are variables."""

    def command(*words: str, before: Callable[[], None] | None = None, **variables: str) -> Any:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TOOLSCALE_")}
        # Dagster's records have the disk of their own: some test, or a library that reads .env, may have set it here.
        environment |= {"DAGSTER_HOME": "", "OPENAI_API_KEY": KEY, "TOOLSCALE_RETRY_SECONDS": "0.01"}
        environment |= {**FREE, **variables}
        line = [sys.executable, "-m", "toolscale.cli", *words]
        return subprocess.run(
            line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, preexec_fn=before
        )

    return command


@pytest.fixture
def synthesize(run: Run) -> Run:
    def command(url: str, *options: str, model: str = "openai/m", **more: Any) -> Any:
        return run("synthesize", "railway", "--model", model, "--api-base", url, "--tasks", "2", *options, **more)

    return command


def complained(finished: "subprocess.CompletedProcess[str]", *said: str) -> str:
    """Exit status 2 and one line, which says all of this, by patterns, once each.

    Beside it there may be lines of progress: a busy machine has time for some before the complaint.
    """
    assert finished.returncode == 2, finished.stderr
    assert finished.stdout == ""
    (line,) = (line for line in finished.stderr.splitlines() if not re.match(r"\s+[\d.]+ s  ", line))
    assert line.startswith("toolscale: ")
    for pattern in said:
        assert len(re.findall(pattern, line)) == 1, line
    assert KEY not in line
    return line


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A store in the data root, with what an earlier run paid for."""
    file = tmp_path / "data" / "toolscale.db"

    async def write() -> None:
        with Store(f"sqlite:///{file}") as store:
            await asyncio.gather(*[store.save(call(key, response=text)) for key, text in EARLIER.items()])

    asyncio.run(write())
    return file


def kept(file: Path, keys: Sequence[str] = tuple(EARLIER)) -> dict[str, str]:
    """What a store still answers."""

    async def find(store: Store) -> dict[str, str]:
        found = {key: await store.find(key) for key in keys}
        return {key: each.response for key, each in found.items() if isinstance(each, CachedAnswer)}

    with Store(f"sqlite:///{file}") as store:
        return asyncio.run(find(store))


NO_MODEL = complaint(404, "The model `m` does not exist", "model_not_found")
BAD_KEY = complaint(401, f"Incorrect API key provided: {KEY}", "invalid_api_key")


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (BAD_KEY, ["the provider refused the key: set OPENAI_API_KEY", "HTTP 401, invalid_api_key: "]),
        (NO_MODEL, ["the endpoint knows no such model: check its name and api_base", "HTTP 404, model_not_found: "]),
        (Response(404, b"", "text/plain"), ["check its name and api_base", r"\(HTTP 404\)$"]),
        (Response(200, PAGE, "text/html"), ["a web page, as a proxy does that wants a login", "check api_base"]),
        (Response(502, PAGE, "text/html"), ["kept failing", r"\(HTTP 502, with a web page, as a proxy sends: check"]),
        (complaint(500, "HTTP 500", ""), ["kept failing: see that it is up and run again", "HTTP 500"]),
        (None, ["the endpoint kept failing: see that it is up and run again", "Server disconnected"]),
    ],
    ids=["wrong key", "unknown model", "no such route", "a login", "bad gateway", "five hundred", "closes at once"],
)
def test_an_endpoint_that_does_not_answer_is_named_and_explained(
    response: Response | None, said: list[str], synthesize: Run, earlier: Path
) -> None:
    with answering(response) as url:
        complained(synthesize(url), f"openai/m at {re.escape(url)}: ", *said)
    assert kept(earlier) == EARLIER


def test_a_port_at_which_nobody_listens(synthesize: Run, earlier: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        complained(
            synthesize(f"http://{place}/v1"),
            f"openai/m at http://{place}/v1: the endpoint cannot be reached",
            "nobody listens there: see that it is up, and check api_base",
        )
    assert kept(earlier) == EARLIER


def test_a_host_that_nobody_knows(synthesize: Run, earlier: Path) -> None:
    url = "http://no-such-host.invalid/v1"
    complained(synthesize(url), f"at {url}: the endpoint cannot be reached", "nobody knows its host: check api_base")
    assert kept(earlier) == EARLIER


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
def test_a_certificate_that_is_not_trusted_and_the_way_to_trust_it(synthesize: Run, tmp_path: Path) -> None:
    certificate = tmp_path / "own.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
    made = ["-newkey", "rsa:2048", "-nodes", "-keyout", certificate.with_suffix(".key"), "-out", certificate]
    subprocess.run(["openssl", "req", "-x509", *made, *subject], check=True, capture_output=True)
    with answering(NO_MODEL, certificate) as url:
        complained(synthesize(url), f"at {url}: the endpoint cannot be reached: TLS fails", "SSL_CERT_FILE", "self-sig")
        complained(synthesize(url, SSL_CERT_FILE=str(certificate)), "the endpoint knows no such model")
    with answering(NO_MODEL) as url:
        complained(synthesize(url.replace("http:", "https:")), "TLS fails: check that api_base begins with the right")


def test_a_model_without_a_price_is_told_how_to_give_one_before_anything_is_asked(synthesize: Run) -> None:
    with answering(NO_MODEL) as url:
        line = complained(synthesize(url, model="openai/dear"), "openai/dear: no price is known", "TOOLSCALE_PRICES=")
        prices = re.search(r"TOOLSCALE_PRICES='(.*?)'", line)
        assert prices is not None
        mended = synthesize(url, model="openai/dear", TOOLSCALE_PRICES=prices[1])
    complained(mended, "openai/dear at http.*the endpoint knows no such model")


def test_a_model_without_a_provider(run: Run) -> None:
    finished = run("synthesize", "railway", "--model", "mystery")
    complained(finished, "mystery: no provider of that name; write provider/model")


def test_a_negative_budget_is_refused_wherever_it_stands(synthesize: Run, tmp_path: Path) -> None:
    finished = synthesize("http://127.0.0.1:9/v1", "--max-cost", "-1")
    assert finished.returncode == 2
    assert "Invalid value for '--max-cost': Input should be greater than or equal to 0" in finished.stderr
    assert "Traceback" not in finished.stderr
    complained(
        synthesize("http://127.0.0.1:9/v1", TOOLSCALE_MAX_COST="-1"), "setting `max_cost`: .*greater than or equal to 0"
    )
    assert not (tmp_path / "data").exists()


def test_an_endpoint_without_batches(synthesize: Run, earlier: Path) -> None:
    with answering(Response(404, b"", "text/plain")) as url:
        finished = synthesize(url, TOOLSCALE_BATCH_STAGES='["subjects"]', TOOLSCALE_BATCH_GATHER_SECONDS="0.1")
    complained(finished, "has no batch API: take its stages out of TOOLSCALE_BATCH_STAGES")
    assert kept(earlier) == EARLIER


def test_a_new_domain_on_the_offline_model(run: Run) -> None:
    complained(run("synthesize", "zoo"), "the offline model knows no domain `zoo`", "name a real model: --model")


def test_a_dataset_is_not_written_over_what_is_none(synthesize: Run, earlier: Path) -> None:
    finished = synthesize("http://127.0.0.1:9/v1", "--out", "data")
    complained(
        finished,
        "data holds toolscale.db, which is no part of a dataset",
        "choose another folder with --out, such as data/dataset",
    )
    assert kept(earlier) == EARLIER


def test_a_data_root_that_may_not_be_written(synthesize: Run, tmp_path: Path) -> None:
    """Nobody may make a folder in /sys, not even root."""
    with answering(NO_MODEL) as url:
        finished = synthesize(url, TOOLSCALE_DATA_ROOT="/sys/toolscale")
    complained(finished, "cannot write /sys/toolscale/made/locks/railway: .*its folder is writable")


def test_a_data_root_that_is_a_file(synthesize: Run, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("mine")
    complained(synthesize("http://127.0.0.1:9/v1"), "data.* is a file: set TOOLSCALE_DATA_ROOT to a folder")
    assert (tmp_path / "data").read_text() == "mine"


def test_a_cache_of_an_older_version_is_used_and_keeps_every_answer(synthesize: Run, tmp_path: Path) -> None:
    file = tmp_path / "data" / "toolscale.db"
    file.parent.mkdir()
    make_format_1(file, 50)
    with answering(NO_MODEL) as url:
        finished = synthesize(url)
    assert finished.returncode == 2
    upgraded, refused = finished.stderr.splitlines()
    assert "the store is of format 1" in upgraded
    assert "the endpoint knows no such model" in refused
    answered = {f"key {number}": f'{{"answer": "réponse {number}"}}' for number in range(50) if number % 7}
    assert kept(file, list(answered)) == answered


def test_a_cache_that_is_no_database_is_named_and_left_alone(synthesize: Run, tmp_path: Path) -> None:
    file = tmp_path / "data" / "toolscale.db"
    file.parent.mkdir()
    file.write_bytes(noise := bytes(range(256)) * 100)
    complained(synthesize("http://127.0.0.1:9/v1"), "data/toolscale.db: file is not a database", "move it away")
    assert file.read_bytes() == noise


def test_a_damaged_cache_is_named_and_the_advice_saves_what_it_holds(synthesize: Run, run: Run, earlier: Path) -> None:
    os.truncate(earlier, earlier.stat().st_size * 3 // 4)
    damaged = earlier.read_bytes()
    complained(synthesize("http://127.0.0.1:9/v1"), "malformed; the file is damaged: `toolscale cache salvage`")
    assert earlier.read_bytes() == damaged
    saved = run("cache", "salvage", "--out", "data/saved.db")
    assert saved.returncode == 0, saved.stderr
    answers = kept(earlier.with_name("saved.db"))
    assert answers == {key: EARLIER[key] for key in answers}
    assert answers


@pytest.mark.slow
def test_a_disk_that_is_full_under_the_cache_stops_the_run_and_costs_nothing_twice(
    synthesize: Run, earlier: Path, tmp_path: Path
) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, 700_000))

    with serving() as server:
        cut_short = synthesize(server.url, model="openai/reference", before=full)
        lines = [line for line in cut_short.stderr.splitlines() if line.startswith("toolscale: ")]
        assert cut_short.returncode == 2, cut_short.stderr
        assert len(lines) == 1
        assert "Traceback" not in cut_short.stderr
        assert re.search(r"cannot write to the store at .*toolscale.db: .*what was committed is kept", lines[0])
        assert kept(earlier) == EARLIER
        paid = server.stats()["requests"]
        with Store(f"sqlite:///{earlier}") as store:
            committed = len(store.rows(ModelCall)) - len(EARLIER)
        assert 0 < committed <= paid <= committed + 64

        finished = synthesize(server.url, model="openai/reference")
        assert finished.returncode == 0, finished.stderr
        assert server.stats()["requests"] - server.stats()["distinct"] <= paid - committed
    assert kept(earlier) == EARLIER
    assert (tmp_path / "data" / "datasets" / "railway" / "tasks").is_dir()


def test_a_disk_that_is_full_under_dagsters_records_is_said_in_one_line(run: Run, tmp_path: Path) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    home = tmp_path / "dagster"
    home.mkdir()
    (home / "dagster.yaml").touch()
    finished = run("demo", "--domains", "railway", before=full, DAGSTER_HOME=str(home))
    complained(finished, "cannot use the store at DAGSTER_HOME", "what was committed is kept")
