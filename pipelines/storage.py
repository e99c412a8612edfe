"""Where assets lie: artifacts as Parquet, environments as folders, under one data root (local or any fsspec URL)."""

import io
import tempfile
import types
import typing
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel, ValidationError
from upath import UPath

from pipelines.column_lineage import column_lineage
from pipelines.lineage import KEY, Made, StepLineage, as_text, made_of, version_of
from pipelines.parquet import parquet_of
from toolscale.artifacts import EnvironmentSpec, Reject
from toolscale.environment import load_environment, write_environment
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.synthesis.chain import SynthesisStage
from toolscale.synthesis.sifted import Sifted
from toolscale.whole import whole_folder, writing

T = TypeVar("T", bound=BaseModel)

MADE_OF = "made_of.json"
"""The file of an environment's folder that says what it was made of."""

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


def domains_with_rows(data_root: str) -> set[str]:
    """Names of the domains that a run was begun of."""
    return {file.name.removesuffix(".parquet") for file in (UPath(data_root) / "assets" / "domain").glob("*.parquet")}


def stored_assets(data_root: str, domain: str) -> list[UPath]:
    """The files of the assets that a domain has, without what was refused."""
    return list((UPath(data_root) / "assets").glob(f"*/{domain}.parquet"))


def stored_files(data_root: str, domain: str) -> list[UPath]:
    """Every file that is stored of a domain: its rows, what was refused, and its environment."""
    assets = UPath(data_root) / "assets"
    folders = assets.iterdir() if assets.is_dir() else ()
    # Each is asked for by its name: in a bucket a pattern would list the files of all domains.
    named = [folder / f"{name}.parquet" for folder in folders for name in (domain, f"{domain}.rejects")]
    rows = [file for file in named if file.is_file()]
    return sorted([*rows, *files_in(environment_folder(data_root, domain))], key=str)


def write_rows(file: UPath, kind: type[BaseModel], rows: Sequence[BaseModel], made: Made | None = None) -> None:
    """Write artifacts of one kind: each whole in the column `json`, its plain fields beside it for queries.

    What they were made of goes into the file's metadata.
    """
    plain = {name: column for name, field in kind.model_fields.items() if (column := column_type(field.annotation))}
    told = {KEY: as_text(made).encode()} if made else None
    schema = pa.schema([*plain.items(), ("json", pa.string())], told)
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
    return read_stored(file, kind)[0]


def read_stored(file: UPath, kind: type[T]) -> tuple[list[T], Made | None]:
    """The artifacts in a file, and what they were made of, if that is known. Raises as `read_rows` does."""
    try:
        stored = parquet_of(file.read_bytes())
        texts = stored.read(columns=["json"], use_threads=False)["json"].to_pylist()
        made = made_of((stored.schema_arrow.metadata or {}).get(KEY))
        return [kind.model_validate_json(text) for text in texts], made
    except FileNotFoundError:
        raise UserError(f"{file}: missing; materialize the asset {file.parent.name} for {file.stem} first") from None
    except (pa.ArrowInvalid, ValidationError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"{file} holds no {kind.__name__} rows ({reason}); materialize its asset again") from None


def stored(data_root: str, stage: SynthesisStage, domain: str) -> Any:
    """What a stage made for a domain, as later stages read it.

    Raises:
        UserError: it is not there, or cannot be read.
    """
    if stage.makes is EnvironmentSpec:
        return read_environment(data_root, domain)[0]
    rows = read_rows(rows_file(data_root, stage.name, domain), stage.kind)
    return rows if typing.get_origin(stage.makes) in (list, Sifted) else rows[0]


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


@dataclass
class Rows(dg.IOManager):
    """Artifacts in Parquet, one file a domain. The annotation of the downstream input says what is read.

    `list[Task]` reads the rows, `DatabaseSchema` the only row, `list[Reject]` what the asset refused, and
    `dict[str, ...]` any of these for every domain that has them.
    """

    data_root: str
    lineage: StepLineage

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        """Write what a stage gave: a `Sifted`, a list of artifacts, or one artifact."""
        asset, domain = context.asset_key.path[-1], context.partition_key
        kept = obj.kept if isinstance(obj, Sifted) else obj if isinstance(obj, list) else [obj]
        kind = type(kept[0]) if kept else BaseModel
        rejects = obj.rejects if isinstance(obj, Sifted) else []
        texts = [str(len(kept)), *(row.model_dump_json() for row in [*kept, *rejects])]
        made = _noted(context, self.lineage, version_of(texts))
        if isinstance(obj, Sifted):
            write_rows(rows_file(self.data_root, asset, domain, rejects=True), Reject, rejects, made)
        write_rows(rows_file(self.data_root, asset, domain), kind, kept, made)
        file = rows_file(self.data_root, asset, domain)
        context.add_output_metadata({"rows": len(kept), "path": _linked(file), **column_lineage(asset)})

    def load_input(self, context: dg.InputContext) -> Any:
        """Read what the annotation asks for.

        Raises:
            UserError: it is not there, or does not fit what the step has read before.
        """
        wanted, asset = context.dagster_type.typing_type, context.asset_key.path[-1]
        if typing.get_origin(wanted) is not dict:
            found = self._read(context, wanted, asset, context.partition_key)
            self.lineage.refuse_unfit(context.partition_key)
            return found
        form = typing.get_args(wanted)[1]
        return {
            domain: self._read(context, form, asset, domain)
            for domain in context.asset_partition_keys
            if rows_file(self.data_root, asset, domain).exists()
        }

    def _read(self, context: dg.InputContext, form: Any, asset: str, domain: str) -> Any:
        kind = _kind_of(form)
        rows, made = read_stored(rows_file(self.data_root, asset, domain, rejects=kind is Reject), kind)
        self.lineage.read(_step(context), domain, asset, made)
        return rows if typing.get_origin(form) is list else rows[0]


