"""One question from a command line to its trace: settings, catalogue, prices, tools, and the loop."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from toolscale.catalogue.catalogue import CatalogueTool, described, read_tools, searched_by
from toolscale.catalogue.configuration import ToolConfiguration, configure
from toolscale.catalogue.prices import EVALUATION, PriceSchedule, schedule
from toolscale.catalogue.servers import with_servers
from toolscale.catalogue.toolbox import Toolbox
from toolscale.descriptions.description import read_descriptions
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.llm.prices import Prices
from toolscale.messages import Message
from toolscale.orchestration.loop import MAX_TURNS, orchestrate
from toolscale.orchestration.manner import Manner
from toolscale.orchestration.run import Event
from toolscale.orchestration.search_agent import MAX_TURNS as SEARCH_TURNS
from toolscale.orchestration.search_agent import day, is_search_agent, search_prompt
from toolscale.orchestration.trace import Trace
from toolscale.orchestration.trace_file import opening_of
from toolscale.settings import ModelSettings, Price, Settings


@dataclass(frozen=True)
class OrchestrateOptions:
    """What a user asks for."""

    question: str
    model: str = ""
    """litellm's model string; empty = the agent of the settings."""
    api_base: str | None = None
    catalogue: str = "full"
    configuration: ToolConfiguration | None = None
    """Tools and prices of a task that has its own; else all that the catalogue has, at the schedule's prices."""
    schedule: str = EVALUATION
    """Prices, where the task has no configuration."""
    mcp: tuple[str, ...] = ()
    """Servers that are offered beside the catalogue, as ``NAME[:TOOL,...]=COMMAND`` or ``...=URL``."""
    index: Path | None = None
    search_service: str = ""
    descriptions: Path | None = None
    max_turns: int | None = None
    """None: fifty, or ten of a search agent."""
    today: str = ""
    """The day that a search agent is told; empty = that of an interrupted run, else that of the clock."""
    max_dollars: float | None = None
    temperature: float | None = None
    max_tokens: int = 8000
    seed: int | None = None
    trace: Path | None = None


@dataclass(frozen=True)
class Orchestrator:
    """A model with its tools, all of them open: it takes up one question after the other, several at a time."""

    model: ModelSettings
    price: Price
    gateway: Gateway
    toolbox: Toolbox
    configuration: ToolConfiguration
    max_turns: int
    seed: int

    @property
    def searches(self) -> bool:
        """Whether its tools make it a search agent, which names its sources."""
        return is_search_agent(self.configuration.names)

    async def answer(
        self,
        opening: str | Sequence[Message],
        *,
        id: str = "",
        max_dollars: float | None = None,
        seed: int | None = None,
        sample: int = 0,
        trace: Path | None = None,
        heard: Callable[[Event], None] = lambda event: None,
    ) -> Trace:
        """Take up a question, or messages to begin with. See `orchestrate`, which says what it raises."""
        seed = self.seed if seed is None else seed
        return await orchestrate(
            opening,
            self.model,
            self.toolbox.open(self.configuration, task=id, seed=seed, sample=sample),
            self.gateway,
            price=self.price,
            id=id,
            manner=Manner(cites=self.searches),
            max_turns=self.max_turns,
            max_dollars=max_dollars,
            seed=seed,
            sample=sample,
            trace=trace,
            heard=heard,
        )


@asynccontextmanager
async def orchestrator(options: OrchestrateOptions, complain: Callable[[str], None]) -> AsyncIterator[Orchestrator]:
    """Open the orchestrator that the options describe. `complain` is told of each tool that cannot be had, and why.

    Raises:
        UserError: the options cannot be followed as they stand.
    """
    from toolscale.store import Store

    settings = Settings.load()
    model = _orchestrator(options, settings)
    prices = schedule(options.schedule)
    told = read_descriptions(options.descriptions) if options.descriptions else {}
    tools = described(_offered(options), {name: each.description for name, each in told.items()})
    latencies = {name: each.latency for name, each in told.items() if each.latency is not None}
    with Store(settings.database_url()) as store:
        async with (
            Gateway(settings, store) as gateway,
            Toolbox(tools, gateway, index=options.index) as toolbox,
        ):
            for name, reason in toolbox.missing.items():
                complain(f"{name} is left out: {reason}")
            if tools and not toolbox.available:
                raise UserError(f"none of the tools of `{options.catalogue}` is available here: fix what is said above")
            configuration = options.configuration or configure(toolbox.available, prices, latencies)
            usual = SEARCH_TURNS if is_search_agent(configuration.names) else MAX_TURNS
            yield Orchestrator(
                model=model,
                price=price_for(model, schedule(configuration.schedule), settings),
                gateway=gateway,
                toolbox=toolbox,
                configuration=configuration,
                max_turns=options.max_turns or usual,
                seed=settings.seed if options.seed is None else options.seed,
            )


async def work(
    options: OrchestrateOptions, complain: Callable[[str], None], heard: Callable[[Event], None] = lambda event: None
) -> Trace:
    """Answer a question. `complain` is told of each tool that cannot be had here, and why.

    Raises:
        UserError: the options cannot be followed as they stand.
        GatewayError: the orchestrator's endpoint failed.
    """
    async with orchestrator(options, complain) as opened:
        return await opened.answer(
            _opening(options, opened.max_turns) if opened.searches else options.question,
            max_dollars=options.max_dollars,
            trace=options.trace,
            heard=heard,
        )


def price_for(model: ModelSettings, prices: PriceSchedule, settings: Settings) -> Price:
    """What an orchestrator's tokens cost: the user's own price, then the schedule's, then what litellm knows.

    Raises:
        UnknownPrice: nobody knows.
    """
    own = settings.prices.get(model.model)
    return own or prices.price_of_served(model.model) or Prices(settings.prices).look_up(model.model)


def _opening(options: OrchestrateOptions, turns: int) -> list[Message]:
    """A search agent's prompt; an interrupted run goes on with its own, and so with the day that it was told.

    The day is the clock's where nobody gives one. It stands in the prompt, and so in the trace.
    """
    earlier = opening_of(options.trace) if options.trace and not options.today else []
    if earlier and earlier[-1].get("content") == options.question:
        return earlier
    today = day(options.today) if options.today else datetime.now(UTC).date().isoformat()
    return search_prompt(options.question, today=today, turns=turns)


def _orchestrator(options: OrchestrateOptions, settings: Settings) -> ModelSettings:
    if not options.model:
        return settings.for_role("agent")
    try:
        return ModelSettings(
            model=options.model,
            api_base=options.api_base,
            temperature=options.temperature,
            max_tokens=options.max_tokens,
        )
    except ValidationError as error:
        raise UserError(f"--api-base {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None


def _offered(options: OrchestrateOptions) -> list[CatalogueTool]:
    tools = with_servers(read_tools(options.catalogue), options.mcp)
    if options.configuration is not None and options.mcp:
        raise UserError("--mcp adds tools to a catalogue, and a task of --questions brings its own: leave it out")
    if options.configuration is not None:
        tools = [tool for tool in tools if tool.name in options.configuration.names]
    return searched_by(tools, options.search_service) if options.search_service else tools
