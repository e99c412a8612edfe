"""No two kept tasks are near, whatever order they come in; exact similarity decides, and only entities are masked."""

import random
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checkers.conftest import LIBRARY, call, task_of
from toolscale.artifacts import Task
from toolscale.checkers import distinct
from toolscale.checkers.gates.distinct import NEAR, TaskText, compared, shingles, similarity
from toolscale.environment import load_environment

WORLD = {"library": load_environment(LIBRARY)}
WORDS = [f"{one}{two}" for one in ("ba", "do", "ki", "lu", "me") for two in ("n", "rt", "sk", "p", "v", "ll")]


def task(name: str, says: str, *calls: object) -> Task:
    return task_of(*calls, says=says).model_copy(update={"id": name})  # type: ignore[arg-type]


def kept(tasks: list[Task]) -> list[str]:
    outcomes = distinct(tasks, WORLD)
    return sorted(name for name, outcome in outcomes.items() if outcome.passed)


def brute(tasks: list[Task]) -> list[str]:
    """What stays if every pair is compared."""
    stays: list[Task] = []
    for each in sorted(tasks, key=lambda each: each.id):
        mine = shingles(each.instruction)
        if all(similarity(mine, shingles(other.instruction)) <= NEAR for other in stays):
            stays.append(each)
    return [each.id for each in stays]


@given(st.integers(0, 10**6))
def test_minhash_misses_no_pair_that_comparing_all_would_find(seed: int) -> None:
    """Texts of which some differ in a word or two from others, around the limit."""
    rng = random.Random(seed)
    texts = [[rng.choice(WORDS) for _ in range(rng.randint(3, 60))] for _ in range(6)]
    for _ in range(12):
        text = list(rng.choice(texts))
        for _ in range(rng.randint(0, 3)):
            text[rng.randrange(len(text))] = rng.choice(WORDS)
        texts.append(text)
    names = rng.sample(range(100), len(texts))
    tasks = [task(f"t{name:02}", " ".join(text)) for name, text in zip(names, texts, strict=True)]
    # Every task calls another function, so that words alone decide.
    tasks = [each.model_copy(update={"golden_calls": [call(f"f{i}")]}) for i, each in enumerate(tasks)]
    stays = kept(tasks)
    assert stays == brute(tasks)
    by_name = {each.id: shingles(each.instruction) for each in tasks}
    assert all(similarity(by_name[one], by_name[two]) <= NEAR for one, two in combinations(stays, 2))


def test_who_stays_follows_from_the_ids_and_not_from_the_order() -> None:
    text = "I would like to renew the loan that is due first, and to hear what I owe by now."
    tasks = [
        task("c", text),
        task("a", text.upper()),
        task("b", "Something else altogether, if you please."),
        task("d", text),
    ]
    for order in permutations(tasks):
        assert kept(list(order)) == ["a", "b"]


def test_the_reason_names_the_one_that_stays() -> None:
    text = "I would like to renew the loan that is due first."
    outcome = distinct([task("a", text), task("b", text)], WORLD)["b"]
    assert outcome.gate == "distinct"
    assert "near-duplicate of a:" in outcome.reasons[0]
    assert "1.00" in outcome.reasons[0]


def renewing(name: str, member: str, loan: str, says: str) -> Task:
    says = says.format(member=member, loan=loan)
    return task(name, says, call("get_member", member_id=member), call("renew_loan", loan_id=loan, due="2026-12-04"))


SHORT = "Member {member} here: please renew {loan} until 4 December."
"""Short enough for two names to keep two of them well below the limit by words alone."""


def test_the_same_task_for_another_entity_is_refused() -> None:
    one, other = renewing("a", "M-1", "L-10", SHORT), renewing("b", "M-2", "L-11", SHORT)
    assert similarity(shingles(one.instruction), shingles(other.instruction)) < NEAR
    assert kept([one, other]) == ["a"]
    assert "for other entities" in distinct([one, other], WORLD)["b"].reasons[0]


@pytest.mark.parametrize(
    "other",
    [
        renewing("b", "M-2", "L-11", "{member} it is. Could I have {loan} for longer, till the 4th of December?"),
        renewing("b", "M-2", "L-11", SHORT).model_copy(update={"golden_calls": [call("list_loans", member_id="M-2")]}),
    ],
    ids=["worded otherwise", "solved otherwise"],
)
def test_another_entity_in_other_words_or_with_other_calls_is_another_task(other: Task) -> None:
    assert kept([renewing("a", "M-1", "L-10", SHORT), other]) == ["a", "b"]


def test_which_entity_is_which_matters() -> None:
    """Equal calls up to entities need a renaming: one loan twice is not two loans."""
    twice = [call("renew_loan", loan_id=loan, due="2026-12-04") for loan in ("L-10", "L-10")]
    two = [call("renew_loan", loan_id=loan, due="2026-12-04") for loan in ("L-10", "L-11")]
    assert kept([task("a", "Renew L-10 and L-10.", *twice), task("b", "Renew L-10 and L-11.", *two)]) == ["a", "b"]


def test_a_value_that_names_no_entity_is_not_masked() -> None:
    tasks = [
        task(name, f"Renew {loan} and remind me by {how}.", call("renew_loan", loan_id=loan, reminder=how))
        for name, loan, how in (("a", "L-10", "email"), ("b", "L-11", "phone"))
    ]
    assert kept(tasks) == ["a", "b"]


def test_tasks_without_an_instruction_are_not_compared() -> None:
    bare = [task_of(call("get_member", member_id="M-1")).model_copy(update={"id": name}) for name in "ab"]
    outcomes = distinct(bare, WORLD)
    assert all(outcome.passed and "not evaluated" in outcome.reasons[0] for outcome in outcomes.values())
    assert distinct([], WORLD) == {}


def test_hashing_finds_what_comparing_every_pair_finds() -> None:
    """Texts that share from nothing to nearly all of their words, many of them about as near as the gate allows."""
    draw = random.Random(0)
    words = [f"word{number}" for number in range(400)]
    texts = []
    for family in range(40):
        said = draw.choices(words, k=60)
        for change in range(8):
            changed = [draw.choice(words) if draw.random() < change / 200 else word for word in said]
            texts.append(TaskText(f"t-{family:02d}-{change}", " ".join(changed), " ".join(changed), ""))
    staying: list[TaskText] = []
    refused: set[str] = set()
    for text in sorted(texts):
        if any(similarity(shingles(text.said), shingles(other.said)) > NEAR for other in staying):
            refused.add(text.id)
        else:
            staying.append(text)
    assert {name for name, outcome in compared(texts).items() if not outcome.passed} == refused
    assert 20 < len(refused) < 260
