"""Where assets lie: artifacts as Parquet, environments as folders, under one data root (local or any fsspec URL)."""

import io
import tempfile
import types
import typing
import uuid
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ValidationError
from upath import UPath

from toolscale.artifacts import EnvironmentSpec, Reject
from toolscale.environment import load_environment, write_environment
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.synthesis.sifted import Sifted
from toolscale.whole import writing

T = TypeVar("T", bound=BaseModel)

_COLUMNS: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us"),
}


def rows_file(data_root: str, asset: str, domain: str, *, rejects: bool = False) -> UPath:
    """The Parquet file of an asset's rows for a domain, or of what it refused."""
    return UPath(data_root) / "assets" / asset / f"{domain}{'.rejects' if rejects else ''}.parquet"


def environment_folder(data_root: str, domain: str) -> UPath:
    """The folder of a domain's environment."""
    return UPath(data_root) / "environments" / domain


def stored_files(data_root: str, domain: str) -> list[UPath]:
    """Every file that is stored of a domain: its rows, what was refused, and its environment."""
    assets = UPath(data_root) / "assets"
    rows = [file for name in (domain, f"{domain}.rejects") for file in assets.glob(f"*/{name}.parquet")]
    return sorted([*rows, *files_in(environment_folder(data_root, domain))], key=str)


def write_rows(file: UPath, kind: type[BaseModel], rows: Sequence[BaseModel]) -> None:
    """Write artifacts of one kind: each whole in the column `json`, its plain fields beside it for queries."""
    plain = {name: column for name, field in kind.model_fields.items() if (column := column_type(field.annotation))}
    schema = pa.schema([*plain.items(), ("json", pa.string())])
    table = pa.Table.from_pylist(
        [{**{name: getattr(row, name) for name in plain}, "json": row.model_dump_json()} for row in rows], schema
    )
    content = io.BytesIO()
    pq.write_table(table, content, compression="zstd")
    write_whole(file, content.getvalue())


def read_rows(file: UPath, kind: type[T]) -> list[T]:
    """The artifacts in a file.

    Raises:
        UserError: there is no such file, it is not Parquet, or its rows are of another form.
    """
    try:
        # One thread: pyarrow's readers of Python files may abort the process if it ends while they wind down.
        stored = pq.ParquetFile(io.BytesIO(file.read_bytes()))
        texts = stored.read(columns=["json"], use_threads=False)["json"].to_pylist()
        return [kind.model_validate_json(text) for text in texts]
    except FileNotFoundError:
        raise UserError(f"{file}: missing; materialize the asset {file.parent.name} for {file.stem} first") from None
    except (pa.ArrowInvalid, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{file} holds no {kind.__name__} rows ({reason}); materialize its asset again") from None


def write_whole(file: UPath, content: bytes) -> None:
    """Write a file that appears whole or not at all. Raises `UserError` if the disk refuses it."""
    beside = file.with_name(f".{file.name}-{uuid.uuid4().hex[:8]}")
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            beside.write_bytes(content)
            beside.rename(file)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


class Rows(dg.ConfigurableIOManager):
    """Artifacts in Parquet, one file a domain. The annotation of the downstream input says what is read.

    `list[Task]` reads the rows, `DatabaseSchema` the only row, `list[Reject]` what the asset refused, and
    `dict[str, ...]` any of these for every domain that has them.
    """

    data_root: str

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        """Write what a stage gave: a `Sifted`, a list of artifacts, or one artifact."""
        asset, domain = context.asset_key.path[-1], context.partition_key
        kept = obj.kept if isinstance(obj, Sifted) else obj if isinstance(obj, list) else [obj]
        kind = type(kept[0]) if kept else BaseModel
        if isinstance(obj, Sifted):
            write_rows(rows_file(self.data_root, asset, domain, rejects=True), Reject, obj.rejects)
        write_rows(rows_file(self.data_root, asset, domain), kind, kept)
        context.add_output_metadata({"rows": len(kept), "path": _linked(rows_file(self.data_root, asset, domain))})

    def load_input(self, context: dg.InputContext) -> Any:
        """Read what the annotation asks for."""
        wanted, asset = context.dagster_type.typing_type, context.asset_key.path[-1]
        if typing.get_origin(wanted) is not dict:
            return self._read(wanted, asset, context.partition_key)
        form = typing.get_args(wanted)[1]
        return {
            domain: self._read(form, asset, domain)
            for domain in context.asset_partition_keys
            if rows_file(self.data_root, asset, domain).exists()
        }

    def _read(self, form: Any, asset: str, domain: str) -> Any:
        kind = _kind_of(form)
        rows = read_rows(rows_file(self.data_root, asset, domain, rejects=kind is Reject), kind)
        return rows if typing.get_origin(form) is list else rows[0]


class Environments(dg.ConfigurableIOManager):
    """Environments as folders that anybody can read, edit and run (docs/environment-format.md)."""

    data_root: str

    def handle_output(self, context: dg.OutputContext, obj: EnvironmentSpec) -> None:
        """Write the environment's folder."""
        folder = environment_folder(self.data_root, context.partition_key)
        if folder.protocol in ("", "file", "local"):
            write_environment(obj, folder.path)
        else:
            with tempfile.TemporaryDirectory() as beside:
                write_environment(obj, Path(beside, "environment"))
                folder.fs.put(f"{beside}/environment/", folder.path.rstrip("/") + "/", recursive=True)
        context.add_output_metadata({"path": _linked(folder)})

    def load_input(self, context: dg.InputContext) -> EnvironmentSpec | dict[str, EnvironmentSpec]:
        """Read one environment, or those of all domains that have one."""
        if typing.get_origin(context.dagster_type.typing_type) is not dict:
            return self._read(context.partition_key)
        folders = {domain: environment_folder(self.data_root, domain) for domain in context.asset_partition_keys}
        return {domain: self._read(domain) for domain, folder in folders.items() if folder.exists()}

    def _read(self, domain: str) -> EnvironmentSpec:
        folder = environment_folder(self.data_root, domain)
        if folder.protocol in ("", "file", "local"):
            return load_environment(folder.path)
        with tempfile.TemporaryDirectory() as beside:
            folder.fs.get(folder.path.rstrip("/") + "/", f"{beside}/{domain}/", recursive=True)
            return load_environment(Path(beside, domain))


def column_type(annotation: Any) -> pa.DataType | None:
    """The column type of a plain field; None for one that is a structure of its own."""
    if isinstance(annotation, types.UnionType) or typing.get_origin(annotation) is typing.Union:
        inner = [each for each in typing.get_args(annotation) if each is not type(None)]
        annotation = inner[0] if len(inner) == 1 else None
    if typing.get_origin(annotation) is typing.Literal:
        annotation = str
    return _COLUMNS.get(annotation)


def _kind_of(form: Any) -> type[Any]:
    """The artifact in `list[Task]`, `Sifted[Task]` or `Task` itself."""
    arguments = typing.get_args(form)
    return _kind_of(arguments[0]) if arguments else form


def _linked(path: UPath) -> dg.MetadataValue[Any]:
    if path.protocol in ("", "file", "local"):
        return dg.MetadataValue.path(path.path)
    return dg.MetadataValue.url(str(path))
