"""What a run need not make again: domains, and a dataset, that were made of the same and lie as they were left.

Each has a record under the data root: a hash of all that its rows depend on (the factory's source and prompts, the
versions of its packages, the settings, the domain's description), and the hashes of its files.
"""

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from platform import python_version
from typing import Any, get_args

from upath import UPath

import pipelines
import toolscale
from pipelines.assets.preferences import preferences_file
from pipelines.assets.release import local_folder
from pipelines.domains import read_domain
from pipelines.factory import Factory
from pipelines.storage import stored_files, write_whole
from toolscale.prompts import data_folder
from toolscale.settings import Role

_OF_NO_MATTER = {"data_root", "dataset", "domains", "run", "max_cost", "max_calls", "cost_per_task"}
_OF_NO_MATTER |= {"tasks_per_domain", "more_tasks"}
"""What a factory is told and the rows of a domain do not depend on."""

_SETTINGS = {"attempts", "stop_at_first_success", "user_mode", "max_turns"}


def domain_unchanged(factory: Factory, domain: str) -> bool:
    """True if generating the domain would make what lies there."""
    return _holds(
        _record(factory, domain), _domain_ingredients(factory, domain), stored_files(factory.data_root, domain)
    )


def note_domain(factory: Factory, domain: str) -> None:
    """Remember that the domain was just generated, and how its files lie."""
    _note(_record(factory, domain), _domain_ingredients(factory, domain), stored_files(factory.data_root, domain))


def dataset_unchanged(factory: Factory, domains: Sequence[str]) -> bool:
    """True if a release of these domains would write the dataset that lies there."""
    return _holds(_dataset_record(factory), _dataset_ingredients(factory, domains), _dataset_files(factory))


def note_dataset(factory: Factory, domains: Sequence[str]) -> None:
    """Remember that the dataset was just written, and how its files lie."""
    _note(_dataset_record(factory), _dataset_ingredients(factory, domains), _dataset_files(factory))


def _holds(record: UPath, ingredients: str, files: Sequence[UPath]) -> bool:
    try:
        return bool(json.loads(record.read_text(encoding="utf-8")) == _noted(ingredients, files))
    except (FileNotFoundError, ValueError):
        return False


def _note(record: UPath, ingredients: str, files: Sequence[UPath]) -> None:
    write_whole(record, json.dumps(_noted(ingredients, files), indent=1).encode())


def _noted(ingredients: str, files: Sequence[UPath]) -> dict[str, Any]:
    return {"made_of": ingredients, "files": {str(file): _hash([file.read_bytes()]) for file in files}}


def _domain_ingredients(factory: Factory, domain: str) -> str:
    settings = factory.settings()
    answering = [settings.for_role(role).model_dump(mode="json") for role in get_args(Role)]
    parts = [
        _program(),
        read_domain(factory.data_root, domain).model_dump(mode="json"),
        factory.model_dump(mode="json", exclude=_OF_NO_MATTER),
        factory.first_tasks(domain),
        settings.model_dump(mode="json", include=_SETTINGS),
        answering,
    ]
    return _hash([json.dumps(parts, sort_keys=True).encode()])


def _dataset_ingredients(factory: Factory, domains: Sequence[str]) -> str:
    made = [_record(factory, domain).read_text(encoding="utf-8") for domain in sorted(domains)]
    file = preferences_file(factory.data_root)
    preferred = [file.read_bytes()] if file.exists() else []
    return _hash([_program().encode(), *(text.encode() for text in made), *preferred])


def _dataset_files(factory: Factory) -> list[UPath]:
    folder = local_folder(factory.dataset)
    return [UPath(file) for file in sorted(folder.rglob("*")) if file.is_file()]


def _record(factory: Factory, domain: str) -> UPath:
    return UPath(factory.data_root) / "made" / f"{domain}.json"


def _dataset_record(factory: Factory) -> UPath:
    place = _hash([str(local_folder(factory.dataset).resolve()).encode()])[:12]
    return UPath(factory.data_root) / "made" / "datasets" / f"{place}.json"


@cache
def _program() -> str:
    """A hash of all code and prompts that could make a difference, with the versions of what they run on."""
    roots = [Path(package.__path__[0]) for package in (toolscale, pipelines)] + [data_folder("prompts")]
    files = [file for root in roots for file in sorted(root.rglob("*")) if file.suffix in (".py", ".j2", ".md")]
    versions = [python_version(), *(f"{name} {_version(name)}" for name in _requirements())]
    return _hash(
        [*(part for file in files for part in (file.name.encode(), file.read_bytes())), *map(str.encode, versions)]
    )


def _requirements() -> list[str]:
    """The names of the packages that ours asks for, without the extras."""
    named = (re.match(r"[\w.-]+", line) for line in metadata.requires("toolscale") or [] if "extra ==" not in line)
    return sorted({name[0] for name in named if name})


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # not for this platform
        return ""


def _hash(parts: Iterable[bytes]) -> str:
    digest = sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
