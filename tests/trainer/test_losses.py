"""Each loss that has a name is that of its paper, in value and gradient, by itself and in an update of a policy."""

import random
from itertools import accumulate, pairwise

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from trainer.config import CLIPS, Algorithm  # noqa: E402
from trainer.learning.learner import Learner  # noqa: E402
from trainer.learning.lesson import Lesson  # noqa: E402
from trainer.learning.loss import importance_weights, token_weights  # noqa: E402
from trainer.learning.objective import MEANS, policy_loss, whole_sequences  # noqa: E402
from trainer.model.packing import microbatches  # noqa: E402
from trainer.sequence import TokenSequence  # noqa: E402

from . import plain_losses  # noqa: E402
from .chance import (  # noqa: E402
    LONGEST,
    WHOLE,
    gradients,
    groups,
    learner,
    plain_logprobs,
    policy,
    write_model,
)

LENGTHS = st.lists(st.integers(1, 7), min_size=1, max_size=6)
FURTHER = {"gspo": {"clip_low": 0.05, "clip_high": 0.08}, "cispo": {"clip_low": 0.3, "clip_high": 0.5}}
"""Bounds that what is drawn here passes on both sides."""


class Drawn:
    """Log-probabilities of sequences near to each other, as float32 or bfloat16 has them, and an advantage for each."""

    def __init__(self, lengths, seed, rounded=torch.float32):
        rng = np.random.default_rng(seed)
        self.lengths, self.cuts = lengths, [0, *accumulate(lengths)]
        exact = -rng.exponential(2.0, sum(lengths))
        behaviour = exact + rng.normal(0, 0.3, len(exact))
        new = exact + rng.normal(0, 0.4, len(exact))
        self.exact = new, exact, behaviour
        self.new, self.old, self.behaviour = (torch.tensor(each).to(rounded).float() for each in self.exact)
        self.advantages = rng.normal(size=len(lengths)).astype(np.float32)

    def cut(self, flat):
        """By sequence, as Python's floats."""
        values = [float(value) for value in flat]
        return [values[start:end] for start, end in pairwise(self.cuts)]

    def plain(self, algorithm, *, unrounded=False):
        low, high = algorithm.clip
        clips = plain_losses.Clips(low, high, algorithm.dual_clip, algorithm.importance_cap)
        parts = self.exact if unrounded else (self.new, self.old, self.behaviour)
        return plain_losses.loss(algorithm.loss, *map(self.cut, parts), self.advantages.tolist(), clips, LONGEST)

    def by_the_trainer(self, algorithm):
        """The same as the learner puts it together, from micro-batches that hold whole sequences."""
        sequences = []
        for place, length in enumerate(self.lengths):
            made = TokenSequence.of_prompt([place])
            made.append_sampled([1] * length, self.cut(self.behaviour)[place], 0)
            sequences.append(made)
        value, slopes = 0.0, [[]] * len(sequences)
        news, olds = self.cut(self.new), self.cut(self.old)
        for batch in microbatches(sequences, 12, share_prompts=False):
            own = list(dict.fromkeys(batch.owners.tolist()))
            new, old = (torch.tensor([each for place in own for each in part[place]]) for part in (news, olds))
            new.requires_grad_(True)
            importance = importance_weights(
                old, batch.behaviour, algorithm.importance_cap, whole_sequences(batch, algorithm)
            )
            lengths = torch.tensor(self.lengths)[batch.owners]
            weights = token_weights(lengths, MEANS[algorithm.loss], sum(self.lengths), len(self.lengths), LONGEST)
            advantages = torch.tensor(self.advantages)[batch.owners]
            lesson = Lesson(
                batch=batch,
                weights=weights,
                rewards=torch.zeros_like(new),
                advantages=advantages,
                old=old,
                importance=importance,
                reference=None,
            )
            each, _ = policy_loss(new, lesson, algorithm)
            loss = (each * importance * weights).sum()
            loss.backward()
            value += loss.item()
            found = new.grad.tolist()
            for place in own:
                slopes[place], found = found[: self.lengths[place]], found[self.lengths[place] :]
        return value, [slope for each in slopes for slope in each]


def named(loss, **settings):
    return Algorithm.model_validate({"loss": loss, "importance_cap": 1.3, **FURTHER.get(loss, {}), **settings})


def settings_of(loss):
    return named(loss) if loss == "cispo" else named(loss, dual_clip=1.4)


