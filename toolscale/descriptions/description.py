"""Descriptions of models, made as the paper makes them (section 3.1): a model reads how another fared on sampled tasks.

They lie in one JSON file that says all they rest on, and `read_descriptions` puts them into a catalogue.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from toolscale.artifacts.base import Artifact
from toolscale.catalogue.catalogue import short
from toolscale.catalogue.latency import LatencyProfile
from toolscale.descriptions.sampling import TaskKind
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.prompts import render

STAGE = "descriptions"

SHORTEST, LONGEST = 80, 1500
"""Characters of a description: the paper's example has about 800."""

_MESSAGE_CHARACTERS = 600
TRIAL_CHARACTERS = 4000
"""Of what a model did about one task."""


class Trial(Artifact):
    """One sampled task, what a model did about it, and whether that solved it."""

    task: str = Field(description="The task's id.")
    kind: TaskKind = Field(default="task", description="A task of a domain, a question, or a single step of a chat.")
    topic: str = Field(default="", description="The task's domain, or the question's topic.")
    instruction: str
    did: str = Field(description="The trajectory, shortened.")
    solved: bool
    reasons: list[str] = Field(default_factory=list, description="Why it counts as not solved.")


class ModelDescription(Artifact):
    """What an orchestrator is told of a model, and what that rests on."""

    model: str
    description: str
    written_by: str
    trials: list[Trial]
    latency: LatencyProfile | None = Field(default=None, description="Of the model's calls on these tasks.")

    @property
    def solved(self) -> int:
        """How many of the tasks the model solved."""
        return sum(trial.solved for trial in self.trials)


class _Written(BaseModel):
    description: str = Field(description="One paragraph of two to six sentences.")


async def describe_model(
    model: str,
    trials: Sequence[Trial],
    gateway: Gateway,
    *,
    written_by: str,
    latency: LatencyProfile | None = None,
    seed: int = 0,
) -> ModelDescription:
    """Let the teacher describe a model by its trials. Its answer is kept by the gateway, so a second time is free.

    Args:
        model: the model's name.
        trials: what it did on the sampled tasks, at least one.
        gateway: its teacher writes.
        written_by: the teacher's model string, for the record.
        latency: how long its calls took.
        seed: another seed asks anew.

    Raises:
        UserError: there are no trials to describe it by.
        GatewayError: the teacher could not be had, or wrote nothing of the form that was asked for.
    """
    if not trials:
        raise UserError(f"{model} cannot be described: there are no tasks that it tried")
    written = await gateway.typed(
        "teacher",
        render("describe_model", model=short(model), trials=[_shown(trial) for trial in trials]),
        _Written,
        check=_faults,
        stage=STAGE,
        domain="orchestration",
        task=model,
        seed=seed,
    )
    description = " ".join(written.description.split())
    return ModelDescription(
        model=model, description=description, written_by=written_by, trials=list(trials), latency=latency
    )


def shortened(messages: Sequence[dict[str, Any]], characters: int = _MESSAGE_CHARACTERS) -> str:
    """A trajectory as text to judge a model by: who said what and called what, each message cut, the whole cut."""
    lines = []
    for message in messages:
        if message.get("role") == "system":
            continue
        if said := str(message.get("content") or "").strip():
            lines.append(f"{message['role']}: {_cut(said, characters)}")
        for call in message.get("tool_calls") or []:
            lines.append(f"{message['role']} calls {_cut(json.dumps(call['function']), characters)}")
    return _cut("\n".join(lines), TRIAL_CHARACTERS)


def read_descriptions(path: Path) -> dict[str, ModelDescription]:
    """The descriptions in a file, by the model's name.

    Raises:
        UserError: there is no such file, or it holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read the descriptions {path}: {error}") from None
    return descriptions_in(text, str(path))


def descriptions_in(text: str, place: str) -> dict[str, ModelDescription]:
    """The descriptions in the text of a file, by the model's name. Raises UserError for any other text."""
    try:
        found = _FILE.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{place} holds no descriptions of models: `{where}`: {first['msg']}") from None
    return {each.model: each for each in found}


def as_json(descriptions: Sequence[ModelDescription]) -> bytes:
    """The descriptions as the file that `read_descriptions` reads."""
    return _FILE.dump_json(list(descriptions), indent=1) + b"\n"


_FILE = TypeAdapter(list[ModelDescription])


def _shown(trial: Trial) -> dict[str, Any]:
    """A trial as the writer reads it: the chat before a step, and the right step, may be long."""
    told = trial.model_dump(mode="json")
    reasons = [_cut(reason, _MESSAGE_CHARACTERS) for reason in trial.reasons]
    return {**told, "instruction": _cut(trial.instruction, TRIAL_CHARACTERS), "reasons": reasons}


def _faults(written: _Written) -> list[str]:
    length = len(" ".join(written.description.split()))
    if SHORTEST <= length <= LONGEST:
        return []
    return [f"the description has {length} characters; it must have {SHORTEST} to {LONGEST}"]


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[:characters]} ..."
