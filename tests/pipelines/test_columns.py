"""Every column that an asset stores is described, and nothing else is."""

import pyarrow.parquet as pq
import pytest

from pipelines.columns import columns
from pipelines.definitions import definitions
from pipelines.factory import Factory
from pipelines.storage import rows_file, write_rows
from tests.pipelines.test_checks import TASK
from toolscale.artifacts import EnvironmentSpec, Task
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
