"""Imported tools do with the sandbox's records what they do with pydantic's models on their own.

One text of models and tools runs twice, with tau2-bench's plain database and as an import makes it: whatever the models
declare and the tools do, each call tells the same, or fails alike, and leaves the same state.
"""

import contextlib
import functools
import json
import sys
import types
from datetime import date
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.exchange import tau2_bench
from toolscale.environment import equal
from toolscale.environment.inside.access import Database
from toolscale.environment.inside.changes import THE_TABLE, Snapshots
from toolscale.exchange.tau2_source import merged_source


class Kind(NamedTuple):
    """A kind of field: its declaration, values it may have in a database, and others."""

    declared: str
    good: list[Any]
    odd: list[Any]


LEAVES = {
    "int": Kind("int", [0, 7], ["348", 3.0, 3.5, True, "x", None]),
    "filled": Kind("int = 4", [4, 5], ["6", None]),
    "small": Kind("int = Field(3, gt=0, le=10)", [1, 10], [0, 11, "2"]),
    "float": Kind("float", [1, 2.5], ["2.5", True, "x"]),
    "bool": Kind("bool", [True, False], ["yes", 1, 2, "x"]),
    "str": Kind("str", ["", "tea"], [3, None, b"".decode()]),
    "short": Kind("str = Field(min_length=1, max_length=3)", ["a", "abc"], ["", "abcd"]),
    "upper": Kind("Annotated[str, AfterValidator(str.upper)] = 'X'", ["a", "B"], [1]),
    "optional": Kind("Optional[int] = None", [None, 3], ["4", "x"]),
    "required null": Kind("Optional[str]", [None, "a"], [1]),
    "literal": Kind("Literal['a', 'b']", ["a", "b"], ["c", None]),
    "enum": Kind("Colour", ["red", "blue"], ["green", "RED"]),
    "either": Kind("Union[int, str]", [1, "1"], [1.0, None, [1]]),
    "date": Kind("date", ["2026-03-14"], ["tomorrow", 0, "2026-03-14T00:00:00"]),
    "moment": Kind("Optional[datetime] = None", [None, "2026-03-14T09:00:00"], ["x", 5]),
    "money": Kind("Decimal", ["1.50", "2"], ["x", 3, 2.5]),
    "numbers": Kind("List[int] = Field(default_factory=list)", [[], [1, 2]], [["1"], [None], "x"]),
    "pair": Kind("tuple[int, str]", [[1, "a"]], [[1], ["1", "a"]]),
    "counts": Kind("Dict[str, int] = Field(default_factory=dict)", [{}, {"a": 1}], [{"a": "2"}, {"a": "x"}]),
    "anything": Kind("Any = None", [None, {"a": [1]}, "x"], [2.5]),
    "private": Kind("int = Field(5, exclude=False, repr=False)", [5, 6], ["7"]),
    "renamed": Kind("int = Field(alias='reNamed')", [1, 2], ["3", None]),
    "read as": Kind("int = Field(1, validation_alias=AliasChoices('readAs', 'read_as'))", [1, 2], ["3"]),
    "paid": Kind(
        "Union[Card, Cash]",
        [{"by": "card", "last": "1234"}, {"by": "cash", "change": 1.5}],
        [{"by": "card"}, {"by": "cash", "change": "2", "more": 1}, {"by": "shell"}],
    ),
    "tagged": Kind(
        "Union[Card, Cash] = Field(discriminator='by')",
        [{"by": "card", "last": "1234"}],
        [{"by": "card"}, {"by": "shell"}, {}],
    ),
}
NAMES = {"renamed": "reNamed", "read as": "readAs"}
CONFIGS = (
    "",
    "extra='forbid'",
    "extra='allow'",
    "validate_assignment=True",
    "use_enum_values=True",
    "populate_by_name=True",
    "strict=True",
    "frozen=True",
    "str_strip_whitespace=True, serialize_by_alias=True",
)

