"""What a run depends on, and the one way in which an asset runs its stage."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

import dagster as dg
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from pipelines.alone import alone
from pipelines.dagster_internals import PARTITION_NAME_TAG, RETRY_NUMBER_TAG
from pipelines.interrupts import run_until_interrupted
from pipelines.progress import Listener, Progress
from pipelines.stopped import StageStopped
from pipelines.telling import Figures, Observe, Telling
from toolscale.errors import UserError
from toolscale.llm import BudgetSpent, Gateway, GatewayError
from toolscale.llm.budget import spent
from toolscale.llm.errors import RetriesExhausted, TimedOut
from toolscale.llm.providers import provider_name
from toolscale.printable import printable
from toolscale.settings import ModelSettings, Role, Settings, model_at
from toolscale.store import Store
from toolscale.synthesis.quota import Wanted
from toolscale.traces.costs import kept_of_tested

T = TypeVar("T")

RETRY_AFTER = (60, 600)
"""Seconds until a stage is tried again whose endpoint failed for longer than the gateway bears with it."""

_MAY_PASS = (TimedOut, RetriesExhausted)

TASKS_PER_DOMAIN = 85
"""First tasks that are proposed unless a run says otherwise."""

USUALLY_KEPT = (3, 5)
"""Tasks that are kept of those that are tested, where no ledger says better."""


def _two(given: Any) -> Any:
    """Two figures, from `LOW:HIGH` as a user types it."""
    return tuple(given.split(":")) if isinstance(given, str) else given


class Factory(BaseModel):
    """The settings of a run. Without a model, those of `toolscale.toml` and `TOOLSCALE_*` answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    data_root: str
    dataset: str
    domains: list[str] = []
    seed: int
    keep: int | None = Field(default=None, gt=0)
    """Tasks that are wanted of a domain; None = whatever passes of what is proposed."""
    pass_rate: Annotated[tuple[float, float] | None, BeforeValidator(_two)] = None
    """Lowest and highest pass rate of these."""
    golden_calls: Annotated[tuple[int, int] | None, BeforeValidator(_two)] = None
    """Fewest and most golden calls of these."""
    tasks_per_domain: int = TASKS_PER_DOMAIN
    more_tasks: dict[str, int] = {}
    """Domain -> first tasks, where it is another number."""
    evolution_rounds: int = 1
    attempts: int
    user_mode: Literal["direct", "simulated"]
    model: str = ""
    api_base: str = ""
    roles: dict[str, str] = {}
    max_cost: float | None = None
    max_calls: int | None = None
    cost_per_task: float | None = None
    hold_out: list[str] | None = None
    """Domains that are in `eval` wholly; None for the usual choice."""
    run: str = ""
    """Id under which the ledger sums what the run pays; empty = that of the Dagster run, or of the one that died."""

    @classmethod
    def of(cls, settings: Settings, **chosen: Any) -> "Factory":
        """A factory with the settings' defaults.

        Raises:
            UserError: what was chosen is not possible.
        """
        defaults = {name: getattr(settings, name) for name in ("data_root", "seed", "attempts", "user_mode")}
        root = settings.data_root
        defaults["dataset"] = "dataset" if "://" in root else f"{root}/dataset"
        return cls._checked(**defaults | chosen)

    @classmethod
    def _checked(cls, **chosen: Any) -> "Factory":
        try:
            return cls(**chosen)
        except ValidationError as error:
            first = error.errors()[0]
            told = first["msg"].removeprefix("Value error, ")
            raise UserError(f"`{first['loc'][0]}` of the run: {told}" if first["loc"] else told) from None

    def told(self, chosen: dict[str, Any]) -> "Factory":
        """This factory with what was chosen for a run.

        Raises:
            UserError: what was chosen is not possible.
        """
        return self._checked(**self.model_dump() | chosen)

    def settings(self) -> Settings:
        """All settings of the run, with what was chosen for it.

        Raises:
            UserError: a role is unknown, roles are given without a model, or the endpoint's URL is not one.
        """
        update: dict[str, Any] = {name: getattr(self, name) for name in ("data_root", "seed", "attempts", "user_mode")}
        update |= {name: cap for name in ("max_cost", "max_calls") if (cap := getattr(self, name)) is not None}
        if self.model:
            update |= {"default_model": self.model, "default_api_base": self.api_base or None, "models": self._models()}
        elif self.roles or self.api_base:
            raise UserError("roles and api_base go with a model: name one with --model, or set TOOLSCALE_MODELS")
        return Settings.load(**update)

    def first_tasks(self, domain: str) -> int:
        """How many first tasks are proposed for a domain; of a wanted number, before it is known how many are kept."""
        asked = self.more_tasks.get(domain, self.tasks_per_domain)
        return min(asked, ceil(self.keep / (1 + self.evolution_rounds))) if self.keep else asked

    def likely_first_tasks(self, domain: str, store: Store) -> int:
        """How many first tasks it is going to be: for a wanted number, by what was kept of those that were tested."""
        if not self.keep:
            return self.first_tasks(domain)
        kept, tested = kept_of_tested(store, domain) or kept_of_tested(store) or USUALLY_KEPT
        return ceil(self.keep * tested / max(kept, 1) / (1 + self.evolution_rounds))

    def wanted(self, settings: Settings) -> Wanted | None:
        """The tasks that are wanted, where a number was named; `settings` are those of the run."""
        if not self.keep:
            return None
        return Wanted(self.keep, self.pass_rate or settings.wanted_pass_rate, self.golden_calls)

    @model_validator(mode="after")
    def _says_how_many(self) -> Self:
        if not self.keep and (self.pass_rate or self.golden_calls):
            raise ValueError("`pass_rate` and `golden_calls` say which tasks to keep: say with `keep` how many")
        if self.pass_rate and not 0 <= self.pass_rate[0] <= self.pass_rate[1] <= 1:
            raise ValueError("`pass_rate` is two shares, the lower one first, such as 0.1:0.8")
        if self.golden_calls and not 0 <= self.golden_calls[0] <= self.golden_calls[1]:
            raise ValueError("`golden_calls` is two numbers, the lower one first, such as 4:12")
        return self

    def store(self) -> Store:
        """The store of all runs that share the data root, to be closed after use."""
        return Store(self.settings().database_url())

    def _models(self) -> dict[Role, ModelSettings]:
        """Who answers for each role. A model of the same provider as `model` is at the same endpoint."""
        if unknown := set(self.roles) - set(get_args(Role)):
            raise UserError(f"there is no role `{min(unknown)}`, only {', '.join(get_args(Role))}")
        answering = {role: self.roles.get(role, self.model) for role in get_args(Role)}
        return {role: model_at(model, self._endpoint(model)) for role, model in answering.items()}

    def _endpoint(self, model: str) -> str | None:
        return (self.api_base or None) if provider_name(model) == provider_name(self.model) else None

    def ask(
        self,
        context: dg.AssetExecutionContext,
        progress: Listener,
        stage: Callable[["Asking"], Awaitable[T]],
    ) -> T:
        """Run a stage with a gateway to the run's models; what a user can mend becomes a failure without retries."""

        at_work = Progress(context.partition_key, context.op_handle.name, "started")
        telling = Telling(at_work, progress, context.log.info, observer(context))
        run = self.run or paying_run(context.run, context.instance)

        async def asked(settings: Settings, store: Store) -> T:
            async with Gateway(settings, store, run=run) as gateway, telling.signs_of_life(gateway.sight):
                return await stage(Asking(gateway, store, settings, context, telling))

        progress(at_work)
        try:
            settings = self.settings()
            with self.store() as store:
                try:
                    answer = run_until_interrupted(asked(settings, store))
                except BudgetSpent as error:
                    raise StageStopped(error, spent(store, run), telling.latest) from error
        except _MAY_PASS as error:
            # A command says at once what is wrong; a run that the daemon began may stand for hours with nobody there.
            if self.run or context.retry_number >= len(RETRY_AFTER):
                raise refusal(error) from error
            raise dg.RetryRequested(len(RETRY_AFTER), RETRY_AFTER[context.retry_number]) from error
        except (UserError, GatewayError) as error:
            raise refusal(error) from error
        progress(replace(at_work, state="finished"))
        return answer


