"""One simulated expert: how often it is right, what it asks for, how long it takes, and what it answers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pydantic import Field, model_validator

from toolscale.artifacts.base import Artifact
from toolscale.catalogue.catalogue import ModelRole
from toolscale.catalogue.latency import LatencyProfile
from toolscale.errors import UserError
from toolscale.messages import CHARACTERS_PER_TOKEN
from toolscale.mock_endpoint.experts.claims import CLAIMS
from toolscale.mock_endpoint.experts.quiz import DIFFICULTIES, KINDS, Kind, find_question
from toolscale.settings import Price
from toolscale.toml_file import read_toml

PACKAGED = Path(__file__).with_name("experts.toml")

_SUBJECTS = (KINDS, CLAIMS)
"""What there are experts on: each knows all kinds of one, at least."""

UNKNOWN = "I do not know."
"""What every expert says to a text without a question of these kinds."""


@dataclass(frozen=True)
class ExpertReply:
    """What an expert says, and the tokens that it bills for it."""

    text: str
    right: bool
    completion_tokens: int


class Expert(Artifact):
    """A program that is right as often as its skill says."""

    name: str = Field(min_length=1)
    description: str = Field(min_length=1, description="What an orchestrator is told of it.")
    price: Price
    latency: LatencyProfile
    thoughts: int = Field(default=0, ge=0, description="Tokens that it bills beside what it says.")
    skill: dict[str, float] = Field(
        description="Probability of a right answer, by TOPIC/DIFFICULTY, else TOPIC, else DIFFICULTY."
    )

    @model_validator(mode="after")
    def _knows_its_skill(self) -> "Expert":
        every = [kind for subject in _SUBJECTS for kind in subject]
        topics = {kind.topic for kind in every}
        places = {*topics, *DIFFICULTIES, *(f"{kind.topic}/{kind.difficulty}" for kind in every)}
        for place, chance in self.skill.items():
            if place not in places:
                raise ValueError(f"skill: there is no `{place}`, only {', '.join(sorted(places))}")
            if not 0 <= chance <= 1:
                raise ValueError(f"skill at {place} is a probability, not {chance}")
        if not any(all(map(self._knows, subject)) for subject in _SUBJECTS):
            for kind in max(_SUBJECTS, key=lambda subject: sum(map(self._knows, subject))):
                self.skill_at(kind.topic, kind.difficulty)
        return self

    def skill_at(self, topic: str, difficulty: str) -> float:
        """Probability of a right answer to such a question.

        Raises:
            ValueError: the skill says nothing of it.
        """
        for place in (f"{topic}/{difficulty}", topic, difficulty):
            if place in self.skill:
                return self.skill[place]
        raise ValueError(f"skill says nothing of {topic}/{difficulty}: give it, or {topic}, or {difficulty}")

    def _knows(self, kind: Kind) -> bool:
        return not self.skill.keys().isdisjoint({f"{kind.topic}/{kind.difficulty}", kind.topic, kind.difficulty})

    def reply(self, text: str, seed: int = 0) -> ExpertReply:
        """The answer to the question in a text. The same expert, question and seed, the same answer."""
        known = [kind for subject in _SUBJECTS for kind in subject if self._knows(kind)]
        asked = find_question(text, known)
        if asked is None:
            return self._said(UNKNOWN, right=False)
        chance = Random(f"{seed}/{self.name}/{asked.text}")
        right = chance.random() < self.skill_at(asked.kind.topic, asked.kind.difficulty)
        return self._said(f"The answer is {asked.answer if right else asked.wrong(chance)}.", right=right)

    def _said(self, text: str, *, right: bool) -> ExpertReply:
        return ExpertReply(text, right, self.thoughts + -(-len(text) // CHARACTERS_PER_TOKEN))


class _File(Artifact):
    expert: list[Expert] = Field(min_length=1)


def read_experts(path: Path | None = None) -> dict[str, Expert]:
    """The experts of a file, by name; the packaged ones without a path.

    Raises:
        UserError: the file cannot be read, has another form, or two experts have one name.
    """
    file = path or PACKAGED
    read = read_toml(file, _File, "the experts")
    experts = {expert.name: expert for expert in read.expert}
    if len(experts) < len(read.expert):
        raise UserError(f"{file}: two experts have the same name")
    return experts


def catalogue_text(
    experts: Mapping[str, Expert], url: str, roles: Sequence[ModelRole] = ("generalist",), name: str = "experts"
) -> str:
    """A catalogue in TOML with the experts at a server's base URL, as one set in these roles."""
    lines = ["# Simulated experts: programs, not language models.\n"]
    for expert in experts.values():
        price, latency = expert.price, expert.latency
        lines += [
            "[[model]]",
            f"name = {json.dumps(expert.name)}",
            f"model = {json.dumps(f'hosted_vllm/{expert.name}')}",
            f"api_base = {json.dumps(url)}",
            f"description = {json.dumps(expert.description)}",
            f"price = {{ input = {price.input}, output = {price.output} }}",
            f"latency = {{ seconds = {latency.seconds}, seconds_per_token = {latency.seconds_per_token}, "
            f"spread = {latency.spread} }}",
            "simulated = true\n",
        ]
    named = json.dumps(list(experts))
    return "\n".join([*lines, f"[sets.{name}]", *(f"{role} = {named}" for role in roles)]) + "\n"
