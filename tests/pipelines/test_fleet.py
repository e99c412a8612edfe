"""A fleet makes what can be made: the cheapest first, under one budget, whatever becomes of single domains."""

import asyncio
import json
import os
import pickle
import signal
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines import fleet as fleet_module
from pipelines import fleet_plan
from pipelines.definitions import definitions
from pipelines.domains import DOMAINS, domain_file, make_domain, write_domain
from pipelines.factory import Factory, paying_run
from pipelines.fates import Fate, forget_fate, note_fate, noted_fate
from pipelines.fleet import run_fleet
from pipelines.fleet_plan import plan
from pipelines.fleet_report import STATES, fleet_report, write_fleet_report
from pipelines.poor_yield import TESTED, LeastYield
from pipelines.run_config import RunConfig
from pipelines.side_by_side import side_by_side
from pipelines.stopped import PoorYield, RunStopped, Stop
from pipelines.storage import rows_file
from pipelines.unchanged import domain_ingredients
from tests.openai_server import OpenAIServer
from tests.store.calls import call
from toolscale.artifacts import Domain
from toolscale.cli.fleet import show_plan
from toolscale.errors import UserError
from toolscale.proposals.proposal import Origin
from toolscale.settings import Settings
from toolscale.store import Store

NAMES = ("bakery", "casino", "dairy", "estuary")
OWN = {"model": "openai/m", "api_base": "http://127.0.0.1:9/v1"}


