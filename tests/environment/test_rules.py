"""`rules.py` is read, checked and written back with its environment."""

import ast
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from toolscale.environment import load_environment, rules_in, write_environment
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
    ],
)
def test_what_is_wrong_with_a_rule_is_said_in_one_line(tmp_path: Path, rules: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        load_environment(folder_with(tmp_path, rules))


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
        list(threads.map(rules_in, [""] * 8))
    assert most == 1
