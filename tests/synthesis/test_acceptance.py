"""A function is accepted only if it does what it says, and its author is told what it does not."""

import asyncio

import pytest

from tests.synthesis.shop import CUSTOMERS, DOMAIN, ORDERS, READ, SCHEMA, WRITE
from toolscale.synthesis.acceptance import function_problems, parameters_problems

DATABASE = {"customers": CUSTOMERS, "orders": ORDERS}


def problems(function, source=None, **changes):
    changed = function.model_copy(update={**({"source": source} if source else {}), **changes})
    return "; ".join(asyncio.run(function_problems(changed, DOMAIN, SCHEMA, DATABASE)))


@pytest.mark.parametrize("function", [READ, WRITE], ids=lambda function: function.name)
def test_a_function_that_keeps_its_word_is_accepted(function):
    assert problems(function) == ""


@pytest.mark.parametrize(
    ("function", "source", "problem"),
    [
        (READ, "def get_order(db, order_id):\n  return (", "does not compile: line"),
        (READ, "def other(db, order_id):\n  return 1", "does not define `get_order`"),
        (READ, "def get_order(db, id):\n  return 1", "the signature takes ['id']"),
        (READ, "def get_order(order_id):\n  return 1", "must be `db`"),
        (READ, "def get_order(db, **arguments):\n  return 1", "no *args, no **kwargs"),
        (READ, "import requests\n" + READ.source, "`requests` cannot be imported"),
        (READ, "def get_order(db, order_id):\n  return db['order'][order_id]", "no call built from real entries"),
        (READ, "def get_order(db, order_id):\n  return db['orders'].get(order_id)", "nonsense call must be refused"),
        (READ, "def get_order(db, order_id):\n  return db['orders'][order_id]", "nonsense call must be refused"),
        (READ, WRITE.source.replace("cancel_order", "get_order"), "a read must change nothing"),
        (READ, "def get_order(db, order_id):\n  while True: pass", "never came back"),
        (WRITE, READ.source.replace("get_order", "cancel_order"), "a write must change something"),
        (WRITE, "def cancel_order(db, order_id):\n  raise ValueError('no')", "no call built from real entries"),
    ],
)
def test_what_is_wrong_is_said(function, source, problem):
    assert problem in problems(function, source)


def test_a_mandatory_parameter_must_be_required():
    parameters = {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": []}
    assert "not `required`" in problems(READ, parameters=parameters)


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"type": "strung"}, "not a valid JSON Schema"),
        ({"type": "object"}, "needs `properties`"),
        ({"properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}, "required": []}, "uses `$ref`"),
        ({"properties": {"a": True}, "required": []}, "describe the parameter"),
        ({"properties": {"a": {"enum": []}}, "required": []}, "empty `enum`"),
        ({"properties": {"a": {"items": True}}, "required": []}, "describe the parameter"),
    ],
)
def test_parameters_that_nobody_can_call_are_told_why(parameters, problem):
    assert problem in "; ".join(parameters_problems(parameters))


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return " + "+".join(["1"] * 400), "nests deeper than 100 levels"),
        ("return db" + ".get('a', {})" * 250, "nests deeper than 100 levels"),
        ("return " + "-" * 100_000 + "1", "longer than 50,000 characters"),
        ("return " + "-" * 40_000 + "1", "nests deeper than 100 levels"),
        ("return 0x" + "f" * 10_000, "Exceeds the limit"),
        ("pass\nreturn 1", "'return' outside function"),
        (
            "\n".join(f"{' ' * at}try: pass\n{' ' * at}finally:" for at in range(1, 40))[1:] + " pass",
            "repeats",
        ),
    ],
)
def test_a_source_that_cannot_be_read_or_compiled_is_told_so_and_kills_nothing(body, problem):
    assert problem in problems(READ, f"def get_order(db, order_id):\n {body}\n")


@pytest.mark.parametrize(("pattern", "problem"), [("(" * 5000 + ")" * 5000, ""), ("(" * 5000, "cannot be used")])
def test_a_deep_pattern_of_a_parameter_is_used_or_told_of(pattern, problem):
    parameters = {"properties": {"a": {"type": "string", "pattern": pattern}}, "required": []}
    assert problem in "; ".join(parameters_problems(parameters))
