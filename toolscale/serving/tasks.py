"""The tasks that a path stands for: of a dataset folder, a Hub repository, or an environment folder with tasks.json."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.checkers.task_file import read_tasks
from toolscale.environment import load_environment
from toolscale.errors import UserError
from toolscale.evaluation.benchmarks.places import fetched_from_hub

ONLY_SPLIT = "train"
"""Where the tasks of an environment folder stand, which knows no splits."""


class ServedTasks:
    """What a server offers: tasks by id and by split. A task without an instruction has nothing to begin with."""

    def __init__(self, tasks: Sequence[tuple[str, Task, EnvironmentSpec]]) -> None:
        """Takes each task with its split and environment. Raises UserError where none has an instruction."""
        self._tasks = {task.id: (task, environment) for _, task, environment in tasks if task.instruction}
        self._splits: dict[str, list[str]] = {}
        for split, task, _ in tasks:
            if task.instruction:
                self._splits.setdefault(split, []).append(task.id)
        if not self._tasks:
            raise UserError("no task has an instruction (user_scenario), so there is nothing to serve; add one")

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def splits(self) -> Mapping[str, Sequence[str]]:
        """Split -> the ids of its tasks, in the order of their rows."""
        return self._splits

    def get(self, task_id: str) -> tuple[Task, EnvironmentSpec]:
        """A task and where it plays. Raises UserError where there is none."""
        if task_id not in self._tasks:
            raise UserError(f"there is no task {task_id[:100]!r} here; name one of the {len(self)} that are served")
        return self._tasks[task_id]

    def ids(self, split: str | None = None) -> Sequence[str]:
        """The ids of a split's tasks, or of all. Raises UserError where there is no such split."""
        if split is None:
            return list(self._tasks)
        if split not in self._splits:
            raise UserError(f"there is no split {split[:100]!r}; there is {', '.join(sorted(self._splits))}")
        return self._splits[split]

    def chosen(self, task_id: str | None = None, split: str | None = None, seed: int | None = None) -> str:
        """The id of one task: the named one, or the one that the seed picks, the first without a seed.

        Raises:
            UserError: there is no such task or split, or both a task and a split that it is not in are named.
        """
        ids = self.ids(split)
        if task_id is None:
            return ids[(seed or 0) % len(ids)]
        self.get(task_id)
        if task_id not in ids:
            raise UserError(f"the task {task_id} is not in the split {split}; leave one of the two out")
        return task_id


def load_tasks(path: str) -> ServedTasks:
    """Read what is to be served; a Hub repository (owner/name) is fetched once into the Hub's cache.

    Raises:
        UserError: there is nothing of the kind, or it cannot be read.
    """
    folder = local_folder(path)
    if (folder / "functions.py").exists():
        environment = load_environment(folder)
        if any(function.caller == "user" for function in environment.unoffered):
            raise UserError(f"{folder}: its users call functions too, which a served session has no user for")
        return ServedTasks([(ONLY_SPLIT, task, environment) for task in read_tasks(folder / "tasks.json")])
    if not (folder / "tasks").is_dir():
        raise UserError(f"{folder}: neither a dataset (tasks/*.parquet) nor an environment folder with tasks.json")
    from toolscale.dataset.folder import read_placed

    return ServedTasks([(placed.split, placed.task, placed.environment) for placed in read_placed(folder)])


def local_folder(path: str) -> Path:
    """The folder itself, or where the Hub's cache has the repository of that name. Raises UserError without either."""
    return folder if (folder := Path(path)).exists() else _fetched(path)


def _fetched(repository: str) -> Path:
    if repository.count("/") != 1 or repository.startswith((".", "/", "~")):
        raise UserError(f"there is no {repository}: give a folder, or a dataset on the Hub as owner/name")
    wanted = ["README.md", "about.json", "tasks/*", "environments/*"]
    return Path(fetched_from_hub(repository, wanted, "or download it yourself and name the folder"))
