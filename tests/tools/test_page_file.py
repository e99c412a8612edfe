"""Pages that a table links to: fetched once, gone on with after a kill, and indexed under their addresses."""

import csv
import json
from collections import Counter

import pytest
from aiohttp import web

from tests.tools.test_pages import ARTICLE, local
from tests.tools.web import serving
from toolscale.errors import UserError
from toolscale.questions.links import links_at
from toolscale.tools.chunks import documents_in
from toolscale.tools.page_file import fetch_pages


def site(busy=0):
    asked = Counter()

    async def handler(request):
        asked[request.path] += 1
        if request.path == "/gone":
            return web.Response(status=404)
        if request.path == "/busy" and asked["/busy"] <= busy:
            return web.Response(status=429)
        return web.Response(text=ARTICLE.replace("Ferry times", f"Page {request.path}"), content_type="text/html")

    return handler, asked


async def test_pages_are_fetched_once_and_what_failed_is_told(tmp_path):
    handler, asked = site()
    file = tmp_path / "out" / "pages.jsonl"
    async with serving(handler) as server:
        urls = [f"{server.url}/{name}" for name in ("a", "gone", "b")]
        first = await fetch_pages(urls, file, reader=local())
        again = await fetch_pages([*urls, f"{server.url}/c"], file, reader=local())
    assert (first.there, first.fetched) == (2, 2)
    assert list(first.failed) == [urls[1]]
    assert "HTTP 404" in first.failed[urls[1]]
    assert (again.there, again.fetched) == (3, 1)
    assert asked == {"/a": 1, "/gone": 2, "/b": 1, "/c": 1}
    documents = list(documents_in(file))
    assert {document.name for document in documents} == {urls[0], urls[2], f"{server.url}/c"}
    assert all(document.text.startswith("# Page /") for document in documents)


async def test_a_busy_server_is_asked_again(tmp_path):
    handler, asked = site(busy=2)
    async with serving(handler) as server:
        found = await fetch_pages([f"{server.url}/busy"], tmp_path / "pages.jsonl", reader=local(), seconds=0.01)
    assert (found.fetched, asked["/busy"]) == (1, 3)
    handler, asked = site(busy=99)
    async with serving(handler) as server:
        found = await fetch_pages([f"{server.url}/busy"], tmp_path / "pages.jsonl", reader=local(), seconds=0.01)
    assert (len(found.failed), asked["/busy"]) == (1, 4)


async def test_a_line_that_a_kill_cut_off_is_fetched_again(tmp_path):
    handler, asked = site()
    file = tmp_path / "pages.jsonl"
    async with serving(handler) as server:
        urls = [f"{server.url}/a", f"{server.url}/b"]
        await fetch_pages(urls, file, reader=local(), at_once=1)
        whole = file.read_bytes()
        file.write_bytes(whole[:-20])
        found = await fetch_pages(urls, file, reader=local())
    assert file.read_bytes() == whole
    assert (found.there, found.fetched, asked["/b"]) == (2, 1, 2)


async def test_a_file_of_something_else_is_left_alone(tmp_path):
    file = tmp_path / "notes.jsonl"
    file.write_text('{"text": "mine"}\n')
    with pytest.raises(UserError, match="something else than pages"):
        await fetch_pages(["https://a.example"], file, reader=local())
    assert file.read_text() == '{"text": "mine"}\n'


def test_links_are_read_from_lists_their_text_and_single_cells(tmp_path):
    with (tmp_path / "test.tsv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["Prompt", "wiki_links"], delimiter="\t")
        writer.writeheader()
        writer.writerow({"Prompt": "p", "wiki_links": "['https://a.example/x_(y),_z#s', \"https://a.example/it's\"]"})
        writer.writerow({"Prompt": "p", "wiki_links": "['https://a.example/x_(y),_z', 'javascript:alert(1)']"})
        writer.writerow({"Prompt": "p", "wiki_links": "[broken"})
    assert links_at(tmp_path, "wiki_links") == ["https://a.example/x_(y),_z", "https://a.example/it's"]
    (tmp_path / "l.jsonl").write_text(
        json.dumps({"at": ["https://b.example", 3, None]}) + '\n{"at": "https://c.example"}\n'
    )
    assert links_at(tmp_path / "l.jsonl", "at") == ["https://b.example", "https://c.example"]
    for place, column, said in (
        (tmp_path / "l.jsonl", "url", "no column `url`, only at"),
        (tmp_path / "nowhere", "at", "is no table"),
        (tmp_path / "test.tsv", "Prompt", "holds no link"),
    ):
        with pytest.raises(UserError, match=said):
            links_at(place, column)


@pytest.mark.parametrize("line", ["[1]", '{"url": "u"}', "{", '{"text": 3}'])
def test_json_lines_without_a_text_are_one_line(tmp_path, line):
    (tmp_path / "d.jsonl").write_text(line + "\n")
    with pytest.raises(UserError, match=r"d\.jsonl"):
        list(documents_in(tmp_path / "d.jsonl"))
