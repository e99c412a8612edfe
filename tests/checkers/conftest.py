"""The library environment of tests/fixtures/library, running, and tasks for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from toolscale.artifacts import GoldenCall, Instructions, Json, Task, UserScenario
from toolscale.checkers import GateContext
from toolscale.environment import Limits, Sandbox, load_environment

LIBRARY = Path(__file__).parent.parent / "fixtures" / "library"


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(load_environment(LIBRARY), limits=Limits(seconds=1)) as running:
        yield running


@pytest.fixture(scope="session")
def context(sandbox: Sandbox) -> GateContext:
    return GateContext(sandbox)


def call(name: str, **arguments: Json) -> GoldenCall:
    return GoldenCall(name=name, arguments=arguments)


def task_of(*calls: GoldenCall, says: str = "", info: tuple[str, ...] = ()) -> Task:
    """A task of the library; without `says` it carries no instruction."""
    instructions = Instructions(domain="library", reason_for_call=says) if says else None
    return Task(
        id="library-1",
        domain="library",
        user_scenario=UserScenario(instructions=instructions) if instructions else None,
        golden_calls=list(calls),
        communicate_info=list(info),
    )


RENEWAL = task_of(
    call("get_member", member_id="M-1"),
    call("list_loans", member_id="M-1"),
    call("renew_loan", loan_id="L-10", due="2026-12-04", reminder="email"),
    says="I am member M-1. Please renew my loan that is due first until 4 December, remind me by mail, "
    "and tell me what I owe.",
    info=("12.50",),
)
"""A task that passes every gate."""