@pytest.fixture
def root(tmp_path, monkeypatch) -> str:
    """A data root in which four domains have a file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    for name in NAMES:
        write_domain("data", make_domain(name, f"All about a {name}."))
    return "data"


def factory_at(root: str, **chosen) -> Factory:
    return Factory.of(Settings(data_root=root), **{**OWN, **chosen})


def due(root: str) -> list[str]:
    return [each.domain.name for each in plan(factory_at(root)).due]


def test_what_is_begun_comes_first_as_it_costs_least_and_the_rest_in_the_order_of_names(root, monkeypatch):
    left = {"bakery": 2.0, "casino": 2.0, "dairy": 0.5, "estuary": 2.0}
    asked = []

    def likely(domain, *_):
        asked.append(domain.name)
        return left[domain.name], 100.0

    monkeypatch.setattr(fleet_plan, "_likely", likely)
    with Store(Settings(data_root=root).database_url()) as store:
        asyncio.run(store.save(call("k", domain="dairy")))
    assert due(root) == ["dairy", "bakery", "casino", "estuary"]
    assert sorted(asked) == ["bakery", "dairy"], "those that are not begun cost alike: one is estimated for all"


def test_one_that_failed_before_comes_last_and_is_tried_again(root):
    note_fate(root, "bakery", Fate(ended="failed", stage="schema", reason="none that holds"))
    assert due(root) == ["casino", "dairy", "estuary", "bakery"]


def test_what_is_off_or_no_domain_or_without_a_file_is_passed_over_and_said(root):
    write_domain(root, make_domain("bakery", "All about a bakery."), off=True)
    domain_file(root, "casino").write_text("name = ")
    Path(root, "domains", "No domain.toml").write_text("")
    rows = Path(root, "assets", "domain")
    rows.mkdir(parents=True)
    (rows / "forge.parquet").write_bytes(b"")
    found = plan(factory_at(root))
    assert [each.domain.name for each in found.due] == ["dairy", "estuary"]
    assert found.off == ["bakery"]
    assert "not TOML" in found.passed_over["casino"]
    assert "toolscale synthesize forge" in found.passed_over["forge"]
    assert any("No domain.toml" in name for name in found.passed_over)


def test_one_of_poor_yield_is_left_alone_until_it_would_be_made_of_something_else(root):
    made_of = domain_ingredients(factory_at(root), "bakery")
    note_fate(root, "bakery", Fate(ended="poor yield", stage="verified_tasks", reason="1 of 20", made_of=made_of))
    found = plan(factory_at(root))
    assert "bakery" not in [each.domain.name for each in found.due]
    assert found.passed_over["bakery"] == "stopped early: 1 of 20; `toolscale synthesize bakery` goes on with it"
    changed = plan(factory_at(root, tasks_per_domain=7))
    assert "bakery" in [each.domain.name for each in changed.due]


def test_where_nothing_can_be_made_one_line_says_why(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with pytest.raises(UserError, match="none has a file"):
        run_fleet(factory_at("data"), at_once=2, progress=print)
    write_domain("data", make_domain("zoo", "Animals."), off=True)
    with pytest.raises(UserError, match="1 are switched off"):
        run_fleet(factory_at("data"), at_once=2, progress=print)


class Done:
    """What came of a domain, as a future."""

    def __init__(self, outcome):
        self.outcome = outcome

    def result(self):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def fared(root, monkeypatch, outcomes, **chosen):
    """A fleet in which domains fare so; and whether a dataset was released, and of what."""
    released = []

    def made(_, domains, *__):
        yield from ((domain, Done(outcomes.get(domain))) for domain in domains)

    monkeypatch.setattr(fleet_module, "side_by_side", made)
    monkeypatch.setattr(fleet_module, "release_of", lambda names, *_: released.append(names))
    return run_fleet(factory_at(root, **chosen), at_once=2, progress=print), released


def test_a_domain_that_fails_or_whose_process_dies_is_passed_over(root, monkeypatch):
    poor = Fate(ended="poor yield", stage="verified_tasks", reason="1 of 20")
    outcomes = {"bakery": Fate(ended="failed", stage="schema", reason="no"), "casino": BrokenProcessPool()}
    run, released = fared(root, monkeypatch, {**outcomes, "dairy": poor})
    assert (run.made, released, run.ended, run.not_begun) == (["estuary"], [["estuary"]], "", [])
    assert run.not_made["bakery"].reason == "no"
    assert "its process died" in run.not_made["casino"].reason
    assert not run.out_of_budget


def test_no_other_is_begun_once_the_budget_has_ended_and_what_is_made_is_released(root, monkeypatch):
    run, released = fared(root, monkeypatch, {"casino": Fate(ended="budget", stage="tasks", reason="max_cost is $1")})
    assert (run.made, run.not_begun, released) == (["bakery"], ["dairy", "estuary"], [["bakery"]])
    assert (run.out_of_budget, run.ended) == (True, "the budget is spent")


def test_an_endpoint_that_fails_three_domains_in_a_row_ends_the_fleet(root, monkeypatch):
    away = Fate(ended="failed", stage="subjects", reason="nobody at gpu1:8000", of_the_endpoint=True)
    run, released = fared(root, monkeypatch, dict.fromkeys(NAMES, away))
    assert (list(run.not_made), run.not_begun, released) == ([*NAMES[:3]], ["estuary"], [])
    assert run.ended == "the endpoint failed 3 domains in a row"
    run, _ = fared(root, monkeypatch, dict.fromkeys(NAMES, away) | {"casino": None})
    assert (run.made, run.not_begun, run.ended) == (["casino"], [], "")


def die_or_say(domain, factory, listener):
    """Stands in for the making of a domain; runs in another process."""
    if domain == "bakery":
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{domain} of {os.getpid()}"


def test_a_process_that_dies_takes_no_other_domain_along(root):
    came = {}
    for domain, future in side_by_side(die_or_say, NAMES, factory_at(root), print, 2):
        came[domain] = future.exception() or future.result()
    assert isinstance(came.pop("bakery"), BrokenProcessPool)
    assert [said.split()[0] for said in sorted(came.values())] == [*NAMES[1:]]


@pytest.mark.parametrize(
    ("done", "counts", "paid", "stopped"),
    [
        (TESTED - 1, {"kept": 0}, 0.0, ""),
        (TESTED, {"kept": 1}, 0.0, "1 of 20 tested tasks were kept, less than the 10% of `least_yield`"),
        (TESTED, {"kept": 2}, 0.0, ""),
        (3, {"kept": 3, "tried": 40}, 0.0, "3 of 40 tested tasks were kept, less than the 10% of `least_yield`"),
        (TESTED, {"kept": 10}, 1.01, "10 kept tasks cost $0.1010 each, more than the $0.1000 of `cost_per_task`"),
        (TESTED, {"records": 5}, 99.0, ""),
    ],
)
def test_a_yield_is_poor_by_the_rule(done, counts, paid, stopped):
    assert LeastYield(0.1, dollars_per_task=0.1).complaint(done, counts, lambda: paid) == stopped


def asks_after_a_poor_start(root: str, server: OpenAIServer, tags: dict[str, str], **chosen):
    """What a stage raised that tells of 20 tested tasks without any that is kept, and then asks a model."""

    async def stage(run):
        asked = {"stage": "episode", "domain": "zoo"}
        assert await run.gateway.text("agent", [{"role": "user", "content": "first"}], **asked) == "x"
        run.told(TESTED, 2 * TESTED, {"kept": 0})
        return await run.gateway.text("agent", [{"role": "user", "content": "second"}], **asked)

    factory = factory_at(root, api_base=server.url).model_copy(update=chosen)

    @dg.asset(partitions_def=DOMAINS)
    def verified_tasks(context: dg.AssetExecutionContext) -> None:
        factory.ask(context, lambda progress: None, Domain(name="zoo", description="A zoo."), stage)

    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("domain", ["zoo"])
        dg.materialize([verified_tasks], partition_key="zoo", instance=instance, tags=tags)


def test_a_fleet_and_a_backfill_stop_a_domain_of_poor_yield_and_a_run_by_itself_does_not(root):
    with OpenAIServer(lambda request: "x") as server:
        asks_after_a_poor_start(root, server, {})
        assert len(server.requests) == 2
    for number, (tags, chosen) in enumerate((({}, {"fleet": True}), ({"dagster/backfill": "b"}, {}))):
        with OpenAIServer(lambda request: "x") as server:
            with pytest.raises(PoorYield, match="0 of 20 tested tasks were kept"):
                asks_after_a_poor_start(root, server, tags, seed=number + 1, **chosen)
            assert len(server.requests) == 1


def test_the_runs_of_a_backfill_pay_from_one_budget():
    with dg.DagsterInstance.ephemeral() as instance:
        of_one = [dg.DagsterRun("generate", tags={"dagster/backfill": "monday"}) for _ in range(2)]
        assert {paying_run(run, instance) for run in of_one} == {"monday"}
        assert paying_run(alone := dg.DagsterRun("generate"), instance) == alone.run_id


def test_of_the_runs_of_a_backfill_those_come_first_that_are_furthest_along(root, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", root)
    for asset, domains in {"domain": NAMES, "schema": ["casino", "dairy"], "tasks": ["dairy"]}.items():
        for domain in domains:
            file = rows_file(root, asset, domain)
            Path(file.parent.path).mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"")
    job = definitions(RunConfig(), root).get_repository_def().get_job("generate")
    given = {name: job.partitioned_config.get_tags_for_partition_key(name)["dagster/priority"] for name in NAMES}
    assert given == {"bakery": "1", "casino": "2", "dairy": "3", "estuary": "1"}


def test_a_run_of_dagster_notes_why_a_domain_was_not_made_and_a_fleet_reports_it(root, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_RETRIES", "0")
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", root)
    monkeypatch.setattr("pipelines.factory.RETRY_AFTER", ())
    with OpenAIServer(lambda request: "I would rather not.") as server:
        job = definitions(factory_at(root, api_base=server.url), root).get_repository_def().get_job("generate")
        with dg.DagsterInstance.ephemeral() as instance:
            instance.add_dynamic_partitions("domain", ["bakery"])
            done = job.execute_in_process(partition_key="bakery", instance=instance, raise_on_error=False)
    assert not done.success
    fate = noted_fate(root, "bakery")
    assert (fate.ended, fate.stage, fate.of_the_endpoint) == ("failed", "subjects", False)
    assert fate.reason.startswith("no answer of the form that was asked for")
    assert fleet_report(factory_at(root)).states == {"failed": 1, "not begun": 3}


def test_the_calls_in_flight_are_shared_by_those_at_once(root):
    assert factory_at(root).model_copy(update={"at_once": 8}).settings().max_in_flight == 8
    assert factory_at(root).model_copy(update={"at_once": 500}).settings().max_in_flight == 1


def test_the_report_tells_each_domain_by_what_became_of_it_and_escapes_what_models_wrote(root):
    hostile = "no <script>alert(1)</script> | ![x](http://evil)\n# and more"
    note_fate(root, "bakery", Fate(ended="failed", stage="schema", reason=hostile))
    note_fate(root, "casino", Fate(ended="budget", stage="tasks", reason="max_cost is $1"))
    write_domain(root, make_domain("dairy", "Milk."), origin=Origin(division="01"), off=True)
    report = fleet_report(factory_at(root))
    assert report.states == {"failed": 1, "out of budget": 1, "not begun": 1, "off": 1}
    assert set(report.states) <= set(STATES)
    text = Path(write_fleet_report(factory_at(root), report).path).read_text()
    (row,) = (line for line in text.splitlines() if line.startswith("| bakery"))
    assert "<script" not in text
    assert "](" not in text
    assert row.count(" | ") == 6
    assert "# and more" in row
    assert report.coverage() == (
        "0 of 21 sections of ISIC and 0 of 88 divisions have a made domain; with those not made yet (1), 1 and 1."
    )
    assert "| A Farming, forestry and fishing | 0 | 0 | 1 | 1 | 3 |" in text
    forget_fate(root, "bakery")
    assert noted_fate(root, "bakery") is None


def test_a_domain_whose_rows_cannot_be_counted_is_named_and_keeps_no_other_from_the_report(root):
    file = rows_file(root, "verified_tasks", "bakery")
    Path(file.parent.path).mkdir(parents=True)
    pq.write_table(pa.table({"json": ["{}"]}), file.path)
    report = fleet_report(factory_at(root))
    assert [line.name for line in report.domains] == [*NAMES[1:]]
    assert any("bakery" in line and "materialize" in line for line in report.odd)
    file.write_bytes(b"no Parquet")
    assert len(fleet_report(factory_at(root)).odd) == 1


def test_a_spent_budget_comes_out_of_another_process_as_it_went_in():
    stop = Stop("max_calls is 1", 1, 0.0, "zoo", "schema", 0, 0, ["domain"], ["entries"], [])
    assert pickle.loads(pickle.dumps(RunStopped(stop))).stop == stop


def test_the_plan_is_printed_in_its_order_and_says_for_how_many_a_cap_is_enough(root, monkeypatch, capsys):
    dollars = {"bakery": 2.0, "casino": 4.0, "dairy": 1.0, "estuary": 8.0}
    monkeypatch.setattr(fleet_plan, "_left_to_pay", lambda *_: {name: (each, 9.0) for name, each in dollars.items()})
    show_plan(factory_at(root, max_cost=5), as_json=False)
    said = capsys.readouterr().out
    assert [line.split()[0] for line in said.splitlines()[1:5]] == ["dairy", "bakery", "casino", "estuary"]
    assert "about $15.00; 0 made already" in said
    assert "--max-cost 5: enough for about 2 of them" in said
    show_plan(factory_at(root), as_json=True)
    assert [each["dollars"] for each in json.loads(capsys.readouterr().out)["due"]] == [1.0, 2.0, 4.0, 8.0]
