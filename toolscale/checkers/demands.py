"""What a task demands beside a state of the database: assertions that hold at the end, and calls that must be made."""

from collections.abc import Sequence

from toolscale.artifacts import Call, GoldenCall, RequiredCall, Task
from toolscale.environment import Sandbox


def broken_assertions(sandbox: Sandbox, task: Task, calls: Sequence[Call | GoldenCall]) -> list[str]:
    """The assertions that do not hold on the database as these calls leave it, one sentence each."""
    if not task.assertions:
        return []
    asserted = [Call(name=each.name, arguments=each.arguments) for each in task.assertions]
    outcomes = sandbox.run([*calls, *asserted], task.start).outcomes[len(calls) :]
    broken = []
    for each, outcome in zip(task.assertions, outcomes, strict=True):
        told = f"`{each.name}`({', '.join(f'{name}={value!r}' for name, value in each.arguments.items())})"
        if not outcome.ok:
            broken.append(f"{told} failed with {outcome.error_type}: {outcome.error}")
        elif outcome.result is not each.expected:
            broken.append(f"{told} is {outcome.result!r}, expected {each.expected}")
    return broken


def missing_calls(task: Task, calls: Sequence[Call | GoldenCall]) -> list[str]:
    """The required calls that are not among these, one sentence each."""
    return [
        f"did not call `{required.name}` with {required.arguments}"
        if required.arguments
        else f"did not call `{required.name}`"
        for required in task.required_calls
        if not any(_is(call, required) for call in calls)
    ]


def _is(call: Call | GoldenCall, required: RequiredCall) -> bool:
    if call.name != required.name or (required.only_these and not call.arguments.keys() <= required.arguments.keys()):
        return False
    missing = object()
    return all(call.arguments.get(name, missing) == value for name, value in required.arguments.items())
