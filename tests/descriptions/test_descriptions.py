"""Descriptions rest on what a model did at sampled tasks; they are written once, and can be read again."""

import json

import pytest

from tests.openai_server import OpenAIServer, tool_call
from tests.orchestration.orchestra import gateway_to
from tests.synthesis.shop import environment
from toolscale.artifacts import GoldenCall, Instructions, Task, UserScenario
from toolscale.catalogue.catalogue import CatalogueModel
from toolscale.descriptions.description import Trial, as_json, describe_model, read_descriptions, shortened
from toolscale.descriptions.sampling import kind_of, sample_tasks, topic_of
from toolscale.descriptions.trials import try_tasks
from toolscale.errors import UserError
from toolscale.llm import MalformedAnswer
from toolscale.questions.step_sets import steps_in
from toolscale.questions.task import QuestionTask

TOLD = "Cancels orders reliably when it is given their ids, and looks them up first; gives up on all that needs more."
TRIAL = Trial(task="shop-O-1", topic="shop", instruction="Cancel it.", did="Cancelled.", solved=True, reasons=[])


def task(order, domain="shop"):
    said = Instructions(domain=domain, reason_for_call=f"Cancel my order {order}.")
    golden = [GoldenCall(name="cancel_order", arguments={"order_id": order})]
    return Task(
        id=f"{domain}-{order}",
        domain=domain,
        user_scenario=UserScenario(instructions=said),
        golden_calls=golden,
        communicate_info=[],
    )


def model_at(server):
    return CatalogueModel(name="lab/small", model="openai/small", api_base=server.url, description="Unknown.")


def cancels_the_first_order_alone(request):
    asked = next(message["content"] for message in request["messages"] if message["role"] == "user")
    if "O-1" in asked and request["messages"][-1]["role"] == "user":
        return {"content": "", "tool_calls": [tool_call("cancel_order", '{"order_id": "O-1"}')]}
    return "That is all I can do."


async def test_trials_are_episodes_judged_like_any_other(store):
    tasks = [task("O-2"), task("O-1")]
    with OpenAIServer(cancels_the_first_order_alone) as server:
        async with gateway_to(server, store) as gateway:
            trials = await try_tasks(model_at(server), tasks, {"shop": environment()}, gateway)
        assert {request["model"] for request in server.requests} == {"small"}
    assert [(trial.task, trial.solved) for trial in trials] == [("shop-O-2", False), ("shop-O-1", True)]
    assert trials[0].reasons
    assert "cancel_order" in trials[1].did
    assert trials[1].instruction == "Cancel my order O-1."


def question(number, topic="mathematics"):
    return QuestionTask(id=f"q-{number}", question=f"What is {number} times 7?", answer=str(7 * number), topic=topic)


def step():
    add = {"name": "add", "description": "Adds.", "parameters": {"a": {"type": "int"}, "b": {"type": "int"}}}
    row = {
        "query": "Add 1 and 2.",
        "tools": json.dumps([add]),
        "answers": json.dumps([{"name": "add", "arguments": {"a": 1, "b": 2}}]),
    }
    (only,), _ = steps_in([row], "made here")
    return only


def answers_all_kinds(request):
    """Right at one question and wrong at another, undecided at a third, refusing a fourth; a slip in a call."""
    asked = request["messages"][-1]["content"]
    if request["model"] == "judge":
        return json.dumps({"reason": "says the same", "correct": True})
    if "times 7" in asked:
        (number,) = (int(word) for word in asked.split() if word.isdigit() and word != "7")
        said = {1: "<think>One seven is 7.</think>The answer is 7.", 2: "15", 3: "three sevens", 4: ""}
        return {"content": None, "refusal": "No."} if number == 4 else said[number]
    if "Add 1 and 2." in asked:
        return '<think>Sum.</think>\n<tool_call>\n{"name": "add", "parameters": {"a": 1, "b": 3}}\n</tool_call>'
    return cancels_the_first_order_alone(request)


async def test_questions_and_steps_are_tried_as_they_are_asked_and_judged_as_they_are_scored(store):
    tasks = [question(1), task("O-1"), question(2), step(), question(3), question(4)]
    with OpenAIServer(answers_all_kinds) as server:
        judge = {"model": "openai/judge", "api_base": server.url}
        async with gateway_to(server, store, models={"judge": judge}) as gateway:
            trials = await try_tasks(model_at(server), tasks, {"shop": environment()}, gateway)
    assert [trial.task for trial in trials] == [each.id for each in tasks]
    assert [trial.kind for trial in trials] == ["question", "task", "question", "step", "question", "question"]
    assert [trial.solved for trial in trials] == [True, True, False, False, True, False]
    right, _, wrong, slipped, _, refused = trials
    assert right.did == "assistant: The answer is 7.", "what it thought is its own"
    assert right.topic == "mathematics"
    assert wrong.reasons == ["is not the reference answer 14"]
    assert slipped.did.endswith("</tool_call>")
    assert '"b": 2' in slipped.reasons[0], "the writer is told what would have been right"
    assert refused.did == ""
    assert refused.reasons


async def test_a_step_is_solved_with_the_golden_call_and_not_with_another_beside_it(store):
    only = step()
    beside = only.golden_output.replace("\n</tool_call>", '\n{"name": "add", "parameters": {"a": 9}}\n</tool_call>')
    for seed, said in enumerate((only.golden_output, beside)):
        with OpenAIServer(lambda request, said=said: said) as server:
            async with gateway_to(server, store) as gateway:
                (trial,) = await try_tasks(model_at(server), [only], {}, gateway, seed=seed)
        assert trial.solved is (said == only.golden_output)
        assert bool(trial.reasons) is not trial.solved
        assert "Add 1 and 2." in trial.instruction


