"""Writing a dataset folder: all rows, the card and the licence, whole or not at all."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from toolscale.artifacts import EnvironmentSpec, Reject, Task, Trajectory
from toolscale.artifacts.base import Split
from toolscale.dataset.about import ABOUT, About
from toolscale.dataset.card import card
from toolscale.dataset.chats import chat_row, failed_row, prompt_row, system_prompt
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.contents import read_contents
from toolscale.dataset.families import ancestors
from toolscale.dataset.folder import CARD, SPLITS, write_rows
from toolscale.dataset.lessons import OF_A_TASK, lessons
from toolscale.dataset.licence import LICENCE_FILE, licence_text
from toolscale.dataset.pass_rates import Conditions
from toolscale.dataset.plots import FOLDER, write_plots
from toolscale.dataset.rows import (
    Row,
    environment_id,
    environment_row,
    preference_row,
    reject_row,
    rejected_task,
    task_row,
)
from toolscale.dataset.splits import Placement, held_out_domains, placements, reject_split, users_of
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.preferences.preference import Preference
from toolscale.whole import whole_folder

DatasetTables = dict[tuple[str, Split], Iterable[Row]]
"""(config, split) -> its rows."""


def write_dataset(
    folder: Path,
    *,
    tasks: Sequence[Task],
    environments: Sequence[EnvironmentSpec],
    trajectories: Sequence[Trajectory],
    rejects: Sequence[Reject],
    rejected: Sequence[Task],
    about: About,
    preferences: Sequence[Preference] = (),
    hold_out: Sequence[str] | None = None,
    attempts_of_a_task: int = OF_A_TASK,
) -> None:
    """Write the dataset, all of it or nothing: it appears at `folder` whole, in place of an earlier one.

    Splits follow the task: its attempts, and what was refused of its kin, are in the file of its split. Rows stand in a
    stable order, so equal input gives equal files. Without preferences there is no such config.

    Args:
        folder: where to.
        tasks: those that were kept.
        environments: one a domain.
        trajectories: attempts at these tasks, solved or not, as the verdicts of the tasks say (`lessons`).
        rejects: what the stages before refused.
        rejected: tasks that a gate refused.
        about: what the rows do not tell.
        preferences: what users may prefer.
        hold_out: domains that are in `eval` wholly; None for the usual two of a dataset with many domains.
        attempts_of_a_task: most solved, and most failed, attempts at a task that are kept.

    Raises:
        UserError: `folder` holds something that is not a dataset, or a domain cannot be held out.
    """
    folder = folder.resolve()
    refuse_foreign(folder)
    worlds = {environment.domain: environment for environment in environments}
    apart = held_out_domains(worlds, hold_out)
    placed = placements(tasks, worlds, rejected, apart)
    refused = [
        (reject_split(reject, placed, apart), reject_row(reject))
        for reject in (*rejects, *map(rejected_task, rejected))
    ]
    refused.sort(key=lambda each: [each[1][column] for column in ("domain", "stage", "check", "raw", "reasons")])
    task_rows = list(_task_rows(tasks, worlds, rejected, placed, about.attempts))
    chats = _Chats(tasks, worlds, trajectories, attempts_of_a_task)
    tables: DatasetTables = {("environments", "train"): [environment_row(worlds[domain]) for domain in sorted(worlds)]}
    for split in SPLITS:
        tables["tasks", split] = [row for row in task_rows if row["split"] == split]
        tables["rejects", split] = [row for where, row in refused if where == split]
        here = {name for name, placement in placed.items() if placement.split == split}
        tables["trajectories", split] = chats.solved(here)
        tables["failed_attempts", split] = chats.failed(here)
        if preferences:
            chosen = sorted((one for one in preferences if one.split == split), key=lambda one: one.id)
            tables["preferences", split] = [preference_row(one) for one in chosen]
    with whole_folder(folder) as made:
        for config in (*{config for config, _ in tables}, "prompts"):
            (made / config).mkdir()
        for (config, name), rows in tables.items():
            write_rows(made / config / f"{name}.parquet", SCHEMAS[config], rows)
        write_rows(made / "prompts" / "train.parquet", SCHEMAS["prompts"], chats.prompts)
        about = about.model_copy(update={"gates": _passed_by_all(tasks), "held_out_domains": apart})
        (made / ABOUT).write_text(about.model_dump_json(indent=1) + "\n", encoding="utf-8")
        (made / LICENCE_FILE).write_text(licence_text(), encoding="utf-8")
        with read_contents(made) as contents:
            write_plots(contents, made)
            (made / CARD).write_text(card(contents), encoding="utf-8")


def refuse_foreign(folder: Path) -> None:
    """See that a dataset may be written to `folder`: it is missing, empty, or holds a dataset and nothing else.

    Raises:
        UserError: it holds something that would be lost.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; choose a folder with --out")
    found = {path.name for path in folder.iterdir()} if folder.exists() else set()
    if foreign := sorted(found - {*SCHEMAS, CARD, ABOUT, FOLDER, LICENCE_FILE}):
        raise UserError(
            f"{folder} holds {foreign[0]}, which is no part of a dataset and would be lost; choose another "
            f"folder with --out, such as {folder / 'dataset'}"
        )
    if found and not files_in(folder / "tasks", "*.parquet"):
        raise UserError(f"{folder} is not empty and holds no dataset; choose another folder with --out")


def _task_rows(
    tasks: Sequence[Task],
    worlds: Mapping[str, EnvironmentSpec],
    rejected: Sequence[Task],
    placed: Mapping[str, Placement],
    under: Conditions,
) -> Iterator[Row]:
    every_task = {task.id: task for task in (*rejected, *tasks)}
    users = users_of(tasks, worlds)
    ids = {domain: environment_id(world) for domain, world in worlds.items()}
    kinds = {domain: {one.name: one.kind for one in world.functions} for domain, world in worlds.items()}
    for task in sorted(tasks, key=lambda task: (task.domain, task.lineage.depth, task.id)):
        yield task_row(
            task,
            ids[task.domain],
            placed[task.id],
            kinds=kinds[task.domain],
            ancestors=ancestors(task, every_task),
            user=users[task.id],
            under=under,
        )


def _passed_by_all(tasks: Sequence[Task]) -> list[str]:
    """The gates that every task passed: it is said once, and not in every row."""
    passed = [{gate.gate for gate in task.gates if gate.passed} for task in tasks]
    shared = set.intersection(*passed) if passed else set()
    return [gate.gate for gate in tasks[0].gates if gate.gate in shared] if tasks else []


class _Chats:
    """The attempts as rows, one after the other, since all at once would fill the memory; and what they begin with."""

    def __init__(
        self, tasks: Sequence[Task], worlds: Mapping[str, EnvironmentSpec], attempts: Iterable[Trajectory], most: int
    ) -> None:
        self._lessons = lessons(tasks, attempts, most)
        self._worlds = worlds
        self._domain = {task.id: task.domain for task in tasks}
        self._verdicts = {(task.id, one.index): one.verdict for task in tasks for one in task.attempts}
        self._prompts: dict[tuple[str, str], Row] = {}

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
        return sorted(self._prompts.values(), key=lambda row: (row["domain"], row["id"]))

    def _prompt(self, attempt: Trajectory) -> Row:
        domain, said = self._domain[attempt.task_id], system_prompt(attempt.messages)
        if (domain, said) not in self._prompts:
            self._prompts[domain, said] = prompt_row(domain, said, self._worlds[domain].tools())
        return self._prompts[domain, said]
