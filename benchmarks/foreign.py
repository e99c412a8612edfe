"""Verdicts that others stored beside trajectories, and what ours says of the same trajectories.

    python benchmarks/foreign.py TAU_BENCH [RESULTS ...]     # its airline; without results, all that it has stored
    python benchmarks/foreign.py TAU2_BENCH RESULTS [RESULTS ...]

`TAU_BENCH` and `TAU2_BENCH` are checkouts of github.com/sierra-research/tau-bench and tau2-bench, or of a fork with
domains of its own. `RESULTS` are files that they wrote, with their verdicts. Tools run in the sandbox and nowhere else.

Both judge the database and what was said, so these are compared: execution with their database, each fact with their
substring, and both together. Completeness is ours alone. So of the trajectories that both call solved it is told of how
many it asks anything, and which it turns for what they missed: under the rule before commit ca6c728 (every entry that
the golden calls wrote or looked up) and under the one of today.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from toolscale.artifacts import Call, EnvironmentSpec, GoldenCall, Task
from toolscale.artifacts.strict_json import read_arguments
from toolscale.checkers.said import Fact, fact_of, is_said
from toolscale.checkers.verdict import GoldenReplay, judge
from toolscale.environment import Limits, Sandbox, load_environment
from toolscale.environment.folder import DEFAULT_NOW
from toolscale.errors import UserError
from toolscale.exchange.report import Report
from toolscale.exchange.tau2_import import import_tau2
from toolscale.exchange.tau_bench import import_tau_bench

_RESPOND, _HAND_OVER = "respond", "transfer_to_human_agents"
_WRITES = ("book_", "cancel_", "update_", "send_", "modify_", "exchange_", "return_")


@dataclass
class Stored:
    """A trajectory with the verdict that was stored beside it."""

    name: str
    task: Task
    calls: list[Call]
    messages: list[str]
    database: bool | None
    """None where it was not stored."""
    said: dict[str, bool]
    solved: bool | None
    """Database and facts together; None where not all of it was judged."""


@dataclass
class Told:
    """What is printed of a domain."""

    counts: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)
    turned: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def airline(checkout: Path) -> EnvironmentSpec:
    """tau-bench's airline as an environment, with the kinds of its functions, which it does not say."""
    spec = _imported(import_tau_bench, checkout / "tau_bench/envs/airline")
    kinds = [
        function.model_copy(update={"kind": "write"}) if function.name.startswith(_WRITES) else function
        for function in spec.functions
    ]
    return spec.model_copy(update={"functions": kinds})


def of_tau_bench(rows: list[dict[str, Any]]) -> Iterator[Stored]:
    """The trajectories of tau-bench that were judged; those that ran out of steps were not."""
    for row in rows:
        told, reward = row["info"]["task"], row["info"].get("reward_info")
        if not reward:
            continue
        calls, messages = [], []
        for message in row["traj"]:
            if message["role"] != "assistant":
                continue
            for call in message.get("tool_calls") or []:
                arguments = read_arguments(call["function"]["arguments"])
                calls.append(Call(name=call["function"]["name"], arguments=arguments))
            if not message.get("tool_calls"):  # what stands beside a call did not reach the user
                messages.append(message["content"] or "")
        actions = [action for action in told["actions"] if action["name"] not in (_RESPOND, _HAND_OVER)]
        said = {fact: bool(found) for fact, found in (reward["info"].get("outputs") or {}).items()}
        solved = reward["reward"] == 1
        database = reward["info"].get("r_actions")
        yield Stored(
            name=f"task {row['task_id']}, trial {row['trial']}",
            task=_task(str(row["task_id"]), actions, list(said), told["instruction"]),
            calls=calls,
            messages=messages,
            database=bool(database) if database is not None else solved if all(said.values()) else None,
            said=said,
            solved=solved,
        )


def of_tau2_bench(rows: dict[str, Any], counts: Counter[str]) -> Iterator[Stored]:
    """The simulations of tau2-bench whose database or facts were judged, and whose task starts from the database."""
    tasks = {str(task["id"]): task for task in rows["tasks"]}
    for row in rows["simulations"]:
        reward, task = row.get("reward_info") or {}, tasks[str(row["task_id"])]
        checked, facts = reward.get("db_check"), reward.get("communicate_checks") or []
        criteria = task.get("evaluation_criteria") or {}
        actions = criteria.get("actions") or []
        of_users = any(action.get("requestor") == "user" for action in actions) or any(
            call.get("requestor") == "user" for message in row["messages"] for call in message.get("tool_calls") or []
        )
        judged = checked is not None and criteria.get("actions") is not None
        if not judged and not facts:
            counts["not judged there"] += 1
        elif any((task.get("initial_state") or {}).values()) or of_users:
            counts["a state or calls of the user's own"] += 1
        else:
            spoken = [message for message in row["messages"] if message["role"] == "assistant"]
            said = {check["info"]: check["met"] for check in facts}
            scenario = (task.get("user_scenario") or {}).get("instructions")
            words = (
                scenario
                if isinstance(scenario, str)
                else "\n".join(str(part) for name, part in (scenario or {}).items() if part and name != "domain")
            )
            yield Stored(
                name=f"task {row['task_id']}, trial {row['trial']}",
                task=_task(str(row["task_id"]), actions, list(said), words),
                calls=[
                    Call(name=call["name"], arguments=call["arguments"])
                    for message in spoken
                    for call in message.get("tool_calls") or []
                ],
                messages=[message["content"] for message in spoken if message.get("content")],
                database=checked["db_match"] if judged else None,
                said=said,
                solved=checked["db_match"] and all(said.values()) if judged else None,
            )


