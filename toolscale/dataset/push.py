"""`toolscale push`: a dataset folder to the Hugging Face Hub, through the Hub's own client."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.hub_errors import told_plainly
from toolscale.dataset.release import Release
from toolscale.errors import UserError

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
    from huggingface_hub.hf_api import RepoFile

PushResult = Literal["published", "tagged", "pull request", "unchanged"]


@dataclass(frozen=True)
class Pushed:
    """What a push came to."""

    outcome: PushResult
    """`tagged`: the content was there already, and only its tag was missing."""
    repository: str
    version: str
    url: str
    """Where to look at it: the repository at this version, or the pull request."""


def push(
    release: Release, repository: str, *, public: bool = False, pull_request: bool = False, endpoint: str | None = None
) -> Pushed:
    """Publish a release as a dataset repository, in one commit, under a tag that follows from its content.

    A repository that does not exist is created, private unless `public`. The same content twice is published once.
    `endpoint` is the Hub's address; None is the client's own choice (``HF_ENDPOINT``, else huggingface.co), as are
    the token (``HF_TOKEN``, or what `hf auth login` kept) and the way large files go.

    Raises:
        UserError: there is no token, it may not do this, the name is wrong, the repository is public and `public` was
            not said, the tag is there with other content, or the Hub cannot be reached or fails.
    """
    from huggingface_hub import HfApi

    api = HfApi(endpoint=endpoint, library_name="toolscale")
    check_name(repository)
    _check_token()
    with told_plainly(repository, api.endpoint):
        _see_to_repository(api, repository, public)
        return _publish(api, release, repository, pull_request)


def check_name(repository: str) -> None:
    """Raises `UserError` if the Hub would not take the name of a repository."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils._validators import validate_repo_id

    try:
        validate_repo_id(repository)
    except HFValidationError as error:
        raise UserError(f"--repo {repository}: not a name that the Hub takes: {error}") from None
    if repository.count("/") != 1:
        raise UserError(f"--repo {repository}: give owner/name, such as my-team/toolscale")


def _check_token() -> None:
    from huggingface_hub import get_token

    if not get_token():
        raise UserError("no token for the Hub: set HF_TOKEN to one that may write, or log in with `hf auth login`")


def _see_to_repository(api: "HfApi", repository: str, public: bool) -> None:
    """Create the repository, or see that pushing to the one that is there publishes no more than was asked for."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        there = api.dataset_info(repository)
    except RepositoryNotFoundError:
        api.create_repo(repository, repo_type="dataset", private=not public, exist_ok=True)
        return
    if not there.private and not public:
        raise UserError(f"{repository} is public on the Hub: say --public, or choose another --repo")
    if there.private and public:
        raise UserError(
            f"{repository} is private on the Hub: make it public in its settings there, or push without --public"
        )


def _publish(api: "HfApi", release: Release, repository: str, pull_request: bool) -> Pushed:
    def pushed(outcome: PushResult, url: str = "") -> Pushed:
        at = f"{api.endpoint}/datasets/{repository}/tree/{release.version}"
        return Pushed(outcome, repository, release.version, url or at)

    if _is_tagged(api, release, repository):
        return pushed("unchanged")
    there = {file.path: file for file in _files_at(api, repository, "main")}
    if _same_content(release, there):
        _tag(api, release, repository, "main")
        return pushed("tagged")
    title = f"ToolScale dataset {release.version}"
    if pull_request and (open_one := _open_pull_request(api, repository, title)):
        return pushed("unchanged", open_one)
    commit = api.create_commit(
        repository,
        _operations(release, there),
        commit_message=title,
        commit_description=f"{release.tasks} tasks in {release.environments} environments.",
        repo_type="dataset",
        create_pr=pull_request,
    )
    if pull_request:
        return pushed("pull request", commit.pr_url or commit.commit_url)
    _tag(api, release, repository, commit.oid)
    return pushed("published")


def _is_tagged(api: "HfApi", release: Release, repository: str) -> bool:
    """Whether the version is there already. Raises `UserError` if its tag is there with other content."""
    tags = [tag.name for tag in api.list_repo_refs(repository, repo_type="dataset").tags]
    if release.version not in tags:
        return False
    if _same_content(release, {file.path: file for file in _files_at(api, repository, release.version)}):
        return True
    raise UserError(
        f"{repository} has a tag {release.version} with other content than {release.folder}: "
        "somebody moved the tag; delete it on the Hub, or choose another --repo"
    )


def _files_at(api: "HfApi", repository: str, revision: str) -> Iterable["RepoFile"]:
    from huggingface_hub.hf_api import RepoFile

    tree = api.list_repo_tree(repository, recursive=True, revision=revision, repo_type="dataset")
    return [entry for entry in tree if isinstance(entry, RepoFile)]


def _same_content(release: Release, there: dict[str, "RepoFile"]) -> bool:
    def same(sha256: str, git_id: str, file: "RepoFile | None") -> bool:
        return file is not None and (file.lfs.sha256 == sha256 if file.lfs else file.blob_id == git_id)

    return not _stale(release, there) and all(
        same(file.sha256, file.git_id, there.get(file.path)) for file in release.files
    )


def _stale(release: Release, there: Iterable[str]) -> list[str]:
    """Files of an earlier version that this one no longer has: a reader of the folder would read them too."""
    ours = {file.path for file in release.files}
    return [path for path in there if path not in ours and path.split("/")[0] in SCHEMAS]


def _operations(release: Release, there: Iterable[str]) -> "list[CommitOperationAdd | CommitOperationDelete]":
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    return [
        *(CommitOperationAdd(file.path, file.source) for file in release.files),
        *(CommitOperationDelete(path) for path in _stale(release, there)),
    ]


def _tag(api: "HfApi", release: Release, repository: str, revision: str) -> None:
    # Somebody who pushes the same content at the same time may have been first; the content is the same.
    api.create_tag(repository, tag=release.version, revision=revision, repo_type="dataset", exist_ok=True)


def _open_pull_request(api: "HfApi", repository: str, title: str) -> str | None:
    """The address of an open pull request with this very content, if there is one."""
    discussions = api.get_repo_discussions(
        repository, repo_type="dataset", discussion_type="pull_request", discussion_status="open"
    )
    return next((one.url for one in discussions if one.title == title), None)
