"""A draft hears its gates while its writer can still mend it; what never passes is kept with its history."""

import json
from collections import Counter

import pytest

from tests.openai_server import tool_call
from tests.synthesis.shop import DESK, environment
from toolscale.artifacts import OPERATORS, GoldenCall, Intent
from toolscale.checkers import GateContext, examined, still_holds
from toolscale.environment import Sandbox
from toolscale.synthesis.drafts import as_task
from toolscale.synthesis.evolution import evolve_tasks
from toolscale.synthesis.operators import asks_for_refusal, drawn
from toolscale.synthesis.tasks import propose_tasks
from toolscale.synthesis.writing import DRAFTS, MALFORMED

INTENT = Intent(id="i", domain="shop", purpose="cancel an order")
SOUND = {
    "persona": "A customer.",
    "reason_for_call": "Cancel my order O-1, please.",
    "known_info": "I am C-2.",
    "golden_calls": [{"name": "cancel_order", "arguments": {"order_id": "O-1"}}],
}
UNGROUNDED = {**SOUND, "reason_for_call": "Cancel my order, please."}


def said(request):
    return [message["content"] for message in request["messages"] if message["role"] == "user"]


def drafts(request):
    """How many drafts of the conversation have come back."""
    return sum(message["role"] == "assistant" and not message.get("tool_calls") for message in request["messages"])


async def proposed(run):
    return await propose_tasks(run, environment(), [INTENT], [])


async def test_a_draft_that_attempts_may_show_to_be_right_is_left_to_them_once_its_writer_stands_by_it(run_on):
    noted = {"name": "note_reason", "arguments": {"order_id": "O-1", "reason": "damaged"}}
    run, server = run_on(lambda request: json.dumps({**SOUND, "golden_calls": [noted]}))
    sifted = await propose_tasks(run, DESK, [INTENT], [])
    assert "grounded:" in said(server.requests[-1])[-1]
    assert len(server.requests) == 2
    assert [task.rejected_by for task in sifted.kept] == ["grounded"]


async def test_a_draft_that_a_gate_refuses_comes_back_with_the_reason_and_the_result_of_the_call_it_names(run_on):
    def model(request):
        return json.dumps(SOUND if "grounded:" in said(request)[-1] else UNGROUNDED)

    run, server = run_on(model)
    sifted = await proposed(run)
    (task,), (_, again) = sifted.kept, server.requests
    assert sifted.rejects == []
    assert task.instruction.startswith("Cancel my order O-1")
    complaint = said(again)[-1]
    assert "'O-1' is neither said" in complaint
    assert "Let the user say the value" in complaint
    assert 'golden_calls[0] cancel_order({"order_id":"O-1"}) returned "cancelled"' in complaint


async def test_results_that_a_writer_is_shown_are_bounded(run_on):
    long = {**UNGROUNDED, "golden_calls": [{"name": "get_order", "arguments": {"order_id": "x" * 9000}}] * 40}
    run, server = run_on(lambda request: json.dumps(long))
    await proposed(run)
    assert len(said(server.requests[-1])[-1]) < 20_000


async def test_a_draft_that_never_passes_is_a_reject_by_its_gate_with_each_round(run_on):
    run, server = run_on(lambda request: json.dumps({**UNGROUNDED, "nl_assertions": [str(drafts(request))]}))
    sifted = await proposed(run)
    assert sifted.kept == []
    (reject,) = sifted.rejects
    assert (reject.stage, reject.check) == ("tasks", "grounded")
    assert len(server.requests) == len(reject.raw["rounds"]) == DRAFTS
    assert [json.loads(each["draft"])["nl_assertions"] for each in reject.raw["rounds"]] == [["0"], ["1"], ["2"]]
    assert all("O-1" in each["reasons"][0] for each in reject.raw["rounds"])
    assert reject.raw["user_scenario"]["instructions"]["reason_for_call"] == UNGROUNDED["reason_for_call"]


