"""Proposed domains are files like those written by hand, switched off; a run that ended early goes on where it was."""

import json
import re
from collections import Counter

import dagster as dg
import pytest
from typer.testing import CliRunner

from pipelines.assets.proposals import Proposing
from pipelines.definitions import definitions
from pipelines.domain_file import DomainFile
from pipelines.domains import domain_files, make_domain, origin_in, read_domain, release_domains, write_domain
from pipelines.factory import Factory
from pipelines.storage import rows_file, write_rows
from tests.openai_server import OpenAIServer
from tests.proposals.teacher import Teacher
from tests.proposals.written import written
from toolscale.artifacts import DatabaseSchema
from toolscale.cli import app
from toolscale.proposals.proposal import Origin
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path / "data"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path / "data"


def run_on(server, *words):
    """`toolscale domains propose`."""
    options = ["--model", "openai/teacher", "--api-base", server.url, *words]
    return CliRunner().invoke(app, ["domains", "propose", *options])


def proposed(server, *words, status=0):
    """What it printed."""
    done = run_on(server, *words)
    assert done.exit_code == status, done.output
    return done.stdout


def said(words):
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return done.stdout


def one(name):
    """The answer that proposes a domain of `written`."""
    each = written()[name]
    tables = [{"name": table, "fields": fields} for table, fields in each["tables"].items()]
    return {"name": name, "division": each["division"], "description": each["description"], "tables": tables}


def test_each_proposal_is_a_file_that_is_off_and_says_where_it_belongs(root):
    with OpenAIServer(Teacher()) as server:
        out = proposed(server, "--count", "12")
    assert "12 domains proposed now, 12 in all; --count 12 is met." in out
    found = domain_files(str(root))
    assert len(found.off) == 12
    assert found.proposed == found.off, "a budget may release them"
    assert not found.on
    for name in found.off:
        origin = origin_in(found.files[name])
        assert 4 <= len(origin.tables) <= 10
        assert origin.division
        assert read_domain(str(root), name).description.startswith("The ")
    listed = json.loads(said(["domains", "list", "--json"]))["domains"]
    assert all(each["switch"] == "proposed" and re.match(r"[A-U] \d\d ", each["place"]) for each in listed)


def test_the_same_command_again_asks_for_nothing_and_a_higher_count_for_the_rest(root):
    teacher = Teacher()
    with OpenAIServer(teacher) as server:
        proposed(server, "--count", "30")
        asked = len(teacher.calls)
        release_domains(str(root), domain_files(str(root)).off[:5])
        assert "0 domains proposed now, 30 in all; --count 30 is met." in proposed(server, "--count", "30")
        assert len(teacher.calls) == asked
        proposed(server, "--count", "88")
    files = sorted((root / "domains").glob("*.toml"))
    assert Counter(Counter(origin_in(DomainFile.read(file)).division for file in files).values()) == {1: 88}, (
        "evenly, with what was there"
    )


def test_a_budget_that_ends_in_the_middle_keeps_what_was_paid_for_and_the_next_run_goes_on(root):
    teacher = Teacher()
    with OpenAIServer(teacher) as server:
        out = proposed(server, "--count", "60", "--max-calls", "4", status=3)
        there = len(domain_files(str(root)).off)
        assert len(teacher.calls) == 4
        assert there == sum(count for call in teacher.calls for _, count in call)
        assert "The budget is spent: max_calls is 4" in out
        assert "every answer is kept" in out
        out = proposed(server, "--count", "60", status=0)
        assert f"{60 - there} domains proposed now, 60 in all; --count 60 is met." in out
    places = [place for call in teacher.calls for place, _ in call]
    assert len(set(places)) == len(places) == 60, "nobody was asked for the same place twice"


def test_a_refusal_is_told_as_it_comes_and_the_end_says_what_the_run_cost(root):
    def once(worded, place, again):
        return worded if again or place != "77" else one("bicycle_rental") | {"name": "railway"}

    with OpenAIServer(Teacher(spoil=once)) as server:
        done = run_on(server, "--count", "88")
    refusal = "refused: railway (N 77 rental and leasing): a domain of that name is there already"
    assert refusal in done.stderr
    assert refusal not in done.stdout
    with Store(f"sqlite:///{root}/toolscale.db") as store:
        calls = store.rows(ModelCall, stage="domains")
    tokens = sum(each.prompt_tokens + each.completion_tokens for each in calls)
    assert f"Proposals refused: 1. {len(calls)} calls, {tokens:,} tokens, $" in done.stdout
    with OpenAIServer(Teacher()) as server:
        told = json.loads(proposed(server, "--count", "90", "--json"))
    assert told["calls"] >= 1
    assert told["prompt_tokens"] > 0
    assert "dollars" in told


