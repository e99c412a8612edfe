"""Group fleet: the domains that the factory may make."""

from collections.abc import Sequence
from textwrap import shorten

import dagster as dg
from pydantic import Field

from pipelines.assets.stage import release_asset
from pipelines.factory import Factory, observer
from pipelines.interrupts import run_until_interrupted
from pipelines.launchpad import Launchpad
from pipelines.metadata import Metadata, cost
from pipelines.progress import Listener, Progress
from pipelines.proposals import Plan, ProposalReport, propose
from pipelines.refusals import Refusal, refusal
from pipelines.shown import markdown
from pipelines.telling import Telling
from toolscale.errors import UserError
from toolscale.llm import GatewayError
from toolscale.markdown import cell
from toolscale.proposals.proposing import LEDGER, STAGE

_MOST, _LONGEST = 300, 240
"""Rows of a table, and characters of a cell."""


class Proposing(Launchpad):
    """How many domains are wanted, and what they are about."""

    count: int = Field(
        default=20, gt=0, description="Proposed domains wanted, those that are there included; 1 or more."
    )
    topics: str = Field(default="", description="A text file of topics of your own, one a line: these come first.")
    like: str = Field(
        default="", description="A folder of domains' files, or a data root: examples to follow and not to repeat."
    )


@release_asset(group="fleet", kinds={"llm", "file"}, prompts=("domains",), asks=("teacher",), told=("seed",))
def proposed_domains(
    context: dg.AssetExecutionContext,
    config: Proposing,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
) -> dg.MaterializeResult[None]:
    """Domains that the teacher proposes, spread over ISIC's tree of human activity and topics of your own.

    Each is a file in `domains/`, switched off: no run makes it until it is released (`toolscale domains release`, or
    `toolscale synthesize --all --release-proposed`). Near-duplicates are refused. Where the budget ends it, what was
    paid for is kept, and the next run goes on.
    """
    telling = Telling(Progress(LEDGER, STAGE, "started"), progress, context.log.info, observer(context))
    plan = Plan(config.count, config.topics, config.like)
    try:
        report = run_until_interrupted(propose(plan, factory, telling, factory.run or context.run_id, context.log.info))
    except (UserError, GatewayError) as error:
        raise refusal(error) from error
    metadata = {**_shown(report), **cost(factory, LEDGER, STAGE)}
    if report.proposed.stopped:
        raise Refusal(report.stop, metadata)
    return dg.MaterializeResult(metadata=metadata)


def _shown(report: ProposalReport) -> Metadata:
    proposed = report.proposed
    odd = [*report.missing, *proposed.warnings, *proposed.unanswered, *report.topics_left, *report.passed_over]
    return {
        "wanted_in_all": report.plan.count,
        "there_before": report.there,
        "there_now": report.there_now,
        "accepted": len(proposed.accepted),
        "refused": len(proposed.refused),
        "missing": report.short,
        "proposals": _table(
            ("domain", "division", "topic", "description", "tables"),
            [
                (each.name, each.division.path, each.origin.topic, each.description, ", ".join(each.origin.tables))
                for each in proposed.accepted
            ],
        ),
        "refusals": _table(
            ("domain", "for", "why"), [(each.name, each.place, "; ".join(each.reasons)) for each in proposed.refused]
        ),
        "remarks": _table(("missing, near another, or passed over",), [(line,) for line in odd]),
    }


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> dg.MarkdownMetadataValue:
    """A table of as many rows as the event log should hold."""
    lines = [head, ["---"] * len(head)]
    lines += [[cell(shorten(each, _LONGEST)) for each in row] for row in rows[:_MOST]]
    lines += [[f"and {len(rows) - _MOST} more"]] if len(rows) > _MOST else []
    return markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
