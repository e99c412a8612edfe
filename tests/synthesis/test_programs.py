"""The stage `programs` asks, tries, sends back, has tasks read blind; and tasks come of what it keeps, over HTTP."""

import json
from dataclasses import replace

from tests.openai_server import tool_call
from tests.programs.tool_hire import INTENT, environment, example, function_of, program, returning
from toolscale.artifacts import Domain, Intent
from toolscale.environment import Sandbox
from toolscale.synthesis.evolution import evolve_tasks
from toolscale.synthesis.program_trials import Trial
from toolscale.synthesis.programs import sample_results, to_read, write_programs
from toolscale.synthesis.tasks import propose_tasks

DOMAIN = Domain(name="tool_hire", description="Tools for hire.")
BROUGHT_BACK = Intent(id="tool_hire-intent-2", domain="tool_hire", purpose="Bring a tool back.")


def stage(request):
    return request["messages"][0]["content"].partition("\n")[0].removeprefix("Stage: ")


def asked(request):
    return "\n".join(message["content"] or "" for message in request["messages"] if message["role"] == "user")


def draft_of(one):
    return one.model_dump(mode="json", exclude={"id", "domain", "intent"})


def called(name, **arguments):
    return {"content": None, "tool_calls": [tool_call(name, json.dumps(arguments))]}


def reader(request):
    """Extends or closes a hire as the words say, in two turns and with the answer."""
    said, results = asked(request), [each for each in request["messages"] if each["role"] == "tool"]
    hire = next((word.strip(".,:!?") for word in said.split() if word.startswith("HI-")), None)
    if hire is None:
        return "Which one is that?"
    if not results:
        return called("get_hire", hire_id=hire)
    found = json.loads(results[0]["content"])
    if "days" not in said and "need" not in said:
        return called("return_tool", hire_id=hire) if len(results) == 1 else f"Done: {found['daily_fee']} a day."
    words = {"two": 2, "three": 3, "four": 4, "seven": 7}
    days = next(
        int(w) if w.isdigit() else words[w] for w in said.replace(",", " ").split() if w.isdigit() or w in words
    )
    if len(results) == 1:
        return called("extend_hire", hire_id=hire, days=days)
    return f"It is due on {json.loads(results[1]['content'])['due_on']}."


def teacher(request):
    if stage(request) != "programs":
        return reader(request)
    return json.dumps(draft_of(returning()) if BROUGHT_BACK.purpose in purpose(request) else example())


def test_of_what_a_function_returns_its_author_sees_the_fullest():
    source = """
def standing(db, member_id):
    return {"hires": [h for h in db["hires"].values() if h["member_id"] == member_id and h["extensions"]]}
"""
    spec = environment().model_copy(
        update={"source": source, "functions": [function_of("standing", "read", member_id="string")]}
    )
    extended = {hire["member_id"] for hire in spec.database["hires"].values() if hire["extensions"]}
    assert extended < spec.database["members"].keys(), "some have nothing to show"
    with Sandbox(spec) as sandbox:
        for seed in range(8):
            assert '"hires":[{' in sample_results(sandbox, seed)["standing"]


def purpose(request):
    return asked(request).rpartition("Write the program for this one: ")[2].partition("\n")[0]


def of(run_on, behaviour, **chosen):
    return run_on(behaviour, domain=DOMAIN, **chosen)


async def test_a_program_that_stands_its_trial_and_its_reading_is_kept(run_on):
    run, server = of(run_on, teacher)
    sifted = await write_programs(run, environment(), [INTENT, BROUGHT_BACK])
    assert [each.name for each in sifted.kept] == ["extend_hire", "bring_back"]
    assert [len(each.twists) for each in sifted.kept] == [3, 0]
    assert sifted.rejects == []
    assert sum(stage(request) == "programs" for request in server.requests) == 2


async def test_a_refused_program_goes_back_with_the_reason_and_is_kept_as_a_reject(run_on):
    def model(request):
        if stage(request) == "programs" and "does not say days" not in asked(request):
            broken = example()
            broken["wordings"][0]["text"] = broken["wordings"][0]["text"].replace("{days:count}", "some")
            return json.dumps(broken)
        return teacher(request)

    run, _ = of(run_on, model)
    sifted = await write_programs(run, environment(), [INTENT])
    assert len(sifted.kept) == 1
    assert ["does not say days" in reject.reasons[0] for reject in sifted.rejects] == [True]


async def test_a_program_that_is_read_otherwise_goes_back_with_the_differences_and_is_given_up(run_on):
    def model(request):
        return teacher(request) if stage(request) == "programs" else "I did it all."

    run, server = of(run_on, model)
    sifted = await write_programs(run, environment(), [INTENT])
    assert sifted.kept == []
    assert "brought only 0 to the golden end" in sifted.rejects[0].reasons[0]
    assert "the reader made no calls" in sifted.rejects[0].reasons[1]
    assert sum(stage(request) == "programs" for request in server.requests) == 4