@pytest.mark.parametrize("rounded", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("loss", plain_losses.LOSSES)
@given(lengths=LENGTHS, seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=60)
def test_value_and_gradient_are_those_of_a_plain_loop_in_float64(loss, rounded, lengths, seed):
    """Of the same log-probabilities, whatever rounded these."""
    drawn, algorithm = Drawn(lengths, seed, rounded), settings_of(loss)
    expected = drawn.plain(algorithm)
    value, slopes = drawn.by_the_trainer(algorithm)
    assert value == pytest.approx(expected.value, rel=1e-5, abs=1e-5)
    np.testing.assert_allclose(slopes, np.concatenate(expected.slopes), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("loss", plain_losses.LOSSES)
@given(lengths=LENGTHS, seed=st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=60)
def test_what_bfloat16_rounds_away_moves_the_value_no_further_than_its_slopes_say(loss, lengths, seed):
    """2^-9 of each log-probability, in all three; ratios here stay below e^2, and clips only make slopes smaller."""
    drawn, algorithm = Drawn(lengths, seed, torch.bfloat16), settings_of(loss)
    value, _ = drawn.by_the_trainer(algorithm)
    exact = drawn.plain(algorithm, unrounded=True)
    rounding = sum(np.abs(each) for each in drawn.exact).max() * 2**-9
    _, high = algorithm.clip
    steepest = np.abs(drawn.advantages).max() * max(1 + high, np.exp(2.5)) * algorithm.importance_cap
    share = max(1.0, sum(lengths) / (len(lengths) * LONGEST))
    # CISPO's value is a weight times the log-probability itself.
    steepest *= 1 + np.abs(drawn.exact[0]).max() if loss == "cispo" else 1
    assert abs(value - exact.value) <= share * steepest * rounding * np.exp(rounding)


def test_every_loss_has_its_papers_bounds_unless_others_are_given():
    assert {name: Algorithm(loss=name).clip for name in plain_losses.LOSSES} == CLIPS
    assert Algorithm(loss="gspo", clip_high=0.1).clip == (3e-4, 0.1)
    assert Algorithm().loss == "dapo"


@given(LENGTHS, st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_cispo_cuts_no_token_off_from_the_gradient(lengths, seed):
    drawn = Drawn(lengths, seed)
    _, slopes = drawn.by_the_trainer(named("cispo", clip_low=0.1, clip_high=0.1))
    assert all(slopes)


@given(LENGTHS, st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_all_tokens_of_a_sequence_are_pushed_alike_by_gspo(lengths, seed):
    drawn = Drawn(lengths, seed)
    _, slopes = drawn.by_the_trainer(named("gspo"))
    for each in drawn.cut(slopes):
        assert max(each) == pytest.approx(min(each), rel=1e-6)


@given(LENGTHS, st.integers(0, 2**32 - 1), st.floats(1.05, 3))
@settings(deadline=None)
def test_the_dual_clip_bounds_the_loss_of_what_was_bad_and_leaves_what_was_good(lengths, seed, cap):
    drawn = Drawn(lengths, seed)
    free, capped = (
        drawn.cut(drawn.by_the_trainer(named("dapo", importance_cap=1e9, **each))[1])
        for each in ({}, {"dual_clip": cap})
    )
    ratios = drawn.cut((drawn.new.double() - drawn.old.double()).exp())
    for place, advantage in enumerate(drawn.advantages):
        for before, after, ratio in zip(free[place], capped[place], ratios[place], strict=True):
            assert after == (0.0 if advantage < 0 and ratio > cap else before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model"))


def caught(pupil: Learner) -> list[dict[str, torch.Tensor]]:
    """The gradients of each optimizer step, as they come."""
    steps: list[dict[str, torch.Tensor]] = []
    pupil.optimizer.register_step_pre_hook(lambda *_: steps.append(gradients(pupil.policy)))
    return steps


def advantages_of(rewards, loss):
    centred = [np.array(values) - np.mean(values) for values in rewards]
    divisors = [1.0 if loss == "dr_grpo" else np.std(values) for values in rewards]
    return [float(a) for values, by in zip(centred, divisors, strict=True) for a in values / by]


@pytest.mark.parametrize("budget", [30, WHOLE])
@pytest.mark.parametrize("old_policy", ["rollout", "recompute"])
@pytest.mark.parametrize("loss", plain_losses.LOSSES)
def test_an_update_is_that_of_transformers_in_float64_and_a_plain_loop(folder, loss, old_policy, budget):
    """The engine is off by some, which recomputing forgives and weighs; a reference gives a KL."""
    batch, rewards = groups(random.Random(1), 3)
    model, reference, exact = policy(folder), policy(folder), policy(folder).model.double()
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.mul_(1.1)
    reference.requires_grad_(False)
    played, draw = [each.sequence for group in batch for each in group.rollouts], random.Random(2)
    scored = [plain_logprobs(exact, each) for each in played]
    for each, own in zip(played, scored, strict=True):
        off = iter([value + draw.gauss(0, 0.3) for value in own.tolist()])
        each.logprobs = [next(off) if mine else 0.0 for mine in each.sampled]
    settings = named(loss, old_policy=old_policy, kl_coefficient=0.1, **({} if loss == "cispo" else {"dual_clip": 1.4}))
    low, high = settings.clip
    recomputed = old_policy == "recompute"
    clips = plain_losses.Clips(low, high, settings.dual_clip, settings.importance_cap if recomputed else None)
    news = [each.tolist() for each in scored]
    engines = [[value for value, mine in zip(each.logprobs, each.sampled, strict=True) if mine] for each in played]
    references = [plain_logprobs(reference.model.double(), each).tolist() for each in played]
    reference.float()
    olds = news if recomputed else engines
    expected = plain_losses.loss(
        loss, news, olds, engines, advantages_of(rewards, loss), clips, LONGEST, 0.1, references
    )
    sum((each * torch.tensor(slopes)).sum() for each, slopes in zip(scored, expected.slopes, strict=True)).backward()
    wanted = {name: each.grad for name, each in exact.named_parameters()}

    pupil = learner(model, settings.model_dump(), {"tokens_per_microbatch": budget}, reference=reference)
    steps = caught(pupil)
    figures = pupil.update(batch, rewards, 0)
    assert figures["loss"] == pytest.approx(expected.value, rel=1e-5, abs=1e-6)
    assert figures["updates"] == len(steps) == 1
    for name, gradient in steps[0].items():
        error = (gradient - wanted[name.removeprefix("model.")]).norm() / wanted[name.removeprefix("model.")].norm()
        assert error < 1e-5, name


@pytest.mark.parametrize("loss", plain_losses.LOSSES)
def test_a_second_minibatch_is_compared_with_the_policy_before_the_first(folder, loss):
    """Its ratio is that of the weights as they are by then to those that the step began with."""
    batch, rewards = groups(random.Random(5), 4)
    model, before = policy(folder), policy(folder).model.double()
    played = [each.sequence for group in batch for each in group.rollouts]
    half = len(played) // 2
    with torch.no_grad():
        olds = [plain_logprobs(before, each).tolist() for each in played]
    for each, values in zip(played, olds, strict=True):
        own = iter(values)
        each.logprobs = [next(own) if mine else 0.0 for mine in each.sampled]
    pupil = learner(model, named(loss, old_policy="recompute", minibatches=2).model_dump(), {"learning_rate": 0.02})
    steps, by_then = caught(pupil), policy(folder).model

    def keep(*_):
        """The weights with which the gradient was taken; those of the last step stay."""
        by_then.load_state_dict(model.model.state_dict())

    pupil.optimizer.register_step_pre_hook(keep)
    assert pupil.update(batch, rewards, 0)["updates"] == len(steps) == 2

    exact = by_then.double()
    scored = [plain_logprobs(exact, each) for each in played[half:]]
    news, advantages = [each.tolist() for each in scored], advantages_of(rewards, loss)[half:]
    clips = plain_losses.Clips(*named(loss).clip)
    expected = plain_losses.loss(loss, news, olds[half:], olds[half:], advantages, clips, LONGEST)
    assert (
        max(abs(a - b) for new, old in zip(news, olds[half:], strict=True) for a, b in zip(new, old, strict=True)) > 0.1
    )
    sum((each * torch.tensor(slopes)).sum() for each, slopes in zip(scored, expected.slopes, strict=True)).backward()
    wanted = {name: each.grad for name, each in exact.named_parameters()}
    for name, gradient in steps[1].items():
        error = (gradient - wanted[name.removeprefix("model.")]).norm() / wanted[name.removeprefix("model.")].norm()
        assert error < 2e-5, name


@pytest.mark.parametrize("loss", plain_losses.LOSSES)
def test_in_bfloat16_the_loss_is_that_of_a_plain_loop_on_what_the_policy_says(folder, loss):
    """Whatever the arithmetic makes of a log-probability, nothing is lost after it."""
    batch, rewards = groups(random.Random(3), 3)
    model = policy(folder, dtype="bfloat16")
    played = [each.sequence for group in batch for each in group.rollouts]
    with torch.no_grad():
        (packed,) = microbatches(played, WHOLE)
        scores = model(packed).logprobs
        own = [scores[packed.owners == place].tolist() for place in range(len(played))]
    draw = random.Random(4)
    for each, values in zip(played, own, strict=True):
        off = iter([value + draw.gauss(0, 0.3) for value in values])
        each.logprobs = [next(off) if mine else 0.0 for mine in each.sampled]
    engines = [
        np.float32([value for value, mine in zip(each.logprobs, each.sampled, strict=True) if mine]).tolist()
        for each in played
    ]
    settings = named(loss)
    advantages = advantages_of(rewards, loss)
    clips = plain_losses.Clips(*settings.clip)
    expected = plain_losses.loss(loss, own, engines, engines, advantages, clips, LONGEST)
    figures = learner(model, settings.model_dump(), {"tokens_per_microbatch": WHOLE}).update(batch, rewards, 0)
    assert figures["loss"] == pytest.approx(expected.value, rel=1e-5, abs=1e-6)
