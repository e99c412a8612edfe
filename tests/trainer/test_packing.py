"""Packed sequences, with prompts that are read once, score and learn as each sequence does alone."""

import random

import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from trainer.model.packing import microbatches  # noqa: E402
from trainer.model.policy import Policy  # noqa: E402
from trainer.sequence import TokenSequence  # noqa: E402

from .chance import VOCABULARY, WHOLE, gradients, plain_logprobs, policy, sequence, write_model  # noqa: E402


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Policy:
    return policy(write_model(tmp_path_factory.mktemp("model")))


def many(seed: int, prompts: int = 3, each: int = 4) -> list[TokenSequence]:
    draw = random.Random(seed)
    made = []
    beginning = [draw.randrange(VOCABULARY) for _ in range(draw.choice((0, 40)))]
    for _ in range(prompts):
        prompt = beginning + [draw.randrange(VOCABULARY) for _ in range(draw.randint(1, 9))]
        made += [sequence(draw, prompt) for _ in range(each)]
    draw.shuffle(made)
    return made


@pytest.mark.parametrize("share_prompts", [True, False])
@pytest.mark.parametrize("budget", [1, 25, 60, WHOLE])
def test_scores_and_gradients_equal_those_of_each_sequence_alone(model, budget, share_prompts):
    sequences = many(1)
    slopes = [0.5 + place for place in range(len(sequences))]
    alone = [plain_logprobs(model.model, each) for each in sequences]
    model.zero_grad()
    sum((each.sum() * slope for each, slope in zip(alone, slopes, strict=True)), torch.zeros(())).backward()
    expected = gradients(model)
    model.zero_grad()
    for batch in microbatches(sequences, budget, share_prompts):
        scores = model(batch)
        for place in batch.owners.unique().tolist():
            torch.testing.assert_close(scores.logprobs[batch.owners == place], alone[place], atol=1e-5, rtol=0)
        (scores.logprobs * torch.tensor(slopes)[batch.owners]).sum().backward()
    for name, gradient in gradients(model).items():
        error = (gradient - expected[name]).norm() / expected[name].norm()
        assert error < 1e-5, f"{name}: {error}"


@given(st.integers(0, 10_000), st.integers(1, 120), st.booleans())
@settings(deadline=None, max_examples=60)
def test_every_sampled_token_is_in_one_micro_batch_and_none_is_over_the_budget(seed, budget, share_prompts):
    sequences = many(seed)
    seen: dict[int, list[int]] = {place: [] for place in range(len(sequences))}
    for batch in microbatches(sequences, budget, share_prompts):
        assert len(batch.ids) <= budget or len(batch.owners.unique()) == 1
        for place, target in zip(batch.owners.tolist(), batch.targets.tolist(), strict=True):
            seen[place].append(target)
        for place in batch.owners.unique().tolist():
            own = [
                value for value, mine in zip(sequences[place].logprobs, sequences[place].sampled, strict=True) if mine
            ]
            assert batch.behaviour[batch.owners == place].tolist() == pytest.approx(own)
    for place, each in enumerate(sequences):
        assert seen[place] == [token for token, mine in zip(each.ids, each.sampled, strict=True) if mine]


@given(st.integers(0, 10_000), st.integers(1, 120), st.booleans())
@settings(deadline=None, max_examples=60)
def test_spans_say_who_attends_to_whom_as_the_mask_does(seed, budget, share_prompts):
    for batch in microbatches(many(seed), budget, share_prompts):
        told = torch.zeros(len(batch.ids), len(batch.ids), dtype=torch.bool)
        for own, before in batch.spans:
            told[own, own] = torch.ones_like(told[own, own]).tril()
            if before is not None:
                told[own, before] = True
        assert torch.equal(told, batch.mask[0, 0])


def test_a_single_sampled_token_needs_nothing_beyond_its_prompt_and_leaves_no_gap_in_the_numbers():
    group = []
    for prompt, length in (([1, 2, 3], 1), ([1, 2, 3], 4), ([4, 5], 1), ([4, 5], 3)):
        group.append(TokenSequence.of_prompt(prompt))
        group[-1].append_sampled([7] * length, [-1.0] * length, 0)
    (batch,) = microbatches(group, WHOLE)
    assert batch.stretches.unique().tolist() == [0, 1, 2, 3]
    assert len(batch.targets) == 9


def test_a_beginning_that_prompts_have_in_common_is_read_once_where_that_is_less_to_read():
    draw = random.Random(4)
    policy_and_tools = [draw.randrange(VOCABULARY) for _ in range(40)]
    lessons = [sequence(draw, [*policy_and_tools, VOCABULARY + place, 1, 2]) for place in range(6)]
    (batch,) = microbatches(lessons, WHOLE)
    (apart,) = microbatches(lessons, WHOLE, share_prompts=False)
    assert len(apart.ids) - len(batch.ids) == 5 * len(policy_and_tools)
    # To read thirty tokens of a prompt again for each of sixteen rollouts is more than ten that two prompts share.
    groups = [sequence(draw, [*range(10), *[30 + place] * 30]) for place in range(2) for _ in range(8)]
    (batch,) = microbatches(groups, WHOLE)
    assert {before.stop - before.start for _, before in batch.spans if before} == {40}


def test_a_groups_prompt_is_read_once():
    prompt = list(range(40))
    group = [sequence(random.Random(place), prompt) for place in range(8)]
    (shared,) = microbatches(group, WHOLE)
    (apart,) = microbatches(group, WHOLE, share_prompts=False)
    assert len(apart.ids) - len(shared.ids) == 7 * len(prompt)


def test_what_follows_the_last_sampled_token_is_not_read():
    short = TokenSequence.of_prompt([1, 2, 3])
    short.append_sampled([4, 5], [-1.0, -1.0], 0)
    short.append_given([6, 7, 8])
    (batch,) = microbatches([short], WHOLE)
    assert batch.ids.tolist() == [1, 2, 3, 4]
    assert batch.plainly_causal


def test_sequences_without_sampled_tokens_take_no_room():
    assert microbatches([TokenSequence.of_prompt([1, 2])], WHOLE) == []


def test_a_first_token_without_anything_before_it_cannot_be_scored():
    bare = TokenSequence.of_prompt([])
    bare.append_sampled([4], [-1.0], 0)
    with pytest.raises(ValueError, match="no prompt"):
        microbatches([bare], WHOLE)
