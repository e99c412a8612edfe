"""At 80 columns, and where there is no terminal at all, every figure of every table stands whole."""

import inspect
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipelines.progress import DomainReport, RunReport
from tests.store.calls import call
from toolscale.artifacts import GATES
from toolscale.cli import attempting, comparing, cost, estimate, evaluating, factory
from toolscale.console import console
from toolscale.dataset.audit_print import print_report
from toolscale.dataset.pass_rates import Conditions, PassRate
from toolscale.estimate import Estimate
from toolscale.estimate.forecast import StageEstimate
from toolscale.estimate.ranges import Range
from toolscale.evaluation.comparison import Amount, BenchmarkGroup, Line
from toolscale.evaluation.pass_rates import PassRateSummary, Rated
from toolscale.llm.budget import Spent
from toolscale.reference.domain import reference_domains
from toolscale.store import LedgerLine
from toolscale.traces.costs import Costs
from toolscale.traces.showing import print_calls

STAGES = ("subjects", "entries", "functions_plan", "evolution", "episode")


def ten_domains() -> list[str]:
    reports = {
        name: DomainReport(136, 11_925, 5_540 + index, 4_410, 0.613, dict.fromkeys(GATES, 1012 + index), 1_187)
        for index, name in enumerate(reference_domains())
    }
    RunReport("data/dataset", 12.0, reports).print()
    of_gates = [f"{gate} {1_012 + index:,}" for gate in GATES for index in range(len(reports))]
    return ["136", "11,925", "5,549", "4,410", "0.61", "1,187", "44,100", *of_gates]


def an_estimate() -> list[str]:
    lines = [
        StageEstimate(
            *(stage, "teacher", "openai/gpt-5-mini", 123_456),
            *(
                Range(1_299_000, 3_549_000),
                Range(1_165e6, 5_167e6),
                Range(34e6, 150e6),
                Range(359.2, 11_592.4),
                1_234.5,
            ),
        )
        for stage in STAGES
    ]
    estimate._print_estimate(Estimate("railway", lines, "sizes measured elsewhere"))
    small = StageEstimate(
        "tasks", "teacher", "m", 0, Range(1, 2), Range(251, 516), Range(99, 320), Range(0.0003, 99.994), 0.1234
    )
    estimate._print_estimate(Estimate("railway", [small], ""))
    likely = ["$6,172", "$0.1234"]
    large = ["123,456", "1299k-3549k", "1165M-5167M", "34M-150M", "$359-$11,592", "$1,796-$57,962"]
    return [*STAGES, *large, *likely, "1-2", "251-516", "99-320", "$0.0003-$99.99"]


def costs() -> list[str]:
    name = "together_ai/Qwen/Qwen3-235B-A22B-Instruct-2507-tput"
    line = LedgerLine(name, 1_234_567, 12_345, 2_345_678_901, 123_456_789, 12_345.6789, 98_765, 1_345_678_901)
    cost._print_cost(Costs("model", [line], {"railway": 1}, {}))
    cost._print_cost(Costs("model", [line._replace(unpriced=0)], {"railway": 1_000}, {}))
    return ["1,234,567", "12,345", "2,345.7M", "1,345.7M", "123.5M", "$12,345.6789", "98,765", "1,234.57"]


def an_audit() -> list[str]:
    counts = {gate: {"passed": 1_234_567, "failed": 12_345} for gate in GATES}
    mutation = {"killed": 4_547, "total": 4_548}
    print_report(
        {"tasks": 1_246_912, "passed": 5, "gates": counts, "agents": {"read_only": 7}, "mutation": mutation}
        | {"failures": []}
    )
    return ["1234567", "12345", "5 of 1246912", "4547 of 4548"]


