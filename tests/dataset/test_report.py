"""The report is one page that loads nothing, escapes everything, and shows what the golden calls did."""

import base64
import gzip
import hashlib
import json
import re
import struct
from html.parser import HTMLParser
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from tests.dataset.small import FIRST, KEPT, SPOKEN, contents, spoken, task, write_small
from toolscale.artifacts import Instructions, UserScenario
from toolscale.cli import app
from toolscale.dataset import About, write_dataset
from toolscale.dataset.contents import read_contents
from toolscale.dataset.plots import plots
from toolscale.dataset.report import write_report
from toolscale.errors import UserError

HOSTILE = "<script>alert(1)</script><img src=x onerror=\"alert('2')\"> </blockquote> `<b>` {{ 7 * 7 }} \u202egnp"


class Page(HTMLParser):
    """The elements of a page, with their attributes and text."""

    void = frozenset({"meta", "img", "br", "link", "input"})

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.text = [], [], []
        self.feed(text)
        assert self.open == [], "an element is not closed"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    @property
    def said(self):
        return " ".join(" ".join(self.text).split())


def page_of(tmp_path, **options):
    out = tmp_path / "report.html"
    write_report(tmp_path / "d", out, **options)
    return out.read_text(encoding="utf-8")


def packs(text):
    """Id -> what is packed in the page under it."""
    found = re.findall(r'<script type="text/plain" id="([^"]+)">([A-Za-z0-9+/=]*)</script>', text)
    return {name: gzip.decompress(base64.b64decode(pack)).decode() for name, pack in found}


def data_of(text):
    return json.loads(packs(text)["data"])


def tasks_of(text):
    """The tasks on the page, each with all that is told of it."""
    blocks = sorted((name for name in packs(text) if name.startswith("block-")), key=lambda name: int(name[6:]))
    told = [task for name in blocks for task in json.loads(packs(text)[name])]
    return list(zip(data_of(text)["tasks"], told, strict=True))


def own_script(text):
    return re.search(r"<script>(.*)</script>", text, re.S)[1]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_small(folder / "d")
    return page_of(folder)


