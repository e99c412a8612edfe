"""A fleet: all domains that are switched on, made side by side under one budget, and released once at the end.

Where it was asked for, what they leave of the budget switches proposed domains on, one by one.
"""

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from pipelines.alone import alone
from pipelines.domains import domain_files, release_by_budget
from pipelines.factory import Factory
from pipelines.fates import ENDED, Fate, forget_fate, noted_fate
from pipelines.fleet_budget import FleetBudget, caps_of, released_within
from pipelines.fleet_plan import Due, Plan, plan
from pipelines.fleet_report import FleetReport, fleet_report, write_fleet_report
from pipelines.preflight import refuse_early
from pipelines.progress import Listener, Progress
from pipelines.run import generate_alone, release_of
from pipelines.side_by_side import side_by_side
from pipelines.stopped import RunStopped
from toolscale.errors import UserError
from toolscale.printable import in_one_line

GIVES_UP_AFTER = 3
"""Domains in a row that an endpoint failed, after which no other is begun: it is not the domains' fault."""

_DIED = "its process died, as for want of memory; with fewer domains at once each has more of it"


@dataclass(frozen=True)
class FleetRun:
    """What one run of a fleet did, beside the report of all domains."""

    report: FleetReport
    report_file: str
    dataset: str | None
    """Where the domains that are made were released to; nothing if there are none."""
    made: Sequence[str]
    unchanged: Sequence[str]
    """Made by earlier runs, of the same."""
    not_made: Mapping[str, Fate]
    not_begun: Sequence[str]
    released: Sequence[str]
    """Switched on by the budget, whatever became of them."""
    off: Sequence[str]
    """Switched off."""
    left_off: Mapping[str, str]
    """Name of each that the budget was not to release, or did not -> why; empty where it was to release none."""
    passed_over: Mapping[str, str]
    """Name of any other -> why it was not to be made."""
    ended: str
    """Why no other was begun; empty if all were."""
    seconds: float

    @property
    def out_of_budget(self) -> bool:
        """Whether the budget ended it; the next run goes on."""
        return any(fate.ended == "budget" for fate in self.not_made.values())

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {
            "dataset": self.dataset,
            "report": self.report_file,
            "seconds": self.seconds,
            "ended": self.ended,
            "made": list(self.made),
            "unchanged": list(self.unchanged),
            "not_made": {name: fate.model_dump(exclude={"made_of"}) for name, fate in self.not_made.items()},
            "not_begun": list(self.not_begun),
            "released": list(self.released),
            "off": list(self.off),
            "left_off": dict(self.left_off),
            "passed_over": dict(self.passed_over),
            "fleet": self.report.as_json(),
        }


@dataclass
class _Course:
    """How a fleet fares."""

    plan: Plan
    budget: FleetBudget
    not_made: dict[str, Fate] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    in_a_row: int = 0
    """Domains that the endpoint failed, since it last did not."""
    too_dear: str = ""
    """Why the rest of the budget does not pay for the next proposed domain."""

    @property
    def ended(self) -> str:
        """Why no other domain is begun; empty as long as others are."""
        if any(fate.ended == "budget" for fate in self.not_made.values()):
            return "the budget is spent"
        if self.in_a_row >= GIVES_UP_AFTER:
            return f"the endpoint failed {self.in_a_row} domains in a row"
        return ""

    def next_domains(self) -> Iterator[str | None]:
        """The domains that are due, then those that the budget releases, each when it can be begun.

        Nothing: the rest of the budget is for those under way, of which one that takes less may leave enough.
        """
        for due in self.plan.due:
            if self.ended:
                return
            yield self._begin(due)
        for proposed in self.plan.proposed:
            due, self.too_dear = self.budget.too_dear(proposed)
            while self.too_dear and not (self.ended or self.budget.all_ended):
                yield None
                due, self.too_dear = self.budget.too_dear(proposed)
            if self.ended or self.too_dear:
                return
            yield self._begin(due)

    def _begin(self, due: Due) -> str:
        self.budget.begun[due.domain.name] = due
        return due.domain.name

    @property
    def left_off(self) -> dict[str, str]:
        """Name of each domain that the budget left off -> why."""
        reason = self.ended or self.too_dear
        names = (each.domain.name for each in self.plan.proposed)
        return dict(self.plan.left_off) | {name: reason for name in names if name not in self.budget.begun}

    def note(self, domain: str, fate: Fate | None) -> None:
        """How a domain ended; nothing, if it was made."""
        self.budget.ended.add(domain)
        self.in_a_row = self.in_a_row + 1 if fate and fate.of_the_endpoint else 0
        if fate is None:
            self.made.append(domain)
        else:
            self.not_made[domain] = fate


