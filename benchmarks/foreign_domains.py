"""Rewards that tau2-bench gives for its own golden actions and for doing nothing, and our verdicts on the same.

    PYTHONPATH=TAU2_BENCH/src python benchmarks/foreign_domains.py theirs DOMAIN TASKS > rewards.jsonl
    python benchmarks/foreign_domains.py ours TAU2_BENCH DOMAIN TASKS rewards.jsonl

The first runs in an environment with tau2-bench's own requirements, and imports nothing of ours. The second imports the
domain, whose tools then run in the sandbox and nowhere else. TASKS is a file of tasks in tau2-bench's form. tau2-bench
judges neither words nor look-ups here: its reward is that of the database, the assertions and the actions, as far as a
task's `reward_basis` has them, and our verdict on a task that only the database judges is compared by its execution
alone. Calls may take long, so that a busy machine does not decide.
"""

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

_KINDS = ("golden", "idle")


def theirs(domain: str, tasks: Path) -> None:
    """Print a line `{"id", "golden", "idle"}` for each task, with tau2-bench's rewards."""
    from loguru import logger
    from tau2.data_model.message import AssistantMessage, ToolCall, ToolMessage, UserMessage
    from tau2.data_model.tasks import RewardType, Task
    from tau2.evaluator.evaluator_action import ActionEvaluator
    from tau2.evaluator.evaluator_env import EnvironmentEvaluator
    from tau2.registry import registry

    logger.disable("tau2")
    environment = registry.get_env_constructor(domain)

    def reward(task: Task, actions: list[Any]) -> float:
        messages: list[Any] = list((task.initial_state and task.initial_state.message_history) or [])
        for action in actions:
            call = ToolCall(
                id=action.action_id, name=action.name, arguments=action.arguments, requestor=action.requestor
            )
            speaker = UserMessage if action.requestor == "user" else AssistantMessage
            messages.append(speaker(role=action.requestor, tool_calls=[call]))
            messages.append(ToolMessage(id=action.action_id, role="tool", content="", requestor=action.requestor))
        total = EnvironmentEvaluator.calculate_reward(environment, task, messages, strict_replay=False).reward
        if RewardType.ACTION in task.evaluation_criteria.reward_basis:
            total *= ActionEvaluator.calculate_reward(task, messages).reward
        return float(total)

    for row in json.loads(tasks.read_text(encoding="utf-8")):
        task = Task.model_validate(row)
        golden = (task.evaluation_criteria and task.evaluation_criteria.actions) or []
        print(json.dumps({"id": task.id, "golden": reward(task, golden), "idle": reward(task, [])}), flush=True)


def ours(checkout: Path, domain: str, tasks: Path, rewards: Path) -> None:
    """Print how many verdicts are tau2-bench's, and each that is not."""
    from concurrent.futures import ThreadPoolExecutor

    from toolscale.checkers import GateContext, judges_at_once
    from toolscale.checkers.task_file import read_tasks
    from toolscale.environment import Limits, Sandbox, load_environment
    from toolscale.exchange.tau2_import import import_tau2

    told = {row["id"]: row for row in map(json.loads, rewards.read_text(encoding="utf-8").splitlines())}
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / domain
        data.mkdir()
        for file in (checkout / "data/tau2/domains" / domain).iterdir():
            if file.is_file() and file.name != "tasks.json":
                (data / file.name).symlink_to(file.resolve())
        (data / "tasks.json").symlink_to(tasks.resolve())
        out = Path(scratch) / "imported"
        report = import_tau2(data, out, checkout / "src/tau2/domains" / domain)
        spec, read = load_environment(out), read_tasks(out / "tasks.json")
    counts: Counter[str] = Counter()
    patient = Limits(seconds=600, trajectory_seconds=3_600)
    with Sandbox(spec, patient) as sandbox, ThreadPoolExecutor(judges_at_once()) as threads:
        context = GateContext(sandbox)

        def solved_by(task: Any, calls: list[Any]) -> bool:
            if task.judged_otherwise:
                return context.solves(task, calls, task.communicate_info)
            return context.judge(task, calls, task.communicate_info).execution

        def verdicts(task: Any) -> tuple[Any, dict[str, bool]]:
            return task, {"golden": solved_by(task, task.golden_calls), "idle": solved_by(task, [])}

        for task, solved in threads.map(verdicts, read):
            for kind in _KINDS:
                rewarded = told[task.id][kind] == 1
                counts[f"{kind}: reward 1 there"] += rewarded
                counts[f"{kind}: solved here"] += solved[kind]
                counts[f"{kind}: same"] += solved[kind] == rewarded
                if solved[kind] != rewarded:
                    print(f"{task.id}, {kind}: {rewarded:d} there, {solved[kind]:d} here", file=sys.stderr)
    print(f"{domain}: {len(read)} tasks imported, {len(spec.functions)} functions")
    for what, count in counts.items():
        print(f"{what}: {count}")
    for reason, count in Counter(one.reason for one in report.left_out).most_common():
        print(f"left out, {count} times: {reason}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["theirs"] and len(sys.argv) == 4:
        theirs(sys.argv[2], Path(sys.argv[3]))
    elif sys.argv[1:2] == ["ours"] and len(sys.argv) == 6:
        ours(Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]), Path(sys.argv[5]))
    else:
        sys.exit(__doc__)
