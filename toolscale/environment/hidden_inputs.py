"""Which functions take in what no call says, found by running their calls under other clocks and other seeds.

Here the clock stands still and chance starts from a seed, so such a function replays alike. Elsewhere it does not.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from itertools import islice
from typing import Any, Literal

from toolscale.artifacts import Call, EntryRef, EnvironmentSpec, FunctionSpec, GoldenCall
from toolscale.environment.replay import FATAL, Replay
from toolscale.environment.sandbox import Sandbox
from toolscale.environment.structure import ABSENT, Value, equal

Calls = Sequence[Call | GoldenCall]
Source = Literal["clock", "chance"]

SHIFTS = (
    timedelta(hours=7, minutes=13),
    timedelta(days=1, hours=13),
    timedelta(days=38, hours=19),
    timedelta(days=3652),
    -timedelta(days=3652),
)
"""How far the other clocks are away: what writes the time differs at the first, what knows a deadline at some."""

SEEDS = 3
"""Other seeds that are tried: a coin that falls alike under one falls otherwise under another."""

DRAWN = 30
"""How many drawn calls of a function are run, one after the other."""

ENOUGH = 10
"""A list of calls is passed over when of each of its functions so many have returned before."""

_AT_ONCE = 4
_RESTORE = "toolscale_restore"
_RESTORE_SOURCE = f"""

def {_RESTORE}(db, changes):
    for table, key, *entry in sorted(changes, key=lambda change: change[1]):
        if not key and entry:
            db[table] = entry[0]
        elif not key:
            db.pop(table, None)
        elif entry:
            db[table][key] = entry[0]
        elif isinstance(db.get(table), dict):
            db[table].pop(key, None)
"""
_DATE = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


@dataclass(frozen=True)
class HiddenInputs:
    """What was seen of an environment's functions, by name. Who is in none of the lists was seen to depend on neither.

    That is no proof: a branch that no call took, or that no clock and no seed among those tried leads to, is not seen.
    """

    domain: str
    clock: list[str]
    """Another clock changed a result, an error or a change of the database."""
    chance: list[str]
    """Another seed did: `random`, or an id that is generated."""
    not_reached: list[str]
    """No call of it returned, and none showed anything, so nothing is known of it."""

    def as_json(self) -> dict[str, Any]:
        """``{domain, clock, chance, not_reached}``."""
        return asdict(self)


def hidden_inputs(
    spec: EnvironmentSpec, lists: Iterable[Calls], draws: Mapping[str, Iterable[Call]] | None = None
) -> HiddenInputs:
    """Run lists of calls under the environment's clock and seed, and again under others, and compare call by call.

    A call that comes out otherwise is blamed on its function alone: what comes after it starts from the state that it
    left under the environment's own clock and seed. `draws` are more calls by function, which take other branches.

    Raises UserError where the sandbox cannot run on this machine.
    """
    probed = spec.model_copy(
        update={
            "source": spec.source + _RESTORE_SOURCE,
            "functions": [
                *spec.functions,
                FunctionSpec(name=_RESTORE, description="Restores a state.", parameters={}, kind="write"),
            ],
        }
    )
    found: dict[Source, set[str]] = {"clock": set(), "chance": set()}
    with Sandbox(probed) as plain, ThreadPoolExecutor(_AT_ONCE) as threads:
        chosen, returned = _chosen(spec, plain, lists, {} if draws is None else draws)
        for source, change in _others(spec):
            known = frozenset(found[source])
            with Sandbox(probed.model_copy(update=change)) as other:
                blamed = partial(_blamed, plain=plain, other=other, known=known)
                found[source].update(*threads.map(blamed, chosen))
    offered = [function.name for function in spec.functions]
    seen = {*returned, *found["clock"], *found["chance"]}
    return HiddenInputs(
        spec.domain,
        clock=[name for name in offered if name in found["clock"]],
        chance=[name for name in offered if name in found["chance"]],
        not_reached=[name for name in offered if name not in seen],
    )


def _chosen(
    spec: EnvironmentSpec, plain: Sandbox, lists: Iterable[Calls], draws: Mapping[str, Iterable[Call]]
) -> tuple[list[Calls], Counter[str]]:
    """The lists that are worth running under other clocks too, and how many calls of each function returned."""
    offered = [function.name for function in spec.functions]
    returned: Counter[str] = Counter()
    chosen: list[Calls] = []

    for calls in lists:
        known = [call for call in calls if call.name in offered]
        if any(returned[call.name] < ENOUGH for call in known):
            chosen.append(_alive(known, plain, returned))
    for name in offered:
        chosen.append(_alive(list(islice(draws.get(name, ()), DRAWN)), plain, returned))
    return chosen, returned


def _alive(calls: Calls, plain: Sandbox, returned: Counter[str]) -> Calls:
    """The calls before one that hangs or ends its process, which it would again; counts those that returned."""
    ran = [done for done in plain.run(calls).outcomes if done.error_type not in FATAL]
    returned.update(done.name for done in ran if done.ok)
    return calls[: len(ran)]


def _others(spec: EnvironmentSpec) -> Iterator[tuple[Source, dict[str, Any]]]:
    for now in other_clocks(spec):
        yield "clock", {"now": now}
    for step in range(1, SEEDS + 1):
        yield "chance", {"seed": spec.seed + step}


def other_clocks(spec: EnvironmentSpec) -> list[datetime]:
    """Moments at some distances from the environment's own, and one amid the dates that its database names."""
    moments = []
    for shift in SHIFTS:
        with suppress(OverflowError):
            moments.append(spec.now + shift)
    if middle := _middle_date(spec.database):
        moments.append(datetime.combine(middle, time.min))
    return [moment for moment in dict.fromkeys(moments) if moment != spec.now]


