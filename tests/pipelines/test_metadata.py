"""What an asset's page tells of tasks: why one was refused stands there, in the gate's own words."""

from pipelines.factory import Factory
from pipelines.metadata import cost_of_domain, funnel, page, refusals, task_preview
from pipelines.pictures import bars
from tests.pipelines.test_checks import TASK
from tests.store.calls import call
from toolscale.artifacts import GATES, GateOutcome, Task
from toolscale.settings import Settings


def refused(gate: str, *reasons: str) -> Task:
    outcomes = [GateOutcome(gate="replay", passed=gate != "replay", reasons=[] if gate != "replay" else list(reasons))]
    outcomes += [GateOutcome(gate=gate, passed=False, reasons=list(reasons))] if gate != "replay" else []
    return TASK.model_copy(update={"gates": outcomes})


def test_every_refused_task_has_its_gate_its_reasons_and_its_id():
    shown = refusals([refused("no_leak", "the user says '7'"), refused("replay", "no such key", "twice")])[
        "refusals"
    ].value
    assert "**no_leak**: the user says '7'" in shown
    assert "**replay**: no such key; twice" in shown
    assert shown.count(f"`{TASK.id}`") == 2


def test_a_gate_that_refused_many_leaves_room_for_the_others():
    many = [refused("no_leak", f"string {index}") for index in range(40)]
    shown = refusals([*many, refused("distinct", "doubles another")])["refusals"].value
    assert "**no_leak**: 35 more" in shown
    assert "**distinct**: doubles another" in shown


def test_where_nothing_was_refused_nothing_is_told():
    assert refusals([]) == {}


def test_the_funnel_shows_the_reason_of_the_gate_that_refused():
    told = funnel([TASK], [refused("no_leak", "the user says '7'")])
    assert "| no_leak | 1 | 1 | the user says '7' |" in told["funnel"].value


def test_rejections_are_one_table_and_gates_that_took_nothing_one_row_of_it():
    told = funnel([TASK], [refused("no_leak", "the user says '7'"), refused("replay", "no such key")])
    assert list(told) == ["kept", "proposed", "funnel"]
    first, *_, last = told["funnel"].value.splitlines()[2:]
    assert (first, last) == ("| proposed | | 3 | |", f"| the other {len(GATES) - 2} | 0 | 1 | |")
    assert len(told["funnel"].value.splitlines()) == 6


def test_a_page_begins_with_what_is_kept_then_funnel_and_pictures_and_ends_with_the_cost():
    drawn = bars({"0.5": 1}, "Kept tasks by pass rate")
    shown = page(
        {"by_intent": "a table", "tasks": 4, "pass_rates": drawn, "preview": "rows"},
        {"rejects": 2, "rejects_by_check": "a table"},
        {"funnel": "a table", "kept": 3, "short": "two are missing"},
        last={"tokens": 900, "cost_by_stage": drawn, "traces": "a command"},
    )
    first = ["short", "kept", "tasks", "rejects", "funnel", "pass_rates", "cost_by_stage", "rejects_by_check"]
    assert list(shown) == [*first, "by_intent", "preview", "tokens", "traces"]


def test_a_preview_has_the_column_that_was_asked_for():
    (row,) = task_preview([TASK.model_copy(update={"pass_rate": 0.5})], "pass_rate")["preview"].records
    assert row.data["pass_rate"] == "0.50"
    assert "added" not in row.data


async def test_a_domains_page_has_the_cents_of_a_kept_task_by_stage(tmp_path):
    factory = Factory.of(Settings(data_root=str(tmp_path)), model="offline/reference")
    with factory.store() as store:
        await store.save(call("a", stage="tasks", dollars=0.06, cached_tokens=4), call("b", dollars=0.02))
    told = cost_of_domain(factory, "railway", kept=2)
    assert told["dollars_per_kept_task"] == 0.04
    assert "| tasks | 1 | 10 | 4 | 1 | 0.0600 | 3.00 |" in told["cents_a_kept_task"].value
    assert "| all | 2 | 20 | 4 | 2 | 0.0800 | 4.00 |" in told["cents_a_kept_task"].value
