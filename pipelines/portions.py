"""What a release keeps ready of each domain: of one that did not change since, nothing is read but the finished rows.

Two files a domain in `made/portions`. `<domain>.json` has what all domains are compared by, and holds as long as the
domain's files do. `<domain>.arrow` has its rows, and holds as long as what other domains have to do with them is the
same, too: which of its tasks are near-duplicates of theirs, and whether it is held out. Both can be removed; they are
made again.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, ValidationError
from upath import UPath

from pipelines.lineage import Made, refuse_unfit, version_of
from pipelines.metadata import lost_at_gates
from pipelines.storage import environment_folder, read_environment, read_stored, rows_file, write_whole
from toolscale.artifacts import GateOutcome, Reject, Task, Trajectory, canonical_json
from toolscale.artifacts.base import Split
from toolscale.checkers.gates.distinct import TaskText, compared, texts_of
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.pass_rates import Conditions
from toolscale.dataset.portions import DomainContent, Portion, portion
from toolscale.dataset.splits import Placement, names_in, placements
from toolscale.errors import UserError
from toolscale.input_files import files_in

T = TypeVar("T", bound=BaseModel)

_ROWS = ("verified_tasks", "rejected_tasks", "trajectories")
"""Assets whose rows are released."""

_REFUSED = ("entries", "functions", "rules", "programs", "tasks", "evolved_tasks", "later_rejects")
"""Assets whose rejects are released, where they are there."""

_DRAFTS = ("tasks", "evolved_tasks", "later_rejects")
"""Those whose rejects are drafts of tasks."""

_HEAD, _TABLE = b"toolscale.portion", b"toolscale.table"


class Outline(BaseModel):
    """What a release knows of a domain before it has compared all of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    made_of: str
    """A hash of the code and of the marks of the files that it was read from."""
    texts: list[TaskText]
    """Of the tasks that passed all other gates."""
    functions: int
    entries: int
    proposed: int
    """Tasks, whatever became of them."""


class KeptTask(NamedTuple):
    """What is shown of a released task."""

    depth: int
    golden_calls: int
    pass_rate: float | None


