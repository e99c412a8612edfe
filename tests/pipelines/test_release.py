"""The dataset holds the domains whose assets are whole; one that is only half there stops nobody."""

import logging
from pathlib import Path

import dagster as dg
import pytest

from pipelines.assets.preferences import preferences_file
from pipelines.assets.stage import OVER_ALL
from pipelines.checks import dataset_faults
from pipelines.definitions import definitions
from pipelines.domains import make_domain
from pipelines.factory import Factory
from pipelines.lineage import Made, as_text
from pipelines.preflight import refuse_early
from pipelines.reports import report
from pipelines.storage import MADE_OF, environment_folder, rows_file, version_of_environment, write_rows
from tests.pipelines.test_checks import TASK
from tests.synthesis.shop import environment
from toolscale.artifacts import Entry, Function, Instructions, Reject, Task, Trajectory, UserScenario
from toolscale.dataset import read_dataset
from toolscale.dataset.folder import doubles_in, ids_in, preferences_of, read_rows
from toolscale.environment import load_environment, write_environment
from toolscale.errors import UserError
from toolscale.preferences.preference import Preference, Preferences, split
from toolscale.settings import Settings


@pytest.fixture
def factory(tmp_path):
    return Factory.of(Settings(data_root=str(tmp_path)))


SAID = {
    "shop": "Cancel my order O-1.",
    "zoo": "I ordered a lamp, O-1, and would rather have none.",
    "booth": "Cancel my order O-1!",
}


def generated(root, domain):
    """Write what `generate` leaves of a domain with one kept task; that task."""
    said = Instructions(domain=domain, reason_for_call=SAID.get(domain, ""))
    scenario = UserScenario(instructions=said)
    task = TASK.model_copy(update={"id": f"{domain}-1", "domain": domain, "user_scenario": scenario})
    trajectory = Trajectory(task_id=task.id, termination="done")
    write_environment(environment().model_copy(update={"domain": domain}), environment_folder(root, domain).path)
    note = Path(environment_folder(root, domain).path) / MADE_OF
    note.write_text(as_text(Made(version=version_of_environment(load_environment(note.parent)))))
    for asset, kind, rows in (
        ("verified_tasks", Task, [task]),
        ("rejected_tasks", Task, []),
        ("trajectories", Trajectory, [trajectory]),
        ("functions", Function, []),
        ("entries", Entry, []),
    ):
        write_rows(rows_file(root, asset, domain), kind, rows, Made(version="1"))
    for asset in ("tasks", "evolved_tasks", "later_rejects", "functions", "entries"):
        write_rows(rows_file(root, asset, domain, rejects=True), Reject, [], Made(version="1"))
    return task


def released(factory, *domains):
    """Run the job `release` with these partitions known; the warnings in its log."""
    job = definitions(factory, factory.data_root).resolve_job_def("release")
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("domain", list(domains))
        run = job.execute_in_process(instance=instance)
        log = instance.all_logs(run.run_id)
    return [entry.user_message for entry in log if entry.level == logging.WARNING]


def tasks_of(factory):
    return {task.id for task, _ in read_dataset(Path(factory.dataset))}


def test_a_near_duplicate_in_another_domain_is_left_out_and_kept_as_a_reject(factory):
    for domain in ("shop", "booth"):
        generated(factory.data_root, domain)
    released(factory, "shop", "booth")
    assert tasks_of(factory) == {"booth-1"}
    assert doubles_in(Path(factory.dataset)) == ["shop-1"]
    assert {row["task_id"] for _, row in read_rows(Path(factory.dataset), "trajectories")} == {"booth-1"}
    verified = {domain: [TASK.model_copy(update={"id": f"{domain}-1"})] for domain in ("shop", "booth")}
    assert not [fault for fault in dataset_faults(factory, verified, {}) if "missing" in fault]
    assert report(factory.data_root, "shop", ids_in(Path(factory.dataset))).rejected == {"distinct": 1}


