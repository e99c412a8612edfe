"""The tools of a training's catalogue and the models beside the policy, opened once for all its episodes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.catalogue.toolbox import Toolbox
from toolscale.episodes.users import Users
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.llm.endpoints import see_that_it_has_an_address
from toolscale.settings import Price, Settings
from toolscale.tools.tool import Tool
from trainer.config import Config
from trainer.rollout.user import users_behind
from trainer.tasks.data import Exercises


class Opener(Protocol):
    """Opens the tools of a configuration for one episode, as a `Toolbox` does."""

    def open(
        self, configuration: ToolConfiguration, *, task: str = "", seed: int = 0, sample: int = 0
    ) -> Sequence[Tool]: ...


@dataclass(frozen=True)
class Bench:
    """Where a catalogue's tools come from, and who is asked in an episode beside the policy."""

    opener: Opener
    judging: Gateway | None = None
    """Where a judge is asked, if it is."""
    users: Users | None = None
    """Who plays the users of domain tasks, where they are simulated."""


@asynccontextmanager
async def opened(config: Config, exercises: Exercises) -> AsyncIterator[Bench | None]:
    """The catalogue's tools while a training lasts; None where no task offers any, and no users are simulated.

    Models are asked through the gateway, with the settings and the store of TOOLSCALE_*. What a simulated model
    costs is counted in the reward alone: nobody is paid.

    Raises:
        UserError: a task offers a tool that cannot be had here; says why.
    """
    offered = exercises.catalogue_tools
    conversing = config.rollouts.user_mode == "simulated"
    if not offered and not conversing:
        yield None
        return
    from toolscale.store import Store

    settings = Settings.load()
    tools = [tool for tool in read_tools(config.tools.catalogue) if tool.name in offered]
    free = {tool.model.model: Price(input=0, output=0) for tool in tools if tool.model and tool.model.simulated}
    settings = settings.model_copy(update={"prices": {**free, **settings.prices}})
    if config.tools.judge:
        judge = settings.for_role("judge")
        see_that_it_has_an_address(judge.model, judge.api_base)
    with Store(settings.database_url()) as store:
        async with (
            Gateway(settings, store) as gateway,
            Toolbox(tools, gateway, index=config.tools.index, index_named_by="--set tools.index=DIR") as toolbox,
        ):
            _refuse_missing(toolbox.missing)
            yield Bench(toolbox, gateway if config.tools.judge else None, users_behind(gateway) if conversing else None)


def _refuse_missing(missing: Mapping[str, str]) -> None:
    """Name all that cannot be had, once for each reason, so that nobody meets one refusal after the other."""
    reasons: dict[str, list[str]] = {}
    for name, reason in missing.items():
        reasons.setdefault(reason, []).append(name)
    if reasons:
        told = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items())
        raise UserError(f"tasks offer tools that cannot be had here: {told}")