async def test_the_writer_is_told_what_kind_of_task_each_was_and_long_ones_are_cut(store):
    seen = []

    def answers(request):
        seen.append(request["messages"][-1]["content"])
        return json.dumps({"description": TOLD})

    long = TRIAL.model_copy(update={"kind": "question", "topic": "physics", "instruction": "x" * 9000})
    with OpenAIServer(answers) as server:
        async with gateway_to(server, store) as gateway:
            made = await describe_model("lab/small", [TRIAL, long], gateway, written_by="openai/anything")
    (prompt,) = seen
    assert "Trial 1 (functions of a service: shop): solved" in prompt
    assert "Trial 2 (a question: physics): solved" in prompt
    assert len(prompt) < 6000
    assert made.trials[1].instruction == long.instruction, "the file keeps it whole"


async def test_the_writer_reads_tasks_trajectories_and_outcomes_and_is_paid_once(store):
    seen = []

    def answers(request):
        if request["model"] == "small":
            return cancels_the_first_order_alone(request)
        seen.append(request["messages"][-1]["content"])
        return json.dumps({"description": f"  {TOLD}\n"})

    with OpenAIServer(answers) as server:
        async with gateway_to(server, store, default_model="openai/teacher") as gateway:
            trials = await try_tasks(model_at(server), [task("O-1"), task("O-2")], {"shop": environment()}, gateway)
            first = await describe_model("lab/small", trials, gateway, written_by="openai/teacher")
            assert await describe_model("lab/small", trials, gateway, written_by="openai/teacher") == first
    assert first.description == TOLD
    assert (first.solved, len(first.trials)) == (1, 2)
    (prompt,) = seen
    for part in (
        "Model: small",
        "Cancel my order O-1.",
        "cancel_order",
        "(functions of a service: shop): solved",
        "not solved",
        *trials[1].reasons,
    ):
        assert part in prompt, part


async def test_a_description_that_says_nothing_is_sent_back_and_then_refused(store):
    with OpenAIServer(lambda request: json.dumps({"description": "Good."})) as server:
        async with gateway_to(server, store) as gateway:
            trials = await try_tasks(model_at(server), [], {}, gateway)
            with pytest.raises(UserError, match="no tasks that it tried"):
                await describe_model("lab/small", trials, gateway, written_by="x")
            with pytest.raises(MalformedAnswer, match="5 characters"):
                await describe_model("lab/small", [TRIAL], gateway, written_by="x")


async def test_descriptions_survive_their_file_and_a_broken_one_is_named(store, tmp_path):
    with OpenAIServer(lambda request: json.dumps({"description": TOLD})) as server:
        async with gateway_to(server, store) as gateway:
            made = await describe_model("lab/small", [TRIAL], gateway, written_by="openai/anything")
    file = tmp_path / "descriptions.json"
    file.write_bytes(as_json([made]))
    assert read_descriptions(file) == {"lab/small": made}
    file.write_text('[{"model": "lab/small"}]')
    with pytest.raises(UserError, match=r"`0\.description`"):
        read_descriptions(file)
    with pytest.raises(UserError, match="cannot read the descriptions"):
        read_descriptions(tmp_path / "none.json")


def test_sampled_tasks_come_evenly_from_the_domains_and_the_same_for_a_seed():
    tasks = [task(f"O-{number}", domain) for domain in ("shop", "zoo", "bank") for number in range(8)]
    drawn = sample_tasks(tasks, seed=3)
    assert drawn == sample_tasks(list(reversed(tasks)), seed=3)
    assert drawn != sample_tasks(tasks, seed=4)
    assert len({each.id for each in drawn}) == 10
    counts = sorted(sum(each.domain == domain for each in drawn) for domain in ("shop", "zoo", "bank"))
    assert counts == [3, 3, 4]
    assert len(sample_tasks(tasks[:4], seed=3)) == 4


def test_sampled_tasks_come_evenly_from_the_kinds_and_then_from_topics():
    tasks = [task(f"O-{number}", domain) for domain in ("shop", "zoo", "bank", "port") for number in range(9)]
    tasks += [question(number, topic) for number, topic in enumerate(["algebra", "optics", "genetics"] * 4)]
    drawn = sample_tasks([*tasks, step()], seed=1)
    assert drawn == sample_tasks([step(), *reversed(tasks)], seed=1)
    kinds = [kind_of(each) for each in drawn]
    assert (len(drawn), kinds.count("step")) == (10, 1), "of a kind there may be too few"
    assert {kinds.count("task"), kinds.count("question")} == {4, 5}
    assert {topic_of(each) for each in drawn if kind_of(each) == "question"} == {"algebra", "optics", "genetics"}
    assert {topic_of(each) for each in drawn if kind_of(each) == "task"} == {"shop", "zoo", "bank", "port"}


def test_a_shortened_trajectory_keeps_who_did_what_and_bounds_its_length():
    messages = [
        {"role": "system", "content": "secret policy"},
        {"role": "user", "content": "x" * 2000},
        {"role": "assistant", "content": None, "tool_calls": [tool_call("pay", '{"amount": 3}')]},
        *[{"role": "tool", "content": "y" * 2000}] * 20,
    ]
    short = shortened(messages)
    assert "secret policy" not in short
    assert "assistant calls" in short
    assert '"pay"' in short
    assert len(short) < 4100
