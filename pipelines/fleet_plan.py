"""What a fleet has to do: which domains are left, what each will cost, and in which order they are made."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pipelines.domains import domain_files, read_domain
from pipelines.factory import Factory
from pipelines.fates import noted_fate
from pipelines.poor_yield import is_of_the_yield
from pipelines.preflight import refuse_unknown_offline
from pipelines.shortage import noted_shortage
from pipelines.storage import domains_with_rows
from pipelines.unchanged import domain_ingredients, domain_lies_as_made, domain_unchanged
from toolscale.artifacts import Domain
from toolscale.errors import UserError
from toolscale.estimate import estimate
from toolscale.settings import Settings
from toolscale.store import Store

BY_HAND = "switched off by hand; `toolscale domains release` switches it on"


@dataclass(frozen=True)
class Due:
    """A domain that is to be made."""

    domain: Domain
    dollars: float
    """What it will most likely still cost; what is stored is free."""
    calls: float
    """What it will about still ask, which tells where models are free."""
    failed_before: bool = False


@dataclass(frozen=True)
class Plan:
    """The domains of a data root, as a fleet finds them."""

    due: Sequence[Due]
    """In the order in which they are begun: the cheapest first; last those that failed the last time."""
    made: Sequence[Domain]
    """Made already of the same, and unchanged."""
    off: Sequence[str] = ()
    """Switched off."""
    proposed: Sequence[Due] = ()
    """Of these, what the budget may release, in the order in which it does; empty where it is to release none."""
    left_off: Mapping[str, str] = field(default_factory=dict)
    """Name of any other that is off -> why the budget does not release it."""
    passed_over: Mapping[str, str] = field(default_factory=dict)
    """Name of any other -> why it is not made."""


def plan(factory: Factory) -> Plan:
    """What there is to do of the domains that have a file. Nothing is asked, and nothing is written.

    Raises:
        UserError: the settings are wrong.
    """
    found, settings = domain_files(factory.data_root), factory.settings()
    passed_over = {}
    for name in sorted(domains_with_rows(factory.data_root) - found.files.keys()):
        passed_over[name] = f"it has no file: `toolscale synthesize {name}` goes on with it"
    on = _sorted_out(found.on, factory, settings)
    may_be_on = _sorted_out(found.proposed if factory.release_proposed else (), factory, settings)
    by_hand = sorted(set(found.off) - set(found.proposed)) if factory.release_proposed else []
    proposed = {each.name for each in (*may_be_on.due, *may_be_on.made)}
    ordered = _in_order([*on.due, *may_be_on.due, *may_be_on.made], factory, settings)
    return Plan(
        due=[each for each in ordered if each.domain.name not in proposed],
        made=on.made,
        off=found.off,
        proposed=[each for each in ordered if each.domain.name in proposed],
        left_off=may_be_on.passed_over | dict.fromkeys(by_hand, BY_HAND),
        passed_over=passed_over | on.passed_over | _odd(found.passed_over),
    )


def still_to_pay(due: Due, factory: Factory) -> Due:
    """What a domain will still cost, by what the store knows by now."""
    with factory.store() as store:
        dollars, calls = _likely(due.domain, factory, factory.settings(), store)
    return replace(due, dollars=dollars, calls=calls)


class _Sorted(NamedTuple):
    """Domains by what there is to do about each."""

    made: list[Domain]
    due: list[Domain]
    passed_over: dict[str, str]


def _sorted_out(names: Iterable[str], factory: Factory, settings: Settings) -> _Sorted:
    found = _Sorted([], [], {})
    for name in sorted(names):
        try:
            domain = read_domain(factory.data_root, name)
            refuse_unknown_offline(domain, factory.data_root, settings)
        except UserError as error:
            found.passed_over[name] = str(error)
            continue
        if domain_unchanged(factory, name) or _stopped_short(factory, name):
            found.made.append(domain)
        elif reason := _too_poor(factory, name):
            found.passed_over[name] = f"{reason}; `toolscale synthesize {name}` goes on with it"
        else:
            found.due.append(domain)
    return found


def _stopped_short(factory: Factory, domain: str) -> bool:
    """Whether a wanted number of tasks was given up for the domain's yield; it has those that were kept by then."""
    return is_of_the_yield(noted_shortage(factory.data_root, domain)) and domain_lies_as_made(factory, domain)


def _too_poor(factory: Factory, domain: str) -> str:
    """Why the domain was stopped early, if it would be made of the same again."""
    fate = noted_fate(factory.data_root, domain)
    same = fate is not None and fate.ended == "poor yield" and fate.made_of == domain_ingredients(factory, domain)
    return f"stopped early: {fate.reason}" if fate and same else ""


def _odd(lines: Sequence[str]) -> dict[str, str]:
    """What lies in the folder and is no domain's file, as it was told: the file, then why."""
    return {place: why for place, _, why in (line.partition(": ") for line in lines)}


def _in_order(domains: Sequence[Domain], factory: Factory, settings: Settings) -> list[Due]:
    failed = {each.name for each in domains if _failed(factory.data_root, each.name)}
    with factory.store() as store:
        left = _left_to_pay(domains, factory, settings, store)
    due = [Due(each, *left[each.name], each.name in failed) for each in domains]
    return sorted(due, key=lambda each: (each.failed_before, each.dollars, each.calls, each.domain.name))


def _failed(data_root: str, domain: str) -> bool:
    fate = noted_fate(data_root, domain)
    return fate is not None and fate.ended == "failed"


def _left_to_pay(
    domains: Sequence[Domain], factory: Factory, settings: Settings, store: Store
) -> dict[str, tuple[float, float]]:
    """Dollars and calls that each is going to take. Of those of which nothing is stored one is estimated for all."""
    begun = {line.name for line in store.cost_by("domain")}
    found: dict[str, tuple[float, float]] = {}
    fresh: tuple[float, float] | None = None
    for domain in domains:
        if domain.name in begun:
            found[domain.name] = _likely(domain, factory, settings, store)
        else:
            found[domain.name] = fresh = fresh or _likely(domain, factory, settings, store)
    return found


def _likely(domain: Domain, factory: Factory, settings: Settings, store: Store) -> tuple[float, float]:
    tasks = factory.likely_first_tasks(domain.name, store)
    found = asyncio.run(estimate(domain, settings, store, tasks=tasks, rounds=factory.evolution_rounds))
    return found.likely, found.calls.middle
