"""Whatever a child writes, the host reads an outcome or says that the protocol was broken, and quickly."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.environment.worlds import TRAINS, call, world
from toolscale.artifacts import CallOutcome
from toolscale.environment import BrokenRule, Limits, Sandbox
from toolscale.environment.inside.size import values_in
from toolscale.environment.reply import BrokenProtocolError, Overlay, read_outcome
from toolscale.environment.rules import read_broken_rules

WORD = b"0123456789abcdef"
BYTES, VALUES = Limits().reply_bytes, Limits().reply_values


def read(text: bytes, word: bytes = WORD) -> CallOutcome:
    return read_outcome(text + word, WORD, 0, call("look"), Overlay(TRAINS), most_values=VALUES)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(["trains", "T1"]),
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=20,
)
sound = [0, {"seats": 1}, None, None, [["trains", "T1"]], ["trains"], [["trains", "T1", {}], ["trains", "T2"]]]


@given(st.one_of(json_values, st.tuples(st.integers(0, 6), json_values)))
def test_any_json_is_an_outcome_or_a_broken_protocol(value: Any) -> None:
    reply = [*sound[: value[0]], value[1], *sound[value[0] + 1 :]] if isinstance(value, tuple) else value
    try:
        outcome = read(json.dumps(reply).encode())
    except BrokenProtocolError:
        return
    assert outcome.model_validate_json(outcome.model_dump_json()) == outcome


@given(st.binary(max_size=50))
def test_any_bytes_are_a_broken_protocol(line: bytes) -> None:
    with pytest.raises(BrokenProtocolError):
        read(line)


MALFORMED = {
    "another position": [1, *sound[1:]],
    "a boolean for a position": [False, *sound[1:]],
    "a number with a point for a position": [0.0, *sound[1:]],
    "too little": sound[:6],
    "too much": [*sound, 1],
    "a result beside an error": [0, 1, "ValueError", "wrong", [], [], []],
    "an error without a class": [0, None, None, "wrong", [], [], []],
    "a class without an error": [0, None, "ValueError", None, [], [], []],
    "an error that is a number": [0, None, "ValueError", 7, [], [], []],
    "a class that is a list": [0, None, ["ValueError"], "wrong", [], [], []],
    "a text longer than any honest one": [0, None, "ValueError", "x" * 1001, [], [], []],
    "an entry of three": [*sound[:4], [["trains", "T1", "T2"]], [], []],
    "an entry that is a text": [*sound[:4], ["ab"], [], []],
    "an entry of numbers": [*sound[:4], [["trains", 1]], [], []],
    "entries in an object": [*sound[:4], {"trains": "T1"}, [], []],
    "tables in a text": [*sound[:4], [], "trains", []],
    "a table that is null": [*sound[:4], [], [None], []],
    "changes in an object": [*sound[:4], [], [], {"trains": 1}],
    "a change that is a text": [*sound[:4], [], [], ["abc"]],
    "a change without a key": [*sound[:4], [], [], [["trains"]]],
    "a change of a table without a name": [*sound[:4], [], [], [[None, "T1", {}]]],
} | {f"the sandbox's own `{kind}`": [0, None, kind, "it says", [], [], []] for kind in ("Timeout", "Killed", "NotRun")}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_reply_is_a_broken_protocol(name: str) -> None:
    with pytest.raises(BrokenProtocolError):
        read(json.dumps(MALFORMED[name]).encode())


@pytest.mark.parametrize("number", ["1e999", "-1e400", "NaN", "Infinity", "-Infinity", "9" * 5000, "1" * 400 + ".0"])
def test_a_number_that_is_not_finite_or_too_long_is_a_broken_protocol(number: str) -> None:
    for text in (f"[0,{number},null,null,[],[],[]]", f'[0,1,null,null,[],[],[["trains","T1",{number}]]]'):
        with pytest.raises(BrokenProtocolError):
            read(text.encode())


def test_without_its_word_nothing_is_read() -> None:
    assert read(json.dumps(sound).encode()).ok
    for word in (b"", b"x" * 16, WORD[:-1], WORD + b" "):
        with pytest.raises(BrokenProtocolError):
            read(json.dumps(sound).encode(), word)


def _filled(item: str, most: int) -> str:
    return ",".join([item] * (most // (len(item) + 1)))


VALUES_THAT_COST: dict[str, Callable[[int], str]] = {
    "empty lists": lambda most: f"[{_filled('[]', most)}]",
    "small numbers": lambda most: f"[{_filled('1', most)}]",
    "broken numbers": lambda most: f"[{_filled('1.5', most)}]",
    "endless numbers": lambda most: f"[{_filled('1e999', most)}]",
    "long numbers": lambda most: f"[{_filled('9' * 4300, most)}]",
    "one long fraction": lambda most: "0." + "7" * most,
    "one deep list": lambda most: "[" * (most // 2) + "]" * (most // 2),
    "deep lists": lambda most: f"[{_filled('[' * 99 + ']' * 99, most)}]",
    "small objects": lambda most: "[" + _filled('{"a":1}', most) + "]",
    "many keys": lambda most: "{" + ",".join(f'"{n:x}":1' for n in range(most // 10)) + "}",
    "escapes": lambda most: '"' + r"\u00e9" * (most // 6) + '"',
    "quotes": lambda most: '"' + r"\"," * (most // 3) + '"',
}
REPLIES_THAT_COST: dict[str, Callable[[int], str]] = {
    "entries": lambda most: "[0,1,null,null,[" + _filled('["a","b"]', most) + "],[],[]]",
    "wrong entries": lambda most: "[0,1,null,null,[" + _filled("[1,2]", most) + "],[],[]]",
    "wrong tables": lambda most: "[0,1,null,null,[],[" + _filled("1", most) + "],[]]",
    "changes": lambda most: "[0,1,null,null,[],[],[" + ",".join(f'["t","{n:x}",1]' for n in range(most // 16)) + "]]",
}


def _text(name: str, most: int) -> bytes:
    """A reply of about that size, of a kind that costs the most to read."""
    if name in REPLIES_THAT_COST:
        return REPLIES_THAT_COST[name](most).encode()
    return f"[0,{VALUES_THAT_COST[name](most)},null,null,[],[],[]]".encode()


@pytest.mark.parametrize("name", [*VALUES_THAT_COST, *REPLIES_THAT_COST])
def test_no_reply_costs_the_host_seconds(name: str) -> None:
    whole = _text(name, BYTES)
    # The largest of its kind that is still read.
    share = min(1.0, VALUES / values_in(whole, VALUES))
    for text in (whole, _text(name, int(BYTES * share * 0.99))):
        started = time.process_time()
        with suppress(BrokenProtocolError):
            read(text)
        assert time.process_time() - started < 2


@given(json_values)
def test_values_are_never_counted_short(value: Any) -> None:
    def count(value: Any) -> int:
        if isinstance(value, dict):
            return 1 + sum(map(count, value.values()))
        return 1 + sum(map(count, value)) if isinstance(value, list) else 1

    for text in (json.dumps(value), json.dumps(value, separators=(",", ":"), ensure_ascii=False)):
        assert values_in(text.encode(), 0) >= count(value)
        assert values_in(json.dumps(text).encode(), 0) == 1


def test_a_result_of_too_many_values_is_an_error_of_its_call() -> None:
    source = "def many(db, count): return [0] * count\ndef text(db, count): return ',' * count"
    with Sandbox(world(source), Limits(reply_values=1000)) as sandbox:
        outcomes = sandbox.run([call("many", count=1000), call("many", count=100), call("text", count=9000)]).outcomes
    assert [outcome.error_type for outcome in outcomes] == ["TooLarge", None, None]
    assert "more than 500 values" in str(outcomes[0].error)


def test_a_call_that_changes_too_many_values_breaks_its_trajectory() -> None:
    source = "def fill(db): db['trains'] = {str(n): n for n in range(2000)}"
    with Sandbox(world(source), Limits(reply_values=1000)) as sandbox:
        (outcome,) = sandbox.run([call("fill")]).outcomes
    assert outcome.error_type == "Killed"
    assert "more than 1,000 values" in str(outcome.error)


def test_a_trajectory_ends_when_its_calls_take_too_long_together() -> None:
    source = "def think(db, n): return len([0 for _ in range(2_000_000)])"
    with Sandbox(world(source), Limits(seconds=30, trajectory_seconds=0.5)) as sandbox:
        started = time.monotonic()
        outcomes = sandbox.run([call("think", n=n) for n in range(900)]).outcomes
        assert time.monotonic() - started < 10
    kinds = [outcome.error_type for outcome in outcomes]
    ended = kinds.index("Timeout")
    assert kinds == [None] * ended + ["Timeout"] + ["NotRun"] * (899 - ended)
    assert "of this trajectory took longer than 0.5 seconds together" in str(outcomes[ended].error)


RULE = '''
import enum
inside = enum.sys.modules
def kept(before, call, after):
    """Books come back."""
    BODY
'''
HOSTILE_RULES = {
    "no text for a reason": "enum.sys._getframe(2).f_locals['found'].append([0, 'kept', {'why': 1}])",
    "a number for a rule": "enum.sys._getframe(2).f_locals['rules'][:] = [7, 7]",
    "a rule that there is not": "enum.sys._getframe(2).f_locals['found'].append([0, 'other', 'because'])",
    "a position beyond the calls": "enum.sys._getframe(2).f_locals['found'].append([1, 'kept', 'because'])",
    "a boolean for a position": "enum.sys._getframe(2).f_locals['found'].append([True, 'kept', 'because'])",
    "half of it": "enum.sys._getframe(2).f_locals['found'].append([0, 'kept'])",
    "no list": "enum.sys._getframe(2).f_locals['found'].append('kept')",
    "a forged reply": "inside['os'].write(3, b'[0,[[0]],null,null,[],[],[]]\\n')",
    "a forged reply and an end": "inside['os'].write(3, b'[0,[],null,null,[],[],[]]\\n'); inside['os']._exit(0)",
    "an end": "inside['os']._exit(0)",
    "an exception that cannot be printed": "raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})",
    "a text that is none": "return type('T', (), {'__str__': lambda self: 5})()",
    "an endless text": "return 'x' * 50_000_000",
}


@pytest.mark.parametrize("name", HOSTILE_RULES)
def test_a_hostile_rules_py_is_one_broken_rule(name: str) -> None:
    spec = world("def look(db): return 1").model_copy(update={"rules": RULE.replace("BODY", HOSTILE_RULES[name])})
    with Sandbox(spec) as sandbox:
        broken = sandbox.broken_rules(sandbox.run([call("look")]))
        assert len(broken) == 1
        assert broken[0].position == 0
        assert broken[0].rule in ("rules.py", "kept")
        assert 0 < len(broken[0].reason) <= 1100


@given(json_values)
def test_whatever_the_rules_reply_is_a_list_of_broken_rules(reply: Any) -> None:
    for broken in read_broken_rules(reply, ["kept", "a"], [3]):
        assert type(broken) is BrokenRule
        assert type(broken.position) is int
        assert 0 <= broken.position < 3
        assert broken.rule in ("kept", "a", "rules.py")
        assert type(broken.reason) is str


def test_a_sound_reply_of_the_rules_is_read_as_it_is() -> None:
    assert read_broken_rules([], ["kept"], [1]) == []
    assert read_broken_rules([[2, "kept", "why", 1]], ["kept"], [1, 3]) == [BrokenRule(2, "kept", "why", 1)]
