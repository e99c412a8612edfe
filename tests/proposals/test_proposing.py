"""A teacher's proposals: what is sound and new is kept, the rest is sent back once with the reasons, and then told."""

import json
from collections import Counter
from random import Random
from time import sleep

import pytest

from tests.openai_server import OpenAIServer
from tests.orchestration.orchestra import gateway_to
from tests.proposals.teacher import SENT_BACK, Teacher
from tests.proposals.written import as_known, references, written
from toolscale.errors import UserError
from toolscale.llm import GatewayError
from toolscale.proposals.nearness import Known
from toolscale.proposals.proposing import LEDGER, NAMED, There, propose_domains
from toolscale.proposals.spread import AT_ONCE, Place, places
from toolscale.store import ModelCall

SILENT = {"kept": lambda _: None, "told": lambda *_: None, "heard": lambda _: None}
RENTAL, LIBRARIES = Place(division="77"), Place(division="91")


async def proposed(teacher, wanted, store, known=(), examples=(), **settings):
    """What came of it, and what was kept of each wave."""
    waves, heard = [], []
    known = [*references(), *known]
    there = There(known, frozenset(each.name for each in known), examples)
    with OpenAIServer(teacher) as server:
        async with gateway_to(server, store, **settings) as gateway:
            found = await propose_domains(
                Counter(wanted),
                there,
                gateway,
                seed=0,
                kept=waves.append,
                told=lambda *_: None,
                heard=heard.append,
            )
    assert [each for wave in waves for each in wave] == found.accepted
    assert heard == found.refused
    return found


def as_worded(name, /, **changed):
    each = written()[name]
    tables = [{"name": table, "fields": fields} for table, fields in each["tables"].items()]
    return {"name": name, "division": each["division"], "description": each["description"], "tables": tables} | changed


def answers(*waves):
    """A teacher that answers one call of each wave with these."""
    left = list(waves)
    prompts = []

    def teacher(request):
        prompts.append(request["messages"][1]["content"])
        return json.dumps({"proposals": left.pop(0)})

    teacher.prompts = prompts
    return teacher


async def test_as_many_come_as_are_wanted_where_they_are_wanted(store):
    teacher = Teacher()
    wanted = places(40, ["tea houses", "model railways"], {}, 0)
    found = await proposed(teacher, wanted, store)
    assert not found.refused
    assert not found.missing.total()
    assert (
        Counter(Place(each.origin.topic, "" if each.origin.topic else each.division.code) for each in found.accepted)
        == wanted
    )
    assert len({each.name for each in found.accepted}) == 40
    assert len(teacher.calls) <= 10, "several in a call"
    assert all(sum(count for _, count in call) <= AT_ONCE for call in teacher.calls)


async def test_calls_are_side_by_side_and_paid_by_the_stage_domains(store):
    with OpenAIServer(Teacher(), seconds=0.2) as server:
        async with gateway_to(server, store) as gateway:
            there = There([], frozenset())
            await propose_domains(
                places(60, (), {}, 0),
                there,
                gateway,
                seed=3,
                **SILENT,
            )
        assert server.most_at_once > 3
    lines = store.rows(ModelCall, stage="domains")
    assert {(each.role, each.domain) for each in lines} == {("teacher", LEDGER)}


async def test_the_same_domain_in_other_words_is_sent_back_with_the_reason_and_replaced(store):
    teacher = answers(
        [as_worded("bicycle_rental"), as_worded("cycle_hire")],
        [as_worded("tool_library")],
    )
    found = await proposed(teacher, {RENTAL: 2}, store)
    assert [each.name for each in found.accepted] == ["bicycle_rental", "tool_library"]
    [refusal] = found.refused
    assert refusal.name == "cycle_hire"
    assert "too near to `bicycle_rental`" in refusal.reasons[0]
    assert SENT_BACK in teacher.prompts[1]
    assert f"`cycle_hire`: {refusal.reasons[0]}" in teacher.prompts[1]
    assert "- `bicycle_rental`: The desk of" in teacher.prompts[1], "what was accepted is there by now"
    assert not found.missing.total()


