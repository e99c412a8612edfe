"""Tasks in tau2-bench's form as ours: initial states, the user's own calls, assertions and required calls too."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import Assertion, GoldenCall, RequiredCall, Task
from toolscale.artifacts.strict_json import read_arguments
from toolscale.checkers.task_file import judged_by_database
from toolscale.exchange.report import LeftOut

_DEFAULT_BASIS = ("DB", "COMMUNICATE")
_DATA_OF = {"assistant": "agent_data", "user": "user_data"}
_SET_DATA = "update_db"
"""tau2-bench's method that lays data over a database."""


@dataclass(frozen=True)
class Names:
    """What the tools of either side, and the other methods that tasks call, are called here."""

    tools: dict[tuple[str, str], str] = field(default_factory=dict)
    methods: dict[tuple[str, str], str] = field(default_factory=dict)

    def tool(self, side: str, name: str) -> str:
        """A tool's name here; that of one that the agent does not have stays, and its call errs.

        Raises `ValueError` for one that the user does not have.
        """
        if side == "user" and (side, name) not in self.tools:
            raise ValueError(f"the user is to call `{name}`, and has no such tool")
        return self.tools.get((side, name), name)

    def method(self, side: str, name: str) -> str:
        """The name of whatever a task calls by itself. Raises `ValueError` for what the domain does not have."""
        found = self.methods.get((side, name)) or self.tools.get((side, name))
        if found is None:
            raise ValueError(f"it calls `{name}` of the {side}'s side, which has no such method")
        return found


def named_by(rows: list[Any]) -> set[tuple[str, str]]:
    """The methods, each with its side, that tasks call to begin with or at their end."""
    found: set[tuple[str, str]] = set()
    for row in rows:
        state, criteria = (_object_in(row, part) for part in ("initial_state", "evaluation_criteria"))
        calls = [*_list_in(state, "initialization_actions"), *_list_in(criteria, "env_assertions")]
        found |= {(str(call.get("env_type")), str(call.get("func_name"))) for call in calls if isinstance(call, dict)}
        data = _object_in(state, "initialization_data")
        found |= {(side, _SET_DATA) for side, part in _DATA_OF.items() if data.get(part)}
    return found


def _object_in(held: Any, part: str) -> dict[str, Any]:
    value = held.get(part) if isinstance(held, dict) else None
    return value if isinstance(value, dict) else {}


def _list_in(held: dict[str, Any], part: str) -> list[Any]:
    value = held.get(part)
    return value if isinstance(value, list) else []


def read_tau2_tasks(rows: list[Any], names: Names) -> tuple[list[Task], list[LeftOut]]:
    """Tasks in tau2-bench's form as ours, and what of them could not be read, or has no place here."""
    tasks: dict[str, Task] = {}
    left_out: list[LeftOut] = []
    for position, row in enumerate(rows):
        name = f"task {row['id']}" if isinstance(row, dict) and "id" in row else f"task number {position}"
        try:
            task = _task(row, names)
        except ValidationError as error:
            first = error.errors()[0]
            left_out.append(LeftOut(name, f"`{'.'.join(map(str, first['loc']))}`: {first['msg']}"))
            continue
        except ValueError as error:
            left_out.append(LeftOut(name, str(error)))
            continue
        except (AttributeError, KeyError, TypeError) as error:
            left_out.append(LeftOut(name, f"it is not of tau2-bench's form ({type(error).__name__}: {error})"))
            continue
        if task.id in tasks:
            left_out.append(LeftOut(name, "another task before it has the same id"))
            continue
        tasks[task.id] = task
        left_out += [LeftOut(name, reason) for reason in _without_place(row)]
    return list(tasks.values()), left_out


