"""R is a weighted sum of parts, ours and those of packages; what fails in them is said in one sentence."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from toolscale.artifacts import CallOutcome, EnvironmentSpec, Task, Trajectory, Verdict
from toolscale.episodes.loop import Ending
from toolscale.errors import UserError
from toolscale.questions.step_sets import steps_in
from toolscale.questions.task import QuestionTask
from toolscale.rewards import RewardVector
from toolscale.rewards.toolrl import TrainingProgress, episode_reward
from trainer import grpo
from trainer.config import Config, Rewarding
from trainer.distributed import Processes
from trainer.rewards import functions as reward_functions
from trainer.rewards.functions import GROUP
from trainer.rewards.parts import check_parts
from trainer.rewards.rewarding import Reward, group_rewards, part_means
from trainer.sequence import Group, Rollout, TokenSequence
from trainer.settings_file import PRESETS
from trainer.tasks.exercise import Exercise, Playable, QuestionExercise, StepExercise

from .test_mix import write_step_set
from .test_toolrl import SHRUNKEN

START = TrainingProgress(0, 10)


@pytest.fixture
def exercise(environment: EnvironmentSpec, tasks: list[Task]) -> Exercise:
    return Exercise(tasks[0], environment, ("find_coat", "hang_coat"))


@pytest.fixture
def step() -> StepExercise:
    tool = '[{"name": "add", "parameters": {"a": {"type": "int"}, "b": {"type": "int"}}}]'
    answers = '[{"name": "add", "arguments": {"a": 1, "b": 2}}]'
    (made,), _ = steps_in([{"query": "Add 1 and 2.", "tools": tool, "answers": answers}], "here")
    return StepExercise(made)


def rollout(exercise: Exercise, made: int, ending: Ending = "done", *, solved: bool | None = None) -> Rollout:
    """One that makes the first `made` golden calls; it is solved with both, unless told else."""
    calls = [CallOutcome(name=each.name, arguments=each.arguments) for each in exercise.task.golden_calls[:made]]
    solved = made == len(exercise.task.golden_calls) if solved is None else solved
    function = [{"function": {"name": each.name, "arguments": json.dumps(each.arguments)}} for each in calls]
    messages = [{"role": "assistant", "content": None, "tool_calls": [each]} for each in function]
    trajectory = Trajectory(
        task_id=exercise.id, messages=[*messages, {"role": "assistant", "content": "Done."}], calls=calls
    )
    return Rollout(
        task_id=exercise.id,
        sequence=TokenSequence.of_prompt([1]),
        trajectory=trajectory,
        verdict=Verdict(execution=solved, fidelity=True, completeness=True),
        ending=ending,
        vector=RewardVector.of(
            trajectory, exercise.offered, solved=solved and ending == "done", dollars=0.01 * made, seconds=1.0
        ),
        fault="no closing tag" if ending == "malformed" else None,
    )


def rewards_of(exercise: Exercise, rollouts: list[Rollout], **rewarding: Any) -> list[Reward]:
    group = Group(exercise.id, tuple(rollouts))
    return group_rewards(group, exercise, Rewarding.model_validate(rewarding), START)


def test_r_is_the_weighted_sum_of_its_parts_which_stand_beside_it(exercise: Exercise) -> None:
    parts = {"outcome": 1.0, "matched_calls": 0.5, "format": 0.25, "correctness": -0.125, "preference": 2.0}
    rollouts = [rollout(exercise, made) for made in (0, 1, 2)]
    found = rewards_of(exercise, rollouts, parts=parts, preference={"outcome": 1.0, "compute": 0.5})
    correctness = [episode_reward(each.trajectory, exercise.task).correctness for each in rollouts]
    assert [each.parts["outcome"] for each in found] == [0, 0, 1]
    assert [each.parts["matched_calls"] for each in found] == [0, 0.5, 1]
    assert [each.parts["format"] for each in found] == [1, 1, 1]
    assert [each.parts["correctness"] for each in found] == correctness
    assert [each.parts["preference"] for each in found] == [0, 0, 1]
    for each in found:
        assert each.total == pytest.approx(sum(weight * each.parts[name] for name, weight in parts.items()))


def test_without_parts_r_is_the_reward_of_a_paper_in_its_own_parts(exercise: Exercise) -> None:
    rollouts = [rollout(exercise, made) for made in (0, 2)]
    by_preference, by_toolrl = (rewards_of(exercise, rollouts, kind=kind) for kind in ("preference", "toolrl"))
    assert [(each.total, dict(each.parts)) for each in by_preference] == [
        (0.0, {"preference": 0.0}),
        (1.0, {"preference": 1.0}),
    ]
    for each, one in zip(by_toolrl, rollouts, strict=True):
        wanted = episode_reward(one.trajectory, exercise.task, Rewarding().design(thinks=False))
        assert each.total == wanted.final
        assert each.parts == {"format": wanted.format, "correctness": wanted.correctness}
    with_length = rewards_of(exercise, rollouts, kind="toolrl", length="fixed")
    assert {tuple(each.parts) for each in with_length} == {("format", "correctness", "length")}


@pytest.mark.parametrize("ending", ["turn_limit", "length_limit", "message_limit", "context_limit", "malformed"])
def test_what_ends_at_a_limit_or_breaks_the_format_earns_nothing_for_its_task(
    exercise: Exercise, ending: Ending
) -> None:
    cut, whole = rollout(exercise, 2, ending), rollout(exercise, 2)
    parts = dict.fromkeys(("outcome", "preference", "matched_calls"), 1.0)
    found = rewards_of(exercise, [cut, whole, rollout(exercise, 0)], parts=parts)
    assert [each.total for each in found] == [0, 3, 0]


@pytest.mark.parametrize("schedule", ["constant", "dynamic"])
@pytest.mark.parametrize("ending", ["turn_limit", "length_limit", "message_limit", "context_limit", "malformed"])
def test_what_ends_at_a_limit_or_breaks_the_format_has_the_least_of_toolrls_parts(
    exercise: Exercise, ending: Ending, schedule: str
) -> None:
    rollouts = [rollout(exercise, 2, ending), rollout(exercise, 2), rollout(exercise, 0)]
    cut, whole, idle = rewards_of(exercise, rollouts, kind="toolrl", schedule=schedule, length="fixed")
    assert cut.parts["correctness"] == -whole.parts["correctness"]  # each scale goes as far down as up
    assert cut.parts["format"] < whole.parts["format"]
    assert cut.parts["length"] == 0
    assert cut.total < idle.total < whole.total


def test_a_step_is_scored_by_what_it_spells_also_where_it_was_cut(step: StepExercise) -> None:
    call = '{"name": "add", "parameters": {"a": 1, "b": 2}}'
    written = [f"<think>Add.</think>\n<tool_call>\n{call}\n</tool_call>", "<tool_call>\n{call}", "No."]
    rollouts = []
    for text in written:
        trajectory = Trajectory(task_id=step.id, messages=[{"role": "assistant", "content": text}])
        verdict = Verdict(execution=text == written[0], fidelity=True, completeness=True)
        vector = RewardVector.of(trajectory, (), solved=verdict.solved, dollars=0.0, seconds=0.0)
        rollouts.append(Rollout(step.id, TokenSequence.of_prompt([1]), trajectory, verdict, "length_limit", vector))
    parts = dict.fromkeys(("outcome", "matched_calls", "format", "correctness", "preference"), 1.0)
    found = group_rewards(Group(step.id, tuple(rollouts)), step, Rewarding(parts=parts), START)
    assert found[0].parts == {"outcome": 1, "matched_calls": 1, "format": 1, "correctness": 3}
    assert [each.parts["matched_calls"] for each in found] == [1, 0, 0]
    assert [each.total for each in found] == [6, -3, -3]


def test_what_the_environment_broke_has_no_reward_and_is_in_no_mean(exercise: Exercise) -> None:
    found = rewards_of(
        exercise, [rollout(exercise, 2), rollout(exercise, 2, "environment_error")], parts={"outcome": 1.0}
    )
    assert found == [Reward(1.0, {"outcome": 1.0}), Reward(0.0, {})]
    assert part_means(found, Rewarding(parts={"outcome": 1.0}), Processes()) == {"reward/outcome": 1.0}


def test_a_part_is_in_the_sum_where_it_has_a_value_and_in_means_of_these_alone(exercise: Exercise) -> None:
    rewarding = Rewarding(parts={"outcome": 1.0, "matched_calls": 0.5})
    question = QuestionExercise(QuestionTask(id="q-1", question="What?", answer="This."))
    answered = replace(rollout(exercise, 2), task_id="q-1")
    (asked,) = group_rewards(Group("q-1", (answered,)), question, rewarding, START)
    assert asked == Reward(1.0, {"outcome": 1.0})
    (played,) = group_rewards(Group(exercise.id, (rollout(exercise, 1),)), exercise, rewarding, START)
    assert part_means([asked, played], rewarding, Processes()) == {"reward/outcome": 0.5, "reward/matched_calls": 0.5}


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs a package of reward functions on `sys.path`: ``offer("tidy-rewards", SOURCE, tidy="tidy:tidy")``."""
    monkeypatch.syspath_prepend(tmp_path)

    def forget() -> None:
        reward_functions._offers.cache_clear()
        reward_functions.reward_function.cache_clear()

    def install(package: str, module: str, source: str, **functions: str) -> None:
        told = tmp_path / f"{package.replace('-', '_')}-1.0.dist-info"
        told.mkdir()
        (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {place}\n" for name, place in functions.items())
        (told / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}")
        (tmp_path / f"{module}.py").write_text(source)
        monkeypatch.delitem(__import__("sys").modules, module, raising=False)
        forget()

    yield install
    monkeypatch.undo()
    forget()


def test_a_function_of_a_package_is_a_part_and_sees_task_conversation_calls_and_verdict(
    offer: Callable[..., None], exercise: Exercise
) -> None:
    source = """
def brevity(transcript):
    assert transcript.task.id == "cloakroom-01"
    assert transcript.messages[-1]["content"] == "Done."
    assert transcript.verdict.solved == (len(transcript.calls) == 2)
    return -len(transcript.calls) if transcript.ending == "done" else True
"""
    offer("short-rewards", "short_rewards", source, brevity="short_rewards:brevity")
    parts = {"outcome": 1.0, "brevity": 0.1}
    check_parts([exercise], Rewarding(parts=parts))
    rollouts = [rollout(exercise, 1), rollout(exercise, 2), rollout(exercise, 2, "turn_limit")]
    found = rewards_of(exercise, rollouts, parts=parts)
    assert [each.total for each in found] == pytest.approx([-0.1, 0.8, 0.1])
    assert [each.parts["brevity"] for each in found] == [-1.0, -2.0, 1.0]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise KeyError('hook')", "raised KeyError: 'hook'"),
        ("raise ValueError('one\\ntwo')", "raised ValueError: one two"),
        ("return None", "gave None, which is no finite number"),
        ("return float('nan')", "gave nan"),
        ("return 'much'", "gave 'much'"),
        ("return [1.0]", "gave \\[1.0\\]"),
        ("return float('inf')", "gave inf, which is no finite number"),
        ("return 1e308", "gave 1e\\+308, and beside what is over 1,000,000 no other part of R counts"),
        ("return -10 ** 400", "gave -1000.*, and beside what is over"),
        ("import torch; return torch.tensor(0.5)", "gave tensor\\(0.5000\\), .*: make it a float, as by float"),
        ("raise SystemExit(3)", "raised SystemExit: 3, at bad_rewards.py:2"),
        ("return __import__('json').loads('{')", "raised JSONDecodeError: .*, at bad_rewards.py:2"),
    ],
)
def test_a_function_that_fails_or_gives_no_number_ends_the_training_in_a_sentence(
    offer: Callable[..., None], exercise: Exercise, body: str, said: str
) -> None:
    offer("bad-rewards", "bad_rewards", f"def bad(transcript):\n    {body}\n", bad="bad_rewards:bad")
    with pytest.raises(UserError, match=said) as raised:
        rewards_of(exercise, [rollout(exercise, 1)], parts={"bad": 1.0})
    assert "`bad` of the package `bad-rewards`" in str(raised.value)
    assert "at the task cloakroom-01" in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("source", "place", "said"),
    [
        ("import no_such_module", "odd_rewards:odd", "cannot be imported (ModuleNotFoundError"),
        ("", "odd_rewards:odd", "cannot be imported (AttributeError"),
        ("1 / 0", "odd_rewards:odd", "cannot be imported (ZeroDivisionError"),
        ("odd = 3", "odd_rewards:odd", "is `odd_rewards:odd`, which is no function"),
        ("\nraise SystemExit(1)", "odd_rewards:odd", "cannot be imported (SystemExit: 1, at odd_rewards.py:2)"),
        ("def odd(a, b): ...", "odd_rewards:odd", "takes (a, b), and is given one transcript (missing a required"),
        ("def odd(): ...", "odd_rewards:odd", "takes (), and is given one transcript (too many"),
        ("async def odd(a): ...", "odd_rewards:odd", "is `async`, and is not awaited"),
        ("class Odd:\n  async def __call__(self, a): ...\nodd = Odd()", "odd_rewards:odd", "is `async`"),
        ("def odd(a): yield 1", "odd_rewards:odd", "which yields: let it return a number"),
    ],
)
def test_a_function_that_cannot_be_had_is_refused_before_anything_is_played(
    offer: Callable[..., None], exercise: Exercise, source: str, place: str, said: str
) -> None:
    offer("odd-rewards", "odd_rewards", source, odd=place)
    with pytest.raises(UserError) as raised:
        check_parts([exercise], Rewarding(parts={"odd": 1.0}))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_a_function_raised_is_in_the_log_with_its_whole_traceback(
    offer: Callable[..., None], exercise: Exercise, caplog: pytest.LogCaptureFixture
) -> None:
    source = "def bad(transcript):\n    return helped(transcript)\n\ndef helped(it):\n    return it.verdict['solved']\n"
    offer("bad-rewards", "bad_rewards", source, bad="bad_rewards:bad")
    with pytest.raises(UserError, match=r"raised TypeError: .*, at bad_rewards\.py:5, at the task"):
        rewards_of(exercise, [rollout(exercise, 1)], parts={"bad": 1.0})
    assert 'bad_rewards.py", line 2, in bad' in caplog.text
    assert 'bad_rewards.py", line 5, in helped' in caplog.text


