"""Where an asset's code and prompts lie, for its page: links to GitHub or GitLab where they were pushed, else paths."""

import inspect
import re
import subprocess
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg

from toolscale.prompts import data_folder

_HOSTED = re.compile(
    r"(?:https://|ssh://)?(?:[^@/]+@)?(?P<host>[\w.-]*(?:github|gitlab)[\w.-]*)[:/](?P<path>[\w./-]+?)(\.git)?/?"
)
"""The address of a remote, with a user, a password or without; `git@host:path` too."""


def code_references(function: Callable[..., Any], prompts: Sequence[str] = ()) -> dict[str, Any]:
    """Metadata of an asset: the function that makes its rows, and the prompts that it renders."""
    file, line = inspect.getsourcefile(function), inspect.getsourcelines(function)[1]
    assert file is not None, f"{function} lies in no file"
    code = dg.LocalFileCodeReference(file_path=file, line_number=line, label=function.__name__.removeprefix("_"))
    folder = data_folder("prompts")
    texts = [dg.LocalFileCodeReference(file_path=f"{folder}/{name}.j2", label=f"prompt {name}") for name in prompts]
    return {"dagster/code_references": dg.CodeReferencesMetadataValue(code_references=[code, *texts])}


def linked(assets: Iterable[Any]) -> Sequence[Any]:
    """The assets, with their references to code as links where this commit has been pushed to GitHub or GitLab."""
    hosted = _hosted()
    if hosted is None:
        return list(assets)
    url, commit, place = hosted
    mapping = dg.AnchorBasedFilePathMapping(local_file_anchor=Path(__file__), file_anchor_path_in_repository=place)
    return dg.link_code_references_to_git(list(assets), git_url=url, git_branch=commit, file_path_mapping=mapping)


@cache
def _hosted() -> tuple[str, str, str] | None:
    """The repository's page, this commit, and this file's path in it; None where nobody could open the link."""
    here = Path(__file__)
    try:
        place = _git("ls-files", "--full-name", "--error-unmatch", here.name)
        remote, commit = _git("remote", "get-url", "origin"), _git("rev-parse", "HEAD")
        pushed = _git("for-each-ref", "--count=1", "--contains", commit, "refs/remotes/origin")
    except (OSError, subprocess.SubprocessError):  # no git, no repository, not in it, or no remote
        return None
    url = page_of(remote)
    return (url, commit, place) if url and pushed else None


def page_of(remote: str) -> str | None:
    """The page of a repository at GitHub or GitLab, given its remote; a password in it is left out."""
    found = _HOSTED.fullmatch(remote)
    return f"https://{found['host']}/{found['path']}" if found else None


def _git(*arguments: str) -> str:
    told = subprocess.run(
        ["git", *arguments], cwd=Path(__file__).parent, capture_output=True, text=True, check=True, timeout=10
    )
    return told.stdout.strip()
