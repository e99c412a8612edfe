"""A tool configuration: which tools one task offers, at which prices (paper, section 3.3, general tool configuration).

It is frozen and complete, so that it can lie in a task's row and be shown to an orchestrator years later.
"""

from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from pydantic import Field

from toolscale.artifacts import FunctionSpec
from toolscale.artifacts.base import Artifact, Json, Name, canonical_json, content_id
from toolscale.catalogue.catalogue import CatalogueTool
from toolscale.catalogue.latency import LatencyProfile
from toolscale.catalogue.parameters import parameters_of
from toolscale.catalogue.prices import TRAINING, PriceSchedule, schedule
from toolscale.errors import UserError
from toolscale.settings import Price
from toolscale.tools.tool import ToolKind

SEARCHES: tuple[ToolKind, ...] = ("web_search", "local_search")


class Terms(Artifact):
    """What a call of a tool costs and how long it takes."""

    price: Price | None = Field(default=None, description="Of a model's tokens.")
    listed_by: str = Field(default="", description="The schedule that lists the price; empty = the catalogue itself.")
    fee: float = Field(default=0.0, ge=0, description="Dollars of every call.")
    seconds: float | None = Field(default=None, description="A typical call; null where nobody measured one.")

    def told(self) -> str:
        """In words, for the orchestrator."""
        words = []
        if self.price is not None:
            read, written = _money(self.price.input), _money(self.price.output)
            words.append(f"Price: {read} per million tokens read, {written} written.")
        elif self.fee:
            words.append(f"Price: {_money(self.fee)} a call.")
        else:
            words.append("Price: free.")
        if self.seconds is not None:
            words.append(f"Takes about {self.seconds:.2g} seconds.")
        return " ".join(words)


class OfferedTool(Artifact):
    """A tool as one task offers it."""

    name: Name
    kind: ToolKind
    description: str = Field(description="Without the terms.")
    parameters: dict[str, Json]
    terms: Terms

    def spec(self) -> FunctionSpec:
        """What the orchestrator sees: the description goes on with price and latency."""
        return FunctionSpec(
            name=self.name,
            description=f"{self.description} {self.terms.told()}",
            parameters=self.parameters,
            kind="read",
        )


class ToolConfiguration(Artifact):
    """The tools that one task offers, and their terms."""

    id: str
    schedule: str
    tools: list[OfferedTool]

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names, in the order of preference vectors."""
        return tuple(tool.name for tool in self.tools)

    def price_of(self, offered: OfferedTool) -> Price:
        """What a model's tokens cost. Raises UserError where the configuration does not say."""
        if offered.terms.price is None:
            raise UserError(
                f"configuration {self.id} offers {offered.name} without a price under the schedule `{self.schedule}`: "
                "draw it from one that lists the model"
            )
        return offered.terms.price

    def as_tools(self) -> list[dict[str, Any]]:
        """The JSON list of OpenAI tools, with price and latency in the descriptions."""
        return [tool.spec().tool() for tool in self.tools]


def configure(
    tools: Sequence[CatalogueTool], prices: PriceSchedule, latencies: Mapping[str, LatencyProfile] | None = None
) -> ToolConfiguration:
    """These tools at these prices. Query writers are left out where there is no search for them to use.

    Args:
        tools: all that are to be offered.
        prices: the schedule.
        latencies: measured profiles by the model's name; the catalogue's own win.

    Raises:
        UserError: nobody knows what a model costs under this schedule.
    """
    searches = [tool.name for tool in tools if tool.kind in SEARCHES]
    offered = [
        OfferedTool(
            name=tool.name,
            kind=tool.kind,
            description=tool.description,
            parameters=parameters_of(tool, searches),
            terms=_terms(tool, prices, latencies or {}),
        )
        for tool in tools
        if searches or tool.role != "query_writer"
    ]
    told = [tool.model_dump(mode="json") for tool in offered]
    return ToolConfiguration(id=content_id("configuration", prices.name, told), schedule=prices.name, tools=offered)


