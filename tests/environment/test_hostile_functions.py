"""Whatever a function does, it is refused or killed, it harms no other trajectory, and the run goes on."""

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.environment.worlds import TRAINS, call, world
from toolscale.environment import Limits, Sandbox

OS = "import sys\nos = sys.modules['os']\n"
REACH_OS = """
import types
def _os():
    for c in ().__class__.__base__.__subclasses__():
        if c.__name__ == '_wrap_close':
            return c.__init__.__globals__
    raise RuntimeError('no way to os')
"""
FORGED = r'[0,{"forged":true},null,null,[],[],[]]'

# name -> (body of `attack(db)`, error types that are an acceptable end). A body returns only if the attack succeeded.
REFUSED = {
    "read a file": ("return open('/etc/passwd').read()", "PermissionError"),
    "write a file": ("open(MARK, 'w').write('x'); return 'written'", "PermissionError"),
    "read a file by descriptor": ("return os['open']('/etc/hostname', 0)", "PermissionError"),
    "delete a file": ("os['unlink'](MARK + '.victim'); return 'deleted'", "PermissionError"),
    "list a folder": ("return os['listdir']('/')", "PermissionError"),
    "make a folder": ("os['mkdir'](MARK); return 'made'", "PermissionError"),
    "rename a file": ("os['rename'](MARK + '.victim', MARK); return 'renamed'", "PermissionError"),
    "make a link": ("os['symlink']('/etc/passwd', MARK); return 'linked'", "PermissionError"),
    "change a mode": ("os['chmod'](MARK + '.victim', 0o777); return 'changed'", "PermissionError"),
    "read a file's facts": ("return os['stat']('/etc/passwd').st_size", "PermissionError"),
    "read /proc": ("return open('/proc/self/environ').read()", "PermissionError"),
    "write the parent's memory": ("open(f'/proc/{PARENT}/mem', 'wb'); return 'opened'", "PermissionError"),
    "connect over tcp": ("_socket().socket().connect(('127.0.0.1', 80)); return 1", "PermissionError"),
    "send over udp": ("return _socket().socket(2, 2).sendto(b'x', ('127.0.0.1', 53))", "PermissionError"),
    "connect to a unix socket": ("_socket().socket(1, 1).connect('/run/x'); return 1", "PermissionError"),
    "ask the name server": ("return _socket().getaddrinfo('example.org', 80)", "gaierror"),
    "import the network": ("import socket; return 1", "ModuleNotFoundError"),
    "run a shell": ("assert os['system']('touch ' + MARK) == 0; return 'ran'", "AssertionError"),
    "run a process": ("import subprocess; return 1", "ModuleNotFoundError"),
    "spawn": ("return os['posix_spawn']('/bin/sh', ['sh'], {})", "PermissionError"),
    "fork": ("return os['fork']()", "PermissionError"),
    "exec": ("os['execv']('/bin/true', ['true']); return 1", "PermissionError"),
    "kill the parent": ("os['kill'](PARENT, 9); return 'killed'", "PermissionError"),
    "signal the parent's group": ("os['killpg'](PARENT, 15); return 'signalled'", "PermissionError"),
    "change its user": ("os['setuid'](0); return os['getuid']()", "PermissionError"),
    "change its limits": ("_module('resource').setrlimit(7, (99, 99)); return 1", "PermissionError ValueError"),
    "import a C library": ("import ctypes; return 1", "ModuleNotFoundError"),
    "import a package": ("import numpy; return 1", "ModuleNotFoundError"),
    "import a submodule": ("import os.path; return 1", "ModuleNotFoundError"),
    "import by its own importlib": ("return __builtins__['__import__']('importlib').reload", "ModuleNotFoundError"),
    "import from disk by the real importlib": (
        "return _module('importlib').import_module('wave')",
        "ModuleNotFoundError",
    ),
    "reach os through subclasses": ("return _os()['listdir']('/')", "PermissionError"),
    "reach os through frames": ("return _sys()._getframe(1).f_globals['os'].listdir('/')", "PermissionError"),
    "see what was printed or typed": ("return _sys().stdin.fileno()", "UnsupportedOperation"),
    "reach os through the collector": (
        "return [o.rmdir(MARK) for o in _module('gc').get_referents(_sys().modules) if hasattr(o, 'rmdir')]",
        "PermissionError",
    ),
    "map memory that runs": ("_module('ctypes'); return _mmap(7)", "PermissionError"),
    "trace the parent": ("return _syscall(101, 16, PARENT)", "PermissionError"),
    "call the x32 kernel": ("return _syscall(0x40000000 + 39)", "PermissionError Killed"),
    "start a thread": ("import types; _module('_thread').start_new_thread(print, ()); return 1", "RuntimeError"),
    "close its descriptors": ("os['close'](3); return 'closed'", "PermissionError"),
    "write to another descriptor": ("return os['write'](4, b'x')", "PermissionError"),
    "duplicate the reply pipe": ("return os['dup'](3)", "PermissionError"),
    "read its reply pipe": ("return os['read'](3, 10)", "PermissionError"),
    "recurse without end": ("return attack(db)", "RecursionError"),
    "build a huge list": ("return len([0] * 10**10)", "MemoryError"),
    "build a huge string": ("return len('x' * 10**10)", "MemoryError"),
    "fill the memory": ("kept = []\n    while True: kept.append(bytearray(10**6))", "MemoryError Killed"),
    "return too much": ("return 'x' * 20_000_000", "TooLarge"),
    "print a huge number": ("return str(10**100_000)", "ValueError"),
    "return a huge number": ("return 10**100_000", "NotJson"),
    "return a generator without end": ("return iter(int, 1)", "NotJson"),
    "return itself": ("kept = []; kept.append(kept); return kept", "NotJson RecursionError"),
    "return half a character": (r"return '\ud800'", "NotJson"),
    "return not a number": ("return float('nan')", "NotJson"),
    "exit": ("raise SystemExit(0)", "SystemExit"),
    "interrupt": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "exit at once": ("os['_exit'](0)", "Killed"),
    "abort": ("os['abort']()", "Killed"),
    "crash in C": ("_crash()", "Killed"),
    "forge a reply": ("os['write'](3, FORGED + b'\\n'); return 1", "Killed"),
    "forge two replies": ("os['write'](3, FORGED + b'\\n' + FORGED + b'\\n'); return 1", "Killed"),
    "forge a reply without an end": ("os['write'](3, FORGED); return 1", "Killed"),
    "write garbage": ("os['write'](3, b'\\xff\\x00garbage\\n'); return 1", "Killed"),
    "write a reply that is not a list": ("os['write'](3, b'{}\\n'); return 1", "Killed"),
    "write a reply with wrong types": ("os['write'](3, b'[0,1,null,null,[[1]],7,[[1]]]\\n'); return 1", "Killed"),
    "write not a number": ("os['write'](3, b'[0,NaN,null,null,[],[],[]]\\n'); return 1", "Killed"),
    "write half a character": (r"os['write'](3, b'[0,\"\\ud800\",null,null,[],[],[]]\n'); return 1", "Killed"),
    "write deeply nested garbage": ("os['write'](3, b'['*200000 + b'\\n'); return 1", "Killed"),
    "write an enormous line": ("while True: os['write'](3, b'x' * 10**6)", "Killed"),
    "forge all replies and exit": ("os['write'](3, _forged()); os['_exit'](0)", "Killed"),
    "forge all replies and stay": ("os['write'](3, _forged()); return 1", "Killed"),
    "forge all replies and hang": ("os['write'](3, _forged())\n    while True: pass", "Killed"),
    "forge through a file": ("import io; io.FileIO(3, 'w').write(_forged()); os['_exit'](0)", "Killed"),
    "forge with words of one's own": ("os['write'](3, _forged([b'0' * 16] * 2)); os['_exit'](0)", "Killed"),
    "forge with words from the frames": ("os['write'](3, _forged(_words())); os['_exit'](0)", "LookupError"),
    "forge by what serves": ("_serving().partial = _serving().write = None; os['_exit'](0)", "Killed"),
    "look at the stack through the collector": ("return len(_module('gc').get_objects())", "PermissionError"),
    "look behind an iterator": ("return _module('gc').get_referents(map(len, [db]))", "PermissionError"),
    "look at who knows it": ("return _module('gc').get_referrers(db)", "PermissionError"),
    "unpack an iterator": ("return map(len, ['']).__reduce__()", "TypeError"),
    "trace what comes next": ("_sys().settrace(print); return 1", "PermissionError"),
    "watch what is called next": ("_sys().setprofile(print); return 1", "PermissionError"),
    "make code by hand": ("return attack.__code__.replace(co_consts=())", "PermissionError"),
    "ask the system for chance": ("return _module('posix').urandom(8)", "Killed"),
    "break the decoder of the calls": (
        "import json; json.JSONDecoder.decode = json.loads = None; raise OSError",
        "OSError",
    ),
    "break the json module": ("import json; json.JSONEncoder.encode = json.dumps = None; raise OSError", "OSError"),
    "lift the recursion limit": (
        "_sys().setrecursionlimit(10**9)\n    return attack(db)",
        "MemoryError Killed Timeout",
    ),
    "raise what cannot be printed": ("raise _Unprintable", "Exception"),
    "leave a cycle in the database": ("r = db['trains']['T1']; r['self'] = r; raise OSError", "OSError"),
}
HANGS = {
    "loop": "while True: pass",
    "wait for the next call": "return os['read'](4, 10)",
    "wait for ever": "lock = _module('_thread').allocate_lock(); lock.acquire(); lock.acquire()",
    "blow up a regular expression": "import re; re.match('(a+)+$', 'a' * 40 + 'b')",
    "count without end": "import itertools; sum(1 for _ in itertools.count())",
    "trickle a line": "while True: os['write'](3, b' ') ; [0] * 10**6",
    "refuse to be interrupted": "while True:\n        try: attack(db)\n        except BaseException: pass",
}
HELPERS = (
    REACH_OS
    + f"""
FORGED = {FORGED!r}.encode()
class _Lazy:
    def __getitem__(self, name): return _os()[name]
os = _Lazy()
def _sys(): return _os()['sys']
def _module(name): return _sys().modules[name]
def _socket(): return _module('socket')
class _Unprintable(Exception):
    def __str__(self): raise RuntimeError
def _syscall(*numbers):
    ctypes = _module('ctypes')
    libc = ctypes.CDLL(None, use_errno=True)
    ctypes.set_errno(0)
    answer = libc.syscall(*map(ctypes.c_long, numbers))
    if answer == -1 and ctypes.get_errno() == 1: raise PermissionError
    return answer
def _mmap(protection):
    ctypes = _module('ctypes')
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_long
    args = [ctypes.c_long(n) for n in (0, 4096, protection, 34, -1, 0)]
    if libc.mmap(*args) == -1 and ctypes.get_errno() == 1: raise PermissionError
    return 'mapped'
def _crash(): return _module('ctypes').string_at(0)
def _forged(words=(b'', b'')):
    return b''.join(FORGED.replace(b'0', b'%d' % n, 1) + word + b'\\n' for n, word in enumerate(words))
def _serving(): return _module('inside.serving')
def _words():
    'Whatever may hold the words and is reached from the frames that are running.'
    try: raise OSError
    except OSError as error: frame = error.__traceback__.tb_frame
    seen, todo = {{}}, []
    while frame:
        todo += [frame.f_locals, frame.f_globals, frame.f_builtins, frame]
        frame = frame.f_back
    while todo:
        found = todo.pop()
        if id(found) in seen: continue
        seen[id(found)] = found
        if type(found) is _module('mmap').mmap: return [found[:16], found[17:33]]
        if type(found) in (map, type(iter(int, 1))):
            try: todo += found.__reduce__()
            except TypeError: pass
        if isinstance(found, dict): todo += [*dict.keys(found), *dict.values(found)]
        elif isinstance(found, (list, tuple, set)): todo += list(found)
        slots = getattr(type(found), '__slots__', ())
        for name in ('__dict__', '__closure__', '__self__', '__globals__', 'cell_contents', 'func', 'args', *slots):
            try: todo.append(object.__getattribute__(found, name))
            except Exception: pass
    raise LookupError('no word was found')
def honest(db): return sorted(db['trains'])
"""
)
CLEAN = """
def clean(db):
    import json, datetime
    return [len([]), datetime.datetime.now().isoformat(), json.dumps({}), 'toolbox' in _sys().modules]
"""


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """A path that a hostile function tries to leave something at, in a folder that anybody may write to."""
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o777)
    victim = tmp_path / "mark.victim"
    victim.touch()
    victim.chmod(0o666)
    return tmp_path / "mark"


