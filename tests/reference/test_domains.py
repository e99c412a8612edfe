"""Every reference domain is as large, and as consistent, as the factory promises, and its words mean what they say."""

from collections import Counter
from random import Random

import pytest
from jsonschema import Draft202012Validator

from tests.reference.drawn import stage_of
from tests.reference.rehearsal import rehearse, whole_database, wording_faults, world_faults
from toolscale.artifacts import DatabaseSchema, Subject
from toolscale.checkers import GateContext, run_gates
from toolscale.environment import rules_in
from toolscale.reference.clerk import entries as entries_answer
from toolscale.reference.clerk import schema as schema_answer
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.reference.program import DeadEnd, calls
from toolscale.reference.recogniser import programs_in, understand
from toolscale.reference.voices import VOICES, wording
from toolscale.synthesis.drafts import as_task
from toolscale.synthesis.parts import parts_of
from toolscale.synthesis.spread import referred
from toolscale.templates.template import Pen, recognise, render, slots


@pytest.fixture(params=reference_domains())
def domain(request):
    return reference_domain(request.param)


OF_THE_DEMO = ("medicine", "railway", "restaurant")


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=() if name in OF_THE_DEMO else pytest.mark.slow) for name in reference_domains()],
)
def stage(request):
    return stage_of(request.param)


REHEARSED = [pytest.param(name, marks=() if name == "restaurant" else pytest.mark.slow) for name in reference_domains()]
"""Fifteen seconds a domain; `make demo`, whose tasks CI audits, puts those of all its domains to the gates too."""


def test_its_records_in_parts_refer_only_to_what_was_written_before(domain):
    sizes = schema_answer(domain, 0)["records"]
    schema = DatabaseSchema(domain=domain.name, json_schema=domain.schema, records=sizes)
    parts = parts_of([Subject(domain=domain.name, name=name) for name in sizes], schema)
    assert list(dict.fromkeys(part.subject.name for part in parts)) == list(sizes), "the order is its own"
    database = {table: {} for table in schema.tables}
    for part in parts:
        about = {"part": part.number, "of": part.of, "sent_back": True}
        records = entries_answer(domain, part.subject.name, 0, **about)["entries"]
        assert {table: len(each) for table, each in records.items()} == part.wanted
        for table, each in records.items():
            database[table] |= each
        for reference in schema.references:
            known = database[reference.target_table].keys()
            assert referred(records.get(reference.table, {}), reference.field).keys() <= known, reference
    assert {table: len(each) for table, each in database.items()} == dict(sum(map(Counter, sizes.values()), Counter()))


def test_it_has_what_the_factory_promises(domain):
    functions = domain.functions
    assert len(functions) >= 18
    assert 0.33 <= len(domain.writes) / len(functions) <= 0.65
    assert len(domain.schema["properties"]) >= 6
    assert sum(map(len, whole_database(domain, 0).values())) >= 700
    assert len({program.intent for program in domain.programs}) == len(domain.programs) >= 30
    assert len({program.name for program in domain.programs}) == len(domain.programs)
    assert len({twist.operator for program in domain.programs for twist in program.twists}) >= 4
    assert sum(program.refusal is not None for program in domain.programs) >= 2
    assert len(domain.policy.split()) > 150


def test_every_rule_stands_alone_and_every_refusal_names_one(domain):
    rules = rules_in(domain.rules)
    assert len(rules) >= 6
    assert {program.refusal.rule for program in domain.programs if program.refusal} <= rules.keys()


@pytest.mark.parametrize("seed", [0, 1, 17])
def test_its_world_fits_its_schema_subject_by_subject(domain, seed):
    assert world_faults(domain, seed) == []
    Draft202012Validator(domain.schema).validate(whole_database(domain, seed))


def test_its_world_follows_from_the_seed(domain):
    assert domain.world(3) == domain.world(3)
    assert domain.world(3) != domain.world(4)


def test_every_parameter_is_described_and_every_write_can_be_refused(domain):
    for function in domain.functions:
        assert all(rules["description"] for rules in function.parameters["properties"].values()), function.name
        if function.kind == "write":
            assert "raise ValueError" in function.source, function.name


def test_every_request_is_read_back_as_its_own_program_with_the_facts_it_was_worded_from(stage):
    world = stage.everything
    for program in stage.domain.programs:
        facts = _drawn(program, world)
        assert stage.domain.identity in facts, program.name
        for voice in VOICES:
            template = wording(program.voices, voice)
            line = render(template, facts, Pen(Random(f"{program.name} {voice}")))
            found = programs_in(line, stage.domain)
            assert [each.name for each, _ in found] == [program.name], line
            assert found[0][1].items() <= {slot: facts[slot] for slot in slots(template)}.items(), line


def test_a_twist_is_taken_for_nothing_else(stage):
    world = stage.everything
    for program in stage.domain.programs:
        facts = _drawn(program, world)
        twists = [
            each
            for each in (*program.twists, *stage.domain.twists)
            if not each.takes or each.of_all or calls(program.solve, frozenset(each.takes))
        ]
        for twist in twists:
            drawn = _drawn_twist(twist, world, facts)
            for template in twist.voices.values() if drawn is not None else ():
                line = render(template, drawn, Pen(Random(twist.name)))
                assert programs_in(line, stage.domain) == [], line
                meant = {
                    each.name
                    for each in twists
                    if any(recognise(voice, line) is not None for voice in each.voices.values())
                }
                assert meant == {twist.name}, line


def test_an_aside_asks_for_nothing_and_names_nothing(domain):
    for aside in domain.about.asides:
        assert not slots(aside)
        assert programs_in(render(aside, {}), domain) == []


@pytest.mark.parametrize("name", REHEARSED)
def test_what_its_teacher_makes_passes_every_gate_and_can_be_read(name):
    stage = stage_of(name)
    context = GateContext(stage.sandbox)
    made = 0
    for rehearsed in rehearse(stage, stage.domain.programs, draws=1, size=80, depth=1):
        if rehearsed.infeasible:
            continue
        made += 1
        assert wording_faults(stage, rehearsed) == []
        task = as_task(stage.domain.name, "", rehearsed.draft)
        failed = [outcome for outcome in run_gates(task, context) if not outcome.passed]
        assert failed == [], task.instruction
    assert made >= len(stage.domain.programs)


def test_an_identity_is_read_in_every_voice(domain):
    for voice in VOICES:
        for seed in range(6):
            line = render(wording(domain.about.identity, voice), {domain.identity: "AB-12345"}, Pen(Random(seed)))
            assert understand(domain.name, line).user == {domain.identity: "AB-12345"}


def _drawn(program, world):
    for seed in range(200):
        try:
            return program.draw(world, Random(f"{program.name} {seed}"))
        except DeadEnd:
            continue
    raise AssertionError(f"{program.name}: 200 draws from the whole database lead nowhere")


def _drawn_twist(twist, world, facts):
    for seed in range(20):
        try:
            return twist.draw(world, Random(seed), facts)
        except DeadEnd:
            continue
    return None
