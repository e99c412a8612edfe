"""The offline teacher's rules stand the trial that every teacher's do, in the world of any seed."""

import pytest

from tests.reference.rehearsal import Stage
from toolscale.environment import Sandbox, rules_in
from toolscale.reference import clerk
from toolscale.reference.domain import reference_domains
from toolscale.synthesis.rule_trials import Trials
from toolscale.synthesis.rules import RulesAnswer, Writing
from toolscale.synthesis.sources import rules_module

QUICK = "weather"
CASES = [
    pytest.param(name, seed, marks=[] if (name, seed) == (QUICK, 11) else pytest.mark.slow)
    for name in reference_domains()
    for seed in (0, 11)
]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_the_rules_of_a_reference_domain_stand_their_trial(name: str, seed: int) -> None:
    stage = Stage(name, seed)
    answer = RulesAnswer.model_validate(clerk.rules(stage.domain))
    with Sandbox(stage.spec.model_copy(update={"rules": ""})) as sandbox:
        writing = Writing(stage.domain.policy, Trials(sandbox, []))
        assert writing.problems(answer) == []
    assert [rule.by for rule in writing.rules()] == ["program"] * len(rules_in(stage.domain.rules))
    assert rules_in(rules_module(writing.rules())) == rules_in(stage.domain.rules)