def test_an_interrupt_in_a_function_is_the_users_own(offer: Callable[..., None], exercise: Exercise) -> None:
    offer("bad-rewards", "bad_rewards", "def bad(transcript):\n    raise KeyboardInterrupt\n", bad="bad_rewards:bad")
    with pytest.raises(KeyboardInterrupt):
        rewards_of(exercise, [rollout(exercise, 1)], parts={"bad": 1.0})


def test_what_a_function_changes_is_in_no_record_and_no_other_reward(
    offer: Callable[..., None], exercise: Exercise
) -> None:
    source = """
def rude(transcript):
    seen = len(transcript.messages) + len(transcript.task.golden_calls)
    transcript.calls[0].arguments.clear()
    transcript.messages[0]["tool_calls"][0]["function"]["name"] = "spoiled"
    for each in (transcript.messages, transcript.calls, transcript.task.golden_calls):
        each.clear()
    return seen
"""
    offer("rude", "rude", source, rude="rude:rude", ruder="rude:rude")
    played = rollout(exercise, 2)
    before = played.trajectory.model_dump_json(), exercise.task.model_dump_json()
    (found,) = rewards_of(exercise, [played], parts={"rude": 1.0, "ruder": 1.0})
    assert found.parts["rude"] == found.parts["ruder"] > 0
    assert (played.trajectory.model_dump_json(), exercise.task.model_dump_json()) == before


