"""A headless Chromium, and what is left of a test that failed in it."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

PATIENCE = 600_000
"""Milliseconds until a wait is given up: far more than any takes, also on a machine that has much else to do."""

took = pytest.StashKey[dict[str, float]]()


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert found, "no Chromium is installed: apt-get install chromium"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, timeout=PATIENCE)
        yield started
        started.close()


@pytest.fixture
def page(browser: "Browser", request: pytest.FixtureRequest, tmp_path: Path) -> Iterator["Page"]:
    """A page of its own; `asked` are the addresses that it asked for. Of a failed test a picture is left."""
    opened = browser.new_page(viewport={"width": 1440, "height": 900})
    opened.set_default_timeout(PATIENCE)
    failures = request.session.testsfailed
    yield opened
    if request.session.testsfailed > failures:
        opened.screenshot(path=tmp_path / "last.png", full_page=True)
    opened.close()


@pytest.fixture(scope="session")
def minutes(pytestconfig: pytest.Config) -> dict[str, float]:
    """What a newcomer waited for -> the minutes until it was there; told at the end."""
    return pytestconfig.stash.setdefault(took, {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for what, waited in config.stash.get(took, {}).items():
        terminalreporter.write_line(f"{what}: {waited:.1f} minutes")