def _attack(body: str, mark: Path) -> str:
    constants = f"MARK = {str(mark)!r}\nPARENT = {os.getpid()}\n"
    return constants + HELPERS + f"def attack(db):\n    {textwrap.dedent(body)}\n"


@pytest.fixture
def sandboxes() -> Iterator[list[Sandbox]]:
    """Sandboxes to close at the end."""
    opened: list[Sandbox] = []
    yield opened
    for sandbox in opened:
        sandbox.close()


def _assert_unharmed(sandbox: Sandbox, mark: Path) -> None:
    outcome = sandbox.run([call("honest")]).outcomes[0]
    assert outcome.result == sorted(TRAINS["trains"])
    assert [path.name for path in mark.parent.iterdir()] == ["mark.victim"]
    assert (mark.parent / "mark.victim").stat().st_mode & 0o777 == 0o666


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_function_is_refused_and_the_run_goes_on(name: str, mark: Path, sandboxes: list[Sandbox]) -> None:
    body, expected = REFUSED[name]
    sandbox = Sandbox(world(_attack(body, mark)))
    sandboxes.append(sandbox)
    attack, after = sandbox.run([call("attack"), call("honest")]).outcomes
    assert attack.error_type in expected.split(), (attack.error_type, attack.error, str(attack.result)[:200])
    if attack.error_type in ("Killed", "Timeout"):
        assert after.error_type in ("NotRun", "Killed")
    else:
        assert after.result == sorted(TRAINS["trains"])
    _assert_unharmed(sandbox, mark)


