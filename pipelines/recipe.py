"""One version for what an asset's rows follow from beside its inputs: code, prompts, packages, models and settings.

Dagster is told it as `code_version`, with the settings that the instance has; `pipelines/unchanged.py` asks for it with
those of a run.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import metadata
from platform import python_version
from typing import Any

from pipelines.factory import Factory
from pipelines.reach import hash_of_code
from toolscale.errors import UserError
from toolscale.llm.providers import is_ours, our_providers, provider_name
from toolscale.prompts import prompt_hash
from toolscale.settings import Settings
from toolscale.stages import Role


@dataclass(frozen=True)
class Recipe:
    """How an asset's rows are made."""

    code: str
    """A hash of the code and the prompts."""
    prompts: tuple[str, ...] = ()
    asks: tuple[Role, ...] = ()
    """Roles whose models it asks."""
    told: tuple[str, ...] = ()
    """Names of settings that it goes by, of `Factory` or of `Settings`."""

    def version(self, factory: Factory, settings: Settings, domain: str = "") -> str:
        """Its version for a run of this factory, whose settings these are.

        Without a domain it is the version for those of which the factory says nothing more.
        """
        answering = {role: settings.for_role(role) for role in self.asks}
        parts = [
            self.code,
            _packages(),
            {role: model.model_dump(mode="json") for role, model in answering.items()},
            sorted({_our_own(model.model) for model in answering.values() if is_ours(model.model)}),
            {name: _setting(name, factory, settings, domain) for name in self.told},
        ]
        return _hash(parts)

    def version_here(self) -> str:
        """Its version with the settings of the working directory, where these are not wrong."""
        settings = settings_here()
        return self.version(Factory.of(settings), settings) if settings else self.code


def recipe(
    *roots: Callable[..., Any] | str,
    prompts: tuple[str, ...] = (),
    asks: tuple[Role, ...] = (),
    told: tuple[str, ...] = (),
) -> Recipe:
    """The recipe of functions, or of modules given by name, with all that they reach."""
    return Recipe(_hash([hash_of_code(*roots), prompt_hash(*prompts)]), prompts, asks, told)


def settings_here() -> Settings | None:
    """The settings of the working directory; None where they are wrong, which whoever needs them says.

    Dagster wants an asset's code version and pool as the asset is defined, so these settings are read while modules
    load. A change of them shows in the UI once the code location is loaded again; a run reads its own.
    """
    try:
        return Settings.load()
    except UserError:
        return None


def _setting(name: str, factory: Factory, settings: Settings, domain: str) -> Any:
    if name == "tasks_per_domain":
        return factory.first_tasks(domain)
    return getattr(settings if name in Settings.model_fields else factory, name)


@cache
def _our_own(model: str) -> str:
    """A hash of a model that is part of the program."""
    return hash_of_code(our_providers()[provider_name(model)].module)


@cache
def _packages() -> str:
    """The versions of Python and of the packages that ours asks for, without the extras."""
    named = (re.match(r"[\w.-]+", line) for line in metadata.requires("toolscale") or [] if "extra ==" not in line)
    packages = sorted({name[0] for name in named if name})
    return _hash([python_version(), *(f"{package} {_installed(package)}" for package in packages)])


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # not for this platform
        return ""


def _hash(parts: list[Any]) -> str:
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]