def test_names_that_nobody_or_two_offer_are_refused_with_those_that_there_are(
    offer: Callable[..., None], exercise: Exercise
) -> None:
    offer("one", "one", "tidy = outcome = abs", tidy="one:tidy", outcome="one:outcome")
    with pytest.raises(UserError, match=r"there is no part `tydi`; ours are outcome, .* offer outcome, tidy"):
        check_parts([exercise], Rewarding(parts={"tydi": 1.0}))
    with pytest.raises(UserError, match="`outcome` is a part of ours and of the package one: rename"):
        check_parts([exercise], Rewarding(parts={"outcome": 1.0}))
    offer("two", "two", "tidy = abs", tidy="two:tidy")
    with pytest.raises(UserError, match="`tidy` is offered by the packages one and two"):
        check_parts([exercise], Rewarding(parts={"tidy": 1.0}))


def test_parts_that_no_exercise_of_a_dataset_has_are_refused() -> None:
    question: Playable = QuestionExercise(QuestionTask(id="q-1", question="What?", answer="This."))
    check_parts([question], Rewarding(parts={"format": 1.0, "outcome": 0.1}))
    with pytest.raises(UserError, match="none of format, outcome has a value at q-1"):
        check_parts([question], Rewarding(parts={"format": 1.0, "outcome": 0.0}))


