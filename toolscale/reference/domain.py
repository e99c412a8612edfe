"""What a reference domain is made of, and where to find it by name."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import jinja2

from toolscale.artifacts import PRESENT, Database, Domain, Function, TaskProgram
from toolscale.errors import UserError
from toolscale.reference.program import Description, Program, Twist, World
from toolscale.reference.source import read_constants, read_functions
from toolscale.reference.task_programs import read_task_programs
from toolscale.reference.voices import VOICES
from toolscale.reference.words import AboutDomain, about_domain
from toolscale.templates.spelling import spelt
from toolscale.templates.template import slots

GROUP = "toolscale.domains"
"""The entry points by which packages offer domains: a name, and the `ReferenceDomain` that it stands for."""


_POLICIES = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True, autoescape=False)
_POLICIES.filters["spelt"] = spelt


def anybody(persona: str, world: World, user: str) -> bool:
    """What a domain says that knows nothing of its users' callings."""
    return True


@dataclass(frozen=True)
class ReferenceDomain:
    """A domain written by hand: the content behind the offline model's answers.

    ``world(seed)`` gives, subject by subject in order, the entries that belong to it; references point to the same or
    an earlier subject. ``implausible`` says what in a set of entries is unnatural; ``blemish`` makes one entry so.
    """

    name: str
    folder: Path
    schema: dict[str, Any]
    world: Callable[[int], Mapping[str, Database]]
    implausible: Callable[[Database], list[str]]
    blemish: Callable[[Database, Random], None]
    identity: str
    """The field that says who the user is, such as ``passenger_id``."""
    programs: tuple[Program, ...]
    twists: tuple[Twist, ...] = ()
    """What can be added to any request: distractors, questions (`after`), conditions (`before`)."""
    descriptions: tuple[Description, ...] = ()
    """How users name entries whose ids they do not know."""
    away: frozenset[str] = frozenset()
    """Slots that say when the user travels: two requests of one user do not fall on the same days."""
    matters: frozenset[str] = frozenset()
    """Slots that name what a request is about: no two requests of one user are about the same."""
    common: frozenset[str] = frozenset()
    """Slots of entries that several requests of one user may well be about, such as the account that pays for all."""
    once: tuple[frozenset[str], ...] = ()
    """Sets of names, of programs and of twists in any mixture: one user's message holds one of each set at the most."""
    standing: Mapping[str, str] = field(default_factory=dict)
    """Fields of results that say what is on an account -> the name of its id: told, they hold until somebody writes."""
    suits: Callable[[str, World, str], bool] = anybody
    """Whether a user could be such a persona, by what only the domain knows; the rest is in `personas.py`."""
    now: datetime = PRESENT

    @cached_property
    def about(self) -> AboutDomain:
        """What the domain is and who uses it, in the words of its `wordings/domain.yaml`."""
        about = about_domain(self.folder)
        for voice, template in about.identity.items():
            if slots(template) != {self.identity}:
                raise UserError(
                    f"`{self.name}`: wordings/domain.yaml, identity, voice `{voice}`: the only slot must be "
                    f"{{{self.identity}}}, as the domain's `identity` says"
                )
        return about

    @cached_property
    def policy(self) -> str:
        """The rules of the domain, as Markdown; fees, limits and days in it are the functions' own constants."""
        text = (self.folder / "policy.md").read_text(encoding="utf-8")
        return _POLICIES.from_string(text).render(read_constants(self.folder / "functions"))

    @property
    def rules(self) -> str:
        """The policy's rules as predicates (`checkers/gates/policy.py`); empty if there are none."""
        file = self.folder / "rules.py"
        return file.read_text(encoding="utf-8") if file.exists() else ""

    @property
    def rule_examples(self) -> list[dict[str, Any]]:
        """For each rule a call that breaks it and one that keeps it, as the stage `rules` is answered."""
        file = self.folder / "rule_examples.json"
        found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
        return found

    def personas_of(self, voice: str) -> tuple[str, ...]:
        """Everybody who speaks like that here."""
        return (*VOICES[voice].personas, *self.about.personas.get(voice, ()))

    @cached_property
    def task_programs(self) -> tuple[TaskProgram, ...]:
        """What the stage `programs` is answered with, read from the folder ``task_programs``; none without one."""
        return read_task_programs(self.folder, self.name, {program.intent for program in self.programs})

    @cached_property
    def functions(self) -> list[Function]:
        """The domain's functions, read from its folder ``functions``."""
        return read_functions(self.folder / "functions")

    @cached_property
    def writes(self) -> frozenset[str]:
        """The names of the functions that write."""
        return frozenset(function.name for function in self.functions if function.kind == "write")

    @property
    def domain(self) -> Domain:
        """The domain as the factory's first artifact."""
        return Domain(name=self.name, description=self.about.description, now=self.now)


@cache
def reference_domains() -> tuple[str, ...]:
    """The domains that the offline model knows, by name: those of this package, and of any other that offers one.

    Raises:
        UserError: two packages offer a domain of the same name.
    """
    return tuple(_offers())


@cache
def domain_folders() -> tuple[Path, ...]:
    """Where the reference domains lie; nothing is loaded of what they hold."""
    specs = (find_spec(offer.module) for offer in _offers().values())
    return tuple(Path(spec.origin).parent for spec in specs if spec and spec.origin)


@cache
def reference_domain(name: str) -> ReferenceDomain:
    """The reference domain of that name.

    Raises:
        UserError: there is none; says which there are, and which setting names a real model. Or it cannot be loaded.
    """
    if name not in _offers():
        known = f"only {', '.join(_offers())}" if _offers() else "for none is installed: install toolscale anew"
        raise UserError(
            f"the offline model knows no domain `{name}`, {known}; for any other domain "
            "name a real model: --model openai/gpt-5-mini, or TOOLSCALE_DEFAULT_MODEL=..."
        )
    offer = _offers()[name]
    try:
        domain = offer.load()
    except (ImportError, AttributeError) as error:
        raise UserError(f"domain `{name}` of the package `{_package(offer)}`: {error}") from error
    if not isinstance(domain, ReferenceDomain):
        raise UserError(f"domain `{name}` of the package `{_package(offer)}`: `{offer.value}` is no `ReferenceDomain`")
    if domain.name != name:
        raise UserError(
            f"domain `{name}` of the package `{_package(offer)}`: `{offer.value}` has the name `{domain.name}`; "
            "the entry point and the domain must be named alike"
        )
    return domain


@cache
def _offers() -> Mapping[str, EntryPoint]:
    """Name -> the entry point that offers the domain, in the order of names."""
    offers: dict[str, EntryPoint] = {}
    for offer in sorted(entry_points(group=GROUP), key=lambda offer: (offer.name, _package(offer))):
        other = offers.setdefault(offer.name, offer)
        if other is not offer:
            raise UserError(
                f"two packages offer a domain `{offer.name}`, `{_package(other)}` and `{_package(offer)}`: "
                "uninstall one of them"
            )
    return offers


def _package(offer: EntryPoint) -> str:
    return offer.dist.name if offer.dist else "?"
