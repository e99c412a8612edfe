"""What the report's charts are drawn from: the map of instructions, and the rules that golden calls put to the test."""

from math import dist

from tests.synthesis.shop import environment
from toolscale.artifacts import GoldenCall
from toolscale.dataset.report.embedding import places
from toolscale.dataset.report.in_play import rules_in_play
from toolscale.environment import Sandbox

TRAVEL = [f"Please book me a train from {city} to the coast on day {day}" for day, city in enumerate(["Rome", "Lyon"])]
SHOP = [f"I want my money back for order {number}, the shoes are too small" for number in range(3)]


def test_instructions_that_are_worded_alike_lie_near_each_other():
    found = places([*TRAVEL, *SHOP])
    same = max(dist(found[2], found[3]), dist(found[3], found[4]))
    assert same < 0.01  # only a figure differs
    assert min(dist(found[0], other) for other in found[2:]) > 1


def test_the_map_is_the_same_each_time_and_is_made_of_few_or_wordless_texts_too():
    assert places([*TRAVEL, *SHOP]) == places([*TRAVEL, *SHOP])
    assert places([]) == []
    assert places(["one"]) == [(0.0, 0.0)]
    assert places(["1", "2", "", "4", "5"]) == [(0.0, 0.0)] * 5


RULES = '''
def small_orders_stay(before, call, after):
    """Orders under 20 euros are not cancelled."""
    if call["name"] != "cancel_order":
        return None
    order = before["orders"][call["arguments"]["order_id"]]
    return "too small" if order.get("total", 99) < 20 else None


def only_by_day(before, call, after):
    """Nothing changes by night."""
    return None


def looked_up_first(before, call, after, earlier):
    """Who cancels has looked the order up before."""
    for each in earlier:
        if each["name"] == "get_order":
            return None
    return None


def broken(before, call, after):
    """A rule that fails on every call."""
    return call["no such key"]
'''


def test_a_rule_is_in_play_where_a_call_takes_it_further_than_a_call_that_does_nothing():
    look, cancel = (
        GoldenCall(action_id=name, name=name, arguments={"order_id": "O-1"}) for name in ("get_order", "cancel_order")
    )
    missing = GoldenCall(action_id="2", name="cancel_order", arguments={"order_id": "O-999"})
    with Sandbox(environment().model_copy(update={"rules": RULES})) as sandbox:
        replays = [sandbox.run([look, cancel]), sandbox.run([cancel]), sandbox.run([missing])]
        first, alone, failed = rules_in_play(sandbox, replays)
    assert first == [frozenset(), {"small_orders_stay", "only_by_day", "looked_up_first", "broken"}]
    assert alone == [{"small_orders_stay", "only_by_day", "broken"}]
    assert failed == [frozenset()]


def test_where_no_rule_is_stated_none_is_in_play():
    call = GoldenCall(action_id="0", name="cancel_order", arguments={"order_id": "O-1"})
    with Sandbox(environment().model_copy(update={"rules": ""})) as sandbox:
        assert rules_in_play(sandbox, [sandbox.run([call])]) == [[frozenset()]]
