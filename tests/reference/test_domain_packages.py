"""A domain is what an installed package offers as an entry point of `toolscale.domains`, whoever wrote the package."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.reference.rehearsal import Stage, rehearse
from toolscale.checkers import GateContext, run_gates
from toolscale.errors import UserError
from toolscale.prompts import render
from toolscale.reference import domain
from toolscale.reference.domain import GROUP, domain_folders, reference_domain, reference_domains
from toolscale.reference.model import OfflineRequest, answer
from toolscale.synthesis.drafts import as_task
from toolscale.synthesis.intents import COUNT

KNOWN = reference_domains()
PAGE = Path(__file__).parents[2] / "docs" / "domain-package.md"
FOUND_ONCE = (domain._offers, reference_domains, domain_folders, reference_domain)


@pytest.fixture
def offer(tmp_path, monkeypatch):
    """Installs a package of one domain on `sys.path`: ``offer("the-shed", tool_shed="shed:DOMAIN")``."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(package: str, **domains: str) -> None:
        told = tmp_path / f"{package.replace('-', '_')}-1.0.dist-info"
        told.mkdir()
        (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {place}\n" for name, place in domains.items())
        (told / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}")
        _forget()

    yield install
    monkeypatch.undo()
    _forget()


def test_the_domains_of_this_package_and_of_others_are_known_by_name(offer, tmp_path):
    assert "railway" in KNOWN
    copy = tmp_path / "shed" / "__init__.py"
    copy.parent.mkdir()
    copy.write_text(
        "from dataclasses import replace\n"
        "from toolscale.reference.railway import DOMAIN as RAILWAY\n"
        "DOMAIN = replace(RAILWAY, name='tool_shed')\n"
    )
    offer("the-shed", tool_shed="shed:DOMAIN")
    assert set(reference_domains()) == {*KNOWN, "tool_shed"}
    assert tmp_path / "shed" in domain_folders()
    assert reference_domain("tool_shed").domain.name == "tool_shed"


@pytest.fixture
def documented(offer, tmp_path):
    """Installs the package that the documentation writes down; returns its folder."""
    for name, text in re.findall(r'^```\w+ title="(.+?)"\n(.*?)^```$', PAGE.read_text(encoding="utf-8"), re.M | re.S):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    offer(project["name"], **project["entry-points"][GROUP])
    return tmp_path / "tool_shed"


def rehearsal(packages: Path, *options: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(packages), *sys.path))
    command = [sys.executable, "-m", "tests.reference.rehearsal", "tool_shed", "--draws", "1", "--depth", "1", *options]
    return subprocess.run(
        [*command, "--attempts", "0", "--show", "0"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        cwd=PAGE.parents[1],
        check=False,
    )


def test_the_package_of_the_documentation_is_rehearsed_without_a_fault(documented):
    done = rehearsal(documented.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert "hire_tool " in done.stdout


@pytest.mark.parametrize(
    ("file", "right", "wrong", "complaint"),
    [
        (
            "wordings/hires.yaml",
            "extend {hire_id} by {days:count} days. new",
            "extend {hire_id} by {dya:count} days. new",
            "program `extend_hire`, voice `terse`: no fact fills the slot `dya`; there are member_id, hire_id, days",
        ),
        (
            "__init__.py",
            'identity="member_id"',
            'identity="member"',
            "`tool_shed`: program `hire_tool` draws no `member`, by which `identity` says that users are known; its "
            "facts are member_id, tool, days",
        ),
        (
            "wordings/domain.yaml",
            "    member {member_id}.",
            "    member {member}.",
            "`tool_shed`: wordings/domain.yaml, identity, voice `terse`: the only slot must be {member_id}, as the "
            "domain's `identity` says",
        ),
        (
            "programs/hires.py",
            'return {"member_id": hire["member_id"], "hire_id"',
            'return {"hire_id"',
            "`tool_shed`: program `extend_hire` draws no `member_id`, by which `identity` says that users are known; "
            "its facts are hire_id, days",
        ),
        (
            "programs/hires.py",
            'do("extend_hire"',
            'do("extend"',
            "`tool_shed`: the call of `extend` ends with UnknownFunction: there is no function `extend`. There are: "
            "extend_hire, get_member, hire_tool, list_hires, list_tools",
        ),
        (
            "functions/hires.py",
            "import uuid",
            "import uuid4 as uuid",
            "`tool_shed`: the call of `get_member` ends with ModuleNotFoundError: No module named 'uuid4'",
        ),
        (
            "functions/hires.py",
            "    hire_id: such as HI-4F82A1.\n",
            "",
            "the functions of `tool_shed`: `extend_hire`: parameter `hire_id` needs an annotation and a docstring line",
        ),
        ("entries.py", '"branch_id": branch_id, "name": person', '"branch_id": town, "name": person', "the entries of"),
        (
            "__init__.py",
            'name="tool_shed"',
            'name="shed"',
            "domain `tool_shed` of the package `tool-shed`: `tool_shed:DOMAIN` has the name `shed`; the entry point "
            "and the domain must be named alike",
        ),
    ],
)
def test_a_mistake_in_a_package_is_one_line_of_its_rehearsal(documented, file, right, wrong, complaint):
    _change(documented / file, right, wrong)
    done = rehearsal(documented.parent, "--draws", "8")
    assert done.returncode == 1
    assert done.stderr.startswith(complaint)
    assert done.stderr.count("\n") == 1


def test_dead_ends_are_counted_by_reason(documented):
    programs = documented / "programs" / "hires.py"
    _change(programs, "    tools = [row for", '    raise DeadEnd("it rains")\n    tools = [row for')
    done = rehearsal(documented.parent, "--only", "hire_tool")
    assert done.returncode == 1, "no task was made"
    assert "8x dead end: it rains" in done.stdout


def test_a_task_that_a_gate_refuses_fails_the_rehearsal(documented):
    _change(
        documented / "programs" / "hires.py",
        """hire_id=facts["hire_id"], days=facts["days"]""",
        """hire_id=facts["hire_id"], days=1""",
    )
    done = rehearsal(documented.parent, "--only", "extend_hire")
    assert done.returncode == 1
    assert "grounded: " in done.stdout


def test_a_build_of_too_few_programs_is_refused_by_the_offline_model_itself(documented):
    prompt = render("intents", domain=reference_domain("tool_shed").domain, functions=[], policy="", count=COUNT)
    with pytest.raises(UserError) as told:
        answer(OfflineRequest(prompt))
    assert str(told.value).startswith(
        "`tool_shed` has 2 programs; a build needs at least 12 intents, so write 10 more (or rehearse it with "
    )


def test_the_package_of_the_documentation_makes_tasks_that_pass_every_gate(documented):
    stage = Stage("tool_shed")
    made = rehearse(stage, stage.domain.programs, draws=2, size=60, depth=1)
    tasks = [as_task("tool_shed", "", each.draft) for each in made if not each.infeasible]
    context = GateContext(stage.sandbox)
    assert len(tasks) >= 4
    assert [each for task in tasks for each in run_gates(task, context) if not each.passed] == []


def test_two_packages_that_offer_one_name_are_named(offer):
    offer("the-shed", tool_shed="shed:DOMAIN")
    offer("another-shed", tool_shed="their_shed:DOMAIN")
    wanted = "^two packages offer a domain `tool_shed`, `another-shed` and `the-shed`: uninstall one of them$"
    with pytest.raises(UserError, match=wanted):
        reference_domain("tool_shed")


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        ("no_such_module:DOMAIN", "No module named 'no_such_module'"),
        ("toolscale.reference.railway:DOMAINS", "module 'toolscale.reference.railway' has no attribute 'DOMAINS'"),
        (
            "toolscale.reference.railway:DOMAIN",
            "`toolscale.reference.railway:DOMAIN` has the name `railway`; the entry point and the domain must be named "
            "alike",
        ),
        ("toolscale.reference.railway:SCHEMA", "`toolscale.reference.railway:SCHEMA` is no `ReferenceDomain`"),
    ],
)
def test_an_offer_that_cannot_be_kept_is_told_with_the_package_that_made_it(offer, place, complaint):
    offer("the-shed", tool_shed=place)
    with pytest.raises(UserError) as told:
        reference_domain("tool_shed")
    assert str(told.value) == f"domain `tool_shed` of the package `the-shed`: {complaint}"


def test_a_domain_that_nobody_offers_is_told_with_those_that_are_there():
    with pytest.raises(UserError, match=r"^the offline model knows no domain `tool_shed`, only .*railway.*--model"):
        reference_domain("tool_shed")


def _change(file: Path, right: str, wrong: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong), encoding="utf-8")


def _forget() -> None:
    for found in FOUND_ONCE:
        found.cache_clear()
