"""Functions are read from a module as artifacts that stand alone."""

import ast

import pytest

from toolscale.reference.source import read_functions
from toolscale.synthesis.sources import functions_module

MODULE = '''
from datetime import date, datetime
from typing import Any, Literal
import math

Database = dict[str, dict[str, Any]]
LIMIT = 3
WRITES = {"book"}


def _check(value: int) -> int:
    if value > LIMIT:
        raise ValueError("too many")
    return value


def find(db: Database, kind: Literal["a", "b"] = "a", tags: list[str] | None = None) -> list[str]:
    """Find what there is.

    kind: what kind to find
    tags: labels that it must carry,
        all of them
    """
    return sorted(db[kind])


def book(db: Database, seats: int, day: str) -> dict[str, Any]:
    """Book seats.

    Spanning paragraphs.

    seats: how many
    day: which day, YYYY-MM-DD
    """
    return {"seats": _check(seats), "day": date.fromisoformat(day).isoformat()}
'''


@pytest.fixture
def module(tmp_path):
    (tmp_path / "all.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


def test_parameters_follow_from_annotations_and_docstring(module):
    find, book = read_functions(module)
    assert (find.kind, book.kind) == ("read", "write")
    assert find.parameters["properties"] == {
        "kind": {"type": "string", "enum": ["a", "b"], "default": "a", "description": "what kind to find"},
        "tags": {"type": "array", "items": {"type": "string"}, "description": "labels that it must carry, all of them"},
    }
    assert find.parameters["required"] == []
    assert book.parameters["required"] == ["seats", "day"]
    assert book.description == "Book seats."


def test_a_source_carries_what_it_needs_and_nothing_else(module):
    book = read_functions(module)[1]
    assert "_check" in book.source
    assert "LIMIT = 3" in book.source
    assert "def find" not in book.source
    assert "math" not in book.source
    assert "from datetime import date\n" in book.source
    names: dict = {}
    exec(compile(book.source, "book", "exec"), names)  # authored in this test, so it may run here
    assert names["book"]({}, 2, "2026-11-23") == {"seats": 2, "day": "2026-11-23"}


def test_a_module_put_together_defines_shared_helpers_once(module):
    text = functions_module(read_functions(module))
    defined = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert sorted(defined) == ["_check", "book", "find"]


def test_helpers_that_differ_under_one_name_are_refused(module):
    find, book = read_functions(module)
    other = find.model_copy(update={"source": find.source + "\n\ndef _check(value):\n    return 0\n"})
    with pytest.raises(ValueError, match="_check"):
        functions_module([book, other])


def test_a_parameter_without_a_docstring_line_is_an_error(tmp_path):
    text = 'WRITES = set()\ndef find(db, kind: str):\n    """Find."""\n'
    (tmp_path / "all.py").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="kind"):
        read_functions(tmp_path)


def test_modules_of_a_folder_share_their_helpers(module):
    text = 'from .all import _check\nWRITES = {"move"}\n'
    text += 'def move(db, seats: int) -> int:\n    """Move.\n\n    seats: how many\n    """\n'
    (module / "move.py").write_text(text + "    return _check(seats)\n", encoding="utf-8")
    functions = {function.name: function for function in read_functions(module)}
    assert [function.kind for function in functions.values()] == ["read", "write", "write"]
    assert "def _check" in functions["move"].source
    assert "import" not in functions["move"].source
    assert functions_module(list(functions.values())).count("def _check") == 1


def test_a_helper_that_two_modules_define_differently_is_an_error(module):
    (module / "other.py").write_text("def _check(value):\n    return 0\n", encoding="utf-8")
    with pytest.raises(ValueError, match="_check"):
        read_functions(module)


def test_a_constant_stands_after_those_that_it_is_made_of_whatever_their_modules_are_called(tmp_path):
    first = """from .rates import RATE\nRATES = {"a": RATE}\n\n
def cost(db: Database, days: int) -> float:
    \"\"\"What it costs.\n\n    days: how many\n    \"\"\"
    return RATES["a"] * days
"""
    (tmp_path / "costs.py").write_text(first, encoding="utf-8")
    (tmp_path / "rates.py").write_text("BASE = 2\nRATE = BASE * 2\nDatabase = dict[str, int]\n", encoding="utf-8")
    (cost,) = read_functions(tmp_path)
    run: dict = {}
    exec(cost.source, run)
    assert run["cost"]({}, 3) == 12