TEXT = """
from copy import deepcopy
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Dict, List, Literal, Optional, Union

from pydantic import (
    AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, computed_field, field_validator, model_validator
)

from tau2.environment.db import DB
from tau2.environment.toolkit import ToolKitBase, ToolType, is_tool


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Card(BaseModel):
    by: Literal["card"]
    last: str


class Cash(BaseModel):
    by: Literal["cash"]
    change: float


class Part(BaseModel):
    model_config = ConfigDict({part_config})
    {part}


class Thing(BaseModel):
    model_config = ConfigDict({thing_config})
    {thing}
    parts: List[Part] = []
    main: Optional[Part] = None

    @computed_field
    @property
    def size(self) -> int:
        return len(self.parts)


class WorldDB(DB):
    things: Dict[str, Thing]
    ranks: Dict[int, Thing] = {{}}
    log: List[Part] = Field(default_factory=list)
    first: Optional[Thing] = None
    notes: Dict[str, str] = {{}}


class WorldTools(ToolKitBase):
    db: WorldDB

    @is_tool(ToolType.READ)
    def get(self, key):
        return self.db.things[key]

    @is_tool(ToolType.READ)
    def find(self, key):
        return [self.db.things.get(key), key in self.db.things, len(self.db.things), isinstance(self.db.things, dict)]

    @is_tool(ToolType.READ)
    def every(self):
        copies = [dict(self.db.things), {{**self.db.things}}, self.db.things | {{}}, self.db.things.copy()]
        first, *_ = self.db.things.items()
        return [list(self.db.things), [*self.db.things.values()], copies, first, sorted(self.db.things.keys())]

    @is_tool(ToolType.READ)
    def dumped(self, key, options):
        return [self.db.things[key].model_dump(**options), self.db.things[key].model_dump_json(**options)]

    @is_tool(ToolType.READ)
    def whole(self):
        kept = deepcopy(self.db)
        same = [kept == self.db, kept != self.db, kept.things == self.db.things, self.db.things != kept.things]
        return [self.db.model_dump(mode="json"), same, self.db.model_copy().things == kept.things]

    @is_tool(ToolType.WRITE)
    def put(self, key, value):
        self.db.things[key] = Thing(**value)
        return self.db.things[key]

    @is_tool(ToolType.WRITE)
    def rank(self, place, key):
        self.db.ranks[place] = self.db.things[key]
        return [sorted(self.db.ranks), self.db.ranks[place]]

    @is_tool(ToolType.WRITE)
    def assign(self, key, field, value):
        setattr(self.db.things[key], field, value)
        return self.db.things[key]

    @is_tool(ToolType.WRITE)
    def add_part(self, key, value):
        thing = self.db.things[key]
        thing.parts.append(Part.model_validate(value))
        self.db.log.append(deepcopy(thing.parts[-1]))
        return thing.parts

    @is_tool(ToolType.WRITE)
    def alter(self, key, update):
        self.db.things[key] = self.db.things[key].model_copy(update=update, deep=True)
        self.db.notes["altered"] = key
        return self.db.things[key].main

    @is_tool(ToolType.WRITE)
    def drop(self, key):
        return [self.db.things.pop(key), self.db.things.pop("nothing", None), len(self.db.things)]

    @is_tool(ToolType.WRITE)
    def share(self, one, other):
        self.db.things[one].parts = self.db.things[other].parts
        self.kept = self.db.things[other]

    @is_tool(ToolType.WRITE)
    def touch_kept(self, value):
        self.kept.parts.append(Part.model_validate(value))

    @is_tool(ToolType.WRITE)
    def begin(self, key):
        self.db.first = self.db.things.setdefault(key, self.db.first)
        self.db.notes = {{**self.db.notes, key: "first"}}
        return self.db.first

    @is_tool(ToolType.WRITE)
    def forget(self):
        self.db.things.clear()
        self.db.log = []
"""


@pytest.fixture(scope="module")
def plainly():
    """Makes `import tau2` work as it does where tau2-bench is installed."""
    with pytest.MonkeyPatch.context() as patch:
        tau2_bench.install(patch)
        yield


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """A text of tools as an import makes it a module."""
    file = tmp_path_factory.mktemp("domain") / "tools.py"

    def source(text: str) -> str:
        file.write_text(text)
        return merged_source(file).source

    return source


@contextlib.contextmanager
def executed(source: str):
    """The module `functions`, where models look for what they name."""
    module: Any = types.ModuleType("functions")
    before = sys.modules.get("functions")
    sys.modules["functions"] = module
    try:
        exec(compile(source, "functions.py", "exec", dont_inherit=True), vars(module))
        yield module
    finally:
        sys.modules.pop("functions")
        if before:
            sys.modules["functions"] = before


def told(result: Any) -> Any:
    """A result as tau2-bench's `to_json_str` says it."""

    def processed(value: Any) -> Any:
        if isinstance(value, BaseModel):
            return value.model_dump()
        if isinstance(value, str) or value is None:
            return value
        if isinstance(value, int | float):
            return str(value)
        if isinstance(value, list | tuple):
            return [processed(member) for member in value]
        if isinstance(value, dict):
            return {key: processed(member) for key, member in value.items()}
        if isinstance(value, date):
            return value.isoformat()
        raise ValueError(f"Unsupported type: {type(value)}")

    return result if isinstance(result, str) else json.loads(json.dumps(processed(result), default=str))


def outcome(call: Any) -> Any:
    """What a call told, or how it failed."""
    try:
        return "told", call()
    except Exception as error:
        return type(error).__name__, str(error)


def copied(value: Any) -> Any:
    """The same JSON, shared with nobody."""
    return json.loads(json.dumps(value))


def state_of(db: Any) -> dict[str, Any]:
    """A database of models as JSON."""
    return db.model_dump(mode="json", round_trip=True, by_alias=False, warnings=False, fallback=str)


