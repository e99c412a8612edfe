"""A domain task with an instance, from end to end: what is shown, called, paid and rewarded, and its evaluation."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.openai_server import OpenAIServer, completion
from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.catalogue.prices import PriceSchedule, schedule
from toolscale.cli import app
from toolscale.dataset.folder import read_placed
from toolscale.rewards.toolrl import TrainingProgress
from toolscale.settings import Price
from trainer.checks import check_exercises
from trainer.config import Config
from trainer.learning.sft import read_lessons
from trainer.rollout.bench import opened
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.sequence import Group
from trainer.tasks.data import Exercises, read_exercises
from trainer.tasks.exercise import Exercise, Playable
from trainer.tasks.preferences import wanted_at

from .earned import totals
from .instanced import EXPERT, TINY, one_of, preferences_at, settings, write_catalogue, write_instances
from .schooling import write_taught_dataset
from .test_catalogue_tasks import Recites

START = TrainingProgress(0, 10)
QUESTION = "Which hook is for a coat that is collected late?"


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    """The experts; and an orchestrator under evaluation, which asks none and gives up."""
    with OpenAIServer(lambda request: "Hook 31." if request["model"] != "agent" else "I give up.") as serving:
        yield serving


@pytest.fixture
def catalogue(server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path / "data"))
    return write_catalogue(tmp_path, server.url)


@pytest.fixture
def dataset(tmp_path: Path, catalogue: Path, environment: EnvironmentSpec, tasks: list[Task]) -> Path:
    return write_instances(tmp_path, catalogue, environment, tasks)


def call(name: str, **arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def solving(task: Task) -> list[str]:
    return [call(golden.name, **golden.arguments) for golden in task.golden_calls] + [
        f"Done: {task.communicate_info[0]}."
    ]


def played(config: Config, exercise: Playable, tokenizer: Any, episodes: Sequence[Sequence[str]]) -> Group:
    chat = Chat(tokenizer)
    engine: Any = Recites(chat, [message for episode in episodes for message in episode])
    engine.context_limit = 6000
    exercises = Exercises((exercise,), (), "v")

    async def play() -> Any:
        async with opened(config, exercises) as bench:
            with Collector(engine, chat, config.rollouts, config.rewarding, bench) as collector:
                return await collector.groups([exercise], len(episodes), "0")

    (group,) = asyncio.run(play())
    assert isinstance(group, Group)
    return group


ASKS, ASKS_TINY = call(EXPERT, question=QUESTION), call(TINY, question=QUESTION)


@dataclass
class Played:
    """A task whose user wants it cheap, and four rollouts at it: without help, with, beside a function, in vain."""

    config: Config
    exercise: Exercise
    group: Group

    @property
    def prices(self) -> PriceSchedule:
        assert self.exercise.configuration is not None
        return schedule(self.exercise.configuration.schedule)

    @property
    def expert(self) -> Price:
        listed = self.prices.price("Qwen/Qwen3-32B")
        assert listed is not None
        return listed


@pytest.fixture
def four(dataset: Path, catalogue: Path, tokenizer: Any) -> Played:
    config = settings(catalogue)
    exercises = read_exercises(dataset, config.data, 0, config.tools)
    check_exercises(exercises, config)
    exercise = one_of(exercises.train, "train-0")
    golden = solving(exercise.task)
    beside = [f"{ASKS}\n{golden[0]}", *golden[1:]]
    in_vain = [ASKS_TINY, ASKS, "I cannot do it."]
    return Played(config, exercise, played(config, exercise, tokenizer, [golden, [ASKS, *golden], beside, in_vain]))


def test_the_prompt_has_functions_then_tools_at_the_schedules_prices_and_the_preference_last(
    four: Played, tokenizer: Any
) -> None:
    first = four.group.rollouts[0]
    prompt = tokenizer.decode(first.sequence.ids[: first.sequence.prompt_length])
    assert prompt.index('"find_coat"') < prompt.index('"hang_coat"') < prompt.index(TINY) < prompt.index(EXPERT)
    assert f"Price: ${four.expert.input:.2f} per million tokens read" in prompt
    assert "Takes about 2.8e+02 seconds." in prompt
    asked = first.trajectory.messages[1]["content"]
    assert asked == f"{four.exercise.task.instruction}\n\nThis is what I want in train, wish number 0."


def test_a_model_is_called_as_a_tool_and_the_verdict_is_on_the_functions_alone(
    four: Played, server: OpenAIServer
) -> None:
    rollouts = four.group.rollouts
    assert [rollout.verdict.solved for rollout in rollouts] == [True, True, True, False]
    told = [message["content"] for message in rollouts[1].trajectory.messages if message["role"] == "tool"]
    assert told[0] == "Hook 31."
    assert json.loads(told[1])["ticket"] == four.exercise.task.golden_calls[0].arguments["ticket"]
    asked, found, hung = rollouts[2].trajectory.calls
    assert [one.name for one in (asked, found, hung)] == [EXPERT, "find_coat", "hang_coat"]
    assert asked.result == "Hook 31.", "a model says words"
    assert isinstance(found.result, dict), "a function gives a record, as without tools beside it"
    assert hung.result == {"label": four.exercise.task.communicate_info[0]}
    assert [request["model"] for request in server.requests] == ["expert", "expert", "tiny", "expert"]
    assert QUESTION in server.requests[0]["messages"][-1]["content"]


def test_m_counts_functions_and_tools_dollars_by_the_schedule_and_seconds_by_the_profile(
    four: Played, server: OpenAIServer
) -> None:
    assert four.exercise.offered == ("find_coat", "hang_coat", TINY, EXPERT)
    vectors = [rollout.vector for rollout in four.group.rollouts]
    assert [vector.calls for vector in vectors] == [(1, 1, 0, 0), (1, 1, 0, 1), (1, 1, 0, 1), (0, 0, 1, 1)]
    served = four.prices.price_of_served("Qwen/Qwen3-8B")
    policy = (served.input, served.output) if served else (3.0, 5.0)
    sent, said = tokens(server.requests[0])
    sent_to_tiny, said_by_tiny = tokens(server.requests[2])
    for rollout in four.group.rollouts:
        by_tiny, by_expert = rollout.vector.calls[2:]
        own = rollout.trajectory.prompt_tokens * policy[0] + rollout.trajectory.completion_tokens * policy[1]
        expert = by_expert * (sent * four.expert.input + said * four.expert.output)
        tiny = by_tiny * (sent_to_tiny * 1.0 + said_by_tiny * 2.0)
        assert rollout.vector.dollars == pytest.approx((own + expert + tiny) / 1e6, rel=1e-9)
        takes = by_expert * (30 + 0.5 * said) + by_tiny * 2.0
        assert takes <= rollout.vector.seconds < takes + 5


def test_r_follows_what_the_tasks_own_user_prefers(
    four: Played, dataset: Path, catalogue: Path, tokenizer: Any
) -> None:
    rewarding = four.config.rewarding
    assert wanted_at(four.exercise, rewarding).tolist() == [0, 0, 0, 0, 1, 0.5, 0]
    spent = np.array([rollout.vector.dollars for rollout in four.group.rollouts])
    compute = (spent.max() - spent) / (spent.max() - spent.min())
    expected = [*(1 + 0.5 * compute[:3]), 0]
    assert totals(four.group, four.exercise, rewarding, START) == pytest.approx(expected)
    # Another user of the same split wants the expert asked: the cheapest is no longer the best.
    exercises = read_exercises(dataset, four.config.data, 0, four.config.tools)
    other = one_of(exercises.train, "train-1")
    golden = solving(other.task)
    group = played(four.config, other, tokenizer, [golden, [ASKS, *golden]])
    assert wanted_at(other, rewarding).tolist() == [0, 0, 0, 1, 0.5, 0, 0]
    assert totals(group, other, rewarding, START) == [0.0, 1.0]


def evaluated(server: OpenAIServer, dataset: Path, out: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> Any:
    """`toolscale evaluate toolscale`: what the orchestrator was sent of each task, by the task's instruction."""
    prices = {name: {"input": 1, "output": 2} for name in ("openai/agent", "openai/expert", "openai/tiny")}
    monkeypatch.setenv("TOOLSCALE_PRICES", json.dumps(prices))
    order = ["evaluate", "toolscale", "--data", str(dataset), "--model", "openai/agent", "--api-base", server.url]
    result = CliRunner().invoke(app, [*order, "--out", str(out), "--json", *options])
    assert result.exit_code == 0, (result.output, result.exception)
    sent = [request for request in server.requests if request["model"] == "agent"]
    return {request["messages"][-1]["content"]: request for request in sent}


