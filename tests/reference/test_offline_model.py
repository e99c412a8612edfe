"""The offline model is a pure function of the request, errs at its documented rates, and says what it cannot do."""

import json
import re
from collections import Counter
from random import Random

import pytest

from tests.reference.rehearsal import Stage
from toolscale.checkers import GateContext, run_gates
from toolscale.errors import UserError
from toolscale.llm.typed import sent_back
from toolscale.prompts import data_folder, render
from toolscale.reference.domain import reference_domain
from toolscale.reference.model import OfflineRequest, answer
from toolscale.reference.teacher import ERROR_RATE, STUBBORN_RATE, propose
from toolscale.synthesis.drafts import as_task

DOMAIN = reference_domain("railway")


@pytest.fixture(scope="module")
def stage():
    return Stage("railway")


def test_a_domain_that_it_does_not_know_is_named_with_the_way_out():
    zoo = DOMAIN.domain.model_copy(update={"name": "zoo"})
    with pytest.raises(UserError, match=r"zoo.*railway.*--model"):
        answer(OfflineRequest(render("subjects", domain=zoo, count=5)))


def test_words_that_are_no_prompt_of_the_factory_are_refused():
    with pytest.raises(UserError, match="only this factory's prompts"):
        answer(OfflineRequest([{"role": "user", "content": "Write me a poem."}]))


def test_it_plays_the_user_of_tau2_bench_from_the_scenario_in_its_prompt():
    system = """Play a customer.

<scenario>
Persona:
\tYou are in a hurry.
Instructions:
\tDomain: railway
\tReason for call:
\t\tBook me a seat.

\t\tBy the window.
\tKnown info:
\t\tI am PX-1.
\tTask instructions:
\t\tBe polite.
</scenario>"""
    chat = [{"role": "system", "content": system}, {"role": "user", "content": "Hi! How can I help you today?"}]
    for heard, said in [
        ("", "Book me a seat.\n\nBy the window."),
        ("Who are you?", "I am PX-1."),
        ("Which coach?", "###STOP###"),
    ]:
        if heard:
            chat.append({"role": "user", "content": heard})
        reply = answer(OfflineRequest(chat))
        assert reply["content"] == said
        chat.append(reply)


def test_a_scenario_of_tau2_bench_in_one_text_is_the_users_reason():
    system = "<scenario>\nInstructions:\n\tYou want a refund.\n</scenario>"
    greeting = {"role": "user", "content": "Hi!"}
    assert answer(OfflineRequest([{"role": "system", "content": system}, greeting]))["content"] == "You want a refund."


PROMPTS = [file.read_text() for file in data_folder("prompts").iterdir()]
FACTORY_STAGES = sorted({stage for text in PROMPTS for stage in re.findall(r"^Stage: (\w+)$", text, re.M)})


@pytest.mark.parametrize("named", [stage for stage in FACTORY_STAGES if stage != "describe_model"])
def test_it_knows_every_stage_that_a_prompt_names_but_the_description_of_models(named):
    said = ""
    try:
        system = f"Stage: {named}\nDomain: railway\nTheme: speed"
        answer(OfflineRequest([{"role": "system", "content": system}, {"role": "user", "content": "?"}]))
    except Exception as error:  # what else is wrong with such a prompt is not asked here
        said = str(error)
    assert "knows no stage" not in said


def test_equal_requests_have_equal_answers_and_the_seed_makes_the_difference():
    prompt = render("subjects", domain=DOMAIN.domain, count=5)
    assert answer(OfflineRequest(prompt, seed=1)) == answer(OfflineRequest(prompt, seed=1))
    subject = json.loads(answer(OfflineRequest(prompt))["content"])["subjects"][-1]
    asked = {"role": "system", "content": f"Stage: entries\nDomain: railway\nSubject: {subject}"}
    assert answer(OfflineRequest([asked], seed=1)) != answer(OfflineRequest([asked], seed=2))


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_the_parts_of_a_subject_are_its_records_in_the_world_however_many_are_asked_for(parts):
    subject, world = next((name, tables) for name, tables in DOMAIN.world(0).items() if "claims" in tables)
    written: dict[str, list[str]] = {}
    for part in range(1, parts + 1):
        user = {
            "role": "user",
            "content": f"Subject: {subject}\nPart: {part} of {parts}\n\nWrite of this subject now: ...",
        }
        asked = [
            {"role": "system", "content": "Stage: entries\nDomain: railway"},
            user,
            {"role": "assistant", "content": ""},
        ]
        for table, records in json.loads(answer(OfflineRequest(asked))["content"])["entries"].items():
            written.setdefault(table, []).extend(records)
    assert written == {table: list(records) for table, records in world.items()}


