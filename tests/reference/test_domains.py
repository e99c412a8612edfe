"""Every reference domain is as large, and as consistent, as the factory promises."""

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import whole_database
from toolscale.artifacts import DatabaseSchema, schema_problems
from toolscale.reference.domain import REFERENCE_DOMAINS, reference_domain
from toolscale.synthesis.entries import entry_problems


@pytest.fixture(params=REFERENCE_DOMAINS)
def domain(request):
    return reference_domain(request.param)


def test_it_has_what_the_factory_promises(domain):
    functions = domain.functions
    assert len(functions) >= 14
    assert 0.35 <= len(domain.writes) / len(functions) <= 0.65
    assert len(domain.schema["properties"]) >= 5
    assert sum(map(len, whole_database(domain, 0).values())) >= 300
    assert len({program.intent for program in domain.programs}) == len(domain.programs) >= 20
    assert len({twist.operator for program in domain.programs for twist in program.twists}) >= 4
    assert len(domain.policy.split()) > 150


@pytest.mark.parametrize("seed", [0, 1, 17])
def test_its_world_fits_its_schema_subject_by_subject(domain, seed):
    assert list(schema_problems(domain.schema)) == []
    schema = DatabaseSchema(domain=domain.name, json_schema=domain.schema)
    known = {table: {} for table in schema.tables}
    for subject, records in domain.world(seed).items():
        assert list(entry_problems(records, schema, known)) == [], subject
        assert domain.implausible(records) == [], subject
        for table, each in records.items():
            known[table] |= each
    Draft202012Validator(domain.schema).validate(known)


def test_its_world_follows_from_the_seed(domain):
    assert domain.world(3) == domain.world(3)
    assert domain.world(3) != domain.world(4)


def test_every_parameter_is_described_and_every_write_can_be_refused(domain):
    for function in domain.functions:
        assert all(rules["description"] for rules in function.parameters["properties"].values()), function.name
        if function.kind == "write":
            assert "raise ValueError" in function.source, function.name
