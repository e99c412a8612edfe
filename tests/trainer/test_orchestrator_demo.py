"""The orchestrator demo: its tasks are like all others, its lessons favour no way, and what it calls best is best."""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from toolscale.artifacts import Call
from toolscale.checkers import GateContext, judge, run_gates
from toolscale.dataset.folder import read_trajectories
from toolscale.environment import Sandbox
from toolscale.mock_endpoint.experts.claims import REMEDIES
from toolscale.rewards import RewardVector
from trainer.config import Config
from trainer.demo.experts import experts_at
from trainer.demo.running import as_demo, own_model
from trainer.grpo import train
from trainer.orchestrator_demo import desk
from trainer.orchestrator_demo.__main__ import PRESET
from trainer.orchestrator_demo.dataset import (
    EXPERTS,
    FAULTS,
    PROMISES,
    mix_of,
    places_of,
    write_claims,
)
from trainer.orchestrator_demo.report import Claim, Report, gain_of, write_report
from trainer.orchestrator_demo.ways import BEST, LARGE, SMALL, WAYS, WISHES
from trainer.orchestrator_demo.yardstick import Yardstick, measure, way_of
from trainer.output.metrics import read_metrics
from trainer.rollout.attempts import read_attempts
from trainer.rollout.chat import Chat
from trainer.tasks.data import Exercises, read_exercises
from trainer.tasks.exercise import Exercise
from trainer.tasks.mix import mixed

from .formats import tokenizer_of

ORDERS = 240
TOPICS = ("promise", "lamp", "radio")
CLAIMED = {
    ("low cost", "promise"): "itself",
    ("low cost", "lamp"): "small",
    ("low cost", "radio"): "large",
    **{("large", topic): "large" for topic in TOPICS},
}
"""Wish and topic -> the best way."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the claims and a catalogue, while the experts in it are at work."""
    folder = tmp_path_factory.mktemp("orchestrate")
    with pytest.MonkeyPatch.context() as patched, experts_at(folder / "catalogue.toml", 0, EXPERTS):
        patched.setenv("TOOLSCALE_DATA_ROOT", str(folder / "data"))
        write_claims(folder / "claims", folder / "catalogue.toml", orders=ORDERS)
        yield folder


def settings_of(made: Path, **changes: Any) -> Config:
    own = {
        "tools.catalogue": str(made / "catalogue.toml"),
        "data.mix": mix_of(made / "claims"),
        # The tests' tokenizer has a small vocabulary, and so makes many tokens.
        "rollouts.max_prompt_tokens": 3000,
        "rollouts.context_tokens": 4000,
        "rollouts.max_sampled_tokens": 1500,
        "rollouts.max_message_tokens": 400,
    }
    return Config.read(PRESET, own | changes)


@pytest.fixture(scope="module")
def exercises(made: Path) -> Exercises:
    settings = settings_of(made)
    return read_exercises(None, settings.data, 0, settings.tools)


@pytest.fixture(scope="module")
def yardstick(made: Path, exercises: Exercises, tokenizer: Any) -> Yardstick:
    return asyncio.run(measure(settings_of(made), exercises, Chat(tokenizer)))


def test_every_claim_passes_every_program_gate() -> None:
    environment = desk.environment(orders=8)
    with Sandbox(environment) as sandbox:
        context = GateContext(sandbox)
        for topic in TOPICS:
            proposed = desk.tasks(environment, topic)
            assert len(proposed) == 8
            for task in proposed:
                assert [gate.gate for gate in run_gates(task, context) if not gate.passed] == [], task.instruction


def test_a_guess_is_right_one_time_in_four() -> None:
    environment = desk.environment(orders=40)
    for topic in TOPICS:
        remedies = Counter(task.golden_calls[-1].name for task in desk.tasks(environment, topic))
        assert remedies == dict.fromkeys(REMEDIES, 10)


def test_every_claim_offers_both_experts_and_its_user_wants_one_of_two_things(exercises: Exercises) -> None:
    for split in (exercises.train, exercises.held_out):
        wanted = defaultdict(set)
        for one in split:
            assert isinstance(one, Exercise)
            assert one.offered == ("look_up", *REMEDIES, SMALL, LARGE)
            assert one.wanted is not None
            (told,) = [words for words in WISHES.values() if words in one.messages[-1]["content"]]
            wanted[told].add(tuple(one.wanted[-5:]))
        assert wanted == {WISHES["low cost"]: {(0, 0, 1, 0.9, 0)}, WISHES["large"]: {(0, 1, 1, 0, 0)}}
    assert not {one.id for one in exercises.train} & {one.id for one in exercises.held_out}


def test_a_training_wants_each_way_as_often_as_the_next(made: Path, exercises: Exercises) -> None:
    settings = settings_of(made)
    count, whole = settings.algorithm.tasks_per_step, Counter[str | None]()
    for step in range(settings.steps):
        wanted = Counter[str | None]()
        for one in mixed(exercises.train, step * count, count, settings.data, settings.seed):
            assert isinstance(one, Exercise)
            assert one.instance is not None
            assert one.instance.preference is not None
            wanted[BEST.chooses(one.task.intent, one.instance.preference.theme)] += 1
        assert max(wanted.values()) <= count - 2
        whole += wanted
    assert max(whole.values()) - min(whole.values()) <= len(WAYS)


