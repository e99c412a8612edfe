"""A newcomer's path through the UI, as docs/tour.md walks it: from `make ui` to a training that lacks its packages."""

import json
import re
import time
import urllib.request
from contextlib import contextmanager
from urllib.parse import urljoin, urlsplit

import pytest

from pipelines.assets.start_here import FIRST
from pipelines.links import asset_at
from tests.dataset.hub import hub
from tests.served import serving
from tests.ui.dagster_ui import launch, make_ui, materialize, open_run_of, outcome, seen, seen_in_time, told

pytestmark = [pytest.mark.ui, pytest.mark.timeout(3600)]  # on a machine that has much else to do

FEW_TASKS = 6
FEW = {"resources": {"factory": {"config": {"tasks_per_domain": FEW_TASKS}}}}
WHOLE = 8
"""First tasks of the new domain, of which its preview makes six."""


@pytest.fixture(scope="module")
def hub_of_tests():
    with hub() as started:
        yield started


@pytest.fixture(scope="module")
def model():
    """The offline model, as an endpoint that speaks OpenAI's protocol."""
    with serving() as started:
        yield started


@pytest.fixture(scope="module")
def start(tmp_path_factory, hub_of_tests, minutes):
    """The address to start at."""
    clone = tmp_path_factory.mktemp("clone")
    said = {
        "OPENAI_API_KEY": "any",
        "TOOLSCALE_PRICES": json.dumps({"openai/reference": {"input": 0.25, "output": 2}}),
        "TOOLSCALE_HUB_ENDPOINT": hub_of_tests.address,
        "TOOLSCALE_TRAINER_PYTHON": str(clone / "no-interpreter"),
        "HF_TOKEN": "hf_writer",
        "HF_HUB_DISABLE_XET": "1",
    }
    began = time.monotonic()
    with make_ui(clone, said) as address:
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


@pytest.fixture(scope="module")
def order(opened, start, model, railway, minutes):
    """A new domain that was ordered as a preview; the address of its order's runs, once all of them have ended."""
    began = time.monotonic()
    wanted = {"name": "Restaurant", "model": "openai/reference", "api_base": model.url, "max_cost": 5}
    wanted |= {"tasks": WHOLE, "preview": True, "task_source": "drafts"}
    with opened() as page, asking_this_machine_alone(page):
        page.goto(start)
        page.get_by_role("link", name="the launchpad of new_domain").click()
        assert launch(page, {"ops": {"write_domain": {"config": wanted}}}) == "Success"
        told(page, "its_runs").get_by_text("[Show Markdown]").click()
        page.get_by_role("link", name="the runs of this order").click()
        runs = page.url
        assert open_run_of(page, "preview") == "Success"
        minutes["new domain from a served model, until its preview is shown"] = (time.monotonic() - began) / 60
        return runs


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


def test_a_new_domain_is_made_as_ordered_and_its_preview_says_what_the_rest_costs(page, order, model):
    page.goto(order)
    assert open_run_of(page, "generate") == "Success"
    page.goto(order)
    open_run_of(page, "preview")
    told(page, "preview").get_by_text("[Show Markdown]").click()
    shown = page.get_by_role("dialog")
    shown.get_by_text(f"to {WHOLE} first tasks: about $").wait_for()
    asked = model.stats()["requests"]
    assert f"for {asked:,} calls." in shown.inner_text(), "what is shown as paid for is what the server was asked"
    page.get_by_role("button", name="Close").click()
    told(page, "order_the_rest").get_by_text("[Show Markdown]").click()
    page.get_by_role("link", name="the launchpad of new_domain, filled in").click()
    filled_in = page.locator(".CodeMirror", has_text=f"tasks: {WHOLE}").first.inner_text()
    assert "name: restaurant" in filled_in
    assert "preview" not in filled_in


def test_publishing_from_the_launchpad_brings_the_dataset_to_the_hub(page, start, hub_of_tests, railway, minutes):
    began = time.monotonic()
    page.goto(start)
    page.get_by_role("link", name="the launchpad of publish").click()
    assert launch(page, {"ops": {"published_dataset": {"config": {"repository": "team/first"}}}}) == "Success"
    minutes["publish"] = (time.monotonic() - began) / 60
    address = told(page, "url").get_by_role("link").first.get_attribute("href")
    version = address.rpartition("/")[2]
    assert address.startswith(f"{hub_of_tests.address}/datasets/team/first/")
    asked = f"{hub_of_tests.address}/api/datasets/team/first/revision/{version}"
    as_a_member = {"Authorization": "Bearer hf_reader"}  # it was published privately
    with urllib.request.urlopen(urllib.request.Request(asked, headers=as_a_member)) as answer:
        files = {file["rfilename"] for file in json.load(answer)["siblings"]}
    assert "README.md" in files
    assert any(file.startswith("tasks/") and file.endswith(".parquet") for file in files)


def test_training_without_its_packages_says_on_its_runs_page_how_to_install_them(page, start, railway, minutes):
    began = time.monotonic()
    page.goto(start)
    page.get_by_role("link", name="the launchpad of train").click()
    assert launch(page, {"ops": {"orchestrator": {"config": {"config": "smollm2-cpu"}}}}) == "Failure"
    failed = page.get_by_text("run `make setup-trainer`", exact=False).filter(visible=True).first
    failed.wait_for()
    minutes["train without its packages, until told what to install"] = (time.monotonic() - began) / 60
    assert "Traceback" not in page.locator("body").inner_text()