def test_a_training_earns_parts_tells_them_by_name_and_refuses_unknown_ones_before_a_model_is_loaded(
    offer: Callable[..., None], tiny_llama: Path, tmp_path: Path
) -> None:
    source = "def brief(transcript):\n    return 1 / (1 + len(transcript.messages[-1]['content'] or ''))\n"
    offer("brief-rewards", "brief_rewards", source, brief="brief_rewards:brief")
    folder = write_step_set(tmp_path / "steps", 4)
    settings = {
        **SHRUNKEN,
        "model.path": str(tiny_llama),
        "rewarding.kind": "preference",
        "rewarding.parts": {"correctness": 1.0, "brief": 2.0},
        "algorithm.minibatches": 1,
    }
    del settings["warm_start"]
    config = Config.read(PRESETS / "toolrl-grpo.yaml", settings)
    lines: list[dict[str, Any]] = []
    grpo.train(config, folder, tmp_path / "out", hear=lines.append)
    (taught,) = (line for line in lines if line["kind"] == "train")
    assert 0 < taught["reward/brief"] < 1
    assert -3 <= taught["reward/correctness"] <= 3
    assert taught["reward_mean"] == pytest.approx(taught["reward/correctness"] + 2 * taught["reward/brief"])
    assert "reward: 1 correctness + 2 brief" in (tmp_path / "out" / "model" / "README.md").read_text()
    unknown = Config.read(
        PRESETS / "toolrl-grpo.yaml", {**settings, "rewarding.parts": {"tydi": 1.0}, "model.path": "nowhere"}
    )
    with pytest.raises(UserError, match="there is no part `tydi`"):
        grpo.train(unknown, folder, tmp_path / "other", hear=lines.append)