def test_what_a_trajectory_breaks_stays_its_own(mark: Path, sandboxes: list[Sandbox]) -> None:
    body = """
    import json, datetime
    _sys().modules['builtins'].len = lambda _: 42
    datetime.datetime = None
    json.dumps = None
    _sys().modules['toolbox'] = 1
    print('noise')
    _module('builtins').__import__('atexit').register(print, FORGED)
    return len([])
    """
    sandbox = Sandbox(world(_attack(textwrap.dedent(body).strip().replace("\n", "\n    "), mark) + CLEAN))
    sandboxes.append(sandbox)
    attack, after = sandbox.run([call("attack"), call("clean")]).outcomes
    assert attack.ok
    assert after.error_type == "AttributeError"
    fresh = sandbox.run([call("clean")]).outcomes[0]
    assert fresh.result == [0, "2026-03-14T15:09:26", "{}", False]
    _assert_unharmed(sandbox, mark)


def test_a_function_sees_neither_environment_variables_nor_arguments(
    mark: Path, sandboxes: list[Sandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a secret")
    sandbox = Sandbox(world(_attack("return [sorted(os['environ']), _sys().argv]", mark)))
    sandboxes.append(sandbox)
    assert sandbox.run([call("attack")]).outcomes[0].result == [
        ["LC_CTYPE", "PATH", "PYTHONHASHSEED", "PYTHONUTF8", "TZ"],
        [""],
    ]


@pytest.mark.parametrize("name", HANGS)
def test_a_call_that_hangs_is_killed_and_named(name: str, mark: Path, sandboxes: list[Sandbox]) -> None:
    sandbox = Sandbox(world(_attack(HANGS[name], mark)), Limits(seconds=0.5))
    sandboxes.append(sandbox)
    outcomes = sandbox.run([call("honest"), call("attack"), call("honest")]).outcomes
    assert [outcome.error_type for outcome in outcomes] == [None, "Timeout", "NotRun"]
    _assert_unharmed(sandbox, mark)
