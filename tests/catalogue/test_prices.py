"""Prices are what somebody listed, with who and when; what nobody listed stays unknown."""

import json
import re
from datetime import date
from importlib.metadata import version
from pathlib import Path

import pytest

from toolscale.catalogue import prices
from toolscale.catalogue.catalogue import Catalogue, read_tools, short
from toolscale.catalogue.prices import EVALUATION, HELD_OUT, OFFICIAL, TRAINING, dollars, schedule, schedules
from toolscale.errors import UserError
from toolscale.settings import Price
from toolscale.tools.web_search import SERVICES


def test_the_papers_ten_schedules_are_there_and_the_held_out_one_is_none_of_them():
    assert len(TRAINING) == 10
    assert {*TRAINING, EVALUATION, HELD_OUT, OFFICIAL} == set(schedules())
    assert HELD_OUT not in TRAINING
    assert EVALUATION in TRAINING


@pytest.mark.parametrize("name", [*TRAINING, HELD_OUT])
def test_every_price_says_who_listed_it_where_and_when(name):
    found = schedule(name).prices
    assert [price for price in found.values() if price.listed_by == name], "the provider itself lists nothing"
    for model, price in found.items():
        assert price.input > 0, model
        assert price.output > 0, model
        assert price.source, model
        assert len(price.seen) == len("2026-01-01"), model


def test_the_page_says_of_every_open_model_which_schedules_price_it():
    page = (Path(__file__).parents[2] / "docs/orchestration.md").read_text(encoding="utf-8")
    rows = page.partition("| open model | priced under |")[2].partition("\n\n")[0].splitlines()[2:]
    told = {
        name.strip(): set(re.findall(r"`(\w+)`", priced)) for _, name, priced, _ in (row.split("|") for row in rows)
    }
    listed = {name: schedule(name).prices for name in (*TRAINING, HELD_OUT)}
    assert told == {
        short(model.name): {
            name for name, prices in listed.items() if (price := prices.get(model.name)) and price.listed_by == name
        }
        for model in Catalogue.read().models.values()
        if model.open_weights
    }


def test_the_fee_of_every_search_says_where_and_when_it_was_read():
    for service in SERVICES.values():
        assert 0 < service.dollars < 0.1
        assert service.source.startswith("https://")
        assert date.fromisoformat(service.seen)


def test_the_packaged_catalogue_states_no_latency_that_nobody_measured():
    for name in ("full", "training", "unseen"):
        assert all(tool.latency is None for tool in read_tools(name))


def test_what_a_provider_does_not_list_has_no_price_there():
    assert schedule("cloudflare").price("Qwen/Qwen3-32B") is None
    assert schedule("nebius").price("Qwen/Qwen3-32B") is not None


def test_closed_models_cost_what_their_makers_ask_under_every_schedule():
    asked = schedule(OFFICIAL).price("openai/gpt-5")
    assert asked is not None
    assert {schedule(name).price("openai/gpt-5") for name in TRAINING} == {asked}


def test_the_held_out_schedule_has_its_own_prices_before_those_of_evaluation():
    held_out, evaluation = schedule(HELD_OUT), schedule(EVALUATION)
    assert held_out.price("Qwen/Qwen3-32B").listed_by == HELD_OUT
    assert held_out.price("Qwen/Qwen3-32B") != evaluation.price("Qwen/Qwen3-32B")
    assert held_out.price("Qwen/Qwen2.5-Math-7B-Instruct") == evaluation.price("Qwen/Qwen2.5-Math-7B-Instruct")


def test_a_self_hosted_model_has_the_price_of_the_same_model_at_the_provider():
    together = schedule("together")
    assert together.price_of_served("hosted_vllm/Qwen/Qwen3-8B") == together.price("Qwen/Qwen3-8B")
    assert together.price_of_served("openai/gpt-5") == together.price("openai/gpt-5")
    assert together.price_of_served("openai/nobody") is None


def test_dollars_count_both_sides_at_their_own_price():
    assert dollars(Price(input=0.25, output=2.0), 1_000_000, 500_000) == pytest.approx(1.25)


def test_an_unknown_schedule_is_named_with_those_there_are():
    with pytest.raises(UserError, match=r"no price schedule `openrouter`.*together"):
        schedule("openrouter")


def test_the_file_is_what_the_sources_and_litellm_say():
    kept = json.loads(prices._PRICES.read_text(encoding="utf-8"))
    if kept["litellm"] != version("litellm"):
        pytest.skip("another litellm than the one that the prices were read from")
    assert prices.read_sources(kept["read"]) == kept