class RunConfig(dg.ConfigurableResource[Factory]):
    """What may be chosen for a run in the launchpad. The data root may not: all runs share it."""

    dataset: str | None = Field(default=None, description="Folder of the dataset; else `dataset` in the data root.")
    domains: list[str] = Field(default=[], description="Domains in the dataset; empty = all that have tasks.")
    hold_out: list[str] | None = Field(
        default=None, description="Domains that are in `eval` wholly; null = two of a dataset with many, [] = none."
    )
    seed: int | None = Field(default=None, ge=0, description="The same seed gives the same tasks.")
    tasks_per_domain: int = Field(default=TASKS_PER_DOMAIN, gt=0, description="First tasks; each is then evolved.")
    keep: int | None = Field(
        default=None, gt=0, description="Tasks wanted; the factory goes on proposing until so many are kept."
    )
    pass_rate: str | None = Field(default=None, description="Wanted pass rate with `keep`: `0.1:0.8`.")
    golden_calls: str | None = Field(default=None, description="Wanted number of golden calls with `keep`: `4:12`.")
    evolution_rounds: int = Field(default=1, ge=0, description="How often each task is made harder.")
    attempts: int | None = Field(default=None, gt=0, description="The agent's attempts at each task.")
    user_mode: str | None = Field(default=None, description="`direct`, or `simulated`: a model plays the user.")
    model: str = Field(default="", description="litellm's model string, for every role; empty = as the settings say.")
    api_base: str = Field(default="", description="Base URL of the model's endpoint, where it is not the provider's.")
    roles: dict[str, str] = Field(default={}, description="Role -> model string, where a role differs from `model`.")
    max_cost: float | None = Field(default=None, ge=0, description="Dollars that the run may newly pay.")
    max_calls: int | None = Field(default=None, ge=0, description="Calls that the run may newly make.")
    cost_per_task: float | None = Field(
        default=None, ge=0, description="Dollars that a kept task may have cost; beyond, a check warns."
    )

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Factory]:
        """The factory for a run, which is the only one to make its domain.

        Where a setting gives each step a process of its own, no process lasts as long as the run, and Dagster's queue
        alone keeps others away.
        """
        factory = self.create_resource(context)
        domain = context.run.tags.get(PARTITION_NAME_TAG) if context.run and not Settings.load().executor else None
        with alone(factory.data_root, [domain] if domain else []):
            yield factory

    def create_resource(self, context: dg.InitResourceContext) -> Factory:
        """The factory, with the settings of the working directory where nothing was chosen."""
        chosen = {name: getattr(self, name) for name in type(self).model_fields}
        return Factory.of(Settings.load(), **{name: value for name, value in chosen.items() if value is not None})


