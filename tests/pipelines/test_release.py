"""The dataset holds the domains whose assets are whole; one that is only half there stops nobody."""

import logging
from pathlib import Path

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
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
from toolscale.artifacts import Entry, Function, GateOutcome, Instructions, Reject, Task, Trajectory, UserScenario
from toolscale.dataset import read_dataset
from toolscale.dataset.folder import doubles_in, ids_in, preferences_of, read_placed, read_rows
from toolscale.environment import load_environment, write_environment
from toolscale.errors import UserError
from toolscale.instances import InstanceOptions, Instances
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
    gates = [*TASK.gates, GateOutcome(gate="distinct", passed=True)]
    task = TASK.model_copy(
        update={"id": f"{domain}-1", "domain": domain, "user_scenario": scenario, "gates": gates},
    )
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
    assert not [fault for fault in dataset_faults(factory, ["shop", "booth"]) if "missing" in fault]
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


def test_a_run_that_names_a_catalogue_gives_each_task_its_instance_and_keeps_the_rows_that_lie_ready(factory):
    task = generated(factory.data_root, "shop")
    released(factory, "shop")
    kept, before = rows_written(factory), tasks_file(factory).read_bytes()
    chosen = factory.model_copy(update={"catalogue": "training", "schedules": ["nebius"], "seed": 3})
    released(chosen, "shop")
    (placed,) = read_placed(Path(factory.dataset))
    assert placed.instance.configuration.schedule == "nebius"
    assert placed.instance == Instances(InstanceOptions("training", ("nebius",), seed=3)).of_task(
        task, placed.environment, "train"
    )
    assert not [fault for fault in dataset_faults(chosen, ["shop"]) if "missing" in fault]
    released(factory, "shop")
    assert tasks_file(factory).read_bytes() == before
    assert rows_written(factory) == kept


def test_a_dataset_is_written_again_where_its_instances_are_drawn_from_something_else(factory, tmp_path):
    ours = tmp_path / "ours.toml"
    catalogue = (
        '[[model]]\nname = "ours"\nmodel = "hosted_vllm/ours"\ndescription = "Quick."\n'
        'price = { input = 1, output = 2 }\n[sets.ours]\ngeneralist = ["ours"]\n'
    )
    ours.write_text(catalogue)
    chosen = factory.model_copy(update={"catalogue": str(ours)})
    first = chosen.instances().fingerprint
    assert chosen.instances().fingerprint == first
    ours.write_text(catalogue.replace("output = 2", "output = 3"))
    assert chosen.instances().fingerprint != first
    assert factory.instances() is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"catalogue": "basic"}, "the catalogue basic has no generalist"),
        ({"catalogue": "none"}, "has no generalist"),
        ({"preferences": "p.json"}, "name one with --catalogue"),
        ({"catalogue": "training", "schedules": ["mine"]}, "no price schedule `mine`"),
        ({"catalogue": "training", "preferences": "p.json"}, "cannot read the preferences p.json"),
    ],
    ids=str,
)
def test_instances_that_cannot_be_drawn_end_a_run_before_it_begins(factory, options, said):
    with pytest.raises(UserError, match=said):
        refuse_early([make_domain("shop", "A shop.")], factory.model_copy(update=options))


def tasks_file(factory):
    return Path(factory.dataset, "tasks", "train.parquet")


def rows_written(factory):
    """Domain -> when the rows were made that a release keeps ready of it."""
    kept = Path(factory.data_root, "made", "portions").glob("*.arrow")
    return {file.stem: file.stat().st_mtime_ns for file in kept}


def content(factory):
    return {file.name: file.read_bytes() for file in Path(factory.dataset).rglob("*.parquet")}


def test_a_release_makes_again_only_the_rows_of_domains_that_changed(factory, monkeypatch):
    for domain in ("shop", "zoo"):
        generated(factory.data_root, domain)
    released(factory, "shop", "zoo")
    first, rows = rows_written(factory), content(factory)
    released(factory, "shop", "zoo")
    assert (rows_written(factory), content(factory)) == (first, rows), "nothing changed, and nothing is made again"
    generated(factory.data_root, "zoo")
    released(factory, "shop", "zoo")
    again = rows_written(factory)
    assert again["shop"] == first["shop"]
    assert again["zoo"] != first["zoo"]
    assert content(factory) == rows
    for file in Path(factory.data_root, "made", "portions").iterdir():
        file.write_bytes(b"broken")
    released(factory, "shop", "zoo")
    assert content(factory) == rows, "what was kept ready may be lost"


def test_a_near_duplicate_that_appears_or_goes_changes_the_rows_of_the_other_domain(factory):
    generated(factory.data_root, "shop")
    released(factory, "shop")
    alone = content(factory)
    generated(factory.data_root, "booth")
    released(factory, "shop", "booth")
    both = content(factory)
    assert tasks_of(factory) == {"booth-1"}
    released(factory.model_copy(update={"domains": ["shop"]}), "shop", "booth")
    assert content(factory) == alone
    released(factory, "shop", "booth")
    assert content(factory) == both


def test_what_passed_the_check_of_a_release_is_checked_again_once_it_changed(factory, monkeypatch):
    audits = []
    monkeypatch.setattr("pipelines.checks.audited", lambda subjects: audits.append(subjects[0][0].id) or [])
    for domain in ("shop", "zoo"):
        generated(factory.data_root, domain)
    released(factory, "shop", "zoo")
    assert audits == ["shop-1", "zoo-1"]
    released(factory, "shop", "zoo")
    assert len(audits) == 2
    generated(factory.data_root, "zoo")
    released(factory, "shop", "zoo")
    assert audits[2:] == ["zoo-1"]
    tasks = max(Path(factory.dataset, "tasks").glob("*.parquet"), key=lambda file: file.stat().st_size)
    table = pq.read_table(tasks)
    spoiled = [{**row, "intent": "another intent"} for row in table.to_pylist()]
    pq.write_table(pa.Table.from_pylist(spoiled, table.schema), tasks)
    assert "is not the task" in "".join(dataset_faults(factory, ["shop", "zoo"]))
