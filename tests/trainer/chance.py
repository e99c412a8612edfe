"""Sequences, groups and policies drawn by chance: what the tests of the learner learn from."""

import random
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from toolscale.artifacts import Trajectory, Verdict
from toolscale.rewards import RewardVector
from trainer.config import Algorithm, Model, Optimization
from trainer.distributed import Processes
from trainer.learner import Learner
from trainer.policy import Policy
from trainer.sequence import Ending, Group, Rollout, TokenSequence

VOCABULARY = 61
WHOLE = 1_000_000
"""A budget that packs everything into one micro-batch, or a norm that clips nothing."""


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


def learner(
    policy: Policy,
    algorithm: dict[str, object] | None = None,
    optimization: dict[str, object] | None = None,
    processes: Processes | None = None,
    reference: Policy | None = None,
) -> Learner:
    """A learner that neither clips gradients nor splits its batch unless the settings say so."""
    return Learner(
        policy,
        Algorithm.model_validate(algorithm or {}),
        Optimization.model_validate({"max_grad_norm": WHOLE, "tokens_per_microbatch": WHOLE, **(optimization or {})}),
        steps=10,
        processes=processes,
        reference=reference,
    )


def plain_logprobs(model: PreTrainedModel, sequence: TokenSequence) -> torch.Tensor:
    """Log-probabilities of a sequence's sampled tokens by transformers alone, with all its logits."""
    ids = torch.tensor(sequence.ids)
    every = model(ids[None]).logits[0, :-1].float().log_softmax(-1)
    chosen = every.gather(-1, ids[1:, None]).squeeze(-1)
    return chosen[torch.tensor(sequence.sampled[1:])]


def gradients(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Every gradient by name."""
    return {name: each.grad.detach().clone() for name, each in model.named_parameters() if each.grad is not None}
