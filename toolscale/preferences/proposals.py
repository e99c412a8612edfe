"""How preferences come about: a model proposes pairs theme by theme, a program and another model check them."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from toolscale.artifacts import Reject, content_id
from toolscale.artifacts.base import Artifact
from toolscale.catalogue.catalogue import CatalogueTool
from toolscale.catalogue.prices import PriceSchedule
from toolscale.errors import UserError
from toolscale.llm import Gateway, Unanswerable
from toolscale.preferences.preference import Preference, faults, split
from toolscale.prompts import render
from toolscale.rewards import preference_vector
from toolscale.rewards.preference import BEYOND_TOOLS

STAGE, VALIDATION = "preferences", "preference_validation"

DOMAIN = "orchestration"

THEMES: Mapping[str, str] = {
    "quality": "a right answer matters more than money or time",
    "budget": "money matters more than time or than the last bit of certainty",
    "speed": "time matters more than money or than the last bit of certainty",
    "balance": "several of right answer, money and time matter about equally, or all three",
    "privacy": "what may not leave the user's own machines",
    "open_weights": "models whose weights are open, or models that are not",
    "vendor": "makers of models that the user trusts, has a contract with, or wants to avoid",
    "web": "searching the web, searching own documents, or doing without one of them",
    "one_tool": "one tool or model that the user wants to see at work",
    "kind_of_tool": "a kind of tool: code, mathematics, search, general models, or tools that are no models",
}
"""What preferences are about: each is asked for apart, so that they do not all come out alike."""

EACH = 16
"""Preferences that are asked for on each theme."""


class ToolFacts(Artifact):
    """What a proposer of preferences is told of a tool."""

    name: str
    kind: str
    role: str = ""
    model: str = ""
    vendor: str = ""
    open_weights: bool = False
    price: dict[str, float] | None = Field(default=None, description="Dollars per million tokens: input, output.")
    fee: float = 0.0
    seconds: float | None = None
    description: str = ""


class Proposal(BaseModel):
    """A pair as a model words it."""

    instruction: str
    wants: dict[str, float] = Field(description="Name of a tool, outcome, compute or latency -> 0 to 1.")
    explanation: str = ""


class _Proposals(BaseModel):
    preferences: list[Proposal]


class _Verdict(BaseModel):
    number: int
    consistent: bool
    reason: str = ""


class _Verdicts(BaseModel):
    verdicts: list[_Verdict]


def facts_of(tools: Sequence[CatalogueTool], prices: PriceSchedule) -> list[ToolFacts]:
    """The metadata of a catalogue's tools, at this schedule's prices, else the catalogue's own, else none."""
    return [_facts(tool, prices) for tool in tools]


async def propose_preferences(
    tools: Sequence[ToolFacts], gateway: Gateway, *, each: int = EACH, seed: int = 0
) -> tuple[list[Preference], list[Reject]]:
    """Let the teacher propose pairs theme by theme, and a program and the validator check them.

    Args:
        tools: what preferences may be about, at least one.
        gateway: its teacher proposes, its validator judges.
        each: pairs that are asked for on each theme.
        seed: another seed asks anew.

    Returns:
        The pairs that passed, split and without overlap; and the others, with the reasons.

    Raises:
        UserError: there are no tools.
        GatewayError: a model could not be had.
    """
    if not tools:
        raise UserError("preferences are about tools, and the catalogue offers none; name another set")
    found = await asyncio.gather(*(_on_theme(theme, tools, gateway, each, seed) for theme in THEMES))
    rejects = [reject for _, refused in found for reject in refused]
    kept: dict[str, Preference] = {}
    for preference in (one for accepted, _ in found for one in accepted):
        said = _folded(preference.instruction)
        if said in kept:
            rejects.append(_reject("distinct", [f"{kept[said].id} says the same"], _pair(preference)))
        else:
            kept[said] = preference
    return split(list(kept.values())), rejects


