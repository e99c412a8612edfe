"""What users say, read from a domain's data files: `wordings/booking.yaml` words what `programs/booking.py` does.

A file has up to three sections, each by name: `programs` (the intent, the request in each voice, what the user does not
know), `twists`, and `descriptions` (by slot). `wordings/domain.yaml` says what the domain is and who uses it. All of it
is text, so that `no` is a word and 12 is no number.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from toolscale.artifacts import Operator
from toolscale.errors import UserError
from toolscale.reference.documents import Template, Text, read_document
from toolscale.reference.program import Description, Facts, Program, Refusal, Solution, Steps, Twist, World, no_facts
from toolscale.reference.voices import Wordings, by_voice

FOLDER = "wordings"
_T = TypeVar("_T")


class _Phrase(BaseModel):
    """What stands for an id, in several voices, and what the user says of not knowing it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    voices: Wordings
    unknown: Template = ""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, found: Any) -> Any:
        """Voices stand beside the rest in the file, so that it is no deeper than need be."""
        if not isinstance(found, dict):
            return found
        beside = {name: found[name] for name in cls.model_fields.keys() - {"voices"} if name in found}
        return {**beside, "voices": {name: said for name, said in found.items() if name not in beside}}


class _Request(_Phrase):
    """A request in several voices, what it is for, and what the user does not know."""

    intent: Text


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    programs: dict[str, _Request] = {}
    twists: dict[str, Wordings] = {}
    descriptions: dict[str, _Phrase] = {}


class AboutDomain(BaseModel):
    """What a domain is, and who uses it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: Text
    identity: Wordings
    """How a user says who they are; the only slot is the identity."""
    personas: Annotated[Mapping[str, tuple[Text, ...]], AfterValidator(by_voice)] = {}
    """Voice -> who speaks like that here, beside the kit's personas."""
    asides: tuple[Template, ...] = ()
    """Small talk of the domain's users: whole sentences without slots, in which nothing is asked for."""


def about_domain(folder: Path) -> AboutDomain:
    """What `wordings/domain.yaml` in a domain's folder says.

    Raises:
        UserError: the file does not hold what it should; says what, and where in it.
    """
    return read_document(folder / FOLDER / "domain.yaml", AboutDomain)


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
        self._said = read_document(file, _File)

    def program(
        self,
        name: str,
        draw: Callable[[World, Random], Facts],
        solve: Callable[[Facts], Solution],
        twists: tuple[Twist, ...] = (),
        again: str = "",
        refusal: Refusal | None = None,
    ) -> Program:
        """The program of that name, in its words."""
        said = self._found("programs", name, self._said.programs)
        return Program(name, said.intent, said.voices, draw, solve, twists, said.unknown, again, refusal)

    def twist(
        self,
        name: str,
        operator: Operator,
        draw: Callable[[World, Random, Facts], Facts] = no_facts,
        *,
        sets: Facts | None = None,
        suits: str = "",
        before: Callable[[Facts], Steps] | None = None,
        after: Callable[[Facts], Solution] | None = None,
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
