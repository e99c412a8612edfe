"""Writing a dataset folder: all rows, the card and the licence, whole or not at all."""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from toolscale.artifacts import EnvironmentSpec, Reject, Task, Trajectory
from toolscale.artifacts.base import Split
from toolscale.dataset.about import ABOUT, About
from toolscale.dataset.card import card
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.contents import read_contents
from toolscale.dataset.folder import CARD, SPLITS, write_rows
from toolscale.dataset.instances import SCHEMA as INSTANCES
from toolscale.dataset.instances import with_instances
from toolscale.dataset.lessons import OF_A_TASK
from toolscale.dataset.licence import LICENCE_FILE, licence_text
from toolscale.dataset.plots import FOLDER, write_plots
from toolscale.dataset.portions import Portion, TableFile, contents_of, gates_of_all, portion
from toolscale.dataset.rows import preference_row
from toolscale.dataset.splits import held_out_domains, placements
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.instances import Instances
from toolscale.preferences.preference import Preference
from toolscale.whole import whole_folder

_OF_BOTH_SPLITS = ("tasks", "rejects", "trajectories", "failed_attempts")


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
    instances: Instances | None = None,
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
        instances: what each task is given tools, prices and a preference by; None gives it none, nor the columns.
        hold_out: domains that are in `eval` wholly; None for the usual two of a dataset with many domains.
        attempts_of_a_task: most solved, and most failed, attempts at a task that are kept.

    Raises:
        UserError: `folder` holds something that is not a dataset, or a domain cannot be held out.
    """
    refuse_foreign(folder.resolve())
    worlds = {environment.domain: environment for environment in environments}
    apart = held_out_domains(worlds, hold_out)
    placed = placements(tasks, worlds, rejected, apart)
    portions = (
        portion(content, placed, hold_out=apart, under=about.attempts, attempts_of_a_task=attempts_of_a_task)
        for content in contents_of(tasks, environments, trajectories, rejects, rejected)
    )
    write_portions(folder, portions, about=about, preferences=preferences, instances=instances, hold_out=apart)


def write_portions(
    folder: Path,
    portions: Iterable[Portion],
    *,
    about: About,
    preferences: Sequence[Preference] = (),
    instances: Instances | None = None,
    hold_out: Sequence[str] = (),
) -> None:
    """Write the dataset of these portions, which come in the order of their domains; only one is in memory at a time.

    Raises:
        UserError: `folder` holds something that is not a dataset.
    """
    folder = folder.resolve()
    refuse_foreign(folder)
    tables: list[tuple[str, Split]] = [("environments", "train"), ("prompts", "train")]
    tables += [(config, split) for config in _OF_BOTH_SPLITS for split in SPLITS]
    further = INSTANCES if instances else ()
    passed: list[Sequence[str] | None] = []
    with whole_folder(folder) as made:
        with ExitStack() as opened:
            for config in {config for config, _ in tables}:
                (made / config).mkdir()
            files = {
                (config, name): opened.enter_context(
                    TableFile(made / config / f"{name}.parquet", config, further if config == "tasks" else ())
                )
                for config, name in tables
            }
            for each in portions:
                passed.append(each.gates)
                for table, rows in each.tables.items():
                    drawn = instances if table[0] == "tasks" else None
                    files[table].add(
                        with_instances(rows, each.tables["environments", "train"], table[1], drawn) if drawn else rows
                    )
        if preferences:
            _write_preferences(made / "preferences", preferences)
        told = instances.told if instances else {}
        about = about.model_copy(
            update={"gates": gates_of_all(passed), "held_out_domains": list(hold_out), "instances": told}
        )
        (made / ABOUT).write_text(about.as_json(), encoding="utf-8")
        (made / LICENCE_FILE).write_text(licence_text(), encoding="utf-8")
        with read_contents(made) as contents:
            write_plots(contents, made)
            (made / CARD).write_text(card(contents), encoding="utf-8")


def _write_preferences(folder: Path, preferences: Sequence[Preference]) -> None:
    folder.mkdir()
    for split in SPLITS:
        chosen = sorted((one for one in preferences if one.split == split), key=lambda one: one.id)
        write_rows(folder / f"{split}.parquet", SCHEMAS["preferences"], map(preference_row, chosen))


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
