"""An update is the paper's: its loss, its gradient and its step, and none where nothing can be learnt."""

import copy
import math
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from toolscale.errors import UserError  # noqa: E402
from trainer.config import Algorithm, Optimization  # noqa: E402
from trainer.learning.learner import Learner  # noqa: E402
from trainer.learning.optimizer import adamw, learning_rate  # noqa: E402
from trainer.model.policy import Policy  # noqa: E402
from trainer.sequence import Group  # noqa: E402

from .chance import (  # noqa: E402
    WHOLE,
    gradients,
    groups,
    learner,
    plain_logprobs,
    policy,
    rollout,
    sequence,
    write_model,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model"))


def caught(pupil: Learner) -> list[dict[str, torch.Tensor]]:
    """The gradients of each optimizer step, as they come."""
    steps: list[dict[str, torch.Tensor]] = []
    pupil.optimizer.register_step_pre_hook(lambda *_: steps.append(gradients(pupil.policy)))
    return steps


def on_policy(model, batch):
    """The same groups with the log-probabilities that the policy itself gives: what an exact engine would have said."""
    batch = copy.deepcopy(batch)
    for group in batch:
        for each in group.rollouts:
            own = iter(plain_logprobs(model, each.sequence).tolist())
            each.sequence.logprobs = [next(own) if mine else 0.0 for mine in each.sequence.sampled]
    return batch


def standardized(rewards):
    return (np.array(rewards) - np.mean(rewards)) / np.std(rewards)


def by_the_paper(model, batch, rewards, norm="token", beta=0.0, reference=None):
    """The loss, with transformers' own logits, one sequence at a time."""
    losses = []
    for group, values in zip(batch, rewards, strict=True):
        for each, advantage in zip(group.rollouts, standardized(values), strict=True):
            new = plain_logprobs(model, each.sequence)
            old = torch.tensor(
                [value for value, mine in zip(each.sequence.logprobs, each.sequence.sampled, strict=True) if mine]
            )
            ratio = torch.exp(new - old)
            loss = -torch.minimum(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
            if reference is not None:
                difference = plain_logprobs(reference, each.sequence).detach() - new
                loss = loss + beta * (torch.exp(difference) - difference - 1)
            losses.append(loss)
    return torch.cat(losses).mean() if norm == "token" else torch.stack([each.mean() for each in losses]).mean()


@pytest.mark.parametrize(("loss", "norm"), [("dapo", "token"), ("grpo", "sequence")])
@pytest.mark.parametrize("beta", [0.0, 0.1])
@pytest.mark.parametrize("budget", [30, WHOLE])
def test_loss_and_gradient_of_an_update_are_those_of_a_plain_reading_of_the_paper(folder, loss, norm, beta, budget):
    batch, rewards = groups(random.Random(1), 3)
    model, reference = policy(folder), policy(folder)
    with torch.no_grad():
        for parameter in reference.parameters():
            parameter.mul_(1.1)
    reference.requires_grad_(False)
    expected = by_the_paper(model.model, batch, rewards, norm, beta, reference.model if beta else None)
    expected.backward()
    wanted = gradients(model)
    pupil = learner(
        model,
        {"loss": loss, "clip_high": 0.2, "kl_coefficient": beta},
        {"tokens_per_microbatch": budget},
        reference=reference if beta else None,
    )
    steps = caught(pupil)
    figures = pupil.update(batch, rewards, 0)
    assert figures["loss"] == pytest.approx(expected.item(), rel=1e-5, abs=1e-6)
    assert figures["updates"] == len(steps) == 1
    for name, gradient in steps[0].items():
        assert (gradient - wanted[name]).norm() / wanted[name].norm() < 1e-5, name


def test_before_the_first_update_the_ratio_is_one(folder):
    model = policy(folder)
    batch, rewards = groups(random.Random(2), 3)
    figures = learner(model).update(on_policy(model.model, batch), rewards, 0)
    assert figures["mismatch_max"] < 1e-5
    assert 0 <= figures["mismatch_kl"] < 1e-9
    assert figures["clip_share"] == 0.0


def test_an_update_makes_what_paid_more_likely_and_what_did_not_less(folder):
    model = policy(folder)
    batch, _ = groups(random.Random(4), 2)
    batch = on_policy(model.model, batch)
    rewards = [[1.0, 0.0, 0.0, 0.0]] * 2

    def likelihoods():
        with torch.no_grad():
            return [
                [plain_logprobs(model.model, each.sequence).sum().item() for each in group.rollouts] for group in batch
            ]

    before = likelihoods()
    learner(model, optimization={"learning_rate": 1e-3}).update(batch, rewards, 0)
    for group_before, group_after in zip(before, likelihoods(), strict=True):
        gains = [after - earlier for earlier, after in zip(group_before, group_after, strict=True)]
        assert gains[0] > 0 > np.mean(gains[1:])


@pytest.mark.parametrize("case", ["ties", "no groups", "empty group", "all malformed"])
def test_without_anything_to_learn_the_policy_stays_and_no_figure_is_made_up(folder, case):
    draw = random.Random(5)
    batch, rewards = groups(draw, 2)
    if case == "ties":
        rewards = [[1.0] * 4, [0.0] * 4]
    elif case == "no groups":
        batch, rewards = [], []
    elif case == "empty group":
        batch, rewards = [Group("task", ())], [[]]
    else:
        batch = [
            Group(group.task_id, tuple(rollout(each.sequence, "malformed") for each in group.rollouts))
            for group in batch
        ]
    model = policy(folder)
    before = {name: weight.clone() for name, weight in model.weights()}
    figures = learner(model, {"drop_malformed": True}, {"learning_rate": 1.0}).update(batch, rewards, 0)
    assert figures["updates"] == figures["tokens"] == 0
    assert "loss" not in figures
    assert all(math.isfinite(value) for value in figures.values())
    assert all(torch.equal(before[name], weight) for name, weight in model.weights())


def test_a_loss_that_is_no_number_stops_before_the_step(folder):
    model = policy(folder)
    batch, rewards = groups(random.Random(6), 2)
    first = batch[0].rollouts[0].sequence
    first.logprobs[first.sampled.index(True)] = math.nan
    before = {name: weight.clone() for name, weight in model.weights()}
    pupil = learner(model)
    with pytest.raises(UserError, match="step 3: the loss is nan") as raised:
        pupil.update(batch, rewards, 3)
    assert "\n" not in str(raised.value)
    assert all(torch.equal(before[name], weight) for name, weight in model.weights())
    assert all(state["step"] == 0 for state in pupil.optimizer.state.values())


def test_minibatches_and_epochs_each_make_an_optimizer_step_and_the_ratio_leaves_one(folder):
    model = policy(folder)
    batch, rewards = groups(random.Random(7), 4)
    pupil = learner(model, {"minibatches": 2, "epochs_per_batch": 3}, {"learning_rate": 0.02})
    figures = pupil.update(on_policy(model.model, batch), rewards, 0)
    assert figures["updates"] == 6
    assert figures["sequences"] == 16
    assert figures["clip_share"] > 0
    assert figures["mismatch_max"] < 1e-5


def test_the_old_policy_recomputed_forgives_an_engine_that_is_off_and_weighs_it_truncated(folder):
    model = policy(folder)
    batch, rewards = groups(random.Random(8), 2)
    exact = on_policy(model.model, batch)
    (first, *_), off = exact[0].rollouts, math.log(5)
    at = first.sequence.sampled.index(True)
    first.sequence.logprobs[at] -= off
    whole = sum(each.sequence.sampled_count for group in exact for each in group.rollouts)
    for group, values in zip(exact, rewards, strict=True):
        for each, advantage in zip(group.rollouts, standardized(values), strict=True):
            new = plain_logprobs(model.model, each.sequence)
            weights = torch.ones(len(new))
            if each is first:
                weights[0] = 2.0
            (-(weights * torch.exp(new - new.detach()) * advantage).sum() / whole).backward()
    wanted = gradients(model)
    pupil = learner(model, {"old_policy": "recompute", "importance_cap": 2.0})
    steps = caught(pupil)
    figures = pupil.update(exact, rewards, 0)
    assert figures["mismatch_max"] == pytest.approx(off, abs=1e-4)
    assert figures["clip_share"] == 0.0
    for name, gradient in steps[0].items():
        assert (gradient - wanted[name]).norm() / wanted[name].norm() < 1e-5, name


@pytest.mark.parametrize("loss", ["grpo", "gspo", "cispo"])
def test_the_pass_that_learns_says_what_a_pass_of_its_own_would_have(folder, loss, monkeypatch):
    batch, rewards = groups(random.Random(10), 3)
    passes, forward = [], Policy.forward
    monkeypatch.setattr(Policy, "forward", lambda *given: passes.append(given) or forward(*given))

    def updated(*, asks_old):
        monkeypatch.setattr(Algorithm, "asks_old", asks_old)
        pupil = learner(policy(folder), {"old_policy": "recompute", "importance_cap": 1.5, "loss": loss})
        steps = caught(pupil)
        passes.clear()
        return pupil.update(batch, rewards, 0), steps[0], len(passes)

    (once, learnt, one), (twice, learnt_twice, two) = updated(asks_old=False), updated(asks_old=True)
    assert two == 2 * one
    assert once == pytest.approx(twice)
    assert once["mismatch_max"] > 0.1
    for name, gradient in learnt.items():
        torch.testing.assert_close(gradient, learnt_twice[name])


def test_imitation_learns_the_sampled_tokens_alone(folder):
    model, draw = policy(folder), random.Random(9)
    sequences = [sequence(draw, [1, 2, 3]) for _ in range(4)]
    wanted = torch.cat([plain_logprobs(model.model, each) for each in sequences]).mean()
    pupil = learner(model, optimization={"learning_rate": 0.01, "tokens_per_microbatch": 20})
    losses = [pupil.imitate(sequences, step)["loss"] for step in range(8)]
    assert losses[0] == pytest.approx(-wanted.item(), rel=1e-5)
    assert losses[-1] < losses[0] / 2


def test_a_large_gradient_is_clipped_and_its_norm_before_that_is_told(folder):
    model = policy(folder)
    batch, rewards = groups(random.Random(10), 2)
    pupil = learner(model, optimization={"max_grad_norm": 1e-3})
    steps = caught(pupil)
    figures = pupil.update(batch, rewards, 0)
    norm = torch.cat([each.flatten() for each in steps[0].values()]).norm().item()
    assert norm == pytest.approx(1e-3, rel=1e-3)
    assert figures["grad_norm"] > 1e-3


def test_bfloat16_learns_with_float32_weights(folder):
    model = policy(folder, dtype="bfloat16")
    batch, rewards = groups(random.Random(11), 2)
    before = {name: weight.clone() for name, weight in model.weights()}
    figures = learner(model, optimization={"learning_rate": 1e-6}).update(batch, rewards, 0)
    assert math.isfinite(figures["loss"])
    moved = [(weight - before[name]).abs().max().item() for name, weight in model.weights()]
    assert all(0 < most < 1e-5 for most in moved), "steps of one in a million must not be rounded away"


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [("constant", [0.5, 1, 1, 1, 1]), ("linear", [0.5, 1, 1, 0.5, 0]), ("cosine", [0.5, 1, 1, 0.5, 0])],
)
def test_the_learning_rate_rises_then_follows_its_schedule(schedule, expected):
    settings = Optimization(learning_rate=1.0, warmup_steps=2, schedule=schedule)
    found = [learning_rate(settings, step, 10) for step in (0, 1, 2, 6, 10)]
    assert found == pytest.approx(expected)


def test_only_matrices_decay(folder):
    optimizer = adamw(policy(folder), Optimization(weight_decay=0.1))
    for parameters in optimizer.param_groups:
        assert {each.ndim > 1 for each in parameters["params"]} == {parameters["weight_decay"] == 0.1}


def test_moments_that_lie_in_the_hosts_memory_give_the_same_bits(folder):
    pupils = [learner(policy(folder), optimization={"learning_rate": 1e-3, "offload": each}) for each in (False, True)]
    for step in range(3):
        for pupil in pupils:
            pupil.update(*groups(random.Random(step), 2), step)
    stays, moves = (pupil.tensors() for pupil in pupils)
    assert any(name.endswith("exp_avg_sq") and each.any() for name, each in moves.items())
    for name, tensor in stays.items():
        assert torch.equal(tensor, moves[name]), name


def test_a_reference_without_a_coefficient_is_an_error(folder):
    with pytest.raises(ValueError, match="come together"):
        Learner(policy(folder), Algorithm(kl_coefficient=0.1), Optimization(), steps=1)
