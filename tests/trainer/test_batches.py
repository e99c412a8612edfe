"""What a step plays: groups that are alike make room for others up to the bound, and batches run ahead by k at most."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

from tests.trainer import cloakroom
from toolscale.artifacts import Verdict
from toolscale.errors import UserError
from toolscale.rewards import RewardVector
from trainer.checks import check_ahead
from trainer.config import Config, Rollouts
from trainer.distributed import Processes
from trainer.learning.ahead import Ahead
from trainer.learning.batches import Batch, Batches
from trainer.rewards.filters import select
from trainer.rewards.rewarding import Reward
from trainer.sequence import Group, TokenSequence
from trainer.tasks.drawing import Drawing, Place
from trainer.tasks.exercise import Exercise, Playable

from .chance import rollout

ROLLOUTS = 4
ENVIRONMENT = cloakroom.environment()
START, ALONE = Place(), Processes()
EXERCISES = [Exercise(task, ENVIRONMENT, ()) for task in cloakroom.tasks()]


def group(exercise: Playable, solved: Sequence[bool], version: int = 0) -> Group:
    """Rollouts of three tokens each that solved the task or did not."""
    rollouts = []
    for good in solved:
        sequence = TokenSequence.of_prompt([1, 2])
        sequence.append_sampled([3, 4, 5], [-1.0] * 3, version)
        verdict = Verdict(execution=good, fidelity=good, completeness=good, reasons=[] if good else ["no"])
        vector = RewardVector((), (), good, 0.0, 0.0)
        rollouts.append(replace(rollout(sequence), verdict=verdict, vector=vector))
    return Group(exercise.id, tuple(rollouts))


class Scripted:
    """A collector whose groups follow from the order in which they are asked for: `solves` says how."""

    def __init__(self, solves: Callable[[int], Sequence[bool]]) -> None:
        self.solves = solves
        self.asked: list[tuple[str, list[str], int]] = []
        self.version = 0
        self.slowly = asyncio.Event()
        self.slowly.set()

    async def first_whole(
        self, exercises: Sequence[Playable], rollouts_per_task: int, seed: str, enough: int
    ) -> dict[int, Group]:
        assert rollouts_per_task == ROLLOUTS
        before = sum(count for _, _, count in self.asked)
        self.asked.append((seed, [each.id for each in exercises], enough))
        await self.slowly.wait()
        places = range(len(exercises) - enough, len(exercises))
        return {
            place: group(exercises[place], self.solves(before + number), self.version)
            for number, place in enumerate(places)
        }


def config(**changes: object) -> Config:
    values = {"algorithm.tasks_per_step": 4, "algorithm.rollouts_per_task": ROLLOUTS, "steps": 9, **changes}
    made: dict[str, object] = {"model": {"path": "none", "dtype": "float32"}}
    for name, value in values.items():
        section, _, last = name.partition(".")
        if last:
            part = made.setdefault(section, {})
            assert isinstance(part, dict)
            part[last] = value
        else:
            made[name] = value
    return Config.of(made, "test")


def batches(collector: Scripted, place: Place = START, processes: Processes = ALONE, **changes: object) -> Batches:
    settings = config(**changes)
    drawing = Drawing(EXERCISES, settings.data, settings.seed, place)
    return Batches(settings, collector, drawing, processes)  # type: ignore[arg-type]


def play(collector: Scripted, **changes: object) -> Batch:
    return asyncio.run(batches(collector, **changes).play(0))


MIXED, ALIKE = (True, False, False, False), (True,) * 4


@settings(deadline=None, max_examples=40)
@given(st.lists(st.booleans(), min_size=40, max_size=40), st.integers(0, 3))
def test_alike_groups_are_replaced_until_the_step_has_its_groups_or_the_bound_is_reached(useful, redraw):
    collector = Scripted(lambda number: MIXED if useful[number] else ALIKE)
    batch = play(collector, **{"algorithm.redraw": redraw})
    teaching = sum(each.teaches for each in batch.played)
    assert len(batch.played) <= 4 * (1 + redraw)
    assert teaching == 4 or len(batch.played) == 4 * (1 + redraw)
    assert teaching <= 4
    assert [each.teaches for each in batch.played] == useful[: len(batch.played)]
    figures = batch.figures(Processes(), ())
    assert figures["drawn_groups"] == len(batch.played)
    assert figures["redrawn_groups"] == len(batch.played) - 4
    assert figures["alike_tokens"] == 3 * ROLLOUTS * (len(batch.played) - teaching)
    asked = [task for _, tasks, _ in collector.asked for task in tasks]
    assert len(set(asked)) == len(asked), "other tasks, not the same once more"
    assert len({seed for seed, _, _ in collector.asked}) == len(collector.asked), "played with other seeds"
    learnt = select(batch.groups, batch.earned, config().algorithm)
    assert len(learnt.examples) == ROLLOUTS * teaching
    assert learnt.counts["homogeneous_groups"] == len(batch.played) - teaching


def test_the_next_step_goes_on_after_what_was_drawn_again():
    collector = Scripted(lambda number: MIXED if number >= 3 else ALIKE)

    async def two_steps() -> list[Batch]:
        made = batches(collector, **{"algorithm.redraw": 1})
        return [await made.play(0), await made.play(1)]

    first, second = asyncio.run(two_steps())
    assert first.after == Place(7)
    drawn = [each.exercise.id for batch in (first, second) for each in batch.played]
    assert len(set(drawn)) == len(drawn) == 11
    resumed = asyncio.run(batches(Scripted(lambda _: MIXED), first.after).play(1))
    assert [each.exercise.id for each in resumed.played] == [each.exercise.id for each in second.played]


def test_over_sampling_begins_more_groups_waits_for_those_wanted_and_says_what_it_abandoned():
    collector = Scripted(lambda _: MIXED)
    batch = play(collector, **{"rollouts.oversample": 1.3})
    ((_, tasks, enough),) = collector.asked
    assert (len(tasks), enough) == (6, 4)
    assert [each.exercise.id for each in batch.played] == tasks[-4:], "each group with its own task"
    assert batch.drawn["abandoned_groups"] == 2
    assert batch.after == Place(6)


def test_a_curriculum_is_told_what_came_and_says_how_well_it_knew():
    collector = Scripted(lambda _: ALIKE)
    batch = play(collector, **{"data.curriculum": {}, "algorithm.redraw": 1})
    assert batch.after.estimates is not None
    assert len(batch.after.estimates["seen"]) == 8
    assert batch.drawn["estimated_rate"] == pytest.approx(0.5)
    assert batch.drawn["estimate_error"] == pytest.approx(0.5)


async def run_ahead(ahead: int, steps: int, collector: Scripted) -> list[Batch]:
    """A training whose learner takes its time: each batch, and how much was begun before it was learnt from."""
    runner = Ahead(batches(collector, steps=steps), ahead, 0, steps)
    learnt = []
    for step in range(steps):
        batch = await runner.next()
        assert batch.step == step
        for _ in range(20):
            await asyncio.sleep(0)
        assert len(collector.asked) == min(step + ahead + 1, steps)
        collector.version = step + 1
        learnt.append(batch)
    await runner.close()
    return learnt


@pytest.mark.parametrize("ahead", [0, 1, 2, 5])
def test_batches_run_ahead_by_so_many_versions_and_no_more_and_come_in_order(ahead):
    learnt = asyncio.run(run_ahead(ahead, 6, Scripted(lambda _: MIXED)))
    ages = [batch.figures(Processes(), ())["age_max"] for batch in learnt]
    assert ages == [min(step, ahead) for step in range(6)]
    drawn = [each.exercise.id for batch in learnt for each in batch.played]
    assert drawn == [each.id for each in Drawing(EXERCISES, config().data, 0, Place()).next(24, 0)], (
        "the tasks are those of a training in lock-step"
    )


def test_age_is_that_of_a_rollouts_oldest_message():
    old, new = (group(EXERCISES[0], (True,), version) for version in (3, 5))
    old.rollouts[0].sequence.append_sampled([7], [-1.0], 5)
    batch = play(Scripted(lambda _: MIXED))
    played = tuple(replace(batch.played[0], group=each, rewards=[Reward(1.0)]) for each in (old, new))
    figures = replace(batch, step=5, played=played).figures(Processes(), ())
    assert (figures["age_mean"], figures["age_max"]) == (1, 2)


def test_a_failure_ahead_is_raised_when_its_turn_comes_and_nothing_is_left_running():
    collector = Scripted(lambda number: MIXED if number < 4 else 1 / 0)  # type: ignore[arg-type, return-value]

    async def fails() -> None:
        runner = Ahead(batches(collector), 2, 0, 9)
        assert (await runner.next()).step == 0
        with pytest.raises(ZeroDivisionError):
            await runner.next()
        await runner.close()
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(fails())


def test_a_process_that_fails_ends_while_the_others_have_still_to_count_with_it():
    counting, others, ended = threading.Event(), threading.Event(), threading.Event()

    class Waiting(Processes):
        def sums(self, values: Sequence[float]) -> list[float]:
            counting.set()
            others.wait(10)
            ended.set()
            return list(values)

    async def fails() -> None:
        runner = Ahead(batches(Scripted(lambda _: MIXED), processes=Waiting(), **{"algorithm.redraw": 1}), 1, 0, 9)
        playing = asyncio.ensure_future(runner.next())
        await asyncio.to_thread(counting.wait)
        playing.cancel()
        await runner.close()
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(fails())
    assert not ended.is_set()
    others.set()


def test_closing_cancels_what_is_played():
    collector = Scripted(lambda _: MIXED)

    async def closes() -> None:
        before = asyncio.all_tasks()
        runner = Ahead(batches(collector), 2, 0, 9)
        await runner.next()
        collector.slowly.clear()
        await runner.next()
        await runner.close()
        assert asyncio.all_tasks() == before

    asyncio.run(asyncio.wait_for(closes(), 30))


@pytest.mark.parametrize("backend", ["vllm", "transformers"])
def test_rollouts_do_not_run_ahead_on_the_gpu_that_learns(backend, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    check_ahead(Rollouts(backend=backend))
    check_ahead(Rollouts(backend="vllm-server", servers=["http://a"], ahead=1))
    with pytest.raises(UserError, match=f"rollouts.backend {backend} has the learner's GPU"):
        check_ahead(Rollouts(backend=backend, ahead=1))
