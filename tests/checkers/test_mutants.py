"""Mutants cover every write and every leaf of its arguments, and none is the solution itself."""

import pytest

from tests.checkers.conftest import RENEWAL, call, task_of
from toolscale.artifacts import Json, canonical_json
from toolscale.checkers import GateContext
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.mutants import altered_arguments, mutants
from toolscale.environment import Sandbox

SPEC_CHANGES = {
    "name": "arrange",
    "description": "-",
    "kind": "write",
    "parameters": {
        "type": "object",
        "properties": {
            "plan": {
                "type": "object",
                "properties": {
                    "days": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"kind": {"$ref": "#/$defs/k"}}},
                    },
                    "note": {"type": "string", "default": "quiet"},
                },
                "required": ["days"],
            },
            "limit": {"type": "integer", "default": 5},
        },
        "$defs": {"k": {"enum": ["short", "long"]}},
        "required": ["plan"],
    },
}


@pytest.fixture
def facts(context: GateContext) -> EnvironmentFacts:
    spec = context.sandbox.spec
    function = type(spec.functions[0]).model_validate(SPEC_CHANGES)
    source = "def arrange(db, plan, limit=5, *, quietly=None):\n    pass\n"
    return EnvironmentFacts(spec.model_copy(update={"functions": [*spec.functions, function], "source": source}))


def alterations(facts: EnvironmentFacts, name: str, **arguments: Json) -> list[dict[str, Json]]:
    return [altered for _, altered in altered_arguments(call(name, **arguments), facts)]


def test_each_golden_write_is_dropped_once_and_reads_never(context: GateContext) -> None:
    task = task_of(*RENEWAL.golden_calls, call("pay_fine", member_id="M-1", amount=1))
    dropped = [
        mutant.change for mutant in mutants(context.golden(task), context.facts) if mutant.change.startswith("without")
    ]
    assert dropped == ["without golden_calls[2] `renew_loan`", "without golden_calls[3] `pay_fine`"]


def test_no_mutant_is_the_solution_and_none_comes_twice(context: GateContext) -> None:
    task = task_of(*RENEWAL.golden_calls, call("pay_fine", member_id="M-1", amount=1, receipt=False))
    written = [
        canonical_json([(one.name, one.arguments) for one in mutant.calls])
        for mutant in mutants(context.golden(task), context.facts)
    ]
    assert len(set(written)) == len(written)
    assert canonical_json([(one.name, one.arguments) for one in task.golden_calls]) not in written


def test_strings_numbers_and_booleans_are_altered_as_any_tester_would(facts: EnvironmentFacts) -> None:
    altered = alterations(facts, "pay_fine", member_id="M-1", amount=3, receipt=True)
    assert {"member_id": "M-1_x", "amount": 3, "receipt": True} in altered
    assert {"member_id": "N-1", "amount": 3, "receipt": True} in altered
    assert {"member_id": "M-2", "amount": 3, "receipt": True} in altered
    assert {"member_id": "M-1", "amount": 4, "receipt": True} in altered
    assert {"member_id": "M-1", "amount": 2, "receipt": True} in altered
    assert {"member_id": "M-1", "amount": 3, "receipt": False} in altered


def test_empty_lists_and_nulls_are_filled(facts: EnvironmentFacts) -> None:
    altered = alterations(facts, "arrange", plan={"days": [], "note": None})
    assert {"plan": {"days": ["x"], "note": None}} in altered
    assert {"plan": {"days": [], "note": "x"}} in altered


def test_a_key_becomes_another_key_of_its_table_and_a_value_another_value_of_its_field(facts: EnvironmentFacts) -> None:
    assert {"loan_id": "L-10", "note": "x"} in alterations(facts, "add_note", loan_id="L-12", note="x")
    assert {"loan_id": "L-10", "note": "George Eliot"} in alterations(
        facts, "add_note", loan_id="L-10", note="Jorge Luis Borges"
    )


def test_lists_lose_an_element_and_nested_leaves_take_the_enumerations_other_value(facts: EnvironmentFacts) -> None:
    plan: Json = {"days": [{"kind": "short"}, {"kind": "long"}], "note": "loud"}
    altered = alterations(facts, "arrange", plan=plan)
    assert {"plan": {"days": [{"kind": "long"}], "note": "loud"}} in altered
    assert {"plan": {"days": [{"kind": "long"}, {"kind": "long"}], "note": "loud"}} in altered
    assert {"plan": {"days": [{"kind": "short"}, {"kind": "long"}]}} in altered
    assert {} not in altered  # `plan` is required
    assert not any("days" not in arguments["plan"] for arguments in altered)  # type: ignore[operator]


def test_an_argument_that_says_its_default_may_be_left_out(facts: EnvironmentFacts) -> None:
    plan: Json = {"days": [], "note": "quiet"}
    altered = alterations(facts, "arrange", plan=plan, limit=5, quietly=None)
    assert not any("limit" not in arguments or "quietly" not in arguments for arguments in altered)
    assert not any("note" not in arguments["plan"] for arguments in altered)  # type: ignore[operator]
    assert {"plan": plan} in alterations(facts, "arrange", plan=plan, limit=6)


def test_lists_gain_a_member(facts: EnvironmentFacts) -> None:
    assert {"member_id": "M-1", "branches": ["North", "North_x"]} in alterations(
        facts, "set_branches", member_id="M-1", branches=["North"]
    )


def test_a_function_that_says_it_reads_and_writes_is_mutated_too(context: GateContext) -> None:
    spec = context.sandbox.spec
    mislabelled = [
        function.model_copy(update={"kind": "read"}) if function.name == "renew_loan" else function
        for function in spec.functions
    ]
    with Sandbox(spec.model_copy(update={"functions": mislabelled})) as sandbox:
        other = GateContext(sandbox)
        changes = [mutant.change for mutant in mutants(other.golden(RENEWAL), other.facts)]
    assert "without golden_calls[2] `renew_loan`" in changes
