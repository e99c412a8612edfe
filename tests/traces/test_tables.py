"""The ledger in SQL: its sums are the store's own, and what was said is read only where it is asked for."""

import dataclasses

import pytest

from tests.store.calls import call
from toolscale.errors import UserError
from toolscale.query import Tables
from toolscale.store import Store
from toolscale.traces.tables import CALLS, ledger_views


def opened(store: Store, *but: str) -> Tables:
    """The store's tables, but for those that may not be read."""

    def refused() -> None:
        raise AssertionError("this table was not asked for")

    views = ledger_views(lambda: store.engine.url.render_as_string(hide_password=False))
    return Tables(dataclasses.replace(view, load=refused) if view.name in but else view for view in views)


@pytest.fixture
async def ledger(store: Store) -> Store:
    for number in range(40):
        failed = number % 7 == 0
        made = call(
            f"{number:04x}",
            stage=("tasks", "episode", "entries")[number % 3],
            domain=("railway", "medicine")[number % 2],
            role=("teacher", "agent")[number % 2],
            model=("openai/x", "openai/y")[number % 2],
            dollars=None if number % 5 == 0 else number / 100,
            **({"status": "Refused", "error": f"no {number}", "response": None} if failed else {}),
        )
        made.prompt_tokens = number
        await store.save_call(made, [{"role": "user", "content": f"say {number}"}], {"seed": number})
    return store


@pytest.mark.parametrize("dimension", ["stage", "model", "domain", "role"])
def test_the_sums_are_those_of_the_store(ledger: Store, dimension: str) -> None:
    with opened(ledger, "model_call", "request_part") as tables:
        found = tables.rows(
            f"select {dimension}, calls, failed, prompt_tokens, completion_tokens, coalesce(dollars, 0), unpriced "
            f"from cost_by_{dimension}"
        )
    expected = [tuple(line) for line in ledger.cost_by(dimension)]
    assert [row[:5] for row in found] == [row[:5] for row in expected]
    assert [row[6] for row in found] == [row[6] for row in expected]
    assert [row[5] for row in found] == pytest.approx([row[5] for row in expected])


def test_failures_and_the_cache_are_the_calls_that_failed_and_those_that_did_not(ledger: Store) -> None:
    with opened(ledger, "model_call") as tables:
        assert tables.rows("select sum(calls)::int from failures") == [(6,)]
        assert tables.rows("select sum(answers)::int from cache") == [(34,)]
        ((error,),) = tables.rows("select error from failures where stage = 'tasks' and model = 'openai/x' limit 1")
        assert error.startswith("no ")


def test_the_calls_are_there_without_what_was_said(ledger: Store) -> None:
    with opened(ledger, "model_call", "request_part", "tool_list") as tables:
        names = {name for name, _ in tables.columns(CALLS)}
        assert names.isdisjoint({"request", "response"})
        assert tables.rows("select count(*), min(key) from calls") == [(40, "0000")]
        assert str(tables.frame("select created_at from calls").dtypes["created_at"]).startswith("datetime64")


def test_what_was_said_is_there_where_it_is_asked_for(ledger: Store) -> None:
    with opened(ledger, CALLS) as tables:
        asked = (
            "select count(*) from model_call join request_part on contains(request, hash) where contains(body, 'say')"
        )
        assert tables.rows(asked) == [(40,)]
        for name in tables.names:
            if name not in (CALLS, "failures", "cache") and not name.startswith("cost_by"):
                assert tables.columns(name), name


def test_without_a_store_that_is_said_when_it_is_asked(tmp_path) -> None:
    with Tables(ledger_views(lambda: f"sqlite:///{tmp_path}/none.db")) as tables:
        assert tables.rows("select 1") == [(1,)]
        with pytest.raises(UserError, match=r"no store at .*none\.db yet"):
            tables.rows("select * from cost_by_stage")
    assert not (tmp_path / "none.db").exists()