def test_it_loads_nothing_and_its_policy_lets_no_other_script_run(page):
    parsed = Page(page)
    assert not {tag for tag, _ in parsed.elements} & {"iframe", "object", "embed", "link", "form", "base"}
    for tag, attributes in parsed.elements:
        assert not any(name.startswith("on") for name in attributes), tag
        for name in ("src", "href", "srcset", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:image/png;base64,"))
    assert not re.search(r"url\(|@import", page)
    (policy,) = (each["content"] for tag, each in parsed.elements if each.get("http-equiv"))
    scripts = [own_script(page), packs(page)["library"]]
    hashes = {base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts}
    assert policy.startswith("default-src 'none';")
    assert "unsafe-eval" not in policy
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == hashes


def test_its_script_makes_text_nodes_of_what_it_is_given(page):
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\(|new Function", own_script(page))


@pytest.mark.parametrize("where", ["instruction", "persona", "intent", "added", "communicate_info", "arguments", "id"])
def test_text_of_models_stays_text(tmp_path, where):
    said = Instructions(domain="shop", reason_for_call=HOSTILE if where == "instruction" else "Cancel O-1, please.")
    scenario = UserScenario(persona=HOSTILE if where == "persona" else "", instructions=said)
    call = FIRST.golden_calls[0]
    hostile = task("shop-1", solved=1).model_copy(
        update={"user_scenario": scenario}
        | {
            "intent": {"intent": HOSTILE},
            "communicate_info": {"communicate_info": [HOSTILE]},
            "arguments": {"golden_calls": [call.model_copy(update={"arguments": {"order_id": HOSTILE}})]},
            "added": {"lineage": FIRST.lineage.model_copy(update={"depth": 1, "added": HOSTILE})},
            "id": {"id": f"shop-{HOSTILE}"},
        }.get(where, {})
    )
    about = About(models={"agent": [f"openai/{HOSTILE}"]})
    with patch("toolscale.dataset.writer.write_plots"):  # the page draws its own
        write_dataset(tmp_path / "d", **contents(tasks=[hostile], trajectories=[], rejected=[], about=about))
    page = page_of(tmp_path)
    parsed = Page(page)  # as a browser would read it: an element that slipped in would show
    scripts = [attributes for tag, attributes in parsed.elements if tag == "script"]
    assert scripts == [*({"type": "text/plain", "id": name} for name in packs(page)), {}]
    assert [attributes for tag, attributes in parsed.elements if tag == "img" and "onerror" in attributes] == []
    shown = json.dumps(tasks_of(page), ensure_ascii=False)
    assert "alert(1)" in shown
    assert "7 * 7" in shown
    assert "\u202e" not in page + shown


def test_a_task_is_shown_with_what_its_golden_calls_gave_and_changed(page):
    task, told = next(each for each in tasks_of(page) if each[0]["id"] == "shop-1")
    ((name, arguments, result, _),) = told["golden"]
    assert (name, arguments) == ("cancel_order", 'order_id="O-1"')
    assert result
    assert ["changed", "orders/O-1 status", '"open" \N{RIGHTWARDS ARROW} "cancelled"'] in told["changes"]
    assert (task["solved"], task["attempts"]) == (2, 8)


def test_an_attempt_stands_beside_it_and_a_failed_one_with_what_it_left_otherwise(tmp_path):
    idle = SPOKEN.model_copy(update={"attempt": 5, "calls": []})
    write_dataset(tmp_path / "d", **contents(trajectories=[spoken("shop-1", 1), idle]))
    _, told = next(each for each in tasks_of(page_of(tmp_path)) if each[0]["id"] == "shop-1")
    solved, failed = told["tried"]
    assert (solved["attempt"], solved["solved"], solved["differences"]) == (1, True, [])
    assert (failed["attempt"], failed["solved"]) == (5, False)
    assert ["changed", "orders/O-1 status", '"cancelled" \N{RIGHTWARDS ARROW} "open"'] in failed["differences"]
    assert solved["messages"][0] == {"role": "user", "text": "Cancel order O-1, please.", "calls": []}
    assert solved["messages"][1]["calls"][0] == ["cancel_order", '{"order_id": "O-1"}']


def test_the_seed_draws_the_tasks_and_no_more_than_there_are(tmp_path):
    write_small(tmp_path / "d")

    def drawn(**options):
        return [task["id"] for task, _ in tasks_of(page_of(tmp_path, **options))]

    first = drawn(seed=1, tasks=5)
    assert first == drawn(seed=1, tasks=5) != drawn(seed=2, tasks=5)
    assert len(first) == len(set(first)) == 5
    assert sorted(drawn(tasks=99)) == sorted(each.id for each in KEPT)


def test_every_task_is_a_point_whether_it_is_shown_or_not_and_the_funnel_adds_up(tmp_path):
    write_small(tmp_path / "d")
    data = data_of(page_of(tmp_path, tasks=3))
    assert data["points"]["id"] == sorted(each.id for each in KEPT)
    assert {"shop-1": 2, "shop-3": 8}.items() <= dict(
        zip(data["points"]["id"], data["points"]["solved"], strict=True)
    ).items()
    refused = {gate: count for gate, count, _ in data["funnels"]["shop"] if count}
    assert refused == {"no_leak": 1}


def test_two_datasets_are_compared_by_the_tasks_that_both_have_and_by_their_figures(tmp_path):
    write_small(tmp_path / "d")
    write_dataset(tmp_path / "older", **contents(tasks=KEPT[2:], trajectories=[]))
    page = page_of(tmp_path, tasks=0, against=tmp_path / "older")
    said = Page(page).said
    assert "Compared with older" in said
    assert "20 tasks are in both, 2 in this one alone, 0 in the other alone." in said
    assert "tasks 22 20 +2" in said
    assert data_of(page)["compared"]["this"]["golden calls"] == {"1": 1.0}


def test_plots_are_pictures_and_equal_counts_give_equal_bytes(tmp_path):
    write_small(tmp_path / "a")
    write_dataset(tmp_path / "b", **contents(tasks=KEPT[::-1], about=About()))
    write_dataset(tmp_path / "c", **contents(tasks=KEPT[:-1]))
    first, second, fewer = (plots(read_contents(tmp_path / name)) for name in "abc")
    assert first == second
    assert all(first[name] != fewer[name] for name in first)
    for name, png in first.items():
        assert (tmp_path / "a" / "figures" / f"{name}.png").read_bytes() == png
        assert png.startswith(b"\x89PNG")
        assert struct.unpack(">II", png[16:24]) == (1024, 480)
        assert f"figures/{name}.png" in (tmp_path / "a" / "README.md").read_text()


def test_a_dataset_without_tasks_has_a_page(tmp_path):
    write_dataset(tmp_path / "d", **contents(tasks=[], trajectories=[]))
    assert "toolscale: 0 tasks" in Page(page_of(tmp_path)).said


def test_what_is_no_dataset_and_what_is_no_file_name_is_one_line(tmp_path):
    with pytest.raises(UserError, match="no Parquet file"):
        write_report(tmp_path, tmp_path / "r.html")
    write_small(tmp_path / "d")
    for out in (tmp_path, tmp_path / "nowhere" / "r.html"):
        with pytest.raises(UserError, match="--out"):
            write_report(tmp_path / "d", out)


def test_the_command_says_where_the_page_is(tmp_path):
    write_small(tmp_path / "d")
    options = ["--out", str(tmp_path / "page.html"), "--tasks", "3", "--seed", "4"]
    done = CliRunner().invoke(app, ["report", str(tmp_path / "d"), *options])
    assert (done.exit_code, done.stdout) == (0, f"{tmp_path / 'page.html'}: 3 tasks to judge\n")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page_of(tmp_path, tasks=3, seed=4)