async def test_what_is_there_and_what_is_a_reference_domain_is_not_proposed_again(store):
    railway = next(each for each in references() if each.name == "railway")
    rail = as_worded("bicycle_rental", name="rail_desk", description=railway.description)
    rail["tables"] = [{"name": table, "fields": fields[:9]} for table, fields in list(railway.tables.items())[:10]]
    teacher = answers(
        [as_worded("cycle_hire"), rail, as_worded("car_rental", name="Car Rental")],
        [as_worded("theatre_costume_hire", division="77"), as_worded("cycle_hire"), as_worded("cycle_hire")],
    )
    known = [as_known("bicycle_rental"), as_known("funeral_home")._replace(name="car_rental")]
    found = await proposed(teacher, {RENTAL: 3}, store, known=known)
    assert [each.name for each in found.accepted] == ["theatre_costume_hire"]
    said = [(each.name, each.reasons[0].partition(":")[0]) for each in found.refused]
    assert said[:3] == [
        ("cycle_hire", "too near to `bicycle_rental`"),
        ("rail_desk", "too near to `railway`"),
        ("car_rental", "a domain of that name is there already"),
    ]
    assert found.missing == Counter({RENTAL: 2}), "what was refused twice is given up"
    assert len(teacher.prompts) == 2


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"name": "2 wheels!"}, "no name"),
        ({"description": "Bikes are rented."}, "it must have 150 to 1500"),
        ({"description": "Bikes \x1b[2J are rented. " * 20}, "cannot be seen"),
        ({"tables": [{"name": "bikes", "fields": ["a", "b"]}]}, "sketch 4 to 10"),
        ({"tables": [{"name": "bikes", "fields": ["a", "b"]}] * 5}, "1 different tables"),
        ({"tables": [{"name": f"t{n}", "fields": ["a", "a"]} for n in range(5)]}, "2 to 12 different fields"),
        ({"tables": [{"name": f"t{n}", "fields": ["../a", "b"]} for n in range(5)]}, "2 to 12 different fields"),
        ({"tables": [{"name": f"{n} t", "fields": ["a", "b"]} for n in range(5)]}, "a table has no name"),
        ({"division": "49"}, "no proposal was asked for there"),
        ({"division": "rental"}, "no proposal was asked for there"),
    ],
)
async def test_what_has_another_form_is_refused_with_a_reason_and_takes_nothing_else_with_it(store, changed, why):
    teacher = answers([as_worded("bicycle_rental", **changed), as_worded("tool_library")], [as_worded("car_rental")])
    found = await proposed(teacher, {RENTAL: 2}, store)
    assert [each.name for each in found.accepted] == ["tool_library", "car_rental"]
    assert [why in "; ".join(each.reasons) for each in found.refused] == [True]


async def test_a_topics_domain_needs_a_division_that_there_is(store):
    topic = Place("Boxes of the town")
    teacher = answers(
        [as_worded("city_archive", topic="boxes of  the town", division="04")],
        [as_worded("city_archive", topic="Boxes of the town", division="R 91")],
    )
    found = await proposed(teacher, {topic: 1}, store)
    assert [(each.origin.topic, each.origin.division) for each in found.accepted] == [("Boxes of the town", "91")]
    assert found.refused[0].reasons == ["`04` is no division; give the two digits of one"]
    assert "01 crops, livestock and hunting" in teacher.prompts[0], "the teacher is told which there are"


async def test_too_few_and_too_many_are_told(store):
    more = [as_worded("bicycle_rental"), as_worded("car_rental")]
    found = await proposed(answers(more), {RENTAL: 1}, store)
    assert found.refused[0].reasons == ["more came for its place than were asked for"]
    found = await proposed(answers([as_worded("tool_library")], []), {RENTAL: 2}, store, seed=1)
    assert len(found.accepted) == 1
    assert found.missing == Counter({RENTAL: 1})


async def test_a_division_that_wants_many_is_asked_a_few_at_a_time_and_told_of_its_own(store):
    teacher = Teacher()
    found = await proposed(teacher, {LIBRARIES: 14}, store)
    assert [call[0][1] for call in teacher.calls] == [AT_ONCE, AT_ONCE, 2]
    assert len(found.accepted) == 14
    assert f"- `{found.accepted[0].name}`: " in teacher.prompts[1]


async def test_an_answer_that_cannot_be_read_costs_only_its_own_proposals(store):
    teacher = Teacher()

    def broken(request):
        return "I would rather not." if "division 77" in request["messages"][1]["content"] else teacher(request)

    found = await proposed(broken, {RENTAL: 4, LIBRARIES: 4}, store)
    assert {each.origin.division for each in found.accepted} == {"91"}
    assert found.missing == Counter({RENTAL: 4})
    assert len(found.unanswered) == 2
    assert "N 77 rental and leasing" in found.unanswered[0]


