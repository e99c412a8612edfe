"""The house keeps its shape: imports point one way, and the command line starts at once."""

import ast
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import toolscale

PACKAGE = Path(toolscale.__file__).parent
RANKS = {
    "cli": 6,
    "synthesis": 5,
    "estimate": 5,
    "evaluation": 5,
    "dataset": 5,
    "exchange": 5,
    "episodes": 4,
    "checkers": 4,
    "orchestration": 4,
    "rewards": 4,
    "traces": 3,
    "query": 2,
    "reference": 3,
    "environment": 2,
    "llm": 2,
    "store": 2,
    "settings": 1,
    "prompts": 1,
    "artifacts": 1,
    "toml_file": 1,
    "bounded": 0,
    "errors": 0,
    "printable": 0,
    "terminal": 0,
    "console": 0,
    "markdown": 0,
    "input_files": 0,
    "python_source": 0,
    "whole": 0,
    "intervals": 0,
}
"""Room -> its floor. A room imports from its own floor downwards."""

BESIDE = {("checkers", "episodes"), ("episodes", "checkers")}
"""Rooms on one floor that nevertheless must not know each other."""

EXCEPTIONS = {("environment", "llm"), ("llm", "environment"), *BESIDE}


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def modules():
    return [path for path in sorted(PACKAGE.rglob("*.py")) if "_data" not in path.parts]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for module in imports(path):
        top, _, rest = module.partition(".")
        assert top not in ("torch", "vllm"), f"{path} imports {module}"
        assert top != "dagster", f"{path} imports {module}"
        if top == "pipelines":
            assert room == "cli", f"{path} knows of the pipelines"
        if top != "toolscale" or not rest or room == "__init__":
            continue
        other = rest.partition(".")[0]
        assert (room, other) not in EXCEPTIONS, f"{path}: `{room}` must not know `{other}`"
        assert RANKS[room] >= RANKS[other], f"{path}: `{room}` imports upwards from `{other}`"


def test_help_answers_in_under_half_a_second_of_cpu():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    help_text = subprocess.run(
        [sys.executable, "-m", "toolscale.cli", "--help"], capture_output=True, text=True, check=True
    ).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert "demo" in help_text
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.5


def test_litellm_is_not_imported_before_it_is_used():
    code = "import sys, toolscale.llm, toolscale.settings; sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
