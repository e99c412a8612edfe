"""Sequences are dealt out so that no process reads much more than another, nor a prompt twice for nothing."""

import random

import pytest

from trainer.learning.balance import balanced
from trainer.sequence import TokenSequence


def sequence(prompt: int, prompt_tokens: int, tokens: int) -> TokenSequence:
    """So many tokens to read after the prompt of that number: the last sampled one is not read."""
    made = TokenSequence.of_prompt([prompt] * prompt_tokens)
    made.append_sampled([0] * (tokens + 1), [0.0] * (tokens + 1), 0)
    return made


def read(share: list[int], sequences: list[TokenSequence]) -> int:
    prompts = {tuple(sequences[place].ids[: sequences[place].prompt_length]) for place in share}
    return sum(map(len, prompts)) + sum(sequences[place].sampled_count - 1 for place in share)


def test_one_process_takes_everything_in_order():
    assert balanced([sequence(0, 5, 1), sequence(1, 5, 9)], 1) == [[0, 1]]


def test_as_many_groups_as_processes_stay_whole():
    sequences = [sequence(group, 700, 100 + attempt) for attempt in range(8) for group in range(4)]
    shares = balanced(sequences, 4)
    assert sorted(place for share in shares for place in share) == list(range(32))
    assert all(len({sequences[place].ids[0] for place in share}) == 1 for share in shares)


def test_a_group_that_is_left_alone_is_shared_though_its_prompt_is_then_read_by_both():
    sequences = [sequence(0, 700, 100) for _ in range(8)]
    assert [read(share, sequences) for share in balanced(sequences, 2)] == [1100, 1100]


def test_what_comes_after_the_last_sampled_token_is_nothing_to_read():
    sequences = [sequence(number, 10, 100) for number in range(4)]
    long = [sequence(number, 10, 100) for number in range(4)]
    for each in long[:2]:
        each.append_given([0] * 500)
    assert balanced(long, 2) == balanced(sequences, 2)
    assert [each.read for each in long] == [110] * 4
    assert TokenSequence.of_prompt([1, 2]).read == 0


def test_one_sequence_or_none_leaves_the_others_nothing():
    assert balanced([sequence(0, 700, 100)], 3) == [[0], [], []]
    assert balanced([], 2) == [[], []]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("processes", [2, 5, 16])
def test_nobody_reads_much_more_than_the_fair_share(seed, processes):
    draw = random.Random(seed)
    sequences = [
        sequence(group, length, draw.randint(1, 4000))
        for group in range(draw.randint(1, 20))
        for length in [draw.randint(1, 4000)]
        for _ in range(draw.randint(1, 8))
    ]
    shares = balanced(sequences, processes)
    assert sorted(place for share in shares for place in share) == list(range(len(sequences)))
    assert all(share == sorted(share) for share in shares)
    loads = [read(share, sequences) for share in shares]
    largest = max(len(each) for each in sequences)
    assert max(loads) <= read(list(range(len(sequences))), sequences) / processes + 2 * largest
    assert shares == balanced(sequences, processes)
