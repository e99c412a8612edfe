"""An asset's page leads to the code and the prompts that its rows follow from."""

import subprocess
from pathlib import Path

import dagster as dg
import pytest

from pipelines import code_references
from pipelines.code_references import linked, page_of
from pipelines.definitions import definitions
from pipelines.factory import Factory
from toolscale.settings import Settings
from toolscale.synthesis.chain import CHAIN


@pytest.fixture
def references(tmp_path):
    """Asset -> what its page links to."""
    loaded = definitions(Factory.of(Settings(data_root=str(tmp_path))), str(tmp_path))
    specs = loaded.resolve_all_asset_specs()
    found = {spec.key.to_user_string(): spec.metadata["dagster/code_references"] for spec in specs}
    return {name: getattr(value, "value", value).code_references for name, value in found.items()}


def test_every_asset_leads_to_lines_that_are_there(references):
    for name, found in references.items():
        for each in found:
            lines = Path(each.file_path).read_text(encoding="utf-8").splitlines()
            assert 0 < (each.line_number or 1) <= len(lines), name


@pytest.mark.parametrize("stage", CHAIN, ids=lambda stage: stage.name)
def test_a_stage_leads_to_its_own_function_and_to_each_of_its_prompts(references, stage):
    code, *prompts = references[stage.name]
    line = Path(code.file_path).read_text(encoding="utf-8").splitlines()[code.line_number - 1]
    assert line.split("(")[0].split()[-1] == stage.function.__name__
    assert [Path(each.file_path).name for each in prompts] == [f"{name}.j2" for name in stage.prompts]


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("https://github.com/team/factory.git", "https://github.com/team/factory"),
        ("git@github.com:team/factory.git", "https://github.com/team/factory"),
        ("ssh://git@gitlab.acme.io/team/sub/factory", "https://gitlab.acme.io/team/sub/factory"),
        ("https://user:secret@gitlab.com/team/factory", "https://gitlab.com/team/factory"),
        ("https://example.org/team/factory.git", None),
        ("/srv/git/factory.git", None),
    ],
)
def test_a_remote_is_linked_without_its_password_where_its_host_is_known(remote, page):
    assert page_of(remote) == page


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with a copy of the module, whose remote is GitHub's address of a repository of this machine."""
    folder, there = tmp_path / "checkout", tmp_path / "there"
    copy = folder / "pipelines" / "code_references.py"
    copy.parent.mkdir(parents=True)
    copy.write_text("")

    def git(*arguments, cwd=folder):
        whose = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        done = subprocess.run(["git", *whose, *arguments], cwd=cwd, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "--bare", str(there), cwd=tmp_path)
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    git("remote", "add", "origin", str(there))
    git("push", "origin", "HEAD")
    git("remote", "set-url", "origin", "git@github.com:team/factory.git")
    monkeypatch.setattr(code_references, "__file__", str(copy))
    code_references._hosted.cache_clear()
    yield git
    code_references._hosted.cache_clear()


def referring(checkout_file):
    """An asset whose code lies beside the module."""
    reference = dg.LocalFileCodeReference(file_path=str(checkout_file), line_number=7)

    @dg.asset(metadata={"dagster/code_references": dg.CodeReferencesMetadataValue(code_references=[reference])})
    def asset(): ...

    [found] = linked([asset])
    [shown] = found.metadata_by_key[dg.AssetKey("asset")]["dagster/code_references"].code_references
    return shown


def test_what_was_pushed_is_linked_at_its_commit(checkout, tmp_path):
    commit = checkout("rev-parse", "HEAD")
    shown = referring(tmp_path / "checkout" / "prompts" / "subjects.j2")
    assert shown.url == f"https://github.com/team/factory/tree/{commit}/prompts/subjects.j2#L7"


def test_a_commit_that_nobody_else_has_is_not_linked(checkout, tmp_path):
    checkout("commit", "--allow-empty", "-m", "second")
    assert referring(tmp_path / "checkout" / "prompts" / "subjects.j2").line_number == 7


def test_without_a_repository_the_files_here_are_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(code_references, "__file__", str(tmp_path / "code_references.py"))
    code_references._hosted.cache_clear()
    assert referring(tmp_path / "prompts" / "subjects.j2").file_path == str(tmp_path / "prompts" / "subjects.j2")
    code_references._hosted.cache_clear()
