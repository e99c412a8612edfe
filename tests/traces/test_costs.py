"""What a kept task has cost is what was paid, over what was kept: of everything, a domain, a run, or a dataset."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.calls import call
from toolscale.artifacts import GATES
from toolscale.store import GateResult, Store
from toolscale.traces.costs import costs, kept_in

PAID = {"intents": 2.0, "tasks": 8.0, "episode": 6.0}


def gates(task: str, domain: str, *failed: str) -> list[GateResult]:
    """As the factory writes them: `distinct` only of a task that everything else let through."""
    met = [gate for gate in GATES if gate != "distinct" or not failed]
    return [GateResult(task_id=task, gate=gate, domain=domain, passed=gate not in failed) for gate in met]


@pytest.fixture
async def ledger(store: Store) -> Store:
    """Railway: two tasks kept of four; medicine: one of one. Each stage of each is paid once, medicine's by run `m`."""
    for domain, run, factor in (("railway", "r", 1), ("medicine", "m", 10)):
        for stage, dollars in PAID.items():
            task = {"railway": "a", "medicine": "e"}[domain] if stage == "episode" else None
            paid = {"dollars": dollars * factor, "task": task, "run": run, "cached_tokens": 4 if task else 0}
            await store.save(call(f"{domain} {stage}", stage=stage, domain=domain, **paid))
    refused_later = [*gates("c", "railway"), *gates("c", "railway", "grounded")]
    kept = [*gates("a", "railway"), *gates("b", "railway"), *gates("e", "medicine")]
    await store.save(*kept, *refused_later, *gates("d", "railway", "pass_at_8"))
    return store


def test_a_task_is_kept_that_met_the_last_gate_and_failed_none(ledger: Store) -> None:
    assert kept_in(ledger) == {"medicine": 1, "railway": 2}
    assert kept_in(ledger, domain="railway") == {"railway": 2}


def test_cents_of_the_stages_add_up_to_those_of_a_kept_task(ledger: Store) -> None:
    found = costs(ledger, "stage", domain="railway")
    cents = {line.name: found.cents(line) for line in found.lines}
    assert list(cents.items()) == [("intents", 100), ("tasks", 400), ("episode", 300)], "in the order of a run"
    assert found.cents_per_kept_task == sum(cents.values()) == 100 * sum(PAID.values()) / 2
    assert found.whole.cached_tokens == 4


def test_by_domain_each_is_divided_by_its_own_tasks(ledger: Store) -> None:
    found = costs(ledger, "domain")
    assert {line.name: found.cents(line) for line in found.lines} == {"medicine": 16_000, "railway": 800}
    assert found.cents_per_kept_task == pytest.approx(17_600 / 3)


def test_of_a_run_only_what_it_paid_and_attempted_counts(ledger: Store) -> None:
    found = costs(ledger, "stage", run="r")
    assert (found.kept, found.whole.dollars) == ({"railway": 1}, 16)


def test_of_a_dataset_its_own_tasks_count_and_its_domains_calls(ledger: Store) -> None:
    found = costs(ledger, "stage", kept={"railway": 4})
    assert (found.whole.dollars, found.cents_per_kept_task) == (16, 400)


async def test_where_nothing_was_kept_or_a_price_is_missing_no_price_of_a_task_is_made_up(store: Store) -> None:
    await store.save(call("a", dollars=1.0))
    found = costs(store, "stage")
    assert (found.cents_per_kept_task, [found.cents(line) for line in found.lines]) == (None, [None])
    await store.save(call("b", dollars=None), *gates("t", "railway"))
    assert costs(store, "stage").cents_per_kept_task is None


def command(root: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TOOLSCALE_")}
    environment |= {"TOOLSCALE_PRICES": json.dumps({"openai/m": {"input": 1, "output": 1}}), "COLUMNS": "80"}
    run = [sys.executable, "-m", "toolscale.cli", "cost", *arguments]
    return subprocess.run(run, cwd=root, env=environment, capture_output=True, text=True, check=True).stdout


async def test_the_command_says_what_a_kept_task_cost_and_where_cached_input_was_paid_in_full(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with Store(f"sqlite:///{tmp_path}/data/toolscale.db") as store:
        await store.save(call("a", dollars=0.5, cached_tokens=6), *gates("t", "railway"))
    told = json.loads(command(tmp_path, "--domain", "railway", "--json"))
    assert (told["kept"], told["cents_per_kept_task"]) == ({"railway": 1}, 50)
    assert [line["cents_per_kept_task"] for line in told["lines"]] == [50]
    assert told["cached_at_full_price"] == {"openai/m": 6}
    said = command(tmp_path)
    assert "50.00" in said
    assert "Tasks kept: 1." in said
    assert "6 cached tokens of openai/m were counted at the full price" in said
