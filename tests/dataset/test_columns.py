"""Every column says what it holds, in one place; and none of a dataset's is always null or always the same."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.dataset.small import FIRST, KEPT, REFUSED, write_small
from toolscale.artifacts import Attempt, Verdict
from toolscale.dataset.columns import COLUMNS, INSTANCE_COLUMNS, SCHEMAS
from toolscale.dataset.dictionary import renewed
from toolscale.dataset.pass_rates import Conditions, own_pass_rates

DOCS = Path(__file__).parents[2] / "docs"
EVERY = [(config, column) for config, columns in COLUMNS.items() for column in columns]
EVERY += [("instances", column) for column in INSTANCE_COLUMNS]


def fields_in(kind):
    """The names of all fields inside of a type."""
    if pa.types.is_list(kind):
        yield from fields_in(kind.value_type)
    elif pa.types.is_struct(kind):
        for field in kind:
            yield field.name
            yield from fields_in(field.type)


@pytest.mark.parametrize(("config", "column"), EVERY, ids=lambda each: getattr(each, "name", each))
def test_every_column_and_every_field_inside_of_it_is_described(config, column):
    assert column.says.endswith(".")
    for name in fields_in(column.type):
        assert f"`{name}`" in column.says, f"{config}.{column.name}.{name}"


def test_the_docs_have_the_dictionary_as_it_is():
    """Renew them with ``python -m toolscale.dataset docs/dataset.md``."""
    text = (DOCS / "dataset.md").read_text(encoding="utf-8")
    assert renewed(text) == text


def test_the_files_say_what_their_columns_hold(tmp_path):
    write_small(tmp_path / "d")
    for config, columns in COLUMNS.items():
        for file in (tmp_path / "d" / config).glob("*.parquet"):
            schema = pq.read_schema(file)
            assert schema == SCHEMAS[config]
            assert [schema.field(c.name).metadata[b"description"].decode() for c in columns] == [
                c.says for c in columns
            ]


def test_a_row_counts_its_calls_and_writes_and_names_tools_user_and_ancestors(tmp_path):
    write_small(tmp_path / "d")
    rows = {row["id"]: row for row in pq.read_table(tmp_path / "d" / "tasks").to_pylist()}
    row = rows["shop-3"]
    assert (row["call_count"], row["write_count"], row["tools_used"]) == (1, 1, ["cancel_order"])
    assert row["prompt"] == KEPT[1].instruction
    assert row["ancestors"] == [
        {"id": FIRST.id, "added": ""},
        {"id": REFUSED.id, "added": REFUSED.lineage.added},
    ]
    assert rows[FIRST.id]["ancestors"] == []


def attempt(index, model, solved, **more):
    return Attempt(
        index=index, model=model, verdict=Verdict(execution=solved, fidelity=True, completeness=True), **more
    )


def test_pass_rates_are_the_attempts_by_model_without_those_that_the_user_spoiled():
    made = [attempt(0, "a/x", True), attempt(1, "a/x", False), attempt(2, "a/x", False, user_fault=True)]
    task = FIRST.model_copy(update={"attempts": made, "pass_rate": 0.5})
    under = Conditions(max_turns=50)
    own = {"model": "a/x", **under.model_dump(), "attempts": 2, "solved": 1, "rate": 0.5}
    assert own_pass_rates(task, under) == [own]
    stopped = task.model_copy(update={"attempts": made[:1], "pass_rate": None})
    assert own_pass_rates(stopped, under) == [{**own, "attempts": 1, "rate": None}]
