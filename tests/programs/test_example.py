"""The program that the prompt demonstrates stands the trial that the prompt speaks of."""

import pytest

from tests.programs.tool_hire import environment, program, returning
from toolscale.checkers import GateContext
from toolscale.environment import Sandbox
from toolscale.programs import Workshop
from toolscale.synthesis.program_trials import EXAMINED, PASSING, tried


@pytest.mark.parametrize("wanted", [program(), returning()], ids=lambda each: each.name)
def test_the_demonstration_is_accepted_with_all_of_its_twists(wanted):
    with Sandbox(environment()) as sandbox, Workshop(sandbox) as workshop:
        trial = tried(wanted, workshop, GateContext(sandbox), 0)
    assert trial.problems == []
    assert trial.of_twists == {}
    assert len(trial.tasks) >= PASSING * EXAMINED