class Watched:
    """A database in the sandbox's form, and the state that its reported changes add up to."""

    def __init__(self, plain: dict[str, Any]) -> None:
        self.database = Database(copied(plain))
        self.state = copied(plain)
        self._snapshots = Snapshots(self.database)

    def called(self) -> None:
        """After each call: lay its changes over."""
        for table, key, *entry in self._snapshots.take_changes():
            if key == THE_TABLE:
                self.state.pop(table, None)
                self.state |= {table: copied(entry[0])} if entry else {}
            else:
                self.state[table].pop(key, None)
                self.state[table] |= {key: copied(entry[0])} if entry else {}
        self.database.log.clear()


@st.composite
def worlds(draw):
    """Models, a database that may fit them, and calls of the tools on it."""

    def fields():
        return draw(st.lists(st.sampled_from(sorted(LEAVES)), min_size=1, max_size=4, unique=True))

    def value(kinds, spoilt):
        made = {}
        for kind in kinds:
            name = NAMES.get(kind, field_name(kind))
            if spoilt and draw(st.integers(0, 5)) == 0:
                continue
            odd = LEAVES[kind].odd if spoilt and draw(st.integers(0, 2)) == 0 else LEAVES[kind].good
            made[name] = draw(st.sampled_from(odd))
        if spoilt and draw(st.integers(0, 5)) == 0:
            made["more"] = 1
        return made

    part, thing = fields(), fields()
    text = TEXT.format(
        part="\n    ".join(f"{field_name(kind)}: {LEAVES[kind].declared}" for kind in part),
        thing="\n    ".join(f"{field_name(kind)}: {LEAVES[kind].declared}" for kind in thing),
        part_config=draw(st.sampled_from(CONFIGS)),
        thing_config=draw(st.sampled_from(CONFIGS)),
    )

    def a_thing(spoilt=False):
        more = {"main": value(part, spoilt)} if draw(st.booleans()) else {}
        return value(thing, spoilt) | {"parts": [value(part, spoilt) for _ in range(draw(st.integers(0, 2)))]} | more

    keys = st.sampled_from(["a", "b", "c"])
    database = {"things": {key: a_thing() for key in ("a", "b")}, "ranks": {"1": a_thing()}}
    if draw(st.booleans()):
        database |= {"first": a_thing(), "log": [value(part, False)], "notes": {"x": "y"}}
    options = st.fixed_dictionaries(
        {}, optional={"exclude_none": st.booleans(), "exclude_defaults": st.booleans(), "by_alias": st.booleans()}
    )
    named = st.sampled_from([field_name(kind) for kind in thing] + ["main", "nothing"])
    calls = []
    for _ in range(draw(st.integers(1, 7))):
        name = draw(st.sampled_from(sorted(TOOLS)))
        arguments = {}
        for parameter in TOOLS[name]:
            arguments[parameter] = (
                draw(keys)
                if parameter in ("key", "one", "other")
                else draw(options)
                if parameter == "options"
                else draw(st.integers(1, 2))
                if parameter == "place"
                else draw(named)
                if parameter == "field"
                else a_thing(True)
                if name == "put"
                else value(thing, True)
                if parameter == "update"
                else draw(st.sampled_from([None, 1, "x", [], {"x": 1}, True]))
                if name == "assign"
                else value(part, True)
            )
        calls.append((name, arguments))
    return text, database, calls


def field_name(kind: str) -> str:
    """A kind's name as a field's."""
    return kind.replace(" ", "_") + "_field"


TOOLS = {
    "get": ["key"],
    "find": ["key"],
    "every": [],
    "dumped": ["key", "options"],
    "whole": [],
    "put": ["key", "value"],
    "rank": ["place", "key"],
    "assign": ["key", "field", "value"],
    "add_part": ["key", "value"],
    "alter": ["key", "update"],
    "drop": ["key"],
    "share": ["one", "other"],
    "touch_kept": ["value"],
    "begin": ["key"],
    "forget": [],
}


@settings(max_examples=100)
@given(worlds())
def test_a_tool_does_here_what_it_does_with_pydantic_alone(plainly, imported, world):
    text, database, calls = world
    with executed(text) as plain:
        built = outcome(lambda: plain.WorldDB.model_validate(copied(database)))
        expected, outcomes = [], []
        if built[0] == "told":
            kit = plain.WorldTools(built[1])
            expected.append(state_of(kit.db))
            for name, arguments in calls:
                run = functools.partial(getattr(kit, name), **copied(arguments))
                outcomes.append(outcome(lambda run=run: told(run())))
                expected.append(state_of(kit.db))
    with executed(imported(text)) as ours:
        normal = outcome(lambda: ours._normal(ours.WorldDB, copied(database)))
        assume("cannot be kept as JSON" not in normal[1])
        if built[0] != "told":
            assert normal == built
            return
        assert equal(normal[1], copied(expected[0]))
        watched = Watched(normal[1])
        for position, (name, arguments) in enumerate(calls):
            sides = {"assistant": (ours.WorldTools, ours.WorldDB)}
            run = functools.partial(ours._use, sides, ours.Environment, watched.database, "assistant", name)
            assert outcome(functools.partial(run, copied(arguments), ours._told)) == outcomes[position], (
                name,
                arguments,
            )
            watched.called()
            assert equal(watched.state, copied(expected[position + 1])), (name, arguments)
