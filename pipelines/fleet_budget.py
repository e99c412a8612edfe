"""The budget of a fleet that releases proposed domains: what is left of it, and whether that pays for one more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.factory import Factory
from pipelines.fleet_plan import Due, Plan, still_to_pay
from toolscale.errors import UserError
from toolscale.llm.budget import NOTHING, Caps, Spent


def caps_of(factory: Factory) -> Caps:
    """What a fleet may pay."""
    settings = factory.settings()
    return Caps(settings.max_cost, settings.max_calls)


def too_dear(due: Due, caps: Caps, expected: Sequence[Due]) -> str:
    """Why a budget is not expected to pay for a domain beside others; empty if it is."""
    if caps.dollars is not None:
        dollars = max(0.0, caps.dollars - sum(each.dollars for each in expected))
        if due.dollars > dollars:
            return f"${dollars:,.4f} of the budget are left, and the next would take about ${due.dollars:,.4f}"
    if caps.calls is not None:
        calls = max(0.0, caps.calls - sum(each.calls for each in expected))
        if due.calls > calls:
            return f"{calls:,.0f} calls of the budget are left, and the next would take about {due.calls:,.0f}"
    return ""


def released_within(plan: Plan, caps: Caps) -> tuple[list[Due], str]:
    """The proposed domains that a budget is expected to release beside all that is due, and why it is no other.

    Raises:
        UserError: the budget says nothing about them.
    """
    _refuse_dollars_for_what_is_free(plan.proposed, caps)
    released: list[Due] = []
    for each in plan.proposed:
        if reason := too_dear(each, caps, [*plan.due, *released]):
            return released, reason
        released.append(each)
    return released, ""


def _refuse_dollars_for_what_is_free(proposed: Sequence[Due], caps: Caps) -> None:
    if caps.calls is None and any(each.calls and not each.dollars for each in proposed):
        raise UserError("the models are free, so `max_cost` never ends: say with `max_calls` what may be released")


@dataclass
class FleetBudget:
    """The budget of a fleet under way."""

    factory: Factory
    """Of the fleet, with the id that the ledger knows its calls under."""
    begun: dict[str, Due] = field(default_factory=dict)
    """Domain -> what it was expected to take when it was begun."""
    ended: set[str] = field(default_factory=set)

    @property
    def all_ended(self) -> bool:
        """Whether no domain is under way."""
        return self.ended >= self.begun.keys()

    def too_dear(self, proposed: Due) -> tuple[Due, str]:
        """What one more domain takes by what the ledger knows by now, and why the rest does not pay for it, if so.

        One under way has taken what it paid, and is expected to take the rest of its estimate; one that has ended,
        however it ended, takes nothing more.
        """
        due, paid = still_to_pay(proposed, self.factory), self._paid()
        expected = [self._expected(each, paid.get(name, NOTHING)) for name, each in self.begun.items()]
        return due, too_dear(due, caps_of(self.factory), expected)

    def _expected(self, due: Due, paid: Spent) -> Due:
        estimated = (0.0, 0.0) if due.domain.name in self.ended else (due.dollars, due.calls)
        return Due(due.domain, max(paid.dollars, estimated[0]), max(paid.calls, estimated[1]))

    def _paid(self) -> Mapping[str, Spent]:
        with self.factory.store() as store:
            lines = store.cost_by("domain", run=self.factory.run)
        return {line.name: Spent(line.calls, line.dollars) for line in lines}
