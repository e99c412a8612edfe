"""A domain's file says what it is about; the sensor makes a partition and a run of it, once."""

from datetime import UTC, datetime, timedelta

import dagster as dg
import pytest
from dagster._core.remote_origin import GrpcServerCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from hypothesis import given
from hypothesis import strategies as st

from pipelines.definitions import definitions
from pipelines.domains import described, make_domain, named, order_of, read_domain, safe_name, write_domain
from pipelines.factory import Factory
from pipelines.jobs import NewDomain, whole
from pipelines.orders import PREVIEW_TASKS
from pipelines.run_config import RunConfig
from pipelines.sensors import domains_sensor, release_after_generate
from pipelines.storage import rows_file, write_rows
from pipelines.tags import DOMAIN, MODEL, ORDER
from toolscale.artifacts import Domain
from toolscale.errors import UserError
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.settings import Settings
from toolscale.synthesis.wanted import Wanted


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


@pytest.mark.parametrize("name", ["../zoo", "zoo/bar", "", "z" * 64, "2 zoos", "zoo & bar", "動物園", "zoo.toml"])
def test_a_name_that_cannot_be_made_a_partitions_is_refused(tmp_path, name):
    with pytest.raises(UserError, match="small letters"):
        named(str(tmp_path), name, "animals")


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Port logistics", "port_logistics"),
        ("PortLogistics", "port_logistics"),
        (" port-logistics ", "port_logistics"),
        ("port_logistics", "port_logistics"),
        ("Café", "cafe"),
        ("e-Commerce 2", "e_commerce_2"),
    ],
)
def test_a_name_is_made_safe(tmp_path, said, name):
    assert named(str(tmp_path), said, "what it covers").name == safe_name(said) == name


def test_a_new_domain_without_a_description_is_what_its_name_says(tmp_path):
    assert named(str(tmp_path), "Port logistics") == Domain(name="port_logistics", description="Port logistics")
    assert named(str(tmp_path), "port_logistics").description == "port logistics"


def test_a_domain_that_is_there_is_gone_on_with_and_never_described_anew(tmp_path):
    there = make_domain("zoo", "animals", datetime(2026, 1, 2, 3, 4, 5))
    write_domain(str(tmp_path), there)
    assert named(str(tmp_path), "Zoo") == named(str(tmp_path), "zoo", " animals ") == there
    with pytest.raises(UserError, match="is there already, described as 'animals'"):
        named(str(tmp_path), "zoo", "animals and plants")


def test_a_reference_domain_may_be_described_anew_only_before_it_is_made(tmp_path):
    assert named(str(tmp_path), "railway", "trams").description == "trams"
    write_rows(rows_file(str(tmp_path), "domain", "railway"), Domain, [reference_domain("railway").domain])
    with pytest.raises(UserError, match="is there already"):
        named(str(tmp_path), "railway", "trams")
    assert named(str(tmp_path), "railway") == reference_domain("railway").domain


def test_a_reference_domain_needs_no_file(tmp_path):
    assert read_domain(str(tmp_path), "railway") == reference_domain("railway").domain
    assert described(str(tmp_path), "zoo") is None


def test_the_sensor_generates_a_new_file_and_only_registers_the_reference_domains(factory):
    with dg.DagsterInstance.ephemeral() as instance:
        assert looked(factory, instance) == (list(reference_domains()), [])
        write_domain(factory.data_root, make_domain("zoo", "animals"))
        keys, [(partition, first_key)] = looked(factory, instance)
        assert (keys, partition) == (["zoo"], "zoo")
        assert looked(factory, instance) == ([], [("zoo", first_key)]), "the same run key: Dagster runs it once"
        write_domain(factory.data_root, make_domain("zoo", "animals and plants"))
        assert looked(factory, instance)[1][0][1] != first_key, "a mended file runs again"
        rows = [make_domain("zoo", "animals")]
        write_rows(rows_file(factory.data_root, "domain", "zoo"), Domain, rows)
        assert looked(factory, instance) == ([], []), "what has run is left alone"


def ordered(factory, instance, **config):
    """Launch the job `new_domain`."""
    job = definitions(factory, factory.data_root).resolve_job_def("new_domain")
    chosen = dg.RunConfig(ops={"write_domain": NewDomain(**{"model": "openai/m", **config})})
    return job.execute_in_process(run_config=chosen, instance=instance)


def requests(factory, instance):
    return list(domains_sensor(dg.build_sensor_context(instance, resources={"factory": factory})).run_requests)