def test_the_lessons_take_the_best_way_twice_as_often_as_each_other_and_all_are_solved(
    made: Path, exercises: Exercises
) -> None:
    known = {one.id: one for one in exercises.train}
    taken: Counter[tuple[str, str, str]] = Counter()
    promised: Counter[tuple[str, str, str]] = Counter()
    for row in (row for place in places_of(made / "claims").values() for _, row in read_trajectories(place)):
        one = known[row["task_id"]]
        assert isinstance(one, Exercise)
        assert one.instance is not None
        assert one.instance.preference is not None
        made_calls = [call["function"] for message in row["messages"] for call in message.get("tool_calls") or ()]
        names = [call["name"] for call in made_calls]
        asked = set(names) & {SMALL, LARGE}
        way = {frozenset({SMALL}): "small", frozenset({LARGE}): "large"}.get(frozenset(asked), "itself")
        wish = one.instance.preference.theme
        taken[wish, one.task.intent, way] += 1
        if one.task.intent == "promise":
            promised[wish, way, one.task.golden_calls[-1].name] += 1
        noted = [message["content"] for message in row["messages"] if message["role"] == "assistant"][1]
        records: Any = one.environment.database["orders"]
        claim = records[one.task.golden_calls[0].arguments["order"]]["claim"]
        assert noted == f"{claim}, {wish}", "what it goes by stands before the call"
        own = [Call(name=call["name"], arguments=json.loads(call["arguments"])) for call in made_calls]
        with Sandbox(one.environment) as sandbox:
            verdict = judge(sandbox, one.task, [call for call in own if call.name not in asked], [])
        assert verdict.solved, verdict.reasons
    for wish in WISHES:
        for topic in TOPICS:
            each = len(REMEDIES) * PROMISES if topic == "promise" else FAULTS
            for way in WAYS:
                assert taken[wish, topic, way] == (2 * each if CLAIMED[wish, topic] == way else each)
    for wish, way, remedy in product(WISHES, WAYS, REMEDIES):
        twice = CLAIMED[wish, "promise"] == way
        assert promised[wish, way, remedy] == (2 * PROMISES if twice else PROMISES), "a promise is read, not guessed"


