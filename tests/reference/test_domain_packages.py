"""A domain is what an installed package offers as an entry point of `toolscale.domains`, whoever wrote the package."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.reference.rehearsal import Stage, rehearse
from toolscale.checkers import GateContext, run_gates
from toolscale.errors import UserError
from toolscale.reference import domain
from toolscale.reference.domain import GROUP, domain_folders, reference_domain, reference_domains
from toolscale.synthesis.drafts import as_task

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


def test_the_package_of_the_documentation_makes_tasks_that_pass_every_gate(offer, tmp_path):
    for name, text in re.findall(r'^```\w+ title="(.+?)"\n(.*?)^```$', PAGE.read_text(encoding="utf-8"), re.M | re.S):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    offer(project["name"], **project["entry-points"][GROUP])
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
        ("toolscale.reference.railway:DOMAIN", "`toolscale.reference.railway:DOMAIN` is no domain of that name"),
        ("toolscale.reference.railway:SCHEMA", "`toolscale.reference.railway:SCHEMA` is no domain of that name"),
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


def _forget() -> None:
    for found in FOUND_ONCE:
        found.cache_clear()
