"""A plain install runs: whatever the house imports, wherever it does, stands in pyproject.toml."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OURS = {"toolscale", "pipelines", "trainer"}

WITH_AN_EXTRA = {
    ("toolscale/tools/embedders.py", "sentence_transformers"): "search",
    ("toolscale/tools/mcp_connection.py", "mcp"): "mcp",
    ("toolscale/serving/mcp_door.py", "mcp"): "mcp",
    **{("toolscale/tools/mcp_transports.py", package): "mcp" for package in ("anyio", "httpx2", "mcp")},
    **{("toolscale/serving/mcp_http.py", package): "mcp" for package in ("anyio", "mcp", "starlette")},
    ("toolscale/serving/http.py", "starlette"): "mcp",
    **{("toolscale/serving/inspect_door.py", package): "inspect" for package in ("anyio", "inspect_ai")},
    **{("toolscale/serving/openenv_door.py", package): "openenv" for package in ("openenv", "starlette")},
    ("toolscale/serving/http.py", "uvicorn"): "openenv",
}
"""(File, package) -> the extra that brings it. Without it the user reads one line that names the extra."""

AS_THEY_LIKE = {("trainer", "wandb"), ("trainer", "trackio"), ("trainer", "ray")}
"""Packages that no extra brings: who names them in the settings, or has a cluster of theirs, has them."""

DISTRIBUTIONS = packages_distributions()


def canonical(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0].lower().replace("_", "-")


DECLARED = set(map(canonical, PROJECT["dependencies"]))
EXTRAS = {extra: set(map(canonical, wanted)) for extra, wanted in PROJECT["optional-dependencies"].items()}


def packages_in(file: Path) -> set[str]:
    """Top-level packages of others that a file imports at run time, also inside of functions."""
    found = set()
    for node in running(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - OURS


def running(node: ast.AST):
    """The nodes of a tree that run: not those under `if TYPE_CHECKING`."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            for other in child.orelse:
                yield from running(other)
        else:
            yield from running(child)


def brought_by(package: str) -> set[str]:
    """Names under which a package is asked for."""
    return {canonical(name) for name in DISTRIBUTIONS.get(package, [package])}


def undeclared(room: str, allowed: set[str]) -> list[str]:
    return [
        f"{file.relative_to(ROOT)} imports {package}"
        for file in sorted((ROOT / room).rglob("*.py"))
        for package in sorted(packages_in(file))
        if not brought_by(package) & allowed
        and (file.relative_to(ROOT).as_posix(), package) not in WITH_AN_EXTRA
        and (room, package) not in AS_THEY_LIKE
    ]


@pytest.mark.parametrize("room", ["toolscale", "pipelines"])
def test_every_package_that_is_imported_is_a_dependency(room):
    assert undeclared(room, DECLARED) == []


def test_what_the_trainer_imports_is_a_dependency_or_in_its_extra():
    assert undeclared("trainer", DECLARED | EXTRAS["train"]) == []


@pytest.mark.parametrize(("file", "package"), WITH_AN_EXTRA)
def test_what_an_extra_brings_is_still_imported_there_and_missed_in_words(file, package):
    assert package in packages_in(ROOT / file)
    extra = WITH_AN_EXTRA[file, package]
    assert brought_by(package) & EXTRAS[extra]
    assert f"toolscale[{extra}]" in (ROOT / file).read_text(encoding="utf-8")


def test_every_dependency_has_its_pin():
    pinned = {canonical(line) for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line}
    assert DECLARED - pinned == set()
