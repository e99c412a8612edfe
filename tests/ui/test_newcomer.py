"""A newcomer's path through the UI, as docs/tour.md walks it: from `make ui` to the pages of the first domain."""

import json
import re
import time
from contextlib import contextmanager
from urllib.parse import urljoin, urlsplit

import pytest

from pipelines.assets.start_here import FIRST
from pipelines.links import asset_at
from tests.dataset.hub import hub
from tests.ui.dagster_ui import make_ui, materialize, outcome, seen, seen_in_time

pytestmark = [pytest.mark.ui, pytest.mark.timeout(3600)]  # on a machine that has much else to do

FEW_TASKS = 6
FEW = {"resources": {"factory": {"config": {"tasks_per_domain": FEW_TASKS}}}}


@pytest.fixture(scope="module")
def hub_of_tests():
    with hub() as started:
        yield started


@pytest.fixture(scope="module")
def start(tmp_path_factory, hub_of_tests, minutes):
    """The address to start at."""
    clone = tmp_path_factory.mktemp("clone")
    told = {
        "OPENAI_API_KEY": "any",
        "TOOLSCALE_PRICES": json.dumps({"openai/reference": {"input": 0.25, "output": 2}}),
        "TOOLSCALE_HUB_ENDPOINT": hub_of_tests.address,
        "TOOLSCALE_TRAINER_PYTHON": str(clone / "no-interpreter"),
        "HF_TOKEN": "hf_writer",
        "HF_HUB_DISABLE_XET": "1",
    }
    began = time.monotonic()
    with make_ui(clone, told) as address:
        minutes["make ui, with the packages installed"] = (time.monotonic() - began) / 60
        yield address


@pytest.fixture
def page(page):
    with asking_this_machine_alone(page):
        yield page


@contextmanager
def asking_this_machine_alone(page):
    asked = set()
    page.on("request", lambda request: asked.add(urlsplit(request.url).hostname))
    yield
    assert asked - {None} == {"127.0.0.1"}


@pytest.fixture(scope="module")
def railway(opened, start, minutes):
    """A domain that was made by clicking; the address of its dataset's page, once that follows by itself."""
    began = time.monotonic()
    with opened() as page, asking_this_machine_alone(page):
        page.goto(start)
        seen(page, "this page says what to click first", exact=False)
        page.get_by_role("link", name="the job generate").click()
        materialize(page, FIRST, FEW)
        assert outcome(page) == "Success"
        page.goto(urljoin(start, asset_at("dataset")))
        seen_in_time(page, "calls_by_depth")
        minutes[f"first dataset, of {FEW_TASKS} first tasks"] = (time.monotonic() - began) / 60
        return page.url


def test_the_first_page_leads_to_a_domain_whose_dataset_follows_by_itself(page, railway):
    page.goto(railway)
    seen(page, "calls_by_depth")
    rows = [row.inner_text().split() for row in page.get_by_role("row").all()]
    (environments,) = {row[-1] for row in rows if row[:1] == ["environments"] and row[-1].isdigit()}
    assert environments == "1"


def test_the_page_of_a_partition_has_its_funnel_and_pictures(page, start, railway):
    page.goto(start)
    page.get_by_role("link", name="its funnel").click()
    seen(page, "funnel")
    seen(page, re.compile("^(the other|all) [0-9]+$"))
    page.goto(start)
    page.get_by_role("link", name="the tasks that were kept").click()
    picture = page.get_by_role("img", name="Kept tasks by pass rate").first
    picture.scroll_into_view_if_needed()
    assert picture.evaluate("image => image.complete && image.naturalWidth") > 100


def test_a_check_that_passed_says_so(page, start, railway):
    check = "golden_calls_solve_and_idleness_does_not"
    page.goto(urljoin(start, f"{asset_at('verified_tasks')}?view=checks&checkDetail={check}"))
    seen(page, check)
    seen(page, "Passed")


def test_figures_are_plotted_over_partitions(page, start, railway):
    page.goto(urljoin(start, asset_at("verified_tasks")))
    seen(page, "Plots").click()
    page.locator("canvas").first.wait_for()
    seen(page, "kept")
