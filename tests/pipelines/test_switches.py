"""A domain that is switched off is made by nobody until somebody releases it."""

import json

import dagster as dg
import pytest
from typer.testing import CliRunner

from pipelines.definitions import definitions
from pipelines.domains import (
    domain_files,
    make_domain,
    read_domain,
    refuse_switched_off,
    release_by_budget,
    release_domains,
    switch_domains_off,
    switched_on_domains,
    write_domain,
)
from pipelines.factory import Factory
from pipelines.run import run, run_few
from pipelines.sensors import domains_sensor
from pipelines.storage import rows_file, write_rows
from toolscale.artifacts import Domain
from toolscale.cli import app
from toolscale.errors import UserError
from toolscale.reference.domain import reference_domains
from toolscale.settings import Settings

OFF = """# proposed on Monday
description = "wild animals"

off = true  # until it was read
now = 2026-01-02T03:04:05

[run]
off = true
"""


@pytest.fixture
def factory(tmp_path):
    return Factory.of(Settings(data_root=str(tmp_path)))


@pytest.fixture
def zoo(tmp_path):
    file = tmp_path / "domains" / "zoo.toml"
    file.parent.mkdir()
    file.write_text(OFF)
    return file


def looked(factory, instance):
    return domains_sensor(dg.build_sensor_context(instance, resources={"factory": factory}))


def test_the_sensor_neither_registers_nor_runs_a_domain_that_is_off_and_does_both_once_it_is_released(factory, zoo):
    write_domain(factory.data_root, make_domain("library", "books"))
    with dg.DagsterInstance.ephemeral() as instance:
        before = looked(factory, instance)
        assert [run.partition_key for run in before.run_requests] == ["library"]
        [registered] = before.dynamic_partitions_requests
        assert registered.partition_keys == [*reference_domains(), "library"]
        assert release_domains(factory.data_root, ["zoo"]) == ["zoo"]
        after = looked(factory, instance)
        assert {run.partition_key for run in after.run_requests} == {"library", "zoo"}


def test_a_run_that_names_it_is_refused_with_the_command_that_releases_it(factory, zoo):
    domain = read_domain(factory.data_root, "zoo")
    factory = factory.model_copy(update={"model": "openai/m"})
    for started in (lambda: run([domain], factory), lambda: run_few(domain, factory)):
        with pytest.raises(UserError, match="toolscale domains release zoo"):
            started()
    assert not (zoo.parent.parent / "assets").exists()


def test_a_partition_that_was_registered_before_is_not_made_either(factory, zoo):
    job = definitions(factory, factory.data_root).get_repository_def().get_job("generate")
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("domain", ["zoo"])
        with pytest.raises(dg.Failure, match="toolscale domains release zoo"):
            job.execute_in_process(partition_key="zoo", instance=instance, asset_selection=[dg.AssetKey("domain")])


def test_no_stage_of_it_is_made_where_it_was_begun_before_it_was_switched_off(factory, zoo):
    job = definitions(factory, factory.data_root).get_repository_def().get_job("generate")

    def make(asset):
        return job.execute_in_process(partition_key="zoo", instance=instance, asset_selection=[dg.AssetKey(asset)])

    release_domains(factory.data_root, ["zoo"])
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("domain", ["zoo"])
        assert make("domain").success
        zoo.write_text(OFF)
        with pytest.raises(dg.Failure, match="toolscale domains release zoo"):
            make("subjects")


def test_releasing_takes_out_the_switch_and_nothing_else(factory, zoo):
    assert switched_on_domains(factory.data_root) == []
    assert release_domains(factory.data_root, ["zoo"]) == ["zoo"]
    assert zoo.read_text() == OFF.replace("off = true  # until it was read\n", "", 1)
    refuse_switched_off(factory.data_root, "zoo")
    assert switched_on_domains(factory.data_root) == ["zoo"]
    assert release_domains(factory.data_root, ["zoo"]) == []


