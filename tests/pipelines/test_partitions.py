"""A partition lives as long as its domain's file or the data that refers to it, and only a file makes a domain."""

import shutil
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.remote_origin import ManagedGrpcPythonEnvCodeLocationOrigin
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin

from pipelines.assets.environment import domain
from pipelines.domains import domain_file, make_domain, refuse_without_file, release_domains, write_domain
from pipelines.factory import Factory
from pipelines.listing import listed_domains
from pipelines.orders import Order
from pipelines.sensors import domains_sensor
from pipelines.storage import rows_file, write_rows
from toolscale.artifacts import Domain
from toolscale.errors import UserError
from toolscale.input_files import read_at_most
from toolscale.reference.domain import reference_domains
from toolscale.settings import Settings

ORIGIN = ManagedGrpcPythonEnvCodeLocationOrigin(LoadableTargetOrigin(), "pipelines.definitions")


class Looking:
    """The sensor, looking again and again, with what it wants carried out."""

    def __init__(self, root: Path) -> None:
        self.factory = Factory.of(Settings(data_root=str(root)))
        self.instance = dg.DagsterInstance.ephemeral()
        self.cursor: str | None = None

    def look(self) -> dg.SensorResult:
        context = dg.build_sensor_context(self.instance, self.cursor, resources={"factory": self.factory})
        context._code_location_origin = ORIGIN  # what the daemon gives a context
        result = domains_sensor(context)
        assert isinstance(result, dg.SensorResult)
        for request in result.dynamic_partitions_requests or ():
            change = "add" if isinstance(request, dg.AddDynamicPartitionsRequest) else "delete"
            for key in request.partition_keys:
                if change == "add":
                    self.instance.add_dynamic_partitions("domain", [key])
                else:
                    self.instance.delete_dynamic_partition("domain", key)
        self.cursor = result.cursor
        return result

    def partitions(self) -> set[str]:
        """Beside those of the reference domains."""
        return set(self.instance.get_dynamic_partitions("domain")) - set(reference_domains())

    def write(self, name: str = "zoo", *, made: bool = False) -> Path:
        described = make_domain(name, "animals")
        file = write_domain(self.factory.data_root, described)
        if made:
            write_rows(rows_file(self.factory.data_root, "domain", name), Domain, [described])
        return Path(str(file))


@pytest.fixture
def looking(tmp_path):
    made = Looking(tmp_path)
    yield made
    made.instance.dispose()


def said(result: dg.SensorResult) -> str:
    assert result.skip_reason is None or isinstance(result.skip_reason, dg.SkipReason)
    return (result.skip_reason.skip_message or "") if result.skip_reason else ""


def observed(result: dg.SensorResult) -> dict[str | None, dict[str, object]]:
    return {
        event.partition: {name: value.value for name, value in event.metadata.items()}
        for event in result.asset_events
        if isinstance(event, dg.AssetObservation)
    }


def test_a_partition_goes_with_its_file_where_nothing_was_made(looking):
    file = looking.write()
    looking.look()
    assert looking.partitions() == {"zoo"}
    file.unlink()
    looking.look()
    assert looking.partitions() == set()


def test_one_that_data_refers_to_is_retired_told_once_and_comes_back_with_its_file(looking):
    file = looking.write(made=True)
    looking.look()
    file.unlink()
    retired = looking.look()
    assert looking.partitions() == {"zoo"}
    assert "retired, since their files are gone: zoo" in said(retired)
    assert "no run makes it again" in str(observed(retired)["zoo"]["retired"])
    assert observed(looking.look()) == {}, "its page is told once"
    looking.write()
    back = looking.look()
    assert "there again" in str(observed(back)["zoo"]["retired"])
    assert said(back) == ""


def test_a_retired_partition_goes_with_the_last_of_its_data(looking):
    looking.write(made=True).unlink()
    looking.instance.add_dynamic_partitions("domain", ["zoo"])
    looking.look()
    shutil.rmtree(Path(looking.factory.data_root) / "assets")
    looking.look()
    assert looking.partitions() == set()


