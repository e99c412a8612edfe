"""Nothing that a function can get hold of tells the real time."""

import re
import time
from datetime import datetime

import pytest

from tests.environment.worlds import call, world
from toolscale.environment import Limits, Sandbox

LONG_AGO = datetime(1999, 12, 31, 23, 59, 59)

# Goes over every object that the loaded modules lead to, and calls what may be a clock in each way that it may take.
WALK = """
import datetime, enum, random, re, types, uuid

CLOCK = re.compile("time|clock|now|today|monotonic|perf|stamp|date|given")
LEADING = (
    "__self__", "__func__", "__wrapped__", "__closure__", "__defaults__", "__kwdefaults__", "__globals__", "__mro__",
    "__objclass__", "__dict__", "__code__", "__loader__", "cell_contents", "co_consts", "func", "args", "keywords",
    "fget", "gi_frame", "f_locals", "tm_zone",
)
FUNCTIONS = (
    types.BuiltinFunctionType, types.MethodDescriptorType, types.ClassMethodDescriptorType, types.FunctionType,
    types.MethodType, type(datetime.datetime.min.now),
)
ARGUMENTS = [(), (None,), (0,), ("%Y-%m-%d",), ("%Y-%m-%d", None)]
ITERATORS = (map, zip, filter, enumerate, reversed, type(iter([])), type(iter(int, 1)))

def reachable():
    seen, todo = {}, [enum.sys.modules, datetime.datetime.min, datetime.datetime.max, datetime.date.min, enum.sys]
    while todo:
        found = todo.pop()
        if id(found) in seen:
            continue
        seen[id(found)] = found
        todo.append(type(found))
        if isinstance(found, dict | types.MappingProxyType):
            todo += [*found.keys(), *found.values()]
        elif isinstance(found, list | tuple | set | frozenset):
            todo += found
        elif isinstance(found, ITERATORS):
            try:
                todo.append(found.__reduce__())
            except Exception:
                pass
        if isinstance(found, type):
            todo += type.__subclasses__(found)
        for name in LEADING:
            try:
                todo.append(object.__getattribute__(found, name))
            except Exception:
                pass
    return list(seen.values())

def answers(found):
    name = getattr(found, "__name__", "")
    ways = [found]
    if isinstance(found, types.MethodDescriptorType | types.ClassMethodDescriptorType):
        ways = [getattr(found.__objclass__, name, found)]
    for way in ways:
        for arguments in ARGUMENTS:
            try:
                yield way(*arguments)
            except BaseException:
                pass

def tells(answer, wall, uptime):
    if isinstance(answer, bool):
        return False
    if isinstance(answer, int | float):
        near = [answer, answer / 1e9] if abs(answer) < 1e30 else []
        return any(abs(each - wall) < 1e6 or abs(each - uptime) < 60 < uptime / 60 for each in near)
    if isinstance(answer, datetime.date):
        return 2020 < answer.year < 2200
    if isinstance(answer, str):
        return bool(re.search("20[2-9][0-9]-|20[2-9][0-9]$", answer)) and len(answer) < 40
    if isinstance(answer, bytes) and len(answer) == 16:
        return abs((uuid.UUID(bytes=answer).time - 0x01B21DD213814000) / 1e7 - wall) < 1e6
    if isinstance(answer, tuple | list):
        return any(tells(each, wall, uptime) for each in answer) or (len(answer) == 9 and 2020 < answer[0] < 2200)
    return False

def search(db, wall, uptime):
    found = reachable()
    functions = [each for each in found if isinstance(each, FUNCTIONS)]
    clocks = [each for each in functions if CLOCK.search(str(getattr(each, "__name__", "")))]
    telling = {repr(each) for each in clocks if any(tells(answer, wall, uptime) for answer in answers(each))}
    return {"telling": sorted(telling), "objects": len(found), "clocks": len(clocks)}
"""


def test_no_object_that_a_module_leads_to_tells_the_real_time() -> None:
    spec = world(WALK).model_copy(update={"now": LONG_AGO})
    with Sandbox(spec, Limits(seconds=50)) as sandbox:
        (outcome,) = sandbox.run([call("search", wall=time.time(), uptime=time.monotonic())]).outcomes
    assert outcome.ok, (outcome.error_type, outcome.error)
    found = outcome.result
    assert isinstance(found, dict)
    assert found["telling"] == []
    assert isinstance(found["objects"], int)
    assert isinstance(found["clocks"], int)
    assert found["objects"] > 20_000
    assert found["clocks"] > 100


WAYS = {
    "datetime.min": "datetime.datetime.min.now()",
    "datetime.max": "datetime.datetime.max.utcnow()",
    "date.max": "datetime.date.max.today()",
    "the type of a parsed one": "type(datetime.datetime.strptime('1990', '%Y')).now()",
    "the type of an unpickled one": "copy.copy(datetime.datetime.min).now()",
    "a base": "[base.now() for base in datetime.datetime.__mro__ if hasattr(base, 'now')]",
    "a base of a date": "[base.today() for base in datetime.date.__mro__ if hasattr(base, 'today')]",
    "super": "super(type('D', (datetime.datetime,), {}), datetime.datetime.min).now()",
    "the class's own dict": "datetime.datetime.__dict__['now'].__get__(None, datetime.datetime)()",
    "a subclass": "type('D', (datetime.datetime,), {}).today()",
    "what strftime calls": "[c.cell_contents('%Y', None) for c in time.strftime.__closure__]",
    "what ctime calls": "[c.cell_contents(None) for c in time.ctime.__closure__]",
    "the collector": "sys.modules['gc'].get_referents(time.strftime)",
    "uuid": "uuid._generate_time_safe()",
    "the module behind uuid": "uuid._uuid.generate_time_safe()",
    "a copy that a module kept": "sys.modules['threading']._time()",
    "a clock's number": "time.clock_gettime(time.CLOCK_MONOTONIC_RAW)",
}


@pytest.mark.parametrize("way", WAYS)
def test_no_way_leads_to_the_real_clock(way: str) -> None:
    source = "import copy, datetime, enum, time, uuid\nsys = enum.sys\ndef ask(db):\n    return str(EXPRESSION)"
    spec = world(source.replace("EXPRESSION", WAYS[way])).model_copy(update={"now": LONG_AGO})
    with Sandbox(spec) as sandbox:
        (outcome,) = sandbox.run([call("ask")]).outcomes
    said = str(outcome.result)
    if outcome.ok:
        assert "1999" in said or "946684799" in said or said == "[]", said
    else:
        assert outcome.error_type in ("AttributeError", "KeyError", "PermissionError", "TypeError"), outcome.error
    assert not re.search("20[2-9][0-9]", said)


def test_who_asks_the_system_for_chance_is_ended_and_never_gets_the_clock() -> None:
    source = "import random\ndef draw(db): return random.Random.__base__().random()"
    with Sandbox(world(source)) as sandbox:
        assert sandbox.run([call("draw")]).outcomes[0].error_type == "Killed"


def test_a_generator_never_seeds_itself_from_the_clock() -> None:
    source = """
import random
class Own(random.Random):
    def __init__(self): pass
def draw(db): return [Own().random(), random.Random().random(), random.SystemRandom().random()]
"""
    drawn = []
    for _ in range(2):
        with Sandbox(world(source)) as sandbox:
            (outcome,) = sandbox.run([call("draw")]).outcomes
            assert outcome.ok, outcome.error
            drawn.append(outcome.result)
    assert drawn[0] == drawn[1]