def an_evaluation() -> list[str]:
    ranged = {"mean": 88.88, "low": 77.77, "high": 99.99}
    figures = {"tasks": 2_158, "accuracy": ranged, "cents": ranged, "minutes": ranged}
    limits = {"10": figures, "100": figures, "20": {"tasks": 0}}
    title = "Humanity's Last Exam, text only, all categories"
    metrics = {"title": title, "tasks": 2_158, "max_turns": limits, "preference": None}
    outcome: Any = SimpleNamespace(metrics=metrics, folder=Path("data/evaluations/hle"), over_budget=False)
    evaluating._print(outcome)
    return [title, "2158", "88.9 (77.8-100.0)", "88.88 (77.77-99.99)", "100"]


def a_comparison() -> list[str]:
    line = Line(
        *("hosted_vllm-Qwen-Qwen3-8B-full-together", "basic tools and models, deepinfra prices, 100 turns", ""),
        **{"tasks": 2_158, "accuracy": Amount(88.88, 77.77, 99.99), "cents": Amount(123.4), "minutes": Amount(12.3)},
        **{"calls": Amount(12.34, digits=2), "preference": Amount(46.7), "shares": {"generalist_large": 88.8}},
    )
    comparing._print(BenchmarkGroup("hle", "HLE (text only)", [line], [], [], []))
    return ["2,158", "88.9 (77.8-100.0)", "123.4", "12.3", "12.34", "46.7", "88.8"]


def pass_rates() -> list[str]:
    options: Any = SimpleNamespace(agent=SimpleNamespace(model="hosted_vllm/Llama-3.3"), dataset=Path("data/d"))
    rate = PassRate("m", Conditions(max_turns=50), attempts=8, solved=5)
    rated = {f"{domain}-{number}": Rated(domain, rate) for domain in reference_domains() for number in range(3)}
    wanted = Counter(dict.fromkeys(reference_domains(), 1_234))
    paid = {domain: Spent(1_234_567, 1_234.5678) for domain in reference_domains()}
    attempting._print(options, PassRateSummary(wanted, rated, paid))
    return ["1,234", "12,340", "3", "0.62 (0.62-0.62)", "1,234,567", "12,345,670", "$1,234.5678", "$12,345.6780"]


def calls_in_the_ledger() -> list[str]:
    long = call("a" * 64, stage="functions_plan", task="entertainment-0123456789ab", model="m", tools=None)
    long.prompt_tokens, long.completion_tokens, long.seconds = 1_234_567, 123_456, 1_234.5
    print_calls([long], console())
    return ["a" * 12, "1,234,567", "123,456", "1234.5", "ok"]


TABLES: list[Callable[[], list[str]]] = [
    ten_domains,
    an_estimate,
    costs,
    an_audit,
    an_evaluation,
    a_comparison,
    pass_rates,
    calls_in_the_ledger,
]


@pytest.mark.parametrize("shown", TABLES, ids=lambda table: table.__name__)
@pytest.mark.parametrize("columns", ["80", None], ids=["80 columns", "a pipe"])
def test_every_figure_stands_whole(
    shown: Callable[[], list[str]],
    columns: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", columns)
    figures = shown()
    out = capfd.readouterr().out
    assert columns is None or max(map(len, out.splitlines())) <= int(columns)
    for figure in figures:
        assert re.search(rf"(?<![\d,.$-]){re.escape(figure)}(?![\d.…-])", out), f"{figure} is not whole in\n{out}"


def test_a_build_of_ten_domains_has_a_row_for_each(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ten_domains()
    first, *_ = capfd.readouterr().out.split("\n\n")
    rows = [line.split()[0] for line in first.splitlines()[2:]]
    assert rows == [*reference_domains(), "all"]


def test_estimate_takes_the_options_of_synthesize() -> None:
    asked, made = (inspect.signature(each).parameters for each in (estimate.estimate, factory.synthesize))
    assert asked == made, "README: `toolscale estimate` with the same options says before what it will cost"


@pytest.mark.parametrize(("cap", "word"), [(0.5, "no"), (1, "perhaps"), (1.5, "perhaps"), (2, "yes")])
def test_an_estimate_says_whether_a_cap_will_do(cap: float, word: str) -> None:
    assert estimate._enough(cap, Range(1, 2)) == word
