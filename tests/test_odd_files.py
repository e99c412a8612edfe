"""What an editor, a file manager or a mistake leaves in a folder keeps nothing else there from being read."""

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest

from pipelines.domains import domain_files, make_domain, read_domain, write_domain
from pipelines.factory import Factory
from pipelines.sensors import domains_sensor
from pipelines.storage import environment_folder, stored_files
from pipelines.switches import LARGEST
from tests.checkers.conftest import LIBRARY
from tests.dataset.small import KEPT, WORLD
from toolscale.dataset import About, read_dataset
from toolscale.dataset.release import files_of
from toolscale.environment import load_environment
from toolscale.errors import UserError
from toolscale.exchange.published import is_published
from toolscale.input_files import files_in, listing, read_at_most
from toolscale.questions.tables import table_files
from toolscale.reference.domain import reference_domains
from toolscale.reference.source import read_functions
from toolscale.settings import Settings
from toolscale.tools.chunks import documents_in

Put = Callable[[Path], object]


def dead_link(place: Path) -> None:
    place.symlink_to("nobody@nowhere.1:2")


def broken_disk(place: Path) -> None:
    """A regular file whose reading fails, also for root."""
    place.symlink_to("/proc/self/mem")


HIDDEN: dict[str, tuple[str, Put]] = {
    "an editor's lock": (".#{}", dead_link),
    "a hidden copy": (".{}", lambda place: place.write_bytes(b"\0")),
    "a hidden pipe": (".p{}", os.mkfifo),
}
NO_FILES: dict[str, tuple[str, Put]] = {
    "a folder": ("folder_{}", Path.mkdir),
    "a pipe": ("pipe_{}", os.mkfifo),
    "a dead link": ("link_{}", dead_link),
    "a device": ("zero_{}", lambda place: place.symlink_to("/dev/zero")),
}


def strew(folder: Path, name: str) -> list[str]:
    """Put every odd thing into the folder, called like a file that is read there; the names of those to be told."""
    for form, put in (*HIDDEN.values(), *NO_FILES.values()):
        put(folder / form.format(name))
    return [form.format(name) for form, _ in NO_FILES.values()]


@pytest.fixture
def factory(tmp_path: Path) -> Factory:
    return Factory.of(Settings(data_root=str(tmp_path)))


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as made:
        yield made


def looked(factory: Factory, instance: dg.DagsterInstance, cursor: str | None = None) -> dg.SensorResult:
    result = domains_sensor(dg.build_sensor_context(instance, cursor, resources={"factory": factory}))
    assert isinstance(result, dg.SensorResult)
    return result


def test_odd_files_among_the_domains_keep_no_domain_from_its_run(
    factory: Factory, instance: dg.DagsterInstance, tmp_path: Path
) -> None:
    write_domain(factory.data_root, make_domain("zoo", "animals"))
    folder = tmp_path / "domains"
    told = strew(folder, "library.toml")
    broken_disk(folder / "broken.toml")
    (folder / "huge.toml").write_bytes(b"#" * (LARGEST + 1))
    (folder / "a...b.toml").write_text("description = 'd'")  # no partition may be called so
    (folder / "line\nend.toml").write_text("description = 'd'")
    (folder / "latin.toml").write_bytes("description = 'caf\xe9'".encode("latin-1"))
    result = looked(factory, instance)
    assert [run.partition_key for run in result.run_requests or ()] == ["zoo"]
    keys = [key for request in result.dynamic_partitions_requests or () for key in request.partition_keys]
    assert sorted(keys) == sorted([*reference_domains(), "zoo"])
    odd = domain_files(factory.data_root).passed_over
    assert len(odd) == len(told) + 4
    for name in (*told, "broken.toml", "huge.toml", "a...b.toml", "line\nend.toml"):
        assert sum(name in line for line in odd) == 1, name
    with pytest.raises(UserError, match=r"latin\.toml: not TOML"):
        read_domain(factory.data_root, "latin")
    assert "latin.toml: not TOML" in (result.cursor or ""), "the sensor says so, and registers nothing"


def test_what_is_passed_over_is_told_once_and_stays_to_be_seen(
    factory: Factory, instance: dg.DagsterInstance, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "domains" / "x.toml").mkdir(parents=True)
    with caplog.at_level(logging.WARNING):
        first = looked(factory, instance)
        second = looked(factory, instance, first.cursor)
    for result in (first, second):
        assert isinstance(result.skip_reason, dg.SkipReason)
        assert "x.toml: a folder" in (result.skip_reason.skip_message or "")
    (tmp_path / "domains" / "y.toml").mkdir()
    assert looked(factory, instance, second.cursor).cursor != second.cursor
    shutil.rmtree(tmp_path / "domains")
    assert looked(factory, instance, second.cursor).skip_reason is None


