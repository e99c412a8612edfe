"""What nests too deep in a file, an answer or a row is one clear refusal, never a crash, and takes no time."""

import ast
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from tests.synthesis.shop import environment
from toolscale.artifacts.bounded_schema import TooIntricate, errors_in, schema_faults, validator_of
from toolscale.artifacts.strict_json import DEEPEST, deeper_than, read_json
from toolscale.dataset.folder import decoded
from toolscale.dataset.rows import environment_from, environment_row
from toolscale.environment import Sandbox, load_environment, write_environment
from toolscale.errors import UserError
from toolscale.evaluation.benchmarks.api_bank import call_in
from toolscale.exchange.tau2_classes import Side, sides_of
from toolscale.llm.errors import Transient
from toolscale.llm.reply import read_reply
from toolscale.llm.typed import AnswerForm
from toolscale.questions.call_text import read_call_list
from toolscale.settings import Settings
from toolscale.toml_file import read_toml, toml_in

DEPTHS = [90, 101, 200, 400, 990, 3000, 100_000]
TERMS = "return " + "+".join(["1"] * 400)
TOO_DEEP = "the value nests too deep to be checked"
GETS = "return db" + ".get('a', {})" * 250

JSON = {
    "lists": lambda n: "[" * n + "]" * n,
    "never closed": lambda n: "[" * n,
    "objects": lambda n: '{"a":' * n + "1" + "}" * n,
    "both": lambda n: '[{"a":' * n + "1" + "}]" * n,
}
TOML = {
    "lists": lambda n: "a=" + "[" * n + "]" * n,
    "tables": lambda n: "a=" + "{a=" * n + "1" + "}" * n,
    "dotted": lambda n: "a" + ".a" * n + "=1",
    "dotted with quotes": lambda n: "a" + ' . "a"' * n + "=1",
    "headers": lambda n: "[a" + ".a" * n + "]",
    "lists of tables": lambda n: "[[a" + ".a" * n + "]]",
    "one long word": lambda n: "a" * n,
    "quotes": lambda n: '"' * n,
}


def within_seconds(act):
    began = time.process_time()
    try:
        return act()
    finally:
        assert time.process_time() - began < 10


def refusal(act, kind):
    """How it is refused, in one line; empty if it is not."""
    try:
        within_seconds(act)
    except kind as error:
        said = str(error)
    else:
        return ""
    assert len(said.splitlines()) == 1
    return said


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("kind", JSON)
def test_deep_json_is_a_value_or_a_value_error(kind, depth):
    said = refusal(lambda: read_json(JSON[kind](depth)), ValueError)
    if kind != "never closed":
        assert ("nests too deep" in said) == (depth * (2 if kind == "both" else 1) > DEEPEST)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("kind", JSON)
@pytest.mark.parametrize(
    "form", [{"type": "object"}, {"anyOf": [{"$ref": "#"}, {"type": "string"}]}, {"items": {"$ref": "#"}}]
)
def test_a_deep_answer_is_read_or_sent_back_with_a_reason(kind, depth, form):
    value, reasons = within_seconds(lambda: AnswerForm.of(form).read(JSON[kind](depth)))
    assert reasons or not deeper_than(value, DEEPEST)


class _Tree(BaseModel):
    inner: list["_Tree"] = []


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_deep_answer_in_the_form_of_a_model_is_read_or_sent_back(depth):
    text = '{"inner":[' * depth + "]}" * depth
    value, reasons = within_seconds(lambda: AnswerForm.of(_Tree).read(text))
    assert reasons or value


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("kind", JSON)
def test_a_deep_schema_is_none_or_told_why(kind, depth):
    try:
        schema = {"type": "object", "properties": {"a": json.loads(JSON[kind](depth))}}
    except (ValueError, RecursionError):
        return
    within_seconds(lambda: list(schema_faults(schema)))


@pytest.mark.parametrize(
    "pattern", ["(" * 100_000 + ")" * 100_000, "(a{1000}){1000}", "[" * 5000, "a" + "?" * 3000, "(?:" * 2000]
)
def test_a_deep_pattern_is_a_fault_of_the_schema_and_a_deep_regex_one_of_the_value(pattern):
    within_seconds(lambda: list(schema_faults({"type": "string", "pattern": pattern})))
    validator = validator_of({"format": "regex"}, formats=True)
    assert refusal(lambda: list(errors_in(validator, pattern)), TooIntricate) in ("", TOO_DEEP)


