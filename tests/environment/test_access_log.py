"""What counts as a look-up, what as a scan, and that every write is seen, however it is made."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.environment.worlds import TRAINS, call, world
from toolscale.artifacts import EntryRef
from toolscale.environment import Sandbox, diff
from toolscale.environment.inside.access import Database, Key
from toolscale.environment.inside.changes import Snapshots
from toolscale.environment.structure import equal

T2, B1 = ("trains", "T2"), ("bookings", "B1")

READS: dict[str, tuple[str, list[tuple[str, str]], list[str]]] = {
    "by key": ("db['trains']['T2']", [T2], []),
    "get": ("db.get('trains', {}).get('T2')", [T2], []),
    "get of what is not there": ("db['trains'].get('T9')", [], []),
    "membership": ("'T2' in db['trains']", [T2], []),
    "membership in keys": ("'T2' in db['trains'].keys()", [T2], []),
    "membership of what is not there": ("'T9' in db['trains']", [], []),
    "by a reference": ("db['trains'][db['bookings']['B1']['train_id']]", [B1, T2], []),
    "pattern": ("[1 for b in [db['trains']] for t in [b] if t['T2']]", [T2], []),
    "length": ("len(db['trains']) and bool(db['trains'])", [], []),
    "names of the tables": ("sorted(db)", [], []),
    "iteration": ("[k for k in db['trains']]", [], ["trains"]),
    "keys": ("list(db['trains'].keys())", [], ["trains"]),
    "values": ("[t['id'] for t in db['trains'].values()]", [], ["trains"]),
    "items": ("[t['id'] for k, t in db['trains'].items()]", [], ["trains"]),
    "own keys": ("[db['trains'][k]['id'] for k in db['trains']]", [], ["trains"]),
    "own keys, sorted": ("db['trains'][sorted(db['trains'])[1]]", [], ["trains"]),
    "own keys, by get": ("[db['trains'].get(k) for k in db['trains']]", [], ["trains"]),
    "a scan that leads to a look-up": (
        "[db['trains'][b['train_id']]['id'] for b in db['bookings'].values()]",
        [T2],
        ["bookings"],
    ),
    "dict": ("dict(db['trains'])", [], ["trains"]),
    "unpacking": ("{**db['trains']}", [], ["trains"]),
    "union": ("db['trains'] | {}", [], ["trains"]),
    "copy": ("db['trains'].copy()", [], ["trains"]),
    "copy module": ("__import__('copy').copy(db['trains'])", [], ["trains"]),
    "deep copy": ("__import__('copy').deepcopy(db['trains'])", [], ["trains"]),
    "json": ("__import__('json').dumps(db['trains'])", [], ["trains"]),
    "text": ("str(db['trains'])", [], ["trains"]),
    "comparison": ("db['trains'] == {}", [], ["trains"]),
    "keys from the last": ("list(reversed(db['trains'].keys())) == ['T1', 'T2'][::-1]", [], ["trains"]),
    "a dataclass's fields": (
        "(d := __import__('dataclasses')).asdict(d.make_dataclass('Held', ['of'])(db['trains']))['of']",
        [],
        ["trains"],
    ),
    "the table as a result": ("db['trains']", [], ["trains"]),
    "a table without records": ("db['notices'][0]", [], ["notices"]),
    "all tables": ("dict(db)", [], ["notices", "trains", "bookings"]),
    "the database as text": ("__import__('json').dumps(db)", [], ["notices", "trains", "bookings"]),
}


@pytest.fixture(scope="module")
def reads() -> Any:
    source = "".join(f"def read_{n}(db): return {code}\n" for n, (code, _, _) in enumerate(READS.values()))
    with Sandbox(world(source)) as sandbox:
        yield sandbox


@pytest.mark.parametrize(("number", "name"), enumerate(READS))
def test_a_read_is_logged_as_what_it_is(number: int, name: str, reads: Sandbox) -> None:
    _, looked_up, scanned = READS[name]
    outcome = reads.run([call(f"read_{number}")]).outcomes[0]
    assert outcome.ok, outcome.error
    assert outcome.looked_up == looked_up
    assert sorted(outcome.scanned) == sorted(scanned)
    assert outcome.wrote == []


WRITES = {
    "set a field": "db['trains']['T2']['seats'] = 99",
    "deep in a record": "db['trains']['T2']['stops'].append('Davos')",
    "through a scan": "[t.update(seats=0) for t in db['trains'].values()]",
    "through a join": "db['trains'][[b['train_id'] for b in db['bookings'].values()][0]]['seats'] = 7",
    "through own keys": "[db['trains'][k].update(x=1) for k in db['trains']]",
    "add": "db['bookings']['B2'] = {'id': 'B2'}",
    "replace a record": "db['trains']['T2'] = {'id': 'T2'}",
    "delete": "del db['bookings']['B1']",
    "pop": "db['bookings'].pop('B1')",
    "popitem": "db['bookings'].popitem()",
    "clear": "db['trains'].clear()",
    "update": "db['trains'].update({'T2': {}, 'T9': {}})",
    "in-place union": "db['trains'].__ior__({'T2': {}, 'T9': {}})",
    "setdefault of what is there": "db['trains'].setdefault('T2', {})['x'] = 1",
    "setdefault of what is not": "db['trains'].setdefault('T9', {})['x'] = 1",
    "rename an entry": "db['trains'].__setitem__('T9', db['trains'].pop('T5'))",
    "a list of a table": "db['notices'].append('quiet')",
    "a new table": "db['seats'] = {'S1': {'free': True}}",
    "a new table, filled later": "db.setdefault('seats', {})['S1'] = {'free': True}",
    "a new empty table": "db['seats'] = {}",
    "a table replaced by a filtered one": "db['trains'] = {k: t for k, t in db['trains'].items() if k != 'T2'}",
    "a table replaced by a list": "db['trains'] = []",
    "a table replaced by another": "db['trains'] = db['bookings']",
    "a deleted table": "del db['bookings']",
    "a popped table": "db.pop('bookings')",
    "an entry with the empty key": "db['bookings'][''] = {'odd': 1}",
    "everything": "db.clear()",
    "in what a copy shares": "db['trains'].copy()['T2']['seats'] = 5",
    "nothing by a deep copy": "__import__('copy').deepcopy(db)['trains']['T2']['seats'] = 5",
    "nothing by writing the same": "db['trains'].update(T2=dict(db['trains']['T2']))",
    "nothing by adding and removing": "db['trains'].update(T9={}) or db['trains'].pop('T9')",
    "a key from a table into a record": "db['bookings']['B1'].update(train_id=min(db['trains']))",
    "a number as a key": "db['bookings'].update({7: {'id': 7}})",
}


@pytest.fixture(scope="module")
def writes() -> Any:
    functions = "".join(f"def write_{n}(db):\n    {code}\n" for n, code in enumerate(WRITES.values()))
    with Sandbox(world(functions + "def state(db): return db\n")) as sandbox:
        yield sandbox


@pytest.mark.parametrize(("number", "name"), enumerate(WRITES))
def test_the_diff_is_what_plain_python_would_have_left(number: int, name: str, writes: Sandbox) -> None:
    plain = copy.deepcopy(TRAINS)
    exec(WRITES[name], {"db": plain})
    left = json.loads(json.dumps(plain))
    replay = writes.run([call(f"write_{number}"), call("state")])
    assert all(outcome.ok for outcome in replay.outcomes), replay.outcomes[0].error
    assert equal(replay.outcomes[1].result, left)
    assert {(c.table, c.key): c for c in replay.diff(writes.spec)} == {(c.table, c.key): c for c in diff(TRAINS, left)}
    assert replay.outcomes[1].wrote == []
    assert set(replay.outcomes[0].wrote) == replay.changes.keys()
    assert ("nothing" in name) == (not replay.changes)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["t", "u"]), st.sampled_from("abc"), st.sampled_from(["set", "del", "grow", "scan", "swap"])
        ),
        max_size=12,
    )
)
def test_what_is_reported_call_by_call_adds_up_to_the_state(steps: list[tuple[str, str, str]]) -> None:
    initial: dict[str, Any] = {"t": {"a": {"n": [0]}, "b": {"n": [0]}}, "u": {}}
    database = Database(json.loads(json.dumps(initial)))
    snapshots = Snapshots(database)
    reported: dict[tuple[str, str], Any] = {}
    for number, (table, key, action) in enumerate(steps):
        if action == "set":
            database[table][key] = {"n": [number]}
        elif action == "del":
            database[table].pop(key, None)
        elif action == "grow" and key in database[table]:
            database[table][key]["n"].append(number)
        elif action == "scan":
            [record["n"].append(number) for record in database[table].values()]
        elif action == "swap":
            database[table] = {k: r for k, r in database[table].items() if k != key}
        for name, of, *record in snapshots.take_changes():
            reported[name, of] = copy.deepcopy(record)
    state = json.loads(json.dumps(database))
    for table in ("t", "u"):
        for key in "abc":
            seen = reported.get((table, key), [initial[table][key]] if key in initial[table] else [])
            assert seen == ([state[table][key]] if key in state[table] else [])


@pytest.mark.parametrize(
    ("names", "seen_at"),
    [
        (["keep", "change"], 1),
        (["keep_all", "change"], 1),
        (["keep", "change", "nothing"], 1),
        (["keep", "look", "change", "nothing"], 2),
        (["keep_all", "nothing", "change", "look"], 2),
    ],
)
def test_a_change_of_a_record_kept_from_an_earlier_call_is_seen_where_it_is_made(
    names: list[str], seen_at: int
) -> None:
    source = """
