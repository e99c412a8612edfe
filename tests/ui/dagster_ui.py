"""`make ui` in a folder like a fresh clone, and what a person does on its pages, by what they say."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from tests.dagster_services import PATIENCE as WAITED
from tests.dagster_services import free_port, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

ROOT = Path(__file__).parents[2]
CLONED = ("pipelines", "toolscale", "prompts", "schemas", "pyproject.toml")
_OF_THE_MACHINE = ("TOOLSCALE_", "DAGSTER_", "HF_")

_IN_THE_BACKGROUND = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")
"""Before a command: as a shell without job control begins what ends in `&`."""

SOON = 10_000
"""Milliseconds after which a page is asked again."""


@contextmanager
def make_ui(clone: Path, told: Mapping[str, str]) -> Iterator[str]:
    """The address that `make ui` says to start at, in a folder whose `.env` says these.

    It is begun as in the background, and ends with the block.
    """
    home = clone / ".dagster"
    home.mkdir(parents=True)
    for name in CLONED:
        (clone / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "dagster.yaml", home)
    lines = {"DAGSTER_HOME": str(home), **told}
    (clone / ".env").write_text("".join(f"{name}={value}\n" for name, value in lines.items()))
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OF_THE_MACHINE)}
    command = [sys.executable, "-m", "pipelines.ui", "--port", str(free_port())]
    output = clone / "make_ui.log"
    with output.open("w") as log:
        server = subprocess.Popen(
            [*_IN_THE_BACKGROUND, *command],
            cwd=clone,
            env={**kept, "PYTHONPATH": str(clone)},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield _address(server, output)
    finally:
        server.terminate()
        try:
            server.wait(timeout=WAITED)  # it ends when told, wherever it was begun
        finally:
            with suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)
            server.wait()


def _address(server: subprocess.Popen[bytes], output: Path) -> str:
    def told() -> re.Match[str] | None:
        assert server.poll() is None, output.read_text()
        return re.search(r"Start at (http\S+)", output.read_text())

    wait_for(lambda: told() is not None)
    found = told()
    assert found is not None
    return found[1]


def seen(page: "Page", text: str | re.Pattern[str], *, exact: bool = True) -> "Locator":
    """The first place where a text can be seen, once it can."""
    found = page.get_by_text(text, exact=exact).filter(visible=True).first
    found.wait_for()
    return found


def seen_in_time(page: "Page", text: str) -> None:
    """Come back when the open page shows a text. A page learns of some events late, so it is loaded again and again."""
    _there_in_time(page, page.get_by_text(text, exact=True).filter(visible=True).first)


def _there_in_time(page: "Page", what: "Locator") -> None:
    from playwright.sync_api import TimeoutError as NotYet

    while True:
        try:
            what.wait_for(timeout=SOON)
            return
        except NotYet:
            page.reload()


def materialize(page: "Page", partition: str, config: Mapping[str, object]) -> None:
    """On the page of a partitioned job: have one partition made, with this configuration, and open the run's page."""
    order(page, partition, config).get_by_role("button", name="Launch 1 run").click()
    page.get_by_role("link", name="View", exact=True).click()


def order(page: "Page", partition: str, config: Mapping[str, object]) -> "Locator":
    """The dialog of a partitioned job, with a partition chosen and this configuration: all but launched.

    The sensor registers partitions while the page is open, so the dialog is opened until it lists this one.
    """
    from playwright.sync_api import TimeoutError as NotYet

    while True:
        page.get_by_role("button", name="Materialize all").click()
        dialog = page.get_by_role("dialog").filter(has_text="Partition selection")
        dialog.get_by_text("Select a partition or create one").click()
        listed = dialog.get_by_text(partition, exact=True).filter(visible=True).first
        try:
            listed.click(timeout=SOON)
            break
        except NotYet:
            page.reload()
    dialog.get_by_text("Launch runs to materialize").click()  # closes the list
    dialog.get_by_text("Config", exact=True).click()
    dialog.get_by_role("button", name="Add config").click()
    editor = page.get_by_role("dialog").filter(has_text="Config Editor")
    fill_in(page, editor, config)
    editor.get_by_role("button", name="Save config").click()
    editor.wait_for(state="hidden")
    return dialog


def launch(page: "Page", config: Mapping[str, object]) -> str:
    """On a launchpad: have a job run with this configuration, and open the run's page; how the run ended."""
    page.locator(".CodeMirror", has_text="ops:").first.wait_for()  # what it begins with would overwrite what is typed
    fill_in(page, page.locator("body"), config)
    page.get_by_role("button", name="Launch Run").click()
    page.wait_for_url("**/runs/*")
    return outcome(page)


def told(page: "Page", name: str) -> "Locator":
    """The line of a name, among what an event on a run's page tells."""
    row = page.get_by_role("row").filter(has=page.get_by_role("cell", name=name, exact=True)).last
    row.wait_for()
    return row


def open_run_of(page: "Page", job: str) -> str:
    """In a list of runs: open the page of a job's run, once it is there, and wait until it has ended; how it ended."""
    of_the_job, view = (page.get_by_role("link", name=name, exact=True) for name in (job, "View"))
    row = page.locator("div").filter(has=of_the_job).filter(has=view).last
    _there_in_time(page, row)
    row.get_by_role("link", name="View", exact=True).click()
    page.wait_for_url("**/runs/*")
    return outcome(page)


def fill_in(page: "Page", where: "Locator", config: Mapping[str, object]) -> None:
    """Put a configuration into the editor in the place of what it holds."""
    where.locator(".CodeMirror-scroll").first.click()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.insert_text(yaml.safe_dump(dict(config), sort_keys=False))


def outcome(page: "Page") -> str:
    """How the run ended whose page is open, as its page says, once it has ended."""
    return seen(page, re.compile(r"^(Success|Failure|Canceled)$")).inner_text()
