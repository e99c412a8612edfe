"""PPO's update is that of a plain implementation on transformers' own outputs, and the critic learns what to expect."""

import random

import pytest

torch = pytest.importorskip("torch")

from toolscale.errors import UserError  # noqa: E402
from trainer.checks import check_comparable  # noqa: E402
from trainer.config import Config  # noqa: E402
from trainer.model.critic import Critic  # noqa: E402
from trainer.model.packing import microbatches  # noqa: E402
from trainer.sequence import Group  # noqa: E402

from . import plain_ppo  # noqa: E402
from .chance import (  # noqa: E402
    WHOLE,
    critic,
    gradients,
    groups,
    learner,
    plain_logprobs,
    plain_values,
    policy,
    rollout,
    sequence,
    write_model,
)


@pytest.fixture(scope="module", params=["tied", "untied"])
def folder(request, tmp_path_factory):
    return write_model(tmp_path_factory.mktemp("model"), tied=request.param == "tied")


def caught(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> list[dict[str, torch.Tensor]]:
    steps: list[dict[str, torch.Tensor]] = []
    optimizer.register_step_pre_hook(lambda *_: steps.append(gradients(model)))
    return steps


def nudged(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.1)
    return model.requires_grad_(False)


@pytest.mark.parametrize("beta", [0.0, 0.1])
@pytest.mark.parametrize("budget", [30, WHOLE])
@pytest.mark.parametrize(("gamma", "decay"), [(1.0, 1.0), (0.97, 0.9)])
def test_losses_and_gradients_of_an_update_are_those_of_a_plain_ppo(folder, beta, budget, gamma, decay):
    batch, rewards = groups(random.Random(1), 3)
    model, judge = policy(folder), critic(folder)
    reference = nudged(policy(folder)) if beta else None
    played = [each for group in batch for each in group.rollouts]
    earned = [reward for values in rewards for reward in values]

    olds = [
        [value for value, mine in zip(each.sequence.logprobs, each.sequence.sampled, strict=True) if mine]
        for each in played
    ]
    references = [plain_logprobs(reference.model, each.sequence).tolist() if reference else None for each in played]
    valued = [plain_values(judge, each.sequence) for each in played]
    values = [each.tolist() for each in valued]
    raw = [
        plain_ppo.gae(plain_ppo.token_rewards(reward, old, other, beta), expected, gamma, decay)
        for reward, old, other, expected in zip(earned, olds, references, values, strict=True)
    ]
    returns = [[a + v for a, v in zip(*pair, strict=True)] for pair in zip(raw, values, strict=True)]
    advantages = plain_ppo.whitened(raw)
    losses = []
    for each, old, advantage in zip(played, olds, advantages, strict=True):
        ratio = torch.exp(plain_logprobs(model.model, each.sequence) - torch.tensor(old))
        credit = torch.tensor(advantage)
        losses.append(-torch.minimum(ratio * credit, ratio.clamp(0.8, 1.2) * credit))
    torch.cat(losses).mean().backward()
    # Before any update the clipped value is the value.
    value_loss = torch.cat([(v - torch.tensor(g)) ** 2 / 2 for v, g in zip(valued, returns, strict=True)]).mean()
    value_loss.backward()
    wanted, wanted_of_critic = gradients(model), gradients(judge)
    model.zero_grad()
    judge.zero_grad()

    pupil = learner(
        model,
        {"kl_coefficient": beta, "clip_high": 0.2},
        {"tokens_per_microbatch": budget},
        reference=reference,
        critic=judge,
        ppo={"gamma": gamma, "gae_lambda": decay, "critic_learning_rate": 1e-4},
    )
    steps, steps_of_critic = caught(model, pupil.optimizer), caught(judge, pupil.critic.optimizer)
    figures = pupil.update(batch, rewards, 0)

    plain_losses = [
        value
        for each, old, advantage in zip(played, olds, advantages, strict=True)
        for value in plain_ppo.policy_loss(
            plain_logprobs(policy(folder).model, each.sequence).tolist(), old, advantage, 0.2
        )
    ]
    assert figures["loss"] == pytest.approx(sum(plain_losses) / len(plain_losses), rel=1e-5, abs=1e-6)
    assert figures["value_loss"] == pytest.approx(value_loss.item(), rel=1e-5, abs=1e-6)
    assert figures["explained_variance"] == pytest.approx(plain_ppo.explained_variance(returns, values), rel=1e-4)
    assert figures["value_clip_share"] == 0.0
    assert figures["critic_learning_rate"] == 1e-4
    assert figures["updates"] == len(steps) == len(steps_of_critic) == 1
    for found, expected in ((steps[0], wanted), (steps_of_critic[0], wanted_of_critic)):
        assert found.keys() == expected.keys()
        for name, gradient in found.items():
            assert (gradient - expected[name]).norm() / expected[name].norm() < 1e-5, name


def test_the_kl_is_told_but_not_in_the_loss(folder):
    batch, rewards = groups(random.Random(2), 2)
    figures = learner(
        policy(folder), {"kl_coefficient": 0.1}, reference=nudged(policy(folder)), critic=critic(folder)
    ).update(batch, rewards, 0)
    other = nudged(policy(folder))
    each = [
        value
        for group in batch
        for one in group.rollouts
        for value in plain_ppo.kl(
            plain_logprobs(policy(folder).model, one.sequence).tolist(),
            plain_logprobs(other.model, one.sequence).tolist(),
        )
    ]
    assert figures["reference_kl"] == pytest.approx(sum(each) / len(each), rel=1e-4)


def test_an_update_makes_what_paid_more_likely_and_what_did_not_less(folder):
    from trainer.config import Model

    batch, _ = groups(random.Random(12), 2)
    model, judge = policy(folder), Critic.load(Model(path=str(folder), dtype="float32"))
    played = [each.sequence for group in batch for each in group.rollouts]

    def likelihoods():
        with torch.no_grad():
            return [plain_logprobs(model.model, each) for each in played]

    before = likelihoods()
    for each, logprobs in zip(played, before, strict=True):
        own = iter(logprobs.tolist())
        each.logprobs = [next(own) if mine else 0.0 for mine in each.sampled]
    learner(model, optimization={"learning_rate": 1e-3}, critic=judge).update(batch, [[1.0, 0.0, 0.0, 0.0]] * 2, 0)
    gains = [(after - earlier).sum().item() for earlier, after in zip(before, likelihoods(), strict=True)]
    for first in (0, 4):
        assert gains[first] > 0 > sum(gains[first + 1 : first + 4])


def test_the_critic_values_packed_states_as_transformers_does_alone(folder):
    draw, judge = random.Random(3), critic(folder)
    sequences = [sequence(draw, [1, 2, 3]) for _ in range(3)] + [sequence(draw, [1, 2, 9, 4]) for _ in range(3)]
    (batch,) = microbatches(sequences, WHOLE, judge.shares_prompts)
    values = judge(batch)
    for place, each in enumerate(sequences):
        torch.testing.assert_close(values[batch.owners == place], plain_values(judge, each), atol=1e-5, rtol=0)


def test_a_critic_begins_at_zero_and_has_no_head_over_the_vocabulary(folder):
    from trainer.config import Model

    judge = Critic.load(Model(path=str(folder), dtype="float32"))
    (batch,) = microbatches([sequence(random.Random(4), [1, 2])], WHOLE)
    assert judge(batch).tolist() == [0.0] * len(batch.targets)
    assert not [name for name, _ in judge.named_parameters() if "lm_head" in name]


def test_what_depends_on_the_task_alone_the_critic_learns_to_expect(folder):
    batch, _ = groups(random.Random(5), 3)
    pupil = learner(
        policy(folder),
        {"least_std": 0.0},
        {"learning_rate": 1e-9},
        critic=critic(folder),
        ppo={"critic_learning_rate": 1e-2},
    )
    rewards = [[earned] * 4 for earned in (-1.0, 0.5, 2.0)]
    explained = [pupil.update(batch, rewards, step)["explained_variance"] for step in range(40)]
    assert explained[0] < 0.5
    assert explained[-1] > 0.9


def test_minibatches_and_epochs_step_the_critic_too_and_values_are_those_before_the_batch(folder):
    batch, rewards = groups(random.Random(6), 4)
    pupil = learner(
        policy(folder),
        {"minibatches": 2, "epochs_per_batch": 3},
        critic=critic(folder),
        ppo={"critic_learning_rate": 0.02, "value_clip": 0.01},
    )
    steps = caught(pupil.critic.critic, pupil.critic.optimizer)
    figures = pupil.update(batch, rewards, 0)
    assert len(steps) == figures["updates"] == 6
    assert figures["value_clip_share"] > 0


def test_tasks_played_once_and_groups_that_tie_teach_where_a_critic_knows_what_to_expect(folder):
    batch, _ = groups(random.Random(7), 4, size=2)
    once = [Group(group.task_id, group.rollouts[:1]) for group in batch]
    model = policy(folder)
    before = {name: weight.clone() for name, weight in model.weights()}
    figures = learner(model, {"rollouts_per_task": 1}, critic=critic(folder)).update(once, [[1.0]] * 4, 0)
    assert figures["sequences"] == 4
    assert figures["homogeneous_groups"] == 0
    assert any(not torch.equal(before[name], weight) for name, weight in model.weights())
    tied = learner(policy(folder), {"least_std": 0.0}, critic=critic(folder)).update(batch, [[1.0, 1.0]] * 4, 0)
    assert tied["sequences"] == 8


@pytest.mark.parametrize("case", ["no groups", "all malformed"])
def test_without_anything_to_learn_policy_and_critic_stay(folder, case):
    batch, rewards = groups(random.Random(8), 2)
    spoiled = [Group(g.task_id, tuple(rollout(each.sequence, "malformed") for each in g.rollouts)) for g in batch]
    given = ([], []) if case == "no groups" else (spoiled, rewards)
    pupil = learner(policy(folder), {"drop_malformed": True}, critic=critic(folder))
    before = {name: tensor.clone() for name, tensor in pupil.tensors().items()}
    figures = pupil.update(*given, 0)
    assert "value_loss" not in figures
    assert figures["updates"] == 0
    assert all(torch.equal(before[name], tensor) for name, tensor in pupil.tensors().items())


def test_rewards_that_all_tie_have_no_variance_to_explain(folder):
    batch, _ = groups(random.Random(9), 2)
    figures = learner(policy(folder), {"least_std": 0.0}, critic=critic(folder)).update(batch, [[0.7] * 4] * 2, 0)
    assert "explained_variance" not in figures
    assert figures["value_loss"] > 0


def test_a_critic_that_diverges_is_stopped_by_the_name_of_its_rate(folder):
    batch, rewards = groups(random.Random(10), 2)
    judge = critic(folder)
    with torch.no_grad():
        judge.value_head.weight.fill_(float("inf"))
    with pytest.raises(UserError, match=r"Lower ppo\.critic_learning_rate"):
        learner(policy(folder), critic=judge).update(batch, rewards, 0)


def test_bfloat16_values_are_near_those_in_float32(folder):
    (batch,) = microbatches([sequence(random.Random(11), [1, 2, 3]) for _ in range(4)], WHOLE)
    exact, rough = critic(folder)(batch), critic(folder, dtype="bfloat16")(batch)
    assert rough.dtype == torch.float32
    assert (rough - exact).abs().max() < 0.2


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"algorithm": {"rollouts_per_task": 1}}, "GRPO compares 2 or more"),
        ({"algorithm": {"rollouts_per_task": 1}, "ppo": {}}, "R would always be 0"),
        ({"algorithm": {"std_eta": 1e-6}, "ppo": {}}, "std_eta belongs to GRPO"),
        ({"ppo": {"gamma": 1.5}}, "ppo.gamma"),
    ],
)
def test_settings_that_teach_nothing_or_would_be_ignored_are_refused(changes, said):
    with pytest.raises(UserError, match=said):
        Config.of({"model": {"path": "any", "dtype": "float32"}, **changes}, "test")


def test_a_question_played_once_is_refused_before_any_model_is_loaded():
    from toolscale.questions.task import QuestionTask
    from trainer.tasks.exercise import QuestionExercise

    asked = QuestionExercise(QuestionTask(id="q-1", question="What?", answer="This."))

    def settings(rollouts, rewarding):
        algorithm = {"rollouts_per_task": rollouts}
        return Config.of({"model": {"path": "any"}, "ppo": {}, "algorithm": algorithm, "rewarding": rewarding}, "test")

    check_comparable([asked], settings(2, {}))
    check_comparable([asked], settings(1, {"parts": {"outcome": 1.0}}))
    with pytest.raises(UserError, match="question q-1") as raised:
        check_comparable([asked], settings(1, {"kind": "toolrl"}))
    assert "\n" not in str(raised.value)
