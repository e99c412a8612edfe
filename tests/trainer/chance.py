"""Sequences, groups and policies drawn by chance: what the tests of the learner learn from."""

import random
from pathlib import Path

import torch
from torch.distributed.tensor import DTensor, distribute_tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from toolscale.artifacts import Trajectory, Verdict
from toolscale.rewards import RewardVector
from trainer.config import PPO, Algorithm, Model, Optimization
from trainer.distributed import Processes
from trainer.learning.learner import Learner
from trainer.learning.ppo import CriticLearner
from trainer.model import lora
from trainer.model.critic import Critic
from trainer.model.policy import Policy
from trainer.sequence import Ending, Group, Rollout, TokenSequence

VOCABULARY = 61
LORA = {"rank": 4, "alpha": 8}
WHOLE = 1_000_000
"""A budget that packs everything into one micro-batch, or a norm that clips nothing."""
LONGEST = 11
"""Tokens that an episode may sample, which Dr. GRPO divides by."""


def write_model(folder: Path, *, tied: bool = True) -> Path:
    """A random Llama of two layers, without a tokenizer."""
    shape = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        tie_word_embeddings=tied,
        attention_dropout=0.5,
        initializer_range=0.2,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        LlamaForCausalLM(shape).save_pretrained(folder)
    return folder


def with_adapters(folder: Path, *, drawn: bool = True, **settings: object) -> Policy:
    """The policy of a folder with adapters, whose B is drawn by chance where it is not to be zero."""
    torch.manual_seed(1)
    made = policy(folder, **{"lora": LORA, **settings})
    if drawn:
        with torch.no_grad():
            for name, parameter in made.named_parameters():
                if "lora_B" in name:
                    parameter.copy_(0.1 * torch.randn(parameter.shape))
    return made


def write_adapter(folder: Path, model: Path | Policy) -> Path:
    """Adapters drawn by chance for the model of a folder, or those of a policy, as peft writes them."""
    made = model if isinstance(model, Policy) else with_adapters(model)
    folder.mkdir()
    settings = Model.model_validate({"path": str(made.model.config.name_or_path), "lora": LORA})
    lora.write_adapter(folder, settings, dict(made.adapters()))
    return folder


def sequence(draw: random.Random, prompt: list[int], most_turns: int = 3) -> TokenSequence:
    """A prompt, and turns of sampled tokens with given ones between, as tool answers are; some end with given ones."""
    made = TokenSequence.of_prompt(prompt)
    for turn in range(draw.randint(1, most_turns)):
        if turn:
            made.append_given([draw.randrange(VOCABULARY) for _ in range(draw.randint(1, 4))])
        ids = [draw.randrange(VOCABULARY) for _ in range(draw.randint(1, 6))]
        made.append_sampled(ids, [-draw.uniform(2, 6) for _ in ids], 0)
    if draw.random() < 0.3:
        made.append_given([draw.randrange(VOCABULARY) for _ in range(3)])
    return made


def rollout(sequence: TokenSequence, ending: Ending = "done", fault: str | None = None) -> Rollout:
    """An episode of which only the tokens and the ending matter."""
    return Rollout(
        task_id="cloakroom-01",
        sequence=sequence,
        trajectory=Trajectory(task_id="cloakroom-01"),
        verdict=Verdict(execution=True, fidelity=True, completeness=True, reasons=[]),
        ending=ending,
        vector=RewardVector((), (), True, 0.0, 0.0),
        fault=fault,
    )


def groups(draw: random.Random, count: int, size: int = 4) -> tuple[list[Group], list[list[float]]]:
    """Groups with one prompt each, and rewards that differ within every group."""
    made, rewards = [], []
    for number in range(count):
        prompt = [draw.randrange(VOCABULARY) for _ in range(draw.randint(1, 9))]
        made.append(Group(f"task-{number}", tuple(rollout(sequence(draw, prompt)) for _ in range(size))))
        rewards.append([0.0, 1.0, *(draw.random() for _ in range(size - 2))])
    return made, rewards


def policy(folder: Path, processes: Processes | None = None, **settings: object) -> Policy:
    """The policy of a folder, in fp32 unless the settings say else."""
    return Policy.load(Model.model_validate({"path": str(folder), "dtype": "float32", **settings}), processes)


def critic(folder: Path, processes: Processes | None = None, head: float = 0.3, **settings: object) -> Critic:
    """A critic that begins as the model of a folder, in fp32; its value head is drawn by chance, times `head`."""
    made = Critic.load(Model.model_validate({"path": str(folder), "dtype": "float32", **settings}), processes)
    generator = torch.Generator().manual_seed(6)
    weight = head * torch.randn(1, made.model.config.hidden_size, generator=generator)
    for parameter, value in ((made.value_head.weight, weight), (made.value_head.bias, torch.tensor([0.1]))):
        own = parameter.data
        split = isinstance(own, DTensor)
        own.copy_(distribute_tensor(value, own.device_mesh, own.placements) if split else value)
    return made


def learner(
    policy: Policy,
    algorithm: dict[str, object] | None = None,
    optimization: dict[str, object] | None = None,
    processes: Processes | None = None,
    reference: Policy | None = None,
    critic: Critic | None = None,
    ppo: dict[str, object] | None = None,
) -> Learner:
    """A learner that neither clips gradients nor splits its batch unless the settings say so; PPO with a critic."""
    settings = Optimization.model_validate(
        {"max_grad_norm": WHOLE, "tokens_per_microbatch": WHOLE, **(optimization or {})}
    )
    together = processes or Processes()
    return Learner(
        policy,
        Algorithm.model_validate(algorithm or {}),
        settings,
        steps=10,
        longest=LONGEST,
        processes=processes,
        reference=reference,
        critic=None
        if critic is None
        else CriticLearner(critic, PPO.model_validate(ppo or {}), settings, steps=10, processes=together),
    )


def plain_logprobs(model: PreTrainedModel, sequence: TokenSequence) -> torch.Tensor:
    """Log-probabilities of a sequence's sampled tokens by transformers alone, with all its logits."""
    ids = torch.tensor(sequence.ids)
    logits = model(ids[None]).logits[0, :-1]
    every = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(-1)
    chosen = every.gather(-1, ids[1:, None]).squeeze(-1)
    return chosen[torch.tensor(sequence.sampled[1:])]


def plain_values(critic: Critic, sequence: TokenSequence) -> torch.Tensor:
    """What the critic makes of a sequence's states before its sampled tokens, by transformers alone."""
    states = critic.model(torch.tensor(sequence.ids)[None]).last_hidden_state[0, :-1]
    return critic.value_head(states).squeeze(-1)[torch.tensor(sequence.sampled[1:])]


def gradients(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Every gradient by name."""
    return {name: each.grad.detach().clone() for name, each in model.named_parameters() if each.grad is not None}
