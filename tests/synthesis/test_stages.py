"""Each stage asks, checks, sends back with reasons, and keeps what it refused; over HTTP, against a scripted model."""

import json
from dataclasses import replace

import pytest

from tests.openai_server import tool_call
from tests.synthesis.shop import READ, SCHEMA, WRITE, entries, environment
from toolscale.artifacts import Intent, Subject
from toolscale.llm import MalformedAnswer
from toolscale.synthesis.evolution import evolve_tasks
from toolscale.synthesis.functions import plan_functions, write_functions
from toolscale.synthesis.plan import PlanAnswer
from toolscale.synthesis.schema import design_schema
from toolscale.synthesis.subjects import propose_subjects
from toolscale.synthesis.tasks import propose_tasks

SUBJECTS = [Subject(domain="shop", name="customers and their orders")]


def system(request):
    return request["messages"][0]["content"]


def users_words(request):
    return "\n".join(message["content"] for message in request["messages"] if message["role"] == "user")


async def test_subjects_that_repeat_go_back_with_the_reason(run_on):
    def model(request):
        return json.dumps({"subjects": ["a", "b", "c"] if "the same" in users_words(request) else ["a", "A", "c"]})

    run, server = run_on(model)
    assert [subject.name for subject in await propose_subjects(run)] == ["a", "b", "c"]
    assert len(server.requests) == 2


async def test_a_schema_that_never_holds_is_given_up_with_its_reasons(run_on):
    run, server = run_on(lambda request: json.dumps({"database_schema": SCHEMA.json_schema}))
    with pytest.raises(MalformedAnswer) as error:
        await design_schema(run, SUBJECTS)
    assert "at least four" in " ".join(error.value.reasons)
    assert len(server.requests) == 3


async def test_a_function_that_fails_its_checks_goes_back_with_the_reasons(run_on):
    broken = READ.source.replace("ValueError", "KeyError")

    def model(request):
        wants_write = "Function: cancel_order" in users_words(request)
        mended = "nonsense call" in users_words(request)
        return json.dumps({"source": WRITE.source if wants_write else READ.source if mended else broken})

    run, server = run_on(model)
    plan = PlanAnswer(policy="rules", functions=[READ.spec(), WRITE.spec()])
    sifted = await write_functions(run, SCHEMA, entries(), plan)
    assert [function.source for function in sifted.kept] == [READ.source, WRITE.source]
    assert ["nonsense call" in reject.reasons[0] for reject in sifted.rejects] == [True]
    assert len(server.requests) == 3


async def test_a_function_that_clashes_with_another_is_asked_for_again(run_on):
    shared = "LIMIT = {}\n\n"

    def model(request):
        wants_write = "Function: cancel_order" in users_words(request)
        source = WRITE.source if wants_write else READ.source
        if "binds `LIMIT` in another way" in users_words(request):
            return json.dumps({"source": source})
        return json.dumps({"source": shared.format(2 if wants_write else 1) + source})

    run, _ = run_on(model)
    plan = PlanAnswer(policy="rules", functions=[READ.spec(), WRITE.spec()])
    sifted = await write_functions(run, SCHEMA, entries(), plan)
    assert [function.name for function in sifted.kept] == ["get_order", "cancel_order"]
    assert "LIMIT" not in sifted.kept[1].source
    assert ["in another way" in reject.reasons[0] for reject in sifted.rejects] == [True]


def answering_functions(heard):
    """A model that writes the two functions of the shop, and notes which it was asked for."""

    def model(request):
        name = "cancel_order" if "Function: cancel_order" in users_words(request) else "get_order"
        heard.append((name, users_words(request)))
        return json.dumps({"source": WRITE.source if name == "cancel_order" else READ.source})

    return model


async def test_a_function_waits_for_those_that_it_builds_on_and_is_shown_their_sources(run_on):
    heard = []
    run, _ = run_on(answering_functions(heard))
    plan = PlanAnswer(
        policy="rules",
        functions=[WRITE.spec(), READ.spec()],
        builds_on={"cancel_order": ["get_order"], "get_order": []},
    )
    sifted = await write_functions(run, SCHEMA, entries(), plan)
    assert [function.name for function in sifted.kept] == ["cancel_order", "get_order"]
    assert [name for name, _ in heard] == ["get_order", "cancel_order"]
    assert READ.source.strip() in heard[1][1]
    assert "These functions of the service are written" not in heard[0][1]


async def test_a_function_knows_the_day_the_others_signatures_and_records_of_every_table(run_on):
    heard = []
    run, _ = run_on(answering_functions(heard))
    plan = PlanAnswer(policy="rules", functions=[READ.spec(), WRITE.spec()])
    await write_functions(run, SCHEMA, entries(), plan)
    for _, prompt in heard:
        assert "The present is 2026-11-23T09:00" in prompt
        assert "- cancel_order(order_id) (write): Cancel an open order." in prompt
        assert '"customer_id": "C-' in prompt
        assert '"order_id": "O-' in prompt
    shared = heard[0][1].partition("Demonstration")[0]
    assert "You are given one of them" in shared
    assert heard[1][1].startswith(shared), "what repeats comes first"


