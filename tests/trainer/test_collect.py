"""Episodes of a model in the real sandbox, judged by the real checkers."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from toolscale.artifacts import GoldenCall
from toolscale.checkers import judge
from toolscale.environment import Sandbox
from toolscale.environment.sandbox import Trajectory
from toolscale.errors import UserError
from trainer.config import Model, Rewarding, Rollouts
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.decoding import GREEDY
from trainer.rollout.engine import Completion, EngineDied, NotServed
from trainer.rollout.evaluation import Evaluated
from trainer.rollout.transformers_engine import TransformersEngine
from trainer.sequence import SPOILED, Group
from trainer.tasks.exercise import Exercise

from .forward import logprobs_of
from .teaching import lesson

LIMITS = Rollouts(
    backend="transformers",
    max_turns=6,
    max_prompt_tokens=600,
    max_sampled_tokens=200,
    context_tokens=1024,
    at_once=6,
    sandboxes=2,
)
PRICES = Rewarding(dollars_per_million_prompt_tokens=1.0, dollars_per_million_sampled_tokens=10.0)


def engine_of(folder: Path) -> TransformersEngine:
    chat = Chat(AutoTokenizer.from_pretrained(folder))
    return TransformersEngine.load(Model(path=str(folder), dtype="float32"), LIMITS, chat.stop_ids, torch.device("cpu"))


@pytest.fixture(scope="module")
def engine(taught_llama: Path) -> TransformersEngine:
    return engine_of(taught_llama)


@pytest.fixture
def collector(engine: TransformersEngine, tokenizer: Any) -> Iterator[Collector]:
    with Collector(engine, Chat(tokenizer), LIMITS, PRICES) as made:
        yield made


def collect(collector: Collector, exercises: list[Exercise], count: int, **others: Any) -> list[Group]:
    return asyncio.run(collector.groups(exercises, count, **{"seed": "0", **others}))


def limited(engine: Any, tokenizer: Any, **limits: Any) -> Collector:
    return Collector(engine, Chat(tokenizer), LIMITS.model_copy(update=limits), PRICES)


class Recites:
    """An engine that says a lesson of three messages over and over, whatever it is asked."""

    context_limit = 1024

    def __init__(self, chat: Chat, said: list[dict[str, Any]], tools: Any) -> None:
        sequence = chat.recorded(said, tools)
        mine = [token for token, sampled in zip(sequence.ids, sequence.sampled, strict=True) if sampled]
        ends = [0, *(place + 1 for place, token in enumerate(mine) if token == chat.end_of_turn)]
        self._messages = cycle([mine[begins:end] for begins, end in pairwise(ends)][:3])

    def seat(self) -> AbstractContextManager[None]:
        return nullcontext()

    async def sample(self, prompt: Any, sampling: Any) -> Completion:
        ids = next(self._messages)
        return Completion(ids, [-0.5] * len(ids), "stop", 0)


def test_episodes_run_in_the_sandbox_and_are_judged_by_the_checkers(
    collector: Collector, exercises: list[Exercise], tokenizer: Any
) -> None:
    groups = collect(collector, exercises[:8], 3)
    assert [group.task_id for group in groups] == [exercise.task.id for exercise in exercises[:8]]
    with Sandbox(exercises[0].environment) as sandbox:
        for exercise, group in zip(exercises, groups, strict=False):
            for rollout in group.rollouts:
                played = rollout.trajectory
                assert rollout.verdict == judge(sandbox, exercise.task, played.calls, played.agent_messages)
                assert sandbox.run(played.calls, fresh=True).outcomes == tuple(played.calls)
                assert rollout.vector.solved == rollout.verdict.solved
                assert sum(rollout.vector.calls) <= len(played.calls)


def test_golden_calls_and_the_fact_solve_the_task_and_nothing_less_does(
    engine: TransformersEngine, tokenizer: Any, exercises: list[Exercise]
) -> None:
    chat = Chat(tokenizer)
    with limited(Recites(chat, lesson(exercises[0]), exercises[0].tools), tokenizer, at_once=1) as collector:
        (right,), (wrong,) = (group.rollouts for group in collect(collector, exercises[:2], 1))
    assert right.verdict.solved
    assert right.ending == wrong.ending == "done"
    assert right.vector.calls == (1, 1)
    assert right.sequence.ids == chat.recorded(lesson(exercises[0]), exercises[0].tools).ids
    assert (wrong.verdict.execution, wrong.verdict.fidelity, wrong.verdict.completeness) == (False, False, False)


def test_an_episode_is_played_on_the_state_that_its_task_begins_with(
    engine: TransformersEngine, tokenizer: Any, exercises: list[Exercise]
) -> None:
    first = exercises[0]
    moved = GoldenCall(action_id="start", name="hang_coat", arguments={"ticket": "T1", "hook": 99})
    begun = Exercise(first.task.model_copy(update={"start": [moved]}), first.environment, first.functions)
    with limited(Recites(Chat(tokenizer), lesson(first), first.tools), tokenizer, at_once=1) as collector:
        ((rollout,),) = (group.rollouts for group in collect(collector, [begun], 1))
    found, _ = rollout.trajectory.calls
    assert found.result == {"ticket": "T1", "hook": 99}
    assert rollout.verdict.solved


def test_golden_calls_that_hang_twice_break_the_group_and_once_cost_nothing(
    engine: TransformersEngine, tokenizer: Any, exercises: list[Exercise], monkeypatch: pytest.MonkeyPatch
) -> None:
    make, first = Trajectory.make, exercises[0]
    for hangs, ending in ((1, "done"), (2, "environment_error")):
        made: list[Any] = []

        def slow(self: Trajectory, calls: Any, hangs: int = hangs, made: list[Any] = made) -> None:
            made.append(calls)
            if len(made) <= hangs:
                raise TimeoutError
            make(self, calls)

        monkeypatch.setattr(Trajectory, "make", slow)
        with limited(Recites(Chat(tokenizer), lesson(first), first.tools), tokenizer, at_once=1) as collector:
            ((rollout,),) = (group.rollouts for group in collect(collector, [first], 1))
        assert (rollout.ending, rollout.solved) == (ending, ending == "done")
        found = Evaluated.of([rollout])
        assert (found.tasks, found.environment_errors) == ((1, 0) if ending == "done" else (0, 1))


def test_ids_are_the_conversation_and_only_ever_appended_to(
    collector: Collector, exercises: list[Exercise], tokenizer: Any, taught_llama: Path
) -> None:
    model = AutoModelForCausalLM.from_pretrained(taught_llama, dtype=torch.float32)
    chat = Chat(tokenizer)
    turns = []
    for exercise, group in zip(exercises[:4], collect(collector, exercises[:4], 2), strict=True):
        for rollout in group.rollouts:
            sequence, messages = rollout.sequence, rollout.trajectory.messages
            assert len(sequence.ids) == len(sequence.sampled) == len(sequence.logprobs)
            assert sequence.ids[: sequence.prompt_length] == chat.opening(messages[:2], exercise.tools)
            assert not any(sequence.sampled[: sequence.prompt_length])
            expected = logprobs_of(model, sequence.ids)
            sampled = torch.tensor(sequence.sampled[1:])
            torch.testing.assert_close(
                torch.tensor(sequence.logprobs[1:])[sampled], expected[sampled], atol=1e-4, rtol=0
            )
            assert sampled.sum() == sequence.sampled_count == rollout.trajectory.completion_tokens
            text = tokenizer.decode(sequence.ids)
            assert all(message["content"] in text for message in messages if message["content"])
            turns.append(len(sequence.versions))
    assert max(turns) >= 2


def test_a_seed_decides_everything_but_the_seconds(collector: Collector, exercises: list[Exercise]) -> None:
    def told(groups: list[Group]) -> list[Any]:
        return [(one.sequence, one.trajectory, one.verdict, one.ending) for group in groups for one in group.rollouts]

    first = told(collect(collector, exercises[:5], 3))
    assert told(collect(collector, exercises[:5], 3)) == first
    assert told(collect(collector, exercises[:5], 3, seed="1")) != first
    twice = collect(collector, [exercises[0], exercises[0]], 2)
    assert told(twice[:1]) != told(twice[1:])


def test_every_message_is_paid_for(collector: Collector, exercises: list[Exercise]) -> None:
    ((rollout,),) = [group.rollouts for group in collect(collector, exercises[:1], 1, decoding=GREEDY)]
    sequence = rollout.sequence
    starts = [
        place for place in range(1, len(sequence)) if sequence.sampled[place] and (not sequence.sampled[place - 1])
    ]
    assert len(starts) == len(sequence.versions)
    assert rollout.trajectory.prompt_tokens == sum(starts)
    assert rollout.vector.dollars == pytest.approx((sum(starts) + 10 * sequence.sampled_count) / 1e6)
    assert rollout.vector.seconds > 0


def test_limits_end_an_episode_with_their_name(engine: Any, tokenizer: Any, exercises: list[Exercise]) -> None:
    room = len(Chat(tokenizer).opening(exercises[0].messages, exercises[0].tools))
    cut: list[tuple[dict[str, int], str]] = [
        ({"max_turns": 1}, "turn_limit"),
        ({"max_message_tokens": 5}, "message_limit"),
        ({"max_sampled_tokens": 5}, "length_limit"),
        ({"context_tokens": room + 5}, "context_limit"),
    ]
    for limits, ending in cut:
        with limited(engine, tokenizer, **limits) as collector:
            ((rollout,),) = [group.rollouts for group in collect(collector, exercises[:1], 1, decoding=GREEDY)]
        assert rollout.ending == ending
        assert len(rollout.sequence.versions) == 1
        assert rollout.sequence.sampled[-1]
        assert not rollout.verdict.solved


def test_what_a_limit_cuts_earns_nothing_also_where_all_calls_were_right(
    engine: Any, tokenizer: Any, exercises: list[Exercise]
) -> None:
    chat = Chat(tokenizer)
    told = lesson(exercises[0])
    *calls, last = (message for message in told if message["role"] == "assistant")
    lines = [chat.recorded([*told[:2], call], []) for call in calls[:-1]]
    lines.append(chat.recorded([*told[:2], {**calls[-1], "content": last["content"]}], []))
    said = [line.ids[line.prompt_length :] for line in lines]

    class Rambles:
        context_limit = 1024
        seat = engine.seat
        turn = -1

        async def sample(self, prompt: Any, sampling: Any) -> Completion:
            self.turn += 1
            ids = said[self.turn] if self.turn < len(said) else [tokenizer.encode("and")[0]] * sampling.max_tokens
            return Completion(ids, [-0.5] * len(ids), "stop" if self.turn < len(said) else "length", 0)

    with limited(Rambles(), tokenizer, max_message_tokens=40) as collector:
        ((rollout,),) = [group.rollouts for group in collect(collector, exercises[:1], 1)]
    assert rollout.ending == "message_limit"
    assert rollout.verdict.solved
    assert not rollout.solved
    found = Evaluated.of([rollout], [[rollout]], samples=1)
    assert (found.tasks, found.solved, found.pass_at) == (1, 0, {1: 0}), "an evaluation says what a reward says"


def test_a_broken_message_ends_the_episode_with_its_fault(
    tiny_llama: Path, tokenizer: Any, exercises: list[Exercise]
) -> None:
    broken = engine_of(tiny_llama)
    chat = Chat(tokenizer)
    open_tag = tokenizer.encode("<tool_call>{", add_special_tokens=False)

    class Says:
        context_limit = 1024
        seat = broken.seat

        async def sample(self, prompt: Any, sampling: Any) -> Any:
            return Completion([*open_tag, chat.end_of_turn], [-1.0] * (len(open_tag) + 1), "stop", 0)

    with limited(Says(), tokenizer) as collector:
        ((rollout,),) = [group.rollouts for group in collect(collector, exercises[:1], 1)]
    assert rollout.ending == "malformed"
    assert rollout.fault is not None
    assert "never closed" in rollout.fault
    assert rollout.trajectory.calls == []
    assert rollout.trajectory.agent_messages == []


def test_a_function_that_was_not_offered_does_not_run(collector: Collector, exercises: list[Exercise]) -> None:
    only_find = Exercise(exercises[0].task, exercises[0].environment, ("find_coat",))
    for rollout in collect(collector, [only_find], 4)[0].rollouts:
        assert all(call.name != "hang_coat" for call in rollout.trajectory.calls)
        assert rollout.vector.tools == ("find_coat",)
        assert not rollout.verdict.execution


def test_an_engine_that_dies_ends_all_episodes_with_its_own_error(
    engine: Any, tokenizer: Any, exercises: list[Exercise]
) -> None:
    class Dies:
        context_limit = 1024
        asked = 0
        seat = engine.seat

        async def sample(self, prompt: Any, sampling: Any) -> Any:
            self.asked += 1
            if self.asked > 2:
                raise EngineDied("the server at port 1 died")
            await asyncio.sleep(3600)

    async def play() -> None:
        with limited(Dies(), tokenizer) as collector:
            await asyncio.wait_for(collector.groups(exercises[:4], 2, "0"), 30)

    with pytest.raises(EngineDied, match="port 1"):
        asyncio.run(play())


def test_a_prompt_that_the_engine_does_not_serve_breaks_its_own_rollout(
    engine: Any, tokenizer: Any, exercises: list[Exercise]
) -> None:
    class FailsOnce:
        context_limit = 1024
        asked = 0
        seat = engine.seat

        async def sample(self, prompt: Any, sampling: Any) -> Completion:
            self.asked += 1
            if self.asked == 1:
                raise NotServed("the server at port 1 answers 500")
            return await engine.sample(prompt, sampling)

    with limited(FailsOnce(), tokenizer) as collector:
        (group,) = collect(collector, exercises[:1], 3)
    endings = [rollout.ending for rollout in group.rollouts]
    assert endings.count("environment_error") == 1
    broken = group.rollouts[endings.index("environment_error")]
    assert broken.ending in SPOILED
    assert not broken.solved


def test_prompts_over_the_limit_are_refused_or_left_out_with_a_warning(
    engine: Any, tokenizer: Any, exercises: list[Exercise], caplog: pytest.LogCaptureFixture
) -> None:
    shorter = [Exercise(one.task, one.environment, ("find_coat",)) for one in exercises[:3]]
    exercises = [*shorter, *exercises[3:6]]
    lengths = [len(Chat(tokenizer).opening(one.messages, one.tools)) for one in exercises]
    limit = max(lengths[:3])
    with limited(engine, tokenizer, max_prompt_tokens=limit) as collector, caplog.at_level(logging.WARNING):
        fitting = collector.fitting(exercises)
        assert fitting == shorter
        assert "3 of 6 tasks left out" in caplog.text
        longest = exercises[lengths.index(max(lengths))]
        with pytest.raises(UserError, match=f"task {longest.task.id} has {max(lengths)} tokens"):
            collect(collector, [longest], 1)
    with (
        limited(engine, tokenizer, max_prompt_tokens=16) as collector,
        pytest.raises(UserError, match="no task's prompt"),
    ):
        collector.fitting(exercises)


def test_the_first_whole_groups_are_taken_and_of_the_rest_nothing_is_left(
    engine: Any, tokenizer: Any, exercises: list[Exercise]
) -> None:
    """The first task's model never answers; the third's tools are slow enough to be cancelled while they run."""
    slow = Chat(tokenizer).opening(exercises[0].messages, exercises[0].tools)

    class Stalls:
        context_limit = 1024
        seat = staticmethod(nullcontext)
        stalled = 0

        async def sample(self, prompt: Any, sampling: Any) -> Completion:
            if list(prompt[: len(slow)]) == slow:
                self.stalled += 1
                await asyncio.sleep(3600)
            done: Completion = await engine.sample(prompt, sampling)
            return done

    stalls = Stalls()

    async def play() -> dict[int, Group]:
        with limited(stalls, tokenizer, at_once=12, tool_latency=(0.0, 0.2)) as collector:
            found = await asyncio.wait_for(collector.first_whole(exercises[:5], 2, "0", 3), 200)
            assert not [task for task in asyncio.all_tasks() if "play_on" in repr(task)]
            again = await collector.groups(exercises[1:3], 2, "1")
            assert [len(group.rollouts) for group in again] == [2, 2]
            return found

    found = asyncio.run(play())
    assert stalls.stalled == 2
    assert len(found) == 3
    assert 0 not in found
    for place, group in found.items():
        assert group.task_id == exercises[place].id
        assert [rollout.trajectory.attempt for rollout in group.rollouts] == [0, 1]
