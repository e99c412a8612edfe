"""As many tasks as asked for, as hard as asked for; what is missing is said, and nothing that was made is lost."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.end_to_end.test_simulated_user import environment_of
from toolscale.artifacts import GoldenCall, Lineage, Task
from toolscale.llm import Gateway
from toolscale.reference.domain import reference_domain
from toolscale.settings import Settings
from toolscale.store import Store
from toolscale.synthesis.evolution import evolve_tasks
from toolscale.synthesis.intents import propose_intents
from toolscale.synthesis.quota import FRUITLESS, evenly, verified_tasks
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.tasks import propose_tasks
from toolscale.synthesis.wanted import Wanted

DOMAIN = "weather"
FIRST = 3


@pytest.fixture(scope="module")
def world():
    """A reference domain's environment."""
    return environment_of(DOMAIN)


@pytest.fixture
def filled(tmp_path, world):
    """`filled(wanted, **settings)` -> (what came of it, the tasks it began with, calls newly made, progress told)."""

    async def filled(wanted, **chosen):
        settings = Settings(data_root=str(tmp_path), **chosen)
        domain = reference_domain(DOMAIN).domain
        free = Settings(data_root=str(tmp_path))
        told = []
        with Store(settings.database_url()) as store:
            async with Gateway(free, store) as gateway:
                run = DomainRun(domain, gateway, store, free, FIRST)
                intents = await propose_intents(run, world)
                first = (await propose_tasks(run, world, intents, [])).kept
                evolved = (await evolve_tasks(run, world, [], first)).kept
            async with Gateway(settings, store) as gateway:
                hear = lambda done, total, counts: told.append((done, total, counts))  # noqa: E731
                run = DomainRun(domain, gateway, store, settings, FIRST, wanted=wanted, told=hear)
                found = await verified_tasks(run, world, intents, [], first, evolved)
                calls = gateway.sight().done
        return found, [*first, *evolved], calls, told

    return filled


def failed(task):
    """The gates that a task failed."""
    return [outcome.gate for outcome in task.gates if not outcome.passed]


async def test_as_many_are_kept_as_wanted_and_all_of_them_are_as_wanted(filled):
    wanted = Wanted(keep=6, pass_rate=(0.2, 0.9), golden_calls=(2, 6))
    found, proposed, _, told = await filled(wanted)
    kept, rejected = found.verified.kept, found.verified.rejected
    assert found.short == ""
    assert len(kept) == 6 > len(proposed) - len(rejected)
    assert all(task.verified and 0.2 <= task.pass_rate <= 0.9 and 2 <= len(task.golden_calls) <= 6 for task in kept)
    assert {task.id for task in proposed} <= {task.id for task in [*kept, *rejected]}, "a task was lost"
    assert len({task.id for task in [*kept, *rejected]}) == len(kept) + len(rejected)
    assert all(failed(task) for task in rejected)
    assert {trajectory.task_id for trajectory in found.verified.trajectories} == {task.id for task in kept}
    (done, total, counts) = told[-1]
    assert (done, total) == (6, 6)
    assert counts["kept"] == sum(counts.get(third, 0) for third in ("hard", "middling", "easy"))


async def test_a_sound_task_that_is_not_wanted_is_refused_for_that_alone_and_says_what_it_is_like(filled):
    found, _, _, _ = await filled(Wanted(keep=2, golden_calls=(3, 4)))
    unwanted = [task for task in found.verified.rejected if "wanted" in failed(task)]
    assert unwanted
    for task in unwanted:
        assert failed(task) == ["wanted"]
        (reason,) = task.gates[-1].reasons
        assert f"{len(task.golden_calls)} golden calls" in reason or "more than the 2" in reason
        assert not task.verified


async def test_tasks_of_another_length_never_come_before_an_agent(filled):
    found, proposed, _, _ = await filled(Wanted(keep=1, golden_calls=(40, 50)))
    assert found.verified.kept == []
    assert f"the last {FRUITLESS} waves brought none" in found.short
    assert len(found.verified.rejected) > len(proposed), "nothing else was tried"
    assert all(task.attempts == [] for task in found.verified.rejected)


@pytest.mark.slow
async def test_what_has_too_few_calls_is_made_harder(filled):
    found, proposed, _, _ = await filled(Wanted(keep=4, golden_calls=(5, 30)))
    made = {task.id: task for task in [*found.verified.kept, *found.verified.rejected]}
    later = [task for task in made.values() if task.id not in {each.id for each in proposed} and task.lineage.parent]
    assert later
    assert all(len(made[task.lineage.parent].golden_calls) < 5 for task in later)
    assert all(len(task.golden_calls) >= 5 for task in found.verified.kept)


@pytest.mark.slow
async def test_a_budget_that_ends_first_is_said_and_the_next_run_goes_on_without_paying_again(filled):
    wanted = Wanted(keep=6, pass_rate=(0.2, 0.9))
    stopped, _, paid, _ = await filled(wanted, max_calls=120)
    assert len(stopped.verified.kept) < 6
    assert "the budget is spent" in stopped.short
    assert "max_calls" in stopped.short
    assert paid == 120
    whole, _, rest, _ = await filled(wanted)
    assert whole.short == ""
    again, _, nothing, _ = await filled(wanted)
    assert nothing == 0
    assert again.verified == whole.verified
    assert {task.id for task in stopped.verified.kept} <= {
        task.id for task in [*whole.verified.kept, *whole.verified.rejected]
    }
    assert rest > 0


def rated(rate, calls=3):
    """A task of which nothing is known but its pass rate and its length."""
    return Task(id="t", golden_calls=[GoldenCall(name="look")] * calls, pass_rate=rate)


SHARES = st.floats(0, 1)


@given(SHARES, SHARES, SHARES, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_a_task_is_wanted_or_misses_and_is_too_easy_only_if_it_misses(rate, one, other, calls, few, many):
    band, lengths = (min(one, other), max(one, other)), (min(few, many), max(few, many))
    wanted, task = Wanted(1, band, lengths), rated(rate, calls)
    fits = band[0] <= rate <= band[1] and lengths[0] <= calls <= lengths[1]
    assert (wanted.misses(task) == "") == fits
    assert not (fits and wanted.is_too_easy(task))
    assert wanted.is_too_easy(task) == (calls < lengths[0] or rate > band[1])


def test_a_task_whose_pass_rate_nobody_knows_is_not_in_any_band():
    assert "unknown" in Wanted(1, (0, 1)).misses(rated(None))
    assert Wanted(1).misses(rated(None)) == ""


KINDS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["refusal", "lookup", None])), max_size=30)


@given(KINDS, st.integers(0, 30))
def test_of_a_surplus_as_many_are_chosen_as_asked_for_in_their_order(kinds, count):
    tasks = [
        Task(id=f"{number}", intent=intent, lineage=Lineage(operator=operator))
        for number, (intent, operator) in enumerate(kinds)
    ]
    chosen = evenly(tasks, count)
    assert len(chosen) == min(count, len(tasks))
    assert [task for task in tasks if task in chosen] == chosen


@given(st.lists(st.sampled_from("abc"), max_size=30), st.integers(0, 30))
def test_of_a_surplus_no_intent_is_taken_twice_more_often_than_one_that_is_left_over(intents, count):
    tasks = [Task(id=f"{number}", intent=intent) for number, intent in enumerate(intents)]
    chosen = Counter(task.intent for task in evenly(tasks, count))
    left = Counter(intents) - chosen
    assert all(chosen[intent] - chosen[other] <= 1 for intent in chosen for other in left)