def test_a_disk_that_is_away_retires_nothing(looking, tmp_path):
    looking.write(made=True)
    looking.look()
    (tmp_path / "domains").rename(tmp_path / "away")
    away = looking.look()
    assert looking.partitions() == {"zoo"}
    assert said(away) == ""


def test_a_look_reads_each_file_once(looking, monkeypatch):
    looking.write("aquarium")
    write_domain(looking.factory.data_root, make_domain("zoo", "animals"), Order(order="o"))
    reads = []

    def counted(file, most):
        reads.append(file.name)
        return read_at_most(file, most)

    monkeypatch.setattr("pipelines.domain_file.read_at_most", counted)
    assert {run.partition_key for run in looking.look().run_requests} == {"aquarium", "zoo"}
    assert sorted(reads) == ["aquarium.toml", "zoo.toml"]


def test_no_run_makes_a_retired_domain(looking):
    root = looking.factory.data_root
    looking.write(made=True).unlink()
    with pytest.raises(UserError, match="`zoo` is retired"):
        refuse_without_file(root, "zoo")
    looking.instance.add_dynamic_partitions("domain", ["zoo"])
    resources = {"factory": looking.factory, "rows": dg.mem_io_manager}
    ran = dg.materialize(
        [domain], partition_key="zoo", instance=looking.instance, resources=resources, raise_on_error=False
    )
    (failed,) = ran.filter_events(lambda event: event.is_step_failure)
    assert "retired" in failed.step_failure_data.user_failure_data.description


def test_a_retired_domain_is_listed_as_such_with_how_far_it_came_and_cannot_be_released(looking):
    root, dataset = looking.factory.data_root, looking.factory.dataset
    file = looking.write(made=True)
    assert [each.switch for each in listed_domains(root, dataset)[0]] == ["on"]
    file.unlink()
    [zoo], odd = listed_domains(root, dataset)
    assert (zoo.name, zoo.switch, zoo.made, odd) == ("zoo", "retired", "begun", [])
    with pytest.raises(UserError, match="`zoo` is retired"):
        release_domains(root, ["zoo"])
    shutil.rmtree(Path(root) / "assets")
    assert listed_domains(root, dataset) == ([], []), "nothing refers to it"


@pytest.mark.parametrize("text", ["description = ", "descripton = 'typo'", "name = 'aquarium'\ndescription = 'fish'"])
def test_a_file_that_holds_no_domain_registers_nothing_and_is_named(looking, text):
    file = Path(str(domain_file(looking.factory.data_root, "zoo")))
    file.parent.mkdir()
    file.write_text(text)
    result = looking.look()
    assert looking.partitions() == set()
    assert not result.run_requests
    assert f"passed over: {file}" in said(result)


def test_a_file_that_is_spoilt_later_keeps_its_partition(looking):
    file = looking.write()
    looking.look()
    file.write_text("description = ")
    looking.look()
    assert looking.partitions() == {"zoo"}


def test_a_partition_that_was_added_by_hand_is_offered_its_file(looking):
    Path(looking.factory.data_root, "domains").mkdir()
    looking.instance.add_dynamic_partitions("domain", ["My Zoo"])
    result = looking.look()
    assert looking.partitions() == {"My Zoo"}
    assert "partitions without a file: 'My Zoo'; launch the job `new_domain`" in said(result)
    offer = str(observed(result)["My Zoo"]["write_its_file"])
    assert "(</locations/pipelines.definitions/jobs/new_domain/playground/setup?config=" in offer
    assert "My%20Zoo" in offer
    assert observed(looking.look()) == {}
    with pytest.raises(UserError, match="no domain can be called 'My Zoo'"):
        refuse_without_file(looking.factory.data_root, "My Zoo")
    with pytest.raises(UserError, match="launch the job `new_domain` with `name: zoo`"):
        refuse_without_file(looking.factory.data_root, "zoo")
