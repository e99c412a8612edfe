"""Artifacts as rows of the dataset, and tasks and environments back from them.

Task rows carry ToolScale's own columns (`id, description, user_scenario, initial_state, evaluation_criteria`) and ours
beside them. Arguments are JSON strings: one struct over all functions would be padded with nulls, and passing such
arguments on fails.
"""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from toolscale.artifacts import (
    Attempt,
    EnvironmentSpec,
    GoldenCall,
    Lineage,
    Reject,
    Task,
    Trajectory,
    UserScenario,
    content_id,
)
from toolscale.artifacts.strict_json import read_arguments
from toolscale.dataset.splits import Placement
from toolscale.orchestration.preferences import Preference

Row = dict[str, Any]
_TRAIN = Placement("train")

_TEXTS = pa.list_(pa.string())
_INSTRUCTIONS = pa.struct(
    [(name, pa.string()) for name in ("domain", "reason_for_call", "known_info", "unknown_info", "task_instructions")]
)
_ACTION = pa.struct([(name, pa.string()) for name in ("action_id", "requestor", "name", "arguments")])
_ATTEMPT = pa.struct(
    [
        ("index", pa.int64()),
        ("solved", pa.bool_()),
        ("execution", pa.bool_()),
        ("fidelity", pa.bool_()),
        ("completeness", pa.bool_()),
        ("reasons", _TEXTS),
        ("user_fault", pa.bool_()),
        ("turns", pa.int64()),
        ("termination", pa.string()),
    ]
)
_LINEAGE = pa.struct(
    [("parent", pa.string()), ("depth", pa.int64()), ("added", pa.string()), ("pruned", pa.list_(pa.string()))]
)
_LIMIT = pa.struct(
    [("says", pa.string()), ("call", pa.int64()), ("field", pa.string())]
    + [(bound, pa.float64()) for bound in ("at_most", "at_least", "equal")]
)
_TOOL_CALL = pa.struct(
    [
        ("id", pa.string()),
        ("type", pa.string()),
        ("function", pa.struct([("name", pa.string()), ("arguments", pa.string())])),
    ]
)

SCHEMAS: Mapping[str, pa.Schema] = {
    "tasks": pa.schema(
        [
            ("id", pa.string()),
            ("description", pa.struct([(name, pa.string()) for name in ("purpose", "relevant_policies", "notes")])),
            ("user_scenario", pa.struct([("persona", pa.string()), ("instructions", _INSTRUCTIONS)])),
            ("initial_state", pa.string()),
            (
                "evaluation_criteria",
                pa.struct([("actions", pa.list_(_ACTION)), ("communicate_info", _TEXTS), ("nl_assertions", _TEXTS)]),
            ),
            ("asked", pa.list_(pa.struct([("fact", pa.string()), ("words", pa.string())]))),
            ("limits", pa.list_(_LIMIT)),
            ("domain", pa.string()),
            ("intent", pa.string()),
            ("lineage", _LINEAGE),
            ("gates", pa.list_(pa.struct([("gate", pa.string()), ("passed", pa.bool_()), ("reasons", _TEXTS)]))),
            ("attempts", pa.list_(_ATTEMPT)),
            ("pass_rate", pa.float64()),
            ("environment", pa.string()),
            ("split", pa.string()),
            ("unseen_intent", pa.bool_()),
            ("unseen_entities", pa.bool_()),
        ]
    ),
    "environments": pa.schema(
        [
            (name, pa.string())
            for name in ("id", "domain", "now", "policy", "functions", "source", "rules", "database", "json_schema")
        ]
        + [("seed", pa.int64())]
    ),
    "trajectories": pa.schema(
        [
            ("task_id", pa.string()),
            ("domain", pa.string()),
            ("attempt", pa.int64()),
            (
                "messages",
                pa.list_(
                    pa.struct(
                        [
                            ("role", pa.string()),
                            ("content", pa.string()),
                            ("tool_calls", pa.list_(_TOOL_CALL)),
                            ("tool_call_id", pa.string()),
                        ]
                    )
                ),
            ),
            ("tools", pa.string()),
            ("calls", pa.string()),
            ("termination", pa.string()),
            ("prompt_tokens", pa.int64()),
            ("completion_tokens", pa.int64()),
        ]
    ),
    "rejects": pa.schema(
        [
            ("domain", pa.string()),
            ("stage", pa.string()),
            ("check", pa.string()),
            ("reasons", _TEXTS),
            ("raw", pa.string()),
        ]
    ),
    "preferences": pa.schema(
        [
            ("id", pa.string()),
            ("theme", pa.string()),
            ("instruction", pa.string()),
            ("explanation", pa.string()),
            ("tools", _TEXTS),
            ("vector", pa.list_(pa.float64())),
            ("split", pa.string()),
        ]
    ),
}
"""Config -> its Arrow schema. Written down, so that an empty column has the same type as a full one."""


