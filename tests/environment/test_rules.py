"""`rules.py` is read, checked and written back with its environment."""

import ast
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from toolscale.artifacts import Call
from toolscale.environment import (
    BrokenRule,
    Sandbox,
    load_environment,
    not_checkable_in,
    rules_in,
    write_environment,
)
from toolscale.errors import UserError

LIBRARY = Path(__file__).parent.parent / "fixtures" / "library"
RULES = 'def _no_rule():\n    pass\n\n\ndef kept(before, call, after):\n    """Books\n    come back."""\n'


def folder_with(tmp_path: Path, rules: str) -> Path:
    folder = tmp_path / "library"
    shutil.copytree(LIBRARY, folder)
    (folder / "rules.py").write_text(rules)
    return folder


def test_rules_come_back_as_they_were_written(tmp_path: Path) -> None:
    spec = load_environment(folder_with(tmp_path, RULES))
    assert rules_in(spec.rules) == {"kept": "Books come back."}
    write_environment(spec, tmp_path / "again")
    assert load_environment(tmp_path / "again").model_copy(update={"domain": spec.domain}) == spec


def test_an_environment_without_rules_has_no_such_file(tmp_path: Path) -> None:
    write_environment(load_environment(LIBRARY), tmp_path / "plain")
    assert not (tmp_path / "plain" / "rules.py").exists()


@pytest.mark.parametrize(
    ("rules", "complaint"),
    [
        ("def rule(:\n", r"rules\.py:1: not Python"),
        ("def rule(db):\n    '''A rule.'''\n", r"`rule` must be `def rule\(before, call, after\)`"),
        ("def rule(before, call, after):\n    return None\n", "`rule` has no docstring"),
        ("LIMIT = 3\n", "defines no rule"),
        (
            "def rule(before, call, after, earlier, later):\n    '''A rule.'''\n",
            "or with a fourth parameter, `earlier`",
        ),
        ("NOT_CHECKABLE = 'Be kind.'\n", "`NOT_CHECKABLE` must be a list of strings"),
        ("NOT_CHECKABLE = [polite()]\n", "must be a list of strings, written out"),
    ],
)
def test_what_is_wrong_with_a_rule_is_said_in_one_line(tmp_path: Path, rules: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        load_environment(folder_with(tmp_path, rules))


def test_sentences_that_no_program_can_check_need_no_rule_beside_them(tmp_path: Path) -> None:
    spec = load_environment(folder_with(tmp_path, "NOT_CHECKABLE = ['Be kind.', 'Be brief.']\n"))
    assert not_checkable_in(spec.rules) == ("Be kind.", "Be brief.")
    assert rules_in(spec.rules) == {}


TWICE = '''
def once(before, call, after, earlier):
    """Nobody asks twice."""
    return "again" if call in earlier else None
'''


def test_a_rule_with_a_fourth_parameter_sees_the_calls_that_came_before(tmp_path: Path) -> None:
    spec = load_environment(folder_with(tmp_path, TWICE))
    asked = [Call(name="get_member", arguments={"member_id": member}) for member in ("M-1", "M-2", "M-1")]
    with Sandbox(spec) as sandbox:
        assert sandbox.broken_rules(sandbox.run(asked)) == [BrokenRule(2, "once", "again")]


def test_rules_are_never_parsed_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, inside, most = ast.parse, 0, 0

    def slow_parse(*given: Any, **named: Any) -> Any:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.01)
        inside -= 1
        return parse(*given, **named)

    monkeypatch.setattr(ast, "parse", slow_parse)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(rules_in, [f"# module {number}\n" for number in range(8)]))
    assert most == 1