def test_a_domain_is_shown_as_somebody_reads_it_who_decides(root, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    origin = Origin(division="77", topic="bikes", tables={"bikes": ["bike_id", "status"]})
    description = written()["bicycle_rental"]["description"]
    write_domain(str(root), make_domain("bicycle_rental", description), origin=origin, off=True)
    write_domain(str(root), make_domain("zoo", "Animals \x1b[2J are shown."))
    out = said(["domains", "show", "bicycle_rental", "zoo"])
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    head, place, *rest = out.splitlines()
    assert (head, place) == ("bicycle_rental (off, not made)", "  N 77 rental and leasing, topic `bikes`")
    assert " ".join(" ".join(rest).split()).startswith(description)
    assert "  - bikes: bike_id, status" in rest
    assert "zoo (on, not made)" in rest
    [shown] = json.loads(said(["domains", "show", "bicycle_rental", "--json"]))["domains"]
    assert (shown["description"], shown["tables"]) == (description, origin.tables)
    missing = CliRunner().invoke(app, ["domains", "show", "nobody"])
    assert "nobody.toml: missing; `toolscale domains list` shows" in str(missing.exception)


def test_a_run_that_was_killed_before_it_wrote_pays_for_nothing_twice(root, monkeypatch):
    teacher = Teacher()

    def dies(*_, **__):
        raise KeyboardInterrupt

    with OpenAIServer(teacher) as server:
        with monkeypatch.context() as killed:
            killed.setattr("pipelines.proposals.write_domain", dies)
            proposed(server, "--count", "20", status=130)
        assert not (root / "domains").exists()
        paid = len(teacher.calls)
        proposed(server, "--count", "20")
    assert len(teacher.calls) == paid


def test_odd_topics_and_names_that_exist_are_told_and_nothing_else_is_lost(root, tmp_path):
    topics = tmp_path / "topics.txt"
    topics.write_bytes(b"tea houses\n\nrailway\nZoo\n\xff\nmodel railways\nlast of all\n")
    write_domain(str(root), make_domain("zoo", "animals"))
    (root / "domains" / "spoilt.toml").write_text("= no TOML")
    with OpenAIServer(Teacher()) as server:
        out = proposed(server, "--count", "2", "--topics", str(topics), "--json")
    told = json.loads(out)
    assert [each["topic"] for each in told["accepted"]] == ["tea houses", "model railways"]
    assert [re.findall(r"line (\d+)|(spoilt)", line)[0] for line in told["passed_over"]] == [
        ("3", ""),
        ("4", ""),
        ("5", ""),
        ("", "spoilt"),
    ]
    assert told["topics_left"] == ["last of all"]
    with OpenAIServer(Teacher()) as server:
        told = json.loads(proposed(server, "--count", "3", "--topics", str(topics), "--json"))
    assert [each["topic"] for each in told["accepted"]] == ["last of all"], "topics that have a domain need no other"


def test_a_domain_is_compared_with_the_schema_that_was_made_of_it(root, tmp_path):
    bikes = written()["bicycle_rental"]
    write_domain(str(root), make_domain("wheels", "A shop about which little is said."))
    key = {"type": "string", "x-primary-key": True}
    tables = {
        table: {
            "type": "object",
            "additionalProperties": {"properties": {field: {} for field in others} | {first: key}},
        }
        for table, (first, *others) in bikes["tables"].items()
    }
    schema = DatabaseSchema(domain="wheels", json_schema={"type": "object", "properties": tables})
    write_rows(rows_file(str(root), "schema", "wheels"), DatabaseSchema, [schema])
    topics = tmp_path / "topics.txt"
    topics.write_text("bikes by the sea\n")
    answer = json.dumps({"proposals": [one("bicycle_rental") | {"topic": "bikes by the sea"}]})
    with OpenAIServer(lambda request: answer) as server:
        out = proposed(server, "--count", "1", "--topics", str(topics))
    assert "bicycle_rental (topic `bikes by the sea`): too near to `wheels`: their tables hold much the same" in out
    assert domain_files(str(root)).off == ["bicycle_rental"]


@pytest.mark.parametrize("whole", [True, False], ids=["a data root", "a folder of files"])
def test_domains_to_be_like_are_shown_and_not_repeated(root, tmp_path, whole):
    other = tmp_path / "other"
    write_domain(str(other), make_domain("pitches", written()["campsite_booking"]["description"]))
    teacher = Teacher(spoil=lambda worded, place, again: one("campsite_booking") | {"division": place})
    with OpenAIServer(teacher) as server:
        words = ["--count", "1", "--like", str(other if whole else other / "domains"), "--json"]
        told = json.loads(proposed(server, *words, status=3))
    assert '"name": "pitches"' in teacher.prompts[0]
    assert [each["like"] for each in told["refused"]] == ["pitches", "pitches"]
    assert (told["wanted_in_all"], told["there_before"], told["there_now"]) == (1, 0, 0)
    assert len(teacher.prompts) == 2


def test_mistakes_are_one_line_and_nothing_is_written(root, tmp_path):
    (tmp_path / "empty").mkdir()
    for words, why in (
        (["--topics", "no.txt"], "no.txt: cannot be read"),
        (["--like", str(tmp_path / "empty")], "holds no domain's file to go by"),
        (["--model", "offline/reference"], "the offline model proposes no domains"),
        (["--model", "openai/nobody-knows-its-price"], "no price is known"),
    ):
        done = CliRunner().invoke(app, ["domains", "propose", "--count", "3", *words])
        assert done.exit_code != 0
        assert why in str(done.exception)
    assert not (root / "domains").exists()


def test_without_a_model_the_command_says_which_to_name(root):
    done = CliRunner().invoke(app, ["domains", "propose"])
    assert "name a real model, such as --model" in str(done.exception)


def materialized(root, server, **run):
    """The metadata of the asset `proposed_domains`, and the run."""
    run = {"model": "openai/teacher", "api_base": server.url, **run}
    factory = Factory.of(Settings(data_root=str(root)), **run)
    job = definitions(factory, str(root)).get_repository_def().get_implicit_global_asset_job_def()
    asset = dg.AssetKey("proposed_domains")
    with dg.DagsterInstance.ephemeral() as instance:
        config = dg.RunConfig({"proposed_domains": Proposing(count=60)})
        return job.execute_in_process(config, instance=instance, asset_selection=[asset], raise_on_error=False)


def test_the_asset_shows_proposals_and_refusals(root):
    def twice(worded, place, again):
        return worded if again or place != "77" else one("bicycle_rental") | {"name": "railway"}

    with OpenAIServer(Teacher(spoil=twice)) as server:
        done = materialized(root, server)
    assert done.success
    [made] = done.asset_materializations_for_node("proposed_domains")
    shown = {name: value.value for name, value in made.metadata.items()}
    assert (shown["wanted_in_all"], shown["accepted"], shown["refused"]) == (60, 60, 1)
    assert shown["proposals"].count("\n") == 61
    assert "| railway | N 77 rental and leasing | a domain of that name is there already |" in shown["refusals"]
    with Store(f"sqlite:///{root}/toolscale.db") as store:
        assert shown["calls"] == len(store.rows(ModelCall, stage="domains"))


def test_the_asset_fails_where_its_budget_ends_and_goes_on_in_the_next_run(root):
    with OpenAIServer(Teacher()) as server:
        stopped = materialized(root, server, max_calls=4)
        assert not stopped.success
        [failed] = [event for event in stopped.all_events if event.is_step_failure]
        assert "The budget is spent: max_calls is 4" in failed.step_failure_data.user_failure_data.description
        there = len(domain_files(str(root)).off)
        assert 4 <= there < 60
        assert failed.step_failure_data.user_failure_data.metadata["accepted"].value == there
        assert materialized(root, server).success
    assert len(domain_files(str(root)).off) == 60


def test_it_is_no_part_of_generate(root):
    factory = Factory.of(Settings(data_root=str(root)))
    assets = definitions(factory, str(root)).get_repository_def().get_job("generate").asset_layer.selected_asset_keys
    assert dg.AssetKey("proposed_domains") not in assets
