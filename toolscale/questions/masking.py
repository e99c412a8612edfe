"""Random names for functions and parameters, so that a model must read what they do (Hammer, arXiv 2410.04587)."""

import json
import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

from toolscale.artifacts import Call
from toolscale.artifacts.base import Json
from toolscale.questions.steps import OfferedFunction, Step, Utterance, identified

SIGNS = string.ascii_letters + string.digits + "_."
NAME_LENGTHS, PARAMETER_LENGTHS = (5, 15), (4, 10)
"""Hammer's: the least and the most signs."""


def masked(steps: Iterable[Step], share: float, seed: int) -> list[Step]:
    """The steps, of which a share of the chats have random names: all steps of a chat the same ones.

    Names are masked where they stand as names: in the tools, in calls, and in quotation marks in what tools gave back.
    Words stay, descriptions too; thoughts, which speak of the names that were, are left out. Hammer also masks default
    values, in the query with them; this does not.
    """
    return [_masked(step, Random(f"{seed}/mask/{step.family}"), share) for step in steps]


@dataclass(frozen=True)
class _Names:
    """What functions, and the parameters of each, are called now."""

    functions: Mapping[str, str]
    parameters: Mapping[str, Mapping[str, str]]

    def tool(self, tool: OfferedFunction) -> OfferedFunction:
        renamed = self.parameters[tool.name]
        parameters: dict[str, Json] = dict(tool.parameters)
        if isinstance(properties := parameters.get("properties"), dict):
            parameters["properties"] = {renamed[name]: schema for name, schema in properties.items()}
        if isinstance(required := parameters.get("required"), list):
            parameters["required"] = [renamed.get(str(name), name) for name in required]
        return OfferedFunction(name=self.functions[tool.name], description=tool.description, parameters=parameters)

    def call(self, call: Call) -> Call:
        renamed = self.parameters.get(call.name, {})
        arguments = {renamed.get(name, name): value for name, value in call.arguments.items()}
        return Call(name=self.functions.get(call.name, call.name), arguments=arguments)

    def utterance(self, said: Utterance) -> Utterance:
        text = said.text
        if said.speaker == "tool":
            for name, other in self.functions.items():
                text = text.replace(json.dumps(name, ensure_ascii=False), json.dumps(other))
        return said.model_copy(update={"text": text, "calls": [self.call(call) for call in said.calls], "thought": ""})


def _masked(step: Step, draw: Random, share: float) -> Step:
    if draw.random() >= share:
        return step
    names = _drawn(step.tools, draw)
    return identified(
        step.model_copy(
            update={
                "tools": [names.tool(tool) for tool in step.tools],
                "history": [names.utterance(said) for said in step.history],
                "golden_calls": [names.call(call) for call in step.golden_calls],
                "thought": "",
            }
        )
    )


def _drawn(tools: Iterable[OfferedFunction], draw: Random) -> _Names:
    functions: dict[str, str] = {}
    parameters: dict[str, dict[str, str]] = {}
    for tool in tools:
        if tool.name not in functions:
            functions[tool.name] = _name(draw, NAME_LENGTHS, functions.values())
        renamed = parameters.setdefault(tool.name, {})
        properties = tool.parameters.get("properties")
        for name in properties if isinstance(properties, dict) else ():
            if name not in renamed:
                renamed[name] = _name(draw, PARAMETER_LENGTHS, renamed.values())
    return _Names(functions, parameters)


def _name(draw: Random, lengths: tuple[int, int], taken: Iterable[str]) -> str:
    """One that is not taken."""
    known = set(taken)
    while (name := "".join(draw.choices(SIGNS, k=draw.randint(*lengths)))) in known:
        pass
    return name
