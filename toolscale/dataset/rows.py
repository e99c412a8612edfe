"""Artifacts as rows of the dataset, and tasks and environments back from them.

Task rows carry ToolScale's own columns (`id, description, user_scenario, evaluation_criteria`) and ours beside them;
what is null in all of them (`initial_state`, `relevant_policies`) is added by the exports that need it. What the
columns hold stands in `columns`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolscale.artifacts import (
    Attempt,
    EnvironmentSpec,
    GateOutcome,
    GoldenCall,
    Lineage,
    Reject,
    Task,
    UserScenario,
    content_id,
)
from toolscale.dataset.families import Ancestor
from toolscale.dataset.pass_rates import Conditions, own_pass_rates
from toolscale.dataset.splits import Placement
from toolscale.preferences.preference import Preference

Row = dict[str, Any]
_TRAIN = Placement("train")
_UNKNOWN = Conditions()


def environment_id(environment: EnvironmentSpec) -> str:
    """The id that task rows refer to, derived from the environment's content."""
    return content_id(environment.domain, environment.model_dump(mode="json"))


def task_row(
    task: Task,
    environment: str,
    placement: Placement = _TRAIN,
    *,
    kinds: Mapping[str, str] | None = None,
    ancestors: Sequence[Ancestor] = (),
    user: str | None = None,
    under: Conditions = _UNKNOWN,
) -> Row:
    """A task as a row.

    Args:
        task: the task.
        environment: the id of its environment's row.
        placement: the split, and what of the task is unseen there.
        kinds: the functions of its environment, by name: `read` or `write`.
        ancestors: the chain that it evolved from.
        user: the record that says who the user is.
        under: the settings of its attempts.
    """
    called = [call.name for call in task.golden_calls]
    return {
        "id": task.id,
        "prompt": task.instruction,
        "description": {"purpose": task.intent, "notes": task.lineage.added or None},
        "user_scenario": task.user_scenario.model_dump(mode="json") if task.user_scenario else None,
        "evaluation_criteria": {
            "actions": [
                {"action_id": call.action_id, "name": call.name, "arguments": as_json(call.arguments)}
                for call in task.golden_calls
            ]
            if task.database_judged
            else None,
            "communicate_info": task.communicate_info,
            "nl_assertions": task.nl_assertions,
        },
        "fact_kinds": [{"fact": fact, "kind": kind} for fact, kind in task.fact_kinds.items()],
        "asked": [{"fact": fact, "words": words} for fact, words in task.asked.items()],
        "limits": [limit.model_dump(mode="json") for limit in task.limits],
        "domain": task.domain,
        "intent": task.intent,
        "user": user,
        "tools_used": list(dict.fromkeys(called)),
        "call_count": len(called),
        "write_count": sum((kinds or {}).get(name) == "write" for name in called),
        "lineage": _lineage_row(task.lineage),
        "operator": task.lineage.operator,
        "ancestors": [ancestor._asdict() for ancestor in ancestors],
        "difficulty": task.difficulty,
        "attempts": [_attempt_row(attempt) for attempt in task.attempts],
        "attempts_ended": task.attempts_ended,
        "pass_rate": task.pass_rate,
        "pass_rates": own_pass_rates(task, under),
        "environment": environment,
        **placement._asdict(),
    }


def task_from(row: Row, gates: Sequence[GateOutcome] = ()) -> Task:
    """The task that a row was made of; `gates` are those that every task of its dataset passed."""
    criteria = row["evaluation_criteria"]
    return Task(
        id=row["id"],
        domain=row["domain"],
        intent=row["intent"],
        user_scenario=UserScenario.model_validate(row["user_scenario"]) if row["user_scenario"] else None,
        golden_calls=[
            GoldenCall(action_id=action["action_id"], name=action["name"], arguments=json.loads(action["arguments"]))
            for action in criteria["actions"] or ()
        ],
        database_judged=criteria["actions"] is not None,
        communicate_info=criteria["communicate_info"],
        fact_kinds={each["fact"]: each["kind"] for each in row.get("fact_kinds") or ()},  # older rows have none
        asked={asked["fact"]: asked["words"] for asked in row.get("asked") or ()},
        limits=row.get("limits") or [],
        nl_assertions=criteria["nl_assertions"],
        lineage=_lineage_from(row["lineage"], row.get("operator")),
        difficulty=row.get("difficulty") or [],
        gates=row.get("gates", gates),  # datasets of earlier versions have them in every row
        attempts=[_attempt_from(attempt) for attempt in row["attempts"]],
        attempts_ended=row.get("attempts_ended"),
        pass_rate=row["pass_rate"],
    )


