"""What a run need not make again: domains, and a dataset, that were made of the same and lie as they were left.

Each has a record under the data root: a hash of all that its rows depend on (the version of every stage, which Dagster
is told too, and the domain's description), and the hashes of its files.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from upath import UPath

from pipelines.assets.preferences import preferences_file
from pipelines.assets.release import local_folder
from pipelines.assets.stage import OVER_ALL, STAGES
from pipelines.domains import read_domain
from pipelines.factory import Factory
from pipelines.lineage import version_of
from pipelines.shortage import noted_shortage
from pipelines.storage import stored_files, write_whole
from toolscale.input_files import files_in


def domain_unchanged(factory: Factory, domain: str) -> bool:
    """True if generating the domain would make what lies there, and nothing that was wanted of it is missing."""
    return not noted_shortage(factory.data_root, domain) and domain_lies_as_made(factory, domain)


def domain_lies_as_made(factory: Factory, domain: str) -> bool:
    """True if the domain was made of the same and nobody touched it, though fewer tasks than wanted may be kept."""
    return _record(factory, domain).exists() and _holds(
        _record(factory, domain), domain_ingredients(factory, domain), stored_files(factory.data_root, domain)
    )


def note_domain(factory: Factory, domain: str) -> None:
    """Remember that the domain was just generated, and how its files lie."""
    _note(_record(factory, domain), domain_ingredients(factory, domain), stored_files(factory.data_root, domain))


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
    return {"made_of": ingredients, "files": {str(file): sha256(file.read_bytes()).hexdigest() for file in files}}


def domain_ingredients(factory: Factory, domain: str) -> str:
    """A hash of all that the domain's rows depend on."""
    described = read_domain(factory.data_root, domain).model_dump_json()
    settings = factory.settings()
    stages = [f"{name} {stage.version(factory, settings, domain)}" for name, stage in sorted(STAGES.items())]
    return version_of([described, *stages])


def _dataset_ingredients(factory: Factory, domains: Sequence[str]) -> str:
    made = [_record(factory, domain).read_text(encoding="utf-8") for domain in sorted(domains)]
    file = preferences_file(factory.data_root)
    preferred = [file.read_text(encoding="utf-8")] if file.exists() else []
    instances = factory.instances()
    drawn = [instances.fingerprint] if instances else []
    return version_of([OVER_ALL["dataset"].version(factory, factory.settings()), *made, *preferred, *drawn])


def _dataset_files(factory: Factory) -> list[UPath]:
    folder = local_folder(factory.dataset)
    return [UPath(file) for file in files_in(folder, deep=True)]


def _record(factory: Factory, domain: str) -> UPath:
    return UPath(factory.data_root) / "made" / f"{domain}.json"


def _dataset_record(factory: Factory) -> UPath:
    place = version_of([str(local_folder(factory.dataset).resolve())])
    return UPath(factory.data_root) / "made" / "datasets" / f"{place}.json"