def _task(name: str, actions: Sequence[dict[str, Any]], facts: list[str], instruction: str) -> Task:
    calls = [
        GoldenCall(name=action["name"], arguments=action.get("kwargs", action.get("arguments"))) for action in actions
    ]
    scenario = {"instructions": {"domain": "", "reason_for_call": instruction or "?"}}
    return Task.model_validate(
        {"id": name, "golden_calls": calls, "communicate_info": facts, "user_scenario": scenario}
    )


def held_against(sandbox: Sandbox, stored: Iterator[Stored], told: Told) -> None:
    """Judge each trajectory and note where the two verdicts differ, and what completeness adds."""
    golden: dict[str, GoldenReplay] = {}
    for each in stored:
        if each.task.id not in golden:
            golden[each.task.id] = GoldenReplay.of(sandbox, each.task)
        reference = golden[each.task.id]
        verdict = judge(sandbox, each.task, each.calls, each.messages, reference)
        replay = sandbox.run(each.calls)
        count = told.counts
        if each.solved is not None:
            count["trajectories"] += 1
            count["same verdict"] += (verdict.execution and verdict.fidelity) == each.solved
        if each.database is not None:
            count["database"] += 1
            count["same database"] += verdict.execution == each.database
            if verdict.execution != each.database:
                told.disagreements.append(
                    f"{each.name}: there the database {'matches' if each.database else 'differs'}; "
                    f"here {'; '.join(verdict.reasons) or 'it matches'}"
                )
        facts_held_against(each, reference.facts, sandbox.spec.now, told)
        if each.solved and verdict.execution and verdict.fidelity:
            _completeness(each, verdict.completeness, verdict.reasons, reference, replay.operated, told)


def facts_held_against(each: Stored, facts: Sequence[Fact], now: datetime, told: Told) -> None:
    """Look for each fact in what was said, as the verdict does."""
    for fact, met in zip(facts, each.said.values(), strict=True):
        ours = any(is_said(fact, message, now) for message in each.messages)
        told.counts["facts"] += 1
        told.counts["same facts"] += ours == met
        if ours != met:
            told.disagreements.append(f"{each.name}: {fact.text!r} is {'found' if met else 'not found'} there alone")


def _completeness(
    each: Stored, now: bool, reasons: list[str], golden: GoldenReplay, operated: frozenset[Any], told: Told
) -> None:
    told.counts["solved"] += 1
    missed = sorted(golden.replay.operated - operated)
    told.counts["asked before"] += bool(golden.replay.operated)
    told.counts["asked now"] += bool(golden.needs or golden.wrote)
    told.counts["turned before"] += bool(missed)
    told.counts["turned now"] += not now
    if missed or not now:
        before = ", ".join(f"{table}/{key}" if key else table for table, key in missed) or "nothing"
        told.turned[each.task.id].append(f"before: {before}; now: {'; '.join(reasons) or 'nothing'}")


def printed(domain: str, told: Told) -> None:
    """A line of the table on standard output, and each difference on standard error."""
    count = told.counts
    print(
        f"| {domain} | {count['same verdict']} of {count['trajectories']} | {count['same database']} of "
        f"{count['database']} | {count['same facts']} of {count['facts']} | {count['solved']} | "
        f"{count['asked before']} | {count['turned before']} | {count['asked now']} | {count['turned now']} |"
    )
    for line in told.disagreements:
        print(f"{domain}, {line}", file=sys.stderr)
    for task, lines in told.turned.items():
        for line, times in Counter(lines).items():
            print(f"{domain}, task {task}, {times} times not looked up {line}", file=sys.stderr)
    for reason in ("not judged there", "a state or calls of the user's own"):
        if count[reason]:
            print(f"{domain}: {count[reason]} left out: {reason}", file=sys.stderr)


def main() -> None:
    """Print a line a domain, as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("results", type=Path, nargs="*")
    options = parser.parse_args()
    files = options.results or sorted((options.checkout / "historical_trajectories").glob("*airline*.json"))
    print(
        "| domain | same verdict | same database | same facts | solved | asked before | turned | asked now | turned |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    rows = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    if lists := [row for row in rows if isinstance(row, list)]:
        told = Told()
        with Sandbox(airline(options.checkout), Limits(seconds=30)) as sandbox:
            for each in lists:
                held_against(sandbox, of_tau_bench(each), told)
        printed("airline (tau-bench)", told)
    domains = defaultdict(list)
    for row in rows:
        if isinstance(row, dict):
            domains[row["info"]["environment_info"]["domain_name"]].append(row)
    for domain, own in domains.items():
        told = Told()
        try:
            with Sandbox(_tau2(options.checkout, domain), Limits(seconds=30)) as sandbox:
                for each in own:
                    held_against(sandbox, of_tau2_bench(each, told.counts), told)
        except UserError as error:
            print(f"{domain}: only facts are compared, since it cannot be imported: {error}", file=sys.stderr)
            for each in own:
                for stored in of_tau2_bench(each, told.counts):
                    facts_held_against(stored, [fact_of(fact) for fact in stored.said], DEFAULT_NOW, told)
        printed(domain, told)


def _tau2(checkout: Path, domain: str) -> EnvironmentSpec:
    tools = checkout / "src/tau2/domains" / domain
    return _imported(partial(import_tau2, tools=tools), checkout / "data/tau2/domains" / domain)


def _imported(bring_in: Callable[[Path, Path], Report], domain: Path) -> EnvironmentSpec:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / domain.name
        bring_in(domain, out)
        return load_environment(out)


if __name__ == "__main__":
    main()
