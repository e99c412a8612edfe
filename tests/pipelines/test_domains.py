"""A domain's file says what it is about; the sensor makes a partition and a run of it, once."""

from datetime import datetime

import dagster as dg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.definitions import definitions
from pipelines.domains import described, make_domain, read_domain, write_domain
from pipelines.factory import Factory
from pipelines.jobs import NewDomain, new_domain
from pipelines.sensors import domains_sensor
from pipelines.storage import rows_file, write_rows
from toolscale.artifacts import Domain
from toolscale.errors import UserError
from toolscale.reference.domain import REFERENCE_DOMAINS, reference_domain
from toolscale.settings import Settings


@pytest.fixture
def factory(tmp_path):
    return Factory.of(Settings(data_root=str(tmp_path)))


def looked(factory, instance):
    """What the sensor wants: the keys it registers (they are registered), and the runs it requests."""
    result = domains_sensor(dg.build_sensor_context(instance, resources={"factory": factory}))
    keys = [key for request in result.dynamic_partitions_requests for key in request.partition_keys]
    instance.add_dynamic_partitions("domain", keys)
    return keys, [(run.partition_key, run.run_key) for run in result.run_requests]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), st.datetimes())
def test_a_description_survives_its_file_whatever_it_holds(tmp_path_factory, text, now):
    root = str(tmp_path_factory.mktemp("root"))
    domain = make_domain("zoo", text, now)
    write_domain(root, domain)
    assert read_domain(root, "zoo") == domain


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("description = ", "not TOML"),
        ("name = 'aquarium'\ndescription = 'fish'", "make them agree"),
        ("description = ''", "`description`"),
        ("descripton = 'typo'", "takes name, description and now"),
        ("description = 'd'\nnow = 'soon'", "`now`"),
    ],
)
def test_a_file_that_holds_no_domain_is_refused_with_its_path(tmp_path, text, complaint):
    (tmp_path / "domains").mkdir()
    (tmp_path / "domains" / "zoo.toml").write_text(text)
    with pytest.raises(UserError, match=complaint) as error:
        read_domain(str(tmp_path), "zoo")
    assert "zoo.toml" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["Zoo", "../zoo", "zoo bar", "", "z" * 64])
def test_a_name_that_is_no_partition_is_refused(name):
    with pytest.raises(UserError, match="small letters"):
        make_domain(name, "animals")


def test_a_reference_domain_needs_no_file(tmp_path):
    assert read_domain(str(tmp_path), "railway") == reference_domain("railway").domain
    assert described(str(tmp_path), "zoo") is None


def test_the_sensor_generates_a_new_file_and_only_registers_the_reference_domains(factory):
    with dg.DagsterInstance.ephemeral() as instance:
        assert looked(factory, instance) == (list(REFERENCE_DOMAINS), [])
        write_domain(factory.data_root, make_domain("zoo", "animals"))
        keys, [(partition, first_key)] = looked(factory, instance)
        assert (keys, partition) == (["zoo"], "zoo")
        assert looked(factory, instance) == ([], [("zoo", first_key)]), "the same run key: Dagster runs it once"
        write_domain(factory.data_root, make_domain("zoo", "animals and plants"))
        assert looked(factory, instance)[1][0][1] != first_key, "a mended file runs again"
        rows = [make_domain("zoo", "animals")]
        write_rows(rows_file(factory.data_root, "domain", "zoo"), Domain, rows)
        assert looked(factory, instance) == ([], []), "what has run is left alone"


def test_new_domain_writes_the_file_that_the_sensor_takes(factory):
    config = dg.RunConfig(ops={"write_domain": NewDomain(name="zoo", description="animals")})
    job = definitions(factory, factory.data_root).resolve_job_def("new_domain")
    assert job.execute_in_process(run_config=config).success
    assert read_domain(factory.data_root, "zoo") == Domain(name="zoo", description="animals")
    assert new_domain.name == job.name


def test_new_domain_refuses_a_bad_name_before_anything_is_written(factory, tmp_path):
    config = dg.RunConfig(ops={"write_domain": NewDomain(name="My Zoo", description="animals")})
    with pytest.raises(dg.Failure, match="small letters") as error:
        definitions(factory, factory.data_root).resolve_job_def("new_domain").execute_in_process(run_config=config)
    assert not error.value.allow_retries
    assert list(tmp_path.iterdir()) == []


def test_the_clock_of_a_domain_can_be_set_in_its_file(tmp_path):
    (tmp_path / "domains").mkdir()
    (tmp_path / "domains" / "zoo.toml").write_text("description = 'animals'\nnow = 2026-01-02T03:04:05\n")
    assert read_domain(str(tmp_path), "zoo").now == datetime(2026, 1, 2, 3, 4, 5)
