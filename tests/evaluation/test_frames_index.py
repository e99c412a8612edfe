"""FRAMES with an index of the pages that its questions link to, from the fetch to the answer."""

import csv
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from typer.testing import CliRunner

from tests.evaluation.test_evaluate import at, evaluate_in, told
from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import calls
from tests.tools.embedding_server import EmbeddingServer
from tests.tools.test_pages import ARTICLE
from toolscale.cli import app
from toolscale.tools import page_file
from toolscale.tools.fetch import Fetcher
from toolscale.tools.pages import ExtractContent

CATALOGUE = """
[[tool]]
kind = "local_search"
description = "Searches the encyclopedia."

[sets.local]
tools = ["local_search"]
"""


class _Encyclopedia(BaseHTTPRequestHandler):
    def do_GET(self):
        body = ARTICLE.encode() if self.path == "/wiki/Ferry" else b"<html><body><p>Nothing of note.</p></body></html>"
        self.send_response(200 if self.path.startswith("/wiki/") else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(name="encyclopedia")
def encyclopedia_fixture(monkeypatch):
    reader = lambda: ExtractContent(Fetcher(allowed_addresses={"127.0.0.1"}))  # noqa: E731
    monkeypatch.setattr(page_file, "ExtractContent", reader)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Encyclopedia)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_frames_is_answered_from_an_index_of_its_own_links(encyclopedia, tmp_path, monkeypatch):
    evaluate = evaluate_in(tmp_path, monkeypatch)
    row = {
        "": "0",
        "Prompt": "When does the first boat leave the northern pier?",
        "Answer": "ten past six",
        "wiki_links": repr([f"{encyclopedia}/wiki/Ferry#times", f"{encyclopedia}/wiki/Pier", f"{encyclopedia}/gone"]),
        "reasoning_types": "Temporal",
    }
    with (tmp_path / "test.tsv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(row), delimiter="\t")
        writer.writeheader()
        writer.writerow(row)
    fetched = CliRunner().invoke(app, ["index", "pages", "test.tsv", "--out", "pages.jsonl"])
    assert fetched.exit_code == 0, (fetched.output, fetched.exception)
    assert "pages.jsonl: 2 of 3 pages, 2 of them new" in fetched.stdout
    assert f"{encyclopedia}/gone: HTTP 404" in fetched.stderr

    def answers(request):
        last = request["messages"][-1]
        if last["role"] != "tool":
            return calls(("local_search", {"query": "first boat northern pier"}))
        return "Answer: ten past six" if "ten past six" in last["content"] else "Answer: unknown"

    with EmbeddingServer() as embedding, OpenAIServer(answers) as server:
        order = ["index", "build", "pages.jsonl", "--out", "index", "--model", "openai/text-embedding-3-small"]
        built = CliRunner().invoke(app, [*order, "--api-base", embedding.url])
        assert built.exit_code == 0, (built.output, built.exception)
        (tmp_path / "local.toml").write_text(CATALOGUE)
        metrics = told(evaluate(server, "frames", "test.tsv", "--index", "index", catalogue="local.toml:local"))
    assert at(metrics)["accuracy"]["mean"] == 100.0
    assert at(metrics)["tools"]["local_search"]["calls"] == 1


def test_pages_that_cannot_be_had_at_all_are_one_line(encyclopedia, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "links.jsonl").write_text(f'{{"wiki_links": "{encyclopedia}/gone"}}\n')
    result = CliRunner().invoke(app, ["index", "pages", "links.jsonl", "--out", "pages.jsonl"])
    assert "none of the pages of links.jsonl could be had" in str(result.exception)
    result = CliRunner().invoke(app, ["index", "pages", "nowhere.tsv", "--out", "pages.jsonl"])
    assert "nowhere.tsv is no table" in str(result.exception)
