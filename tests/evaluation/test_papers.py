"""The papers' tables as data: whole, readable, and each result once."""

from collections import Counter
from decimal import Decimal
from pathlib import Path

from toolscale.evaluation import papers
from toolscale.evaluation.benchmarks import BENCHMARKS
from toolscale.evaluation.papers import (
    orchestrator_figures,
    published_benchmarks,
    published_figures,
    published_shares,
    published_tables,
)

HERE = Path(papers.__file__).parent


def test_every_file_is_a_table_that_is_listed():
    listed = {table.file for table in published_tables()}
    assert {file.name for file in HERE.glob("*.csv")} == listed | {"shares.csv"}


def test_every_result_is_a_share_and_says_where_it_comes_from():
    for benchmark in published_benchmarks():
        for each in published_figures(benchmark):
            assert 0 <= each.value <= 100, each
            assert all(0 <= part <= 100 for part in each.parts.values()), each
            assert all(figure is None or figure > 0 for figure in (each.cents, each.minutes, each.calls)), each
            assert "arXiv" in each.table.source or "notes" in each.table.source


def test_every_benchmark_of_the_papers_is_one_of_ours():
    assert set(published_benchmarks()) <= set(BENCHMARKS)


def test_toolorchestras_headline_figures_are_there_with_their_cost():
    hle, prices, tools, preference = orchestrator_figures("hle")
    assert (hle.value, hle.cents, hle.minutes) == (Decimal("37.1"), Decimal("9.2"), Decimal("8.2"))
    assert (prices.value, tools.value) == (Decimal("36.9"), Decimal("22.0"))
    assert (preference.table.measure, preference.value) == ("preference", Decimal("46.7"))
    assert orchestrator_figures("tau2")[0].cents == Decimal("10.3"), "its own cost, not the mean over three benchmarks"


def test_a_baseline_is_there_in_each_of_the_papers_three_settings():
    gpt5 = {each.setting: each.value for each in published_figures("frames") if each.model == "GPT-5"}
    assert (gpt5["none"], gpt5["basic"], gpt5["full"]) == (Decimal("66.3"), Decimal("74.0"), Decimal("57.5"))
    assert not [each for each in published_figures("tau2") if each.setting == "none"], "it cannot be solved so"


def test_a_result_that_several_tables_repeat_counts_once():
    for benchmark in published_benchmarks():
        named = [(each.table.paper, each.model, each.setting) for each in published_figures(benchmark)]
        assert [name for name, times in Counter(named).items() if times > 1] == []
    # 28 rows of the main table, 6 of the ablation of length, 9 of scale, 9 of granularity, 8 of SFT on 4k.
    assert len(published_figures("bfcl")) == 28 + 6 + 9 + 9 + 8


def test_toolrls_results_bring_their_breakdown():
    best = next(
        each
        for each in published_figures("api_bank")
        if each.model == "Qwen2.5-3B-Instruct" and each.setting == "GRPO Cold Start"
    )
    assert best.value == Decimal("67.00")
    assert best.parts == {
        "level_1": Decimal("73.43"),
        "level_2": Decimal("67.16"),
        "level_3": Decimal("47.33"),
    }
    bamboogle = {(each.model, each.setting): each for each in published_figures("bamboogle")}
    assert bamboogle["Qwen2.5-7B-Instruct", "GRPO Cold Start"].calls == Decimal("1.63")


def test_settings_of_ablations_say_what_they_vary():
    dynamic = {each.setting for each in published_figures("bfcl") if "Dynamic" in each.setting}
    assert dynamic == {"length: Dynamic", "scale: Dynamic"}


def test_what_the_pilot_study_says_of_prompted_orchestrators_is_there():
    assert {(each.model, each.called, each.percent) for each in published_shares("hle")} == {
        ("Qwen3-8B", "GPT-5", Decimal(73)),
        ("GPT-5", "GPT-5 or GPT-5-mini", Decimal(98)),
    }
    assert published_shares("bamboogle") == []