async def test_a_draft_that_is_given_again_unchanged_is_given_up_without_another_round(run_on):
    run, server = run_on(lambda request: json.dumps(UNGROUNDED))
    (reject,) = (await proposed(run)).rejects
    assert (reject.check, len(reject.raw["rounds"]), len(server.requests)) == ("grounded", 1, 2)


async def test_a_slip_of_form_costs_no_round_before_the_gates(run_on):
    answers = ["{", "{", {**UNGROUNDED, "nl_assertions": ["a"]}, {**UNGROUNDED, "nl_assertions": ["b"]}, SOUND]

    def model(request):
        answer = answers[drafts(request)]
        return answer if isinstance(answer, str) else json.dumps(answer)

    run, server = run_on(model)
    assert len((await proposed(run)).kept) == 1
    assert len(server.requests) == len(answers) == MALFORMED - 1 + DRAFTS


async def test_a_writer_that_gives_up_after_a_gate_is_a_reject_by_that_gate(run_on):
    run, _ = run_on(lambda request: json.dumps({"infeasible": "no"} if drafts(request) else UNGROUNDED))
    assert [reject.check for reject in (await proposed(run)).rejects] == ["grounded"]


async def test_the_scratch_session_is_fresh_again_for_a_draft_that_came_back(run_on):
    def model(request):
        asked = sum(message["role"] == "tool" for message in request["messages"])
        if asked == drafts(request):
            return {"tool_calls": [tool_call("cancel_order", '{"order_id": "O-1"}', f"c{asked}")]}
        return json.dumps(SOUND if drafts(request) else UNGROUNDED)

    run, server = run_on(model)
    assert len((await proposed(run)).kept) == 1
    results = [message["content"] for message in server.requests[-1]["messages"] if message["role"] == "tool"]
    assert results == ['"cancelled"', '"cancelled"']


@pytest.mark.parametrize(
    ("fact", "kind", "why"),
    [
        ("cancelled", "amount", "does not read as one"),
        ("41.0", "count", "holds it is `amount`"),
        ("82", None, "nothing says of what kind"),
    ],
)
async def test_a_kind_that_a_fact_cannot_have_or_that_nothing_tells_goes_back(run_on, fact, kind, why):
    asking = {
        **SOUND,
        "reason_for_call": "Cancel my order O-1, please. What was order O-4 to cost?",
        "golden_calls": [{"name": "get_order", "arguments": {"order_id": "O-4"}}, *SOUND["golden_calls"]],
        "communicate_info": [{"fact": fact, "kind": kind, "asked": "What was order O-4 to cost"}],
    }
    run, server = run_on(lambda request: json.dumps(asking))
    world = environment()
    world = world.model_copy(update={"source": world.source.replace("db['orders'][order_id]\n", f"{PRICED}\n", 1)})
    sifted = await propose_tasks(run, world, [INTENT], [])
    assert [reject.check for reject in sifted.rejects] == ["kinds"]
    assert why in said(server.requests[1])[-1]


PRICED = "{'price': db['orders'][order_id]['amount']}"


def evolving(harder):
    """A model that proposes the sound task, and answers `harder(request)` to who would make it harder."""
    return lambda request: json.dumps(harder(request) if "Stage: evolution" in str(request["messages"][0]) else SOUND)


async def test_a_task_that_fails_a_gate_is_not_made_harder(run_on):
    run, server = run_on(evolving(lambda request: {"infeasible": "no"}))
    failed, sound = (as_task("shop", "", draft) for draft in (UNGROUNDED, SOUND))
    await evolve_tasks(run, environment(), [], [failed, sound])
    assert {"O-1, please" in said(request)[0] for request in server.requests} == {True}
    assert len(server.requests) > 0


async def test_a_round_evolves_only_what_passed_in_the_round_before(run_on):
    evolver = evolving(lambda request: {**UNGROUNDED, "operator": "condition", "added": "x"})
    run, server = run_on(evolver, evolution_rounds=3)
    first = (await proposed(run)).kept
    sifted = await evolve_tasks(run, environment(), [], first)
    assert [(reject.stage, reject.check) for reject in sifted.rejects] == [("evolved_tasks", "grounded")]
    assert sifted.rejects[0].raw["lineage"]["parent"] == first[0].id
    assert len(server.requests) == 1 + 2


