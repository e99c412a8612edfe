"""What a changed prompt makes stale is made again only where it is asked for; the dataset is audited every week."""

import json
from pathlib import Path

import dagster as dg
import pytest

from pipelines.assets import tasks
from pipelines.assets.audit import PASSES
from pipelines.assets.stage import pool_of
from pipelines.automation import FOLLOWS, RELEASES, follow_changes
from pipelines.definitions import definitions
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.schedules import weekly_reaudit
from pipelines.tags import FOLLOWING
from tests.dataset.small import contents, write_small
from toolscale.settings import Settings


def chain(prompt="one", rows="same"):
    """Three stages in a row and the dataset, as the factory's assets are made, with the first's prompt and rows."""

    @dg.asset(partitions_def=DOMAINS, automation_condition=FOLLOWS, code_version=prompt)
    def subjects():
        return dg.MaterializeResult(data_version=dg.DataVersion(rows))

    @dg.asset(partitions_def=DOMAINS, automation_condition=FOLLOWS, code_version="same", deps=[subjects])
    def entries(): ...

    @dg.asset(partitions_def=DOMAINS, automation_condition=FOLLOWS, code_version="same")
    def intents(): ...

    everywhere = dg.AssetDep(entries, partition_mapping=dg.AllPartitionMapping())

    @dg.asset(automation_condition=RELEASES, code_version="same", deps=[everywhere])
    def dataset(): ...

    return dg.Definitions(assets=[subjects, entries, intents, dataset])


def made(instance, definitions, *domains, assets=("subjects", "entries", "intents"), **tags):
    for domain in domains:
        job = definitions.resolve_implicit_job_def_def_for_assets([dg.AssetKey(asset) for asset in assets])
        assert job.execute_in_process(
            instance=instance, partition_key=domain, tags=tags, asset_selection=[dg.AssetKey(asset) for asset in assets]
        ).success


def wanted(instance, definitions, cursor=None):
    """Asset -> the partitions that the automation would make again."""
    result = dg.evaluate_automation_conditions(defs=definitions, instance=instance, cursor=cursor)
    found = {}
    for name in ("subjects", "entries", "intents"):
        partitions = result.get_requested_partitions(dg.AssetKey(name))
        if partitions:
            found[name] = set(partitions)
    if result.get_num_requested(dg.AssetKey("dataset")):
        found["dataset"] = {None}
    return found, result.cursor


@pytest.fixture
def instance():
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("domain", ["railway", "zoo", "new"])
        yield instance


def test_a_changed_prompt_makes_its_asset_and_what_follows_again_where_they_were_made(instance):
    made(instance, chain(), "railway", "zoo")
    found, cursor = wanted(instance, chain())
    assert found == {}, "switching it on makes nothing"
    found, cursor = wanted(instance, chain("two"), cursor)
    assert found == {"subjects": {"railway", "zoo"}, "entries": {"railway", "zoo"}}
    found, cursor = wanted(instance, chain("two"), cursor)
    assert found == {}, "it is asked for once"


def test_an_input_made_again_makes_what_follows_again_only_if_its_rows_are_others(instance):
    made(instance, chain(rows="a"), "railway", "zoo")
    _, cursor = wanted(instance, chain(rows="a"))
    made(instance, chain(rows="a"), "railway", assets=["subjects"])
    found, cursor = wanted(instance, chain(rows="a"), cursor)
    assert found == {}
    made(instance, chain(rows="b"), "railway", assets=["subjects"])
    found, cursor = wanted(instance, chain(rows="b"), cursor)
    assert found == {"entries": {"railway"}}
    made(instance, chain(rows="b"), "railway", assets=["entries"])
    assert wanted(instance, chain(rows="b"), cursor)[0] == {}, "what was made again makes nothing again"


def test_a_domain_that_nobody_generated_is_never_begun(instance):
    found, cursor = wanted(instance, chain())
    assert found == {}
    assert wanted(instance, chain("two"), cursor)[0] == {}