def test_an_order_is_run_once_with_the_models_tasks_and_budget_that_it_names(factory, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with dg.DagsterInstance.ephemeral() as instance:
        roles = {"agent": "openai/small"}
        assert ordered(
            factory, instance, name="My Zoo", description='wild "animals"', roles=roles, max_cost=5, tasks=40
        ).success
        assert read_domain(factory.data_root, "my_zoo") == Domain(name="my_zoo", description='wild "animals"')
        [request] = requests(factory, instance)
        assert request.partition_key == "my_zoo"
        chosen = {"model": "openai/m", "roles": roles, "max_cost": 5.0, "tasks_per_domain": 40}
        assert request.run_config == {"resources": {"factory": {"config": chosen}}}
        job = definitions(factory, factory.data_root).get_repository_def().get_job("generate")
        instance.add_dynamic_partitions("domain", ["my_zoo"])

        def began(**tags):
            only = [dg.AssetKey("domain")]
            run = job.execute_in_process(partition_key="my_zoo", instance=instance, asset_selection=only, tags=tags)
            return run.success

        assert began()
        assert len(requests(factory, instance)) == 1, "a run that nobody ordered is not the one that was ordered"
        assert began(**request.tags)
    with dg.DagsterInstance.ephemeral() as fresh:
        assert requests(factory, fresh) == [], "a run has begun on it; nobody pays again because records were lost"
        assert ordered(factory, fresh, name="my_zoo").success
        [again] = requests(factory, fresh)
        assert again.run_key != request.run_key, "ordered again, it goes on"


def test_all_runs_of_an_order_are_found_by_its_domain_and_model_and_the_first_says_what_follows(factory, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with dg.DagsterInstance.ephemeral() as instance:
        ran = ordered(factory, instance, name="My Zoo", description="animals", preview=True, tasks=40, max_cost=5)
        tags = instance.get_run_by_id(ran.run_id).tags
        assert (tags[DOMAIN], tags[MODEL]) == ("my_zoo", "openai/m")
        (written,) = ran.filter_events(lambda event: event.is_successful_output)
        said = {name: str(value.value) for name, value in written.step_output_data.metadata.items()}
        follows = "`generate` for the partition my_zoo, with 6 first tasks, by openai/m, at most $5; `preview`"
        assert follows in said["what_follows"]
        assert f"(</runs?q%5B0%5D=tag%3Atoolscale%2Forder%3D{ran.run_id}>)" in said["its_runs"]
        [request] = requests(factory, instance)
        assert (request.tags[MODEL], request.tags[ORDER]) == ("openai/m", ran.run_id)
        generate = definitions(factory, factory.data_root).resolve_job_def("generate")
        assert generate.get_tags_for_partition_key("my_zoo", selected_asset_keys=None)[DOMAIN] == "my_zoo"


def test_an_order_for_a_wanted_number_reaches_the_run_and_its_preview_has_none(factory, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    quota = {"keep": 40, "pass_rate": "0.2:0.8", "golden_calls": "3:9"}
    with dg.DagsterInstance.ephemeral() as instance:
        assert ordered(factory, instance, name="zoo", description="animals", **quota).success
        [request] = requests(factory, instance)
        config = request.run_config["resources"]["factory"]["config"]
        assert {name: config[name] for name in quota} == quota
        made = RunConfig(**config).create_resource(dg.build_init_resource_context())
        assert made.wanted(made.settings()) == Wanted(40, (0.2, 0.8), (3, 9))
        assert ordered(factory, instance, name="zoo", preview=True, **quota).success
        [preview] = requests(factory, instance)
        assert not quota.keys() & preview.run_config["resources"]["factory"]["config"].keys()


def test_what_is_left_after_a_preview_is_offered_as_it_was_ordered(factory, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    wanted = {"tasks": 40, "keep": 30, "roles": {"agent": "openai/small"}, "task_source": "drafts", "max_cost": 5}
    with dg.DagsterInstance.ephemeral() as instance:
        assert ordered(factory, instance, name="Zoo", description="animals", preview=True, **wanted).success
        previewed = order_of(factory.data_root, "zoo")
        assert ordered(factory, instance, **whole("zoo", previewed)).success
    rest = order_of(factory.data_root, "zoo")
    assert (previewed.preview, rest.preview) == (True, False)
    assert rest.chosen() == previewed.chosen()


def test_a_wanted_share_without_a_number_is_refused_before_anything_is_written(factory, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with (
        dg.DagsterInstance.ephemeral() as instance,
        pytest.raises(dg.Failure, match="say with `keep` how many"),
    ):
        ordered(factory, instance, name="zoo", description="animals", pass_rate="0.2:0.8")
    assert not described(factory.data_root, "zoo")


def test_a_preview_makes_a_handful_of_tasks_and_shows_them_instead_of_a_release(factory, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with dg.DagsterInstance.ephemeral() as instance:
        ordered(factory, instance, name="zoo", description="animals", preview=True, tasks=40)
        [request] = requests(factory, instance)
        assert request.run_config["resources"]["factory"]["config"]["tasks_per_domain"] == PREVIEW_TASKS
        run = dg.DagsterRun(
            job_name="generate", run_config=request.run_config, tags={**request.tags, "dagster/partition": "zoo"}
        )
        context = dg.build_run_status_sensor_context(
            "release_after_generate", dg.DagsterEvent("PIPELINE_SUCCESS", "generate"), instance, run
        )
        [shown] = release_after_generate(context)
        assert shown.job_name == "preview"
        assert shown.run_config["ops"] == {"show_preview": {"config": {"domain": "zoo"}}}
        assert shown.run_config["resources"]["factory"]["config"]["tasks_per_domain"] == 40
        ours = dg.build_run_status_sensor_context(
            "release_after_generate", dg.DagsterEvent("PIPELINE_SUCCESS", "generate"), instance, run.with_tags({})
        )
        assert [each.job_name for each in release_after_generate(ours)] == ["release"]


OF_SOME = {"resources": {"factory": {"config": {"domains": ["zoo"]}}}}


@pytest.mark.parametrize(
    ("config", "told", "follows"),
    [
        ({}, [], False),
        ({}, [("PIPELINE_START", -1)], True),
        ({}, [("PIPELINE_START", 1)], False),
        ({}, [("PIPELINE_START", 1), ("PIPELINE_FAILURE", 2)], True),
        (OF_SOME, [], True),
        (OF_SOME, [("PIPELINE_START", 1)], True),
    ],
    ids=["queued", "began before", "began after", "failed", "queued, of some domains", "began after, of some domains"],
)
def test_a_release_follows_a_run_unless_one_of_all_domains_reads_what_it_wrote(config, told, follows):
    served = GrpcServerCodeLocationOrigin(host="127.0.0.1", port=1)
    origin = RemoteJobOrigin(RemoteRepositoryOrigin(served, "__repository__"), "release")
    ended = datetime(2026, 11, 23, 9, tzinfo=UTC)
    with dg.DagsterInstance.ephemeral() as instance:
        run = instance.add_run(dg.DagsterRun(job_name="generate", tags={"dagster/partition": "railway"}))
        instance.handle_run_event(run.run_id, dg.DagsterEvent("PIPELINE_SUCCESS", "generate"), ended)
        queued = {"run_config": config, "status": dg.DagsterRunStatus.QUEUED, "remote_job_origin": origin}
        other = instance.add_run(dg.DagsterRun(job_name="release", **queued))
        for event, seconds in told:
            at = ended + timedelta(seconds=seconds)
            instance.handle_run_event(other.run_id, dg.DagsterEvent(event, "release"), at)
        context = dg.build_run_status_sensor_context(
            "release_after_generate", dg.DagsterEvent("PIPELINE_SUCCESS", "generate"), instance, run
        )
        [asked] = release_after_generate(context)
        assert isinstance(asked, dg.RunRequest if follows else dg.SkipReason)


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ({"name": "zoo/../.."}, "small letters"),
        ({"name": "zoo", "model": "offline/reference"}, "knows no domain `zoo`"),
        ({"name": "zoo", "model": "openai/nobody-knows-its-price"}, "no price is known"),
        ({"name": "zoo", "roles": {"poet": "openai/m"}}, "no role `poet`"),
    ],
)
def test_an_order_that_could_not_run_is_refused_before_anything_is_written(
    factory, tmp_path, monkeypatch, config, complaint
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with (
        dg.DagsterInstance.ephemeral() as instance,
        pytest.raises(dg.Failure, match=complaint) as error,
    ):
        ordered(factory, instance, description="animals", **config)
    assert not error.value.allow_retries
    assert not (tmp_path / "domains").exists()


def test_the_clock_of_a_domain_can_be_set_in_its_file(tmp_path):
    (tmp_path / "domains").mkdir()
    (tmp_path / "domains" / "zoo.toml").write_text("description = 'animals'\nnow = 2026-01-02T03:04:05\n")
    assert read_domain(str(tmp_path), "zoo").now == datetime(2026, 1, 2, 3, 4, 5)
