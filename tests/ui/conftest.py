"""A headless Chromium, and what is left of a test that failed in it."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

PATIENCE = 1_800_000
"""Milliseconds until a wait is given up: far more than any takes, also on a machine that has much else to do."""

PICTURE = Path(tempfile.gettempdir()) / "toolscale-test-ui.png"
"""What was to be seen when a test last failed."""

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


@pytest.fixture(scope="session")
def opened(browser: "Browser") -> Callable[[], AbstractContextManager["Page"]]:
    """Opens a page until the block ends; of one that an error leaves, a picture stays."""

    @contextmanager
    def opening() -> Iterator["Page"]:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(PATIENCE)
        try:
            yield page
        except BaseException:
            page.screenshot(path=PICTURE)
            raise
        finally:
            page.close()

    return opening


@pytest.fixture
def page(opened: Callable[[], AbstractContextManager["Page"]], request: pytest.FixtureRequest) -> Iterator["Page"]:
    """A page of its own."""
    failures = request.session.testsfailed
    with opened() as page:
        yield page
        if request.session.testsfailed > failures:
            page.screenshot(path=PICTURE)


@pytest.fixture(scope="session")
def minutes(pytestconfig: pytest.Config) -> dict[str, float]:
    """What a newcomer waited for -> the minutes until it was there; told at the end."""
    return pytestconfig.stash.setdefault(took, {})


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for what, waited in config.stash.get(took, {}).items():
        terminalreporter.write_line(f"{what}: {waited:.1f} minutes")
    if PICTURE.exists() and any(terminalreporter.stats.get(kind) for kind in ("failed", "error")):
        terminalreporter.write_line(f"{PICTURE} shows what was to be seen then")