@dataclass(frozen=True)
class Asking:
    """What a stage is given to ask models, and to tell how it goes on."""

    gateway: Gateway
    store: Store
    settings: Settings
    context: dg.AssetExecutionContext
    telling: Telling


def roles_from(assignments: Sequence[str]) -> dict[str, str]:
    """Role -> model string, from `ROLE=MODEL` as a user types it.

    Raises:
        UserError: one of them is not of that form.
    """
    for assignment in assignments:
        role, _, model = assignment.partition("=")
        if not role or not model:
            raise UserError(f"--role {assignment}: write ROLE=MODEL, such as agent=openai/gpt-5-mini")
    return {role: model for role, _, model in (assignment.partition("=") for assignment in assignments)}


def observer(context: dg.AssetExecutionContext) -> Observe:
    """Puts figures of an asset at work into the event log, for its partition."""
    key = dg.AssetKey(context.op_handle.name)
    partition = context.partition_key if context.has_partition_key else None

    def observe(figures: Figures) -> None:
        context.log_event(dg.AssetObservation(key, partition=partition, metadata=dict(figures)))

    return observe


def paying_run(run: dg.DagsterRun, instance: dg.DagsterInstance) -> str:
    """The run whose budget a run spends: its own, or that of the one it goes on with, whose process died."""
    if RETRY_NUMBER_TAG not in run.tags or run.parent_run_id is None:
        return run.run_id
    died = instance.get_run_by_id(run.parent_run_id)
    return paying_run(died, instance) if died else run.run_id


def refusal(error: Exception) -> dg.Failure:
    """The failure that a user's error, or a model that could not be had, is in Dagster: no retry would help."""
    return dg.Failure(printable(str(error)), allow_retries=False)