def test_an_evaluation_plays_the_same_rows_with_the_same_instances(
    dataset: Path, catalogue: Path, server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = settings(catalogue)
    held_out = read_exercises(dataset, config.data, 0, config.tools).held_out
    found = evaluated(server, dataset, tmp_path / "run", monkeypatch, "--catalogue", str(catalogue))
    assert len(found) == len(held_out) >= 2
    for exercise in held_out:
        asked = exercise.messages[-1]["content"]
        assert "in eval, wish number" in asked
        assert found[asked]["tools"] == exercise.tools
        assert found[asked]["messages"] == exercise.messages
    whole = evaluated(server, dataset, tmp_path / "whole", monkeypatch, "--catalogue", str(catalogue), "--no-draw")
    for exercise in held_out:
        assert isinstance(exercise, Exercise)
        request = whole[exercise.task.instruction]
        assert [tool["function"]["name"] for tool in request["tools"]] == ["find_coat", "hang_coat", TINY, EXPERT]
    for line in (tmp_path / "run" / "results.jsonl").read_text().splitlines():
        row = json.loads(line)
        (exercise,) = [one for one in held_out if one.id == row["id"]]
        assert tuple(row["tools"]) == exercise.offered
        wanted = [
            row["preference"]["vector"].get(name, 0.0) for name in (*row["tools"], "outcome", "compute", "latency")
        ]
        assert wanted == wanted_at(exercise, config.rewarding).tolist()


def test_what_a_training_draws_for_rows_without_instances_is_what_an_evaluation_draws(
    catalogue: Path,
    server: OpenAIServer,
    tmp_path: Path,
    environment: EnvironmentSpec,
    tasks: list[Task],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dataset = write_taught_dataset(tmp_path / "plain", environment, tasks)
    preferences = preferences_at(tmp_path)
    config = settings(catalogue, preferences=str(preferences), seed=9)
    exercises = read_exercises(dataset, config.data, 0, config.tools)
    assert read_exercises(dataset, config.data, 1, config.tools) == exercises, "whatever the training's seed"
    drawn = [one.instance for one in (*exercises.train, *exercises.held_out) if isinstance(one, Exercise)]
    assert len({one.configuration.id for one in drawn if one}) > 5
    other = settings(catalogue, preferences=str(preferences), seed=8)
    assert read_exercises(dataset, config.data, 0, other.tools) != exercises
    given = ("--catalogue", str(catalogue), "--draw", "--preferences", str(preferences), "--seed", "9")
    found = evaluated(server, dataset, tmp_path / "run", monkeypatch, *given)
    for exercise in exercises.held_out:
        assert found[exercise.messages[-1]["content"]]["tools"] == exercise.tools


def test_a_schedule_that_is_named_is_the_only_one_drawn_in_training_and_in_evaluation(
    catalogue: Path,
    server: OpenAIServer,
    tmp_path: Path,
    environment: EnvironmentSpec,
    tasks: list[Task],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dataset = write_taught_dataset(tmp_path / "plain", environment, tasks)
    config = settings(catalogue, schedule="novita", seed=9)
    exercises = read_exercises(dataset, config.data, 0, config.tools)
    drawn = [one.instance for one in (*exercises.train, *exercises.held_out) if isinstance(one, Exercise)]
    assert {one.configuration.schedule for one in drawn if one} == {"novita"}
    given = ("--catalogue", str(catalogue), "--draw", "--schedule", "novita", "--seed", "9")
    found = evaluated(server, dataset, tmp_path / "run", monkeypatch, *given)
    for exercise in exercises.held_out:
        assert found[exercise.messages[-1]["content"]]["tools"] == exercise.tools


def test_without_the_setting_a_task_offers_its_functions_alone_even_where_its_row_has_an_instance(
    dataset: Path, catalogue: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = settings(catalogue, domain_tasks=False)
    exercises = read_exercises(dataset, config.data, 0, config.tools)
    assert exercises.catalogue_tools == ()
    assert {one.offered for one in exercises.train} == {("find_coat", "hang_coat")}
    assert {placed.instance is None for placed in read_placed(dataset)} == {False}
    (said,) = [record.getMessage() for record in caplog.records if record.name == "trainer.tasks.data"]
    assert said.startswith(f"{dataset}: 24 of 24 tasks have tools, prices and preferences in their rows")
    assert "set tools.domain_tasks to true" in said
    caplog.clear()
    with_them = settings(catalogue)
    read_exercises(dataset, with_them.data, 0, with_them.tools)
    assert not caplog.records


def test_a_lesson_is_laid_out_with_the_tools_and_the_preference_of_its_task(
    catalogue: Path, tmp_path: Path, environment: EnvironmentSpec, tasks: list[Task], tokenizer: Any
) -> None:
    dataset = write_taught_dataset(tmp_path / "plain", environment, tasks)
    config = settings(catalogue, preferences=str(preferences_at(tmp_path)))
    exercises = read_exercises(dataset, config.data, 0, config.tools)
    lessons = read_lessons(dataset, exercises, Chat(tokenizer), config, None)
    prompts = {tokenizer.decode(one.ids[: one.prompt_length]) for some in lessons.by_task for one in some}
    chat = Chat(tokenizer)
    assert prompts == {tokenizer.decode(chat.opening(one.messages, one.tools)) for one in exercises.train}
    assert all("in train, wish number" in prompt and EXPERT in prompt for prompt in prompts)


def test_a_function_that_writes_waits_for_what_was_called_before_it_and_errors_read_as_in_an_attempt(
    dataset: Path, catalogue: Path, tokenizer: Any
) -> None:
    config = settings(catalogue)
    exercise = one_of(read_exercises(dataset, config.data, 0, config.tools).train, "train-0")
    golden = exercise.task.golden_calls
    both = "\n".join([call(golden[0].name, ticket="T99"), *(call(one.name, **one.arguments) for one in golden)])
    (rollout,) = played(config, exercise, tokenizer, [[both, f"Done: {exercise.task.communicate_info[0]}."]]).rollouts
    told = [message["content"] for message in rollout.trajectory.messages if message["role"] == "tool"]
    assert json.loads(told[0]) == {"error": "there is no ticket T99"}
    assert rollout.verdict.execution
    assert [one.ok for one in rollout.trajectory.calls] == [False, True, True]


def tokens(request: dict[str, Any]) -> tuple[int, int]:
    """What the server counted of a request and of its answer."""
    usage = completion(request, {"content": "Hook 31."})["usage"]
    return usage["prompt_tokens"], usage["completion_tokens"]