def test_whole_domains_are_released_without_a_word(factory):
    for domain in ("shop", "zoo"):
        generated(factory.data_root, domain)
    assert released(factory, "shop", "zoo") == []
    assert tasks_of(factory) == {"shop-1", "zoo-1"}


@pytest.mark.parametrize("asset", ["verified_tasks", "rejected_tasks", "trajectories"])
def test_a_domain_that_is_only_half_generated_is_left_out(factory, asset):
    for domain in ("shop", "zoo"):
        generated(factory.data_root, domain)
    rows_file(factory.data_root, asset, "zoo").unlink()
    [warning] = released(factory, "shop", "zoo")
    assert "zoo" in warning
    assert tasks_of(factory) == {"shop-1"}


def test_a_domain_whose_trajectories_are_of_an_earlier_run_is_left_out(factory):
    generated(factory.data_root, "shop")
    newer = generated(factory.data_root, "zoo").model_copy(update={"id": "zoo-2"})
    write_rows(rows_file(factory.data_root, "verified_tasks", "zoo"), Task, [newer], Made(version="2"))
    assert len(released(factory, "shop", "zoo")) == 1
    assert tasks_of(factory) == {"shop-1"}


def test_a_domain_that_was_asked_for_by_name_is_never_left_out(factory):
    generated(factory.data_root, "shop")
    both = factory.model_copy(update={"domains": ["shop", "zoo"]})
    with pytest.raises(dg.Failure, match="no verified tasks of zoo"):
        released(both, "shop", "zoo")
    assert not Path(factory.dataset).exists()


def test_a_release_of_nothing_does_not_replace_a_dataset(factory):
    generated(factory.data_root, "shop")
    released(factory, "shop")
    rows_file(factory.data_root, "trajectories", "shop").unlink()
    with pytest.raises(dg.Failure, match="no domain has verified tasks"):
        released(factory, "shop")
    assert tasks_of(factory) == {"shop-1"}


def test_preferences_that_were_made_before_are_part_of_the_dataset(factory, tmp_path):
    task = generated(factory.data_root, "shop")
    made = Preferences(
        catalogue="mine",
        schedule="together",
        proposed_by="openai/x",
        validated_by="openai/y",
        kept=split(
            [preferring("Be quick, please, whatever it costs."), preferring("Use the shop's own search, please.")]
        ),
        rejects=[],
    )
    preferences_file(factory.data_root).write_text(made.model_dump_json())
    released(factory, "shop")
    assert ids_in(Path(factory.dataset)) == {task.id}
    assert sorted(one.id for one in preferences_of(Path(factory.dataset))) == sorted(one.id for one in made.kept)
    assert "proposed by openai/x" in (Path(factory.dataset) / "README.md").read_text()


def preferring(said):
    return Preference(id=said[:3], theme="speed", instruction=said, tools=["search"], vector=[0.0, 0.0, 0.0, 1.0])


def test_a_domain_that_a_run_holds_out_is_in_eval_and_another_choice_is_another_dataset(factory):
    for domain in ("shop", "zoo"):
        generated(factory.data_root, domain)
    chosen = factory.model_copy(update={"hold_out": ["zoo"]})
    assert released(chosen, "shop", "zoo") == []
    where = {row["id"]: split for split, row in read_rows(Path(factory.dataset), "tasks")}
    assert where["zoo-1"] == "eval"
    made, settings = OVER_ALL["dataset"], factory.settings()
    assert made.version(chosen, settings) != made.version(factory, settings)


@pytest.mark.parametrize("domain", ["shop", "spor"])
def test_a_domain_that_cannot_be_held_out_ends_a_run_before_it_begins(factory, domain):
    with pytest.raises(UserError, match=domain):
        refuse_early([make_domain("shop", "A shop.")], factory.model_copy(update={"hold_out": [domain]}))