@pytest.mark.parametrize(
    ("builds_on", "said"),
    [
        ({"a": ["b"], "b": ["a"]}, "build on each other: say which is written first"),
        ({"a": ["a"]}, "`a` and `a` build on each other"),
        ({"a": ["z"]}, "`builds_on`: there is no function `z`"),
    ],
)
async def test_a_plan_in_which_no_function_can_be_written_first_goes_back(run_on, builds_on, said):
    specs = [
        (WRITE if name in "ab" else READ).model_copy(update={"name": name}).spec().model_dump(mode="json")
        for name in "abcd"
    ]

    def model(request):
        good = said in users_words(request)
        return json.dumps({"policy": "p", "functions": specs, "builds_on": {"a": ["b"]} if good else builds_on})

    run, server = run_on(model)
    plan = await plan_functions(run, SCHEMA, entries())
    assert plan.grounds() == {"b": [], "a": ["b"], "c": [], "d": []}
    assert len(server.requests) == 2


async def test_a_function_that_never_passes_is_rejected_with_its_last_source(run_on):
    run, _ = run_on(lambda request: json.dumps({"source": "def get_order(db, order_id):\n    import os"}))
    plan = PlanAnswer(policy="rules", functions=[READ.spec()])
    sifted = await write_functions(run, SCHEMA, entries(), plan)
    assert sifted.kept == []
    assert "`os` cannot be imported" in sifted.rejects[0].reasons[0]
    assert "import os" in str(sifted.rejects[0].raw)


DRAFT = {
    "persona": "A customer.",
    "reason_for_call": "Cancel my order O-1, please.",
    "known_info": "I am C-2.",
    "golden_calls": [{"name": "cancel_order", "arguments": {"order_id": "O-1"}}],
    "communicate_info": [],
}
INTENT = Intent(id="i", domain="shop", purpose="cancel an order")


async def test_a_teacher_may_look_around_before_it_writes_a_task_and_nothing_of_it_lasts(run_on):
    seen = []

    def model(request):
        results = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        seen.append(results)
        if not results:
            return {"tool_calls": [tool_call("cancel_order", '{"order_id": "O-1"}')]}
        if len(results) == 1:
            return {"tool_calls": [tool_call("get_order", '{"order_id": "O-1"}'), tool_call("get_order", "{", "c2")]}
        return f"Here it is:\n```json\n{json.dumps(DRAFT)}\n```"

    run, _ = run_on(model, first_tasks=2)
    sifted = await propose_tasks(run, environment(), [INTENT], [])
    (task,) = sifted.kept
    results = max(seen, key=len)
    assert json.loads(results[1])["status"] == "cancelled"
    assert "not JSON" in json.loads(results[2])["error"]
    assert task.golden_calls[0].arguments == {"order_id": "O-1"}
    assert task.intent == INTENT.purpose
    assert [reject.check for reject in sifted.rejects] == ["double"]


async def test_a_teacher_that_says_it_cannot_is_believed(run_on):
    run, _ = run_on(lambda request: json.dumps({"infeasible": "no open orders"}))
    sifted = await propose_tasks(run, environment(), [INTENT], [])
    assert [(reject.check, reject.reasons) for reject in sifted.rejects] == [("infeasible", ["no open orders"])]


async def test_an_answer_that_is_no_draft_goes_back_and_is_kept_when_given_up(run_on):
    run, server = run_on(lambda request: '{"reason_for_call": ""}')
    sifted = await propose_tasks(run, environment(), [INTENT], [])
    assert [(reject.check, reject.raw) for reject in sifted.rejects] == [("form", '{"reason_for_call": ""}')]
    assert len(server.requests) == 3


async def test_an_evolved_task_descends_from_the_old_one_and_sees_its_entries(run_on):
    prompts = []

    def model(request):
        if "Stage: evolution" in system(request):
            prompts.append(request["messages"][1]["content"])
            harder = f"Cancel O-1, but only if it is open, and that is condition {len(prompts)}."
            return json.dumps({**DRAFT, "reason_for_call": harder, "operator": "condition"})
        return json.dumps(DRAFT)

    run, _ = run_on(model)
    first = (await propose_tasks(run, environment(), [INTENT], [])).kept
    evolved = (await evolve_tasks(replace(run, evolution_rounds=2), environment(), [], first)).kept
    assert [task.lineage.depth for task in evolved] == [1, 2]
    assert evolved[0].lineage.parent == first[0].id
    assert evolved[1].lineage.parent == evolved[0].id
    assert '"O-1"' in prompts[0].partition("Old task")[0]