kept = []
def keep(db): kept.append(db['trains']['T2'])
def keep_all(db): kept.extend(record for key, record in db['trains'].items() if key == 'T2')
def change(db): kept[0]['seats'] = 0
def look(db): return db['trains']['T2']['seats']
def nothing(db): return None
"""
    with Sandbox(world(source)) as sandbox:
        replay = sandbox.run([call(name) for name in names])
    wrote = [outcome.wrote for outcome in replay.outcomes]
    assert wrote == [[EntryRef("trains", "T2")] if number == seen_at else [] for number in range(len(names))]


def test_keys_of_a_table_behave_as_strings() -> None:
    key = Key("T1")
    assert "T1" in {key}
    assert type(copy.deepcopy([key])[0]) is str
    assert type(copy.copy(key)) is str
    assert type(key.lower()) is str
    assert json.dumps({key: key}) == '{"T1": "T1"}'


def test_operated_is_what_was_written_or_looked_up_and_not_what_was_scanned() -> None:
    source = """
def work(db):
    cheapest = min(db['trains'].values(), key=lambda t: t['price'])
    db['trains'][cheapest['id']]
    db['bookings']['B9'] = {}
"""
    with Sandbox(world(source)) as sandbox:
        assert sandbox.run([call("work")]).operated == {("trains", "T1"), ("bookings", "B9")}