def test_the_dataset_follows_automated_runs_and_leaves_the_others_to_its_sensor(instance):
    made(instance, chain(), "railway")
    assert (
        chain()
        .resolve_implicit_global_asset_job_def()
        .execute_in_process(instance=instance, asset_selection=[dg.AssetKey("dataset")])
        .success
    )
    _, cursor = wanted(instance, chain())
    made(instance, chain(), "railway")
    found, cursor = wanted(instance, chain(), cursor)
    assert "dataset" not in found
    made(instance, chain(), "railway", **{FOLLOWING: "follows"})
    assert "dataset" in wanted(instance, chain(), cursor)[0]


def test_nothing_is_automated_until_somebody_says_so(factory):
    assert follow_changes.default_status is dg.DefaultSensorStatus.STOPPED
    specs = definitions(factory, factory.data_root).resolve_all_asset_specs()
    automated = {spec.key.to_user_string() for spec in specs if spec.automation_condition}
    by_hand = {
        "published_dataset",
        "orchestrator",
        "model_descriptions",
        "preferences",
        "proposed_domains",
        "audit",
        "costs",
    }
    assert automated == {spec.key.to_user_string() for spec in specs} - by_hand


@pytest.fixture
def factory(tmp_path):
    return Factory.of(Settings(data_root=str(tmp_path)))


@pytest.fixture
def released(factory):
    write_small(Path(factory.dataset))
    return factory


def test_the_weekly_audit_waits_for_a_dataset(factory):
    looked = weekly_reaudit(dg.build_schedule_context(resources={"factory": factory}))
    assert isinstance(looked, dg.SkipReason)
    write_small(Path(factory.dataset))
    assert isinstance(weekly_reaudit(dg.build_schedule_context(resources={"factory": factory})), dg.RunRequest)


def audited(factory):
    job = definitions(factory, factory.data_root).resolve_job_def("reaudit")
    with dg.DagsterInstance.ephemeral() as instance:
        ran = job.execute_in_process(instance=instance, raise_on_error=False)
        (event,) = ran.asset_materializations_for_node("audit") if ran.success else (None,)
        return ran, event, ran.get_asset_check_evaluations() if ran.success else []


def test_an_audit_puts_every_task_to_the_gates_and_leaves_a_page(released):
    ran, event, (result,) = audited(released)
    assert ran.success
    figures = json.loads(Path(event.metadata["audit"].value).read_text())
    assert event.metadata["tasks"].value == figures["tasks"] == len(contents()["tasks"])
    assert (result.check_name, result.passed) == (PASSES, figures["passed"] == figures["tasks"])
    assert result.passed or result.metadata["failures"].value
    assert "<html" in Path(event.metadata["report"].value).read_text()


def test_an_audit_of_nothing_says_what_is_missing(factory):
    ran, _, _ = audited(factory)
    assert not ran.success
    (failed,) = ran.filter_events(lambda event: event.is_step_failure)
    assert "dataset" in failed.event_specific_data.error.message + str(failed.event_specific_data.error.cause)
    assert not (Path(factory.data_root) / "audit" / "audit.json").exists()


@pytest.mark.parametrize(
    ("model", "api_base", "pool"),
    [
        ("offline/reference", None, "offline"),
        ("openai/gpt-5-mini", None, "openai"),
        ("hosted_vllm/qwen", "http://gpu1:8000/v1", "hosted_vllm_gpu1_8000"),
    ],
)
def test_assets_that_ask_one_endpoint_share_a_pool(tmp_path, monkeypatch, model, api_base, pool):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLSCALE_DEFAULT_MODEL", model)
    if api_base:
        monkeypatch.setenv("TOOLSCALE_DEFAULT_API_BASE", api_base)
    assert {pool_of("teacher"), pool_of("agent")} == {pool}
    monkeypatch.setenv("TOOLSCALE_ATTEMPTS", "none")
    assert pool_of("teacher") is None, "wrong settings are told by whoever uses them, not by loading the definitions"


def test_every_stage_that_asks_a_model_is_in_a_pool_and_no_other():
    assert tasks.verified_tasks.op.pool
    assert tasks.assets[0].op.pool == pool_of("teacher")
