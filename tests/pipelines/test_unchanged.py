"""What has not changed is not made again, what has is, and domains side by side give the same rows as in turn."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from pipelines.assets.stage import STAGES
from pipelines.factory import Factory
from pipelines.run import run
from pipelines.side_by_side import side_by_side
from pipelines.stopped import RunStopped
from pipelines.storage import rows_file
from pipelines.unchanged import domain_unchanged
from tests.pipelines.test_run import rows, toolscale
from toolscale.errors import UserError
from toolscale.reference.domain import reference_domain
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

pytestmark = pytest.mark.slow


TASKS = 3
DOMAINS = ["restaurant", "railway"]


def factory_at(root, **chosen):
    options = {"model": "offline/reference", "tasks_per_domain": TASKS, "dataset": f"{root}/set"} | chosen
    return Factory.of(Settings(data_root=str(root)), **options)


def run_in(root, *domains, **chosen):
    """Run the factory, and say which stages of which domains were at work."""
    worked = []
    with dg.DagsterInstance.ephemeral() as instance:
        report = run(
            [reference_domain(domain).domain for domain in domains],
            factory_at(root, **chosen),
            progress=lambda progress: worked.append(progress.domain),
            instance=instance,
        )
    return report, set(worked)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    root = tmp_path_factory.mktemp("built")
    report, worked = run_in(root, *DOMAINS)
    assert worked == set(DOMAINS)
    return root, report


@pytest.fixture
def copy(built, tmp_path):
    """A data root of one's own, as the build left it. Records name their files, so it lies where the build's did."""
    root, _ = built
    kept = tmp_path / "kept"
    shutil.copytree(root, kept)
    yield root
    shutil.rmtree(root)
    shutil.copytree(kept, root)


def test_a_second_run_makes_nothing_and_reports_the_same(built):
    root, first = built
    before = {path: path.stat().st_mtime_ns for path in (root / "set").rglob("*")}
    with Store(f"sqlite:///{root}/toolscale.db") as store:
        asked = len(store.rows(ModelCall))
    second, worked = run_in(root, *DOMAINS)
    assert worked == set()
    assert second.domains == first.domains
    assert {path: path.stat().st_mtime_ns for path in (root / "set").rglob("*")} == before
    with Store(f"sqlite:///{root}/toolscale.db") as store:
        assert len(store.rows(ModelCall)) == asked


@pytest.mark.parametrize(
    "changes",
    [{"seed": 1}, {"attempts": 2}, {"tasks_per_domain": 4}, {"more_tasks": {"railway": 2}}, {"evolution_rounds": 0}],
    ids=lambda changes: next(iter(changes)),
)
def test_another_setting_makes_a_domain_anew(built, changes):
    root, _ = built
    assert domain_unchanged(factory_at(root), "railway")
    assert not domain_unchanged(factory_at(root, **changes), "railway")
    assert domain_unchanged(factory_at(root, max_cost=5, dataset="elsewhere", domains=["railway"]), "railway")


def test_another_model_or_program_makes_a_domain_anew(built, monkeypatch):
    root, _ = built
    assert not domain_unchanged(factory_at(root, roles={"agent": "openai/m"}), "railway")
    monkeypatch.setitem(STAGES, "schema", replace(STAGES["schema"], code="an older program"))
    assert not domain_unchanged(factory_at(root), "railway")


def test_a_file_that_was_touched_makes_its_domain_anew_and_no_other(copy):
    rows_file(str(copy), "verified_tasks", "railway").unlink()
    _, worked = run_in(copy, *DOMAINS)
    assert worked == {"railway"}
    assert run_in(copy, *DOMAINS)[1] == set()


def test_a_dataset_that_was_touched_is_written_again_and_no_domain_is_made(copy):
    before = (copy / "set" / "README.md").read_bytes()
    (copy / "set" / "README.md").write_text("Mine.")
    _, worked = run_in(copy, *DOMAINS)
    assert worked == set()
    assert (copy / "set" / "README.md").read_bytes() == before


def test_a_dataset_of_fewer_domains_is_another_dataset(copy):
    report, worked = run_in(copy, "railway")
    assert worked == set()
    assert set(report.domains) == {"railway"}
    assert {row["domain"] for row in rows(copy / "set")["environments/train.parquet"]} == {"railway"}


@pytest.mark.slow
def test_build_makes_the_same_rows_side_by_side(built, tmp_path):
    """As the command, with the settings' model: the offline one."""
    root, report = built
    options = ("--domains", ",".join(DOMAINS), "--tasks-per-domain", str(TASKS), "--rounds", "1", "--processes", "2")
    options += ("--task-source", "both")  # what the command draws from by default is another
    done = toolscale("build", *options, "--json", "--out", str(tmp_path / "side"), root=tmp_path / "root")
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    assert set(printed) == {"dataset", "seconds", "domains"}
    assert rows(Path(printed["dataset"])) == rows(root / "set")
    assert {name: figures["kept"] for name, figures in printed["domains"].items()} == {
        name: each.kept for name, each in report.domains.items()
    }
    assert all(f"{domain}: verified_tasks" in done.stderr for domain in DOMAINS)


def make(domain, factory, listener):
    """Stands in for the generation of a domain; runs in another process."""
    if domain == "lost":
        raise UserError(f"{domain}: missing")
    (Path(factory.data_root) / domain).write_text(str(os.getpid()))


def test_what_fails_in_a_process_comes_out_as_it_went_in(tmp_path):
    factory = factory_at(tmp_path)
    assert sorted(domain for domain, _ in side_by_side(make, ["a", "b"], factory, print, 2)) == ["a", "b"]
    assert str(os.getpid()) not in {(tmp_path / name).read_text() for name in "ab"}
    ((_, lost),) = side_by_side(make, ["lost"], factory, print, 2)
    with pytest.raises(UserError, match="lost: missing"):
        lost.result()


def test_domains_side_by_side_make_together_as_many_calls_as_the_cap_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    domains = [reference_domain(domain).domain for domain in DOMAINS]
    with pytest.raises(RunStopped, match="max_calls is 9") as stopped:
        run(domains, factory_at(tmp_path / "data", max_calls=9), processes=2)
    stop = stopped.value.stop
    assert stop.calls <= 9
    assert {stop.domain, *stop.left_domains} == set(DOMAINS)
    with Store(Settings(data_root=str(tmp_path / "data")).database_url()) as store:
        assert len(store.rows(ModelCall)) == 9
