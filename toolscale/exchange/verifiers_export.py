"""`toolscale export --format verifiers`: a taskset for the `verifiers` library (0.4), one package an environment.

Its tools call the environment's functions in ToolScale's sandbox and its reward is ToolScale's verdict, so the package
needs both libraries where it runs.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from toolscale.artifacts import EnvironmentSpec
from toolscale.dataset.folder import Placed
from toolscale.environment import write_environment
from toolscale.exchange.report import LeftOut, Report
from toolscale.exchange.tau2_export import package_names
from toolscale.exchange.tau2_text import class_name, method
from toolscale.whole import whole_folder

PREFIX = "toolscale_"

_NEEDED = {
    "id",
    "user_scenario",
    "golden_calls",
    "assertions",
    "required_calls",
    "communicate_info",
    "fact_kinds",
    "database_judged",
}
"""Of a task: what the verdict and the prompt read."""

_PYPROJECT = """\
[project]
name = "NAME"
version = "0.1.0"
description = "Tool-use tasks in the domain DOMAIN, exported by ToolScale."
requires-python = ">=3.11"
dependencies = ["verifiers>=0.4", "toolscale"]

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
packages = ["NAME"]
"""

_TOOLS = '''\
"""The tools of DOMAIN. A rollout is its list of calls, which are made in the sandbox."""

import asyncio
import json
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import verifiers.v1 as vf
from pydantic import WithJsonSchema
from toolscale.artifacts import Call
from toolscale.environment import Sandbox, load_environment

HERE = Path(__file__).parent


@cache
def sandbox() -> Sandbox:
    return Sandbox(load_environment(HERE / "environment"))


class Calls(vf.State):
    calls: list[dict[str, Any]] = []


class CLASSTools(vf.Toolset[vf.SharedToolsetConfig, Calls]):
    TOOL_PREFIX = None

    async def _call(self, name: str, required: dict[str, Any], optional: dict[str, Any]) -> str:
        given = {key: value for key, value in optional.items() if value is not None}
        self.state.calls = [*self.state.calls, {"name": name, "arguments": {**required, **given}}]
        calls = [Call.model_validate(call) for call in self.state.calls]
        outcome = (await asyncio.to_thread(sandbox().run, calls, goes_on=True)).outcomes[-1]
        return json.dumps(outcome.result if outcome.ok else {"error": outcome.error}, ensure_ascii=False)
'''

_RUN = """

if __name__ == "__main__":
    CLASSTools.run()
"""

_TASKSET = '''\
"""The tasks of DOMAIN: the user says everything at once, and ToolScale's verdict is the reward."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import verifiers.v1 as vf
from toolscale.artifacts import Call, Task
from toolscale.checkers import judge

from .tools import CLASSTools, Calls, sandbox

HERE = Path(__file__).parent


class TaskData(vf.TaskData):
    task: dict[str, Any]


class CLASSTask(vf.Task[TaskData, Calls]):
    @property
    def key(self) -> str:
        return self.data.task["id"]

    @vf.reward
    async def solved(self, trace: vf.Trace) -> float:
        calls = [Call.model_validate(call) for call in trace.state.calls]
        said = [message.content for message in trace.assistant_messages if message.content]
        task = Task.model_validate(self.data.task)
        return float((await asyncio.to_thread(judge, sandbox(), task, calls, said)).solved)


class CLASSConfig(vf.TasksetConfig):
    split: Literal["train", "eval"] = "train"
    tools: vf.SharedToolsetConfig = vf.SharedToolsetConfig()


class CLASSTaskset(vf.Taskset[CLASSTask, CLASSConfig]):
    @classmethod
    def toolsets(cls, config: CLASSConfig) -> list[vf.Toolset]:
        return [CLASSTools(config.tools)]

    def load(self) -> Iterator[CLASSTask]:
        policy = (HERE / "environment" / "policy.md").read_text(encoding="utf-8")
        for line in (HERE / f"{self.config.split}.jsonl").read_text(encoding="utf-8").split("\\n"):
            if line:
                task = json.loads(line)
                instruction = Task.model_validate(task).instruction
                data = TaskData(id=task["id"], prompt=instruction, system_prompt=policy or None, task=task)
                yield CLASSTask(data, self.config.task)
'''


def export_verifiers(placed: Sequence[Placed], out: Path) -> Report:
    """Write one package an environment into `out`.

    Raises:
        UserError: a function cannot be a method of a toolset.
    """
    environments = {id(one.environment): one.environment for one in placed}
    names = package_names(list(environments.values()))
    left_out = [LeftOut(f"task {one.task.id}", reason) for one in placed for reason in _unfit(one)]
    fit = [one for one in placed if not any(_unfit(one))]
    with whole_folder(out) as made:
        for key, environment in environments.items():
            own = [one for one in fit if one.environment is environment]
            _write_package(made / f"{PREFIX}{names[key]}", environment, own)
    return Report({"environments": len(environments), "tasks": len(fit)}, left_out)


def _unfit(one: Placed) -> Iterator[str]:
    if not one.task.instruction:
        yield "it has no instruction"
    elif one.task.start:
        yield "it begins with calls of its own, and tools there know nothing of the task that they are for"


def _write_package(project: Path, environment: EnvironmentSpec, placed: Sequence[Placed]) -> None:
    name, title = project.name, class_name(environment.domain)
    package = project / name
    package.mkdir(parents=True)

    def filled(text: str) -> str:
        return text.replace("NAME", name).replace("CLASS", title).replace("DOMAIN", environment.domain)

    methods = [
        method(function, "@vf.tool").replace("    def ", "    async def ", 1) for function in environment.functions
    ]
    methods = [text.replace("return self._call(", "return await self._call(") for text in methods]
    lines = {split: "".join(_line(one) for one in placed if one.split == split) for split in ("train", "eval")}
    texts = {
        project / "pyproject.toml": filled(_PYPROJECT),
        package / "__init__.py": filled('from .taskset import CLASSTaskset\n\n__all__ = ["CLASSTaskset"]\n'),
        package / "tools.py": "\n".join([filled(_TOOLS), *methods]) + filled(_RUN),
        package / "taskset.py": filled(_TASKSET),
        **{package / f"{split}.jsonl": text for split, text in lines.items()},
    }
    for file, text in texts.items():
        file.write_text(text, encoding="utf-8")
    write_environment(environment, package / "environment")


def _line(one: Placed) -> str:
    return json.dumps(one.task.model_dump(mode="json", include=_NEEDED), ensure_ascii=False) + "\n"