@dataclass
class Environments(dg.IOManager):
    """Environments as folders that anybody can read and run (docs/environment-format.md)."""

    data_root: str
    lineage: StepLineage

    def handle_output(self, context: dg.OutputContext, obj: EnvironmentSpec) -> None:
        """Write the environment's folder, and what it was made of."""
        folder = environment_folder(self.data_root, context.partition_key)
        with _filling(folder) as local:
            write_environment(obj, local)
            made = _noted(context, self.lineage, version_of_environment(load_environment(local)))
            (local / MADE_OF).write_text(as_text(made), encoding="utf-8")
        context.add_output_metadata({"path": _linked(folder)})

    def load_input(self, context: dg.InputContext) -> EnvironmentSpec | dict[str, EnvironmentSpec]:
        """Read one environment, or those of all domains that have one.

        Raises:
            UserError: it is not there, cannot be read, or does not fit what the step has read before.
        """
        if typing.get_origin(context.dagster_type.typing_type) is not dict:
            found = self._read(context, context.partition_key)
            self.lineage.refuse_unfit(context.partition_key)
            return found
        folders = {domain: environment_folder(self.data_root, domain) for domain in context.asset_partition_keys}
        return {domain: self._read(context, domain) for domain, folder in folders.items() if folder.exists()}

    def _read(self, context: dg.InputContext, domain: str) -> EnvironmentSpec:
        found, made = read_environment(self.data_root, domain)
        self.lineage.read(_step(context), domain, context.asset_key.path[-1], made)
        return found


def read_environment(data_root: str, domain: str) -> tuple[EnvironmentSpec, Made | None]:
    """An environment, and what it was made of; None where that is not known, or it was changed since.

    Raises:
        UserError: it cannot be read.
    """
    with _reading(environment_folder(data_root, domain)) as local:
        found, note = load_environment(local), local / MADE_OF
        made = made_of(note.read_bytes()) if note.exists() else None
    return found, made if made is not None and made.version == version_of_environment(found) else None


@contextmanager
def _filling(folder: UPath) -> Iterator[Path]:
    """A folder of this machine to fill, which then takes the place of one here or elsewhere."""
    if _is_here(folder):
        with whole_folder(Path(folder.path)) as made:
            yield made
    else:
        with tempfile.TemporaryDirectory() as beside:
            yield Path(beside, folder.name)
            folder.fs.put(f"{beside}/{folder.name}/", folder.path.rstrip("/") + "/", recursive=True)


@contextmanager
def _reading(folder: UPath) -> Iterator[Path]:
    """A folder of this machine with what lies in one here or elsewhere."""
    if _is_here(folder):
        yield Path(folder.path)
    else:
        with tempfile.TemporaryDirectory() as beside:
            folder.fs.get(folder.path.rstrip("/") + "/", f"{beside}/{folder.name}/", recursive=True)
            yield Path(beside, folder.name)


def version_of_environment(spec: EnvironmentSpec) -> str:
    """The version of an environment as it is read back."""
    return version_of([spec.model_dump_json()])


def _noted(context: dg.OutputContext, lineage: StepLineage, version: str) -> Made:
    """What an output was made of; Dagster is told its version."""
    context.step_context.set_data_version(context.asset_key, dg.DataVersion(version))
    return lineage.wrote(_step(context), context.partition_key, context.asset_key.path[-1], version)


def _step(context: dg.InputContext | dg.OutputContext) -> tuple[str, str, int]:
    step = context.step_context
    return step.run_id, step.step.key, step.previous_attempt_count


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


def _is_here(path: UPath) -> bool:
    return path.protocol in ("", "file", "local")


def _linked(path: UPath) -> dg.MetadataValue[Any]:
    if _is_here(path):
        return dg.MetadataValue.path(path.path)
    return dg.MetadataValue.url(str(path))
