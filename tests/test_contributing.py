"""What contributors are told to run and to read is there: the guide, the hooks, the devcontainer, the issue forms."""

import json
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
FORMS = sorted(set((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")) - {ROOT / ".github/ISSUE_TEMPLATE/config.yml"})


def targets_in(text: str) -> set[str]:
    """The targets that `make` is given somewhere in a text."""
    told = re.findall(r"(?:^|`|&& )make ([a-z][a-z0-9 -]*[a-z0-9])", text, re.MULTILINE)
    return {target for targets in told for target in targets.split()}


def test_every_target_that_the_guide_names_is_there():
    devcontainer = (ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8")
    told = targets_in(GUIDE) | targets_in(devcontainer)
    assert {"setup", "hooks", "test", "test-slow"} <= told
    assert told <= set(re.findall(r"^([a-z0-9-]+):", MAKEFILE, re.MULTILINE))


def test_every_path_that_the_guide_names_is_there():
    named = set(re.findall(r"\b(?:toolscale|tests|docs|prompts)/[\w./-]*\w", GUIDE))
    assert len(named) > 10
    assert {path for path in named if "NAME" not in path and not (ROOT / path).exists()} == set()


def test_the_site_s_page_is_the_guide_with_links_of_its_own():
    page = (ROOT / "docs/contributing.md").read_text(encoding="utf-8")
    assert '--8<-- "CONTRIBUTING.md:body"' in page
    link = re.compile(r"^\[\w+\]: \S+$", re.MULTILINE)
    assert link.findall(GUIDE.replace(": docs/", ": ")) == link.findall(page)


def test_hooks_run_what_make_test_runs_and_renew_the_schemas():
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert repository["repo"] == "local", "a hook of another's would have a version of its own"
    entries = {hook["entry"].removeprefix(".venv/bin/").removesuffix(" --fix") for hook in repository["hooks"]}
    recipe = MAKEFILE.partition("\ntest:")[2].partition("\n\n")[0]
    checks = re.findall(r"\$\(BIN\)/((?:ruff \w+|mypy|lint-imports)[^\n.]*)", recipe)
    quick = {check.replace(" --check --quiet", "").strip() for check in checks}
    assert entries == quick | {"python -m toolscale.artifacts.export schemas"}


def test_the_devcontainer_is_built_from_its_own_file():
    text = (ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8")
    told = json.loads(re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    assert (ROOT / ".devcontainer" / told["build"]["dockerfile"]).exists()


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_an_issue_form_has_a_name_a_description_and_fields_of_one_id_each(form: Path):
    told = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert told["name"]
    assert told["description"]
    fields = [field["id"] for field in told["body"]]
    assert len(fields) == len(set(fields)) > 0
    assert all(field["attributes"]["label"] for field in told["body"])
