"""Finds an example that breaks and one that keeps each rule of a reference domain, and writes `rule_examples.json`.

Run as ``python -m tests.reference.rule_examples railway`` after a change of `rules.py`. What golden calls did is kept
as it is for the example that keeps the rule; of the same step with one value otherwise the first that breaks it is
taken. The records that matter are written into both, so that they hold in the world of any seed.
"""

import json
import sys
import types
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from tests.reference.rehearsal import Stage, rehearse, whole_database
from toolscale.artifacts import EntryRef
from toolscale.environment import ABSENT, Sandbox
from toolscale.synthesis.drafts import as_task
from toolscale.synthesis.rule_examples import RuleExample, trail_of
from toolscale.synthesis.rule_trials import Pair, Trials, accepted_calls

Tables = dict[str, dict[str, Any]]
SEEDS = (0, 1, 2)
TRIED = 12
"""Candidates of a rule that are put to the stage's own trial."""


class Step(NamedTuple):
    """A call that wrote: the records before it that may matter, and what it left of those that it changed."""

    name: str
    arguments: dict[str, Any]
    result: Any
    before: Tables
    after: Tables


class Rules:
    """A domain's rules, run here, on the domain's day."""

    def __init__(self, source: str, now: datetime) -> None:
        self._module: dict[str, Any] = {}
        real = sys.modules["datetime"]
        frozen = types.ModuleType("datetime")
        frozen.__dict__.update(real.__dict__)

        class Day(date):
            @classmethod
            def today(cls) -> Any:
                return cls(now.year, now.month, now.day)

        class Moment(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> Any:
                return cls(*now.timetuple()[:6])

            @classmethod
            def today(cls) -> Any:
                return cls.now()

        frozen.date, frozen.datetime = Day, Moment  # type: ignore[attr-defined]
        sys.modules["datetime"] = frozen
        try:
            exec(compile(source, "rules.py", "exec"), self._module)
        finally:
            sys.modules["datetime"] = real

    def broken(self, rules: list[str], world: Tables, step: Step) -> dict[str, str]:
        """Rule -> why the step breaks it; a rule that fails says `failed`."""
        before = laid_over(world, step.before)
        after = laid_over(before, step.after)
        call = {"name": step.name, "arguments": step.arguments, "result": step.result}
        found = {}
        for rule in rules:
            try:
                reason = self._module[rule](before, call, after)
            except Exception:
                reason = "failed"
            if reason is not None:
                found[rule] = str(reason)
        return found


def laid_over(world: Tables, records: Tables) -> Tables:
    made = dict(world)
    for table, each in records.items():
        made[table] = {**made[table], **each}
        for key in [key for key, record in each.items() if record is None]:
            del made[table][key]
    return made


def steps_of(stage: Stage, draws: int) -> Iterator[Step]:
    """The writes of golden calls."""
    for program in stage.domain.programs:
        for rehearsed in rehearse(stage, [program], draws, size=60, depth=1):
            if rehearsed.infeasible:
                continue
            replay = stage.sandbox.run(as_task(stage.domain.name, "", rehearsed.draft).golden_calls)
            state: dict[EntryRef, Any] = {}
            for done, changes in zip(replay.outcomes, replay.steps, strict=True):
                if changes and done.ok:
                    yield step_of(stage, state, done, changes)
                state |= changes


def step_of(stage: Stage, state: dict[EntryRef, Any], done: Any, changes: Any) -> Step:
    overlay: Tables = {}
    for ref, record in state.items():
        overlay.setdefault(ref.table, {})[ref.key] = None if record is ABSENT else record
    world = laid_over(stage.database, overlay)
    after: Tables = {}
    for ref, record in changes.items():
        after.setdefault(ref.table, {})[ref.key] = None if record is ABSENT else record
    return Step(done.name, dict(done.arguments), done.result, around(world, after, dict(done.arguments)), after)


def around(world: Tables, after: Tables, arguments: dict[str, Any]) -> Tables:
    """The records that the changed ones and the arguments name, what those name, and what names the changed ones."""
    place = {key: table for table, records in world.items() for key in records}
    changed = {key for records in after.values() for key in records}
    wanted = {value for value in texts_in([after, arguments]) if value in place} | (changed & place.keys())
    for _ in range(3):
        wanted |= {value for key in wanted for value in texts_in(world[place[key]][key]) if value in place}
    central = {key for key in wanted if key in changed or key in set(texts_in(arguments))}
    for table, records in world.items():
        naming = [key for key, record in records.items() if central & set(texts_in(record)) and key not in wanted]
        if len(naming) <= 12:
            wanted |= set(naming)
            del table
    for _ in range(2):
        wanted |= {value for key in wanted for value in texts_in(world[place[key]][key]) if value in place}
    found: Tables = {}
    for key in sorted(wanted):
        found.setdefault(place[key], {})[key] = world[place[key]][key]
    return found


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from (key,) if isinstance(key, str) else ()
            yield from texts_in(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts_in(member)


def spoiled(step: Step, database: Tables, rng: Random) -> Iterator[Step]:
    """The step with one value otherwise, first in what it left, then in what was there before."""
    after = list(spoiled_tables(step.after, database, rng, copies=True))
    before = list(spoiled_tables(step.before, database, rng))
    after, before = rng.sample(after, min(400, len(after))), rng.sample(before, min(600, len(before)))
    for each in after:
        yield step._replace(after=each)
    for each in before:
        # What the call left as it was is otherwise afterwards too; what it changed keeps its other changes.
        left = step.after
        for table, records in each.items():
            for key, record in records.items():
                old, new = step.before[table][key], step.after.get(table, {}).get(key)
                if record is not old and new is not None:
                    same = {
                        name: value for name, value in record.items() if value != old[name] and new[name] == old[name]
                    }
                    left = {**left, table: {**left[table], key: {**new, **same}}}
        yield step._replace(before=each, after=left)
    for name, value in step.arguments.items():
        for other in values_beside(value, [value]):
            yield step._replace(arguments={**step.arguments, name: other})


def spoiled_tables(tables: Tables, database: Tables, rng: Random, *, copies: bool = False) -> Iterator[Tables]:
    for table, records in tables.items():
        for key, record in records.items():
            if record is None:
                continue
            for field, value in record.items():
                if field == key_field(table, key, record):
                    continue
                seen = [each.get(field) for each in database[table].values()]
                for other in values_beside(value, rng.sample(seen, min(5, len(seen)))):
                    yield {**tables, table: {**records, key: {**record, field: other}}}
            if copies and key not in database[table]:
                for number in (1, 3):
                    name = key_field(table, key, record)
                    more = {f"{key}{n}": {**record, **({name: f"{key}{n}"} if name else {})} for n in range(number)}
                    yield {**tables, table: {**records, **more}}


def key_field(table: str, key: str, record: dict[str, Any]) -> str:
    return next((field for field, value in record.items() if value == key), "")


def values_beside(value: Any, seen: list[Any]) -> Iterator[Any]:
    """Other values that could stand in a value's place."""
    found: list[Any] = []
    if isinstance(value, bool):
        found = [not value]
    elif isinstance(value, int | float):
        found = [
            value + 1,
            value - 1,
            0,
            value * 10 + 7,
            value / 2 + 0.37 if isinstance(value, float) else value + 40,
            -3,
        ]
    elif isinstance(value, str):
        found = [*moved(value)]
    elif isinstance(value, list):
        found = [[], value[:1], value + value]
    elif value is None:
        found = ["2026-11-01", 5]
    for other in [*found, *dict.fromkeys(each for each in seen if isinstance(each, str | int | float | None))]:
        if other != value:
            yield other


def moved(text: str) -> Iterator[str]:
    """A day or a moment moved about."""
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            when = read(text)
        except ValueError:
            continue
        for days in (1, -1, 7, -7, 30, -30, 90, -90, 400, -400, -1500):
            other = when + timedelta(days=days)
            yield other.isoformat() if not isinstance(other, datetime) else text_like(text, other)
        return
    if len(text) == 5 and text[2] == ":":
        yield from ("03:17", "23:30", "00:00", "12:00")


def text_like(text: str, moment: datetime) -> str:
    return moment.isoformat(sep=text[10], timespec="seconds" if text.count(":") > 1 else "minutes")


def renamed(step: Step, database: Tables) -> Step:
    """The step with the keys of its records made its own, so that nothing in another world is about them."""
    keys = {key for tables in (step.before, step.after) for records in tables.values() for key in records}
    keys = {key for key in keys if any(character.isdigit() for character in key)}

    def other(value: Any) -> Any:
        if isinstance(value, str):
            return f"{value}X" if value in keys else value
        if isinstance(value, dict):
            return {other(key): other(member) for key, member in value.items()}
        return [other(member) for member in value] if isinstance(value, list) else value

    return Step(step.name, *(other(part) for part in step[1:]))


class Finder:
    """Looks for the examples of one domain."""

    def __init__(self, name: str, draws: int) -> None:
        self.stage = Stage(name)
        domain = self.stage.domain
        self.rules = Rules(domain.rules, domain.now)
        from toolscale.environment import rules_in

        self.names = list(rules_in(domain.rules))
        self.worlds: list[Tables] = [whole_database(domain, seed) for seed in SEEDS]
        self.place = {key: table for table, records in self.worlds[0].items() for key in records}
        self.steps = list(steps_of(self.stage, draws))
        spec = self.stage.spec.model_copy(update={"rules": ""})
        self.sandbox = Sandbox(spec)
        self.trials = Trials(self.sandbox, accepted_calls(domain.functions, self.sandbox))

    def found(self, missing: list[str]) -> Iterator[dict[str, Any]]:
        """The examples, as far as there are some."""
        tried: dict[str, int] = {}
        rng = Random(self.stage.domain.name)
        steps = [*self.steps]
        rng.shuffle(steps)
        of_function: dict[str, int] = {}
        steps = [
            each
            for each in steps
            if of_function.setdefault(each.name, 0) < 4
            and not of_function.update({each.name: of_function[each.name] + 1})
        ]
        wanted = [*missing]
        for step in steps:
            if not wanted:
                return
            keeps = self.self_contained(step)
            if keeps is None:
                continue
            at_most = dict.fromkeys(wanted, 3)
            for breaks in islice(spoiled(keeps, self.stage.database, rng), 2500):
                hit = self.rules.broken(wanted, self.worlds[0], breaks)
                for rule, reason in hit.items():
                    if reason == "failed" or rule not in wanted or not at_most[rule]:
                        continue
                    at_most[rule] -= 1
                    tried[rule] = tried.get(rule, 0) + 1
                    example = self.example(rule, keeps, breaks)
                    if example is not None:
                        wanted.remove(rule)
                        yield example
                if not wanted:
                    return
        print("missing", wanted, {rule: tried.get(rule, 0) for rule in wanted}, file=sys.stderr)

    def self_contained(self, step: Step) -> Step | None:
        """The step with keys of its own, if it keeps all rules in every world."""
        for each in (renamed(step, self.stage.database), step):
            if not any(self.rules.broken(self.names, world, each) for world in self.worlds):
                return each
        return None

    def knowing(self, step: Step, breaks: Step) -> Step:
        """The step with the records of this world that the breaking one names, and what those name in turn."""
        world, before = self.worlds[0], step.before
        named = [breaks.after, breaks.arguments, breaks.before]
        for _ in range(3):
            for key in set(texts_in(named)):
                table = self.place.get(key)
                if table and key not in before.get(table, {}) and key not in breaks.after.get(table, {}):
                    before = {**before, table: {**before.get(table, {}), key: world[table][key]}}
            named = [before]
        return step._replace(before=before)

    def example(self, rule: str, keeps: Step, breaks: Step) -> dict[str, Any] | None:
        def hold(keeps: Step, breaks: Step) -> bool:
            return all(
                not self.rules.broken(self.names, world, keeps)
                and self.rules.broken([rule], world, breaks).get(rule, "failed") != "failed"
                for world in self.worlds
            )

        keeps, breaks = self.knowing(keeps, breaks), self.knowing(breaks, breaks)
        if not hold(keeps, breaks):
            return None
        if hold(keeps._replace(result=None), breaks._replace(result=None)):
            keeps, breaks = keeps._replace(result=None), breaks._replace(result=None)
        for table, records in keeps.before.items():
            for key in records:
                fewer = without(keeps, table, key), without(breaks, table, key)
                if all(key in each.before.get(table, {}) for each in (keeps, breaks)) and hold(*fewer):
                    keeps, breaks = fewer
        pair = {"rule": rule, "breaks": as_example(breaks), "keeps": as_example(keeps)}
        trails = [trail_of(RuleExample.model_validate(pair[name]), self.sandbox) for name in ("breaks", "keeps")]
        faults = self.trials.faults(self.stage.domain.rules, {rule: Pair(*trails)})[rule]
        if faults:
            print(rule, faults[0][:300], file=sys.stderr)
        return None if faults else pair


def without(step: Step, table: str, key: str) -> Step:
    before = {
        name: {k: r for k, r in records.items() if (name, k) != (table, key)} for name, records in step.before.items()
    }
    return step._replace(before={name: records for name, records in before.items() if records})


def as_example(step: Step) -> dict[str, Any]:
    call: dict[str, Any] = {"name": step.name, "arguments": step.arguments}
    if step.result is not None:
        call["result"] = step.result
    changes: Tables = {}
    for table, records in step.after.items():
        for key, record in records.items():
            old = step.before.get(table, {}).get(key, {})
            changes.setdefault(table, {})[key] = (
                None
                if record is None
                else {name: value for name, value in record.items() if name not in old or old[name] != value}
            )
    return {"calls": [call], "suppose": step.before, "changes": changes}


def main(name: str, draws: int = 3) -> None:
    """Write the examples of a domain; those that are there and still hold stay."""
    finder = Finder(name, draws)
    file = finder.stage.domain.folder / "rule_examples.json"
    known = []
    for pair in finder.stage.domain.rule_examples:
        trails = [trail_of(RuleExample.model_validate(pair[each]), finder.sandbox) for each in ("breaks", "keeps")]
        if (
            pair["rule"] in finder.names
            and not finder.trials.faults(finder.stage.domain.rules, {pair["rule"]: Pair(*trails)})[pair["rule"]]
        ):
            known.append(pair)
    there = {pair["rule"] for pair in known}
    found = [*known, *finder.found([rule for rule in finder.names if rule not in there])]
    found.sort(key=lambda pair: finder.names.index(pair["rule"]))
    lines = ",\n".join(json.dumps(pair, ensure_ascii=False) for pair in found)
    file.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(found)} of {len(finder.names)} rules in {file}, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:2], *(int(each) for each in sys.argv[2:3]))
