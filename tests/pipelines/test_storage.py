"""What a stage gave is what the next one reads; a file is there whole or not at all."""

import dagster as dg
import duckdb
import pytest
from upath import UPath

from pipelines.lineage import StepLineage
from pipelines.storage import Environments, Rows, read_rows, rows_file, write_rows, write_whole
from tests.synthesis.shop import SCHEMA, entries, environment
from toolscale.artifacts import DatabaseSchema, Entry, Reject, Task, Trajectory
from toolscale.errors import UserError
from toolscale.synthesis.sifted import Sifted

TRICKY = Task(
    id="shop-1",
    domain="shop",
    golden_calls=[{"name": "pay", "arguments": {"amount": 1.0, "count": 1, "note": 'né "à"\n', "none": None}}],
    communicate_info=["1,234.50 €"],
)
DOMAIN = dg.DynamicPartitionsDefinition(name="domain")


def at(root, manager=Rows):
    return manager(data_root=str(root), lineage=StepLineage())


def written(manager, value, asset="tasks", domain="shop"):
    """Hand a value to an IO manager as the asset's output; what reads it back, as an input of that annotation."""

    @dg.asset(name=asset, partitions_def=DOMAIN, io_manager_key="kept")
    def made():
        return value

    def materialized(instance, assets, **options):
        instance.add_dynamic_partitions("domain", ["shop", "zoo"])
        assert dg.materialize(assets, instance=instance, resources={"kept": manager}, **options).success

    with dg.DagsterInstance.ephemeral() as instance:
        materialized(instance, [made], partition_key=domain)

    def read(form, *domains):
        found = []

        def reads(kept):
            found.append(kept)

        reads.__annotations__ = {"kept": form}
        everywhere = dg.AssetIn(asset, partition_mapping=dg.AllPartitionMapping()) if domains else dg.AssetIn(asset)
        reader = dg.asset(reads, ins={"kept": everywhere}, partitions_def=None if domains else DOMAIN)
        there = dg.AssetSpec(asset, partitions_def=DOMAIN, metadata={"dagster/io_manager_key": "kept"})
        with dg.DagsterInstance.ephemeral() as instance:
            materialized(instance, [reader, there], **({} if domains else {"partition_key": domain}))
        return found[0]

    return read


@pytest.mark.parametrize("root", ["local", "memory://store"])
def test_rows_come_back_as_they_were(tmp_path, root):
    rows = at(tmp_path if root == "local" else f"{root}{tmp_path}")
    [task] = written(rows, [TRICKY])(list[Task])
    assert task == TRICKY
    assert isinstance(task.golden_calls[0].arguments["amount"], float)
    assert isinstance(task.golden_calls[0].arguments["count"], int)


def test_the_annotation_chooses_between_rows_rejects_and_a_single_artifact(tmp_path):
    rows = at(tmp_path)
    refused = Reject(domain="shop", stage="tasks", check="form", reasons=["no JSON"])
    read = written(rows, Sifted([TRICKY], [refused]))
    assert read(list[Task]) == [TRICKY]
    assert read(list[Reject]) == [refused]
    assert written(rows, SCHEMA, "schema")(DatabaseSchema) == SCHEMA


def test_a_domain_that_has_no_rows_yet_is_left_out_of_the_whole(tmp_path):
    read = written(at(tmp_path), [TRICKY])
    assert read(dict[str, list[Task]], "shop", "zoo") == {"shop": [TRICKY]}


def test_an_empty_list_comes_back_empty(tmp_path):
    assert written(at(tmp_path), [])(list[Trajectory]) == []


def test_plain_fields_are_columns_that_duckdb_can_ask_for(tmp_path):
    written(at(tmp_path), Sifted(entries()), "entries")
    file = rows_file(str(tmp_path), "entries", "shop")
    found = duckdb.sql(f"select count(*) from '{file}' where \"table\" = 'orders'").fetchall()
    assert found == [(8,)]


def test_missing_rows_name_the_asset_to_materialize(tmp_path):
    with pytest.raises(UserError, match="materialize the asset entries for shop"):
        read_rows(rows_file(str(tmp_path), "entries", "shop"), Entry)


def test_rows_of_another_form_are_refused_in_one_line(tmp_path):
    file = rows_file(str(tmp_path), "tasks", "shop")
    write_rows(file, Task, [TRICKY])
    with pytest.raises(UserError, match="no Entry rows") as error:
        read_rows(file, Entry)
    assert "\n" not in str(error.value)


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    file = UPath(tmp_path) / "rows.parquet"
    write_whole(file, b"old")

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(type(file), "rename", full)
    with pytest.raises(UserError, match=r"cannot write .*rows\.parquet: disk full"):
        write_whole(file, b"new")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("rows.parquet", b"old")]


@pytest.mark.parametrize("root", ["local", "memory://environments"])
def test_environments_come_back_as_they_were(tmp_path, root):
    manager = at(tmp_path if root == "local" else f"{root}{tmp_path}", Environments)
    read = written(manager, environment(), "environment")
    assert read(type(environment())) == environment()
    assert read(dict[str, type(environment())], "shop", "zoo") == {"shop": environment()}
