"""A dataset arrives at the Hub whole, once, under a tag of its content, and private unless somebody says otherwise."""

import json
import shutil

import pytest

from tests.dataset.hub import hub
from tests.dataset.small import FIRST, contents, write_small
from toolscale.cli import main
from toolscale.dataset import write_dataset
from toolscale.dataset.push import push
from toolscale.dataset.release import release
from toolscale.errors import UserError

REPOSITORY = "team/shop"


@pytest.fixture
def server(monkeypatch, tmp_path):
    from huggingface_hub import close_session

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    close_session()  # one that another test made knows that test's settings
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.setenv("HF_TOKEN", "hf_writer")
    with hub() as started:
        yield started


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("push") / "dataset"
    write_small(folder)
    return folder


@pytest.fixture
def folder(written, tmp_path):
    return shutil.copytree(written, tmp_path / "dataset")


def downloaded(server, target, revision):
    from huggingface_hub import snapshot_download

    snapshot_download(REPOSITORY, repo_type="dataset", revision=revision, endpoint=server.address, local_dir=target)
    return {path: path.read_bytes() for path in target.rglob("*") if path.is_file() and "/." not in str(path)}


def sent(server):
    """The requests that change something."""
    return [line for line in server.requests() if line.split()[0] in ("POST", "PUT")]


def test_what_is_downloaded_is_what_was_pushed_byte_for_byte(server, folder, tmp_path):
    (folder / ".DS_Store").write_text("hidden files stay at home")
    pushed = push(release(folder), REPOSITORY, endpoint=server.address)
    assert pushed.outcome == "published"
    got = {
        path.relative_to(tmp_path / "got").as_posix(): data
        for path, data in downloaded(server, tmp_path / "got", pushed.version).items()
    }
    local = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "LICENSE" in got
    assert got == {path: data for path, data in local.items() if path != ".DS_Store"}
    large = [line for line in server.requests() if line.startswith("PUT /large/")]
    assert len(large) == 12, "Parquet and pictures go as large files"


@pytest.mark.parametrize("public", [False, True])
def test_a_repository_is_private_unless_public_is_said(server, folder, public):
    from huggingface_hub import HfApi

    push(release(folder), REPOSITORY, public=public, endpoint=server.address)
    assert HfApi(endpoint=server.address).dataset_info(REPOSITORY).private is not public


def test_nothing_private_is_pushed_into_a_repository_that_is_public(server, folder):
    push(release(folder), REPOSITORY, public=True, endpoint=server.address)
    before = sent(server)
    with pytest.raises(UserError, match="is public on the Hub: say --public"):
        push(release(folder), REPOSITORY, endpoint=server.address)
    assert sent(server) == before


def test_the_same_content_is_published_once(server, folder):
    first = push(release(folder), REPOSITORY, endpoint=server.address)
    before = sent(server)
    again = push(release(folder), REPOSITORY, endpoint=server.address)
    assert (again.outcome, again.version) == ("unchanged", first.version)
    assert sent(server) == before


def test_a_push_that_was_cut_off_before_its_tag_only_adds_the_tag(server, folder):
    server.fails("/tag/", 500, times=1)
    with pytest.raises(UserError, match="status 500"):
        push(release(folder), REPOSITORY, endpoint=server.address)
    assert push(release(folder), REPOSITORY, endpoint=server.address).outcome == "tagged"
    assert sum("/commit/" in line for line in sent(server)) == 1


def test_a_tag_with_other_content_is_refused(server, folder):
    from huggingface_hub import HfApi

    what = release(folder)
    push(what, REPOSITORY, endpoint=server.address)
    (folder / "README.md").write_text((folder / "README.md").read_text() + "\nMore.\n")
    other = release(folder)
    assert other.version != what.version
    HfApi(endpoint=server.address).create_tag(REPOSITORY, tag=other.version, repo_type="dataset")
    with pytest.raises(UserError, match="with other content"):
        push(other, REPOSITORY, endpoint=server.address)


def test_a_new_version_takes_away_the_files_that_it_no_longer_has(server, folder, tmp_path):
    shutil.copy(folder / "tasks/train.parquet", folder / "tasks/extra.parquet")
    push(release(folder), REPOSITORY, endpoint=server.address)
    (folder / "tasks/extra.parquet").unlink()
    push(release(folder), REPOSITORY, endpoint=server.address)
    assert not any(path.name == "extra.parquet" for path in downloaded(server, tmp_path / "got", "main"))


