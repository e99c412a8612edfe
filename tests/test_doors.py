"""What strangers wrote leaves and enters the house through few doors, and no module goes by another way."""

import ast
from pathlib import Path

import toolscale

HOUSE = Path(toolscale.__file__).parents[1]
FILES = sorted(
    path for room in ("toolscale", "pipelines", "trainer") for path in (HOUSE / room).rglob("*.py") if path.is_file()
)

PRINTING = {"toolscale/terminal.py", "toolscale/console.py"}
TO_A_PARENT = {"toolscale/tools/extraction.py"}
"""It prints JSON into a pipe to the process that started it."""

SHOWING = {"pipelines/shown.py"}
DRAWN = {"pipelines/pictures.py"}
"""Its pictures are drawn here, of figures."""

LISTING = {
    "toolscale/input_files.py": "the door",
    "toolscale/reference/domain.py": "packages of our own",
    "toolscale/artifacts/export.py": "schemas that it wrote itself",
    "toolscale/dataset/writer.py": "names what would be lost, whatever it is",
    "toolscale/cli/publishing.py": "sees whether a folder is empty",
    "pipelines/storage.py": "files that a run wrote",
    "pipelines/reach.py": "our own source",
    "pipelines/output.py": "what Dagster wrote of each run",
}
"""Modules that list folders themselves, and what they look for there."""


def calls(path: Path) -> list[str]:
    """The names of all that a module calls, as written: `print`, `dg.MetadataValue.md`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)]


def name(path: Path) -> str:
    return path.relative_to(HOUSE).as_posix()


def ends_with(called: str, *endings: str) -> bool:
    return any(called == ending or called.endswith(f".{ending}") for ending in endings)


def test_nothing_is_printed_but_through_the_terminals_doors() -> None:
    barred = ("print_exc", "rprint", "secho", "echo", "stdout.write", "stderr.write", "print_exception", "Console")
    for path in FILES:
        if name(path) not in PRINTING | TO_A_PARENT:
            found = [each for each in calls(path) if each in ("print", "pprint") or ends_with(each, *barred)]
            assert not found, f"{name(path)} calls {found}: use toolscale.terminal or toolscale.console"
            assert "from_markup" not in path.read_text(encoding="utf-8"), f"{name(path)} reads markup"


def test_no_markdown_is_shown_but_through_its_door() -> None:
    for path in FILES:
        if name(path) not in SHOWING | DRAWN:
            found = [each for each in calls(path) if ends_with(each, "MetadataValue.md", "MarkdownMetadataValue")]
            assert not found, f"{name(path)} calls {found}: use pipelines.shown.markdown"


def test_no_folder_of_inputs_is_listed_but_through_its_door() -> None:
    for path in FILES:
        if name(path) not in LISTING and not name(path).startswith("trainer/"):
            barred = ("iterdir", "glob", "rglob", "scandir", "listdir", "walk")
            found = [each for each in calls(path) if ends_with(each, *barred) and each != "ast.walk"]
            assert not found, f"{name(path)} calls {found}: use toolscale.input_files"


def test_every_page_escapes_what_it_is_given() -> None:
    for template in HOUSE.glob("t*/**/*.html.j2"):
        text = template.read_text(encoding="utf-8")
        assert "safe" not in [part.strip() for part in text.replace("}}", "|").split("|")], template
        if not text.startswith('{% extends "page.html.j2" %}'):  # that page is one of these
            assert "default-src 'none'; img-src data:" in text, f"{template}: its own policy must let nothing load"


def test_what_dagster_does_not_export_is_imported_in_one_module() -> None:
    for path in FILES:
        if name(path) != "pipelines/dagster_internals.py":
            assert "dagster._" not in path.read_text(encoding="utf-8"), f"{name(path)}: use pipelines.dagster_internals"
