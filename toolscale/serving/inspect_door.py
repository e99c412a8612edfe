"""Inspect: a split of a dataset as a task of `inspect eval`, played in our sandbox and scored by our verdict.

Inspect imports this module by its entry point, so it needs the extra `toolscale[inspect]`; nothing of ours imports it.
"""

import atexit
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cache
from typing import Any, TypeVar

from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolParams
from inspect_ai.util import store

from toolscale.artifacts import Call, EnvironmentSpec, Verdict
from toolscale.checkers import judge
from toolscale.environment import Sandbox
from toolscale.episodes.episode import MAX_TURNS
from toolscale.episodes.tools import tool_content
from toolscale.evaluation.benchmarks.episodes import SPLIT, Sandboxes
from toolscale.serving.play import Play, PlayError
from toolscale.serving.tasks import ServedTasks, load_tasks

CALLS = "toolscale:calls"
"""Where a sample's store, and so its log, has the calls that were made: a log can be scored again from it."""

T = TypeVar("T")

_CUT_OFF = ("max_tokens", "model_length")
"""Why a model stopped in the middle of a message."""


class _World:
    """What one path holds, with the sandboxes that its samples share."""

    def __init__(self, tasks: ServedTasks, sandboxes: Sandboxes) -> None:
        self.tasks = tasks
        self._sandboxes = sandboxes

    def sandbox_of(self, task_id: str) -> Sandbox:
        return self._sandboxes.of(self.tasks.get(task_id)[1])

    def play(self, task_id: str) -> Play:
        return Play(self.tasks.get(task_id)[0], self.sandbox_of(task_id))

    def judged(self, task_id: str, calls: Sequence[Call], said: Sequence[str]) -> Verdict:
        return judge(self.sandbox_of(task_id), self.tasks.get(task_id)[0], calls, said)


@cache
def _world(data: str) -> _World:
    stack = ExitStack()
    atexit.register(stack.close)
    return _World(load_tasks(data), Sandboxes(stack))


@task
def tasks(data: str, split: str = SPLIT) -> InspectTask:
    """The tasks of one split. The user says everything at once.

    Args:
        data: a dataset folder, a dataset on the Hub (owner/name), or an environment folder with a tasks.json.
        split: `eval` or `train`.
    """
    world = _world(data)
    return InspectTask(
        dataset=MemoryDataset([_sample(world, name) for name in world.tasks.ids(split)], name=f"{data}:{split}"),
        setup=functions(data),
        scorer=verdict(data),
        turn_limit=MAX_TURNS,
    )


@solver
def functions(data: str) -> Solver:
    """Offers a sample its domain's functions, on a database of its own; any solver or agent may follow."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        play = _world(data).play(str(state.sample_id))
        state.tools = [*state.tools, *(_tool(play, each["function"]) for each in play.tools)]
        return state

    return solve


@scorer(metrics=[accuracy(), stderr()])
def verdict(data: str) -> Scorer:
    """1 where the three criteria hold, else 0; the criteria and their reasons are the score's metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        world, task_id = _world(data), str(state.sample_id)
        if why := _unfinished(state, world.tasks.get(task_id)[1]):
            return Score(value=0.0, explanation=f"the episode did not come to its end: {why}")
        calls = [Call.model_validate(each) for each in state.store.get(CALLS, [])]
        found = await _in_thread(lambda: world.judged(task_id, calls, _said(state)))
        return Score(
            value=float(found.solved),
            answer=state.output.completion,
            explanation="\n".join(found.reasons) or "execution, fidelity and completeness hold",
            metadata=found.model_dump(mode="json"),
        )

    return score


async def _in_thread(work: Callable[[], T]) -> T:
    from anyio import to_thread  # Inspect runs on asyncio or trio

    return await to_thread.run_sync(work)


def _sample(world: _World, task_id: str) -> Sample:
    play = world.play(task_id)
    said: list[ChatMessage] = [ChatMessageSystem(content=play.system), ChatMessageUser(content=play.instruction)]
    return Sample(id=task_id, input=said, metadata={"domain": play.domain})


def _tool(play: Play, function: dict[str, Any]) -> Tool:
    async def call(**kwargs: Any) -> str:  # Inspect passes arguments on as they are only under this name and type
        try:
            content, _ = await _in_thread(lambda: play.call(function["name"], kwargs))
        except PlayError as refused:
            return tool_content(str(refused))
        store().set(CALLS, [each.model_dump(mode="json") for each in play.calls])
        return content

    return ToolDef(
        call,
        name=function["name"],
        description=function["description"],
        parameters=_described(function["parameters"]),
        max_output=0,  # the sandbox bounds answers; a cut one would be no JSON
    ).as_tool()


def _described(parameters: dict[str, Any]) -> ToolParams:
    """As Inspect takes them: it refuses a parameter that nothing is said of."""
    taken = ToolParams.model_validate(parameters)
    for name, parameter in taken.properties.items():
        parameter.description = parameter.description or name
    return taken


def _unfinished(state: TaskState, environment: EnvironmentSpec) -> str:
    last = next((each for each in reversed(state.messages) if isinstance(each, ChatMessageAssistant)), None)
    if last is None:
        return "the model said nothing"
    if state.output.stop_reason in _CUT_OFF:
        return f"its last message was cut off ({state.output.stop_reason})"
    if any(environment.function(call.function) for call in last.tool_calls or []):
        return "it was still calling functions at a limit"
    return ""


def _said(state: TaskState) -> list[str]:
    """What the user heard, with an answer that an agent hands in by a tool."""
    said = [each.text for each in state.messages if isinstance(each, ChatMessageAssistant) and each.text]
    answer = state.output.completion
    return said if not answer or answer in said else [*said, answer]
