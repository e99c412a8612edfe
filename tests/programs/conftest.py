"""One workshop of the tool hire for all tests that only read it."""

import pytest

from tests.programs.tool_hire import environment
from toolscale.checkers import GateContext
from toolscale.environment import Sandbox
from toolscale.programs import Workshop


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox(environment()) as found:
        yield found


@pytest.fixture(scope="session")
def workshop(sandbox):
    with Workshop(sandbox) as found:
        yield found


@pytest.fixture(scope="session")
def context(sandbox):
    return GateContext(sandbox)