def draw_configuration(
    tools: Sequence[CatalogueTool],
    instance: str,
    *,
    seed: int = 0,
    schedules: Sequence[str | PriceSchedule] = TRAINING,
    needed: Collection[str] = (),
    latencies: Mapping[str, LatencyProfile] | None = None,
    catalogue: str = "",
) -> ToolConfiguration:
    """A seeded draw of a subset of the tools and of a price schedule: the same instance and seed, the same draw.

    What a schedule does not price it cannot offer. Each subset has the tools in `needed`, what makes the task solvable,
    and at least one generalist where the catalogue has any; how many more is drawn evenly. A refusal says `catalogue`.

    Raises:
        UserError: no schedule prices what every subset must have, or `needed` names what the catalogue does not have.
    """
    if missing := set(needed) - {tool.name for tool in tools}:
        raise UserError(f"the catalogue has no tool `{min(missing)}` that the task needs")
    random = Random(canonical_json([seed, instance]))
    known = [schedule(each) if isinstance(each, str) else each for each in schedules]
    possible = [priced for prices in known if (priced := _priced(tools, prices, needed))]
    if not possible:
        raise UserError(_unpriced(tools, known, needed, catalogue))
    prices, candidates = random.choice(possible)
    certain = set(needed)
    generalists = [tool.name for tool in candidates if tool.role == "generalist"]
    if generalists and not certain & set(generalists):
        certain.add(random.choice(generalists))
    further = [tool.name for tool in candidates if tool.name not in certain]
    chosen = certain | set(random.sample(further, random.randint(0, len(further))))
    return configure([tool for tool in candidates if tool.name in chosen], prices, latencies)


def _money(dollars: float) -> str:
    return f"${dollars:.2f}" if round(dollars, 2) == dollars else f"${dollars:g}"


def _priced(
    tools: Sequence[CatalogueTool], prices: PriceSchedule, needed: Collection[str]
) -> tuple[PriceSchedule, list[CatalogueTool]] | None:
    """A schedule with the tools that it prices; None if it does not price what every subset must have."""
    candidates = [tool for tool in tools if tool.model is None or _price(tool, prices) is not None]
    found = {tool.name for tool in candidates}
    wants_generalist = any(tool.role == "generalist" for tool in tools)
    has_generalist = any(tool.role == "generalist" for tool in candidates)
    return (prices, candidates) if set(needed) <= found and has_generalist == wants_generalist else None


def _unpriced(
    tools: Sequence[CatalogueTool], schedules: Sequence[PriceSchedule], needed: Collection[str], catalogue: str
) -> str:
    """The sentence on schedules none of which prices what each subset must have."""
    models = [tool for tool in tools if tool.model]
    generalists = {tool.name for tool in models if tool.role == "generalist"}
    wanted = " and ".join([*(["a generalist"] if generalists else []), *(t.name for t in models if t.name in needed)])
    without: dict[str, list[str]] = {}
    for prices in schedules:
        unpriced = {tool.name: tool.model.name for tool in models if tool.model and _price(tool, prices) is None}
        missed = {*needed, *(generalists if generalists <= unpriced.keys() else ())}
        for model in (model for name, model in unpriced.items() if name in missed):
            without.setdefault(model, []).append(prices.name)
    lacking = [
        model if len(names) == len(schedules) else f"{model} under {', '.join(names)}"
        for model, names in without.items()
    ]
    return (
        f"none of the schedules {', '.join(prices.name for prices in schedules)} prices {wanted} of the catalogue "
        f"{catalogue or 'given'}: there is no price for {', '.join(lacking)}. Name a schedule that has one, or give "
        "`price = { input = ..., output = ... }` in your catalogue"
    )


def _price(tool: CatalogueTool, prices: PriceSchedule) -> tuple[Price, str] | None:
    """The price of a model's tokens and who lists it: the schedule before the catalogue."""
    if tool.model is None:
        return None
    if listed := prices.price(tool.model.name):
        return Price(input=listed.input, output=listed.output), listed.listed_by
    return (tool.model.price, "") if tool.model.price else None


def _terms(tool: CatalogueTool, prices: PriceSchedule, latencies: Mapping[str, LatencyProfile]) -> Terms:
    profile = tool.latency or (latencies.get(tool.model.name) if tool.model else None)
    seconds = None if profile is None else round(profile.typical, 2)
    if tool.model is None:
        return Terms(fee=tool.fee, seconds=seconds)
    known = _price(tool, prices)
    if known is None:
        raise UserError(
            f"{tool.model.name}: nobody knows its price under the schedule `{prices.name}`: leave it out, take another "
            "schedule, or give `price = { input = ..., output = ... }` in your catalogue"
        )
    price, listed_by = known
    return Terms(price=price, listed_by=listed_by, seconds=seconds)
