"""An estimate rests on this domain's own calls as soon as there are any, then on other domains', and counts tools."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.calls import call
from toolscale.artifacts import CallOutcome
from toolscale.estimate.ahead import Ahead
from toolscale.estimate.forecast import Forecaster
from toolscale.estimate.history import course_of, seen_by, tokens_in_a_character
from toolscale.estimate.ranges import Range
from toolscale.estimate.sizes import MEASURED, OFFERING, sizes
from toolscale.estimate.turns import read_again
from toolscale.llm.prices import Prices
from toolscale.settings import Price, Settings
from toolscale.stages import ROLES
from toolscale.store import Store, ToolList

MODEL = "openai/m"
MODELS = dict.fromkeys(ROLES, MODEL)
SETTINGS = Settings(default_model=MODEL, prices={MODEL: Price(input=10, output=0, cached_input=1)})


@pytest.fixture
def store(tmp_path) -> Iterator[Store]:
    with Store(f"sqlite:///{tmp_path}/toolscale.db") as store:
        yield store


async def made(store: Store, domain: str, stage: str, count: int, *, tools: int = 0, **values: Any) -> None:
    """Calls of a stage, each an answer of its own, that offered tools of so many characters."""
    offered = [ToolList(hash=f"t{tools}", tools="x" * tools)] if tools else []
    for number in range(count):
        told = {"sample": number, "task": f"{domain}-{number}", "tools": f"t{tools}" if tools else None} | values
        row = call(f"{domain} {stage} {number}", domain=domain, stage=stage)
        for name, value in told.items():
            setattr(row, name, value)
        await store.save(row, *offered)


@pytest.mark.parametrize("stage", sorted(OFFERING))
def test_the_prompt_of_a_call_that_offers_tools_has_them_in_it(store: Store, stage: str) -> None:
    few, many = (sizes(store, MODELS, (), tools).by_stage[stage].prompt_tokens for tools in (0, 8_000))
    assert many.middle - few.middle == pytest.approx(2_000, rel=0.15)
    unknown = sizes(store, MODELS, ()).by_stage[stage].prompt_tokens
    assert unknown.high > many.low > MEASURED[stage].prompt_tokens / 2


async def test_the_own_ledger_is_what_counts_as_soon_as_there_is_one(store: Store) -> None:
    await made(store, "elsewhere", "episode", 30, prompt_tokens=900, completion_tokens=10)
    before = sizes(store, MODELS, {"here"}).by_stage["episode"]
    assert before.prompt_tokens.middle == pytest.approx(900, rel=0.05)
    await made(store, "here", "episode", 30, prompt_tokens=4_800, completion_tokens=90)
    known = sizes(store, MODELS, {"here"})
    after = known.by_stage["episode"]
    assert (known.own, known.others, after.own) == (["here"], ["elsewhere"], True)
    assert after.prompt_tokens.middle == pytest.approx(4_800)
    assert after.completion_tokens.middle == pytest.approx(90)
    assert after.prompt_tokens.high / after.prompt_tokens.low < 1.25, "within a quarter"


async def test_attempts_that_a_stopped_run_left_behind_do_not_count_as_short_ones(store: Store) -> None:
    calls = '{"message": {"tool_calls": []}}'
    for turn in range(5):
        told = {"stage": "episode", "task": "whole", "response": "{}" if turn == 4 else calls}
        await store.save(call(f"whole {turn}", domain="here", **told))
    await made(store, "here", "episode", 20, response=calls)
    (seen,) = seen_by(store, MODELS)
    assert (seen.calls, seen.answers) == (5, 1)


async def test_another_models_calls_are_no_measure(store: Store) -> None:
    await made(store, "here", "episode", 3, prompt_tokens=9, model="openai/other")
    assert not sizes(store, MODELS, {"here"}).by_stage["episode"].own


async def test_other_domains_prompts_are_taken_with_this_ones_tools_in_place_of_theirs(store: Store) -> None:
    await made(store, "elsewhere", "episode", 30, tools=4_000, prompt_tokens=3_000)
    with_tools = sizes(store, MODELS, {"here"}, 12_000).by_stage["episode"].prompt_tokens
    assert with_tools.middle == pytest.approx(3_000 + (12_000 - 4_000) / 4, rel=0.05)


async def test_what_the_provider_cached_so_far_is_taken_off(store: Store) -> None:
    await made(store, "here", "episode", 30, prompt_tokens=1_000, cached_tokens=800)
    known = sizes(store, MODELS, {"here"}).by_stage["episode"]
    found = Forecaster(store, SETTINGS, Prices(SETTINGS.prices), Ahead()).line("episode", Range(100, 100), known)
    assert found.likely == pytest.approx(100 * (200 * 10 + 800 * 1) / 1e6)


async def test_how_far_tasks_come_is_read_from_the_domain_and_else_from_others(store: Store) -> None:
    assert course_of(store, "here") == (0, 0, 0)
    for stage, count in (("tasks", 10), ("evolution", 8), ("episode", 9)):
        await made(store, "elsewhere", stage, count)
    assert course_of(store, "here") == (10, 8, 9)
    for stage, count in (("tasks", 4), ("evolution", 4), ("episode", 6)):
        await made(store, "here", stage, count)
    assert course_of(store, "here") == (4, 4, 6)


async def test_a_known_prompt_has_as_many_tokens_as_the_model_counted_in_its_like(store: Store) -> None:
    messages = [{"role": "user", "content": "x" * 5_000}]
    row = call("k", stage="tasks")
    row.prompt_tokens = 1_000
    await store.save_call(row, messages, {})
    (density,) = tokens_in_a_character(store, MODEL, ["tasks"]).values()
    characters = len(json.dumps({"messages": messages, "params": {}}, separators=(",", ":")))
    assert density.middle == pytest.approx(1_000 / characters)
    ahead = Ahead(missing={"tasks": [2 * characters]}, answered=Counter())
    size = sizes(store, MODELS, {"here"}).by_stage["tasks"]
    found = Forecaster(store, SETTINGS, Prices(SETTINGS.prices), ahead).line("tasks", Range(1, 1), size)
    expected = size.calls.middle * 2_000 * MEASURED["tasks"].growth
    assert found.prompt_tokens.middle == pytest.approx(expected, rel=0.05)


@given(*[st.integers(0, 10**9)] * 4)
def test_what_is_most_likely_lies_within_the_bounds(low: int, high: int, least: int, most: int) -> None:
    for figure in (Range(*sorted((low, high))), Range(*sorted((low, high))) * Range(*sorted((least, most)))):
        assert figure.low * (1 - 1e-9) <= figure.middle <= figure.high * (1 + 1e-9)


def test_a_turn_reads_all_results_before_it() -> None:
    results = [CallOutcome(name="find", arguments={"a": 1}, result="x" * size) for size in (1_000, 2_000)]
    assert read_again([]) == 0
    assert read_again(results[:1]) == pytest.approx(1_000 / 2, rel=0.25)
    assert read_again(results) == pytest.approx((1_000 + 3_000) / 3, rel=0.25)


def test_known_prompts_of_an_attempt_grow_by_what_the_golden_calls_return(store: Store) -> None:
    size = sizes(store, MODELS, ()).by_stage["episode"]

    def prompt(*read: float) -> float:
        ahead = Ahead(missing={"episode": [12_000]}, read_again=list(read))
        found = Forecaster(store, SETTINGS, Prices(SETTINGS.prices), ahead).line("episode", Range(1, 1), size)
        return found.prompt_tokens.middle / size.calls.middle

    assert prompt(4_000, 8_000) == pytest.approx(prompt(0) * 18 / 12)


async def test_eight_attempts_at_a_task_say_little_more_of_other_tasks_than_one(store: Store) -> None:
    await made(store, "few", "episode", 64, task="one")
    await made(store, "many", "episode", 64)
    few, many = (sizes(store, MODELS, {domain}).by_stage["episode"].prompt_tokens for domain in ("few", "many"))
    assert few.middle == pytest.approx(many.middle)
    assert (many.high / many.middle, few.high / few.middle) == (pytest.approx(1.1), pytest.approx(1.5))
