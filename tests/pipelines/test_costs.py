"""What was paid is summed by day, domain and stage, and nothing of it is lost or counted twice."""

import asyncio
from datetime import UTC, datetime

import dagster as dg
import duckdb
import pytest

from pipelines.assets.costs import costs
from pipelines.factory import Factory
from toolscale.settings import Settings
from toolscale.store import ModelCall

MONDAY, TUESDAY = (datetime(2026, 11, day, 23, 59, tzinfo=UTC) for day in (23, 24))


def call(key, on, domain, stage, dollars):
    return ModelCall(
        key=key,
        created_at=on,
        role="teacher",
        stage=stage,
        domain=domain,
        endpoint="openai",
        model="openai/m",
        sample=0,
        prompt_tokens=100,
        completion_tokens=10,
        dollars=dollars,
        seconds=1.0,
        status="ok",
    )


PAID = [
    call("a", MONDAY, "railway", "schema", 0.5),
    call("b", MONDAY, "railway", "entries", 0.25),
    call("c", TUESDAY, "railway", "entries", 0.25),
    call("d", TUESDAY, "zoo", "entries", None),
    call("e", TUESDAY, "zoo", "schema", 4.0),
]


@pytest.fixture
def factory(tmp_path):
    return Factory.of(Settings(data_root=str(tmp_path)))


def paid(factory, calls):
    async def saved(store):
        for each in calls:
            await store.save_call(each, [], {})

    with factory.store() as store:
        asyncio.run(saved(store))


def materialized(factory):
    result = dg.materialize([costs], resources={"factory": factory})
    (event,) = result.asset_materializations_for_node("costs")
    return event.metadata


def test_the_sums_are_the_ledgers_over_all_days_and_by_stage(factory):
    paid(factory, PAID)
    found = materialized(factory)
    assert (found["dollars"].value, found["calls"].value, found["unpriced_calls"].value) == (5.0, 5, 1)
    assert (found["dollars_schema"].value, found["dollars_entries"].value) == (4.5, 0.5)
    assert found["tokens"].value == 5 * 110


def test_the_file_has_a_line_for_each_day_domain_and_stage(factory, tmp_path):
    paid(factory, PAID)
    materialized(factory)
    lines = duckdb.sql(f"select day, domain, stage, dollars from '{tmp_path}/costs/costs.parquet'").fetchall()
    assert lines == [
        ("2026-11-23", "railway", "entries", 0.25),
        ("2026-11-23", "railway", "schema", 0.5),
        ("2026-11-24", "railway", "entries", 0.25),
        ("2026-11-24", "zoo", "entries", 0.0),
        ("2026-11-24", "zoo", "schema", 4.0),
    ]


def test_the_dearest_domain_comes_first_with_what_each_stage_took(factory):
    paid(factory, PAID)
    rows = [record.data for record in materialized(factory)["by_domain"].records]
    assert rows == [
        {"domain": "zoo", "dollars": 4.0, "schema": 4.0, "entries": 0.0},
        {"domain": "railway", "dollars": 1.0, "schema": 0.5, "entries": 0.5},
    ]
    days = [record.data["day"] for record in materialized(factory)["by_day"].records]
    assert days == ["2026-11-24", "2026-11-23"]


def test_where_nothing_has_a_price_tokens_are_shown(factory):
    paid(factory, [call("a", MONDAY, "railway", "schema", 0.0)])
    [row] = [record.data for record in materialized(factory)["by_domain"].records]
    assert row == {"domain": "railway", "thousand tokens": 0.11, "schema": 0.11}


def test_an_empty_ledger_is_no_error(factory):
    assert materialized(factory)["calls"].value == 0
