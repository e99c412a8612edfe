"""What users say, read from a domain's data files: `wordings/booking.yaml` words what `programs/booking.py` does.

A file has up to three sections, each by name: `programs` (the intent, the request in each voice, what the user does not
know), `twists`, and `descriptions` (by slot). `wordings/domain.yaml` says what the domain is and who uses it. All of it
is text, so that `no` is a word and 12 is no number.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError, model_validator

from toolscale.artifacts import Operator
from toolscale.errors import UserError
from toolscale.reference.program import Description, Facts, Policy, Program, Refusal, Steps, Twist, World, no_facts
from toolscale.reference.voices import VOICES
from toolscale.reference.wording import slots

FOLDER = "wordings"
_T = TypeVar("_T")
_Model = TypeVar("_Model", bound=BaseModel)


def _template(text: str) -> str:
    slots(text)
    return text


def _by_voice(said: Mapping[str, Any]) -> Mapping[str, Any]:
    if strange := [name for name in said if name not in VOICES]:
        raise ValueError(f"no such voice: {', '.join(strange)}; there are {', '.join(VOICES)}")
    return said


def _with_plain(said: Mapping[str, str]) -> Mapping[str, str]:
    if "plain" not in _by_voice(said):
        raise ValueError("the voice `plain` is missing")
    return said


Text = Annotated[str, StringConstraints(pattern=r"\S")]
Template = Annotated[Text, AfterValidator(_template)]
Wordings = Annotated[Mapping[str, Template], AfterValidator(_with_plain)]
"""Voice -> template."""


class _Said(BaseModel):
    """A request or a phrase in several voices, with what is said about it beside them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    intent: Text | None = None
    voices: Wordings
    unknown: Template = ""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, found: Any) -> Any:
        """Voices stand beside the rest in the file, so that it is no deeper than need be."""
        if not isinstance(found, dict):
            return found
        beside = {name: found[name] for name in ("intent", "unknown") if name in found}
        return {**beside, "voices": {name: said for name, said in found.items() if name not in beside}}


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    programs: dict[str, _Said] = {}
    twists: dict[str, Wordings] = {}
    descriptions: dict[str, _Said] = {}


class AboutDomain(BaseModel):
    """What a domain is, and who uses it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: Text
    identity: Wordings
    """How a user says who they are; the only slot is the identity."""
    personas: Annotated[Mapping[str, tuple[Text, ...]], AfterValidator(_by_voice)] = {}
    """Voice -> who speaks like that here, beside the kit's personas."""
    asides: tuple[Template, ...] = ()
    """Small talk of the domain's users: whole sentences without slots, in which nothing is asked for."""


def about_domain(folder: Path) -> AboutDomain:
    """What `wordings/domain.yaml` in a domain's folder says.

    Raises:
        UserError: the file does not hold what it should; says what, and where in it.
    """
    return _read(folder / FOLDER / "domain.yaml", AboutDomain)


def words(module: str) -> "Words":
    """The wordings of a module of programs, given its ``__file__``."""
    place = Path(module)
    return Words(place.parents[1] / FOLDER / f"{place.stem}.yaml")


class Words:
    """The wordings in one file, from which a module makes its programs, twists and descriptions.

    Raises:
        UserError: the file does not hold what it should; says what, and where in it.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._said = _read(file, _File)

    def program(
        self,
        name: str,
        draw: Callable[[World, Random], Facts],
        policy: Callable[[Facts], Policy],
        twists: tuple[Twist, ...] = (),
        again: str = "",
        refusal: Refusal | None = None,
    ) -> Program:
        """The program of that name, in its words."""
        said = self._found("programs", name, self._said.programs)
        if said.intent is None:
            raise UserError(f"{self._file}: programs.{name}: the intent is missing")
        return Program(name, said.intent, said.voices, draw, policy, twists, said.unknown, again, refusal)

    def twist(
        self,
        name: str,
        operator: Operator,
        draw: Callable[[World, Random, Facts], Facts] = no_facts,
        *,
        sets: Facts | None = None,
        suits: str = "",
        before: Callable[[Facts], Steps] | None = None,
        after: Callable[[Facts], Policy] | None = None,
        takes: tuple[str, ...] = (),
        of_all: bool = False,
    ) -> Twist:
        """The twist of that name, in its words."""
        voices = self._found("twists", name, self._said.twists)
        return Twist(name, operator, voices, draw, sets or {}, suits, before, after, takes, of_all)

    def description(
        self, slot: str, draw: Callable[[World, Random, Facts], Facts], find: Callable[[Facts], Steps]
    ) -> Description:
        """How a user names what the slot holds without knowing it."""
        said = self._found("descriptions", slot, self._said.descriptions)
        return Description(slot, said.voices, draw, find, said.unknown)

    def _found(self, section: str, name: str, said: Mapping[str, _T]) -> _T:
        if name not in said:
            raise UserError(f"{self._file}: nothing is said for `{name}` among the {section}")
        return said[name]


class _Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """Reads every scalar as text, and no name twice."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            names = [key.value for key, _ in node.value]
            twice = next(key for at, (key, _) in enumerate(node.value) if key.value in names[:at])
            raise yaml.MarkedYAMLError(problem=f"`{twice.value}` stands here twice", problem_mark=twice.start_mark)
        return found


def _read(file: Path, model: type[_Model]) -> _Model:
    try:
        return model.model_validate(yaml.load(file.read_text(encoding="utf-8"), _Loader))
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        raise UserError(f"{file}: line {error.problem_mark.line + 1}: {error.problem}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "voices")
        raise UserError(f"{file}: {where}: {first['msg'].removeprefix('Value error, ')}") from error