class Head(BaseModel):
    """What is known of a domain's rows without reading them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    made_of: str
    gates: list[str] | None
    kept: list[KeptTask]
    attempts: int
    placed_by: str
    """A hash of what decides where its tasks are."""
    evaluated: list[str]
    """Its tasks in `eval`, refused ones too."""


class Around(NamedTuple):
    """What all domains of a release have in common."""

    data_root: str
    hold_out: Sequence[str]
    under: Conditions
    attempts_of_a_task: int


class Compared(NamedTuple):
    """What came of comparing the tasks of all domains."""

    outcomes: Mapping[str, GateOutcome]
    """Task id -> the outcome of `distinct`."""
    domain_of: Mapping[str, str]
    """Task id -> its domain."""


class _Read(NamedTuple):
    """A domain as it was generated."""

    content: DomainContent
    drafts: int
    """Drafts of tasks that never passed a gate."""


def outline_of(domain: str, version: str, around: Around) -> Outline:
    """The outline of a domain. Where its files changed, it is read, and its rows are made as if there were no other.

    Raises:
        UserError: the domain is only half there, or its parts do not fit together.
    """
    data_root = around.data_root
    made_of = version_of([version, *_marks(data_root, domain)])
    file = _file(data_root, domain, "json")
    try:
        kept = Outline.model_validate_json(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValidationError):
        kept = None
    if kept is not None and kept.made_of == made_of:
        return kept
    content, drafts = _read(data_root, domain)
    world = content.environment
    assert world is not None
    fit = [task for task in content.tasks if all(gate.passed for gate in task.gates if gate.gate != "distinct")]
    found = Outline(
        made_of=made_of,
        texts=texts_of(fit, world),
        functions=len(world.functions),
        entries=sum(len(table) for table in world.database.values() if isinstance(table, dict)),
        proposed=len(content.tasks) + len(content.rejected) + drafts,
    )
    alone = compare({domain: found})
    _make(_sifted(content, alone), {}, around, placed_by=_placed_by(domain, found, _doubles(alone), around))
    write_whole(file, found.model_dump_json().encode())
    return found


def compare(outlines: Mapping[str, Outline]) -> Compared:
    """Look for near-duplicates over all domains."""
    domain_of = {text.id: domain for domain, outline in outlines.items() for text in outline.texts}
    return Compared(compared(text for outline in outlines.values() for text in outline.texts), domain_of)


def portions_of(
    outlines: Mapping[str, Outline], found: Compared, around: Around
) -> Iterator[tuple[str, Head, Portion]]:
    """Domain, what is known of its rows, and the rows; in the order of the names."""
    doubles = _doubles(found)

    def placed_by(domain: str) -> str:
        return _placed_by(domain, outlines[domain], doubles, around)

    @cache
    def evaluated_in(domain: str) -> frozenset[str]:
        head = read_head(around.data_root, domain)
        if head is not None and head.placed_by == placed_by(domain):
            return frozenset(head.evaluated)
        placed = _placed(_sifted(_read(around.data_root, domain).content, found), around)
        return frozenset(name for name, placement in placed.items() if placement.split == "eval")

    for domain in sorted(outlines):
        reasons = " ".join(doubles.get(domain, {}).values())
        others = sorted({word for word in names_in(reasons) if found.domain_of.get(word, domain) != domain})
        elsewhere: dict[str, Split] = {
            word: "eval" if word in evaluated_in(found.domain_of[word]) else "train" for word in others
        }
        kept = read_portion(around.data_root, domain, _made_of(placed_by(domain), elsewhere, around))
        if kept is None:
            content = _sifted(_read(around.data_root, domain).content, found)
            kept = _make(content, elsewhere, around, placed_by=placed_by(domain))
        yield domain, *kept


def read_head(data_root: str, domain: str) -> Head | None:
    """What is known of the rows that are kept ready of a domain, if any are."""
    try:
        with _file(data_root, domain, "arrow").open("rb") as source:
            return Head.model_validate_json((_next(source).schema.metadata or {})[_HEAD])
    except (FileNotFoundError, KeyError, ValueError, pa.ArrowInvalid):
        return None


def read_portion(data_root: str, domain: str, made_of: str | None = None) -> tuple[Head, Portion] | None:
    """The rows that are kept ready of a domain: if any are, and if they are made of this."""
    try:
        source = pa.BufferReader(_file(data_root, domain, "arrow").read_bytes())
        head = Head.model_validate_json((_next(source).schema.metadata or {})[_HEAD])
        if made_of not in (None, head.made_of):
            return None
        tables = {}
        while source.tell() < source.size():
            table = _next(source)
            config, split = (table.schema.metadata or {})[_TABLE].decode().split("/")
            tables[config, cast("Split", split)] = table.replace_schema_metadata(None).cast(SCHEMAS[config])
    except (FileNotFoundError, KeyError, ValueError, pa.ArrowInvalid):
        return None
    return head, Portion(tables, head.gates)


def _make(
    content: DomainContent, elsewhere: Mapping[str, Split], around: Around, *, placed_by: str
) -> tuple[Head, Portion]:
    """The rows of a domain, which are kept ready from now on."""
    placed = _placed(content, around)
    made = portion(
        content,
        {**{name: Placement(split) for name, split in elsewhere.items()}, **placed},
        hold_out=around.hold_out,
        under=around.under,
        attempts_of_a_task=around.attempts_of_a_task,
    )
    head = Head(
        made_of=_made_of(placed_by, elsewhere, around),
        gates=None if made.gates is None else list(made.gates),
        kept=[KeptTask(task.lineage.depth, len(task.golden_calls), task.pass_rate) for task in content.tasks],
        attempts=len(content.trajectories),
        placed_by=placed_by,
        evaluated=sorted(name for name, placement in placed.items() if placement.split == "eval"),
    )
    nothing = pa.table({}).replace_schema_metadata({_HEAD: head.model_dump_json()})
    tables = [
        table.replace_schema_metadata({_TABLE: f"{config}/{split}"}) for (config, split), table in made.tables.items()
    ]
    write_whole(_file(around.data_root, content.domain, "arrow"), b"".join(map(_stream, [nothing, *tables])))
    return head, made


def _doubles(found: Compared) -> dict[str, dict[str, str]]:
    """Domain -> each of its tasks that is a near-duplicate -> why."""
    doubles: dict[str, dict[str, str]] = {}
    for task, outcome in found.outcomes.items():
        if not outcome.passed:
            doubles.setdefault(found.domain_of[task], {})[task] = "; ".join(outcome.reasons)
    return doubles


def _placed_by(domain: str, outline: Outline, doubles: Mapping[str, Mapping[str, str]], around: Around) -> str:
    """A hash of what decides where the tasks of a domain are."""
    return version_of([outline.made_of, canonical_json(doubles.get(domain, {})), str(domain in around.hold_out)])


def _made_of(placed_by: str, elsewhere: Mapping[str, Split], around: Around) -> str:
    """A hash of all that the rows of a domain are made of."""
    told = [around.attempts_of_a_task, around.under.model_dump(mode="json"), dict(elsewhere)]
    return version_of([placed_by, canonical_json(told)])


def _stream(table: pa.Table) -> bytes:
    written = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
    with pa.ipc.new_stream(written, table.schema, options=options) as writer:
        writer.write_table(table)
    return written.getvalue()


def _next(source: Any) -> pa.Table:
    return pa.ipc.open_stream(source, options=pa.ipc.IpcReadOptions(use_threads=False)).read_all()


def _sifted(content: DomainContent, found: Compared) -> DomainContent:
    """What is released of a domain: its near-duplicates go to what was refused, and their attempts are left."""
    tasks = [_with(found.outcomes.get(task.id), task) for task in content.tasks]
    kept = [task for task in tasks if task.rejected_by != "distinct"]
    ids = {task.id for task in kept}
    return DomainContent(
        content.domain,
        content.environment,
        kept,
        [trajectory for trajectory in content.trajectories if trajectory.task_id in ids],
        content.rejects,
        [*content.rejected, *(task for task in tasks if task.rejected_by == "distinct")],
    )


def _with(outcome: GateOutcome | None, task: Task) -> Task:
    if outcome is None:
        return task
    return task.model_copy(update={"gates": [*(gate for gate in task.gates if gate.gate != "distinct"), outcome]})


def _placed(content: DomainContent, around: Around) -> dict[str, Placement]:
    assert content.environment is not None
    return placements(content.tasks, {content.domain: content.environment}, content.rejected, around.hold_out)


def _read(data_root: str, domain: str) -> _Read:
    """A domain's artifacts.

    Raises:
        UserError: some are missing, cannot be read, or do not fit together.
    """
    there = {
        "environment": environment_folder(data_root, domain),
        **{
            asset: rows_file(data_root, asset, domain) for asset in ("verified_tasks", "rejected_tasks", "trajectories")
        },
    }
    if missing := [asset for asset, place in there.items() if not place.exists()]:
        raise UserError(f"{domain}: there is no `{'`, no `'.join(missing)}` to release; generate it first")
    made: dict[str, Made | None] = {}

    def rows(asset: str, kind: type[T], *, rejects: bool = False) -> list[T]:
        found, made[asset] = read_stored(rows_file(data_root, asset, domain, rejects=rejects), kind)
        return found

    environment, made["environment"] = read_environment(data_root, domain)
    verified, rejected = rows("verified_tasks", Task), rows("rejected_tasks", Task)
    trajectories = rows("trajectories", Trajectory)
    refused = [asset for asset in _REFUSED if rows_file(data_root, asset, domain).exists()]
    rejects = {asset: rows(asset, Reject, rejects=True) for asset in refused}
    if not {trajectory.task_id for trajectory in trajectories} <= {task.id for task in verified}:
        raise UserError(f"{domain}: `trajectories` are of other tasks than `verified_tasks`; generate it again")
    refuse_unfit(domain, made)
    drafts = lost_at_gates([reject for asset in _DRAFTS for reject in rejects.get(asset, [])]).total()
    every_reject = [reject for some in rejects.values() for reject in some]
    return _Read(DomainContent(domain, environment, verified, trajectories, every_reject, rejected), drafts)


def has_begun(data_root: str, domain: str) -> bool:
    """Whether there is anything of a domain that a release would look for."""
    return rows_file(data_root, "verified_tasks", domain).exists() or environment_folder(data_root, domain).exists()


def _marks(data_root: str, domain: str) -> Iterator[str]:
    """What changes when one of the files does that a release reads: its name, its size, the time it was written."""
    kept = [rows_file(data_root, asset, domain) for asset in _ROWS]
    refused = [rows_file(data_root, asset, domain, rejects=rejects) for asset in _REFUSED for rejects in (False, True)]
    for file in (*kept, *refused, *files_in(environment_folder(data_root, domain))):
        try:
            found = file.stat()
        except FileNotFoundError:
            yield f"{file}: missing"
        else:
            yield f"{file}: {found.st_size} {found.st_mtime}"


def _file(data_root: str, domain: str, ending: str) -> UPath:
    return UPath(data_root) / "made" / "portions" / f"{domain}.{ending}"
