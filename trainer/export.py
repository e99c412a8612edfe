"""What a training leaves: a folder that transformers and vLLM load, with a card that says where it comes from."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, PreTrainedTokenizerBase

from toolscale.whole import whole_folder
from trainer.config import Config
from trainer.distributed import Processes
from trainer.evaluation import Evaluated
from trainer.policy import Policy

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


def gathered(policy: Policy, processes: Processes) -> dict[str, torch.Tensor]:
    """The policy's whole weights in the memory of the first process's host; every process has to ask."""
    weights = {}
    for name, tensor in policy.weights():
        if processes.leads:
            weights[name] = tensor.to("cpu")
    return weights


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
    with whole_folder(folder) as made:
        model.save_pretrained(made)
        tokenizer.save_pretrained(made)
        provenance.config.write(made / "training.yaml")
        (made / "README.md").write_text(card(provenance), encoding="utf-8")


def card(provenance: Provenance) -> str:
    """The model's card."""
    config = provenance.config
    algorithm, rollouts = config.algorithm, config.rollouts
    base = config.model.path if not Path(config.model.path).is_dir() else Path(config.model.path).name
    header = ["---", "library_name: transformers", "pipeline_tag: text-generation", "tags: [tool-use, GRPO, toolscale]"]
    header += [f"base_model: {base}"] if not Path(config.model.path).is_dir() else []
    told = [
        f"base model: `{base}`",
        f"dataset: version `{provenance.dataset}` of ToolScale's tasks, split `train`",
        f"GRPO: {provenance.steps} steps of {algorithm.tasks_per_step} tasks, "
        f"{algorithm.rollouts_per_task} rollouts each, learning rate {config.optimization.learning_rate:g}, "
        f"seed {config.seed}",
        f"episodes: at most {rollouts.max_turns} turns, {rollouts.max_sampled_tokens:,} sampled tokens, "
        f"temperature {rollouts.temperature:g}",
    ]
    if config.warm_start is not None:
        examples = config.warm_start.examples or "all"
        told.insert(
            2,
            f"warm start: {examples} successful trajectories, learning rate {config.warm_start.learning_rate:g}",
        )
    lines = [*header, "---", "", "# An orchestrator trained with ToolScale", ""]
    lines += [
        "Calls tools to solve tasks whose success a program verifies. Trained after ToolOrchestra (arXiv 2511.21689).",
        "",
    ]
    lines += [f"- {fact}" for fact in told] + ["", "## Held-out tasks, greedy", ""]
    evaluated = [(name, one) for name, one in (("before GRPO", provenance.before), ("after", provenance.after)) if one]
    if evaluated:
        lines += ["| | tasks | solved | pass rate | 95% interval |", "| --- | ---: | ---: | ---: | ---: |"]
        lines += [
            f"| {name} | {one.tasks} | {one.solved} | {one.pass_rate:.3f} | {one.low:.3f} to {one.high:.3f} |"
            for name, one in evaluated
        ]
    else:
        lines += ["Not evaluated."]
    lines += ["", "All settings stand in `training.yaml`.", ""]
    return "\n".join(lines)
