"""Every column that an asset stores is described, and nothing else is."""

import dagster as dg
import pyarrow.parquet as pq
import pytest

from pipelines.column_lineage import column_lineage
from pipelines.columns import columns
from pipelines.definitions import definitions
from pipelines.factory import Factory
from pipelines.lineage import StepLineage
from pipelines.storage import Rows, rows_file, write_rows
from tests.pipelines.test_checks import TASK
from toolscale.artifacts import EnvironmentSpec, Subject, Task
from toolscale.dataset.columns import SCHEMAS
from toolscale.settings import Settings
from toolscale.synthesis.chain import CHAIN

ROWS = (
    "domain",
    *(stage.name for stage in CHAIN if stage.kind is not EnvironmentSpec),
    "rejected_tasks",
    "trajectories",
)


@pytest.fixture(scope="module")
def described(tmp_path_factory):
    """Asset -> the columns that its definition describes."""
    root = str(tmp_path_factory.mktemp("root"))
    specs = definitions(Factory.of(Settings(data_root=root)), root).resolve_all_asset_specs()
    found = {spec.key.to_user_string(): spec.metadata.get("dagster/column_schema") for spec in specs}
    return {name: schema.value if hasattr(schema, "value") else schema for name, schema in found.items() if schema}


@pytest.mark.parametrize("asset", [*ROWS, "dataset"])
def test_every_column_says_what_it_holds(described, asset):
    assert described[asset].columns
    for column in described[asset].columns:
        assert column.description, f"{asset}.{column.name}"


def test_what_is_described_is_what_lies_in_the_file(tmp_path):
    file = rows_file(str(tmp_path), "tasks", "shop")
    write_rows(file, Task, [TASK])
    stored = pq.read_schema(file.path)
    top = {column.name: column.type for column in columns(Task).columns if not column.name.startswith("json.")}
    assert top == {field.name: str(field.type) for field in stored}
    assert set(Task.model_fields) == {column.name.removeprefix("json.") for column in columns(Task).columns} - {"json"}


def test_the_datasets_columns_are_those_of_its_tasks(described):
    assert [column.name for column in described["dataset"].columns] == SCHEMAS["tasks"].names


def test_every_column_of_a_lineage_is_one_that_its_asset_has(described):
    for asset, schema in described.items():
        found = column_lineage(asset).get("dagster/column_lineage")
        for column, deps in (found.deps_by_column if found else {}).items():
            assert column in {each.name for each in schema.columns}, f"{asset}.{column}"
            for dep in deps:
                above = described[dep.asset_key.to_user_string()].columns
                assert dep.column_name in {each.name for each in above}, f"{asset}.{column} <- {dep}"


def test_a_row_of_the_dataset_is_traced_to_entries():
    """Upwards from what is published, column by column."""
    reached, ahead = set(), [("dataset", "evaluation_criteria")]
    while ahead:
        asset, column = ahead.pop()
        reached.add(asset)
        found = column_lineage(asset).get("dagster/column_lineage")
        deps = found.deps_by_column.get(column, []) if found else []
        ahead += [(dep.asset_key.to_user_string(), dep.column_name) for dep in deps]
    assert {"verified_tasks", "evolved_tasks", "tasks", "programs", "intents", "entries", "schema"} <= reached


def test_what_is_stored_tells_its_lineage(tmp_path):
    partitions = dg.DynamicPartitionsDefinition(name="domain")

    @dg.asset(partitions_def=partitions, io_manager_key="rows")
    def subjects() -> list[Subject]:
        return [Subject(domain="shop", name="orders")]

    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions("domain", ["shop"])
        rows = Rows(data_root=str(tmp_path), lineage=StepLineage())
        made = dg.materialize([subjects], instance=instance, resources={"rows": rows}, partition_key="shop")
    (event,) = made.asset_materializations_for_node("subjects")
    lineage = event.metadata["dagster/column_lineage"].value
    assert [dep.column_name for dep in lineage.deps_by_column["name"]] == ["description"]
