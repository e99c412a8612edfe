"""`toolscale import --format toolorchestra`: the training data of ToolOrchestra's published code, from its checkout.

`data/data.jsonl` mixes questions (`category: qa`) with tasks of its domains (`func_call`). The domains' databases lie
beside it, their tools with the code. Both kinds become what a training reads: a folder of questions, and a dataset.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from toolscale.artifacts import EnvironmentSpec, GoldenCall, Reject, Task
from toolscale.artifacts.base import Json, canonical_json
from toolscale.dataset.about import About
from toolscale.dataset.writer import write_dataset
from toolscale.environment import Sandbox
from toolscale.errors import UserError
from toolscale.exchange.questions_import import write_drawn
from toolscale.exchange.report import LeftOut, Report
from toolscale.exchange.tau2_import import foreign_environment
from toolscale.exchange.tau2_tasks import Names, read_tau2_tasks
from toolscale.instances import InstanceOptions, Instances
from toolscale.questions.reading import questions_in
from toolscale.questions.tables import SourceRow, rows_of
from toolscale.whole import whole_folder

DATA = Path("data/data.jsonl")
DATABASES = Path("data/tau2/domains")
TOOLS = (Path("training/rollout/tau2/domains"), Path("evaluation/tau2-bench/tau2/domains"))
"""Where the checkout has the tools of its domains; the first that is there wins."""

_STAGE = "toolorchestra"
_OF_A_ROW = "____"
"""Parts the domain from the number in a row's id."""
_POINTER = b"version https://git-lfs"
_OWN_DRAWS = ("model_mapping", "tool_pricing", "pref_vec")


def import_toolorchestra(checkout: Path, out: Path, options: InstanceOptions | None = None) -> Report:
    """Write `questions` and `tasks` into `out`, each where there are any.

    Args:
        checkout: of the published code, with its data.
        out: the folder to write.
        options: what tools, prices and preferences are drawn from; None leaves the tools of questions open, and gives
            domain tasks none beside their functions.

    Raises:
        UserError: the checkout or the catalogue cannot be read as such, or none of its rows can be used.
    """
    rows = _rows(checkout)
    asked = [row for row in rows if row.get("category") == "qa"]
    tasks = _Tasks(checkout)
    for number, row in enumerate(rows):
        match row.get("category"):
            case "qa":
                continue
            case "func_call":
                tasks.add(number, row)
            case _:
                tasks.refuse(number, row, "its `category` is neither qa nor func_call")
    tasks.replay()
    left_out = Counter(reject.reasons[0] for reject in tasks.rejects)
    written: dict[str, int] = {}
    with whole_folder(out) as made:
        if asked:
            questions, refused = questions_in(asked, str(checkout / DATA))
            left_out.update("; ".join(reject.reasons) for reject in refused)
            told = [f"Questions of ToolOrchestra's training data ({DATA})."]
            counts = write_drawn(made / "questions", questions, refused, options, told)
            written |= {f"questions in {split}": count for split, count in counts.items()}
        if tasks.kept:
            tasks.write(made / "tasks", Instances.beside_functions(options) if options else None)
            written |= {"domains": len(tasks.environments), "tasks": len(tasks.kept)}
        if not written:
            raise UserError(f"{checkout / DATA} has no row of use: {next(iter(left_out), 'it is empty')}")
    if drawn := sum(any(row.get(name) for name in _OWN_DRAWS) for row in rows):
        left_out["its own aliases of models, prices and weights are not read; tools are drawn anew"] = drawn
    return Report(written, [LeftOut(_rows_told(count), reason) for reason, count in left_out.most_common()])