def environment_id(environment: EnvironmentSpec) -> str:
    """The id that task rows refer to, derived from the environment's content."""
    return content_id(environment.domain, environment.model_dump(mode="json"))


def task_row(task: Task, environment: str, placement: Placement = _TRAIN) -> Row:
    """A task as a row; `environment` is the id of its environment's row."""
    return {
        "id": task.id,
        "description": {"purpose": task.intent, "relevant_policies": None, "notes": task.lineage.added or None},
        "user_scenario": task.user_scenario.model_dump(mode="json") if task.user_scenario else None,
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [
                {
                    "action_id": call.action_id,
                    "requestor": "assistant",
                    "name": call.name,
                    "arguments": as_json(call.arguments),
                }
                for call in task.golden_calls
            ]
            if task.database_judged
            else None,
            "communicate_info": task.communicate_info,
            "nl_assertions": task.nl_assertions,
        },
        "asked": [{"fact": fact, "words": words} for fact, words in task.asked.items()],
        "limits": [limit.model_dump(mode="json") for limit in task.limits],
        "domain": task.domain,
        "intent": task.intent,
        "lineage": task.lineage.model_dump(mode="json"),
        "gates": [gate.model_dump(mode="json") for gate in task.gates],
        "attempts": [_attempt_row(attempt) for attempt in task.attempts],
        "pass_rate": task.pass_rate,
        "environment": environment,
        **placement._asdict(),
    }


def task_from(row: Row) -> Task:
    """The task that a row was made of."""
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
        asked={asked["fact"]: asked["words"] for asked in row.get("asked") or ()},
        limits=row.get("limits") or [],
        nl_assertions=criteria["nl_assertions"],
        lineage=Lineage.model_validate(row["lineage"]),
        gates=row["gates"],
        attempts=[_attempt_from(attempt) for attempt in row["attempts"]],
        pass_rate=row["pass_rate"],
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


def trajectory_row(trajectory: Trajectory, environment: EnvironmentSpec, tools: str = "") -> Row:
    """A successful attempt as a row: chat messages and tools, as fine-tuning wants them.

    Give `tools`, the environment's as JSON, where there are many rows: then they share one text.
    """
    return {
        "task_id": trajectory.task_id,
        "domain": environment.domain,
        "attempt": trajectory.attempt,
        "messages": [
            {name: message.get(name) for name in ("role", "content", "tool_call_id")}
            | {"tool_calls": [_tool_call_row(call) for call in message.get("tool_calls") or []] or None}
            for message in trajectory.messages
        ],
        "tools": tools or as_json(environment.tools()),
        "calls": as_json([outcome.model_dump(mode="json") for outcome in trajectory.calls]),
        "termination": trajectory.termination,
        "prompt_tokens": trajectory.prompt_tokens,
        "completion_tokens": trajectory.completion_tokens,
    }


def every_call_reads(trajectory: Trajectory) -> bool:
    """True if the arguments of every tool call in the messages are the text of a JSON object."""
    try:
        for message in trajectory.messages:
            for call in message.get("tool_calls") or []:
                read_arguments(call["function"]["arguments"])
    except ValueError:
        return False
    return True


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


def _tool_call_row(call: Row) -> Row:
    """A tool call as it was made; arguments that were left empty are an empty object."""
    function = call["function"]
    return {**call, "function": {"name": function["name"], "arguments": function["arguments"].strip() or "{}"}}


def _attempt_row(attempt: Attempt) -> Row:
    verdict = attempt.verdict.model_dump(mode="json")
    return {**attempt.model_dump(mode="json", exclude={"verdict"}), **verdict, "solved": attempt.verdict.solved}


def _attempt_from(row: Row) -> Attempt:
    own = {name: row[name] for name in ("index", "user_fault", "turns", "termination")}
    verdict = {name: row[name] for name in ("execution", "fidelity", "completeness", "reasons")}
    return Attempt.model_validate({**own, "verdict": verdict})
