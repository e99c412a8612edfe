"""The report is one page that loads nothing, escapes everything, and shows what the golden calls did."""

import re
import struct
from html.parser import HTMLParser
from unittest.mock import patch

import pytest
from typer.testing import CliRunner

from tests.dataset.small import FIRST, KEPT, contents, task, write_small
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


@pytest.fixture
def page(tmp_path):
    write_small(tmp_path / "d")
    return page_of(tmp_path)


def test_it_loads_nothing_and_runs_nothing(page):
    parsed = Page(page)
    assert not {tag for tag, _ in parsed.elements} & {"script", "iframe", "object", "embed", "link", "form", "base"}
    for tag, attributes in parsed.elements:
        assert not any(name.startswith("on") for name in attributes), tag
        for name in ("src", "href", "srcset", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:image/png;base64,"))
    assert not re.search(r"url\(|@import", page)
    assert ("default-src 'none'") in page


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
    parsed = Page(page_of(tmp_path))
    assert not {tag for tag, _ in parsed.elements} & {"script", "b"}
    assert [attributes for tag, attributes in parsed.elements if tag == "img" and "onerror" in attributes] == []
    assert "alert(1)" in parsed.said
    assert "7 * 7" in parsed.said


def test_a_task_is_shown_with_what_its_golden_calls_gave_and_changed(page):
    said = Page(page).said
    assert 'cancel_order (order_id="O-1")' in said
    assert 'orders/O-1 status: "open" → "cancelled"' in said
    assert "solved in 2 of 8 attempts" in said


def test_the_seed_draws_the_tasks_and_no_more_than_there_are(tmp_path):
    write_small(tmp_path / "d")

    def drawn(**options):
        return re.findall(r'<article id="([^"]+)"', page_of(tmp_path, **options))

    first = drawn(seed=1, tasks=5)
    assert first == drawn(seed=1, tasks=5) != drawn(seed=2, tasks=5)
    assert len(first) == len(set(first)) == 5
    assert sorted(drawn(tasks=99)) == sorted(each.id for each in KEPT)


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