async def test_a_teacher_that_cannot_be_had_is_an_error_and_what_came_before_is_kept(store):
    teacher, kept = Teacher(), []
    with OpenAIServer(teacher, key="right") as server:
        async with gateway_to(server, store) as gateway:
            with pytest.raises((GatewayError, UserError)):
                await propose_domains(
                    {RENTAL: 1},
                    There([], frozenset()),
                    gateway,
                    seed=0,
                    **SILENT | {"kept": kept.extend},
                )
    assert not kept


async def test_the_same_answers_give_the_same_domains_in_whatever_order_they_come_and_are_paid_once(store):
    wanted, there = places(60, (), {}, 0), There(references(), frozenset())
    slow = Random(0)

    def teacher(request):
        sleep(slow.random() / 20)
        return Teacher()(request)

    found = []
    with OpenAIServer(teacher) as server:
        for _ in range(2):
            async with gateway_to(server, store) as gateway:
                found.append(await propose_domains(wanted, there, gateway, seed=0, **SILENT))
            paid = len(server.requests)
    assert found[0].accepted == found[1].accepted
    assert len(found[0].accepted) == 60
    assert paid == len(store.rows(ModelCall, stage="domains"))


async def test_examples_are_shown_and_take_the_place_of_our_own(store):
    teacher = Teacher()
    await proposed(teacher, {RENTAL: 1}, store, examples=[as_known("funeral_home")])
    assert '"name": "funeral_home"' in teacher.prompts[0]
    assert "long-distance railway" not in teacher.prompts[0]


async def test_a_call_is_told_of_all_domains_those_of_its_section_with_their_first_sentence(store):
    known = [as_known(name)._replace(section="N" if name == "tool_library" else "Q") for name in written()]
    teacher = Teacher()
    await proposed(teacher, {RENTAL: 1}, store, known=known)
    [prompt] = teacher.prompts
    assert "- `tool_library`: " in prompt
    [named] = [line for line in prompt.splitlines() if line.startswith("- by name only: ")]
    assert {"funeral_home", "tenant_service_desk"} <= set(named.removeprefix("- by name only: ").split(", "))
    assert "`funeral_home`" not in prompt


async def test_of_very_many_domains_the_latest_are_named(store):
    known = [Known(f"desk_{number}", "", {}, "Q") for number in range(2 * NAMED)]
    teacher = Teacher()
    await proposed(teacher, {RENTAL: 1}, store, known=known)
    assert f"desk_{2 * NAMED - 1}," in teacher.prompts[0]
    assert f"desk_{NAMED - 1}," not in teacher.prompts[0]


async def test_what_a_refused_proposal_repeats_is_told_with_its_first_sentence_wherever_it_belongs(store):
    known = as_known("bicycle_rental")._replace(section="R")
    teacher = answers([as_worded("cycle_hire")], [as_worded("tool_library")])
    found = await proposed(teacher, {RENTAL: 1}, store, known=[known])
    assert found.refused[0].like == "bicycle_rental"
    first_sentence = known.description.partition(". ")[0]
    assert f"  What it repeats is `bicycle_rental`: {first_sentence}" in teacher.prompts[1]


async def test_a_topic_that_is_near_another_domain_gets_its_own_with_a_warning(store):
    topic = Place("cycling by the river")
    teacher = answers([as_worded("cycle_hire", topic=topic.topic)])
    found = await proposed(teacher, {topic: 1}, store, known=[as_known("bicycle_rental")])
    assert [each.name for each in found.accepted] == ["cycle_hire"]
    assert not found.refused
    [warning] = found.warnings
    assert warning.startswith("cycle_hire (topic `cycling by the river`): too near to `bicycle_rental`")


async def test_progress_counts_what_is_accepted_and_not_what_was_asked(store):
    told = []
    teacher = answers([as_worded("bicycle_rental"), as_worded("cycle_hire")], [as_worded("tool_library")])
    with OpenAIServer(teacher) as server:
        async with gateway_to(server, store) as gateway:
            await propose_domains(
                {RENTAL: 2},
                There(references(), frozenset()),
                gateway,
                seed=0,
                **SILENT | {"told": lambda *heard: told.append(heard)},
            )
    assert told == [(1, 2, {"refused": 1}), (2, 2, {"refused": 1})]
