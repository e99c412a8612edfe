"""The voices that every reference domain's users speak in, and what each puts around a request.

A domain words a request in `plain` and in whichever other voices it has something of its own to say; a voice that has
no wording for it takes over another's (`instead`), within its own opening, manner and close. All of this is templates
without slots (`toolscale/templates`): sentences that ask for nothing, so that they can stand around any request.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict

from toolscale.reference.documents import Template, Text, read_document
from toolscale.templates.template import Pen, render

T = TypeVar("T")


class Voice(BaseModel):
    """A manner of speaking; `wordings/voices.yaml` says what its parts are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    instead: tuple[str, ...] = ()
    openings: Template
    asides: Template
    connectors: Template
    otherwise: Template
    again: Template
    closings: Template
    personas: tuple[Text, ...]


VOICES: Mapping[str, Voice] = read_document(Path(__file__).parent / "wordings" / "voices.yaml", dict[str, Voice])
"""All voices by name."""

GREETS = re.compile(r"(hi|hello|hey|dear|good (morning|day|evening)|to whom)\b", re.IGNORECASE)
"""Matches a greeting that a request begins with."""


def by_voice(said: Mapping[str, T]) -> Mapping[str, T]:
    """The same, if nothing is said in a voice that there is not."""
    if strange := [name for name in said if name not in VOICES]:
        raise ValueError(f"no such voice: {', '.join(strange)}; there are {', '.join(VOICES)}")
    return said


def _with_plain(said: Mapping[str, str]) -> Mapping[str, str]:
    if "plain" not in by_voice(said):
        raise ValueError("the voice `plain` is missing")
    return said


Wordings = Annotated[Mapping[str, Template], AfterValidator(_with_plain)]
"""Voice -> template. A voice without one borrows another's, and `plain` has one."""


def wording(templates: Mapping[str, str], voice: str) -> str:
    """The template for a voice: its own, or that of the nearest voice which has one; `plain` at last."""
    return next(templates[name] for name in (voice, *VOICES[voice].instead, "plain") if name in templates)


def preamble(voice: Voice, asides: Iterable[str], pen: Pen) -> str:
    """What a user says before the first request: an opening, and in some messages a little more."""
    pool = [voice.asides, *asides]
    aside = render(pool[pen.alternative(len(pool))], {}, pen) if pen.alternative(3) else ""
    return "".join(f"{part} " for part in (render(voice.openings, {}, pen), aside) if part)
