"""The checks that warn compare a partition with its own history, and let chance pass."""

import dagster as dg
import pytest

from pipelines.checks import no_key_is_in_the_data
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.keys import key_faults, keys_in
from pipelines.lineage import StepLineage
from pipelines.storage import Environments, Rows, rows_file, stored_files, write_rows
from pipelines.watch import cost_of_a_task, coverage, drift, remembered, survival, watch_verified_tasks
from tests.pipelines.test_checks import TASK
from tests.pipelines.test_release import generated
from tests.synthesis.shop import environment
from toolscale.artifacts import Reject, Task
from toolscale.settings import Settings

EARLIER = [{"kept": 60.0, "proposed": 100.0, "pass_rate": 0.6}] * 3


def with_rates(*rates):
    return [TASK.model_copy(update={"pass_rate": rate}) for rate in rates]


@pytest.mark.parametrize(
    ("kept", "proposed", "passed"),
    [(60, 100, True), (48, 100, True), (40, 100, False), (85, 100, False), (1, 4, True), (0, 0, True)],
)
def test_gates_that_let_through_as_many_as_chance_explains_are_as_before(kept, proposed, passed):
    found, metadata = survival({"kept": kept, "proposed": proposed}, EARLIER)
    assert found is passed, metadata


def test_without_a_history_everything_is_as_before():
    assert survival({"kept": 1, "proposed": 100}, [])[0]
    assert drift(with_rates(0.1), [])[0]


@pytest.mark.parametrize(
    ("rates", "passed"), [((0.6,) * 50, True), ((0.75,) * 50, False), ((0.25, 1.0), True), ((0.25,) * 20, False)]
)
def test_a_pass_rate_drifts_when_chance_does_not_explain_it(rates, passed):
    found, metadata = drift(with_rates(*rates), EARLIER)
    assert found is passed, metadata


def test_functions_that_no_task_needs_are_named():
    passed, metadata = coverage([TASK, TASK], environment())
    assert not passed
    assert (metadata["used"], metadata["functions"]) == (1, 2)
    assert metadata["unused"].value == "`get_order`"


def test_few_tasks_need_not_use_every_function():
    assert coverage([TASK], environment())[0]


@pytest.mark.parametrize(
    ("paid", "most", "passed"), [(0.02, 0.05, True), (0.06, 0.05, False), (None, 0.05, True), (9.0, None, True)]
)
def test_a_task_that_costs_more_than_it_may_is_found(paid, most, passed):
    latest = {} if paid is None else {"dollars_per_kept_task": paid}
    assert cost_of_a_task(latest, most)[0] is passed


def materialized(instance, domain, **figures):
    instance.report_runless_asset_event(dg.AssetMaterialization("verified_tasks", partition=domain, metadata=figures))


def test_a_partition_is_held_against_its_own_history_and_only_warns(tmp_path):
    generated(str(tmp_path), "shop")

    @dg.asset(partitions_def=DOMAINS, io_manager_key="rows")
    def verified_tasks() -> dg.MaterializeResult[list[Task]]:
        return dg.MaterializeResult(value=[TASK], metadata={"kept": 10, "proposed": 100})

    environment_there = dg.AssetSpec(
        "environment", partitions_def=DOMAINS, metadata={"dagster/io_manager_key": "environments"}
    )
    lineage = StepLineage()
    job = dg.define_asset_job("watching", selection=dg.AssetSelection.assets("verified_tasks"))
    defs = dg.Definitions(
        assets=[verified_tasks, environment_there],
        asset_checks=[watch_verified_tasks],
        jobs=[job],
        resources={
            "factory": Factory.of(Settings(data_root=str(tmp_path))),
            "rows": Rows(data_root=str(tmp_path), lineage=lineage),
            "environments": Environments(data_root=str(tmp_path), lineage=lineage),
        },
    )
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("domain", ["shop", "zoo"])
        for _ in range(3):
            materialized(instance, "shop", kept=90, proposed=100)
            materialized(instance, "zoo", kept=10, proposed=100)
        ran = defs.resolve_job_def("watching").execute_in_process(instance=instance, partition_key="shop")
        results = {result.check_name: result for result in ran.get_asset_check_evaluations()}
        assert remembered(instance, "shop")[0]["kept"] == 10
    assert ran.success
    assert {name for name, result in results.items() if not result.passed} == {"gates_let_through_as_before"}
    assert results["gates_let_through_as_before"].severity is dg.AssetCheckSeverity.WARN
    assert results["gates_let_through_as_before"].metadata["usual"].value == 0.9


KEYS = ("sk-proj-" + "a1B2" * 10, "hf_" + "Ab3" * 12, "ghp_" + "x9" * 18, "AKIA" + "ABCD1234" * 2)


@pytest.mark.parametrize("key", KEYS)
def test_what_has_the_form_of_a_key_is_found_and_never_said(key):
    (said,) = keys_in(f"the endpoint answered: invalid key {key}, sorry")
    assert key not in said


@pytest.mark.parametrize("text", ["a desk-lamp-with-a-very-long-name-indeed", "sk-8", "ASK-1", "RB-A05A57"])
def test_words_and_codes_of_a_domain_are_no_keys(text):
    assert list(keys_in(text)) == []


def test_the_value_of_a_secret_variable_is_found(monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", "a-phrase-that-has-no-form")
    assert "KEY" in "".join(keys_in("said a-phrase-that-has-no-form back"))
    monkeypatch.delenv("SHOP_API_KEY")


def test_a_key_in_a_reject_of_the_partition_stops_it_and_in_another_does_not(tmp_path):
    root = str(tmp_path)
    for domain in ("shop", "zoo"):
        generated(root, domain)
    leaked = Reject(domain="zoo", stage="tasks", check="form", reasons=[f"got {KEYS[0]}"])
    write_rows(rows_file(root, "tasks", "zoo", rejects=True), Reject, [leaked])
    assert list(key_faults(stored_files(root, "shop"))) == []
    (fault,) = key_faults(stored_files(root, "zoo"))
    assert fault.startswith("zoo.rejects.parquet holds")
    (spec,) = no_key_is_in_the_data.check_specs
    assert spec.blocking
    assert spec.partitions_def is not None


def test_the_history_of_a_partition_is_bounded(tmp_path):
    with dg.DagsterInstance.ephemeral() as instance:
        for run in range(15):
            materialized(instance, "shop", kept=run, proposed=20)
        assert [each["kept"] for each in remembered(instance, "shop")] == list(range(14, 3, -1))