def run_fleet(factory: Factory, *, at_once: int, progress: Listener) -> FleetRun:
    """Make every domain that has a file, is switched on, and is not made yet; then release all that are made.

    The cheapest comes first. Where it was asked for, proposed domains are switched on and made after these, as long as
    the rest of the budget is expected to pay for one more. A domain that fails is passed over, and one whose yield is
    poor is stopped early; the budget ends all of them. The next fleet goes on where this one was, and pays for nothing
    twice.

    Raises:
        UserError: nothing could be made, for a reason that a user can mend.
    """
    started = time.perf_counter()
    found = plan(factory)
    released, too_dear = released_within(found, caps_of(factory))
    if not found.due and not found.made and not released:
        raise UserError(f"no domain can be made: {too_dear or _why_none(found)}")
    may_come = [*found.due, *found.proposed]
    refuse_early([*(each.domain for each in may_come), *found.made], factory)
    shared = {"run": factory.run or uuid.uuid4().hex, "at_once": min(at_once, len(may_come) or 1), "fleet": True}
    fleet = factory.model_copy(update=shared)
    course = _Course(found, FleetBudget(fleet))
    if may_come:
        with closing(side_by_side(fares, course.next_domains(), fleet, progress, fleet.at_once)) as made:
            for domain, future in made:
                course.note(domain, fate := _outcome(future))
                progress(Progress(domain, ENDED[fate.ended] if fate else "made", "finished"))
    names = sorted([*(each.name for each in found.made), *course.made])
    if names:
        release_of(names, fleet, progress)
    report, off = replace(fleet_report(fleet), left_off=course.left_off), domain_files(fleet.data_root).off
    return FleetRun(
        report=report,
        report_file=str(write_fleet_report(fleet, report)),
        dataset=factory.dataset if names else None,
        made=course.made,
        unchanged=[each.name for each in found.made],
        not_made=course.not_made,
        not_begun=[each.domain.name for each in found.due if each.domain.name not in course.budget.begun],
        released=[name for name in course.budget.begun if name in found.off and name not in off],
        off=off,
        left_off=course.left_off,
        passed_over=found.passed_over,
        ended=course.ended,
        seconds=round(time.perf_counter() - started, 1),
    )


def fares(domain: str, factory: Factory, progress: Listener) -> Fate | None:
    """Make a domain, in a process of its own: how it ended if it was not made."""
    noted = None
    try:
        with alone(factory.data_root, [domain]):
            if factory.release_proposed:  # not before it has the lock: what another run makes stays as it is
                release_by_budget(factory.data_root, domain)
            forget_fate(factory.data_root, domain)
            try:
                generate_alone(domain, factory, progress)
            finally:
                noted = noted_fate(factory.data_root, domain)
    except RunStopped as stopped:
        return Fate(ended="budget", stage=stopped.stop.stage, reason=stopped.stop.reason)
    except Exception as error:  # whatever it is, the other domains go on
        told = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
        return noted or Fate(ended="failed", reason=in_one_line(told))
    return None


def _outcome(future: "Future[Fate | None]") -> Fate | None:
    try:
        return future.result()
    except BrokenProcessPool:
        return Fate(ended="failed", reason=_DIED)


def _why_none(found: Plan) -> str:
    if found.left_off:
        name, why = next(iter(found.left_off.items()))
        others = f" (and {len(found.left_off) - 1} others)" if len(found.left_off) > 1 else ""
        return f"`{name}`: {why}{others}"
    if found.off and not found.passed_over:
        return f"{len(found.off)} are switched off; `toolscale domains release --all` switches them on"
    if not found.passed_over:
        return "none has a file; `toolscale domains propose` writes some, or describe one with `toolscale synthesize`"
    first = next(iter(found.passed_over.items()))
    others = f" (and {len(found.passed_over) - 1} others)" if len(found.passed_over) > 1 else ""
    return f"`{first[0]}`: {first[1]}{others}"
