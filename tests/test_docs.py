"""What the docs name exists: pages, files, settings, commands and their options."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from toolscale.settings import Settings

HOUSE = Path(__file__).parents[1]
PAGES = [HOUSE / "README.md", *sorted((HOUSE / "docs").glob("*.md"))]

GENERATED = {"cli.md", "settings.md", "api.md"}
"""Pages that are there only once the site is built."""

OUTSIDE_OF_SETTINGS = {
    "TOOLSCALE_ALLOW_UNSANDBOXED",
    "TOOLSCALE_TRAINER_ADDRESS",
    "TOOLSCALE_TOKEN",
    "TOOLSCALE_NAME",
}
"""Variables that are read where there are no settings, and the one that stands for any."""


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    """What generates pages while the site is built."""
    found = importlib.util.spec_from_file_location("docs_hooks", HOUSE / "docs/hooks.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(
        r"`((?:toolscale|pipelines|trainer|tests|benchmarks|prompts|deploy)/[\w./-]+\.(?:py|toml|j2|yaml|json|sql|sh|sbatch))`",
        _prose(page),
    )
    assert [path for path in named if "NAME" not in path and not (HOUSE / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_heading_of_a_page(page: Path) -> None:
    lost = []
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", _prose(page)):
        path, _, heading = target.partition("#")
        there = page.parent / path if path else page
        if path in GENERATED or path.startswith("domains/"):
            continue
        if not there.exists() or (heading and heading not in _headings(there)):
            lost.append(target)
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_setting_that_a_page_names_is_one(page: Path) -> None:
    named = set(re.findall(r"\bTOOLSCALE_[A-Z_]+[A-Z]", page.read_text(encoding="utf-8")))
    known = {f"TOOLSCALE_{name.upper()}" for name in Settings.model_fields}
    assert {name for name in named - OUTSIDE_OF_SETTINGS if name.partition("__")[0] not in known} == set()


def test_every_option_that_a_page_gives_a_command_is_on_the_page_of_commands(hooks: ModuleType) -> None:
    sections = {
        name.strip(): text for name, _, text in (part.partition("\n") for part in hooks.command_line().split("\n## "))
    }
    unknown = []
    for page in PAGES:
        for line in re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8")).splitlines():
            found = re.match(r"(?:\$ )?(?:\.venv/bin/)?(toolscale [a-z-]+(?: [a-z]+(?= |$))?)", line)
            if not found:
                continue
            command = next((name for name in (found[1], found[1].rpartition(" ")[0]) if name in sections), None)
            if command is None:
                unknown.append((page.name, line))
                continue
            options = re.findall(r"(?<= )--[a-z][a-z-]*", line.partition("   #")[0])
            unknown += [(page.name, line, option) for option in options if f"{option}" not in sections[command]]
    assert unknown == []


def test_every_setting_is_on_the_page_of_settings(hooks: ModuleType) -> None:
    page = hooks.settings()
    assert [name for name in Settings.model_fields if f"| `{name}` |" not in page] == []


def _prose(page: Path) -> str:
    """A page without its blocks of code, which may name files of the reader's."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def _headings(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    titles = re.findall(r"^#+ (.+)$", _prose(page), flags=re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}
