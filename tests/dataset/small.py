"""A dataset of the small shop: two families of tasks, rejects, and attempts that solved a task."""

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.openai_server import tool_call
from tests.synthesis.shop import environment
from toolscale.artifacts import (
    GATES,
    Attempt,
    CallOutcome,
    GateOutcome,
    GoldenCall,
    Instructions,
    Lineage,
    Reject,
    Task,
    Trajectory,
    UserScenario,
    Verdict,
)
from toolscale.dataset import About, write_dataset

WORLD = environment()
PASSED = [GateOutcome(gate=gate, passed=True) for gate in GATES]
LEAKED = [GateOutcome(gate="no_leak", passed=False, reasons=["the user says '10.25'"])]


def attempts(solved, made=8):
    """`made` attempts, of which the first `solved` solved the task."""
    verdicts = [Verdict(execution=index < solved, fidelity=True, completeness=True) for index in range(made)]
    return [Attempt(index=index, verdict=verdict, turns=2) for index, verdict in enumerate(verdicts)]


def task(name, parent=None, solved=2, gates=PASSED):
    """A kept task; without a parent, the first of its family."""
    return Task(
        id=name,
        domain="shop",
        intent="cancel an order",
        user_scenario=UserScenario(
            instructions=Instructions(domain="shop", reason_for_call="Cancel order O-1, please.")
        ),
        golden_calls=[GoldenCall(action_id="0", name="cancel_order", arguments={"order_id": "O-1"})],
        communicate_info=["cancelled"],
        lineage=Lineage(parent=parent.id, depth=parent.lineage.depth + 1, added="a condition") if parent else Lineage(),
        gates=gates,
        attempts=attempts(solved),
        pass_rate=solved / 8,
    )


FIRST = task("shop-1")
REFUSED = task("shop-2", FIRST, gates=LEAKED)
KEPT = [FIRST, task("shop-3", REFUSED, solved=8), *(task(f"shop-{number}") for number in range(4, 24))]
"""The third descends from the first by way of a task that was refused."""

REJECT = Reject(domain="shop", stage="entries", check="program", reasons=["orders/O-9: the key is taken"], raw=["O-9"])

OF_EVAL = "shop-9"
"""A task that its own hash puts into `eval`."""

UNCHANGED = Reject(
    domain="shop",
    stage="evolved_tasks",
    check="infeasible",
    reasons=[f"{OF_EVAL}: nothing could be added to the old task"],
    raw=None,
)

SPOKEN = Trajectory(
    task_id="shop-1",
    attempt=1,
    messages=[
        {"role": "system", "content": "Policy."},
        {"role": "user", "content": "Cancel order O-1, please."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [tool_call("cancel_order", '{"order_id": "O-1"}', "a"), tool_call("get_order", " ", "b")],
        },
        {"role": "tool", "tool_call_id": "a", "content": '"cancelled"'},
        {"role": "tool", "tool_call_id": "b", "content": '{"error": "order_id is missing"}'},
        {"role": "assistant", "content": "It is cancelled. Głęboki ukłon 🙇"},
    ],
    calls=[
        CallOutcome(name="cancel_order", arguments={"order_id": "O-1"}, result="cancelled"),
        CallOutcome(name="get_order", error="order_id is missing", error_type="TypeError"),
    ],
    agent_messages=["It is cancelled. Głęboki ukłon 🙇"],
    prompt_tokens=120,
    completion_tokens=30,
)


def spoken(name, attempt):
    """An attempt at a task that says something of its own in the end."""
    *before, last = SPOKEN.messages
    said = [*before, {**last, "content": f"{last['content']} Attempt {attempt} is over."}]
    return SPOKEN.model_copy(update={"task_id": name, "attempt": attempt, "messages": said})


def _calling(name, arguments):
    messages = [{"role": "assistant", "content": None, "tool_calls": [tool_call("get_order", arguments)]}]
    return SPOKEN.model_copy(update={"task_id": name, "messages": messages})


BROKEN_CALLS = [
    _calling("cut off", '{"order_id": "O-'),
    _calling("a list", '["O-1"]'),
    _calling("NaN", '{"amount": NaN}'),
    _calling("half a surrogate pair", '{"order_id": "\\ud800"}'),
]


def contents(**changes):
    """The arguments of `write_dataset`, with changes."""
    about = About(
        models={"agent": ["openai/x", "openai/y"]},
        prompts={"agent": "abc"},
        calls=9,
        dollars=0.5,
    )
    kept = {task.id for task in changes.get("tasks", KEPT)}
    attempts = [("shop-1", 5), ("shop-1", 0), (OF_EVAL, 0), (OF_EVAL, 4), ("shop-1", 1)]
    made = [spoken(name, at) for name, at in attempts if name in kept]
    return {
        "tasks": KEPT,
        "environments": [WORLD],
        "trajectories": made,
        "rejects": [REJECT, UNCHANGED],
        "rejected": [REFUSED],
        "about": about,
        **changes,
    }


@cache
def _made() -> TemporaryDirectory[str]:
    made = TemporaryDirectory(prefix="toolscale-small-")
    write_dataset(Path(made.name) / "d", **contents())
    return made


def write_small(folder: Path) -> None:
    """What `write_dataset(folder, **contents())` writes; its plots take half a second, so it is made once."""
    shutil.copytree(Path(_made().name) / "d", folder)
