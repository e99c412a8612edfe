"""An environment folder reads back as it was written, and what is wrong with one is said in a line."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.environment.worlds import TRAINS, world
from toolscale.environment import load_environment, write_environment
from toolscale.errors import UserError

SOURCE = "def one(db): return 1\ndef two(db): return 2\n"


def handwritten(folder: Path, **files: Any) -> Path:
    """The least that an environment folder may hold, with some files written otherwise; None leaves one out."""
    texts = {
        "database_json": TRAINS,
        "functions_json": [{"name": "one", "parameters": {"type": "object", "properties": {}}}],
        "functions_py": SOURCE,
        **files,
    }
    folder.mkdir(exist_ok=True)
    for name, content in texts.items():
        if content is not None:
            file = folder / name.replace("_py", ".py").replace("_json", ".json").replace("_md", ".md")
            file.write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def test_a_folder_reads_back_as_it_was_written(tmp_path: Path) -> None:
    spec = world(SOURCE, seed=7).model_copy(
        update={
            "policy": "# Règles\n",
            "json_schema": {"type": "object"},
            "database": {**TRAINS, "prices": {"é": {"a": 1.0}}},
        }
    )
    write_environment(spec, tmp_path / "rail")
    assert load_environment(tmp_path / "rail") == spec
    assert list(load_environment(tmp_path / "rail").database) == list(spec.database)


def test_writing_again_replaces_the_folder_and_leaves_nothing_else(tmp_path: Path) -> None:
    write_environment(world(SOURCE).model_copy(update={"json_schema": {}}), tmp_path / "rail")
    write_environment(world(SOURCE, seed=3), tmp_path / "rail")
    assert load_environment(tmp_path / "rail").seed == 3
    assert not (tmp_path / "rail" / "schema.json").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["rail"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    write_environment(world(SOURCE), tmp_path / "rail")
    with pytest.raises(UnicodeEncodeError):
        write_environment(world(SOURCE, seed=3).model_copy(update={"policy": "\ud800"}), tmp_path / "rail")
    assert load_environment(tmp_path / "rail").seed == 0
    assert [path.name for path in tmp_path.iterdir()] == ["rail"]


def test_a_write_that_cannot_be_put_in_place_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_environment(world(SOURCE), tmp_path / "rail")
    rename = Path.rename

    def fails_at_last(source: Path, target: Path) -> Path:
        if source.name == "made":
            raise OSError("no space left on device")
        return rename(source, target)

    monkeypatch.setattr(Path, "rename", fails_at_last)
    with pytest.raises(UserError, match=r"cannot write .*rail: no space left"):
        write_environment(world(SOURCE, seed=3), tmp_path / "rail")
    assert load_environment(tmp_path / "rail").seed == 0
    assert [path.name for path in tmp_path.iterdir()] == ["rail"]


def test_a_folder_that_cannot_even_be_put_back_is_not_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_environment(world(SOURCE), tmp_path / "rail")
    rename = Path.rename

    def moves_away_only(source: Path, target: Path) -> Path:
        if target.name == "rail":
            raise OSError("read-only file system")
        return rename(source, target)

    monkeypatch.setattr(Path, "rename", moves_away_only)
    with pytest.raises(UserError, match=r"cannot write .*rail: read-only"):
        write_environment(world(SOURCE, seed=3), tmp_path / "rail")
    (left,) = tmp_path.glob(".rail-*/earlier")
    assert load_environment(left).functions == world(SOURCE).functions


def test_the_least_that_a_folder_may_hold_has_defaults(tmp_path: Path) -> None:
    spec = load_environment(handwritten(tmp_path / "2nd-Class Rail"))
    assert (spec.domain, spec.now, spec.seed) == ("domain_2nd_class_rail", datetime(2026, 1, 1), 0)
    assert (spec.policy, spec.json_schema) == ("", None)
    (function,) = spec.functions
    assert (function.description, function.kind) == ("one", "read")


def test_a_time_with_a_zone_becomes_utc(tmp_path: Path) -> None:
    spec = load_environment(handwritten(tmp_path / "a", environment_json={"now": "2026-05-01T12:00:00+02:00"}))
    assert spec.now == datetime(2026, 5, 1, 10)


MALFORMED: dict[str, tuple[dict[str, Any], str]] = {
    "no database": ({"database_json": None}, "database.json: there is no such file"),
    "no functions": ({"functions_json": None}, "functions.json: there is no such file"),
    "no source": ({"functions_py": None}, "functions.py: there is no such file"),
    "broken json": ({"database_json": '{\n "a": \n}'}, "database.json:3: not JSON"),
    "empty json": ({"database_json": ""}, "database.json:1: not JSON"),
    "not a number": ({"database_json": '{"a": NaN}'}, "database.json: NaN is not JSON"),
    "half a character": ({"database_json": '{"a": "\\ud800"}'}, "database.json: holds half of a surrogate pair"),
    "a database that is a list": ({"database_json": []}, "database.json: must hold a JSON object, holds a list"),
    "functions that are an object": ({"functions_json": {}}, "functions.json: must hold a list"),
    "a function without a name": (
        {"functions_json": [{}]},
        "functions.json: function 1 must be an object with a `name`",
    ),
    "a function with an odd name": (
        {"functions_json": [{"name": "Do It", "parameters": {}}]},
        "functions.json: function 1",
    ),
    "a function of another kind": (
        {"functions_json": [{"name": "one", "parameters": {}, "kind": "maybe"}]},
        "functions.json: function 1 (`one`): `kind`",
    ),
    "a misspelt field": ({"functions_json": [{"name": "one", "parameters": {}, "knd": ""}]}, "`knd`"),
    "a function twice": ({"functions_json": [{"name": "one", "parameters": {}}] * 2}, "`one` is listed twice"),
    "a syntax error": ({"functions_py": "def one(db):\n  return ("}, "functions.py:2: not Python"),
    "an error the compiler finds": (
        {"functions_py": "x = 1\nreturn 5\ndef one(db): pass"},
        "functions.py:2: not Python",
    ),
    "a null byte": ({"functions_py": "def one(db): return '\0'"}, "functions.py"),
    "a function that is not defined": (
        {"functions_json": [{"name": "three", "parameters": {}}]},
        "functions.py: `three` is listed in functions.json but not defined",
    ),
    "a method is no function": ({"functions_py": "class A:\n  def one(db): pass"}, "not defined here"),
    "an odd clock": ({"environment_json": {"now": "noon"}}, "environment.json: `now`"),
    "an odd seed": ({"environment_json": {"seed": "x"}}, "environment.json: `seed`"),
    "an odd domain": ({"environment_json": {"domain": "Rail Way"}}, "environment.json: `domain`"),
    "an unknown setting": ({"environment_json": {"clock": 1}}, "environment.json: unknown field `clock`"),
    "a schema that is a list": ({"schema_json": "[]"}, "schema.json: must hold a JSON object"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_folder_is_named_in_one_line(name: str, tmp_path: Path) -> None:
    files, expected = MALFORMED[name]
    with pytest.raises(UserError) as caught:
        load_environment(handwritten(tmp_path / "env", **files))
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_what_is_not_a_folder_or_not_text_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a folder"):
        load_environment(tmp_path / "nowhere")
    folder = handwritten(tmp_path / "env")
    (folder / "functions.py").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="not UTF-8"):
        load_environment(folder)


def test_reading_a_folder_runs_nothing_of_it(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'sprung')!r}, 'w')\n"
    load_environment(handwritten(tmp_path / "env", functions_py=trap + SOURCE))
    assert not (tmp_path / "sprung").exists()


def test_functions_may_be_listed_as_openai_tools_or_by_name_alone(tmp_path: Path) -> None:
    parameters = {"type": "object", "properties": {"id": {"type": "string"}}}
    tool = {"type": "function", "function": {"name": "one", "parameters": parameters, "strict": True}}
    folder = handwritten(tmp_path, functions_json=[tool, {"name": "two", "description": None, "parameters": None}])
    one, two = load_environment(folder).functions
    assert (one.name, one.description, one.parameters, one.kind) == ("one", "one", parameters, "read")
    assert (two.description, two.parameters) == ("two", {"type": "object", "properties": {}})


def test_a_function_may_be_defined_inside_a_condition_or_with_others(tmp_path: Path) -> None:
    source = "try:\n    def one(db): return 1\nfinally:\n    pass\ntwo, three = (lambda db: 2), (lambda db: 3)\n"
    listed = [{"name": name} for name in ("one", "two", "three")]
    load_environment(handwritten(tmp_path, functions_py=source, functions_json=listed))
    nested = "def other(db):\n    def one(db): return 1\nclass Tools:\n    def one(self): return 1\n"
    with pytest.raises(UserError, match="`one` is listed"):
        load_environment(handwritten(tmp_path, functions_py=nested))


def test_every_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    folder = handwritten(tmp_path, functions_py="\ufeff" + SOURCE, database_json='\ufeff{"t": {}}')
    assert load_environment(folder).source == SOURCE


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("environment_json", '{"now": "0001-01-01T00:00:00+14:00"}', "`now`"),
        ("database_json", '{"t": {"a": 1e999}}', "1e999 is too large"),
    ],
)
def test_what_no_clock_or_number_can_hold_is_refused(tmp_path: Path, file: str, content: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        load_environment(handwritten(tmp_path, **{file: content}))
