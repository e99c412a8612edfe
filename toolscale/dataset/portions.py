"""What one domain gives to a dataset, as the rows of its tables. A dataset is the portions of its domains in order.

A portion depends on its own domain and on a few words about others, so it can be kept, and memory holds one at a time.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from toolscale.artifacts import EnvironmentSpec, Reject, Task, Trajectory
from toolscale.artifacts.base import Split
from toolscale.dataset.chats import chat_row, failed_row, prompt_row, system_prompt
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.families import ancestors
from toolscale.dataset.folder import ENVIRONMENTS_IN_A_GROUP, ROWS_IN_A_GROUP, SPLITS
from toolscale.dataset.lessons import OF_A_TASK, lessons
from toolscale.dataset.pass_rates import Conditions
from toolscale.dataset.rows import Row, environment_id, environment_row, reject_row, rejected_task, task_row
from toolscale.dataset.splits import Placement, reject_split, users_of

Table = tuple[str, Split]
"""A config and a split."""


@dataclass(frozen=True)
class DomainContent:
    """What is released of a domain."""

    domain: str
    environment: EnvironmentSpec | None
    """None where only rejects are left of it."""
    tasks: Sequence[Task] = ()
    """Those that were kept."""
    trajectories: Sequence[Trajectory] = ()
    """Attempts at these tasks."""
    rejects: Sequence[Reject] = ()
    """What the stages before refused."""
    rejected: Sequence[Task] = ()
    """Tasks that a gate refused."""


@dataclass(frozen=True)
class Portion:
    """The rows of a domain; of tables where it has none there is nothing."""

    tables: Mapping[Table, pa.Table]
    gates: Sequence[str] | None
    """Those that every task of it passed; None without tasks."""


def portion(
    content: DomainContent,
    placed: Mapping[str, Placement],
    *,
    hold_out: Sequence[str] = (),
    under: Conditions,
    attempts_of_a_task: int = OF_A_TASK,
) -> Portion:
    """The rows of a domain in their stable order, given where its tasks are, and others that its rejects name.

    Args:
        content: what is released.
        placed: task id -> where it is.
        hold_out: domains that are in `eval` wholly.
        under: the settings of the attempts.
        attempts_of_a_task: most solved, and most failed, attempts at a task that are kept.
    """
    refused = [
        (reject_split(reject, placed, hold_out), reject_row(reject))
        for reject in (*content.rejects, *map(rejected_task, content.rejected))
    ]
    refused.sort(key=lambda each: [each[1][column] for column in ("domain", "stage", "check", "raw", "reasons")])
    task_rows = list(_task_rows(content, placed, under))
    chats = _Chats(content, attempts_of_a_task)
    rows: dict[Table, Iterable[Row]] = {}
    if content.environment:
        rows["environments", "train"] = [environment_row(content.environment)]
    for split in SPLITS:
        rows["tasks", split] = [row for row in task_rows if row["split"] == split]
        rows["rejects", split] = [row for where, row in refused if where == split]
        here = {task.id for task in content.tasks if placed[task.id].split == split}
        rows["trajectories", split] = chats.solved(here)
        rows["failed_attempts", split] = chats.failed(here)
    tables = {table: pa.Table.from_pylist(list(some), schema=SCHEMAS[table[0]]) for table, some in rows.items()}
    tables["prompts", "train"] = pa.Table.from_pylist(chats.prompts, schema=SCHEMAS["prompts"])
    return Portion({table: made for table, made in tables.items() if made.num_rows}, _passed_by_all(content.tasks))


def gates_of_all(passed: Iterable[Sequence[str] | None]) -> list[str]:
    """Of the gates that the tasks of each portion passed, those that all passed: it is said once, not in every row."""
    found: list[str] | None = None
    for gates in passed:
        if gates is not None:
            found = list(gates) if found is None else [gate for gate in found if gate in gates]
    return found or []


class TableFile:
    """A Parquet file that is written portion by portion, in row groups that do not show where one ended.

    A file without rows has no group: `datasets` cannot read an empty one.
    """

    def __init__(self, file: Path, config: str, further: Sequence[pa.Field] = ()) -> None:
        """`further` are columns after those that the config always has."""
        schema = pa.schema([*SCHEMAS[config], *further])
        self._writer = pq.ParquetWriter(file, schema, compression="zstd")
        self._group = ENVIRONMENTS_IN_A_GROUP if config == "environments" else ROWS_IN_A_GROUP
        self._waiting: list[pa.Table] = []
        self._rows = 0

    def add(self, rows: pa.Table) -> None:
        """Write rows, once they fill a group."""
        self._waiting.append(rows)
        self._rows += rows.num_rows
        if self._rows >= self._group:
            whole = pa.concat_tables(self._waiting)
            full = self._rows - self._rows % self._group
            for first in range(0, full, self._group):
                self._writer.write_table(whole.slice(first, self._group).combine_chunks())
            self._waiting = [whole.slice(full).combine_chunks()]
            self._rows -= full

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._rows:
            self._writer.write_table(pa.concat_tables(self._waiting).combine_chunks())
        self._writer.close()


def _task_rows(content: DomainContent, placed: Mapping[str, Placement], under: Conditions) -> Iterator[Row]:
    world = content.environment
    if world is None:
        return
    every_task = {task.id: task for task in (*content.rejected, *content.tasks)}
    users = users_of(content.tasks, {world.domain: world})
    kinds: dict[str, str] = {one.name: one.kind for one in world.functions}
    environment = environment_id(world)
    for task in sorted(content.tasks, key=lambda task: (task.lineage.depth, task.id)):
        yield task_row(
            task,
            environment,
            placed[task.id],
            kinds=kinds,
            ancestors=ancestors(task, every_task),
            user=users[task.id],
            under=under,
        )


def _passed_by_all(tasks: Sequence[Task]) -> list[str] | None:
    if not tasks:
        return None
    passed: list[set[str]] = [{gate.gate for gate in task.gates if gate.passed} for task in tasks]
    shared = set.intersection(*passed)
    return [gate.gate for gate in tasks[0].gates if gate.gate in shared]


class _Chats:
    """The attempts as rows, one after the other; and what they begin with."""

    def __init__(self, content: DomainContent, most: int) -> None:
        self._lessons = lessons(content.tasks, content.trajectories, most)
        self._content = content
        self._verdicts = {(task.id, one.index): one.verdict for task in content.tasks for one in task.attempts}
        self._prompts: dict[str, Row] = {}

    def solved(self, tasks: set[str]) -> Iterator[Row]:
        """The rows of the successes at these tasks."""
        return (chat_row(one, self._prompt(one)) for one in self._lessons.solved if one.task_id in tasks)

    def failed(self, tasks: set[str]) -> Iterator[Row]:
        """The rows of the failures at these tasks, with their verdicts."""
        return (
            failed_row(one, self._prompt(one), self._verdicts[one.task_id, one.attempt])
            for one in self._lessons.failed
            if one.task_id in tasks
        )

    @property
    def prompts(self) -> list[Row]:
        """What the chats so far begin with."""
        return sorted(self._prompts.values(), key=lambda row: row["id"])

    def _prompt(self, attempt: Trajectory) -> Row:
        said, world = system_prompt(attempt.messages), self._content.environment
        if said not in self._prompts:
            self._prompts[said] = prompt_row(self._content.domain, said, world.tools() if world else [])
        return self._prompts[said]


def contents_of(
    tasks: Iterable[Task],
    environments: Iterable[EnvironmentSpec],
    trajectories: Iterable[Trajectory],
    rejects: Iterable[Reject],
    rejected: Iterable[Task],
) -> list[DomainContent]:
    """What is released, domain by domain in the order of their names. Attempts at tasks that are not there are left."""
    worlds = {environment.domain: environment for environment in environments}
    of_domain: dict[str, tuple[list[Task], list[Trajectory], list[Reject], list[Task]]]
    of_domain = defaultdict(lambda: ([], [], [], []))
    domain_of = {}
    for task in tasks:
        of_domain[task.domain][0].append(task)
        domain_of[task.id] = task.domain
    for trajectory in trajectories:
        if trajectory.task_id in domain_of:
            of_domain[domain_of[trajectory.task_id]][1].append(trajectory)
    for reject in rejects:
        of_domain[reject.domain][2].append(reject)
    for task in rejected:
        of_domain[task.domain][3].append(task)
    return [DomainContent(name, worlds.get(name), *of_domain[name]) for name in sorted({*worlds, *of_domain})]