@pytest.mark.parametrize("depth", [31, *DEPTHS])
@pytest.mark.parametrize("kind", TOML)
def test_deep_toml_is_a_value_or_one_clear_line(kind, depth, tmp_path, monkeypatch):
    (tmp_path / "toolscale.toml").write_text(TOML[kind](depth))
    monkeypatch.chdir(tmp_path)
    for read in (lambda: read_toml(tmp_path / "toolscale.toml", _Tree, "the file"), Settings.load):
        refusal(read, UserError)


@settings(max_examples=50, deadline=None)
@given(st.text("a.\"'= []{}\n,#1", max_size=200))
def test_toml_is_what_the_library_reads_unless_it_is_too_deep(text):
    import tomllib

    try:
        wanted = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(tomllib.TOMLDecodeError):
            toml_in(text)
    else:
        if not deeper_than(wanted, 20) and text.count(".") < 20:
            assert toml_in(text) == wanted


@pytest.mark.parametrize("body", [TERMS, GETS, "return " + "-" * 100_000 + "1", "return 1\nreturn 2"])
def test_an_environment_whose_source_is_too_deep_is_refused_before_the_sandbox_starts(tmp_path, body):
    spec = environment()
    deep = spec.model_copy(update={"source": f"{spec.source}\ndef more(db):\n    {body}\n"})
    with pytest.raises(UserError, match="cannot be compiled"):
        Sandbox(deep)
    with pytest.raises(UserError, match="cannot be compiled"):
        Sandbox(spec.model_copy(update={"rules": f"def rule(before, call, after):\n    {body}\n"}))
    write_environment(deep, tmp_path / "shop")
    with pytest.raises(UserError, match=r"functions\.py:?\d*: (cannot be compiled|not Python)"):
        load_environment(tmp_path / "shop")
    Sandbox(spec)


@pytest.mark.parametrize("file", ["database.json", "functions.json", "environment.json", "schema.json"])
@pytest.mark.parametrize("depth", DEPTHS)
def test_an_environment_with_a_deep_file_is_read_or_refused_in_one_line(tmp_path, file, depth):
    write_environment(environment(), tmp_path / "shop")
    (tmp_path / "shop" / file).write_text('{"a":' * depth + "1" + "}" * depth)
    said = refusal(lambda: load_environment(tmp_path / "shop"), UserError)
    assert file in said if said else depth < DEEPEST


@pytest.mark.parametrize("depth", DEPTHS)
def test_a_row_of_a_dataset_that_nests_too_deep_is_named(tmp_path, depth):
    row = {**environment_row(environment()), "database": '{"a":' * depth + "1" + "}" * depth}
    said = refusal(lambda: decoded(tmp_path, "environments", environment_from, row), UserError)
    assert row["id"] in said if said else depth < 255


@pytest.mark.parametrize("depth", DEPTHS)
def test_an_endpoints_deep_reply_is_a_reply_or_the_endpoints_fault(depth):
    arguments = '{"a":' * depth + "1" + "}" * depth
    call = '{"id": "1", "function": {"name": "f", "arguments": ' + arguments + "}}"
    body = '{"choices": [{"message": {"content": null, "tool_calls": [' + call + "]}}]}"
    said = refusal(lambda: read_reply(body.encode(), "here"), Transient)
    assert "answers that" in said if said else depth < 1000


@pytest.mark.parametrize("value", ["[" * 5000 + "]" * 5000, "-" * 5000 + "1", "(" * 250 + "1" + ")" * 250, "{[]: 1}"])
def test_deep_arguments_of_a_call_in_a_text_are_refused(value):
    with pytest.raises(ValueError, match=r"is not a value|is not closed"):
        read_call_list(f"[f(a={value})]", ["f"])
    assert call_in(f"API-Request: [f(a={value})]").name == "f"


def test_a_class_that_is_its_own_base_descends_from_nothing():
    with pytest.raises(UserError, match="holds none"):
        sides_of(ast.parse("class A(A): pass\nclass B(C): pass\nclass C(B): pass\n"), None, None)
    tools = ast.parse("class D(DB): pass\nclass A(A, ToolKitBase):\n    db: D\n")
    assert sides_of(tools, None, None) == (Side("A", "D"), None, None)