@pytest.mark.parametrize(
    "order",
    [
        "order = 3",
        "order = 'o'\nrun = {tasks_per_domain = 'x'}",
        "order = 'o'\nrun = {nonsense = 1}",
        "order = 'o'\nrun = {seed = '4'}",
    ],
)
def test_an_order_that_cannot_be_carried_out_is_named_and_keeps_no_other_from_its_run(
    factory: Factory, instance: dg.DagsterInstance, tmp_path: Path, order: str
) -> None:
    write_domain(factory.data_root, make_domain("zoo", "animals"))
    (tmp_path / "domains" / "spoilt.toml").write_text(f"description = 'd'\n{order}\n")
    result = looked(factory, instance)
    assert [run.partition_key for run in result.run_requests or ()] == ["zoo"]
    assert "spoilt" in (result.cursor or "")


def test_a_folder_called_like_a_domains_file_is_a_mistake_in_one_line(factory: Factory, tmp_path: Path) -> None:
    (tmp_path / "domains" / "zoo.toml").mkdir(parents=True)
    with pytest.raises(UserError, match=r"zoo\.toml: a folder"):
        read_domain(factory.data_root, "zoo")


def test_what_lies_in_an_environments_folder_beside_it_is_not_stored_of_the_domain(tmp_path: Path) -> None:
    folder = Path(environment_folder(str(tmp_path), "library"))
    shutil.copytree(LIBRARY, folder)
    before = stored_files(str(tmp_path), "library")
    (folder / "__pycache__").mkdir()
    strew(folder, "functions.py")
    assert stored_files(str(tmp_path), "library") == before


@pytest.mark.parametrize("name", ["database.json", "functions.py", "policy.md", "rules.py", "environment.json"])
@pytest.mark.parametrize("put", [put for _, put in NO_FILES.values()], ids=NO_FILES)
def test_an_environment_with_something_odd_for_a_file_is_refused_and_never_waited_for(
    tmp_path: Path, name: str, put: Put
) -> None:
    shutil.copytree(LIBRARY, tmp_path / "library")
    (tmp_path / "library" / name).unlink(missing_ok=True)
    put(tmp_path / "library" / name)
    with pytest.raises(UserError, match=name):
        load_environment(tmp_path / "library")


def test_odd_files_in_a_dataset_keep_no_row_from_being_read(tmp_path: Path) -> None:
    from toolscale.dataset import write_dataset

    write_dataset(
        tmp_path / "set",
        tasks=KEPT,
        environments=[WORLD],
        trajectories=[],
        rejects=[],
        rejected=[],
        about=About(dollars=None),
    )
    before, released = read_dataset(tmp_path / "set"), files_of(tmp_path / "set")
    for config in ("tasks", "environments"):
        strew(tmp_path / "set" / config, "train.parquet")
    assert read_dataset(tmp_path / "set") == before
    assert files_of(tmp_path / "set") == released


def test_every_folder_of_inputs_is_read_through_the_door(tmp_path: Path) -> None:
    source = "def get(db):\n    'Gets.'\n"
    for name, text in (("a.py", source), ("a.md", "text"), ("a.parquet", ""), ("a.json", "[]")):
        (tmp_path / name).write_text(text)
        strew(tmp_path, name)
    assert [each.name for each in read_functions(tmp_path)] == ["get"]
    assert [each.name for each in documents_in(tmp_path)] == ["a.md"]
    assert {path.name for path in table_files(tmp_path)} == {"a.parquet", "a.json"}
    assert is_published(tmp_path)


def test_a_listing_says_why_each_thing_is_passed_over_and_hidden_things_pass_in_silence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a.toml").write_text("")
    strew(tmp_path, "x.toml")
    found = listing(tmp_path, "*.toml")
    assert [file.name for file in found.files] == ["a.toml"]
    reasons = {line.removeprefix(f"{tmp_path}/").split(": ")[0]: line.split(": ")[1] for line in found.passed_over}
    assert reasons == {
        "folder_x.toml": "a folder",
        "link_x.toml": "a link to nothing",
        "pipe_x.toml": "no regular file",
        "zero_x.toml": "no regular file",
    }
    for _ in range(2):
        assert files_in(tmp_path, "*.toml") == found.files
    assert len(caplog.messages) == 4, "each is told once"


def test_no_more_of_a_file_is_read_than_it_may_hold(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    assert read_at_most(tmp_path / "file", 5) == b"12345"
    with pytest.raises(UserError, match="over 4 bytes"):
        read_at_most(tmp_path / "file", 4)
    with pytest.raises(UserError, match="cannot be read"):
        read_at_most(tmp_path / "missing", 4)
