"""What the ledger knows reaches the UI and the card, and nothing that it does not know."""

from datetime import UTC, datetime

import pytest

from pipelines.assets.release import about
from pipelines.factory import Factory
from pipelines.metadata import cost
from toolscale.settings import Settings
from toolscale.store import ModelCall


def call(key, **values):
    told = {"role": "agent", "stage": "episode", "domain": "shop", "model": "openai/m", "dollars": 0.5, "status": "ok"}
    return ModelCall(
        key=key,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        endpoint="openai",
        sample=0,
        request="{}",
        prompt_tokens=10,
        completion_tokens=1,
        seconds=0.1,
        **told | values,
    )


CALLS = [
    call("1"),
    call("2", model="openai/older"),
    call("3", model="openai/refused", status="BadKey", dollars=0.0),
    call("4", stage="tasks", role="teacher", dollars=2.0),
    call("5", domain="zoo", model="openai/elsewhere", dollars=None),
]


@pytest.fixture
async def factory(tmp_path):
    factory = Factory.of(Settings(data_root=str(tmp_path)), model="openai/new", seed=7)
    with factory.store() as store:
        await store.save(*CALLS)
    return factory


def figures(factory, domain, *stages):
    paid = cost(factory, domain, *stages)
    assert all(f"toolscale traces --domain {domain} --stage {stage}" in paid["traces"].md_str for stage in stages)
    return {name: value for name, value in paid.items() if name != "traces"}


def test_a_stage_costs_what_its_own_calls_in_its_domain_cost(factory):
    assert figures(factory, "shop", "episode") == {"calls": 3, "tokens": 33, "dollars": 1.0}
    assert figures(factory, "shop", "tasks", "episode")["dollars"] == 3.0
    assert figures(factory, "shop", "subjects") == {"calls": 0, "tokens": 0, "dollars": 0.0}


def test_a_stage_with_a_call_of_unknown_price_names_no_sum(factory):
    assert figures(factory, "zoo", "episode") == {"calls": 1, "tokens": 11, "unpriced_calls": 1}


def test_the_card_names_the_models_that_answered_and_no_others(factory):
    told = about(factory, ["shop"])
    assert told.models == {"agent": ["openai/m", "openai/older"], "teacher": ["openai/m"]}
    assert (told.calls, told.dollars) == (4, 3.0)


def test_the_cards_cost_is_unknown_where_one_call_has_no_price(factory):
    assert about(factory, ["shop", "zoo"]).dollars is None