def test_a_pull_request_leaves_main_alone_and_is_opened_once(server, folder, tmp_path, monkeypatch):
    push(release(folder), REPOSITORY, endpoint=server.address)
    (folder / "README.md").write_text((folder / "README.md").read_text() + "\nMore.\n")
    monkeypatch.setenv("HF_TOKEN", "hf_reader")  # who may not write may still propose
    proposed = push(release(folder), REPOSITORY, pull_request=True, endpoint=server.address)
    assert proposed.outcome == "pull request"
    assert proposed.url.endswith("/discussions/1")
    again = push(release(folder), REPOSITORY, pull_request=True, endpoint=server.address)
    assert (again.outcome, again.url) == ("unchanged", proposed.url)
    assert not any(b"\nMore." in data for data in downloaded(server, tmp_path / "main", "main").values())
    assert any(b"\nMore." in data for data in downloaded(server, tmp_path / "pr", "refs/pr/1").values())


@pytest.mark.parametrize(
    ("token", "repository", "fault", "message"),
    [
        ("", REPOSITORY, None, "no token for the Hub: set HF_TOKEN"),
        ("hf_wrong", REPOSITORY, None, "does not accept the token"),
        ("hf_reader", REPOSITORY, None, "may not write to team/shop"),
        ("hf_writer", "others/shop", None, "may not write to others/shop"),
        ("hf_writer", "shop", None, "give owner/name"),
        ("hf_writer", "team/a b", None, "not a name that the Hub takes"),
        ("hf_writer", REPOSITORY, ("/refs", 503, "maintenance"), r"status 503 \(maintenance\)"),
        ("hf_writer", REPOSITORY, ("/commit/", 429, "slow down"), "limits the rate"),
        ("hf_writer", REPOSITORY, ("/commit/", 402, "pay"), "no space for team/shop"),
        ("hf_writer", REPOSITORY, ("/objects/batch", 403, "Private storage limit reached"), "no space for team/shop"),
        ("hf_writer", REPOSITORY, ("validate-yaml", 400, "bad card"), r"status 400 \(bad card\)"),
        ("hf_writer", REPOSITORY, ("/large/", 403, "link expired"), "link expired"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_goes_wrong_is_said_in_one_line(server, folder, monkeypatch, token, repository, fault, message):
    monkeypatch.setenv("HF_TOKEN", token)
    if fault:
        server.fails(*fault)
    with pytest.raises(UserError, match=message):
        push(release(folder), repository, endpoint=server.address)


def test_a_hub_that_is_not_there_is_said_in_one_line(server, folder):
    with pytest.raises(UserError, match="cannot be reached"):
        push(release(folder), REPOSITORY, endpoint="http://127.0.0.1:9")


def test_a_dry_run_lists_every_file_and_asks_nobody(folder, monkeypatch, capsys):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv("TOOLSCALE_HUB_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("sys.argv", ["toolscale", "push", str(folder), "--repo", REPOSITORY, "--dry-run", "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    listed = json.loads(capsys.readouterr().out)
    assert listed["version"] == release(folder).version
    assert {file["path"]: file["bytes"] for file in listed["files"]} == {
        path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()
    }


def test_only_a_dataset_that_loads_again_is_a_release(folder, tmp_path):
    with pytest.raises(UserError, match="no such folder"):
        release(tmp_path / "nowhere")
    (folder / "environments/train.parquet").write_bytes(b"cut off")
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        release(folder)
    (folder / "README.md").unlink()
    with pytest.raises(UserError, match="no dataset card"):
        release(folder)


def test_a_dataset_without_tasks_is_no_release(tmp_path):
    write_dataset(tmp_path / "empty", **contents(tasks=[], rejected=[], trajectories=[]))
    with pytest.raises(UserError, match="no tasks"):
        release(tmp_path / "empty")


def test_the_version_follows_from_the_content_alone(folder, tmp_path):
    elsewhere = shutil.copytree(folder, tmp_path / "elsewhere")
    assert release(folder).version == release(elsewhere).version
    write_dataset(elsewhere, **contents(tasks=[FIRST]))
    assert release(folder).version != release(elsewhere).version