async def _on_theme(
    theme: str, tools: Sequence[ToolFacts], gateway: Gateway, each: int, seed: int
) -> tuple[list[Preference], list[Reject]]:
    """The pairs on one theme that both the program and the validator accept, and the others."""
    told = [tool.model_dump(mode="json") for tool in tools]
    names = [tool.name for tool in tools]
    try:
        proposed = await gateway.typed(
            "teacher",
            render("preferences", theme=theme, about=THEMES[theme], count=each, tools=told),
            _Proposals,
            stage=STAGE,
            domain=DOMAIN,
            task=theme,
            seed=seed,
        )
    except Unanswerable as error:
        return [], [_reject(error.kind, error.reasons, error.raw or None)]
    sound: list[Preference] = []
    rejects: list[Reject] = []
    for pair in proposed.preferences:
        said = " ".join(pair.instruction.split())
        if wrong := faults(said, pair.wants, names):
            rejects.append(_reject("program", wrong, pair.model_dump(mode="json")))
        else:
            sound.append(_preference(theme, said, pair, names))
    if not sound:
        return [], rejects
    try:
        judged = await _judged(theme, sound, told, gateway, seed)
    except Unanswerable as error:
        unheard = f"validator_{error.kind}"  # the pairs were not shown to be wrong, but nobody vouches for them
        return [], [*rejects, *(_reject(unheard, error.reasons, _pair(one)) for one in sound)]
    accepted = [one for one, verdict in zip(sound, judged, strict=True) if verdict.consistent]
    refused = [
        _reject("validator", [verdict.reason or "not consistent"], _pair(one))
        for one, verdict in zip(sound, judged, strict=True)
        if not verdict.consistent
    ]
    return accepted, [*rejects, *refused]


async def _judged(
    theme: str, pairs: Sequence[Preference], tools: list[dict[str, Any]], gateway: Gateway, seed: int
) -> list[_Verdict]:
    """The validator's verdict on each pair, in their order."""
    asked = [{"number": number, **_pair(one)} for number, one in enumerate(pairs, 1)]

    def one_each(answer: _Verdicts) -> list[str]:
        numbers = sorted(verdict.number for verdict in answer.verdicts)
        if numbers == list(range(1, len(pairs) + 1)):
            return []
        return [f"there must be one verdict for each of the pairs 1 to {len(pairs)}, not for {numbers}"]

    answer = await gateway.typed(
        "validator",
        render("validate_preference", tools=tools, pairs=asked),
        _Verdicts,
        check=one_each,
        stage=VALIDATION,
        domain=DOMAIN,
        task=theme,
        seed=seed,
    )
    return sorted(answer.verdicts, key=lambda verdict: verdict.number)


def _facts(tool: CatalogueTool, prices: PriceSchedule) -> ToolFacts:
    model = tool.model
    price = (prices.price(model.name) or model.price) if model else None
    return ToolFacts(
        name=tool.name,
        kind=tool.kind,
        role=tool.role or "",
        model=model.name if model else "",
        vendor=model.vendor if model else "",
        open_weights=bool(model and model.open_weights),
        price={"input": price.input, "output": price.output} if price else None,
        fee=tool.fee,
        seconds=round(tool.latency.typical, 2) if tool.latency else None,
        description=tool.description,
    )


def _preference(theme: str, instruction: str, pair: Proposal, tools: list[str]) -> Preference:
    vector = preference_vector([pair.wants.get(name, 0.0) for name in (*tools, *BEYOND_TOOLS)], tools).tolist()
    return Preference(
        id=content_id("preference", instruction, tools, vector),
        theme=theme,
        instruction=instruction,
        explanation=" ".join(pair.explanation.split()),
        tools=tools,
        vector=vector,
    )


def _pair(preference: Preference) -> dict[str, Any]:
    return {"instruction": preference.instruction, "wants": preference.wants}


def _reject(check: str, reasons: Sequence[str], raw: Any) -> Reject:
    return Reject(domain=DOMAIN, stage=STAGE, check=check, reasons=list(reasons), raw=raw)


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", text.casefold()).strip()