class _Tasks:
    """The tasks of all domains: those that can be played here, and why the others cannot."""

    def __init__(self, checkout: Path) -> None:
        self.environments: dict[str, EnvironmentSpec] = {}
        self.kept: list[Task] = []
        self.rejects: list[Reject] = []
        self._checkout = checkout
        self._failed: dict[str, str] = {}
        self._read: defaultdict[str, list[tuple[Task, SourceRow]]] = defaultdict(list)
        self._seen: set[str] = set()

    def add(self, number: int, row: SourceRow) -> None:
        """Read a row as a task of its domain."""
        name = _id(row)
        domain = name.partition(_OF_A_ROW)[0]
        if fault := self._fault_of(domain):
            self.refuse(number, row, fault)
            return
        if not isinstance(row.get("example"), dict):
            self.refuse(number, row, "there is no task in `example`")
            return
        read, faults = read_tau2_tasks([{**row["example"], "id": name}], Names())
        if not read:
            self.refuse(number, row, faults[0].reason)
            return
        if read[0].start or read[0].judged_otherwise or _has_history(row["example"]):
            self.refuse(
                number, row, "it has an initial state or assertions of its own, which our rows have no place for"
            )
            return
        task = _without_padding(read[0].model_copy(update={"domain": domain}), self.environments[domain])
        content = task.model_dump(mode="json", include={"domain", "user_scenario", "golden_calls", "communicate_info"})
        if (seen := canonical_json(_without_ids(content))) in self._seen:
            self.refuse(number, row, "another row before it has the same task, with another draw of models")
            return
        self._seen.add(seen)
        self._read[domain].append((task, row))

    def replay(self) -> None:
        """Keep the tasks whose golden calls run: tau2-bench passes over those that raise, and a verdict cannot."""
        for domain, read in sorted(self._read.items()):
            with Sandbox(self.environments[domain]) as sandbox:
                for task, row in read:
                    outcomes = sandbox.run(task.golden_calls, task.start).outcomes
                    failed = next((outcome for outcome in outcomes if not outcome.ok), None)
                    if failed is None:
                        self.kept.append(task)
                    else:
                        detail = f"{failed.name}: {failed.error_type}: {failed.error}"
                        self._refuse(task.id, domain, row, "a golden call of it fails", detail)

    def refuse(self, number: int, row: SourceRow, reason: str) -> None:
        """Leave a row out."""
        domain = _id(row).partition(_OF_A_ROW)[0]
        self._refuse(_id(row) or f"row {number}", domain if domain in self.environments else _STAGE, row, reason)

    def write(self, folder: Path, instances: Instances | None) -> None:
        """Write the dataset of what is kept, with what is not among its rejects."""
        used = {task.domain for task in self.kept}
        self.environments = {name: each for name, each in self.environments.items() if name in used}
        write_dataset(
            folder,
            tasks=self.kept,
            environments=list(self.environments.values()),
            trajectories=[],
            rejects=self.rejects,
            rejected=[],
            about=About(instances=instances.told) if instances else About(),
            instances=instances,
        )

    def _refuse(self, name: str, domain: str, row: SourceRow, reason: str, *details: str) -> None:
        raw: Json = {"id": name, "example": row.get("example")}
        self.rejects.append(Reject(domain=domain, stage=_STAGE, check="row", reasons=[reason, *details], raw=raw))

    def _fault_of(self, domain: str) -> str:
        """Why the tasks of a domain cannot be played; empty if they can."""
        if domain in self.environments:
            return ""
        if domain not in self._failed:
            tools = [self._checkout / place / domain for place in TOOLS]
            found = next((place for place in tools if (place / "tools.py").is_file()), None)
            if not domain.isidentifier() or found is None or not (self._checkout / DATABASES / domain).is_dir():
                return "its domain is not in the checkout, or its tools are not"
            try:
                self.environments[domain] = foreign_environment(self._checkout / DATABASES / domain, found)
                return ""
            except UserError as error:
                told = str(error).replace(f"{self._checkout}/", "")
                self._failed[domain] = f"its domain `{domain}` cannot be imported: {told}"
        return self._failed[domain]


def _rows(checkout: Path) -> list[SourceRow]:
    file = checkout / DATA
    if not file.is_file():
        raise UserError(f"{checkout} has no {DATA}: name a checkout of https://github.com/NVlabs/ToolOrchestra")
    with file.open("rb") as opened:
        if opened.read(len(_POINTER)) == _POINTER:
            raise UserError(f"{file} stands for a file in Git LFS: run `git lfs pull` in {checkout}")
    return list(rows_of(file))


def _id(row: Mapping[str, Any]) -> str:
    """`weather____14577`: the domain and a number."""
    named = (str(row.get(name) or "") for name in ("index", "id", "eid"))
    return next((name for name in named if _OF_A_ROW in name), "")


def _has_history(example: SourceRow) -> bool:
    state = example.get("initial_state")
    return isinstance(state, dict) and bool(state.get("message_history"))


def _without_padding(task: Task, environment: EnvironmentSpec) -> Task:
    """Without the nulls that stand for other functions' parameters, as in the published rows of ToolScale."""
    known: dict[str, Any] = {each.name: each.parameters.get("properties") or {} for each in environment.functions}

    def own(call: GoldenCall) -> GoldenCall:
        takes = known.get(call.name, {})
        given = {name: value for name, value in call.arguments.items() if value is not None or name in takes}
        return call.model_copy(update={"arguments": given})

    return task.model_copy(update={"golden_calls": [own(call) for call in task.golden_calls]})


def _without_ids(content: dict[str, Any]) -> dict[str, Any]:
    calls: Sequence[dict[str, Any]] = content["golden_calls"]
    return {**content, "golden_calls": [[call["name"], call["arguments"]] for call in calls]}


def _rows_told(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
