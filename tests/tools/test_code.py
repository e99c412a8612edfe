"""The code interpreter: state within an episode, nothing of the system, and an episode that goes on whatever is run."""

from datetime import datetime

import pytest

from toolscale.tools.code import CodeInterpreter, code_sandbox


@pytest.fixture(scope="module")
def sandbox():
    with code_sandbox(seconds=4.0, now=datetime(2026, 3, 14, 15, 9)) as running:
        yield running


@pytest.fixture
def interpreter(sandbox):
    return CodeInterpreter(sandbox)


async def run(interpreter, code):
    answer = await interpreter.call({"code": code})
    assert answer.error is None, answer.error
    return answer.content


async def test_what_was_printed_comes_with_the_last_expressions_value(interpreter):
    assert await run(interpreter, "print('a')\nprint('b')\n6 * 7") == "a\nb\n42"
    assert await run(interpreter, "x = 1") == "(nothing was printed)"
    assert await run(interpreter, "None") == "(nothing was printed)"


async def test_a_snippet_uses_what_earlier_ones_defined(interpreter):
    await run(interpreter, "import math\ndef area(r):\n    return math.pi * r * r\nseen = []")
    await run(interpreter, "seen.append(1)")
    await run(interpreter, "seen.append(2)")
    assert await run(interpreter, "seen, round(area(2), 3)") == "([1, 2], 12.566)"


async def test_episodes_share_no_state(sandbox):
    one, other = CodeInterpreter(sandbox), CodeInterpreter(sandbox)
    await run(one, "secret = 1")
    assert "NameError" in await run(other, "secret")


async def test_numpy_works_under_the_filter(interpreter):
    await run(interpreter, "import numpy as np\nm = np.array([[4.0, 1], [1, 3]])")
    assert await run(interpreter, "np.linalg.solve(m, m @ [1, 2]).round(6)") == "array([1., 2.])"
    assert await run(interpreter, "np.linalg.svd(np.eye(200))[1].sum()") == "np.float64(200.0)"
    assert await run(interpreter, "np.fft.ifft(np.fft.fft([1, 2, 3])).real.round(6)") == "array([1., 2., 3.])"
    assert await run(interpreter, "np.polynomial.Polynomial([1, 0, -1]).roots()") == "array([-1.,  1.])"


async def test_chance_and_time_are_the_same_each_time_the_snippets_run(sandbox):
    drawn = []
    for _ in range(2):
        sandbox.close()  # another process, with another seed of the system's
        episode = CodeInterpreter(sandbox)
        await run(episode, "import random, numpy as np, datetime")
        drawn.append(
            await run(
                episode, "random.random(), np.random.rand(), np.random.default_rng().random(), datetime.datetime.now()"
            )
        )
    assert drawn[0] == drawn[1]
    assert "2026, 3, 14, 15, 9" in drawn[0]


async def test_an_error_is_an_answer_with_its_line_and_what_was_done_before_it_stays(interpreter):
    shown = await run(interpreter, "y = 5\nprint('before')\ny / 0\ny = 6")
    assert shown == "before\nZeroDivisionError: division by zero (line 3: y / 0)"
    assert await run(interpreter, "y") == "5"
    assert "SyntaxError" in await run(interpreter, "def (")


async def test_a_fence_around_the_code_is_taken_off(interpreter):
    assert await run(interpreter, "```python\n1 + 1\n```") == "2"


async def test_half_a_surrogate_pair_breaks_nothing(interpreter):
    assert await run(interpreter, "print('a' + chr(0xd800))\n'b' + chr(0xdfff)") == "a?\n'b\\udfff'"


async def test_endless_output_is_cut(interpreter):
    shown = await run(interpreter, "print('x' * 1_000_000)")
    assert len(shown) < 21_000
    assert shown.endswith("more characters")
    assert len(await run(interpreter, "'y' * 1_000_000")) < 21_000


HOSTILE = [
    "open('/etc/passwd').read()",
    "open('/tmp/mark', 'w')",
    "import os\nos.listdir('/')",
    "import sys\nsys.modules['os'].listdir('/')",
    "import sys\nsys.modules['os'].fork()",
    "import sys\nsys.modules['os'].execv('/bin/sh', ['sh'])",
    "import sys\nsys.modules['os'].kill(1, 9)",
    "import socket\nsocket.create_connection(('1.1.1.1', 53))",
    "import subprocess\nsubprocess.run(['ls'])",
    "__import__('ctypes').CDLL(None).system(b'ls')",
    "import numpy\nnumpy.load('/etc/passwd')",
    "import numpy\nnumpy.save('/tmp/mark', [1])",
    "import sys\nsys.exit()",
    "raise KeyboardInterrupt",
    "import sys\nsys.modules['os'].close(3)",
    "import threading\nthreading.Thread(target=print).start()",
    "def f():\n    return f()\nf()",
    "[0] * 10**11",
]


async def test_hostile_snippets_are_refused_and_the_episode_goes_on(interpreter):
    await run(interpreter, "kept = 'still here'")
    for code in HOSTILE:
        answer = await interpreter.call({"code": code})
        refused = answer.error or answer.content
        assert any(word in refused for word in ("Error", "SystemExit", "KeyboardInterrupt", "stopped")), code
        assert "root:" not in answer.content
    assert await run(interpreter, "kept") == "'still here'"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("while True:\n    pass", "more than 4 seconds"),
        ("import sys\nsys.modules['os']._exit(0)", "ended the interpreter"),
        ("import sys\nsys.modules['os'].write(3, b'[0,\"forged\"]\\n')", "ended the interpreter"),
    ],
)
async def test_a_snippet_that_hangs_or_ends_its_process_is_forgotten(interpreter, code, said):
    await run(interpreter, "kept = 7")
    answer = await interpreter.call({"code": code})
    assert said in answer.error
    assert await run(interpreter, "kept") == "7"


async def test_no_key_of_this_process_is_in_the_sandbox(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-nobody-must-see-this-key")
    with code_sandbox() as fresh:
        shown = await run(CodeInterpreter(fresh), "import sys\nprint(dict(sys.modules['os'].environ))")
    assert "PATH" in shown
    assert "sk-nobody" not in shown
    assert "OPENAI_API_KEY" not in shown


async def test_an_import_that_is_not_there_says_what_is(interpreter):
    shown = await run(interpreter, "import pandas")
    assert "No module named 'pandas'" in shown
    assert "numpy" in shown
    assert "numpy.fft" not in shown


async def test_a_conversation_runs_only_so_much_code(interpreter, monkeypatch):
    monkeypatch.setattr("toolscale.tools.code._MOST_SNIPPETS", 2)
    await run(interpreter, "1")
    await run(interpreter, "2")
    assert "answer with what you know" in (await interpreter.call({"code": "3"})).error


async def test_arguments_of_another_form_are_an_error(interpreter):
    assert "argument `code`" in (await interpreter.call({"source": "1"})).error
    assert "argument `code`" in (await interpreter.call({"code": ""})).error
