"""What a training leaves: a folder that transformers and vLLM load, with a card that says where it comes from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerBase
from transformers.utils import GENERATION_CONFIG_NAME

from toolscale.whole import whole_folder
from trainer.config import Config
from trainer.distributed import Processes
from trainer.model.lora import write_adapter
from trainer.model.policy import Policy
from trainer.output.disk import refusals
from trainer.rollout.decoding import makers_file
from trainer.rollout.evaluation import Evaluated

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


@dataclass(frozen=True)
class Provenance:
    """Where a checkpoint comes from."""

    config: Config
    dataset: str
    """Version of the dataset."""
    steps: int
    before: Evaluated | None
    after: Evaluated | None


def export_model(
    folder: Path, policy: Policy, tokenizer: PreTrainedTokenizerBase, provenance: Provenance, processes: Processes
) -> None:
    """Write the policy as it is now, adapters merged; the first process does, all of them have to come here."""
    weights = _gathered(policy.weights(), processes)
    if processes.leads:
        write_model(folder, weights, policy.model.config, tokenizer, provenance)
    processes.wait()


def export_adapter(
    folder: Path, policy: Policy, tokenizer: PreTrainedTokenizerBase, provenance: Provenance, processes: Processes
) -> None:
    """Write the policy's adapters as they are now, for peft and vLLM to load beside the model that they are of."""
    tensors = _gathered(policy.adapters(), processes)
    if processes.leads:
        with whole_folder(folder) as made, refusals():
            write_adapter(made, provenance.config.model, tensors)
            _write_beside(made, tokenizer, provenance, "peft")
    processes.wait()


def _gathered(tensors: Iterable[tuple[str, torch.Tensor]], processes: Processes) -> dict[str, torch.Tensor]:
    """The whole tensors in the memory of the first process's host; every process has to ask."""
    gathered = {}
    for name, tensor in tensors:
        if processes.leads:
            gathered[name] = tensor.to("cpu")
    return gathered


def write_model(
    folder: Path,
    weights: Mapping[str, torch.Tensor],
    model_config: Any,
    tokenizer: PreTrainedTokenizerBase,
    provenance: Provenance,
) -> None:
    """Write the policy to `folder`, whole or not at all: weights, configuration, tokenizer with chat template, card.

    Args:
        folder: takes the place of what was there.
        weights: full tensors under transformers' names.
        model_config: the model's own configuration.
        tokenizer: with the chat template that was trained with.
        provenance: what the card tells.
    """
    dtype = DTYPES[provenance.config.model.dtype]
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(model_config, dtype=dtype)  # type: ignore[no-untyped-call]
    model.load_state_dict({name: tensor.to(dtype) for name, tensor in weights.items()}, strict=False, assign=True)
    model.tie_weights()
    if lost := [name for name, parameter in model.named_parameters() if parameter.is_meta]:
        raise ValueError(f"the policy gave no {lost[0]}")
    with whole_folder(folder) as made, refusals():
        model.save_pretrained(made)
        _write_beside(made, tokenizer, provenance, "transformers")


def _write_beside(folder: Path, tokenizer: PreTrainedTokenizerBase, provenance: Provenance, library: str) -> None:
    tokenizer.save_pretrained(folder)
    # How the makers say that their model is sampled from holds for what is made of it.
    if said := makers_file(provenance.config.model):
        (folder / GENERATION_CONFIG_NAME).write_bytes(said)
    provenance.config.write(folder / "training.yaml")
    (folder / "README.md").write_text(card(provenance, library), encoding="utf-8")


def card(provenance: Provenance, library: str = "transformers") -> str:
    """The model's card, or its adapter's; `library` loads it."""
    config = provenance.config
    algorithm, rollouts = config.algorithm, config.rollouts
    base = config.model.path if not Path(config.model.path).is_dir() else Path(config.model.path).name
    method = "PPO" if config.ppo else "GRPO"
    header = ["---", f"library_name: {library}", "pipeline_tag: text-generation"]
    header += [f"tags: [tool-use, {method}, toolscale]"]
    header += [f"base_model: {base}"] if not Path(config.model.path).is_dir() else []
    told = [
        f"base model: `{base}`",
        f"dataset: version `{provenance.dataset}` of ToolScale's tasks, split `train`",
        f"{method}: {provenance.steps} steps of {algorithm.tasks_per_step} tasks, "
        f"{algorithm.rollouts_per_task} rollouts each, learning rate {config.optimization.learning_rate:g}, "
        f"seed {config.seed}"
        + (f"; the critic's learning rate {config.ppo.critic_learning_rate:g}" if config.ppo else ""),
        f"episodes: at most {rollouts.max_turns} turns, {rollouts.max_sampled_tokens:,} sampled tokens, "
        f"temperature {rollouts.temperature:g}",
    ]
    if lora := config.model.lora:
        merged = "to be loaded beside the base model" if library == "peft" else "merged into the base model"
        told.insert(1, f"LoRA: rank {lora.rank}, alpha {lora.alpha}, {merged}")
    if config.warm_start is not None:
        examples = config.warm_start.examples or "all"
        told.insert(
            2,
            f"warm start: {examples} trajectories or golden steps, learning rate {config.warm_start.learning_rate:g}",
        )
    lines = [*header, "---", "", "# An orchestrator trained with ToolScale", ""]
    after = "ToolOrchestra (arXiv 2511.21689)"
    if config.rewarding.kind == "toolrl":
        after, design = "ToolRL (arXiv 2504.13958)", config.rewarding
        told.append(f"reward: schedule {design.schedule}, granularity {design.granularity}, length {design.length}")
    if config.rewarding.parts is not None:
        told.append(f"reward: {' + '.join(f'{weight:g} {name}' for name, weight in config.rewarding.parts.items())}")
    lines += [f"Calls tools to solve tasks whose success a program verifies. Trained after {after}.", ""]
    lines += [f"- {fact}" for fact in told] + ["", "## Held-out tasks", ""]
    evaluated = [
        (name, one) for name, one in ((f"before {method}", provenance.before), ("after", provenance.after)) if one
    ]
    if evaluated:
        lines += [f"One attempt at each: {evaluated[-1][1].decoding}.", ""]
        lines += ["| | tasks | solved | pass rate | 95% interval |", "| --- | ---: | ---: | ---: | ---: |"]
        lines += [
            f"| {name} | {one.tasks} | {one.solved} | {one.pass_rate:.3f} | {one.low:.3f} to {one.high:.3f} |"
            for name, one in evaluated
        ]
    else:
        lines += ["Not evaluated."]
    lines += ["", "All settings stand in `training.yaml`.", ""]
    return "\n".join(lines)
