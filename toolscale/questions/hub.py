"""Which files of a data set on the Hub a split has, and those files on this machine, through the Hub's own client.

The card says it, as `datasets` reads it: the default config's `data_files`. Where it does not, the files' names do.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from toolscale.errors import UserError

CARD = "README.md"
USUAL = "train"
"""The split of files that name none."""

_SPLITS = {
    "train": ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing", "eval", "evaluation"),
}
"""Split -> how files and folders name it, where the card says nothing."""


def fetch_split(name: str, split: str, kinds: Sequence[str]) -> list[Path]:
    """The files of a split, in the Hub's cache on this machine, in the order of their names.

    Args:
        name: of the data set: owner/name.
        split: such as `train`.
        kinds: endings of the files that can be read.

    Raises:
        UserError: the Hub does not have it or does not give it, or the set has no such split.
    """
    from huggingface_hub import HfApi

    with _told_plainly(name):
        api = HfApi(library_name="toolscale")
        revision = api.dataset_info(name).sha
        paths = sorted(api.list_repo_files(name, repo_type="dataset", revision=revision))

        def fetched(path: str) -> Path:
            return Path(api.hf_hub_download(name, path, repo_type="dataset", revision=revision))

        patterns = _patterns(_config(name, fetched(CARD)) if CARD in paths else {})
        readable = [path for path in paths if path.endswith(tuple(kinds))]
        splits = _by_pattern(readable, patterns) if patterns else _by_name(readable)
        if not splits.get(split):
            there = ", ".join(sorted(each for each, files in splits.items() if files)) or "none that can be read"
            raise UserError(f"the data set {name} has no split `{split}`; its splits: {there}")
        return [fetched(path) for path in splits[split]]


def _config(name: str, card: Path) -> dict[str, Any]:
    """The config that is loaded unasked, as the card has it; empty where the card names none."""
    from huggingface_hub import metadata_load

    try:
        configs = (metadata_load(card) or {}).get("configs") or []
    except Exception as error:
        raise UserError(f"the card of the data set {name} cannot be read: download it and give the folder") from error
    chosen = [one for one in configs if one.get("default") or one.get("config_name") == "default"] or configs
    if len(chosen) > 1:
        named = ", ".join(str(one.get("config_name")) for one in configs)
        raise UserError(f"the data set {name} has several configs ({named}): download one and give the folder")
    return chosen[0] if chosen else {}


def _patterns(config: dict[str, Any]) -> dict[str, list[str]]:
    """Split -> patterns of its files. The card may give them as a list of splits, or alone for the usual one."""
    given = config.get("data_files") or []
    listed = [given] if isinstance(given, str | dict) else given
    inside = f"{config['data_dir'].strip('/')}/" if config.get("data_dir") else ""
    found: dict[str, list[str]] = {}
    for one in listed or ([{"path": "*"}] if inside else []):
        split, path = (one.get("split", USUAL), one["path"]) if isinstance(one, dict) else (USUAL, one)
        found.setdefault(split, []).extend(f"{inside}{each}" for each in ([path] if isinstance(path, str) else path))
    return found


def _by_pattern(paths: Sequence[str], patterns: dict[str, list[str]]) -> dict[str, list[str]]:
    return {
        split: [path for path in paths if any(fnmatchcase(path, pattern) for pattern in given)]
        for split, given in patterns.items()
    }


def _by_name(paths: Sequence[str]) -> dict[str, list[str]]:
    """`data/train-00000-of-00002.parquet`, `test.jsonl`, `validation/a.json`; files that say nothing are the usual."""
    splits: dict[str, list[str]] = {}
    for path in paths:
        words = set(re.split(r"[^a-z]+", path.lower().rpartition(".")[0]))
        named = [split for split, names in _SPLITS.items() if words & {*names}]
        splits.setdefault(named[0] if named else "", []).append(path)
    unnamed = splits.pop("", [])
    return splits or {USUAL: unnamed}


@contextmanager
def _told_plainly(name: str) -> Iterator[None]:
    import httpx
    from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError

    try:
        yield
    except (RepositoryNotFoundError, HFValidationError):
        raise UserError(
            f"the Hub has no data set {name} for you: see to its name, and to HF_TOKEN if it is gated; or download it "
            "and give the folder"
        ) from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, httpx.HTTPError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise UserError(f"{name} is not available from the Hub ({reason}): try again, or give a folder") from None
