"""A configuration is a seeded draw that offers what its schedule prices, and tells the orchestrator the terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.configuration import SEARCHES, ToolConfiguration, configure, draw_configuration
from toolscale.catalogue.latency import LatencyProfile
from toolscale.catalogue.prices import TRAINING, ListedPrice, PriceSchedule, schedule
from toolscale.errors import UserError

TRAINED_ON = read_tools("training")
FULL = read_tools("full")


@given(instance=st.text(max_size=20), seed=st.integers(0, 2**31))
def test_a_draw_is_a_priced_subset_in_order_with_a_generalist_and_the_same_each_time(instance, seed):
    drawn = draw_configuration(TRAINED_ON, instance, seed=seed)
    assert drawn == draw_configuration(TRAINED_ON, instance, seed=seed)
    order = [tool.name for tool in TRAINED_ON]
    assert list(drawn.names) == sorted(set(drawn.names), key=order.index)
    by_name = {tool.name: tool for tool in TRAINED_ON}
    roles = [by_name[name].role for name in drawn.names]
    assert "generalist" in roles
    prices = schedule(drawn.schedule)
    assert drawn.schedule in TRAINING
    for tool in drawn.tools:
        model = by_name[tool.name].model
        listed = model and prices.price(model.name)
        assert (tool.terms.price is None) == (model is None)
        if model:
            assert (tool.terms.price.input, tool.terms.price.output) == (listed.input, listed.output)
    if "query_writer" in roles:
        assert any(tool.kind in SEARCHES for tool in drawn.tools)


def test_draws_differ_in_tools_and_prices():
    drawn = [draw_configuration(TRAINED_ON, f"task-{number}") for number in range(60)]
    assert len({each.schedule for each in drawn}) >= 8
    assert len({each.names for each in drawn}) >= 50
    sizes = [len(each.names) for each in drawn]
    assert min(sizes) <= 3
    assert max(sizes) >= 15
    offered = {name for each in drawn for name in each.names}
    assert len(offered) >= 24


def test_what_a_task_needs_is_always_offered():
    needed = {"code_interpreter", "math_qwen2_5_math_7b_instruct"}
    for number in range(30):
        drawn = draw_configuration(TRAINED_ON, str(number), needed=needed)
        assert needed <= set(drawn.names)
        assert drawn.schedule in ("together", "fireworks")
    with pytest.raises(UserError, match="no tool `oracle`"):
        draw_configuration(TRAINED_ON, "x", needed={"oracle"})
    with pytest.raises(UserError, match="none of the schedules venice"):
        draw_configuration(TRAINED_ON, "x", needed=needed, schedules=["venice"])


def test_a_refusal_for_want_of_a_price_names_catalogue_model_and_schedule_and_what_to_do():
    needed = {"math_qwen2_5_math_7b_instruct"}
    with pytest.raises(UserError) as refused:
        draw_configuration(TRAINED_ON, "x", needed=needed, schedules=["venice"], catalogue="training")
    said = str(refused.value)
    assert "none of the schedules venice prices" in said
    assert "of the catalogue training: there is no price for Qwen/Qwen2.5-Math-7B-Instruct. " in said
    assert "Name a schedule that has one, or give `price = {" in said


def test_a_configuration_survives_its_row():
    drawn = draw_configuration(TRAINED_ON, "x")
    assert ToolConfiguration.model_validate_json(drawn.model_dump_json()) == drawn


def test_the_orchestrator_reads_price_and_latency_in_the_description():
    latencies = {"openai/gpt-5": LatencyProfile(seconds=2.0, seconds_per_token=0.02)}
    shown = {
        tool["function"]["name"]: tool["function"]["description"]
        for tool in configure(FULL, schedule("together"), latencies).as_tools()
    }
    assert "Price: $1.25 per million tokens read, $10.00 written. Takes about 12 seconds." in shown["generalist_gpt_5"]
    assert "Takes about" not in shown["generalist_gpt_5_mini"]
    assert "Price: $0.008 a call." in shown["web_search"]
    assert "Price: free." in shown["code_interpreter"]


def test_the_same_tools_under_other_prices_are_another_configuration():
    dear, cheap = configure(FULL, schedule("together")), configure(FULL, schedule("deepinfra"))
    assert dear.names == cheap.names
    assert dear.id != cheap.id
    assert dear.as_tools() != cheap.as_tools()


def test_query_writers_are_not_offered_where_there_is_no_search():
    without = [tool for tool in TRAINED_ON if tool.kind not in SEARCHES]
    offered = configure(without, schedule("fireworks"))
    assert not [name for name in offered.names if name.startswith("query_writer")]


def test_a_schedule_of_ones_own_can_be_drawn():
    ours = PriceSchedule("ours", "us", {"Qwen/Qwen3-32B": ListedPrice(input=7, output=9, listed_by="ours")})
    for number in range(10):
        drawn = draw_configuration(TRAINED_ON, str(number), schedules=[ours])
        assert drawn.schedule == "ours"
        assert "generalist_qwen3_32b" in drawn.names
        assert {tool.terms.price.input for tool in drawn.tools if tool.kind == "model"} == {7}


def test_a_price_that_nobody_knows_is_never_made_up():
    math = [tool for tool in FULL if tool.role == "math"]
    with pytest.raises(UserError, match=r"Qwen/Qwen2.5-Math-72B-Instruct: nobody knows its price .*`cloudflare`"):
        configure(math, schedule("cloudflare"))
