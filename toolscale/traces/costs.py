"""What was paid, and what a task that was kept has cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

from sqlalchemy import Integer, case, cast, func, select
from sqlmodel import col

from toolscale.stages import Stage
from toolscale.store import Dimension, GateResult, LedgerLine, ModelCall, Store

_ATTEMPTS = "episode"
"""The stage whose calls name the task that they are an attempt at."""

_CHAIN = {stage: place for place, stage in enumerate(get_args(Stage))}
"""Stages in the order in which a run comes to them; what is none keeps the order of its name."""


@dataclass(frozen=True)
class Costs:
    """The ledger by stage, role, domain or model, beside the tasks that were kept."""

    by: Dimension
    lines: list[LedgerLine]
    kept: Mapping[str, int]
    """Domain -> tasks kept."""
    cached: Mapping[str, int]
    """Model -> tokens of input that its provider had cached; models without any are left out."""

    @property
    def whole(self) -> LedgerLine:
        """All lines as one."""
        sums = [sum(figures) for figures in zip(*(line[1:] for line in self.lines), strict=True)]
        return LedgerLine("all", *sums) if sums else LedgerLine("all", 0, 0, 0, 0, 0.0, 0)

    def cents(self, line: LedgerLine) -> float | None:
        """Cents of a line for each kept task: by domain of its own, else of all. None where that cannot be said."""
        return _cents(line, self.kept.get(line.name, 0) if self.by == "domain" else sum(self.kept.values()))

    @property
    def cents_per_kept_task(self) -> float | None:
        """Of all lines."""
        return _cents(self.whole, sum(self.kept.values()))

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "by": self.by,
            "kept": dict(self.kept),
            "cents_per_kept_task": self.cents_per_kept_task,
            "lines": [{**line._asdict(), "cents_per_kept_task": self.cents(line)} for line in self.lines],
        }


def costs(
    store: Store,
    by: Dimension,
    *,
    domain: str = "",
    run: str = "",
    kept: Mapping[str, int] | None = None,
) -> Costs:
    """What the calls of a domain, of a run, or of both have cost.

    Args:
        run: id of a run; the kept tasks are then those that it paid attempts at.
        kept: tasks by domain where somebody else counts them, as a dataset does; only these domains' calls count.
    """
    only: dict[str, str | list[str]] = {name: wanted for name, wanted in (("domain", domain), ("run", run)) if wanted}
    if kept is None:
        kept = kept_in(store, domain=domain, run=run)
    else:
        kept = {name: count for name, count in kept.items() if domain in ("", name)}
        only["domain"] = sorted(kept)
    cached = {line.name: line.cached_tokens for line in store.cost_by("model", **only) if line.cached_tokens}
    lines = sorted(store.cost_by(by, **only), key=lambda line: _CHAIN.get(line.name, len(_CHAIN)))
    return Costs(by, lines, kept, cached)


class PaidLine(NamedTuple):
    """What was paid on one day for one stage of one domain."""

    day: str
    """Of UTC, such as 2026-11-23."""
    domain: str
    stage: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    dollars: float
    unpriced: int
    """Calls whose price is not known."""


def paid_by_day(store: Store) -> list[PaidLine]:
    """The whole ledger by day, domain, stage and model, in that order."""
    call = ModelCall
    day = func.date(col(call.created_at))
    names = (day, col(call.domain), col(call.stage), col(call.model))
    query = select(
        *names,
        func.count(),
        func.coalesce(func.sum(call.prompt_tokens), 0),
        func.coalesce(func.sum(call.completion_tokens), 0),
        func.coalesce(func.sum(call.dollars), 0.0),
        func.count().filter(col(call.dollars).is_(None)),
    ).group_by(*names)
    return sorted(PaidLine(str(on), *figures) for on, *figures in store.read(query))


def kept_in(store: Store, *, domain: str = "", run: str = "") -> dict[str, int]:
    """Domain -> tasks that met every gate, the last one among them, as the store knows it of all runs."""
    row = GateResult
    last = func.sum(case((col(row.gate) == "distinct", 1), else_=0))
    passed = (
        select(col(row.domain), col(row.task_id))
        .group_by(col(row.domain), col(row.task_id))
        .having(func.min(cast(col(row.passed), Integer)) == 1, last == 1)
    )
    if domain:
        passed = passed.where(col(row.domain) == domain)
    if run:
        paid = select(col(ModelCall.task)).where(col(ModelCall.run) == run, col(ModelCall.stage) == _ATTEMPTS)
        passed = passed.where(col(row.task_id).in_(paid))
    each = passed.subquery()
    found = store.read(select(each.c.domain, func.count()).group_by(each.c.domain).order_by(each.c.domain))
    return {name: count for name, count in found}  # noqa: C416 - for the types


def kept_of_tested(store: Store, domain: str = "") -> tuple[int, int] | None:
    """How many tasks met every gate, and how many met any, of all domains or of one; None where there are none."""
    tested = select(func.count(func.distinct(col(GateResult.task_id))))
    ((count,),) = store.read(tested.where(col(GateResult.domain) == domain) if domain else tested)
    return (sum(kept_in(store, domain=domain).values()), int(count)) if count else None


def _cents(line: LedgerLine, kept: int) -> float | None:
    return None if line.unpriced or not kept else 100 * line.dollars / kept