@pytest.mark.parametrize(
    "text",
    [
        "description = '''wild\noff = true\nanimals'''\noff = true\n",
        "'off' = true\ndescription = 'animals'\n",
        '"of\\u0066" = true\ndescription = "animals"\n',
    ],
    ids=["in a text of several lines", "quoted", "spelt"],
)
def test_a_switch_that_no_program_can_take_out_for_sure_is_left_to_the_user(factory, zoo, text):
    zoo.write_text(text)
    with pytest.raises(UserError, match=r"zoo\.toml: .*by hand"):
        release_domains(factory.data_root, ["zoo"])
    assert zoo.read_text() == text


def test_none_is_released_if_one_of_those_named_has_no_file(factory, zoo):
    with pytest.raises(UserError, match=r"zooo\.toml: missing"):
        release_domains(factory.data_root, ["zoo", "zooo"])
    assert switched_on_domains(factory.data_root) == []


def test_a_switch_that_says_neither_yes_nor_no_is_named_and_starts_nothing(factory, zoo):
    zoo.write_text("description = 'animals'\noff = 'yes'\n")
    found = domain_files(factory.data_root)
    assert not found.files
    assert [line for line in found.passed_over if "`off` is 'yes'" in line]


def test_a_budget_releases_what_was_proposed_and_says_so_and_nothing_that_somebody_switched_off(factory, zoo):
    release_by_budget(factory.data_root, "zoo")
    assert zoo.read_text() == OFF
    zoo.write_text(OFF.replace("off = true", 'off = "proposed"', 1))
    assert (domain_files(factory.data_root).off, domain_files(factory.data_root).proposed) == (["zoo"], ["zoo"])
    with pytest.raises(UserError, match="toolscale domains release zoo"):
        refuse_switched_off(factory.data_root, "zoo")
    refuse_switched_off(factory.data_root, "zoo", or_proposed=True)
    release_by_budget(factory.data_root, "zoo")
    released = OFF.replace("off = true  # until it was read\n", 'released = "budget"\n', 1)
    assert zoo.read_text() == released
    release_by_budget(factory.data_root, "zoo")
    assert zoo.read_text() == released
    zoo.write_text('off = "proposed"\n' + released)
    release_by_budget(factory.data_root, "zoo")
    assert zoo.read_text() == released


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (OFF.replace("true  # until", '"proposed"  # until', 1), OFF.replace("  # until it was read", "", 1)),
        ("description = 'animals'\n[run]\nseed = 1\n", "off = true\ndescription = 'animals'\n[run]\nseed = 1\n"),
        (OFF, OFF),
    ],
    ids=["proposed", "on", "off already"],
)
def test_what_somebody_switches_off_is_left_to_somebody(factory, zoo, before, after):
    zoo.write_text(before)
    assert switch_domains_off(factory.data_root, ["zoo"]) == (["zoo"] if before != after else [])
    assert zoo.read_text() == after
    release_by_budget(factory.data_root, "zoo")
    assert zoo.read_text() == after


def test_the_command_lists_what_is_off_and_how_far_each_domain_is_and_releases_all(factory, zoo, tmp_path, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path))
    rows = [write_domain(factory.data_root, make_domain(name, "books")) and make_domain(name, "books") for name in "ab"]
    write_rows(rows_file(factory.data_root, "domain", "a"), Domain, rows[:1])
    write_rows(rows_file(factory.data_root, "verified_tasks", "b"), Domain, [])

    def said(*words):
        done = CliRunner().invoke(app, ["domains", *words])
        assert done.exit_code == 0, done.output
        return done.stdout

    listed = {each["name"]: (each["switch"], each["made"]) for each in json.loads(said("list", "--json"))["domains"]}
    assert listed == {"a": ("on", "begun"), "b": ("on", "yes"), "zoo": ("off", "no")}
    assert "zoo     off" in said("list")
    assert said("release", "--all") == "zoo: released\n"
    assert said("release", "--all") == "no domain is switched off\n"
    assert said("release", "Zoo") == "zoo: was on already\n"
    assert said("hold", "Zoo") == "zoo: switched off\n"
    assert said("hold", "zoo") == "zoo: was off already\n"
    zoo.write_text('description = "animals"\noff = "proposed"\n')
    assert "zoo     proposed" in said("list")
