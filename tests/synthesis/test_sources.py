"""Functions put into one module behave as they did alone, or are told why they cannot be."""

import pytest

from tests.synthesis.shop import READ
from toolscale.synthesis.sources import functions_module


def named(name, source):
    return READ.model_copy(update={"name": name, "source": source})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("import datetime\ndef a(db): pass", "from datetime import datetime\ndef b(db): pass"),
        ("LIMIT, FEE = 3, 4\ndef a(db): pass", "LIMIT, FEE = 9, 4\ndef b(db): pass"),
        ("LIMIT: int = 3\ndef a(db): pass", "LIMIT = 3\ndef b(db): pass"),
        ("def _x(): return 1\ndef a(db): pass", "def _x(): return 2\ndef b(db): pass"),
        ("class K: pass\ndef a(db): pass", "K = 1\ndef b(db): pass"),
        ("for i in range(3): pass\ndef a(db): pass", "i = 1\ndef b(db): pass"),
    ],
)
def test_two_ways_to_bind_one_name_are_refused(one, other):
    with pytest.raises(ValueError, match="in another way than `a` does"):
        functions_module([named("a", one), named("b", other)])


def test_what_is_the_same_stands_once():
    shared = "from datetime import date, datetime\nLIMIT = 3\ndef _x(): return LIMIT\n"
    module = functions_module(
        [named("a", shared + "def a(db): return _x()"), named("b", shared + "def b(db): return date")]
    )
    assert module.count("LIMIT = 3") == module.count("def _x") == module.count("import datetime\n") == 1
    names: dict = {}
    exec(module, names)  # authored in this test, so it may run here
    assert names["a"]({}) == 3
