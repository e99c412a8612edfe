"""Entries know their neighbours: what is referred to comes first and is seen, and how all is spread is checked."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.synthesis import harbour
from tests.synthesis.harbour import DOMAIN, JSON_SCHEMA, RECORDS, SCHEMA, SUBJECTS, complaint_in, prompt_of, written
from toolscale.artifacts import DatabaseSchema, Subject
from toolscale.artifacts.needs import in_order_of_needs
from toolscale.synthesis.assembly import database_of
from toolscale.synthesis.entries import write_entries
from toolscale.synthesis.neighbours import SHOWN, neighbours
from toolscale.synthesis.parts import BATCH, parts_of
from toolscale.synthesis.schema import design_schema
from toolscale.synthesis.spread import shortfalls


def answering(records):
    """A model that writes what `records(request)` says, and finds nothing wrong with it."""

    def model(request):
        if "Stage: validation" in request["messages"][0]["content"]:
            return harbour.satisfied()
        return json.dumps({"entries": records(request)})

    return model


def of_stage(server, stage):
    return [request for request in server.requests if f"Stage: {stage}" in request["messages"][0]["content"]]


async def test_a_table_of_200_is_written_in_calls_that_know_of_each_other_and_no_key_is_doubled(run_on):
    run, server = run_on(answering(written), domain=DOMAIN)
    sifted = await write_entries(run, SUBJECTS, SCHEMA)
    assert sifted.rejects == []
    database = database_of(SCHEMA, sifted.kept)
    assert {table: len(records) for table, records in database.items()} == {
        "landings": 200,
        "boats": 30,
        "skippers": 20,
        "berths": 6,
    }
    assert len({(entry.table, entry.key) for entry in sifted.kept}) == len(sifted.kept)
    *_, last = of_stage(server, "entries")
    assert "`landings`: 150 so far" in prompt_of(last)
    assert "`status`: announced 39, landed 39, left 36, turned away 36" in prompt_of(last)
    assert "`boat_id`: 30 of 30 `boats`, most often B-0 (5)" in prompt_of(last)


async def test_what_is_referred_to_is_written_first_and_every_record_of_it_is_seen(run_on):
    run, server = run_on(answering(written), domain=DOMAIN)
    sifted = await write_entries(run, SUBJECTS, SCHEMA)
    asked = of_stage(server, "entries")
    assert [harbour.wanted(request) for request in asked] == [
        {"skippers": 20, "boats": 30},
        {"berths": 6},
        *[{"landings": 50}] * 4,
    ]
    for request in asked[2:]:
        for entry in sifted.kept[:56]:
            assert f'["{entry.key}",' in prompt_of(request)
        assert '["B-7","S-7","Gull 7"]' in prompt_of(request)
        assert "@example.org" not in prompt_of(request), "nobody refers to an address"


async def test_what_was_shown_before_comes_first_in_the_next_prompt(run_on):
    run, server = run_on(answering(written), domain=DOMAIN)
    await write_entries(run, SUBJECTS, SCHEMA)
    *_, earlier, later = of_stage(server, "entries")
    assert earlier["messages"][0] == later["messages"][0]
    shared = prompt_of(earlier).partition("Of the tables to be written now")[0]
    assert "Gull 29" in shared
    assert prompt_of(later).startswith(shared)


def short_by(records, mended):
    """A writer whose landings are as `records` makes them until it hears something, and then as they should be."""
    heard = []

    def write(request):
        entries = written(request)
        if "landings" in entries and not complaint_in(request):
            return {"landings": records(entries["landings"])}
        if complaint_in(request):
            heard.append(complaint_in(request))
        return entries if mended or "landings" not in entries else {"landings": records(entries["landings"])}

    return write, heard


def changed(**fields):
    return lambda landings: {key: {**record, **fields} for key, record in landings.items()}


def few_boats(landings):
    return {key: {**record, "boat_id": f"B-{n % 2}"} for n, (key, record) in enumerate(landings.items())}


def one_boat_often(landings):
    return {
        key: {**record, "boat_id": "B-7" if n < 34 else f"B-{n % 30}"}
        for n, (key, record) in enumerate(landings.items())
    }


def years_ago(landings):
    return {key: harbour.far(record) for key, record in landings.items()}


def all_behind(landings):
    return {key: {**record, "day": record["day"].replace("-12-", "-10-")} for key, record in landings.items()}


def the_same_again(landings):
    first = next(iter(landings.values()))
    return {
        key: {**(first if n % 2 else record), "landing_id": key} for n, (key, record) in enumerate(landings.items())
    }


FORTY = DatabaseSchema(domain="harbour", json_schema=JSON_SCHEMA, records={**RECORDS, "landings": {"landings": 40}})
SHORT = {
    "two boats for forty landings": (few_boats, "40 `landings` refer in `boat_id` to only 2 of 30 `boats`"),
    "a boat that is everywhere": (one_boat_often, "35 of 40 `landings` refer in `boat_id` to one of 30 `boats`, B-7"),
    "a state that never occurs": (
        changed(status="left"),
        "none of 40 `landings` has the `status` `announced`, `landed`, `turned away`",
    ),
    "dates of another year": (years_ago, "none within 180 days of the present, 2026-11-23"),
    "nothing ahead": (changed(day="2026-11-02"), "0 lie ahead of it and 40 behind it"),
    "all alike": (changed(crew=4), "all 40 `landings` have the same `crew`, 4"),
    "doubles": (the_same_again, "21 of 40 `landings` repeat another in all but the key"),
    "too few": (lambda landings: dict(list(landings.items())[:20]), "there are 20 new `landings` of 40"),
}


@pytest.mark.parametrize(("records", "said"), SHORT.values(), ids=SHORT.keys())
async def test_a_writer_that_falls_short_hears_the_figures_and_mends_it(run_on, records, said):
    write, heard = short_by(records, mended=True)
    run, _ = run_on(answering(write), domain=DOMAIN)
    sifted = await write_entries(run, SUBJECTS, FORTY)
    assert len(heard) == 1
    assert said in heard[0]
    assert [reject.check for reject in sifted.rejects] == ["spread"]
    assert database_of(FORTY, sifted.kept)["landings"] == {f"L-{n}": harbour.landing(n) for n in range(40)}


@pytest.mark.parametrize(("records", "said"), SHORT.values(), ids=SHORT.keys())
async def test_what_stays_short_is_kept_asked_for_once_more_and_told_in_the_end(run_on, records, said):
    write, heard = short_by(records, mended=False)
    run, server = run_on(answering(write), domain=DOMAIN)
    sifted = await write_entries(run, SUBJECTS, FORTY)
    assert len(heard) == 1
    assert len(of_stage(server, "entries")) == 4
    assert [reject.check for reject in sifted.rejects] == ["spread", "spread"]
    assert said.replace("new ", "") in "; ".join(sifted.rejects[-1].reasons).replace("new ", "")
    assert len(database_of(FORTY, sifted.kept)["landings"]) >= 20


def test_subjects_come_in_the_order_of_their_references_and_a_cycle_is_cut_where_nothing_need_be():
    tables = copy.deepcopy(JSON_SCHEMA)
    fields = tables["properties"]["berths"]["additionalProperties"]["properties"]
    fields["last_landing"] = harbour.refers("landings.landing_id", optional=True)
    for optional in (True, False):  # the last of three that refer in a circle
        fields["last_landing"] = harbour.refers("landings.landing_id", optional=optional)
        schema = DatabaseSchema(domain="harbour", json_schema=tables, records=RECORDS)
        parts = parts_of(SUBJECTS, schema)
        assert sorted({part.subject.name for part in parts}) == sorted(RECORDS)
        if optional:
            names = list(dict.fromkeys(part.subject.name for part in parts))
            assert names == ["boats and skippers", "berths", "landings"]
            assert schema.in_order == ["skippers", "boats", "berths", "landings"]


async def test_a_schema_in_which_no_table_can_come_first_goes_back(run_on):
    circle = copy.deepcopy(JSON_SCHEMA)
    fields = circle["properties"]["berths"]["additionalProperties"]
    fields["properties"]["last_landing"] = harbour.refers("landings.landing_id")
    fields["required"].append("last_landing")

    def model(request):
        schema = JSON_SCHEMA if "neither can be written first" in complaint_in(request) else circle
        return json.dumps({"database_schema": schema, "records": RECORDS})

    run, server = run_on(model, domain=DOMAIN)
    assert (await design_schema(run, SUBJECTS)).json_schema == JSON_SCHEMA
    assert "every record of `landings` must refer to one of `berths`" in str(server.requests[1])


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ({}, "the subject `berths` has none"),
        ({**RECORDS, "buoys": {"berths": 4}}, "there is no subject `buoys`"),
        ({**RECORDS, "berths": {"piers": 4, "berths": 4}}, "there is no table `piers`"),
        ({**RECORDS, "boats and skippers": {"boats": 30}}, "no subject has records of `skippers`"),
        ({**RECORDS, "landings": {"landings": 20_000}}, "`landings` would have 20000; at most 500"),
        ({**RECORDS, "berths": {"berths": 6, "boats": -3}}, "`boats` cannot have -3"),
    ],
)
async def test_a_schema_says_how_many_records_each_subject_has_within_bounds(run_on, records, said):
    def model(request):
        good = said in complaint_in(request)
        return json.dumps({"database_schema": JSON_SCHEMA, "records": RECORDS if good else records})

    run, server = run_on(model, domain=DOMAIN)
    assert (await design_schema(run, SUBJECTS)).records == RECORDS
    assert len(server.requests) == 2


@given(
    st.dictionaries(
        st.sampled_from(["a", "b", "c"]),
        st.dictionaries(st.sampled_from(sorted(JSON_SCHEMA["properties"])), st.integers(0, 190)),
        min_size=1,
    )
)
def test_the_parts_are_what_was_wanted_none_too_large_and_each_table_is_finished_once(records):
    schema = DatabaseSchema(domain="harbour", json_schema=JSON_SCHEMA, records=records)
    parts = parts_of([Subject(domain="harbour", name=name) for name in records], schema)
    for name, tables in records.items():
        own = [part for part in parts if part.subject.name == name]
        assert [part.number for part in own] == list(range(1, len(own) + 1))
        assert {len(own)} == {part.of for part in own}
        for table, count in tables.items():
            assert sum(part.wanted.get(table, 0) for part in own) == count
    assert all(sum(part.wanted.values()) <= BATCH for part in parts)
    assert parts[-1].finished == schema.tables.keys()


def test_a_scale_multiplies_what_the_schema_wants_and_leaves_no_table_out():
    def total(scale):
        return sum(sum(part.wanted.values()) for part in parts_of(SUBJECTS, SCHEMA, scale))

    assert (total(1), total(2), total(0.5)) == (256, 512, 128)
    assert {table for part in parts_of(SUBJECTS, SCHEMA, 0.01) for table in part.wanted} == SCHEMA.tables.keys()


def test_neighbours_beyond_the_stated_size_are_a_draw_that_says_so_and_the_seed_decides():
    boats = {f"B-{n}": {**harbour.MAKERS["boats"](n), "name": "Gull " * 9} for n in range(2000)}
    database = {"skippers": {f"S-{n}": harbour.MAKERS["skippers"](n) for n in range(20)}, "boats": boats}
    shown = neighbours(SCHEMA, database, ["landings"], seed="0")
    assert (
        shown
        == neighbours(SCHEMA, database, ["landings"], seed="0")
        != neighbours(SCHEMA, database, ["landings"], seed="1")
    )
    assert "`skippers` (all 20)" in shown[0]
    assert "drawn from 2000" in shown[1]
    assert SHOWN / 2 < sum(map(len, shown)) < SHOWN + 200


NAMES = st.sampled_from("abcdef")


@given(st.permutations("abcdef"), st.dictionaries(NAMES, st.sets(NAMES)))
def test_in_order_of_needs_everything_is_there_once_and_what_can_come_first_does(names, needs):
    ordered = in_order_of_needs(names, needs)
    assert sorted(ordered) == sorted(names)
    forward = {name: {need for need in wanted if need < name} for name, wanted in needs.items()}  # without a cycle
    place = {name: n for n, name in enumerate(in_order_of_needs(names, forward))}
    assert all(place[need] < place[name] for name, wanted in forward.items() for need in wanted)
    assert in_order_of_needs(names, {}) == list(names)


def test_a_writer_is_not_blamed_for_what_earlier_records_lean_on():
    old = {
        "boats": {f"B-{n}": {} for n in range(30)},
        "landings": few_boats({f"L-{n}": harbour.landing(n) for n in range(160)}),
    }
    new = {"landings": {f"L-{n}": harbour.landing(n) for n in range(160, 200)}}
    said = shortfalls(SCHEMA, new, old, DOMAIN.now, judged=["landings"], finished=["landings"])
    assert said == []
    assert shortfalls(SCHEMA, {**old, **new}, {}, DOMAIN.now, judged=["landings"], finished=["landings"]) == []
    assert shortfalls(SCHEMA, old, {}, DOMAIN.now, judged=["landings"], finished=[])