def test_an_agent_asks_who_the_user_is_and_then_goes_on(stage):
    draft = _drafts(stage, 1)[0]
    tools = stage.spec.tools()
    user = {"role": "user", "content": draft["reason_for_call"]}
    asked = answer(OfflineRequest([user], tools))
    assert asked["content"].endswith("?")
    conversation = [user, asked, {"role": "user", "content": draft["known_info"]}]
    assert answer(OfflineRequest(conversation, tools, seed=1))["tool_calls"]


def test_an_agent_with_tools_of_nobody_says_that_it_is_lost():
    tools = [{"type": "function", "function": {"name": "launch_rocket", "parameters": {}}}]
    assert "do not understand" in answer(OfflineRequest([{"role": "user", "content": "Launch!"}], tools))["content"]


def test_the_teacher_errs_about_as_often_as_it_says(stage):
    sound = [json.dumps(draft) for draft in _drafts(stage, 60)]
    drafts = [json.dumps(draft) for draft in _drafts(stage, 60, ERROR_RATE)]
    wrong = sum(one != other for one, other in zip(sound, drafts, strict=True))
    assert 0.3 * ERROR_RATE * 60 <= wrong <= 3 * ERROR_RATE * 60


def test_the_gates_find_the_teachers_mistakes_and_nothing_else(stage):
    context = GateContext(stage.sandbox)

    def rejected(drafts):
        tasks = [as_task("railway", "", draft) for draft in drafts]
        outcomes = [[gate.gate for gate in run_gates(task, context) if not gate.passed] for task in tasks]
        return Counter(gate for gates in outcomes for gate in gates[:1])

    assert rejected(_drafts(stage, 30)).total() <= 1
    found = rejected(_drafts(stage, 30, 1.0))
    assert found["no_leak"] > 0
    assert found["replay"] + found["grounded"] > 0


def test_a_draft_that_comes_back_is_put_right_or_given_again_as_it_was(stage):
    sound, wrong, mended = (_drafts(stage, 60, rate) for rate in (0.0, ERROR_RATE, STUBBORN_RATE))
    erred = [at for at in range(len(sound)) if wrong[at] != sound[at]]
    assert all(mended[at] in (sound[at], wrong[at]) for at in range(len(sound)))
    assert any(mended[at] == sound[at] for at in erred)


def test_the_teacher_reads_in_the_conversation_that_its_draft_came_back(stage):
    rates = []

    def propose_at(domain, program, world, rng, *, error_rate):
        rates.append(error_rate)
        yield from ()
        return {"infeasible": "no"}

    asked = render(
        "tasks",
        domain=DOMAIN.domain,
        policy="",
        answer_form="",
        turns=1,
        database={},
        intent={"purpose": DOMAIN.programs[0].intent},
        refusal="",
        rare=[],
    )
    looked = [{"role": "assistant", "tool_calls": [{}]}, {"role": "tool", "content": "1"}]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toolscale.reference.teacher.propose", propose_at)
        answer(OfflineRequest([*asked, *looked]))
        answer(OfflineRequest(sent_back([*asked, *looked], "{}", ["no_leak: ..."])))
    assert rates == [ERROR_RATE, STUBBORN_RATE]


def _drafts(stage, count, error_rate=0.0):
    """Drafts of many programs, each from its own seed."""
    drafts = []
    world = stage.world("whole", 500)
    for index in range(count):
        program = DOMAIN.programs[index % len(DOMAIN.programs)]

        def script(program=program, index=index):
            return propose(DOMAIN, program, world, Random(f"{program.name}:{index}"), error_rate=error_rate)

        draft = stage.enact(script)
        if "infeasible" not in draft:
            drafts.append(draft)
    return drafts
