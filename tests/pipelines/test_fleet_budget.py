"""A budget releases what was proposed, one by one, as long as it is expected to pay for one more, and nothing else."""

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipelines import fleet as fleet_module
from pipelines import fleet_plan
from pipelines.domains import domain_files, make_domain, origin_in, release_domains, write_domain
from pipelines.factory import Factory
from pipelines.fates import Fate
from pipelines.fleet import FleetRun, run_fleet
from pipelines.fleet_budget import FleetBudget, caps_of, released_within
from pipelines.fleet_plan import BY_HAND, Due, plan
from pipelines.run_config import RunConfig
from pipelines.side_by_side import side_by_side
from tests.store.calls import call
from toolscale.cli import app
from toolscale.cli.fleet import show_plan
from toolscale.errors import UserError
from toolscale.proposals.proposal import Origin
from toolscale.settings import Settings
from toolscale.store import Store

ON, PROPOSED, REFUSED = "bakery", ("casino", "dairy", "estuary"), "forge"
OWN = {"model": "openai/m", "api_base": "http://127.0.0.1:9/v1", "release_proposed": True}


@pytest.fixture
def root(tmp_path, monkeypatch) -> str:
    """A data root with a domain that is on, three that were proposed, and one that somebody switched off."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("TOOLSCALE_PRICES", json.dumps({"openai/m": {"input": 1, "output": 4}}))
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    write_domain("data", make_domain(ON, "Bread."))
    for name in PROPOSED:
        write_domain("data", make_domain(name, f"All about a {name}."), origin=Origin(division="01"), off="proposed")
    write_domain("data", make_domain(REFUSED, "Iron."), origin=Origin(division="25"), off=True)
    return "data"


def factory_at(root: str, **chosen) -> Factory:
    return Factory.of(Settings(data_root=root), **{**OWN, **chosen})


def costing(monkeypatch, dollars: float | dict[str, float] = 1.0, calls: float = 100.0) -> None:
    """Each domain is expected to take so much."""

    def likely(domain, *_):
        return (dollars if isinstance(dollars, float) else dollars[domain.name]), calls

    monkeypatch.setattr(fleet_plan, "_likely", likely)
    monkeypatch.setattr(fleet_plan, "_left_to_pay", lambda domains, *_: {each.name: likely(each) for each in domains})


class Done:
    """What came of a domain, as a future."""

    def __init__(self, outcome: Fate | None) -> None:
        self.outcome = outcome

    def result(self) -> Fate | None:
        return self.outcome


def pay(root: str, domain: str, run: str, dollars: float) -> None:
    with Store(Settings(data_root=root).database_url()) as store:
        asyncio.run(store.save(call(f"{run} {domain}", domain=domain, run=run, dollars=dollars)))


def fared(root, monkeypatch, paid=None, fates=None, **chosen) -> tuple[FleetRun, list[str]]:
    """A fleet in which domains pay and end so; and in which order they were begun."""
    begun = []

    def makes(domain, factory, _):
        begun.append(domain)
        if paid and domain in paid:
            pay(root, domain, factory.run, paid[domain])

    def one_by_one(make, domains, factory, listener, _):
        for domain in domains:
            yield domain, Done(make(domain, factory, listener) or (fates or {}).get(domain))

    monkeypatch.setattr(fleet_module, "generate_alone", makes)
    monkeypatch.setattr(fleet_module, "side_by_side", one_by_one)
    monkeypatch.setattr(fleet_module, "release_of", lambda *_: None)
    return run_fleet(factory_at(root, **chosen), at_once=2, progress=lambda _: None), begun


def texts(root: str) -> dict[str, str]:
    return {file.stem: file.read_text() for file in Path(root, "domains").iterdir()}


def test_what_is_on_comes_first_and_then_what_was_proposed_as_long_as_the_budget_pays(root, monkeypatch):
    costing(monkeypatch, {"bakery": 2.0, "casino": 1.5, "dairy": 1.0, "estuary": 1.5, "forge": 0.0})
    before = texts(root)
    run, begun = fared(root, monkeypatch, {"bakery": 2.0, "dairy": 1.0, "casino": 1.0}, max_cost=4.6)
    assert begun == ["bakery", "dairy", "casino"]
    assert (run.made, run.released, run.not_begun, run.ended) == (begun, ["dairy", "casino"], [], "")
    assert run.off == ["estuary", "forge"]
    assert run.left_off == {
        "estuary": "$0.6000 of the budget are left, and the next would take about $1.5000",
        "forge": BY_HAND,
    }
    after = texts(root)
    assert {name: after[name] for name in ("bakery", "estuary", "forge")} == {
        name: before[name] for name in ("bakery", "estuary", "forge")
    }
    assert after["dairy"] == before["dairy"].replace('off = "proposed"\n', 'released = "budget"\n')
    assert origin_in(domain_files(root).files["dairy"]).division == "01"


def test_the_same_command_with_a_fresh_budget_goes_on_with_what_was_left_off(root, monkeypatch):
    costing(monkeypatch)
    run, begun = fared(root, monkeypatch, dict.fromkeys(("bakery", "casino"), 1.0), max_cost=2)
    assert (begun, run.off) == (["bakery", "casino"], ["dairy", "estuary", "forge"])
    for name in begun:
        Path(root, "domains", f"{name}.toml").unlink()
    run, begun = fared(root, monkeypatch, dict.fromkeys(PROPOSED, 1.0), max_cost=2)
    assert (begun, run.released, run.off) == (["dairy", "estuary"], ["dairy", "estuary"], ["forge"])


def test_one_that_fails_or_brings_too_little_leaves_what_it_did_not_take_to_the_next(root, monkeypatch):
    costing(monkeypatch)
    fates = {
        "bakery": Fate(ended="failed", stage="schema", reason="no"),
        "casino": Fate(ended="poor yield", stage="verified_tasks", reason="1 of 20"),
    }
    paid = {"bakery": 0.25, "casino": 0.5, "dairy": 1.0}
    run, begun = fared(root, monkeypatch, paid, fates, max_cost=2)
    assert (begun, run.released) == (["bakery", "casino", "dairy"], ["casino", "dairy"])
    assert run.left_off["estuary"].startswith("$0.2500 of the budget are left")


@pytest.mark.parametrize(
    ("fate", "begun", "why"),
    [
        (Fate(ended="budget", stage="tasks", reason="max_cost is $9"), 2, "the budget is spent"),
        (Fate(ended="failed", reason="nobody", of_the_endpoint=True), 3, "the endpoint failed 3 domains in a row"),
    ],
    ids=["budget", "endpoint"],
)
def test_no_other_is_released_once_the_fleet_has_ended(root, monkeypatch, fate, begun, why):
    costing(monkeypatch)
    fates = dict.fromkeys((ON, *PROPOSED) if fate.of_the_endpoint else PROPOSED, fate)
    run, names = fared(root, monkeypatch, fates=fates, max_cost=9)
    assert len(names) == begun
    assert run.ended == why
    assert {run.left_off[name] for name in PROPOSED if name not in names} == {why}
    assert [name for name in PROPOSED if name not in names] == [name for name in run.off if name != REFUSED]


def test_calls_decide_where_calls_are_capped_and_where_models_are_free_nothing_else_does(root, monkeypatch):
    costing(monkeypatch, 0.0, 100.0)
    with pytest.raises(UserError, match=r"the models are free, .* say with `max_calls`"):
        fared(root, monkeypatch, max_cost=5)
    factory = factory_at(root, max_calls=250)
    released, why = released_within(plan(factory), caps_of(factory))
    assert [each.domain.name for each in released] == ["casino"]
    assert why == "50 calls of the budget are left, and the next would take about 100"
    run, _ = fared(root, monkeypatch, max_calls=100)
    assert run.released == [*PROPOSED], "nothing was asked, so each that ended left what it did not take"


def test_what_is_under_way_is_expected_to_take_the_rest_of_its_estimate(root, monkeypatch):
    costing(monkeypatch)
    found = plan(factory_at(root, max_cost=2.5))
    budget = FleetBudget(factory_at(root, max_cost=2.5, run="r"))
    budget.begun["bakery"] = Due(make_domain("bakery", "Bread."), 1.0, 100)
    budget.begun["casino"] = Due(make_domain("casino", "Cards."), 1.0, 100)
    pay(root, "casino", "r", 0.4)
    pay(root, "casino", "another run", 5.0)
    assert budget.too_dear(found.proposed[1])[1].startswith("$0.5000 of the budget are left")
    budget.ended.add("casino")
    assert budget.too_dear(found.proposed[1])[1] == ""
    pay(root, "bakery", "r", 1.2)
    assert budget.too_dear(found.proposed[1])[1].startswith("$0.9000 of the budget are left")


def said(domain, factory, listener):
    """Stands in for the making of a domain; runs in another process."""
    return domain


def test_a_domain_that_has_to_wait_is_asked_for_again_whenever_one_has_ended(root):
    ended: list[str] = []

    def domains():
        yield "a"
        while len(ended) < 1:
            yield None
        yield "b"
        yield "c"

    for domain, _ in side_by_side(said, domains(), factory_at(root, max_cost=1), print, 2):
        ended.append(domain)
    assert (ended[0], sorted(ended)) == ("a", ["a", "b", "c"])


def test_a_budget_too_small_for_any_is_one_line_and_releases_none(root, monkeypatch):
    costing(monkeypatch)
    Path(root, "domains", f"{ON}.toml").unlink()
    with pytest.raises(UserError, match=r"no domain can be made: \$0\.5000 of the budget are left, and the next would"):
        fared(root, monkeypatch, max_cost=0.5)
    assert domain_files(root).proposed == [*PROPOSED]
    release_domains(root, PROPOSED)
    for name in PROPOSED:
        Path(root, "domains", f"{name}.toml").unlink()
    with pytest.raises(UserError, match="no domain can be made: `forge`: switched off by hand"):
        fared(root, monkeypatch, max_cost=0.5)


def test_without_a_cap_and_for_one_domain_and_in_a_run_of_dagster_it_is_refused(root):
    def refused(*words: str) -> str:
        done = CliRunner().invoke(app, [*words, "--release-proposed", "--model", "openai/m"])
        assert isinstance(done.exception, UserError)
        return str(done.exception)

    for command in ("synthesize", "estimate"):
        assert "give one with `max_cost` or `max_calls`" in refused(command, "--all")
        assert "--release-proposed is of a fleet" in refused(command, ON, "--max-cost", "5")
    with pytest.raises(UserError, match="runs of Dagster make the partitions"):
        RunConfig(release_proposed=True, max_cost=5.0).create_resource(None)


def test_without_the_option_nothing_is_released(root, monkeypatch):
    costing(monkeypatch)
    run, begun = fared(root, monkeypatch, release_proposed=False, max_cost=50)
    assert (begun, run.released, run.left_off) == ([ON], [], {})
    assert run.off == [*PROPOSED, REFUSED]


def test_the_plan_says_what_the_budget_would_release_and_how_many_it_leaves_off_and_why(root, monkeypatch, capsys):
    costing(monkeypatch, {"bakery": 2.0, "casino": 1.5, "dairy": 1.0, "estuary": 1.5, "forge": 0.0})
    before = texts(root)
    show_plan(factory_at(root, max_cost=4.6), as_json=False)
    said = capsys.readouterr().out
    assert [line.split("  ")[0] for line in said.splitlines()[1:4]] == ["bakery", "dairy (off)", "casino (off)"]
    assert "3 domains to make, about $4.50; 0 made already." in said
    assert "Of them 2 would be released by the budget." in said
    assert "1 left off: $0.1000 of the budget are left, and the next would take about $1.5000." in said
    assert f"1 left off: {BY_HAND}." in said
    show_plan(factory_at(root, max_cost=4.6), as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert [each["domain"] for each in found["due"]] == ["bakery"]
    assert [each["domain"] for each in found["released"]] == ["dairy", "casino"]
    assert (found["dollars"], sorted(found["left_off"])) == (4.5, ["estuary", "forge"])
    assert texts(root) == before


def test_the_report_says_what_a_budget_released_and_what_is_off_and_by_whom(root, monkeypatch):
    costing(monkeypatch)
    run, _ = fared(root, monkeypatch, dict.fromkeys((ON, "casino"), 1.0), max_cost=2)
    told = "Off: 2 proposed, 1 by hand. Released by a budget: 1 (casino)."
    assert run.report.switched() == told
    written = Path(run.report_file).read_text()
    assert told in written
    assert "- 2 left off: $0.0000 of the budget are left, and the next would take about $1.0000\n" in written
    assert f"- 1 left off: {BY_HAND}\n" in written
    lines = {each["name"]: (each["switch"], each["released"]) for each in run.as_json()["fleet"]["domains"]}
    assert lines == {
        "bakery": ("on", ""),
        "casino": ("on", "budget"),
        "dairy": ("proposed", ""),
        "estuary": ("proposed", ""),
        "forge": ("off", ""),
    }