async def test_an_evolver_is_asked_for_an_operator_and_says_which_it_used(run_on):
    harder = {**SOUND, "reason_for_call": "Cancel my order O-1, please, if it is still open.", "added": "if open"}

    def model(request):
        return {**harder, "operator": "condition"} if "`operator` is empty" in said(request)[-1] else harder

    run, server = run_on(evolving(model), operators={"recovery": 1})
    first = (await proposed(run)).kept
    (task,) = (await evolve_tasks(run, environment(), [], first)).kept
    assert (task.lineage.operator, task.lineage.added) == ("condition", "if open")
    assert "harder by `recovery`" in said(server.requests[1])[0]


def test_operators_are_drawn_by_the_mix_and_always_the_same_for_a_task():
    mix = {"refusal": 3.0, "computed": 1.0, "lookup": 0.0}
    names = [drawn(mix, 0, f"shop-{number}") for number in range(4000)]
    assert names == [drawn(mix, 0, f"shop-{number}") for number in range(4000)]
    counts = Counter(names)
    assert counts["lookup"] == 0
    assert counts["refusal"] / counts["computed"] == pytest.approx(3, rel=0.15)
    assert {drawn(dict.fromkeys(OPERATORS, 1.0), 0, number) for number in range(300)} == set(OPERATORS)


async def test_a_share_of_first_drafts_is_asked_for_what_the_policy_forbids(run_on):
    asked = sum(asks_for_refusal(0.2, 0, index) for index in range(4000))
    assert asked / 4000 == pytest.approx(0.2, abs=0.03)
    for share, expected in ((0, False), (1, True)):
        run, server = run_on(lambda request: json.dumps({"infeasible": "no"}), refusals=share)
        await proposed(run)
        assert ("a wish that the policy forbids" in said(server.requests[0])[0]) is expected


async def test_the_prompts_of_a_domain_begin_alike_up_to_the_excerpt(run_on):
    run, server = run_on(evolving(lambda request: {"infeasible": "no"}), first_tasks=4, refusals=0.5)
    first = (await proposed(run)).kept
    await evolve_tasks(run, environment(), [], first)
    beginnings = {
        (request["messages"][0]["content"], said(request)[0].partition("An excerpt of the database")[0])
        for request in server.requests
    }
    assert len(beginnings) == 2
    assert all("Policy" in begun and "golden_calls" in begun for _, begun in beginnings)


@pytest.fixture(scope="module")
def context():
    with Sandbox(environment()) as sandbox:
        yield GateContext(sandbox)


TAMPERED = {
    "what the user says": lambda task: {"user_scenario": as_task("shop", "", UNGROUNDED).user_scenario},
    "the golden calls": lambda task: {"golden_calls": [GoldenCall(name="cancel_order", arguments={"order_id": "O-2"})]},
    "what is to be told": lambda task: {"communicate_info": ["O-1"]},
    "the outcomes": lambda task: {"gates": [gate.model_copy(update={"reasons": ["x"]}) for gate in task.gates]},
    "its author's words for a fact": lambda task: {"asked": {"x": "y"}},
}


@pytest.mark.parametrize("what", TAMPERED)
def test_outcomes_hold_for_the_very_task_that_met_the_gates(context, what):
    task = examined(as_task("shop", "", SOUND), context)
    assert examined(task, context) is task
    tampered = task.model_copy(update=TAMPERED[what](task))
    assert not still_holds(tampered, context)


def test_outcomes_do_not_hold_in_another_environment(context):
    task = examined(as_task("shop", "", SOUND), context)
    other = environment().model_copy(update={"policy": "Nothing can be cancelled."})
    with Sandbox(other) as sandbox:
        assert not still_holds(task, GateContext(sandbox))


def test_outcomes_do_not_hold_for_other_gates(context, monkeypatch):
    task = examined(as_task("shop", "", SOUND), context)
    monkeypatch.setattr("toolscale.checkers.examination._version_of_gates", lambda: "later")
    assert not still_holds(task, context)
