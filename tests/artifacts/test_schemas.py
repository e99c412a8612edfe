"""The schemas in the repository say what the artifacts are."""

import json

import pytest
from jsonschema import Draft202012Validator

from toolscale.artifacts import GoldenCall, Task, schema_problems
from toolscale.artifacts.export import schema_texts
from toolscale.prompts import data_folder


def test_schemas_folder_is_what_the_artifacts_say():
    written = {path.name: path.read_text(encoding="utf-8") for path in data_folder("schemas").glob("*.schema.json")}
    assert written == schema_texts(), "run `make schemas` and commit the result"


@pytest.mark.parametrize("name", sorted(schema_texts()))
def test_every_schema_is_valid_2020_12(name):
    schema = json.loads(schema_texts()[name])
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


def test_a_task_written_as_json_satisfies_its_schema():
    task = Task(id="t", golden_calls=[GoldenCall(name="f", arguments={"a": [1, None, {"b": True}]})])
    schema = json.loads(schema_texts()["task.schema.json"])
    Draft202012Validator(schema).validate(task.model_dump(mode="json"))


def _schema(**tables):
    return {
        "type": "object",
        "properties": {
            name: {"type": "object", "additionalProperties": {"type": "object", "properties": fields}}
            for name, fields in tables.items()
        },
    }


KEY = {"type": "string", "x-primary-key": True}


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ([], "not a valid JSON Schema"),
        ({"type": "strung"}, "not a valid JSON Schema"),
        ({"type": "object"}, "no `properties`"),
        ({"type": "object", "properties": {"t": {"$ref": "http://127.0.0.1:9/t"}}}, "uses `$ref`"),
        ({"type": "object", "properties": {"t": {"type": "array"}}}, "table `t`"),
        (_schema(t={"id": {"type": "string"}}), "exactly one field"),
        (_schema(t={"id": KEY, "other": KEY}), "exactly one field"),
        (_schema(t={"id": KEY, "to": {"type": "string", "x-references": "u.id"}}), "no table `u`"),
        (_schema(t={"id": KEY}, u={"id": KEY, "to": {"x-references": "t.name"}}), "not the primary key"),
        (_schema(t={"id": KEY}, u={"id": KEY, "to": {"items": {"x-references": "t.x"}}}), "not the primary key"),
    ],
)
def test_a_schema_that_is_not_a_database_is_told_why(schema, problem):
    assert problem in "; ".join(schema_problems(schema))


def test_a_schema_of_tables_with_references_has_no_problems():
    schema = _schema(t={"id": KEY}, u={"id": KEY, "to": {"type": "array", "items": {"x-references": "t.id"}}})
    assert list(schema_problems(schema)) == []
