"""What is noted when a run of `generate` ends: why a domain was not made, or that it was."""

import dagster as dg

from pipelines.dagster_internals import PARTITION_NAME_TAG
from pipelines.factory import Factory
from pipelines.fates import Fate, forget_fate, note_fate
from pipelines.refusals import Refusal
from pipelines.stopped import PoorYield, StageStopped
from pipelines.unchanged import domain_ingredients
from toolscale.errors import causes_of
from toolscale.llm import BudgetSpent, GatewayError, Unanswerable
from toolscale.printable import in_one_line


@dg.failure_hook(required_resource_keys={"factory"})
def note_why_not_made(context: dg.HookContext) -> None:
    """Note in which stage a domain ended, and why."""
    domain, factory = _domain(context), context.resources.factory
    if domain is not None and context.op_exception is not None:
        note_fate(factory.data_root, domain, fate_of(context.op_exception, context.op.name, factory, domain))


@dg.success_hook(required_resource_keys={"factory"})
def note_that_it_is_made(context: dg.HookContext) -> None:
    """Forget why a domain was not made before, once its last stage has run."""
    domain = _domain(context)
    if domain is not None and context.op.name == "verified_tasks":
        forget_fate(context.resources.factory.data_root, domain)


def fate_of(error: BaseException, stage: str, factory: Factory, domain: str) -> Fate:
    """How a run of a domain ended, by what a stage raised."""
    causes = list(causes_of(error))
    for cause in causes:
        if isinstance(cause, PoorYield):
            made_of = domain_ingredients(factory, domain)
            return Fate(ended="poor yield", stage=stage, reason=cause.reason, made_of=made_of)
        if isinstance(cause, StageStopped):
            return Fate(ended="budget", stage=stage, reason=cause.reason)
    of_the_endpoint = any(
        isinstance(cause, GatewayError) and not isinstance(cause, Unanswerable | BudgetSpent) for cause in causes
    )
    return Fate(ended="failed", stage=stage, reason=_reason(causes), of_the_endpoint=of_the_endpoint)


def _reason(causes: list[BaseException]) -> str:
    told = next((cause.said for cause in causes if isinstance(cause, Refusal)), None)
    told = told or next((cause.description for cause in causes if isinstance(cause, dg.Failure)), None)
    return in_one_line(told or f"{type(causes[-1]).__name__}: {causes[-1]}")


def _domain(context: dg.HookContext) -> str | None:
    run = context.instance.get_run_by_id(context.run_id)
    return run.tags.get(PARTITION_NAME_TAG) if run else None
