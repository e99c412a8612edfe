"""The configuration of a training: one pydantic model, filled from a YAML file and `--set a.b=value` on top of it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from toolscale.errors import UserError
from toolscale.rewards.toolrl import Schedule

PRESETS = Path(__file__).with_name("presets")


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _arithmetic(asked: Any) -> Any:
    """`auto` becomes what this machine has arithmetic for; what is written down is what was used."""
    if asked != "auto":
        return asked
    from trainer.precision import native

    return native()


Precision = Annotated[Literal["float32", "bfloat16"], BeforeValidator(_arithmetic)]


class Model(_Section):
    """The checkpoint that training starts from."""

    path: str = Field(description="A folder that `save_pretrained` wrote, or a name on the Hub.")
    revision: str | None = None
    chat_template: Path | None = Field(default=None, description="A Jinja file that replaces the tokenizer's template.")
    dtype: Precision = Field(
        default="bfloat16", description="`auto` is bfloat16 where the machine has arithmetic for it, else float32."
    )
    attention: str = Field(default="sdpa", description="transformers' `attn_implementation`.")
    activation_checkpointing: bool = False


class Source(_Section):
    """One of several datasets, and how often a task comes from it."""

    dataset: Path | None = Field(
        default=None, description="Folder of domain tasks, of questions or of steps; None is the command's --dataset."
    )
    share: float = Field(default=1.0, gt=0, description="Beside the others' shares; they need not sum to 1.")


class Data(_Section):
    """Which tasks, in which order."""

    mix: list[Source] | None = Field(
        default=None,
        min_length=1,
        description="None takes the command's --dataset alone. Shares are whole per cents.",
    )
    domains: list[str] | None = Field(default=None, description="None takes every domain of the dataset.")
    max_golden_calls: int | None = Field(default=None, ge=1)
    max_depth: int | None = Field(default=None, ge=0)
    pass_rates: tuple[float, float] = Field(default=(0.0, 1.0), description="Tasks whose pass rate lies within.")
    tools_per_task: int | None = Field(
        default=None,
        ge=1,
        description="Offer so many functions, golden ones among them, drawn by the seed; None offers all.",
    )
    shuffle: bool = True


class Tools(_Section):
    """What questions are answered with: the tools of a catalogue (docs/orchestration.md)."""

    catalogue: str = Field(default="training", description="Where tools are found: a set, FILE.toml, or FILE.toml:SET.")
    schedule: str = Field(default="together", description="Prices for questions whose rows have no configuration.")
    index: Path | None = Field(default=None, description="Folder that local_search searches.")
    instructions: str | None = Field(
        default=None, description="The agent's, in place of the prompt `orchestrator`: short ones for a small model."
    )
    judge: bool = Field(
        default=False,
        description="Ask the judge model about answers that a program cannot decide; else these are wrong.",
    )


class Rollouts(_Section):
    """How episodes are played."""

    backend: Literal["vllm", "vllm-server", "transformers"] = "vllm"
    servers: list[str] = Field(default_factory=list, description="Base URLs, for `vllm-server`.")
    weight_transfer: Literal["auto", "shm", "ipc", "nccl"] = "auto"
    dtype: Precision | None = Field(default=None, description="None takes the model's.")
    max_turns: int = Field(default=50, ge=1, description="The paper's 50 (section 4.1).")
    max_prompt_tokens: int = Field(default=24_000, ge=16, description="The paper's input limit: of the first prompt.")
    max_sampled_tokens: int = Field(default=8_000, ge=1, description="The paper's limit on what one episode generates.")
    max_message_tokens: int | None = Field(default=None, ge=1, description="At most so many in one message.")
    context_tokens: int = Field(default=32_000, ge=32, description="Prompt, messages and tool answers together.")
    temperature: float = Field(default=1.0, ge=0)
    top_p: float = Field(default=1.0, gt=0, le=1)
    at_once: int = Field(default=64, ge=1, description="Trajectories that one process plays side by side.")
    sandboxes: int = Field(default=4, ge=1, description="Calls that run side by side.")
    kv_cache_gib: float | None = Field(default=None, gt=0, description="vLLM's cache; None lets vLLM choose.")
    gpu_memory_share: float = Field(default=0.4, gt=0, le=1, description="vLLM's share of a GPU that training shares.")
    tensor_parallel: int = Field(default=1, ge=1)
    enforce_eager: bool = False
    tool_latency: tuple[float, float] = Field(
        default=(0.0, 0.0), description="Seconds, drawn evenly and by the seed, that every tool call takes longer."
    )


class Rewarding(_Section):
    """What a trajectory is worth."""

    kind: Literal["preference", "toolrl"] = Field(
        default="preference", description="The paper's M . P, or ToolRL's format and correctness."
    )
    preference: list[float] | dict[str, float] | None = Field(
        default=None,
        description="P, or what is wanted by name (tools, outcome, compute, latency), for every task that brings no "
        "preference of its own; None is outcome alone.",
    )
    schedule: Schedule = Field(default="constant", description="ToolRL's schedule: see docs/rewards.md.")
    dollars_per_million_prompt_tokens: float = Field(default=0.0, ge=0)
    dollars_per_million_sampled_tokens: float = Field(default=0.0, ge=0)
    priced_as: str | None = Field(
        default=None,
        description="A model's name: at a question, tokens cost what that model costs under the question's schedule.",
    )


class Algorithm(_Section):
    """GRPO as in section 3.2 of the paper, with the choices that others made as options."""

    tasks_per_step: int = Field(default=16, ge=1, description="Groups a step, over all processes.")
    rollouts_per_task: int = Field(default=8, ge=2)
    clip_low: float = Field(default=0.2, gt=0, lt=1, description="The ratio is clipped below 1 - clip_low.")
    clip_high: float = Field(default=0.2, gt=0, description="And above 1 + clip_high (DAPO's clip-higher).")
    least_std: float = Field(default=0.1, ge=0, description="A group whose R has a smaller std is dropped.")
    drop_malformed: bool = Field(default=True, description="The paper's format-consistency and invalid-output filters.")
    epochs_per_batch: int = Field(default=1, ge=1, description="Updates on each batch of rollouts.")
    minibatches: int = Field(default=1, ge=1, description="Optimizer steps into which an epoch is cut.")
    old_policy: Literal["rollout", "recompute"] = Field(
        default="rollout",
        description="Whose log-probabilities stand below the ratio; `recompute` adds truncated sampling.",
    )
    importance_cap: float = Field(default=2.0, gt=0, description="Cap of token-level truncated importance sampling.")
    kl_coefficient: float = Field(
        default=0.0, ge=0, description="Weight of the KL to the starting checkpoint; 0 is none."
    )
    loss_norm: Literal["token", "sequence"] = Field(
        default="token", description="Mean over tokens, or over sequences' means."
    )


class Optimization(_Section):
    """AdamW and the micro-batches that feed it."""

    learning_rate: float = Field(default=1e-6, gt=0)
    warmup_steps: int = Field(default=0, ge=0)
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    weight_decay: float = Field(default=0.0, ge=0)
    betas: tuple[float, float] = (0.9, 0.999)
    max_grad_norm: float = Field(default=1.0, gt=0)
    tokens_per_microbatch: int = Field(default=16_384, ge=1, description="Packed tokens in one forward pass.")


class WarmStart(_Section):
    """Supervised fine-tuning on the dataset's successful trajectories, before GRPO."""

    examples: int | None = Field(default=None, ge=1, description="None takes all of the train split.")
    epochs: int = Field(default=1, ge=1)
    batch: int = Field(default=8, ge=1)
    learning_rate: float = Field(default=1e-5, gt=0, description="At the first batch; it falls to 0 by the last.")