def _lineage_row(lineage: Lineage) -> Row:
    found: Row = lineage.model_dump(mode="json", exclude={"operator", "goals"})
    goals = [
        {
            "program": goal.program,
            "draw": goal.draw,
            "twists": [twist.name for twist in goal.twists],
            "drawn": as_json(goal.model_dump(mode="json", exclude={"program", "draw"}, exclude_defaults=True)),
        }
        for goal in lineage.goals
    ]
    return {**found, "goals": goals}


def _lineage_from(row: Row, operator: str | None) -> Lineage:
    """The lineage that a row tells of; datasets of earlier versions name no goals."""
    goals = [
        {"program": goal["program"], "draw": goal["draw"], **json.loads(goal["drawn"])}
        for goal in row.get("goals") or ()
    ]
    found = {name: value for name, value in row.items() if name not in ("goals", "reworded")}
    return Lineage.model_validate(
        {**found, "operator": operator, "goals": goals, "reworded": bool(row.get("reworded"))}
    )


def environment_row(environment: EnvironmentSpec) -> Row:
    """An environment as a row: everything that runs its tasks again."""
    return {
        "id": environment_id(environment),
        "domain": environment.domain,
        "now": environment.now.isoformat(),
        "seed": environment.seed,
        "policy": environment.policy,
        "functions": as_json([function.model_dump(mode="json") for function in environment.functions]),
        "source": environment.source,
        "rules": environment.rules,
        "database": as_json(environment.database),
        "json_schema": as_json(environment.json_schema),
    }


def environment_from(row: Row) -> EnvironmentSpec:
    """The environment that a row was made of."""
    decoded = {name: json.loads(row[name]) for name in ("functions", "database", "json_schema")}
    return EnvironmentSpec.model_validate({**{k: v for k, v in row.items() if k != "id"}, **decoded})


def reject_row(reject: Reject) -> Row:
    """A reject as a row."""
    return {**reject.model_dump(mode="json", exclude={"raw"}), "raw": as_json(reject.raw)}


def preference_row(preference: Preference) -> Row:
    """A preference as a row: what the user says, and P in the order of `tools`, then outcome, compute, latency."""
    return preference.model_dump(mode="json")


def preference_from(row: Row) -> Preference:
    """The preference that a row was made of."""
    return Preference.model_validate(row)


def rejected_task(task: Task) -> Reject:
    """A task that failed a gate, as a reject: the gate, its reasons, and the task as it was."""
    refusal = next((outcome for outcome in task.gates if not outcome.passed), None)
    return Reject(
        domain=task.domain,
        stage="verified_tasks",
        check=refusal.gate if refusal else "not tested",
        reasons=refusal.reasons if refusal else [],
        raw=task.model_dump(mode="json"),
    )


def as_json(value: Any) -> str:
    """JSON that keeps the order of keys, since readers meet it in this order."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _attempt_row(attempt: Attempt) -> Row:
    verdict = attempt.verdict.model_dump(mode="json")
    return {**attempt.model_dump(mode="json", exclude={"verdict"}), **verdict, "solved": attempt.verdict.solved}


def _attempt_from(row: Row) -> Attempt:
    own = {name: row[name] for name in ("index", "user_fault", "turns", "termination")} | {
        "model": row.get("model", "")
    }
    verdict = {name: row[name] for name in ("execution", "fidelity", "completeness", "reasons")}
    return Attempt.model_validate({**own, "verdict": verdict})
