"""`docs/sources.md` speaks of code that is there, and has an answer for each point."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

HOUSE = Path(__file__).parents[1]
PAGE = HOUSE / "docs/sources.md"
HERE = ("yes", "differs", "in part", "no")
TABLES = HOUSE / "toolscale/evaluation/papers"


class Point(NamedTuple):
    """A line of the page."""

    says: str
    here: str
    where: str
    remark: str


def points() -> list[Point]:
    rows = re.findall(r"^\| (.*) \|$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)] for row in rows]
    return [Point(*each) for each in cells if len(each) == 4 and each[1] not in ("here", "---")]


def named_in(where: str) -> list[str]:
    return re.findall(r"`([^`]+)`", where)


@pytest.mark.parametrize("point", points(), ids=lambda point: point.says[:60])
def test_what_a_point_names_is_there(point: Point) -> None:
    assert [named for named in named_in(point.where) if not is_there(named)] == []
    assert re.sub(r"`[^`]+`", "", point.where).strip(" ,") == "", "a place is a path, or module:name"


@pytest.mark.parametrize("point", points(), ids=lambda point: point.says[:60])
def test_a_point_is_in_the_code_or_says_why_not(point: Point) -> None:
    assert point.here in HERE
    assert point.where or point.here == "no"
    assert point.remark or point.here == "yes" or (point.here == "no" and point.where)


def test_no_point_stands_there_twice() -> None:
    said = [(point.says, point.where) for point in points()]
    assert len(said) > 120
    assert len(set(said)) == len(said)


def test_every_table_of_the_papers_is_among_the_points() -> None:
    named = {named for point in points() for named in named_in(point.where)}
    assert {f"toolscale/evaluation/papers/{file.name}" for file in TABLES.glob("*.csv")} <= named


@pytest.mark.parametrize(
    "lost",
    ["toolscale/nowhere.py", "toolscale.nowhere:name", "trainer.rewards.filters:nothing", "trainer.config:Config.gone"],
)
def test_what_is_not_there_is_found_out(lost: str) -> None:
    assert not is_there(lost)


def is_there(named: str) -> bool:
    """Whether a path, or a name in a module, exists; modules are read and not imported, since some need torch."""
    module, colon, name = named.partition(":")
    if not colon:
        return "/" in named and (HOUSE / named).exists()
    place = HOUSE.joinpath(*module.split("."))
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return file.is_file() and name in names_of(file)


@cache
def names_of(file: Path) -> frozenset[str]:
    """What a module defines at its top, and what its classes do: `name`, `Class`, `Class.name`."""
    return frozenset(_defined(ast.parse(file.read_text(encoding="utf-8")).body))


def _defined(body: list[ast.stmt], within: str = "") -> list[str]:
    found = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append(within + node.name)
        if isinstance(node, ast.ClassDef) and not within:
            found += _defined(node.body, f"{node.name}.")
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        found += [within + target.id for target in targets if isinstance(target, ast.Name)]
    return found
