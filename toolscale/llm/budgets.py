"""The budget that the settings give to a run: of one process, or of several at once."""

from typing import TYPE_CHECKING

from toolscale.llm.budget import NOTHING, Budget, Caps, Spent
from toolscale.llm.prices import Prices
from toolscale.settings import Settings

if TYPE_CHECKING:
    from toolscale.store import Store


def budget_of(
    settings: Settings, prices: Prices, store: "Store", run: str | None, *, side_by_side: bool = False
) -> Budget | None:
    """The budget of a run, less what the ledger says the run has paid; None without a cap.

    ``side_by_side``: several processes spend it at the same time.
    """
    caps = Caps(settings.max_cost, settings.max_calls)
    if caps == Caps():
        return None
    if run and side_by_side:
        from toolscale.llm.shared_budget import SharedBudget
        from toolscale.store import Share

        return SharedBudget(caps, prices, Share(store, run), wave=settings.max_in_flight)
    return Budget(caps, prices, wave=settings.max_in_flight, before=spent(store, run) if run else NOTHING)


def spent(store: "Store", run: str) -> Spent:
    """What a run has newly paid, by the ledger."""
    lines = store.cost_by("stage", run=run)
    return Spent(sum(line.calls for line in lines), sum(line.dollars for line in lines))