def readings(server):
    """The requests that were read blind, each once, in the order in which they were first read."""
    first = [request["messages"][1]["content"] for request in server.requests if stage(request) != "programs"]
    return list(dict.fromkeys(first))


async def test_two_tasks_are_read_one_with_a_twist_and_a_third_only_where_they_disagree(run_on):
    run, server = of(run_on, teacher)
    await write_programs(run, environment(), [BROUGHT_BACK])
    assert len(readings(server)) == 2

    def model(request):
        careless = stage(request) != "programs" and request["messages"][1]["content"] == readings(server)[0]
        return "I did it all." if careless else teacher(request)

    run, server = of(run_on, model)
    sifted = await write_programs(run, environment(), [BROUGHT_BACK])
    assert len(readings(server)) == 3
    assert len(sifted.kept) == 1


def test_of_the_tasks_that_are_read_the_second_has_a_twist():
    assert to_read(Trial(tasks=[*"abcdef"], twisted=["twisted"])) == ["a", "twisted", "c"]
    assert to_read(Trial(tasks=[*"abcdef"])) == ["a", "c", "e"]
    assert to_read(Trial(tasks=["a", "b"])) == ["a", "b"]


async def test_a_twist_that_stays_at_fault_is_left_out_and_the_program_kept(run_on):
    def model(request):
        if stage(request) != "programs":
            return reader(request)
        broken = example()
        broken["source"] = broken["source"].replace("best(rest", "best([]")
        return json.dumps(broken)

    run, _ = of(run_on, model)
    (kept,) = (await write_programs(run, environment(), [INTENT])).kept
    assert [twist.name for twist in kept.twists] == ["limit", "by_day"]


async def test_of_two_programs_that_do_the_same_one_is_kept_after_it_was_asked_for_anew(run_on):
    run, server = of(run_on, lambda request: json.dumps(example()) if stage(request) == "programs" else reader(request))
    sifted = await write_programs(run, environment(), [INTENT, BROUGHT_BACK])
    assert len(sifted.kept) == 1
    assert [reject.check for reject in sifted.rejects] == ["skeleton", "skeleton"]
    assert any("let yours take another way: get_hire(hire_id), extend_hire" in asked(each) for each in server.requests)


async def test_a_teacher_that_has_no_program_for_a_purpose_is_believed(run_on):
    run, _ = of(run_on, lambda request: json.dumps({"infeasible": "nothing is for hire"}))
    sifted = await write_programs(run, environment(), [INTENT])
    assert [(reject.check, reject.reasons) for reject in sifted.rejects] == [
        ("infeasible", ["Keep a hired tool for longer.: nothing is for hire"])
    ]


async def test_nobody_is_asked_for_programs_where_tasks_are_to_be_drafted(run_on):
    run, server = of(run_on, teacher, task_source="drafts")
    assert (await write_programs(run, environment(), [INTENT])).kept == []
    assert server.requests == []


def reworder(request):
    shown = json.loads(asked(request).partition("```json\n")[2].partition("\n```")[0])
    said = [{"number": each["number"], "text": f"What a mess. {each['now']}"} for each in shown]
    return json.dumps({"requests": said})


async def test_programs_draw_and_compose_tasks_that_follow_from_the_seed_alone(run_on):
    run, server = of(run_on, reworder, first_tasks=12, evolution_rounds=2, task_source="programs")
    programs = [program(), returning()]

    async def made():
        first = await propose_tasks(run, environment(), [INTENT], programs)
        grown = await evolve_tasks(run, environment(), programs, first.kept)
        return [*first.kept, *grown.kept]

    tasks = await made()
    assert tasks == await made()
    assert {stage(request) for request in server.requests} == {"rewording"}
    assert {task.lineage.depth for task in tasks} == {0, 1, 2}
    assert len(tasks) > 24
    by_id = {task.id: task for task in tasks}
    for task in tasks:
        assert {goal.program for goal in task.lineage.goals} <= {"extend_hire", "bring_back"}
        assert len({goal.facts["member_id"] for goal in task.lineage.goals}) == 1
        assert task.examined
        if task.lineage.parent:
            assert task.lineage.operator
            parent = by_id[task.lineage.parent]
            assert parent.user_scenario.persona == task.user_scenario.persona
            assert task.lineage.goals != parent.lineage.goals


async def test_both_sources_share_the_first_tasks_as_the_setting_says(run_on):
    def model(request):
        return reworder(request) if stage(request) == "rewording" else json.dumps({"infeasible": "not today"})

    run, server = of(run_on, model, first_tasks=10, task_source="both", program_share=0.7)
    sifted = await propose_tasks(run, environment(), [INTENT], [program(), returning()])
    assert sum(stage(request) == "tasks" for request in server.requests) >= 3
    assert [reject.check for reject in sifted.rejects] == ["infeasible"] * 3
    assert len(sifted.kept) == 7
    none = await propose_tasks(replace(run, first_tasks=2), environment(), [INTENT], [])
    assert [reject.check for reject in none.rejects] == ["infeasible"] * 2
