"""`report.html` as a person opens it: from the disk, with the keyboard, on a phone, and without a network."""

import re

import pytest

from tests.dataset.small import KEPT, write_small
from toolscale.dataset.report import write_report

pytestmark = pytest.mark.ui

PHONE = {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_small(folder / "d")
    write_report(folder / "d", folder / "report.html", against=folder / "d")
    return (folder / "report.html").as_uri()


@pytest.fixture
def page(page):
    """A page that asks nobody, and whose own policy stops nothing of it."""
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert errors == []


def opened(page, address=""):
    """The page of an address, or the same one again, once its charts are drawn."""
    page.goto(address) if address else page.reload()
    page.locator("html[data-ready=yes]").wait_for(state="attached")


def place(page):
    """Which of the listed tasks is shown, as the page says it: `2 of 22`."""
    return page.get_by_role("status").filter(has_text=re.compile(r"^\d+ of \d+$")).inner_text()


def test_keys_page_through_the_tasks_and_stop_at_both_ends(page, report):
    opened(page, report)
    at = f"of {len(KEPT)}"
    pressed = [(key, press(page, key)) for key in ("j", "j", "k", "k", "k")]
    assert pressed == [("j", f"2 {at}"), ("j", f"3 {at}"), ("k", f"2 {at}"), ("k", f"1 {at}"), ("k", f"1 {at}")]
    for _ in KEPT:
        last = press(page, "j")
    assert last == f"{len(KEPT)} {at}"


def press(page, key):
    page.keyboard.press(key)
    return place(page)


def test_the_address_keeps_the_task_that_is_shown(page, report):
    opened(page, report)
    press(page, "j")
    shown = page.get_by_role("article").get_by_role("code").first.inner_text()
    opened(page)
    assert place(page).startswith("2 of")
    assert page.get_by_role("article").get_by_role("code").first.inner_text() == shown


def test_a_slash_searches_and_escape_shows_all_again(page, report):
    opened(page, report)
    page.keyboard.press("/")
    page.keyboard.type("shop-1j")  # a letter that turns the page, but not while somebody types
    page.keyboard.press("Backspace")
    assert page.get_by_role("searchbox").input_value() == "shop-1"
    found = int(place(page).rpartition(" ")[2])
    assert 0 < found < len(KEPT)
    page.keyboard.press("Escape")  # out of the field
    page.keyboard.press("Escape")
    assert place(page) == f"1 of {len(KEPT)}"
    assert page.get_by_role("searchbox").input_value() == ""


@pytest.mark.parametrize("size", [PHONE, {"width": 1440, "height": 900}], ids=["phone", "screen"])
def test_nothing_is_wider_than_the_screen(page, report, size):
    page.set_viewport_size(size)
    opened(page, report)
    for closed in page.locator("summary").all():
        closed.click()
    for _ in range(3):
        press(page, "j")
        wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide[0] <= wide[1] == size["width"]
