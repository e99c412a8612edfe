"""What a run depends on, and the one way in which an asset runs its stage."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any, TypeVar, get_args

import dagster as dg
from pydantic import Field, ValidationError

from pipelines.dagster_internals import BACKFILL_ID_TAG, RETRY_NUMBER_TAG
from pipelines.domains import refuse_retired, refuse_switched_off
from pipelines.interrupts import run_until_interrupted
from pipelines.poor_yield import LeastYield
from pipelines.progress import Listener, Progress
from pipelines.refusals import AnotherTry, refusal
from pipelines.stopped import PoorYield, StageStopped
from pipelines.telling import Figures, Observe, Telling
from toolscale.artifacts import Domain
from toolscale.errors import UserError
from toolscale.instances import Instances, instance_options
from toolscale.llm import BudgetSpent, Gateway, GatewayError
from toolscale.llm.budgets import spent
from toolscale.llm.errors import RetriesExhausted, TimedOut
from toolscale.llm.providers import provider_name
from toolscale.run_options import RunOptions, RunSettings
from toolscale.settings import ModelSettings, Settings, model_at
from toolscale.stages import Role
from toolscale.store import Store
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.tally import Told
from toolscale.synthesis.wanted import Wanted
from toolscale.traces.costs import kept_of_tested

T = TypeVar("T")

RETRY_AFTER = (60, 600)
"""Seconds until a stage is tried again whose endpoint failed for longer than the gateway bears with it."""

_MAY_PASS = (TimedOut, RetriesExhausted)

USUALLY_KEPT = (3, 5)
"""Tasks that are kept of those that are tested, where no ledger says better."""


_FROM_SETTINGS = ("data_root", *RunSettings.model_fields)
"""What the settings say where a run chooses nothing."""


class Factory(RunOptions):
    """The settings of a run. Without a model, those of `toolscale.toml` and `TOOLSCALE_*` answer."""

    data_root: str
    more_tasks: dict[str, int] = Field(default={}, description="Domain -> first tasks, where it is another number.")
    run: str = ""
    """Id under which the ledger sums what the run pays; empty = that of Dagster's backfill or run."""
    at_once: int = 1
    """Domains that are made at the same time, each in a process, and share a budget and the calls in flight."""
    fleet: bool = False
    """Whether a domain whose yield is poor is stopped."""

    @classmethod
    def of(cls, settings: Settings, **chosen: Any) -> "Factory":
        """A factory with the settings' defaults.

        Raises:
            UserError: what was chosen is not possible.
        """
        defaults = {name: getattr(settings, name) for name in _FROM_SETTINGS}
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
        update = {name: chosen for name in _FROM_SETTINGS if (chosen := getattr(self, name)) is not None}
        if self.model:
            update |= {"default_model": self.model, "default_api_base": self.api_base or None, "models": self._models()}
        elif self.roles or self.api_base:
            raise UserError("roles and api_base go with a model: name one with --model, or set TOOLSCALE_MODELS")
        settings = Settings.load(**update)
        return settings.model_copy(update={"max_in_flight": max(1, settings.max_in_flight // self.at_once)})

    def teacher(self) -> str:
        """The model that a run's tags name: it writes what a domain is made of.

        Raises:
            UserError: as `settings` does.
        """
        return self.settings().for_role("teacher").model

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

    def instances(self) -> Instances | None:
        """What draws the instances of the dataset's tasks, where a catalogue is named.

        Raises:
            UserError: they cannot be drawn.
        """
        preferences, descriptions = (Path(file) if file else None for file in (self.preferences, self.descriptions))
        options = instance_options(self.catalogue, self.schedules, preferences, descriptions, self.seed)
        return Instances.beside_functions(options) if options else None

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
        domain: Domain,
        stage: Callable[[DomainRun], Awaitable[T]],
    ) -> T:
        """Run a stage with a gateway to the run's models; what a user can mend becomes a failure without retries."""

        at_work = Progress(context.partition_key, context.op_handle.name, "started")
        telling = Telling(at_work, progress, context.log.info, observer(context))
        run = self.run or paying_run(context.run, context.instance)
        backfill = BACKFILL_ID_TAG in context.run.tags
        least = LeastYield(self.least_yield, self.cost_per_task) if self.fleet or backfill else None
        poor = ""

        async def asked(settings: Settings, store: Store) -> T:
            shared = self.at_once > 1 or backfill or bool(settings.executor)
            gateway = Gateway(settings, store, run=run, side_by_side=shared)

            def paid() -> float:
                return sum(line.dollars for line in store.cost_by("stage", domain=domain.name))

            def told(done: int, total: int, counts: Mapping[str, int] | None = None) -> None:
                nonlocal poor
                telling.tell(done, total, counts)
                if least and not poor and (poor := least.complaint(done, counts or {}, paid)):
                    gateway.end(poor)

            async with gateway, telling.signs_of_life(gateway.sight):
                return await stage(self._run_of(domain, gateway, store, settings, told))

        progress(at_work)
        try:
            refuse_retired(self.data_root, domain.name)
            refuse_switched_off(self.data_root, domain.name)
            settings = self.settings()
            with self.store() as store:
                try:
                    answer = run_until_interrupted(asked(settings, store))
                except BudgetSpent as error:
                    if poor:
                        raise PoorYield(poor, telling.latest) from error
                    raise StageStopped(error, spent(store, run), telling.latest) from error
        except _MAY_PASS as error:
            # A command says at once what is wrong; a run that the daemon began may stand for hours with nobody there.
            if self.run or context.retry_number >= len(RETRY_AFTER):
                raise refusal(error) from error
            raise AnotherTry(error, len(RETRY_AFTER), RETRY_AFTER[context.retry_number]) from error
        except (UserError, GatewayError) as error:
            raise refusal(error) from error
        progress(replace(at_work, state="finished"))
        return answer

    def _run_of(self, domain: Domain, gateway: Gateway, store: Store, settings: Settings, told: Told) -> DomainRun:
        """What a stage of a domain is given."""
        return DomainRun(
            domain,
            gateway,
            store,
            settings,
            first_tasks=self.first_tasks(domain.name),
            evolution_rounds=self.evolution_rounds,
            wanted=self.wanted(settings),
            told=told,
        )


def observer(context: dg.AssetExecutionContext) -> Observe:
    """Puts figures of an asset at work into the event log, for its partition."""
    key = dg.AssetKey(context.op_handle.name)
    partition = context.partition_key if context.has_partition_key else None

    def observe(figures: Figures) -> None:
        context.log_event(dg.AssetObservation(key, partition=partition, metadata=dict(figures)))

    return observe


def paying_run(run: dg.DagsterRun, instance: dg.DagsterInstance) -> str:
    """Whose budget a run spends: that of its backfill, its own, or that of the run it goes on with, which died."""
    if backfill := run.tags.get(BACKFILL_ID_TAG):
        return backfill
    if RETRY_NUMBER_TAG not in run.tags or run.parent_run_id is None:
        return run.run_id
    died = instance.get_run_by_id(run.parent_run_id)
    return paying_run(died, instance) if died else run.run_id
