"""However deep a source nests, it is read or refused in one line, within seconds, and what is read the sandbox runs."""

import ast
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolscale.python_source import DEEPEST, LONGEST, NotPython, literal, parsed, written


def indented(line, end="pass"):
    return lambda n: "".join(f"{' ' * at}{line}\n" for at in range(n)) + " " * n + end


KINDS = {
    "terms": lambda n: "+".join("a" * n),
    "powers": lambda n: "**".join("a" * n),
    "gets": lambda n: "a" + ".get(1)" * n,
    "subscripts": lambda n: "a" + "[0]" * n,
    "calls": lambda n: "f(" * n + ")" * n,
    "keywords": lambda n: "f(a=" * n + "1" + ")" * n,
    "parentheses": lambda n: "(" * n + "1" + ")" * n,
    "never closed": lambda n: "[(" * n,
    "lists": lambda n: "[" * n + "]" * n,
    "dicts": lambda n: "{1:" * n + "1" + "}" * n,
    "sets": lambda n: "{" * n + "1" + "}" * n,
    "starred": lambda n: "[*" * n + "a" + "]" * n,
    "comprehensions": lambda n: "[x for x in " * n + "y" + "]" * n,
    "generators": lambda n: "f(x for x in " * n + "y" + ")" * n,
    "lambdas": lambda n: "lambda:" * n + "1",
    "conditionals": lambda n: "a if b else " * n + "1",
    "negations": lambda n: "not " * n + "1",
    "minus signs": lambda n: "-" * n + "1",
    "comparisons": lambda n: "a<" * n + "a",
    "and-or": lambda n: "a and (b or (" * n + "1" + "))" * n,
    "walruses": lambda n: "(x:=" * n + "1" + ")" * n,
    "slices": lambda n: "a[" * n + "1" + "]" * n,
    "yields": lambda n: "def f(): " + "(yield " * n + ")" * n,
    "f-strings": lambda n: 'f"' + "{a}" * n + '"',
    "f-strings within": lambda n: "f'{" * n,
    "specifications": lambda n: 'f"' + "{a:" * n + "}" * n + '"',
    "strings": lambda n: '"a" ' * n,
    "assignments": lambda n: "a=" * n + "1",
    "decorators": lambda n: "@a\n" * n + "def f(): pass",
    "dotted imports": lambda n: "import a" + ".a" * n,
    "elifs": lambda n: "if a: pass\n" + "elif a: pass\n" * n,
    "ifs": indented("if a:"),
    "loops": indented("for a in b:"),
    "functions": indented("def a():"),
    "classes": indented("class A:"),
    "tries": lambda n: indented("try:")(n) + "\n" + "".join(f"{' ' * at}finally: pass\n" for at in reversed(range(n))),
    "finallies": lambda n: "".join(f"{' ' * at}try: pass\n{' ' * at}finally:\n" for at in range(n)) + " " * n + "pass",
    "returns": lambda n: (
        "def f():\n"
        + indented(" try:", " return 1\n")(n)
        + "".join(f"{' ' * at} finally: return 2\n" for at in reversed(range(n)))
    ),
    "with": indented("with a:"),
    "patterns": lambda n: "match a:\n case " + "[" * n + "]" * n + ": pass",
    "annotations": lambda n: "a: " + "b[" * n + "c" + "]" * n,
    "continued lines": lambda n: "a = \\\n" * n + "1",
    "a long number": lambda n: "a = 9" + "9" * n,
    "a long hexadecimal": lambda n: "a = 0x" + "f" * n,
}

INDENTED = {"ifs", "loops", "functions", "classes", "tries", "finallies", "returns", "with"}
"""Kinds whose sources grow with the square of the depth."""


def read_and_written(source):
    try:
        return [written(node) for node in parsed(source).body]
    except NotPython as refusal:
        return None if len(str(refusal).splitlines()) == 1 else pytest.fail(f"not one line: {refusal}")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", [DEEPEST, 250, 400, 1000, 3000, 10_000, 100_000])
def test_a_deep_source_is_a_value_or_a_readable_refusal_within_seconds(kind, depth):
    source = KINDS[kind](min(depth, 500) if kind in INDENTED else depth)
    began = time.process_time()
    read_and_written(source)
    assert time.process_time() - began < (20 if len(source) > 100_000 else 10)


@settings(max_examples=150, deadline=None)
@given(kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4), depth=st.integers(1, 2000))
@example(kinds=["gets", "terms"], depth=300)
def test_kinds_of_depth_one_after_the_other_are_a_value_or_a_refusal(kinds, depth):
    read_and_written("\n".join(KINDS[kind](min(depth, 300) if kind in INDENTED else depth) for kind in kinds))


@given(st.text())
def test_any_text_is_a_value_or_a_readable_refusal(text):
    read_and_written(text)


def from_deep_within(frames, act):
    return act() if not frames else from_deep_within(frames - 1, act)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_does_not_depend_on_how_deep_the_caller_stands(kind):
    for depth in (45, DEEPEST - 1, 400):
        source = KINDS[kind](depth)
        assert from_deep_within(300, lambda source=source: read_and_written(source)) == read_and_written(source)


def test_a_source_that_only_the_compiler_refuses_is_refused():
    with pytest.raises(NotPython, match="line 2: 'return' outside function"):
        parsed("a = 1\nreturn a")


def test_what_would_be_compiled_again_and_again_is_refused_before():
    with pytest.raises(NotPython, match="every way out of a `try` repeats its `finally`"):
        parsed(KINDS["finallies"](40))


def test_a_source_longer_than_any_is_refused_unread():
    with pytest.raises(NotPython, match="longer than 200,000 characters"):
        parsed("a\n" * LONGEST)


@pytest.mark.parametrize("text", ["{[]: 1}", "f()", "a", "1; 2", "", "-" * 400 + "1", "[" * 150 + "]" * 150, "0x" * 9])
def test_what_spells_no_value_is_refused(text):
    with pytest.raises(NotPython):
        literal(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.tuples(inner)
    )
)
def test_what_spells_a_value_is_that_value(value):
    assert literal(repr(value)) == value
    assert literal(ast.parse(repr(value), mode="eval").body) == value
