"""A part of the database that fits into a prompt: a few users and what is theirs, closed under references."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest
from random import Random
from typing import Any, cast

from toolscale.artifacts import Database, DatabaseSchema, EntryRef, EnvironmentSpec

FAMILY = 6
"""At least so many of the entries that hang on a drawn one come with it, where there are that many."""

CANDIDATES = 12
"""So many entries are looked at for each that a survey takes."""

STATES_SHOWN = 6
"""States that a survey shows an entry in: what a function needs may be in one alone."""

NEARLY = 0.8
"""Of the tables that almost as many others refer to as to the first, the one with most entries holds the users."""


class Excerpts:
    """Draws excerpts of one database, in which what refers to what is worked out once.

    Entries that nobody owns (a product, a station) are referred to from everywhere. So one leads to others of that
    kind, but never to the users' entries that refer to it: else an excerpt would be a little of very many users.
    """

    def __init__(self, schema: DatabaseSchema, database: Database) -> None:
        self._database = database
        self._tables = list(schema.tables)
        self._in_order = schema.in_order
        self._refers: dict[EntryRef, list[EntryRef]] = defaultdict(list)
        self._referrers: dict[EntryRef, list[EntryRef]] = defaultdict(list)
        for reference in schema.references:
            for key, record in sorted(database.get(reference.table, {}).items()):
                ref = EntryRef(reference.table, key)
                for other in _as_list(record.get(reference.field)):
                    if other in database.get(reference.target_table, {}):
                        target = EntryRef(reference.target_table, other)
                        self._refers[ref].append(target)
                        self._referrers[target].append(ref)
        self._users = _table_of_users(schema, database)
        self._owned = _tables_below(schema, self._users)
        self._kinds = {table: kinds for table in self._tables if (kinds := _kinds(schema, database, table))}

    def draw(self, seed: str, size: int = 60, focus: Iterable[EntryRef] = ()) -> Database:
        """About `size` entries around the focus, or around entries drawn by the seed, closed under references.

        The same arguments give the same excerpt. Tables keep the schema's order, entries their keys' order. Each
        table, and each state that its entries can be in, is drawn alike often, so that rare ones are seen.
        """
        rng = Random(seed)
        chosen: dict[EntryRef, None] = {}
        around = [ref for ref in focus if ref.key in self._database.get(ref.table, {})]
        for start in around[:size]:
            chosen |= self._with_references(start)
        for start in chain(around[:size], self._drawn(rng, size)):
            if len(chosen) >= size and start not in chosen:
                break
            self._add_family(start, max(FAMILY, size // (2 if start in around else 4)), chosen, rng)
            if len(chosen) >= size:
                break
        return self._as_database(chosen)

    def survey(self, seed: str, each: int = 2) -> Database:
        """At least so many entries of every table that has them, closed under references; one in each of a few states.

        They belong together where they can: of several, the entry comes in that brings the fewest others along.
        """
        rng = Random(seed)
        chosen: dict[EntryRef, None] = {}
        for table in reversed(self._in_order):  # what refers to others brings these along
            kinds = self._kinds.get(table, ())
            in_turn = [kind for _ in range(each) for kind in rng.sample(kinds, len(kinds))]
            wanted = max(each, min(len(kinds), STATES_SHOWN))
            for at, kind in enumerate(in_turn):
                if sum(ref.table == table for ref in chosen) >= (wanted if at < len(kinds) else each):
                    break
                candidates = [EntryRef(table, key) for key in rng.sample(kind, min(len(kind), CANDIDATES))]
                brought = [set(self._with_references(ref)) - chosen.keys() for ref in candidates if ref not in chosen]
                chosen |= dict.fromkeys(sorted(min(brought, key=len, default=())))
        return self._as_database(chosen)

    def _as_database(self, chosen: Iterable[EntryRef]) -> Database:
        return {
            table: {ref.key: self._database[table][ref.key] for ref in sorted(chosen) if ref.table == table}
            for table in self._tables
        }

    def _add_family(self, start: EntryRef, most: int, chosen: dict[EntryRef, None], rng: Random) -> None:
        """Add the entry, what hangs on it, and what else its users own."""
        above = self._with_references(start)
        chosen |= above
        for root in dict.fromkeys((start, *(ref for ref in above if ref.table == self._users))):
            for ref in islice(self._below(root, rng), most):
                chosen |= self._with_references(ref)

    def _drawn(self, rng: Random, count: int) -> Iterator[EntryRef]:
        """Entries to start from: so many of all tables and states alike, then every entry there is."""
        for _ in range(count if self._kinds else 0):
            table = rng.choice(list(self._kinds))
            yield EntryRef(table, rng.choice(rng.choice(self._kinds[table])))
        everything = [EntryRef(table, key) for table in self._tables for key in sorted(self._database.get(table, {}))]
        yield from rng.sample(everything, len(everything))

    def _with_references(self, ref: EntryRef) -> dict[EntryRef, None]:
        """The entry and all that it refers to, directly or not."""
        found: dict[EntryRef, None] = {}
        waiting = [ref]
        while waiting:
            if (next_ := waiting.pop()) not in found:
                found[next_] = None
                waiting += self._refers.get(next_, ())
        return found

    def _below(self, root: EntryRef, rng: Random) -> Iterator[EntryRef]:
        """What refers to the root, then what refers to that: the tables in turn, so that rare ones come early."""
        met, layer = {root}, [root]
        while layer:
            by_table: dict[str, list[EntryRef]] = defaultdict(list)
            for ref in layer:
                for referrer in self._referrers.get(ref, ()):
                    if referrer not in met and self._leads_to(ref.table, referrer.table):
                        met.add(referrer)
                        by_table[referrer.table].append(referrer)
            shuffled = [rng.sample(refs, len(refs)) for refs in by_table.values()]
            layer = [ref for turn in zip_longest(*shuffled) for ref in turn if ref is not None]
            yield from layer

    def _leads_to(self, table: str, referring: str) -> bool:
        return referring != self._users and (
            table == self._users or table in self._owned or referring not in self._owned
        )


def database_in(environment: EnvironmentSpec) -> Database:
    """The environment's database as tables of records, which a synthesised environment's always is."""
    return cast(Database, environment.database)


def _table_of_users(schema: DatabaseSchema, database: Database) -> str:
    """The table whose entries own others: the one that most tables refer to. Empty if none refers to another."""
    referring: dict[str, set[str]] = defaultdict(set)
    for reference in schema.references:
        if reference.table != reference.target_table:
            referring[reference.target_table].add(reference.table)
    most = max(map(len, referring.values()), default=0)
    nearly = {table: len(tables) for table, tables in referring.items() if len(tables) >= NEARLY * most}
    return max(sorted(nearly), key=lambda table: (len(database.get(table, {})), nearly[table]), default="")


def _tables_below(schema: DatabaseSchema, table: str) -> frozenset[str]:
    """All tables that refer to the table, directly or not."""
    below: set[str] = set()
    while (
        more := {
            each.table for each in schema.references if each.target_table in {table, *below} and each.table != table
        }
        - below
    ):
        below |= more
    return frozenset(below)


def _kinds(schema: DatabaseSchema, database: Database, table: str) -> Sequence[Sequence[str]]:
    """The keys of a table by each state that its entries can be in; all of them together where it knows none."""
    records = database.get(table, {})
    fields = schema.tables[table]["properties"]
    by_state: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, record in sorted(records.items()):
        for field, rules in fields.items():
            if isinstance(rules, dict) and field in record and ("enum" in rules or rules.get("type") == "boolean"):
                by_state[field, str(record[field])].append(key)
    return list(by_state.values()) or ([sorted(records)] if records else [])


def _as_list(value: Any) -> list[Any]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)]