def test_in_every_situation_the_way_that_the_demo_calls_best_earns_most(yardstick: Yardstick) -> None:
    earned: defaultdict[tuple[str, str], defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for way in WAYS:
        for task, attempt in yardstick.rules[way].items():
            assert way_of(attempt) == way
            earned[yardstick.situation(task)][way].append(yardstick.reward(task, attempt))
    assert earned.keys() == CLAIMED.keys()
    for situation, best in CLAIMED.items():
        means = {way: mean(rewards) for way, rewards in earned[situation].items()}
        others = max(own for way, own in means.items() if way != best)
        assert means[best] > others + 0.1, (situation, means)
        assert BEST.chooses(situation[1], situation[0]) == WAYS[best]


@pytest.mark.parametrize(
    ("form", "arguments"),
    [("llama3_json", None), ("qwen3_coder", None), ("gemma4", {"enable_thinking": True})],
    ids=["llama3_json", "qwen3_coder", "gemma4"],
)
def test_the_rules_speak_the_format_that_the_policys_chat_reads(
    form: str, arguments: dict[str, Any] | None, made: Path, exercises: Exercises, tokenizer: Any
) -> None:
    pytest.importorskip("vllm", reason="formats beside Hermes' are read by vLLM's parsers")
    chat = Chat(tokenizer_of(form, tokenizer), arguments)
    assert chat.form.name == form
    room = {"rollouts.max_prompt_tokens": 6000, "rollouts.context_tokens": 9000, "evaluation.tasks": 3}
    measured = asyncio.run(measure(settings_of(made, **room), exercises, chat))
    for way in WAYS:
        assert {way_of(attempt) for attempt in measured.rules[way].values()} == {way}
    assert any(attempt.solved for attempt in measured.rules["best"].values())


def test_no_single_way_earns_as_much_as_the_best_for_each(yardstick: Yardstick) -> None:
    def earned(rule: str, wish: str) -> float:
        own = {task: each for task, each in yardstick.rules[rule].items() if yardstick.situation(task)[0] == wish}
        return mean(yardstick.reward(task, each) for task, each in own.items())

    assert all(earned("best", "low cost") > earned(way, "low cost") + 0.1 for way in WAYS)
    assert (
        earned("best", "large") == earned("large", "large") > max(earned("itself", "large"), earned("small", "large"))
    )


def test_a_rule_pays_what_the_expert_states(yardstick: Yardstick) -> None:
    dollars = {way: mean(each.dollars for each in yardstick.rules[way].values()) for way in WAYS}
    assert dollars["large"] == pytest.approx(3 * dollars["small"], rel=0.2)
    assert dollars["itself"] < 0.1 * dollars["small"] + 1e-4


def test_the_report_has_every_policy_by_wish_and_by_topic(yardstick: Yardstick, made: Path, tmp_path: Path) -> None:
    lines = [
        {"kind": "train", "step": 1, f"calls_{SMALL}": 0.5, f"calls_{LARGE}": 0.25, "dollars": 0.001}
        | {"solved": 0.5, "reward_mean": 0.4}
    ]
    rules = yardstick.rules
    nothing = {
        task: RewardVector(each.tools, (0,) * len(each.tools), solved=False, dollars=0.0, seconds=1.0)
        for task, each in rules["best"].items()
    }
    report = Report.of(settings_of(made, seed=3), yardstick, nothing, rules["best"], lines, 61.26)
    write_report(report, tmp_path)
    told = json.loads((tmp_path / "report.json").read_text())
    assert (told["seed"], told["seconds"], told["steps"]) == (3, 61.3, 1)
    assert told["before"]["reward"]["mean"] == 0
    assert told["before"]["cents_per_solved"] is None, "nothing was solved"
    assert told["after"] == told["rules"]["best"]
    assert told["gain"]["reward"] == told["after"]["reward"], "from nothing"
    after = told["after"]
    assert after["reward"]["low"] < after["reward"]["mean"] < after["reward"]["high"]
    assert after["tasks"] == sum(own["tasks"] for own in after["by_wish"].values()) == len(rules["best"])
    assert told["before"]["by_wish"]["large"]["by_topic"]["lamp"]["ways"] == dict.fromkeys(WAYS, 0) | {"nobody": 1}
    for (wish, topic), way in CLAIMED.items():
        assert after["by_wish"][wish]["by_topic"][topic]["ways"][way] == 1
    dollars, solved = (sum(getattr(each, name) for each in rules["best"].values()) for name in ("dollars", "solved"))
    assert after["cents_per_solved"]["mean"] == pytest.approx(100 * dollars / solved)
    page = (tmp_path / "report.html").read_text()
    assert "data:image/png;base64,iVBOR" in page
    assert "nothing was solved" in page


def test_the_gain_is_that_of_each_claim_and_of_all_trainings_on_it(yardstick: Yardstick) -> None:
    rules, wishes = yardstick.rules, {task: yardstick.situation(task)[0] for task in yardstick.exercises}

    def trained(before: str, after: str) -> list[Claim]:
        return [Claim.of(task, yardstick, each, rules[after][task]) for task, each in rules[before].items()]

    def mean_reward(rule: str) -> float:
        return mean(yardstick.reward(task, each) for task, each in rules[rule].items())

    upwards, nowhere = trained("small", "best"), trained("small", "small")
    gain, half = gain_of([upwards]), gain_of([upwards, nowhere])
    assert gain["reward"]["mean"] == pytest.approx(mean_reward("best") - mean_reward("small"))
    assert gain["reward"]["low"] < gain["reward"]["mean"] < gain["reward"]["high"]
    for name in ("reward", "solved", "cents"):
        for end in ("mean", "low", "high"):
            assert half[name][end] == pytest.approx(gain[name][end] / 2), "as many claims, not twice as many"
    assert gain_of([nowhere])["reward"] == {"mean": 0, "low": 0, "high": 0}
    assert [Claim.read(asdict(claim)) for claim in upwards] == upwards
    assert {claim.wish for claim in upwards} == {*wishes.values()}


def test_a_training_on_claims_keeps_every_attempt_for_the_report(made: Path, tiny_llama: Path, tmp_path: Path) -> None:
    changes = {
        "model.path": str(tiny_llama),
        "model.dtype": "float32",
        "rollouts.backend": "transformers",
        "rollouts.max_message_tokens": 20,
        "rollouts.sandboxes": 1,
        "algorithm.tasks_per_step": 1,
        "algorithm.rollouts_per_task": 2,
        "warm_start.examples": 3,
        "warm_start.epochs": 1,
        "evaluation.tasks": 2,
        "steps": 1,
    }
    train(settings_of(made, **changes), None, tmp_path / "out", hear=lambda line: None)
    evaluations = [line for line in read_metrics(tmp_path / "out") if line["kind"] == "evaluation"]
    for step, line in enumerate(evaluations):
        attempts = read_attempts(tmp_path / "out" / "attempts", step)
        assert len(attempts) == 2
        assert mean(each.dollars for each in attempts.values()) == pytest.approx(line["dollars"])
        assert sum(each.solved for each in attempts.values()) == line["solved"]


def test_only_a_model_on_the_hub_takes_a_demo_to_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, offline in ((str(own_model(tmp_path)), "1"), (str(tmp_path), "1"), ("lab/model", None)):
        with monkeypatch.context() as patched:
            environment: dict[str, str] = {}
            patched.setattr("os.environ", environment)
            as_demo(tmp_path, Config.read(PRESET, {"model.path": path}))
            assert environment.get("HF_HUB_OFFLINE") == offline