def _middle_date(database: Any) -> date | None:
    dates = []
    for text in _DATE.findall(json.dumps(database)):
        with suppress(ValueError):
            dates.append(date.fromisoformat(text))
    return sorted(dates)[len(dates) // 2] if dates else None


def _blamed(calls: Calls, plain: Sandbox, other: Sandbox, known: frozenset[str]) -> set[str]:
    """The functions whose calls come out otherwise in the other sandbox, each on the state that it has in the plain.

    Those that are `known` to are not looked for.
    """
    found: set[str] = set()
    start = 0
    while any(call.name not in known | found for call in calls[start:]):
        restored = [_restoring(plain.run(calls), start)] if start else []
        here, there = (sandbox.run([*restored, *calls[start:]]) for sandbox in (plain, other))
        at = _first_difference(here, there, since=len(restored))
        if at is None:
            break
        found.add(here.outcomes[at].name)
        start += at - len(restored) + 1
    return found


def _first_difference(here: Replay, there: Replay, since: int) -> int | None:
    """None also where either replay broke off before they differed: how long a call takes says nothing of it."""
    for at in range(since, len(here.outcomes)):
        one, two = here.outcomes[at], there.outcomes[at]
        if one.error_type in FATAL or two.error_type in FATAL:
            return None
        if (one.error_type, one.error) != (two.error_type, two.error) or not equal(one.result, two.result):
            return at
        if not _same_step(here.steps[at], there.steps[at]):
            return at
    return None


def _same_step(one: Mapping[EntryRef, Value], two: Mapping[EntryRef, Value]) -> bool:
    return one.keys() == two.keys() and all(equal(new, two[ref]) for ref, new in one.items())


def _restoring(unchanged: Replay, start: int) -> Call:
    """The call that turns the initial database into the one before the call at `start`."""
    state: dict[EntryRef, Value] = {}
    for step in unchanged.steps[:start]:
        state |= step
    changes = [[*ref] if entry is ABSENT else [*ref, entry] for ref, entry in state.items()]
    return Call(name=_RESTORE, arguments={"changes": changes})
