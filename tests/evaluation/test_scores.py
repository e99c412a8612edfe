"""Whether calls and answers are right, and what results come to."""

import pytest

from toolscale.artifacts import Call
from toolscale.errors import UserError
from toolscale.evaluation.benchmarks.api_bank import call_in
from toolscale.evaluation.benchmarks.bfcl.calls import CallsProblem
from toolscale.evaluation.benchmarks.offered import DescribedFunction
from toolscale.evaluation.metrics import preference_metric, summary
from toolscale.evaluation.preferences import BenchmarkPreference, dealt, read_preferences
from toolscale.evaluation.results import AttemptResult
from toolscale.intervals import interval
from toolscale.orchestration.trace import ToolCall, Trace
from toolscale.tools.tool import ToolAnswer

FUNCTION = DescribedFunction.of("geo.find", "Finds.", {"type": "dict", "properties": {}, "required": ["place"]})


def problem(*answers):
    return CallsProblem("p", "parallel", [], (FUNCTION,), list(answers))


def find(**arguments):
    return Call(name="geo_find", arguments=arguments)


def wanted(**parameters):
    return {"geo.find": parameters}


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"place": "New York"}, True),
        ({"place": "new-york", "count": 3}, True),
        ({"place": "New York", "count": 3.0}, True),
        ({"place": "New York", "exact": True}, True),
        ({"place": "New York", "box": {"north": 1, "south": 2}}, True),
        ({"place": "New York", "box": {"north": 1}}, True),
        ({"place": "New York", "tags": ["A", "b"]}, True),
        ({"place": "Boston"}, False),
        ({}, False),
        ({"place": "New York", "count": "3"}, False),
        ({"place": "New York", "exact": 1}, False),
        ({"place": "New York", "box": {"south": 2}}, False),
        ({"place": "New York", "box": {"north": 1, "east": 2}}, False),
        ({"place": "New York", "tags": ["b", "A"]}, False),
        ({"place": "New York", "colour": "red"}, False),
    ],
)
def test_a_call_is_right_when_each_value_is_one_of_those_allowed(given, right):
    answer = wanted(
        place=["New York", "NYC"],
        count=[3, ""],
        exact=[True, ""],
        box=[{"north": [1], "south": [2, ""]}, ""],
        tags=[["a", "B"], ""],
    )
    score = problem(answer).judged([find(**given)])
    assert score.solved is right, score.reason


def test_parallel_calls_may_come_in_any_order_but_each_once():
    # The first call fits both: matched greedily it would take the place that only it can leave to the other.
    both = problem(wanted(place=["a", "b"]), wanted(place=["a"]))
    assert both.judged([find(place="a"), find(place="b")]).solved
    assert not both.judged([find(place="b"), find(place="b")]).solved
    assert not both.judged([find(place="a")]).solved
    assert not both.judged([find(place="a"), find(place="b"), find(place="b")]).solved


def test_relevance_wants_some_call_and_irrelevance_none():
    for topic, none, some in (("live_relevance", False, True), ("irrelevance", True, False)):
        task = CallsProblem("p", topic, [], (FUNCTION,), None)
        assert (task.judged([]).solved, task.judged([find()]).solved) == (none, some)


@pytest.mark.parametrize(
    ("request_", "arguments"),
    [
        ("API-Request: [Add(a='1', b=2)]", {"a": "1", "b": 2}),
        ("API-Request: [Add(text='it's late, and [dark]', b='x')]", {"text": "it's late, and [dark]", "b": "x"}),
        ("API-Request: [Add(name=Ann)]", {"name": "Ann"}),
        ("API-Request: [Add()]", {}),
    ],
)
def test_an_api_request_is_read_even_where_its_quotes_are_wrong(request_, arguments):
    assert call_in(request_) == Call(name="Add", arguments=arguments)


def result(name, solved, calls=0, dollars=0.0, seconds=0.0, preference=None):
    made = [ToolCall(turn=1, tool="web", arguments={}, answer=ToolAnswer()) for _ in range(calls)]
    trace = Trace(id=name, model="m", messages=[], calls=made, dollars=dollars, seconds=seconds)
    return AttemptResult(
        id=name, max_turns=50, solved=solved, reason="", tools=["web"], preference=preference, trace=trace
    )


def test_the_interval_holds_the_mean_and_narrows_with_more_tasks():
    few, many = interval([0.0, 100.0] * 5), interval([0.0, 100.0] * 200)
    assert few["low"] < few["mean"] == 50.0 < few["high"]
    assert many["high"] - many["low"] < (few["high"] - few["low"]) / 3
    assert interval([1.0] * 9) == {"mean": 1.0, "low": 1.0, "high": 1.0}


def test_the_summary_counts_the_unsolved_ones_costs_too():
    figures = summary([result("a", True, 3, 0.01, 60), result("b", False, 1, 0.03, 120)])
    assert figures["accuracy"]["mean"] == 50
    assert figures["cents"]["mean"] == pytest.approx(2)
    assert figures["cents_per_solved"] == pytest.approx(4)
    assert figures["minutes"]["mean"] == 1.5
    assert figures["tools"] == {"web": {"calls": 4, "share": 1.0, "per_task": 2.0}}


def test_the_preference_metric_is_the_papers_on_a_worked_example():
    wish = BenchmarkPreference(instruction="Be quick.", vector={"web": 0.5, "outcome": 1, "compute": 1, "latency": 0.5})
    now = [result("a", True, 2, 0.04, 20, wish), result("b", False, 9, 0.01, 1, wish)]
    then = [result("a", True, 4, 0.08, 30, wish), result("b", True, 1, 0.01, 1, wish)]
    # 0.5 * 2/4 + 1 * 1/1 + 1 * 8/4 cents + 0.5 * 30/20 seconds; nothing for the unsolved one.
    assert preference_metric(now, then) == {"sum": pytest.approx(4.0), "per_task": pytest.approx(200.0), "tasks": 2}
    with pytest.raises(UserError, match="no result for b"):
        preference_metric(now, then[:1])
    with pytest.raises(UserError, match="another preference"):
        preference_metric(now, [result("a", True), result("b", True)])


def test_without_preferences_the_metric_is_the_outcome():
    score = preference_metric([result("a", True), result("b", False)], [result("a", False), result("b", True)])
    assert score["per_task"] == 50


def test_preferences_are_dealt_by_problem_and_seed_alone(tmp_path):
    wishes = [BenchmarkPreference(instruction=str(number)) for number in range(9)]
    few, many = dealt(wishes, ["a", "b"], 3), dealt(wishes, map(chr, range(97, 123)), 3)
    assert all(many[name] == few[name] for name in few)
    assert len({wish.instruction for wish in many.values()}) > 3
    (tmp_path / "bad.jsonl").write_text('{"instruction": "x", "vector": {"web": 2}}')
    with pytest.raises(UserError, match="line 1: the weight of web"):
        read_preferences(tmp_path / "bad.jsonl")
