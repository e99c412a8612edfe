"""The routing demo: its lessons teach no routing, its training runs over HTTP, and its report says what happened."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.configuration import configure
from toolscale.catalogue.prices import schedule
from toolscale.dataset.folder import read_trajectories
from toolscale.errors import UserError
from toolscale.mock_endpoint.experts.expert import catalogue_text, read_experts
from toolscale.mock_endpoint.experts.quiz import find_question
from trainer.checks import check_exercises
from trainer.config import Config, Data, Rewarding
from trainer.demo.experts import experts_at
from trainer.grpo import train
from trainer.output.metrics import read_metrics
from trainer.rollout.bench import opened
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.route_demo.__main__ import PRESET
from trainer.route_demo.dataset import HELD_OUT, LESSONS, TRAINED_ON, places_of, preference_for, write_quiz
from trainer.route_demo.report import Report, curves_of, write_report
from trainer.tasks.data import read_exercises
from trainer.tasks.mix import mixed

from .test_catalogue_tasks import LIMITS, Recites

TOOLS = ("generalist_small", "generalist_large")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("route")
    catalogue = made / "catalogue.toml"
    catalogue.write_text(catalogue_text(read_experts(), "http://127.0.0.1:1/v1"))
    write_quiz(made / "quiz", read_tools(str(catalogue)), read_experts(), instructions="Ask one tool.")
    return made


def mixture(folder: Path) -> Data:
    return Data.model_validate({"mix": [{"dataset": place} for place in places_of(folder)]})


def test_the_quiz_brings_its_splits_its_tools_and_a_preference_for_low_cost(folder: Path) -> None:
    settings = Config.read(PRESET)
    assert settings.data.mix is not None
    read = read_exercises(None, mixture(folder / "quiz"), 0, settings.tools)
    assert not {one.id for one in read.train} & {one.id for one in read.held_out}
    for split, expected in ((read.held_out, HELD_OUT), (read.train, {"easy": TRAINED_ON, "hard": TRAINED_ON})):
        assert Counter(one.task.difficulty for one in split) == expected
    assert {one.offered for one in (*read.train, *read.held_out)} == {TOOLS}
    assert {tuple(one.task.vector) for one in read.train} == {(0.0, 0.0, 1.0, 1.0, 0.0)}
    assert read.train[0].messages[0]["content"] == settings.tools.instructions


def test_every_step_of_the_demo_has_as_many_hard_questions_as_easy_ones(folder: Path) -> None:
    settings = Config.read(PRESET)
    data, size = mixture(folder / "quiz"), settings.algorithm.tasks_per_step
    train = read_exercises(None, data, 0, settings.tools).train
    for number in range(settings.steps):
        batch = mixed(train, number * size, size, data, seed=2)
        assert Counter(one.task.difficulty for one in batch) == {"easy": size / 2, "hard": size / 2}


def test_the_lessons_ask_each_expert_as_often_as_the_other_and_pass_on_what_they_are_told(folder: Path) -> None:
    routes: Counter[tuple[str, str]] = Counter()
    asked_of: defaultdict[str, set[str]] = defaultdict(set)
    experts = dict(zip(TOOLS, read_experts().values(), strict=True))
    for row in (row for place in places_of(folder / "quiz") for _, row in read_trajectories(place)):
        _, asked, called, brought, told = row["messages"]
        (call,) = called["tool_calls"]
        question = json.loads(call["function"]["arguments"])["question"]
        assert asked["content"].startswith(question)
        tool = call["function"]["name"]
        assert brought["content"] == experts[tool].reply(question).text
        assert told["content"].removeprefix("Answer: ") in brought["content"]
        routes[find_question(question).kind.difficulty, tool] += 1
        asked_of[question].add(tool)
    assert len(routes) == 4
    assert set(routes.values()) == {LESSONS}, "each expert as often as the other, for easy and for hard ones"
    assert all(asked == set(TOOLS) for asked in asked_of.values()), "and every question goes to both"


def test_a_preferred_tool_is_told_to_the_model_and_stands_in_p(folder: Path) -> None:
    configuration = configure(read_tools(str(folder / "catalogue.toml")), schedule("together"))
    wanted = preference_for(configuration, "generalist_large")
    assert "generalist_large" in wanted.instruction
    assert wanted.vector == [0, 1, 1, 0, 0]
    with pytest.raises(UserError, match="the demo offers generalist_small and generalist_large"):
        preference_for(configuration, "nobody")


def tiny_settings(model: Path, catalogue: Path) -> Config:
    return Config.of(
        {
            "model": {"path": str(model), "dtype": "float32"},
            "tools": {"catalogue": str(catalogue), "instructions": "Ask one tool."},
            "rollouts": {
                "backend": "transformers",
                "max_turns": 2,
                "max_prompt_tokens": 1500,
                "max_sampled_tokens": 400,
                "max_message_tokens": 20,
                "context_tokens": 2400,
                "sandboxes": 1,
            },
            "rewarding": {"dollars_per_million_sampled_tokens": 1.0},
            "algorithm": {"tasks_per_step": 1, "rollouts_per_task": 2},
            "optimization": {"tokens_per_microbatch": 8192},
            "warm_start": {"examples": 4, "batch": 4, "epochs": 2, "learning_rate": 1e-3},
            "evaluation": {"tasks": 2},
            "steps": 1,
        },
        "made here",
    )


@pytest.fixture
def served(tmp_path: Path, tiny_llama: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Config]:
    """Experts at work, a quiz that offers them, and settings for a tiny model."""
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path / "data"))
    catalogue = tmp_path / "catalogue.toml"
    with experts_at(catalogue, seed=5):
        write_quiz(tmp_path / "quiz", read_tools(str(catalogue)), read_experts(), instructions="Ask one tool.")
        yield tiny_settings(tiny_llama, catalogue).model_copy(update={"data": mixture(tmp_path / "quiz")})


def test_an_episode_asks_the_experts_over_http_and_pays_what_they_state(
    served: Config, tokenizer: Any, tmp_path: Path
) -> None:
    chat = Chat(tokenizer)
    exercises = read_exercises(None, served.data, 0, served.tools)
    asked = exercises.train[0]
    large = read_experts()["simulated/large"]
    expected = large.reply(asked.task.question, seed=5)
    call = {"name": "generalist_large", "arguments": {"question": asked.task.question}}
    engine = Recites(chat, [f"<tool_call>{json.dumps(call)}</tool_call>", expected.text])

    async def play() -> Any:
        async with opened(served, exercises) as bench:
            with Collector(engine, chat, LIMITS, Rewarding(), bench) as collector:
                return await collector.groups([asked], 1, "0")

    (group,) = asyncio.run(play())
    (rollout,) = group.rollouts
    assert rollout.verdict.solved is expected.right
    (brought,) = [message["content"] for message in rollout.trajectory.messages if message["role"] == "tool"]
    assert brought == expected.text
    least = expected.completion_tokens * large.price.output / 1e6
    assert least < rollout.vector.dollars < least + 1000 * large.price.input / 1e6
    assert rollout.vector.seconds > 0.5 * large.latency.mean(expected.completion_tokens), "its stated time"


def test_a_catalogue_without_the_tools_that_questions_offer_is_refused(served: Config, tmp_path: Path) -> None:
    exercises = read_exercises(None, served.data, 0, served.tools)
    other = served.model_copy(update={"tools": served.tools.model_copy(update={"catalogue": "basic"})})
    with pytest.raises(UserError, match="which the catalogue basic does not have"):
        check_exercises(exercises, other)


def test_a_training_on_questions_says_of_each_step_what_it_cost_and_whom_it_asked(
    served: Config, tmp_path: Path
) -> None:
    result = train(served, None, tmp_path / "out", hear=lambda line: None)
    lines = read_metrics(tmp_path / "out")
    assert [line["kind"] for line in lines] == ["sft", "sft", "evaluation", "train", "evaluation"]
    for line in lines[2:]:
        assert {"dollars", *(f"calls_{tool}" for tool in TOOLS)} <= line.keys()
        assert line["dollars"] >= line["sampled_tokens"] * 1e-6 * 0.999
    assert result.before == {name: value for name, value in lines[2].items() if name in result.before}
    assert Path(result.model, "model.safetensors").is_file()


def figures(pass_rate: float, dollars: float, small: float, large: float) -> dict[str, float]:
    spent = {"dollars": dollars, "calls_generalist_small": small, "calls_generalist_large": large}
    interval = {"tasks": 100, "solved": 100 * pass_rate, "pass_rate": pass_rate, "low": 0.1, "high": 0.9}
    return {**interval, **spent, "turns": 2.0, "sampled_tokens": 50.0}


def step(number: int, small: float, large: float) -> dict[str, Any]:
    calls = {"calls_generalist_small": small, "calls_generalist_large": large}
    return {"kind": "train", "step": number, "solved": 0.5, "dollars": 0.002, "reward_mean": 1.0, **calls}


def test_the_report_has_the_cost_of_a_solved_question_and_the_shares_of_the_calls(tmp_path: Path) -> None:
    class Result:
        before = figures(0.8, 0.0016, 0.5, 0.5)
        after = figures(0.9, 0.0009, 0.75, 0.25)
        after |= {f"hard/{name}": value for name, value in figures(0.7, 0.002, 0.0, 1.0).items()}

    lines = [{"kind": "sft", "step": 1, "loss": 0.5}, step(1, 0.6, 0.2), step(2, 0.0, 0.0)]
    report = Report.of(Config.read(PRESET, {"seed": 3}), Result(), lines, 61.26)  # type: ignore[arg-type]
    write_report(report, tmp_path)
    told = json.loads((tmp_path / "report.json").read_text())
    assert (told["seed"], told["seconds"], told["steps"], told["prefer"]) == (3, 61.3, 2, None)
    assert (told["before"]["accuracy"], told["after"]["accuracy"]) == (0.8, 0.9)
    assert told["before"]["cost_per_solved"] == pytest.approx(0.002)
    assert told["after"]["cost_per_solved"] == pytest.approx(0.001)
    assert told["after"]["shares"] == {"generalist_small": 0.75, "generalist_large": 0.25}
    assert told["before"]["by_difficulty"] == {}
    assert told["after"]["by_difficulty"]["hard"]["shares"] == {"generalist_small": 0.0, "generalist_large": 1.0}
    shares = curves_of(report)["Share of the calls, by tool"]
    assert shares["generalist_small"] == pytest.approx([0.75, 0.0])
    assert "data:image/png;base64,iVBOR" in (tmp_path / "report.html").read_text()


def test_where_nothing_was_solved_there_is_no_cost_per_solved_question() -> None:
    class Result:
        before = after = figures(0.0, 0.001, 1.0, 0.0)

    report = Report.of(Config.read(PRESET), Result(), [], 1.0)  # type: ignore[arg-type]
    assert report.as_json()["after"]["cost_per_solved"] is None


KILLED = """
import os, sys, time
from pathlib import Path
from trainer.demo.experts import experts_at

with experts_at(Path(sys.argv[1]), 0):
    print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_the_experts_end_with_a_demo_that_is_killed(by: signal.Signals, tmp_path: Path) -> None:
    command, root = [sys.executable, "-c", KILLED, str(tmp_path / "catalogue.toml")], Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        (server,) = map(int, demo.stdout.readline().split())
        os.kill(server, 0)
        demo.send_signal(by)
    for _ in range(100):
        try:
            if " Z " in Path(f"/proc/{server}/stat").read_text():
                return
        except OSError:
            return
        time.sleep(0.1)
    os.kill(server, signal.SIGKILL)
    pytest.fail("the experts outlived the demo")