def _task(row: Any, names: Names) -> Task:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str | int):
        raise ValueError("it has no `id`")
    criteria = row.get("evaluation_criteria") or {}
    basis = criteria.get("reward_basis") or _DEFAULT_BASIS
    listed = criteria.get("actions") or []
    judged = judged_by_database(criteria) and ("DB" in basis or not {"ENV_ASSERTION", "ACTION"} & set(basis))
    assertions = (
        [_assertion(each, names) for each in criteria.get("env_assertions") or []] if "ENV_ASSERTION" in basis else []
    )
    required = [_required(each, names) for each in listed] if "ACTION" in basis else []
    carried = row["toolscale"] if isinstance(row.get("toolscale"), dict) else {}
    facts = criteria.get("communicate_info") or []
    if [fact.replace(",", "") for fact in carried.get("communicate_info", [])] == facts:
        facts = carried.get("communicate_info", facts)
    return Task.model_validate(
        {
            **{name: value for name, value in carried.items() if name in Task.model_fields},
            "id": str(row["id"]),
            "user_scenario": _scenario(row.get("user_scenario")),
            "start": [*_start(row.get("initial_state") or {}, names)],
            "golden_calls": [_golden_call(each, names) for each in listed] if judged or assertions or required else [],
            "communicate_info": facts,
            "database_judged": judged,
            "assertions": assertions,
            "required_calls": required,
            "nl_assertions": criteria.get("nl_assertions") or [],
        }
    )


def _golden_call(action: dict[str, Any], names: Names) -> GoldenCall:
    return GoldenCall(
        action_id=str(action.get("action_id") or ""),
        name=names.tool(action.get("requestor") or "assistant", action["name"]),
        arguments=read_arguments(action.get("arguments")),
    )


def _required(action: dict[str, Any], names: Names) -> RequiredCall:
    call, compared = _golden_call(action, names), action.get("compare_args")
    if compared is None:
        return RequiredCall(name=call.name, arguments=call.arguments, only_these=True)
    return RequiredCall(
        name=call.name, arguments={name: value for name, value in call.arguments.items() if name in compared}
    )


def _assertion(raw: dict[str, Any], names: Names) -> Assertion:
    side, name = raw["env_type"], raw["func_name"]
    if (side, name) in names.tools:
        raise ValueError(f"it asserts by the tool `{name}`, which tells a text and no truth")
    return Assertion(
        name=names.method(side, name),
        arguments=read_arguments(raw.get("arguments")),
        expected=raw.get("assert_value", True),
    )


def _start(state: dict[str, Any], names: Names) -> Iterator[GoldenCall]:
    """The calls that set a task's initial state: its data, its actions, and what its history called."""
    data = state.get("initialization_data") or {}
    for side, part in _DATA_OF.items():
        if data.get(part):
            yield GoldenCall(name=names.method(side, _SET_DATA), arguments={"update_data": data[part]})
    for action in state.get("initialization_actions") or []:
        yield GoldenCall(
            name=names.method(action["env_type"], action["func_name"]),
            arguments=read_arguments(action.get("arguments")),
        )
    for message in state.get("message_history") or []:
        for call in message.get("tool_calls") or []:
            if (name := names.tools.get((message["role"], call["name"]))) is not None:
                yield GoldenCall(name=name, arguments=read_arguments(call.get("arguments")))


def _scenario(raw: Any) -> dict[str, Any] | None:
    if not isinstance(raw, dict):
        return None
    said = raw.get("instructions")
    if isinstance(said, str):
        said = {"domain": "", "reason_for_call": said}
    elif isinstance(said, dict):
        said = {name: value for name, value in said.items() if value is not None}
    return {"persona": raw.get("persona") or "", "instructions": said}


def _without_place(row: dict[str, Any]) -> Iterator[str]:
    """What of a task that is imported is not."""
    criteria = row.get("evaluation_criteria") or {}
    basis = set(criteria.get("reward_basis") or _DEFAULT_BASIS)
    if criteria.get("env_assertions") and "ENV_ASSERTION" not in basis:
        yield "its env_assertions are left out, since tau2-bench does not judge it by them"
    if "COMMUNICATE" not in basis and criteria.get("communicate_info"):
        yield "tau2-bench does not judge it by its communicate_info; here what is said counts"
    if not judged_by_database(criteria):
        if criteria.get("actions"):
            yield f"its actions are left out, since tau2-bench judges it by {', '.join(sorted(basis))} alone"
    elif not basis & {"DB", "ENV_ASSERTION", "ACTION"}:
        yield f"tau2-bench judges it by {', '.join(sorted(basis))} and not by the database; here the database counts"
    for name in ("ticket", "issues", "required_documents", "user_tools"):
        if row.get(name):
            yield f"its `{name}` has no place here"