class Evaluation(_Section):
    """Held-out tasks, every so many steps."""

    every: int = Field(default=10, ge=0, description="0 evaluates only before and after.")
    tasks: int | None = Field(default=None, ge=1, description="None takes the whole eval split.")
    samples: int = Field(default=1, ge=1, description="For pass@k beside greedy pass@1; 1 is greedy alone.")
    temperature: float = Field(default=0.0, ge=0, description="Of the one attempt at each task; 0 is greedy.")
    untrained: bool = Field(
        default=False,
        description="Before the warm start too: what the engine was started with, at step -1 of the metrics.",
    )


class Checkpoints(_Section):
    """What makes a training that was killed go on as if it had not been."""

    every: int = Field(default=10, ge=1)
    keep: int = Field(default=2, ge=1)


class Logging(_Section):
    """JSONL is always written."""

    tensorboard: bool = False
    wandb_project: str | None = None


class Config(_Section):
    """A training, whole."""

    model: Model
    data: Data = Data()
    tools: Tools = Tools()
    rollouts: Rollouts = Rollouts()
    rewarding: Rewarding = Rewarding()
    algorithm: Algorithm = Algorithm()
    optimization: Optimization = Optimization()
    warm_start: WarmStart | None = None
    evaluation: Evaluation = Evaluation()
    checkpoints: Checkpoints = Checkpoints()
    logging: Logging = Logging()
    steps: int = Field(default=100, ge=0)
    seed: int = 0

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        rollouts, algorithm = self.rollouts, self.algorithm
        if rollouts.max_prompt_tokens >= rollouts.context_tokens:
            raise ValueError(
                f"rollouts.max_prompt_tokens is {rollouts.max_prompt_tokens}, which leaves no room in "
                f"rollouts.context_tokens, {rollouts.context_tokens}"
            )
        if bool(rollouts.servers) != (rollouts.backend == "vllm-server"):
            raise ValueError("rollouts.servers and rollouts.backend: vllm-server go together; give both or neither")
        if rollouts.top_p < 1:
            raise ValueError("rollouts.top_p below 1 samples what the trainer does not score; leave it at 1")
        if algorithm.minibatches > algorithm.tasks_per_step:
            raise ValueError(
                f"algorithm.minibatches is {algorithm.minibatches}, over the {algorithm.tasks_per_step} groups a step"
            )
        if self.rewarding.kind == "toolrl" and self.rewarding.preference is not None:
            raise ValueError("rewarding.preference belongs to kind: preference; leave it out for toolrl")
        if rollouts.tool_latency[0] > rollouts.tool_latency[1] or rollouts.tool_latency[0] < 0:
            raise ValueError("rollouts.tool_latency is [least, most] in seconds, neither below 0")
        if self.data.pass_rates[0] > self.data.pass_rates[1]:
            raise ValueError("data.pass_rates is [least, most]")
        return self

    @classmethod
    def read(cls, path: Path, changes: Mapping[str, Any] | None = None) -> Self:
        """The YAML file at `path`, or the preset of that name, with `changes` (dotted names to values) on top.

        Raises:
            UserError: there is no such file, it is not YAML, or a name or value in it is not possible.
        """
        file = _file(path)
        try:
            read = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(
                f"{path} cannot be read ({error}); give --config a YAML file or one of {_presets()}"
            ) from None
        except yaml.YAMLError as error:
            raise UserError(f"{file} is not YAML: {' '.join(str(error).split())}") from None
        except RecursionError:
            raise UserError(f"{file} nests too deeply to be read; the settings have three levels") from None
        if not isinstance(read, dict):
            raise UserError(f"{file} holds no settings; write `model:` with `path:` below it, and whatever differs")
        for name, value in (changes or {}).items():
            _set(read, name, value)
        return cls.of(read, str(file))

    @classmethod
    def of(cls, values: Mapping[str, Any], source: str) -> Self:
        """The configuration with these values; `source` says in errors where they stand.

        Raises:
            UserError: a name or a value is not possible.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            name = ".".join(str(part) for part in first["loc"])
            said = str(first["msg"]).removeprefix("Value error, ")
            if first["type"] == "extra_forbidden":
                said = "there is no such setting; trainer/config.py lists them"
            raise UserError(f"{source}: `{name}`: {said}" if name else f"{source}: {said}") from None

    def write(self, file: Path) -> None:
        """All settings as YAML, defaults included, for `read` to read."""
        text = yaml.safe_dump(json.loads(self.model_dump_json()), sort_keys=False, allow_unicode=True)
        file.write_text(text, encoding="utf-8")


def changes_from(assignments: Sequence[str]) -> dict[str, Any]:
    """Dotted name -> value, from `NAME=VALUE` as a user types it; values are YAML.

    Raises:
        UserError: one of them is not of that form.
    """
    changes = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        try:
            changes[name] = yaml.safe_load(value)
        except (yaml.YAMLError, RecursionError):
            equals = ""
        if not equals or not name:
            raise UserError(f"--set {assignment}: write NAME=VALUE, such as optimization.learning_rate=2e-6")
    return changes


def _file(path: Path) -> Path:
    preset = PRESETS / f"{path}.yaml"
    return preset if not path.exists() and path.name == str(path) and preset.is_file() else path


def _presets() -> str:
    return ", ".join(sorted(preset.stem for preset in PRESETS.glob("*.yaml")))


def _set(values: dict[str, Any], name: str, value: Any) -> None:
    *sections, last = name.split(".")
    for section in sections:
        if not isinstance(values.get(section), dict):
            values[section] = {}
        values = values[section]
    values[last] = value
